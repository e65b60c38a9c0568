"""Attacks on the history, and on the log starts from which newcomers read."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import zstandard
from cairn_format import schema
from cairn_format.container import pack_key
from cairn_format.floor_writer import FloorWriter
from cairn_format.floors import COMPRESSED, NODE, floor_name, part_name, unseal_object
from cairn_format.hashes import H, n, unseal
from cairn_format.log import commitment_of, decode_entry, place_bytes
from cairn_format.problems import FormatProblem
from cairn_format.state import ROOT, ZoneState
from cairn_format.state_digest import header_of
from cairn_format.wire import Message

from .attack import attack
from .intruder import Intruder, change, put_by_hand
from .world import Believed, World

OLD_KEYS = (
    "A log or a log start that they continue with an old key is rejected, and keeps nobody "
    "out."
)


class Plunder:
    """Everything that some keys of a zone open in a container, as one text."""

    def __init__(self, thief: Intruder, keys: dict[int, bytes]) -> None:
        self._thief, self._keys = thief, keys
        self._objects = [
            each.read_bytes()
            for each in sorted(Path(thief.world.container).rglob("*")) if each.is_file()
        ]
        self._chunks: list[Message] = []
        texts = [*self._entries(), *self._parts()]
        self.text = b"\n".join([*texts, *self._contents()])

    def _entries(self) -> Iterator[bytes]:
        """Yields entries, wherever they are, and spare copies of entries."""
        entries = list(self._objects)
        for stored in self._objects:
            try:
                entries += schema.decode("LogCopies", stored).entries
            except FormatProblem:
                continue
        for stored in entries:
            try:
                entry = decode_entry(stored)
            except FormatProblem:
                continue
            key = self._keys.get(entry.epoch)
            zone = self._thief.zone
            wanted = key and commitment_of(key, zone, entry.epoch, entry.nonce)
            if key is None or entry.commitment != wanted:
                continue
            for number in range(1, 200):
                place = place_bytes(zone, number, entry.epoch, entry.key_boxes)
                sealing_key = H("cairn commit key v1", key)
                try:
                    plain = unseal(sealing_key, entry.nonce, "cairn commit v1", place, entry.sealed)
                except FormatProblem:
                    continue
                self._chunks += schema.decode(
                    "Commit", schema.decode("SignedCommit", plain).body
                ).chunks
                yield plain

    def _parts(self) -> Iterator[bytes]:
        """Yields snapshots, and all parts whose digest a snapshot contains, each opened with each
        key."""
        zone, container = self._thief.zone, self._thief.container
        folder, digests = self._thief.folder, set()
        for epoch, key in self._keys.items():
            for checkpoint in range(1, 200):
                name = floor_name(key, zone, checkpoint)
                stored = container.get(f"{folder}/floors/{name}")
                if stored is not None:
                    plain = unseal_object(key, zone, epoch, n(checkpoint), stored)
                    snapshot = schema.decode("Snapshot", plain)
                    digests |= set(snapshot.lists)
                    for hidden in snapshot.hidden:
                        digests |= {hidden.versions, hidden.chunks}
                    yield plain
        todo = list(digests)
        for digest in todo:
            for epoch, key in self._keys.items():
                stored = container.get(f"{folder}/parts/{part_name(key, zone, digest)}")
                if stored is None:
                    continue
                plain = unseal_object(key, zone, epoch, digest, stored)
                rest = plain[1:]
                if plain[0] == NODE:
                    todo += [rest[at : at + 32] for at in range(0, len(rest), 32)]
                    continue
                if plain[0] == COMPRESSED:
                    rest = zstandard.ZstdDecompressor().decompress(rest)
                self._chunks += schema.decode("StatePart", rest).chunks
                yield rest

    def _contents(self) -> Iterator[bytes]:
        """Yields the contents of packs, opened with the keys found so far. The rest is sealed."""
        for entry in self._chunks:
            place = schema.decode("ChunkPlace", entry.place)
            payload = place.inline or b""
            if place.which("position") == "pack":
                data = self._thief.container.get(
                    pack_key(place.pack.owner, entry.generation, entry.pack)
                )
                if data is None:
                    continue
                sealed = data[place.pack.offset : place.pack.offset + place.pack.length]
                payload = unseal(place.key, bytes(24), "cairn chunk v1", entry.name, sealed)
            if place.compression == 2:
                payload = zstandard.ZstdDecompressor().decompress(
                    payload, max_output_size=entry.size
                )
            yield payload


@attack(
    "who was invited from now on opens nothing of the past with all that they have",
    by="a participant who was invited with --from-now",
    promise="A person who was invited with --from-now, or by such a link, has no key to the "
    "history.",
    lifts=True,
)
def from_now(world: World) -> None:
    """Tries every key of Cleo's home on every object of the container. None opens contents that
    were replaced, deleted or renamed, small or large, or their ids and names."""
    world.sharing(bob="read-write")
    world.people("cleo")
    large = b"".join(b"large and old %d\n" % number for number in range(20_000))
    world.write("ana", "plans", "the first plans, 4711")
    world.write("ana", "of old", "deleted and secret")
    world.write("ana", "large", large)
    world.write("bob", "the former name", "it stays")
    world.settle("ana", "bob")
    world.write("ana", "plans", "the plans of today")
    world.write("ana", "large", "small by now")
    (Path(world.path("ana")) / "of old").unlink()
    (Path(world.path("bob")) / "the former name").rename(Path(world.path("bob")) / "the new name")
    world.settle("ana", "bob")
    link = world.run("ana", "share", "invite", "--from-now", world.path("ana"), "cleo")
    world.run("cleo", "share", "accept", link, "--at", world.path("cleo"), "--wait")
    world.note_daemons("cleo")
    world.write("ana", "plans", "the plans of tomorrow")
    world.settle("ana", "bob", "cleo")
    world.flows("ana", "bob", "cleo")
    bob = Intruder(world, "bob")
    world.run("ana", "share", "remove", world.path("ana"), "bob")
    world.write("ana", "plans", "the plans of the day after")
    world.settle("ana", "cleo")
    world.run("ana", "gc")
    again = world.say("ana", "share", "invite", world.path("ana"), "cleo")
    world.expect(again.status == 0, f"invited again: {again.all[:300]}")
    world.settle("ana", "cleo")
    cleo = Intruder(world, "cleo")
    keys = dict(cleo.read().keys)
    if world.is_lifted:
        keys.update(bob.keys)
    found = Plunder(cleo, keys).text
    for text in (
        b"the first plans, 4711", b"deleted and secret", b"of old", b"large and old 7\n",
        b"the former name",
    ):
        if text in found:
            raise Believed(f"Cleo reads {text!r}")
    for text in (b"the plans of the day after", b"the plans of today", b"the new name"):
        world.expect(text in found, f"the attack finds nothing: not even {text!r}")
    world.flows("ana", "cleo")
    world.in_order("ana", "cleo")


def forged_state(thief: Intruder, name: bytes = b"forged") -> ZoneState:
    """Returns the present state of the zone with one more file."""
    state = thief.read().state
    old = next(each for each in state.records.values() if each.content is not None)
    state.records[bytes([9]) * 16] = replace(old, id=bytes([9]) * 16, name=name, parent=ROOT)
    state.total += old.total()
    return state


def plant(
    thief: Intruder, state: ZoneState, signer: Intruder, epoch: int = 0,
    bend: Callable[[Message], None] | None = None,
) -> str:
    """Puts a log start of that state: its parts, its entry behind the state digest, and the record
    that announces it. Returns the key of the entry."""
    epoch = epoch or state.header.epoch
    key, founder = thief.keys[epoch], thief.founder
    writer = FloorWriter(thief.container, thief.zone, founder, epoch, key, thief.dice)
    state.header.checkpoints, state.header.floor = [state.sequence], None
    header = header_of(state)
    if bend is not None:
        bend(header)
    snapshot = writer.snapshot(state, thief.read().digests, header=header)
    read = signer.read()
    read.state.sequence, read.state.head = state.sequence, state.head
    number = state.sequence + 1
    stored = signer.entry(
        read, number, epoch, share=[change(floor=writer.floor(snapshot))]
    )
    place = thief.put(number, stored, key)
    checkpoint = schema.decode("StateHeader", snapshot.header).sequence
    stands = f"{thief.folder}/floors/{floor_name(key, thief.zone, checkpoint)}"
    thief.container.delete(stands)
    writer.put(snapshot, stored, number)
    return place


@attack(
    "a floor by somebody whose zone it isn't is begun with by nobody",
    by="a participant who can edit",
    promise="That a new participant can check the time before they joined.",
    lifts=True,
)
def floor_of_a_participant(world: World) -> None:
    """Mel writes an entry, and a log start there, with a state that contains a forged file. A
    newcomer begins with the state that the log gives. With the owner's key the forgery would
    succeed."""
    world.sharing(bob="read-write", mel="read-write")
    world.people("cleo")
    link = world.run("ana", "share", "invite", world.path("ana"), "cleo")
    mel = Intruder(world, "mel")
    mel.append(**mel.file("of mel", b"of mel"))
    world.never("forged", "ana", "bob", "cleo")
    signer = Intruder(world, "ana") if world.is_lifted else mel
    place = plant(mel, forged_state(mel), signer)
    if world.is_lifted:
        world.say("cleo", "share", "accept", link, "--at", world.path("cleo"), "--wait")
        world.eventually("cleo begins with it", lambda: False)
    world.held(place, "ana", "bob")
    world.run("cleo", "share", "accept", link, "--at", world.path("cleo"), "--wait")
    world.note_daemons("cleo")
    world.flows("ana", "bob", "cleo")
    world.forget("cleo")
    world.flows("ana", "bob", "cleo")
    world.in_order("ana", "bob", "cleo")


@attack(
    "what a founder who was removed goes on with under an old key is begun with by nobody",
    by="a founder who transferred the share and was removed",
    promise=OLD_KEYS,
)
def floor_of_a_former_founder(world: World) -> None:
    """Ana founded a zone that Bob owns now, and she is removed. Newcomers are told that she founded
    it. She puts log starts behind the end of the epoch that she has the key for: one alone, and one
    with a log behind it."""
    world.sharing(bob="read-write")
    world.people("cleo", "dan")
    world.run("ana", "share", "transfer", world.path("ana"), "bob")
    world.settle("ana", "bob")
    world.run("bob", "share", "transfer", world.path("bob"), "--accept")
    world.settle("ana", "bob")
    ana = Intruder(world, "ana")
    state = forged_state(ana)
    old = state.header.epoch
    world.run("bob", "share", "remove", world.path("bob"), "ana")
    world.write("bob", "after", "after")
    world.settle("bob")
    world.never("forged", "bob", "cleo", "dan")
    state.header.owner, state.header.share = world.user("ana"), None
    state.header.keys = {world.user("ana"): state.header.keys[world.user("ana")]}
    for who, begin, length in (("cleo", 20, 0), ("dan", 40, 30)):
        state.sequence += begin
        plant(ana, state, ana, epoch=old)
        last = ana.container.get(ana.place(state.sequence + 1, ana.keys[old])) or b""
        for number in range(state.sequence + 2, state.sequence + 2 + length):
            read = ana.read()
            read.state.sequence, read.state.head = number - 1, H("cairn entry v1", last)
            last = ana.entry(read, number, old)
            ana.put(number, last, ana.keys[old])
        link = world.run("bob", "share", "invite", world.path("bob"), who)
        world.run(who, "share", "accept", link, "--at", world.path(who), "--wait")
        world.note_daemons(who)
        world.eventually(f"{who} has what was written after", lambda w=who: world.has(w, "after"))
        world.flows("bob", who)
        world.forget(who)
        world.flows("bob", who)
    world.in_order("bob", "cleo", "dan")


@attack(
    "floors of states that can't be end nobody's program, and nobody begins with them",
    by="the owner of a share, with a program of their own",
    promise="Their data can't crash a program.",
)
def floors_that_cannot_be(world: World) -> None:
    """Plays impossible states: no root, a directory in itself, two records of one name, numbers at
    either end, no founder. The owner has signed each log start. A reader who reads from the
    beginning names the entry, and goes on once it is taken away."""
    world.sharing(bob="read-write", cleo="read-write")
    (Path(world.path("ana")) / "dir").mkdir()
    world.settle("ana", "bob", "cleo")
    world.run("ana", "stop")
    world._daemons.pop("ana")

    def without_root(state: ZoneState) -> None:
        del state.records[ROOT]

    def in_itself(state: ZoneState) -> None:
        directory = next(each for each in state.records.values() if each.name == b"dir")
        directory.parent = directory.id

    def twice(state: ZoneState) -> None:
        state.records[bytes([8]) * 16] = replace(
            next(each for each in state.records.values() if each.content is not None),
            id=bytes([8]) * 16,
        )

    ends = 2**64 - 1
    floor = schema.make("Floor", checkpoint=ends, digest=bytes(32), forgotten=ends, past=bytes(32))
    bends: list[tuple[Callable[[ZoneState], None] | None, dict[str, object]]] = [
        (without_root, {}), (in_itself, {}), (twice, {}), (None, {"founder": b""}),
        (None, {"owner": b"", "share": None}), (None, {"floor": floor}),
        (None, {"checkpoints": [ends]}), (None, {"sequence": ends}),
        (None, {"closings": [schema.make("ClosedPast", place=ends, epoch=ends)]}),
    ]
    for harm, parts in bends:
        ana = Intruder(world, "ana")
        state = forged_state(ana, b"another")
        if harm is not None:
            harm(state)
        world.never("another", "bob", "cleo")
        place = plant(ana, state, ana, bend=lambda header, p=parts: header.parts.update(p))
        world.forget("bob")
        world.say("bob", "wait", "--timeout", "5")
        for command in ("verify", "status", "gc"):
            world.say("bob", command)
        world.daemons_live()
        world.look()
        world.repaired("bob")
        world.eventually(
            "it is taken away", lambda p=place: not (Path(world.container) / p).exists()
        )
        world.flows("bob", "cleo")
    put_by_hand(world, f"{ana.folder}/floors/{'f' * 32}", b"rubbish")
    for number in range(3_000):
        put_by_hand(world, f"{ana.folder}/floors/{number:032x}", b"")
    world.forget("bob")
    world.flows("bob", "cleo")
    world.in_order("bob", "cleo")
