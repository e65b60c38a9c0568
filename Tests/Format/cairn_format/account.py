"""A device's own account, the account zone, and all zones that it names."""

import os
from dataclasses import dataclass, field
from pathlib import Path

from . import schema
from .container import Container
from .fold import zone_id
from .hashes import H, sign_public
from .keyring import Secrets, decode_keyring
from .people import Person, device_id, read_person, user_id
from .problems import FormatProblem, Invalid, NotYet
from .state import Record
from .wire import Message
from .zone_reader import ReadZone, ZoneReader


@dataclass
class Account:
    """The contents of `$CAIRN_HOME/keys/account`."""

    user: bytes
    sign_seed: bytes
    box_secret: bytes
    encryption: list[bytes]  # the current one last
    origin: bytes

    @staticmethod
    def load(home: str | os.PathLike[str]) -> "Account":
        data = (Path(home) / "keys" / "account").read_bytes()
        file = schema.decode("AccountFile", data, canonical=False)
        body = schema.decode("IdentityEntry", file.origin).body
        if user_id(body) != file.user or not file.encryption_secrets:
            raise Invalid("an account whose first entry is somebody else's")
        return Account(
            file.user, file.sign_seed, file.box_secret, file.encryption_secrets, file.origin
        )

    def save(self, home: str | os.PathLike[str]) -> None:
        file = schema.make(
            "AccountFile",
            format=1,
            user=self.user,
            sign_seed=self.sign_seed,
            box_secret=self.box_secret,
            encryption_secrets=self.encryption,
            origin=self.origin,
        )
        keys = Path(home) / "keys"
        keys.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = keys / "account"
        path.write_bytes(schema.encode(file))
        path.chmod(0o600)

    @property
    def device(self) -> bytes:
        return device_id(sign_public(self.sign_seed))

    @property
    def secrets(self) -> Secrets:
        return Secrets(self.user, list(reversed(self.encryption)), self.device)


def account_nonce(first_secret: bytes) -> bytes:
    """The nonce of the account zone's genesis."""
    return H("cairn account zone v1", first_secret)[:16]


def account_key(first_secret: bytes) -> bytes:
    """The key of epoch 1 of the account zone."""
    return H("cairn account key v1", first_secret)


def record_id(kind: str, about: bytes) -> bytes:
    """The id of a record of the account zone."""
    return H("cairn account record v1", kind.encode("ascii"), about)[:16]


def public_zone(container: bytes, author: bytes) -> tuple[bytes, bytes]:
    """The id and the key of the zone in which a person publishes in a container."""
    zone = H("cairn public zone v1", container, author)
    return zone, H("cairn public key v1", zone)


class Book:
    """The people of a container, each chain read once."""

    def __init__(self, container: Container) -> None:
        self._container = container
        self._people: dict[bytes, Person] = {}
        self.disputed: set[bytes] = set()  # people who signed for another chain, or a longer one

    def person(self, user: bytes) -> Person:
        if user not in self._people:
            self._people[user] = read_person(self._container, user)
        return self._people[user]

    def forget(self) -> None:
        """Forgets the chains, so that they are read again."""
        self._people = {}

    def sign_key(self, user: bytes, device: bytes, chain: Message | None) -> bytes:
        """Returns a device's key. A revoked device is found, too, because its earlier commits stay
        valid."""
        try:
            person = self.person(user)
        except FormatProblem as problem:
            raise NotYet(f"the author has no chain: {problem}") from problem
        found = person.devices.get(device)
        if found is None:
            raise NotYet("the author's chain doesn't show the device")
        if chain is not None:
            self._compare(user, person, chain)
        return found.sign_key

    def has_revoked(self, user: bytes, device: bytes) -> bool:
        """Returns true if the person's chain, as far as it was read, has revoked the device."""
        person = self._people.get(user)
        if person is None or device not in person.devices:
            return False
        return device not in {each.id for each in person.active()}

    def _compare(self, user: bytes, person: Person, chain: Message) -> None:
        """Compares the chain in an author's commit with the chain here. A shorter chain is read
        again."""
        if chain.length > person.length:
            person = self._people[user] = read_person(self._container, user)
        if person.passes(chain.length, chain.head):
            self.disputed.discard(user)
        else:
            self.disputed.add(user)


@dataclass
class Noted:
    """A `cairn.zone` record."""

    zone: bytes
    founder: bytes
    owner: bytes
    scope: str
    keys: dict[int, bytes]
    first_lock: bytes | None = None  # of a public zone


@dataclass
class Everything:
    """All zones that an account leads to."""

    container: Container
    id: bytes
    account: Account
    book: Book
    own: ReadZone
    zones: dict[bytes, ReadZone] = field(default_factory=dict)
    noted: dict[bytes, Noted] = field(default_factory=dict)
    problems: dict[bytes, str] = field(default_factory=dict)

    def typed(self, name: str) -> list[Record]:
        """The records of a type in the account zone."""
        records = self.own.state.records.values()
        return [each for each in records if each.kind == "typed" and each.type_name == name]

    def mounts(self, device: bytes) -> list[tuple[bytes, bytes, str, bool]]:
        """The mounts of that device: zone, record (zero for the whole zone), path, and true for a
        file."""
        out = []
        for record in self.typed("cairn.mount"):
            fields = record.plain_fields()
            if fields.get("device") != device or "zone" not in fields or "path" not in fields:
                continue
            path = fields["path"]
            text = path.decode("utf-8", "surrogateescape") if isinstance(path, bytes) else path
            part = fields.get("record", bytes(16))
            about = fields["zone"] + device + (part if any(part) else b"")
            if record.id != record_id("mount", about):
                continue
            out.append((fields["zone"], part, text, fields.get("file") == 1))
        return sorted(out)


def read_everything(home: str, directory: str) -> Everything:
    """Reads the account zone, and each zone that it names."""
    container = Container(directory)
    account = Account.load(home)
    book = Book(container)
    first = account.encryption[0]
    own_id = zone_id(account.user, account_nonce(first))
    reader = ZoneReader(
        container, own_id, account.user, {1: account_key(first)}, account.secrets, book
    )
    everything = Everything(container, container.identify(), account, book, reader.read())
    for record in everything.typed("cairn.zone"):
        noted = _noted(record)
        if noted is not None:
            everything.noted[noted.zone] = noted
            _read_zone(everything, noted)
    for name in container.folders("users"):
        if len(name) == 64:
            _read_public(everything, bytes.fromhex(name))
    return everything


def _read_public(everything: Everything, author: bytes) -> None:
    """Reads the zone in which somebody publishes, if their chain says that they began to
    publish."""
    try:
        person = everything.book.person(author)
    except FormatProblem:
        return
    if person.public_lock is None:
        return
    zone, key = public_zone(everything.id, author)
    noted = Noted(zone, author, author, "public", {1: key}, person.public_lock)
    _read_zone(everything, noted)
    if zone in everything.zones and everything.zones[zone].state.sequence == 0:
        del everything.zones[zone]


def _noted(record: Record) -> Noted | None:
    """Decodes a record. A record that lacks one of its fields, or has another id, is skipped."""
    fields = record.plain_fields()
    if not {"zone", "founder", "owner", "scope", "keys"} <= set(fields):
        return None
    if record.id != record_id("zone", fields["zone"]):
        return None
    try:
        keys = decode_keyring(fields["keys"])
    except (FormatProblem, TypeError):
        return None
    return Noted(fields["zone"], fields["founder"], fields["owner"], fields["scope"], keys)


def read_zone(everything: Everything, noted: Noted, from_floors: bool = True) -> ReadZone:
    """Reads a zone with the keys that the account has for it."""
    reader = ZoneReader(
        everything.container, noted.zone, noted.founder, noted.keys, everything.account.secrets,
        everything.book, first_lock=noted.first_lock, owner=noted.owner,
    )
    return reader.read(from_floors)


def _read_zone(everything: Everything, noted: Noted) -> None:
    try:
        everything.zones[noted.zone] = read_zone(everything, noted)
    except FormatProblem as problem:
        everything.problems[noted.zone] = str(problem)
