"""An intruder who writes into the container by hand, with no keys or with the keys of a home."""

import random
import shutil
from pathlib import Path
from typing import Any

from cairn_format import schema
from cairn_format.account import Book, public_zone, read_everything, record_id
from cairn_format.container import Container, chain_folder, public_folder, zone_folder
from cairn_format.log import copy_name, place_name, public_place_name, seal_entry
from cairn_format.people import Person, lock_of
from cairn_format.signers import DeviceKeys, Signer
from cairn_format.wire import Message
from cairn_format.zone_reader import ReadZone, ZoneReader
from cairn_format.zone_writer import ZoneWriter

from .world import World

NOW = 1_790_000_000_000_000_000


class Intruder:
    """An intruder with the keys that a home had when they were copied, as from a stolen laptop.
    They also have the container, which anybody can write to."""

    def __init__(self, world: World, who: str, title: str = "Trip") -> None:
        self.dice = random.Random(f"intruder {who}")
        home = world.folder / f"stolen from {who}"
        shutil.copytree(world.folder / who / "home" / "keys", home / "keys", dirs_exist_ok=True)
        self.container = Container(world.container)
        self.world = world
        self.everything = read_everything(str(home), world.container)
        self.account = self.everything.account
        self.book = Book(self.container)
        self.signer = signer_of(self)
        own = self.everything.own
        self.reach(own)
        for read in self.everything.zones.values():
            share = read.state.header.share
            if share is not None and share.title == title:
                self.reach(read)

    def reach(self, read: ReadZone) -> None:
        """Selects the zone that `append` and similar methods write to."""
        self.zone, self.keys = read.state.zone, dict(read.keys)
        self.founder = read.state.header.founder
        self.epoch = read.state.header.epoch
        self.first_lock: bytes | None = None

    def reach_account(self) -> None:
        """Selects the person's own zone."""
        self.reach(self.everything.own)

    def reach_public(self, author: bytes) -> None:
        """Selects the zone in which somebody publishes. The intruder computes the next position of
        its log with their own keys. They lead there only if they are the author's keys."""
        self.zone, key = public_zone(self.everything.id, author)
        self.founder, self.keys, self.epoch = author, {1: key}, 1
        self.book.forget()
        self.first_lock = self.book.person(author).public_lock

    # --- the log of the zone

    @property
    def key(self) -> bytes:
        """The key of the epoch that was in force when the home was copied."""
        return self.keys[self.epoch]

    @property
    def folder(self) -> str:
        if self.first_lock is not None:
            return public_folder(self.founder)
        return zone_folder(self.zone, self.founder)

    def read(self) -> ReadZone:
        """Returns the zone, as far as these keys can read it."""
        self.book.forget()
        reader = ZoneReader(
            self.container, self.zone, self.founder, dict(self.keys), self.account.secrets,
            self.book, first_lock=self.first_lock,
        )
        return reader.read()

    def writer(self) -> ZoneWriter:
        """Returns a writer that makes the parts of commits. `append` and `put` choose the
        position."""
        writer = ZoneWriter(
            self.container, self.book, self.signer, self.zone, self.founder, dict(self.keys),
            self.dice, self.first_lock,
        )
        writer.time = NOW
        return writer

    def body(self, read: ReadZone, **parts: Any) -> Message:
        own = self.writer().body(read.state)
        own.parts.update(parts)
        return own

    def place(self, number: int, key: bytes | None = None) -> str:
        """The key of an entry in the container."""
        if self.first_lock is not None:
            name = public_place_name(self.account.encryption[-1], self.zone, number)
            return f"{self.folder}/{name}"
        return f"{self.folder}/log/{place_name(key or self.key, self.zone, number)}"

    def copy(self, digest: bytes, number: int, key: bytes | None = None) -> str:
        """The key of a spare copy of an entry."""
        name = copy_name(key or self.key, self.zone, digest, number)
        return f"{self.folder}/copies/{name}"

    def entry(
        self, read: ReadZone, number: int = 0, epoch: int = 0, boxes: list[bytes] | None = None,
        body: Message | None = None, **parts: Any,
    ) -> bytes:
        """Returns a commit, valid or not, that is sealed for a position. The default is the next
        one. Its contents are `parts`, or the whole `body`."""
        epoch = epoch or read.state.header.epoch
        encoded = schema.encode(body or self.body(read, **parts))
        return seal_entry(
            encoded, self.zone, number or read.state.sequence + 1, epoch, read.keys[epoch],
            boxes or [], self.account.sign_seed, self.dice.randbytes(24),
        )

    def append(self, ahead: int = 0, read: ReadZone | None = None, **parts: Any) -> str:
        """Puts a commit, valid or not, into the next position, or that many positions ahead.
        Returns its key."""
        while True:
            now = read or self.read()
            number = now.state.sequence + 1 + ahead
            key = self.place(number, now.keys[now.state.header.epoch])
            stored = self.entry(now, number, **parts)
            # If an honest writer was faster, try again behind their entry.
            if self.container.put_if_absent(key, stored) or read is not None:
                return key

    def put(self, number: int, stored: bytes, key: bytes | None = None) -> str:
        """Puts bytes into a position. Returns its key."""
        place = self.place(number, key)
        self.container.put_if_absent(place, stored)
        return place

    def file(self, name: str, data: bytes = b"forged", **parts: Any) -> dict[str, Any]:
        """Returns the parts of a commit that adds a small file."""
        return {**self.writer().file(name.encode(), data), **parts}


def change(**what: object) -> Message:
    """Returns a change of the share."""
    return schema.make("ShareChange", **what)


def typed(name: str, about: bytes, act: int = 1, /, **values: bytes | int | str) -> Message:
    """Returns a record `cairn.NAME` of the account zone about that object."""
    kinds: dict[type, str] = {bytes: "data", int: "integer", str: "text"}
    fields = [
        schema.make("Field", name=key, **{kinds[type(value)]: value})
        for key, value in sorted(values.items())
    ]
    record = schema.make("RecordChange", id=record_id(name, about), act=act, fields=fields)
    if act == 1:
        record.parts.update(kind=4, type_name=f"cairn.{name}")
    return record


def chain_entries(container: Container, user: bytes) -> list[bytes]:
    """Returns the entries of a person's chain, as they are in the container."""
    folder, person = chain_folder(user), Person(user)
    names, entries = container.names(folder), []
    stored = container.get(f"{folder}/start")
    while stored is not None:
        person.apply(stored)
        entries.append(stored)
        next = [name for name in names if lock_of(name) == person.lock]
        stored = container.get(f"{folder}/{next[0]}") if next else None
    return entries


def signer_of(intruder: Intruder) -> Signer:
    """Returns a signer that uses the keys of that home."""
    account = intruder.account
    device = DeviceKeys(account.sign_seed, account.box_secret)
    entries = chain_entries(intruder.container, account.user)
    return Signer(account.user, device, list(account.encryption), account.origin, entries)


def stranger(world: World, handle: str, name: str) -> Signer:
    """Returns a signer with an identity in the container that nobody knows."""
    signer = Signer.new(random.Random(f"stranger {handle}"), handle, name, NOW)
    signer.put_start(Container(world.container))
    return signer


def put_by_hand(world: World, key: str, data: bytes) -> Path:
    """Writes a file as anybody can: over an existing one, without any rule."""
    path = Path(world.container) / key
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_bytes(data)
    return path


def put_sparse(world: World, key: str, size: int) -> Path:
    """Writes a sparse file of that length, which takes no space."""
    path = put_by_hand(world, key, b"")
    with path.open("r+b") as file:
        file.truncate(size)
    return path
