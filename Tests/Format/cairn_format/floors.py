"""Floors: their snapshots, the choice of a floor, and the state and past versions in a snapshot."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import zstandard

from . import schema
from .container import Container
from .hashes import H, n, unseal
from .log import Opened
from .problems import Invalid
from .snapshot_state import ListTaker, Version, check_past, header_from, state_from
from .state import ZoneState
from .state_digest import list_digest, state_digest, version_of
from .wire import Message

MAXIMUM_PART, MAXIMUM_SNAPSHOT = 16778240, 50331648
STEP = 1024  # the distance of the listed places with digests
LISTS = ("records", "deletions", "chunks", "packs", "versions")
PLAIN, COMPRESSED, NODE = 0, 1, 2
_NAME = re.compile(r"[0-9a-f]{32}\Z")


def floor_name(key: bytes, zone: bytes, checkpoint: int) -> str:
    """`name of a Snapshot`."""
    digest = H("cairn floor v1", key, zone, n(checkpoint))
    return (n(checkpoint) + digest[:8]).hex()


def part_name(key: bytes, zone: bytes, digest: bytes) -> str:
    """`name of a part`."""
    return H("cairn part name v1", key, zone, digest).hex()


def unseal_object(key: bytes, zone: bytes, epoch: int, about: bytes, stored: bytes) -> bytes:
    """Opens an object that was sealed for a snapshot."""
    sealing_key = H("cairn snapshot key v1", key)
    parts = zone + n(epoch) + about
    return unseal(sealing_key, stored[:24], "cairn snapshot v1", parts, stored[24:])


def count_of_places(last: int) -> int:
    """The number of listed places. They may be listed only once this number is known to be
    right."""
    recent = last - min(last, STEP)
    return recent // STEP + last - recent


def listed_places(last: int) -> list[int]:
    """The places with digests in `places`: each multiple of 1024, and the last 1024 places."""
    recent = last - min(last, STEP)
    return [*range(STEP, recent + 1, STEP), *range(recent + 1, last + 1)]


@dataclass
class Hidden:
    """The part that is sealed under the key of an epoch that ended with a closing."""

    versions: list[Version]
    chunks: dict[bytes, Message]


@dataclass
class Past:
    """The past versions in a snapshot."""

    versions: list[Version]
    hidden: dict[int, Hidden] = field(default_factory=dict)
    closed: list[int] = field(default_factory=list)  # epochs whose key the reader doesn't have


@dataclass
class Told:
    """The name of a floor, as one key of an epoch gives it."""

    checkpoint: int
    epoch: int
    name: str


@dataclass
class Floor:
    """A valid floor (F2), with the state from which its reader begins."""

    told: Told
    place: int  # of the floor's entry
    state: ZoneState
    past: Past
    digests: dict[int, bytes]  # of the listed places
    first: bytes


class FloorReader:
    """Reads the floors of one zone with the given keys."""

    def __init__(
        self, container: Container, folder: str, zone: bytes, founder: bytes,
        keys: dict[int, bytes],
    ) -> None:
        self._container, self._folder = container, folder
        self._zone, self._founder, self._keys = zone, founder, keys

    def told(self) -> list[Told]:
        """F1: returns all floors whose names one of the keys gives. The newest epoch is first, and
        in each epoch the highest checkpoint."""
        found = []
        for name in self._container.names(f"{self._folder}/floors"):
            checkpoint = int(name[:16], 16) if _NAME.match(name) else 0
            for epoch, key in self._keys.items():
                if checkpoint and floor_name(key, self._zone, checkpoint) == name:
                    found.append(Told(checkpoint, epoch, name))
        return sorted(found, key=lambda each: (each.epoch, each.checkpoint), reverse=True)

    def read(
        self, told: Told, open_at: Callable[[int, bytes], Opened | None],
        may_raise: Callable[[Opened, int], bool], anchor: tuple[int, bytes] | None,
    ) -> Floor:
        """Returns the floor if it is valid. Raises otherwise.

        `open_at` returns the entry of a place if it is that entry. `may_raise` returns true if its
        author may raise a floor there.
        """
        key = self._keys[told.epoch]
        stored = self._container.get(f"{self._folder}/floors/{told.name}") or b""
        if len(stored) > MAXIMUM_SNAPSHOT:
            raise Invalid("what tells of a floor, and is too long")
        plain = unseal_object(key, self._zone, told.epoch, n(told.checkpoint), stored)
        snapshot = schema.decode("Snapshot", plain)
        header = schema.decode("StateHeader", snapshot.header)
        self._check(told, snapshot, header)
        opened = open_at(snapshot.place, snapshot.entry)
        if opened is None or opened.epoch != told.epoch or not may_raise(opened, snapshot.place):
            raise Invalid("a floor whose entry doesn't stand, or is by somebody who may not")
        digest = H("cairn state v1", *snapshot.lists[:4], snapshot.header)
        past = _digest_of_past(snapshot)
        floors = [each.floor for each in opened.commit.share if each.floor is not None]
        if (told.checkpoint, digest, past) not in [
            (each.checkpoint, each.digest, each.past) for each in floors
        ]:
            raise Invalid("a floor that its entry doesn't tell of")
        digests = _digests_of(snapshot.places, told.checkpoint)
        if anchor is not None and digests.get(anchor[0], anchor[1]) != anchor[1]:
            raise Invalid("a floor of a log that doesn't come by the anchor")
        state, kept = self._state(told, snapshot, header, digest)
        state.checkpoint_digests = {told.checkpoint: digest}
        return Floor(told, snapshot.place, state, kept, digests, snapshot.first)

    def _check(self, told: Told, snapshot: Message, header: Message) -> None:
        """Checks the rules that a snapshot must keep by itself."""
        is_whole = snapshot.format == 1 and [len(each) for each in snapshot.lists] == [32] * 5
        if not is_whole or header.sequence != told.checkpoint or header.zone != self._zone:
            raise Invalid("what tells of a floor, and isn't whole")
        if header.epoch != told.epoch or snapshot.place <= told.checkpoint:
            raise Invalid("a floor whose entry stands in another epoch, or before its checkpoint")
        if len(snapshot.places) != 32 * count_of_places(told.checkpoint):
            raise Invalid("other places than should be listed")
        if any(len(each.versions + each.chunks) != 64 for each in snapshot.hidden):
            raise Invalid("what is hidden, without its digests")
        if [each.epoch for each in snapshot.hidden] != [each.epoch for each in header.closings]:
            raise Invalid("a past that was closed elsewhere than the header says")

    # --- the parts

    def _state(
        self, told: Told, snapshot: Message, header: Message, digest: bytes
    ) -> tuple[ZoneState, Past]:
        read = {
            name: self._list(name, each, told.epoch, header)
            for name, each in zip(LISTS, snapshot.lists, strict=True)
        }
        state = state_from(self._zone, header_from(header, self._founder), header, read)
        if state_digest(state) != digest:
            raise Invalid("a state of another digest than its parts make")
        _check_versions(read["versions"], snapshot.lists[4])
        past = Past(read["versions"])
        places = [0, *(each.place for each in header.closings)]
        for before, closing, hidden in zip(places, header.closings, snapshot.hidden):
            if hidden.epoch not in self._keys:
                past.closed.append(hidden.epoch)
                continue
            versions = self._list("versions", hidden.versions, hidden.epoch, header)
            _check_versions(versions, hidden.versions)
            chunks = self._list("chunks", hidden.chunks, hidden.epoch, header)
            past.hidden[hidden.epoch] = Hidden(versions, {each.name: each for each in chunks})
            if not all(before < each.ended.sequence <= closing.place for each in versions):
                raise Invalid("a version that is hidden with another closing than its own")
        if not all(each.ended.sequence > places[-1] for each in past.versions):
            raise Invalid("a version that should be hidden")
        if not past.closed:
            hidden_chunks = [each.chunks for each in past.hidden.values()]
            for kept in (past.versions, *(each.versions for each in past.hidden.values())):
                check_past(kept, state.chunks, *hidden_chunks)
        return state, past

    def _list(self, name: str, digest: bytes, epoch: int, header: Message) -> list[object]:
        taker = ListTaker(name, header)
        self._walk(digest, epoch, "", taker)
        return taker.elements

    def _walk(self, digest: bytes, epoch: int, digits: str, taker: ListTaker) -> None:
        form, rest = self._piece(digest, epoch)
        if form != NODE:
            if H("cairn state part v1", rest) != digest:
                raise Invalid("a part of another digest")
            taker.take(rest, digits)
            return
        if len(rest) != 16 * 32 or H("cairn state node v1", rest) != digest or len(digits) >= 64:
            raise Invalid("a node of another digest, or too deep")
        for digit in range(16):
            below = rest[32 * digit : 32 * digit + 32]
            self._walk(below, epoch, digits + f"{digit:x}", taker)

    def _piece(self, digest: bytes, epoch: int) -> tuple[int, bytes]:
        key = self._keys[epoch]
        name = part_name(key, self._zone, digest)
        stored = self._container.get(f"{self._folder}/parts/{name}")
        if stored is None or len(stored) > MAXIMUM_PART + 41:
            raise Invalid(f"the part {name} isn't there, or is too long")
        plain = unseal_object(key, self._zone, epoch, digest, stored)
        form, rest = plain[0] if plain else None, plain[1:]
        if form == COMPRESSED:
            return PLAIN, _unpacked(rest)
        if form not in (PLAIN, NODE) or len(rest) > MAXIMUM_PART:
            raise Invalid("a part of no form, or one that is too long")
        return form, rest


def _unpacked(frame: bytes) -> bytes:
    try:
        size = zstandard.frame_content_size(frame)
        if not 0 <= size <= MAXIMUM_PART:
            raise Invalid("a part that doesn't tell its size, or is too long")
        return zstandard.ZstdDecompressor().decompress(frame, max_output_size=max(size, 1))
    except zstandard.ZstdError as error:
        raise Invalid("a part that doesn't unpack") from error


def _digest_of_past(snapshot: Message) -> bytes:
    hidden = [n(each.epoch) + each.versions + each.chunks for each in snapshot.hidden]
    return H("cairn floor past v1", snapshot.lists[4], snapshot.places, *hidden)


def _digests_of(places: bytes, last: int) -> dict[int, bytes]:
    listed = [places[at : at + 32] for at in range(0, len(places), 32)]
    found = dict(zip(listed_places(last), listed, strict=True))
    return {place: digest for place, digest in found.items() if any(digest)}


def _check_versions(versions: Iterable[Version], digest: bytes) -> None:
    """Checks that the list's digest follows from the page's rule, so that the list is cut in no
    other way."""
    elements = [
        (each.record.id + n(each.record.changed.sequence), version_of(each)) for each in versions
    ]
    if list_digest("versions", elements) != digest:
        raise Invalid("versions of another digest than they make")
