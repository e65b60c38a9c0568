"""The secrets of a reader: encryption keys, and the keys of a zone's epochs."""

from dataclasses import dataclass, field

from . import schema
from .hashes import unbox
from .log import Opened, next_key_of
from .problems import Invalid


@dataclass
class Secrets:
    """A reader: their id (None for somebody with only a link), secret X25519 keys and device."""

    user: bytes | None
    encryption: list[bytes] = field(default_factory=list)
    device: bytes | None = None


def decode_keyring(data: bytes) -> dict[int, bytes]:
    """Decodes a `Keyring` from the account zone."""
    return keys_of(schema.decode("Keyring", data))


def keys_of(keyring: schema.Message) -> dict[int, bytes]:
    """The keys by epoch, one for each epoch."""
    keys = {each.epoch: each.key for each in keyring.keys}
    if len(keys) != len(keyring.keys) or any(len(key) != 32 for key in keys.values()):
        raise Invalid("a keyring with an epoch twice, or a key of another length")
    return keys


def find_next_key(
    opened: Opened, zone: bytes, keys: dict[int, bytes], secrets: Secrets
) -> bytes | None:
    """Returns the next epoch's key: a known one that fits `next_key`, or one from a box that
    fits."""
    epoch, wanted = opened.epoch, opened.commit.next_key
    known = keys.get(epoch + 1)
    if known is not None and next_key_of(known, zone, epoch) == wanted:
        return known
    for secret in secrets.encryption:
        for box in opened.boxes:
            key = unbox(secret, box)
            if key is not None and len(key) == 32 and next_key_of(key, zone, epoch) == wanted:
                return key
    return None
