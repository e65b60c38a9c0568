"""RECOVERY SHEETS: the keys of a recovery device, from the text of the QR code or the words."""

from collections.abc import Sequence

from .hashes import H, unbase32
from .people import Person, recovered_secrets
from .problems import Invalid
from .signers import DeviceKeys

SCHEME = "cairn:recovery/"


def sheet_keys(text: str) -> DeviceKeys:
    """The keys of the recovery device, from the text of the QR code."""
    data = unbase32(text.removeprefix(SCHEME))
    if not text.startswith(SCHEME) or data is None or len(data) != 37 or data[0] != 1:
        raise Invalid("no text of a recovery sheet")
    return _keys(data[1:33], data[33:])


def keys_of_words(places: Sequence[int]) -> DeviceKeys:
    """The keys of the recovery device, from its 24 words, as their places in the list."""
    number = 0
    for place in places:
        number = number << 11 | place
    data = number.to_bytes(33, "big")
    return _keys(data[:32], data[32:])


def _keys(secret: bytes, checksum: bytes) -> DeviceKeys:
    if H("cairn recovery checksum v1", secret)[: len(checksum)] != checksum:
        raise Invalid("a mistyped recovery sheet")
    return DeviceKeys(
        H("cairn recovery sign key v1", secret), H("cairn recovery box key v1", secret)
    )


def recover(person: Person, keys: DeviceKeys) -> list[bytes]:
    """All secret encryption keys of the person, oldest first, by the sheet and the chain alone."""
    device = person.devices.get(keys.id)
    if device is None or not device.is_active or not device.is_recovery:
        raise Invalid("a sheet that recovers nobody")
    return recovered_secrets(person, keys.id, keys.box_secret)
