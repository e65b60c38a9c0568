"""Floors: the reader begins with the state that the writer gave, and with nothing else."""

import random
import tempfile
import unittest
from collections.abc import Callable
from dataclasses import replace

from cairn_format import schema
from cairn_format.container import zone_folder
from cairn_format.floor_writer import FloorWriter, writer_of
from cairn_format.keyring import Secrets
from cairn_format.log import place_name, seal_entry
from cairn_format.snapshot_state import DELETED, Version
from cairn_format.state import ROOT, Record, ZoneState
from cairn_format.state_digest import header_of, state_digest
from cairn_format.wire import Message
from cairn_format.zone_reader import ReadZone, ZoneReader
from cairn_format.zone_writer import DELETE, DIRECTORY, ZoneWriter
from test_round_trip import World, change

Harm = Callable[[ZoneState], None]


class Floors(unittest.TestCase):
    """A zone of Ana's that Bob is in. It has some files, and one was deleted."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.world = World(folder.name)
        self.zone = self.world.zone()
        for name in (b"a", b"b", b"gone"):
            self.zone.commit(**self.zone.file(name, name * 9))
        made = schema.make(
            "RecordChange", id=bytes([7]) * 16, act=1, kind=DIRECTORY,
            place=schema.make("Place", parent=ROOT, name=b"dir"),
        )
        self.zone.commit(records=[made])
        noise = random.Random(1).randbytes(90_000)
        self.zone.commit(**self.zone.file(b"c", noise, bytes([7]) * 16))
        gone = self.record(self.zone.read().state, b"gone")
        self.zone.commit(records=[schema.make("RecordChange", id=gone.id, act=DELETE)])
        ended = gone.changed._replace(
            sequence=self.zone.read().state.sequence, time=self.zone.time
        )
        self.version = Version(gone, ended, DELETED)

    @staticmethod
    def record(state: ZoneState, name: bytes) -> Record:
        return next(each for each in state.records.values() if each.name == name)

    def raise_floor(
        self, harm: Harm | None = None, bend: Callable[[Message], None] | None = None,
        by: ZoneWriter | None = None, versions: list[Version] | None = None,
    ) -> int:
        """Makes a checkpoint, and a floor there of its state, or of a state that `harm` has
        changed. Returns the place."""
        self.zone.commit(share=[change(checkpoint=True)])
        read = self.zone.read()
        at = read.state.sequence
        writer = writer_of(self.world.container, read, self.world.dice)
        if harm is not None:
            harm(read.state)
        header = header_of(read.state)
        if bend is not None:
            bend(header)
        kept = [self.version] if versions is None else versions
        snapshot = writer.snapshot(read.state, read.digests, kept, header)
        self.put_floor(writer, snapshot, by or self.zone)
        return at

    def put_floor(self, writer: FloorWriter, snapshot: Message, by: ZoneWriter) -> None:
        read = by.read()
        entry = by.commit(is_judged=False, share=[change(floor=writer.floor(snapshot))])
        writer.put(snapshot, entry, read.state.sequence + 1)

    def reader(self, keys: dict[int, bytes] | None = None) -> ZoneReader:
        ana = self.world.ana
        self.world.book.forget()
        return ZoneReader(
            self.world.container, self.zone.zone, self.zone.founder, keys or self.zone.keys,
            Secrets(ana.user, ana.encryption), self.world.book,
        )

    def sweep(self, below: int) -> None:
        """Deletes the entries before a place."""
        folder = zone_folder(self.zone.zone, self.zone.founder)
        for number in range(1, below):
            name = place_name(self.zone.keys[1], self.zone.zone, number)
            self.world.container.delete(f"{folder}/log/{name}")

    def test_a_newcomer_begins_at_a_floor(self) -> None:
        first = self.raise_floor()
        self.zone.commit(**self.zone.file(b"later", b"later"))
        at = self.raise_floor(versions=[])
        self.zone.commit(**self.zone.file(b"last", b"last"))
        by_entries = self.reader().read(from_floors=False)
        by_floor = self.reader().read()
        self.assertEqual((by_floor.floor, by_floor.held), (at, None))
        self.assertEqual(state_digest(by_floor.state), state_digest(by_entries.state))
        self.assertEqual(by_floor.past.versions if by_floor.past else None, [])
        # The highest floor isn't complete. The one below it is valid.
        self.world.container.delete(self.floor_key(at))
        lower = self.reader().read()
        self.assertEqual((lower.floor, lower.past and lower.past.versions), (first, [self.version]))
        self.assertEqual(state_digest(lower.state), state_digest(by_entries.state))
        self.sweep(first)
        swept = self.reader().read()
        self.assertEqual(state_digest(swept.state), state_digest(by_entries.state))
        self.assertEqual(self.reader().read(from_floors=False).state.sequence, 0)

    def floor_key(self, at: int) -> str:
        folder = f"{zone_folder(self.zone.zone, self.zone.founder)}/floors"
        name = next(
            each for each in self.world.container.names(folder) if each.startswith(f"{at:016x}")
        )
        return f"{folder}/{name}"

    def refused(self, read: ReadZone) -> None:
        self.assertIsNone(read.floor)

    def test_what_the_owner_says_is_a_state(self) -> None:
        """Only the digest shows a newcomer an altered state. A reader that has replayed the log
        refuses the floor, because it names another state."""

        def other_name(state: ZoneState) -> None:
            self.record(state, b"a").name = b"another"

        at = self.raise_floor(other_name)
        self.assertEqual(self.reader().read().floor, at)
        self.assertIn("a floor of another state", self.reader().read(from_floors=False).held or "")

    def test_what_is_no_state_is_no_floor(self) -> None:
        def entries(state: ZoneState) -> Record:
            return self.record(state, b"a")

        def without_root(state: ZoneState) -> None:
            del state.records[ROOT]

        def twice(state: ZoneState) -> None:
            entries(state).name = b"b"

        def nowhere(state: ZoneState) -> None:
            entries(state).parent = bytes([9]) * 16

        def below_a_file(state: ZoneState) -> None:
            entries(state).parent = self.record(state, b"b").id

        def in_a_circle(state: ZoneState) -> None:
            record = self.record(state, b"dir")
            record.parent = record.id

        def without_chunks(state: ZoneState) -> None:
            state.chunks = {}

        def deleted_and_there(state: ZoneState) -> None:
            state.deletions[entries(state).id] = 2

        def of_no_entry(state: ZoneState) -> None:
            record = entries(state)
            record.changed = record.changed._replace(sequence=2**64 - 1)

        harms = [
            without_root, twice, nowhere, below_a_file, in_a_circle, without_chunks,
            deleted_and_there, of_no_entry,
        ]
        for harm in harms:
            with self.subTest(harm.__name__):
                self.setUp()
                self.raise_floor(harm)
                self.refused(self.reader().read())

    def test_what_is_no_header_is_no_floor(self) -> None:
        bends: dict[str, dict[str, object]] = {
            "nobody founded it": {"founder": b""},
            "somebody else founded it": {"founder": bytes([1]) * 32},
            "nobody owns it": {"owner": b""},
            "it is public": {"kind": 2},
            "other bytes": {"bytes": 2**64 - 1},
            "no keys": {"keys": []},
            "of epoch 0": {"epoch": 0},
            "no checkpoint": {"checkpoints": []},
            "another checkpoint": {"checkpoints": [1]},
            "it ended": {"purged": True},
            "a newer Cairn's": {"carry": 8},
            "a past that nobody closed": {
                "closings": [schema.make("ClosedPast", place=1, epoch=1)]
            },
        }
        for name, parts in bends.items():
            with self.subTest(name):
                self.setUp()
                self.raise_floor(bend=lambda header, p=parts: header.parts.update(p))
                self.refused(self.reader().read())

    def test_what_is_none_of_the_past_is_no_floor(self) -> None:
        version = self.version
        wrong = {
            "it ended before it began": replace(version, ended=version.record.created),
            "it was nowhere": replace(version, record=replace(version.record, parent=None)),
            "it ended in no way": replace(version, ending=4),
            "it ended behind all": replace(version, ended=version.ended._replace(sequence=99)),
        }
        for name, each in wrong.items():
            with self.subTest(name):
                self.setUp()
                self.raise_floor(versions=[each])
                self.refused(self.reader().read())

    def test_a_floor_by_somebody_else_is_none(self) -> None:
        self.raise_floor(by=self.world.as_bob(self.zone))
        self.refused(self.reader().read())

    def test_a_log_under_an_old_key_is_none(self) -> None:
        """A founder who was removed goes on under the key that they have."""
        old = dict(self.zone.keys)
        at = self.raise_floor()
        self.zone.keys[2] = self.world.dice.randbytes(32)
        self.zone.commit(next_key=self.zone.keys[2])
        self.zone.commit(**self.zone.file(b"new", b"new"))
        right = state_digest(self.reader().read().state)
        # The earlier state, claimed to be at a place behind the end, and a log from there on.
        fork = self.reader(old).read().state
        fork.sequence, fork.header.epoch = fork.sequence + 9, 1
        fork.header.checkpoints, fork.header.floor = [fork.sequence], None
        writer = FloorWriter(
            self.world.container, self.zone.zone, self.zone.founder, 1, old[1], self.world.dice
        )
        snapshot = writer.snapshot(fork, {})
        body = self.zone.body(fork, share=[change(floor=writer.floor(snapshot))])
        number = fork.sequence + 1
        entry = seal_entry(
            schema.encode(body), self.zone.zone, number, 1, old[1], [],
            self.world.ana.device.seed, self.world.dice.randbytes(24),
        )
        folder = zone_folder(self.zone.zone, self.zone.founder)
        name = place_name(old[1], self.zone.zone, number)
        self.world.container.put_if_absent(f"{folder}/log/{name}", entry)
        writer.put(snapshot, entry, number)
        # A reader with the new key accepts the floor of epoch 1 that the log goes on from. So does
        # a reader who was away, because the end-of-epoch record says that the owner ended epoch 1.
        for keys in (self.zone.keys, old):
            read = self.reader(keys).read()
            self.assertEqual((read.floor, state_digest(read.state)), (at, right))
        self.sweep(at)
        self.assertEqual(state_digest(self.reader().read().state), right)

    def test_parts_that_were_altered_are_none(self) -> None:
        self.raise_floor()
        folder = f"{zone_folder(self.zone.zone, self.zone.founder)}/parts"
        for name in self.world.container.names(folder):
            key = f"{folder}/{name}"
            data = self.world.container.get(key) or b""
            for other in (data[:-1] + bytes([data[-1] ^ 1]), data[:30], b""):
                self.world.container.delete(key)
                self.world.container.put_if_absent(key, other)
                self.refused(self.reader().read())
            self.world.container.delete(key)
            self.world.container.put_if_absent(key, data)
        self.assertIsNotNone(self.reader().read().floor)
