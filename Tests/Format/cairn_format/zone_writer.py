"""WRITING: a zone's entries, sealed and signed, put if absent into a container."""

import random
from typing import Any

from . import schema
from .account import Book, account_key, account_nonce, public_zone, record_id
from .container import Container, pack_key, public_folder, zone_folder
from .contents import chunk_name, content_id, cut, pack_of, payload_of, seal_chunk
from .fold import judge, zone_id
from .keyring import Secrets
from .log import boxes_for, copy_name, end_name, entry_digest, next_key_of, place_name
from .log import public_place_name, seal_entry
from .people import lock_of
from .problems import Invalid
from .signers import Signer
from .state import ROOT, ZoneState
from .wire import Message
from .zone_reader import ReadZone, ZoneReader

CREATE, UPDATE, DELETE = 1, 2, 3
FILE, DIRECTORY, SYMLINK, TYPED, REFERENCE = 1, 2, 3, 4, 5
INLINE_LIMIT = 65536


class ZoneWriter:
    """Writes to a zone with one signer's device. It reads the zone first, as the page requires."""

    def __init__(
        self, container: Container, book: Book, signer: Signer, zone: bytes,
        founder: bytes, keys: dict[int, bytes], dice: random.Random,
        first_lock: bytes | None = None,
    ) -> None:
        self.container, self.book, self.signer = container, book, signer
        self.zone, self.founder, self.keys, self.dice = zone, founder, keys, dice
        self.first_lock = first_lock  # of a public zone
        self.time = 1_700_000_000_000_000_000

    @staticmethod
    def found(
        container: Container, book: Book, signer: Signer, name: str, dice: random.Random,
        nonce: bytes | None = None, key: bytes | None = None, **parts: Any,
    ) -> "ZoneWriter":
        """Creates a new zone of the signer's, with its first entry."""
        nonce = nonce or dice.randbytes(16)
        zone = zone_id(signer.user, nonce)
        writer = ZoneWriter(
            container, book, signer, zone, signer.user, {1: key or dice.randbytes(32)}, dice
        )
        genesis = schema.make("Genesis", owner=signer.user, name=name, nonce=nonce)
        writer.commit(genesis=genesis, keys=[member(signer)], **parts)
        return writer

    @staticmethod
    def found_account(
        container: Container, book: Book, signer: Signer, dice: random.Random
    ) -> "ZoneWriter":
        """Creates the person's account zone."""
        first = signer.encryption[0]
        return ZoneWriter.found(
            container, book, signer, "account", dice, account_nonce(first), account_key(first)
        )

    def read(self) -> ReadZone:
        """Reads the zone as this signer can."""
        self.book.forget()
        secrets = Secrets(self.signer.user, list(reversed(self.signer.encryption)))
        reader = ZoneReader(
            self.container, self.zone, self.founder, self.keys, secrets, self.book,
            first_lock=self.first_lock,
        )
        return reader.read()

    @staticmethod
    def publish(
        container: Container, book: Book, signer: Signer, dice: random.Random
    ) -> "ZoneWriter":
        """Creates the signer's public zone: begun in their chain, and with its first entry."""
        zone, key = public_zone(container.identify(), signer.user)
        lock = lock_of(public_place_name(signer.encryption[-1], zone, 1))
        begun = schema.make("IdentityPublicLog", lock=lock)
        signer.append(container, signer.entry(1_700_000_000_000_000_000, begin_public=begun))
        writer = ZoneWriter(container, book, signer, zone, signer.user, {1: key}, dice, lock)
        genesis = schema.make("Genesis", owner=signer.user, name="Public", nonce=bytes(16))
        writer.commit(genesis=genesis)
        return writer

    def public_place(self, number: int) -> str:
        """The key of the signer's entry at that place of a public zone."""
        name = public_place_name(self.signer.encryption[-1], self.zone, number)
        return f"{public_folder(self.founder)}/{name}"

    # --- one entry

    def body(self, state: ZoneState, **parts: Any) -> Message:
        """Returns a commit behind that state."""
        self.time += 1_000_000_000
        if self.first_lock is not None:
            name = self.public_place(state.sequence + 2).rsplit("/", 1)[-1]
            parts = {"lock": lock_of(name), **parts}
        return schema.make(
            "Commit",
            previous=state.head,
            user=self.signer.user,
            device=self.signer.device.id,
            time=self.time,
            chain=self.signer.head,
            **parts,
        )

    def seal(
        self, read: ReadZone, commit: Message, next_key: bytes | None = None, sequence: int = 0
    ) -> bytes:
        """Returns an entry for the next place, with exactly the boxes that the state needs."""
        state, epoch = read.state, read.state.header.epoch
        boxes: list[bytes] = []
        if next_key is not None:
            commit.parts["next_key"] = next_key_of(next_key, self.zone, epoch)
            boxes = boxes_for(next_key, judge(state, commit, epoch).recipients())
        return seal_entry(
            schema.encode(commit), self.zone, sequence or state.sequence + 1, epoch,
            read.keys[epoch], boxes, self.signer.device.seed, self.dice.randbytes(24),
        )

    def commit(self, next_key: bytes | None = None, is_judged: bool = True, **parts: Any) -> bytes:
        """Reads to the end, judges the entry, and puts it. Returns the stored bytes."""
        read = self.read()
        if read.held:
            raise Invalid(f"the log is held: {read.held}")
        commit = self.body(read.state, **parts)
        if is_judged and next_key is None:  # with a key, `seal` judges
            judge(read.state, commit, read.state.header.epoch)
        stored = self.seal(read, commit, next_key)
        self.put(read, stored)
        if next_key is not None:
            self._put_end(read, stored)
        return stored

    def _put_end(self, read: ReadZone, stored: bytes) -> None:
        """Puts the end-of-epoch record."""
        number = read.state.sequence + 1
        name = end_name(read.keys[read.state.header.epoch], self.zone)
        mark = schema.make("LogCopies", format=1, entries=[stored], place=number)
        folder = f"{zone_folder(self.zone, self.founder)}/copies"
        self.container.put_if_absent(f"{folder}/{name}", schema.encode(mark))

    def put(self, read: ReadZone, stored: bytes) -> None:
        """Puts an entry at the next place if absent. The place behind it must be free, too."""
        key, number = read.keys[read.state.header.epoch], read.state.sequence + 1
        if self.first_lock is not None:
            if not self.container.put_if_absent(self.public_place(number), stored):
                raise Invalid("the place is taken")
            return
        folder = f"{zone_folder(self.zone, self.founder)}/log"
        if self.container.get(f"{folder}/{place_name(key, self.zone, number + 1)}") is not None:
            raise Invalid("something is missing at the next place")
        if not self.container.put_if_absent(
            f"{folder}/{place_name(key, self.zone, number)}", stored
        ):
            raise Invalid("the place is taken")

    def put_copy(self, key: bytes, entries: list[bytes], place: int) -> None:
        """Puts a spare copy of consecutive entries, with the last one at that place, under the
        first free number."""
        digest = entry_digest(entries[-1])
        copies = schema.make("LogCopies", format=1, entries=entries, place=place)
        data = schema.encode(copies)
        folder = f"{zone_folder(self.zone, self.founder)}/copies"
        for i in range(8):
            name = copy_name(key, self.zone, digest, i)
            if self.container.put_if_absent(f"{folder}/{name}", data):
                return

    # --- contents

    def file(
        self, name: bytes, data: bytes, parent: bytes = ROOT, executable: bool = False
    ) -> dict[str, list[Message]]:
        """Returns the parts of a commit that adds a file. A large file goes into packs first."""
        chunks, names, sealed = [], b"", []
        offset, pack = 0, self.dice.randbytes(16)
        owner = self.founder
        is_packed = len(data) > INLINE_LIMIT
        generation = self.read().state.header.generation if is_packed else 0
        if self.first_lock is not None:
            generation = 1
        for plain in cut(data):
            payload, compression = payload_of(plain)
            digest = chunk_name(plain)
            names += digest
            if not is_packed:
                place = schema.make("ChunkPlace", inline=payload, compression=compression)
            else:
                key = self.dice.randbytes(32)
                sealed.append(seal_chunk(key, digest, payload))
                position = schema.make(
                    "PackRange", owner=owner, offset=offset, length=len(sealed[-1])
                )
                offset += len(sealed[-1])
                place = schema.make(
                    "ChunkPlace", pack=position, key=key, compression=compression
                )
            entry = schema.make("ChunkEntry", name=digest, size=len(plain))
            entry.parts["place"] = schema.encode(place)
            if is_packed:
                entry.parts.update(pack=pack, generation=generation)
            chunks.append(entry)
        if sealed:
            filler = self.dice.randbytes(max(4096, offset // 8))
            key = pack_key(owner, generation, pack)
            self.container.put_if_absent(key, pack_of(sealed, filler))
        record = schema.make(
            "RecordChange",
            id=self.dice.randbytes(16),
            act=CREATE,
            kind=FILE,
            place=schema.make("Place", parent=parent, name=name),
            content=schema.make(
                "Content", id=content_id(len(data), names), size=len(data), chunks=names
            ),
            attributes=schema.make("Attributes", executable=executable, modified=self.time),
        )
        return {"chunks": chunks, "records": [record]}

    # --- the account zone

    def note_zone(
        self, zone: bytes, owner: bytes, scope: str, keys: dict[int, bytes]
    ) -> Message:
        """Returns a `cairn.zone` record."""
        ring = schema.make(
            "Keyring",
            keys=[schema.make("EpochKey", epoch=epoch, key=keys[epoch]) for epoch in sorted(keys)],
        )
        fields = [
            schema.make("Field", name="founder", data=self.founder),
            schema.make("Field", name="keys", data=schema.encode(ring)),
            schema.make("Field", name="owner", data=owner),
            schema.make("Field", name="scope", text=scope),
            schema.make("Field", name="zone", data=zone),
        ]
        return schema.make(
            "RecordChange",
            id=record_id("zone", zone),
            act=CREATE,
            kind=TYPED,
            type_name="cairn.zone",
            fields=fields,
        )


def member(signer: Signer) -> Message:
    """Returns a signer's own key, as a commit adds it."""
    return schema.make("MemberKey", user=signer.user, key=signer.key)
