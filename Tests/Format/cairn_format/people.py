"""PEOPLE: a person is a hash chain of signed entries. Their places follow from the locks."""

import re
from dataclasses import dataclass, field

from . import schema
from .container import Container, chain_folder
from .hashes import H, box_public, hex16, is_signed, n, unbox
from .problems import FormatProblem, Invalid
from .wire import Message

MAXIMUM_ENTRY = 65536
MAXIMUM_LENGTH = 100000
_HANDLE = re.compile(r"[a-z0-9][a-z0-9._-]{0,31}\Z")
_NAME = re.compile(r"[0-9a-f]{32}\Z")


def user_id(body: bytes) -> bytes:
    """`user id`: the hash of the body of entry 1."""
    return H("cairn user v1", body)


def device_id(sign_key: bytes) -> bytes:
    """`device id`: the hash of the device's public signing key."""
    return H("cairn device v1", sign_key)[:16]


def chain_digest(stored: bytes) -> bytes:
    """The digest of an entry, as the next entry names it."""
    return H("cairn identity chain v1", stored)


def place_name(secret: bytes, number: int) -> str:
    """The name of place `number`, under the secret key in force after the entry before it."""
    return hex16(H("cairn chain place v1", secret, n(number)))


def lock_of(name: str) -> bytes:
    """The lock of a place, from its name."""
    return H("cairn lock v1", name.encode("ascii"))


@dataclass
class Device:
    """A device, as its chain added it."""

    id: bytes
    name: str
    sign_key: bytes
    box_key: bytes
    is_active: bool = True
    added: int = 1
    is_recovery: bool = False


@dataclass
class Person:
    """A replayed chain."""

    user: bytes
    handle: str = ""
    name: str = ""
    encryption_key: bytes = b""
    devices: dict[bytes, Device] = field(default_factory=dict)
    digests: list[bytes] = field(default_factory=list)
    lock: bytes = b""
    public_lock: bytes | None = None  # of the first place of their public zone
    boxes: list[tuple[bytes, bytes]] = field(default_factory=list)  # (device, sealed secret)
    earlier: dict[bytes, bytes] = field(default_factory=dict)  # sealed, of recovery devices
    site: bytes = b""  # the chain's site; none: where the container was made
    trouble: str | None = None

    @property
    def length(self) -> int:
        return len(self.digests)

    @property
    def head(self) -> bytes:
        return self.digests[-1] if self.digests else bytes(32)

    def passes(self, length: int, head: bytes) -> bool | None:
        """Returns true if the chain contains that anchor, and None if it isn't that long yet."""
        if length > self.length:
            return None
        return length > 0 and self.digests[length - 1].startswith(head)

    def active(self) -> list[Device]:
        return [each for each in self.devices.values() if each.is_active]

    # --- one entry

    def apply(self, stored: bytes) -> None:
        """Judges the next entry and applies it. Raises and changes nothing if it is invalid."""
        if len(stored) > MAXIMUM_ENTRY or self.length >= MAXIMUM_LENGTH:
            raise Invalid("an entry or a chain that is too long")
        entry = schema.decode("IdentityEntry", stored)
        body = schema.decode("IdentityBody", entry.body)
        if entry.format != 1 or len(body.lock) != 32:
            raise Invalid("an entry of another format, or without a lock")
        if body.sequence != self.length + 1 or body.previous != self.head:
            raise Invalid("an entry of another place, or behind another one")
        change = body.which("change")
        if change is None or (change == "start") != (self.length == 0):
            raise Invalid("an entry without its one change")
        if change == "start":
            if user_id(entry.body) != self.user:
                raise Invalid("entry 1 of somebody else")
            self._check_start(body.start)
            signer = _device(body.start.device, added=1)
            if body.device != signer.id:
                raise Invalid("entry 1, signed by another device than it brings")
        else:
            found = self.devices.get(body.device)
            if found is None or not found.is_active:
                raise Invalid("signed by a device that isn't active")
            signer = found
        if not is_signed(signer.sign_key, entry.signature, "cairn identity entry v1", entry.body):
            raise Invalid("a signature that doesn't fit")
        getattr(self, "_apply_" + change)(getattr(body, change), body)
        self.digests.append(chain_digest(stored))
        self.lock = body.lock

    @staticmethod
    def _check_start(start: Message) -> None:
        if start.profile is None or start.device is None or len(start.encryption_key) != 32:
            raise Invalid("a start that lacks a part")
        if len(start.site) not in (0, 16):
            raise Invalid("a start at no place")
        _check_profile(start.profile)

    def _apply_start(self, start: Message, body: Message) -> None:
        device = _device(start.device, added=1)
        if device.is_recovery:
            raise Invalid("a recovery device that begins a person")
        self._apply_profile(start.profile, body)
        self.encryption_key = start.encryption_key
        self.site = start.site
        self.devices[device.id] = device
        self.boxes.append((device.id, start.device.sealed_secret))

    def _apply_profile(self, profile: Message, _: Message) -> None:
        _check_profile(profile)
        self.handle, self.name = profile.handle, profile.name

    def _apply_add_device(self, added: Message, body: Message) -> None:
        device = _device(added, added=self.length + 1)
        if device.id in self.devices:
            raise Invalid("a device that was in the chain")
        proof = (added.box_key, body.previous)
        if not is_signed(device.sign_key, added.proof, "cairn device proof v1", *proof):
            raise Invalid("a device that didn't agree")
        self.devices[device.id] = device
        self.boxes.append((device.id, added.sealed_secret))
        if device.is_recovery:
            self.earlier[device.id] = added.earlier_secrets

    def _apply_revoke_device(self, revoked: Message, _: Message) -> None:
        device = self.devices.get(revoked.device)
        rest = {each.id for each in self.active()} - {revoked.device}
        if device is None or not device.is_active or not rest:
            raise Invalid("a device that can't be revoked")
        if len(revoked.encryption_key) != 32 or revoked.encryption_key == self.encryption_key:
            raise Invalid("a revocation without a new encryption key")
        secrets = [(each.device, each.sealed_secret) for each in revoked.secrets]
        if len(secrets) != len(rest) or {each[0] for each in secrets} != rest:
            raise Invalid("secrets that aren't one for each device that stays")
        if any(len(each[1]) != 80 for each in secrets):
            raise Invalid("a sealed secret of another length")
        device.is_active = False
        self.encryption_key = revoked.encryption_key
        self.boxes.extend(secrets)

    def _apply_rename_device(self, renamed: Message, _: Message) -> None:
        device = self.devices.get(renamed.device)
        if device is None or not device.is_active:
            raise Invalid("a device that isn't active")
        _check_name(renamed.name)
        device.name = renamed.name

    def _apply_begin_public(self, begun: Message, _: Message) -> None:
        if self.public_lock is not None or len(begun.lock) != 32:
            raise Invalid("a public log that begins again, or without a lock")
        self.public_lock = begun.lock

    def _apply_goes_on(self, site: Message, _: Message) -> None:
        if len(site.id) != 16 or site.id == self.site or not is_location(site.location):
            raise Invalid("a last entry that names no other place")
        self.site = site.id


def is_location(text: str) -> bool:
    """Returns true for a location: 1 to 1024 bytes without control characters."""
    is_control = any(ord(each) < 0x20 or 0x7F <= ord(each) <= 0x9F for each in text)
    return 1 <= len(text.encode("utf-8")) <= 1024 and not is_control


def _check_profile(profile: Message) -> None:
    if not _HANDLE.match(profile.handle):
        raise Invalid("no handle")
    _check_name(profile.name)


def _check_name(name: str) -> None:
    """Checks a name: 1 to 255 bytes of UTF-8 without control characters."""
    is_control = any(ord(each) < 0x20 or 0x7F <= ord(each) <= 0x9F for each in name)
    if not 1 <= len(name.encode("utf-8")) <= 255 or is_control:
        raise Invalid("no name")


def _device(brought: Message, added: int) -> Device:
    lengths = (len(brought.sign_key), len(brought.box_key), len(brought.sealed_secret))
    if lengths != (32, 32, 80):
        raise Invalid("a device with a part of another length")
    earlier = len(brought.earlier_secrets)
    if earlier != 0 and (earlier < 48 or (earlier - 48) % 32 != 0):
        raise Invalid("earlier secrets that aren't whole")
    _check_name(brought.name)
    id = device_id(brought.sign_key)
    return Device(id, brought.name, brought.sign_key, brought.box_key, True, added, earlier != 0)


# --- reading a chain


def read_person(container: Container, user: bytes) -> Person:
    """Reads the chain as far as it is valid. `trouble` is the problem that holds the chain, if
    there is one.

    Everybody except the person lists the folder, hashes the names, and reads only the object that
    fits the lock. The person's own devices find the same entry, because the lock is the hash of the
    name that they compute.
    """
    folder = chain_folder(user)
    person = Person(user)
    first = container.get(f"{folder}/start")
    if first is None:
        raise Invalid("there is no entry 1")
    person.apply(first)
    names = [name for name in container.names(folder) if _NAME.match(name)]
    while True:
        if container.ends_at(person.site):
            return person
        number = person.length + 1
        fitting = [name for name in names if lock_of(name) == person.lock]
        if not fitting:
            return person
        stored = container.get(f"{folder}/{fitting[0]}")
        try:
            if stored is None:
                raise Invalid("an object that can't be read")
            person.apply(stored)
        except FormatProblem as problem:
            person.trouble = f"place {number}: {problem}"
            return person


def secrets_of(person: Person, device: bytes, box_secret: bytes) -> list[bytes]:
    """The person's secret encryption keys that the chain sends to that device, oldest first."""
    found = [unbox(box_secret, sealed) for each, sealed in person.boxes if each == device]
    return [secret for secret in found if secret is not None]


def recovered_secrets(person: Person, device: bytes, box_secret: bytes) -> list[bytes]:
    """All secret encryption keys of the person, which the chain sends to a recovery device."""
    plain = unbox(box_secret, person.earlier.get(device, b"")) or b""
    earlier = [plain[at : at + 32] for at in range(0, len(plain), 32)]
    return earlier + secrets_of(person, device, box_secret)


def comparison_number(one: Person, other: Person) -> list[str]:
    """The number that people compare: twelve groups of five digits."""

    def state(person: Person) -> bytes:
        devices = sorted(person.active(), key=lambda each: each.id)
        keys = b"".join(each.sign_key + each.box_key for each in devices)
        return person.user + H("cairn person state v1", person.user, keys)

    pair = b"".join(sorted([state(one), state(other)]))
    data = b"".join(H("cairn verification v1", bytes([each]), pair) for each in (0, 1))[:60]
    groups = (int.from_bytes(data[at : at + 5], "big") for at in range(0, 60, 5))
    return [f"{group % 100000:05}" for group in groups]


def fits(secret: bytes, public: bytes) -> bool:
    """Returns true if a secret X25519 key belongs to that public key."""
    return box_public(secret) == public
