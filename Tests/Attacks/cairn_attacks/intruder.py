"""Who writes into the container by hand: with nothing, or with the keys of somebody's home."""

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
    """Has the keys that a home had when they were copied, as a stolen laptop would; and the
    container, which anybody may write to."""

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
        """What `append` and the like are about."""
        self.zone, self.keys = read.state.zone, dict(read.keys)
        self.founder = read.state.header.founder
        self.epoch = read.state.header.epoch
        self.first_lock: bytes | None = None

    def reach_account(self) -> None:
        """The person's own zone."""
        self.reach(self.everything.own)

    def reach_public(self, author: bytes) -> None:
        """What somebody publishes. Where its log goes on the intruder computes by their own keys,
        which lead there only if they are the author's."""
        self.zone, key = public_zone(self.everything.id, author)
        self.founder, self.keys, self.epoch = author, {1: key}, 1
        self.book.forget()
        self.first_lock = self.book.person(author).public_lock

    # --- the log of the zone

    @property
    def key(self) -> bytes:
        """Of the epoch that was in force when the home was copied."""
        return self.keys[self.epoch]

    @property
    def folder(self) -> str:
        if self.first_lock is not None:
            return public_folder(self.founder)
        return zone_folder(self.zone, self.founder)

    def read(self) -> ReadZone:
        """The zone, as far as these keys lead."""
        self.book.forget()
        reader = ZoneReader(
            self.container, self.zone, self.founder, dict(self.keys), self.account.secrets,
            self.book, first_lock=self.first_lock,
        )
        return reader.read()

    def writer(self) -> ZoneWriter:
        """Makes the parts of commits; `append` and `put` say where they go."""
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
        """Where an entry stands."""
        if self.first_lock is not None:
            name = public_place_name(self.account.encryption[-1], self.zone, number)
            return f"{self.folder}/{name}"
        return f"{self.folder}/log/{place_name(key or self.key, self.zone, number)}"

    def copy(self, digest: bytes, number: int, key: bytes | None = None) -> str:
        """Where a copy of an entry stands."""
        name = copy_name(key or self.key, self.zone, digest, number)
        return f"{self.folder}/copies/{name}"

    def entry(
        self, read: ReadZone, number: int = 0, epoch: int = 0, boxes: list[bytes] | None = None,
        body: Message | None = None, **parts: Any,
    ) -> bytes:
        """A commit, right or not, sealed for a place: the next one if none is named. It says of
        itself what `parts` say, or is that `body`."""
        epoch = epoch or read.state.header.epoch
        encoded = schema.encode(body or self.body(read, **parts))
        return seal_entry(
            encoded, self.zone, number or read.state.sequence + 1, epoch, read.keys[epoch],
            boxes or [], self.account.sign_seed, self.dice.randbytes(24),
        )

    def append(self, ahead: int = 0, read: ReadZone | None = None, **parts: Any) -> str:
        """Puts a commit into the next place, or so many places ahead, right or not; its key."""
        while True:
            now = read or self.read()
            number = now.state.sequence + 1 + ahead
            key = self.place(number, now.keys[now.state.header.epoch])
            stored = self.entry(now, number, **parts)
            # Where somebody honest was faster, anew behind them.
            if self.container.put_if_absent(key, stored) or read is not None:
                return key

    def put(self, number: int, stored: bytes, key: bytes | None = None) -> str:
        """Puts bytes into a place; its key."""
        place = self.place(number, key)
        self.container.put_if_absent(place, stored)
        return place

    def file(self, name: str, data: bytes = b"forged", **parts: Any) -> dict[str, Any]:
        """The parts of a commit that brings a small file."""
        return {**self.writer().file(name.encode(), data), **parts}


def change(**what: object) -> Message:
    """A change of the share."""
    return schema.make("ShareChange", **what)


def typed(name: str, about: bytes, act: int = 1, /, **values: bytes | int | str) -> Message:
    """A record of the account zone: `cairn.NAME`, about that."""
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
    """The entries of a person's chain, as they stand in the container."""
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
    """Who signs with the keys of that home."""
    account = intruder.account
    device = DeviceKeys(account.sign_seed, account.box_secret)
    entries = chain_entries(intruder.container, account.user)
    return Signer(account.user, device, list(account.encryption), account.origin, entries)


def stranger(world: World, handle: str, name: str) -> Signer:
    """Somebody whom nobody knows, with an identity in the container."""
    signer = Signer.new(random.Random(f"stranger {handle}"), handle, name, NOW)
    signer.put_start(Container(world.container))
    return signer


def put_by_hand(world: World, key: str, data: bytes) -> Path:
    """Writes a file as anybody can: over what is there, without any rule."""
    path = Path(world.container) / key
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_bytes(data)
    return path


def put_sparse(world: World, key: str, size: int) -> Path:
    """A file of that length that takes no room."""
    path = put_by_hand(world, key, b"")
    with path.open("r+b") as file:
        file.truncate(size)
    return path
