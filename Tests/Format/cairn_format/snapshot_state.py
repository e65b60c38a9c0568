"""The state of a zone, decoded from its only encoding in a snapshot. Each element must be a
possible result of entries up to the checkpoint, and all of them together must keep the rules of a
tree."""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from . import schema
from .bounds import EXTENDED, KINDS, MAXIMUM_TITLE, MODE, check_content, check_value, is_name, need
from .fold_records import check_created, check_extended, check_field, check_target
from .problems import Invalid
from .state import ADMINISTRATOR, INVITED, JOINED, ROOT
from .state import Header, Link, Participant, Record, Share, Stamp, ZoneState
from .state_digest import header_of
from .wire import Message

MAXIMUM_CHECKPOINTS, MAXIMUM_CLOSINGS = 64, 256
ROLES = {2: ADMINISTRATOR, 3: INVITED, 4: JOINED}
CHANGED, MOVED, DELETED = 1, 2, 3


@dataclass
class Version:
    """A past state of a record, and the commit that ended it."""

    record: Record
    ended: Stamp
    ending: int


# --- the header


def header_from(wire: Message, founder: bytes) -> Header:
    """Decodes the header of a zone with that founder, as it is after the place that the header
    names."""
    need(wire.kind == 1 and len(wire.zone) == 32 and len(wire.head) == 32, "a header of no zone")
    need(wire.sequence >= 1 and 1 <= wire.epoch < 2**63, "a header of no place, or no epoch")
    need(wire.founder == founder and len(wire.owner) == 32, "a header of somebody else's zone")
    need(len(wire.name.encode()) <= MAXIMUM_TITLE, "a name that is too long")
    need(not wire.lock and not wire.purged, "a header of a public zone, or of one that ended")
    need(wire.carry & ~(MODE | EXTENDED) == 0, "a zone that carries what nobody knows")
    header = Header(founder=wire.founder, owner=wire.owner, name=wire.name, epoch=wire.epoch)
    header.share = _share_from(wire.share, wire) if wire.share is not None else None
    header.quota, header.is_due = wire.quota, wire.key_due
    header.minimum_version, header.carry = wire.minimum_version, wire.carry
    header.generation, header.history = wire.generation, wire.history
    for each in wire.revoked:
        need(len(each.user) == 32 and len(each.device) == 16, "a device without an id")
        header.revoked.add((each.user, each.device))
    for each in wire.keys:
        need(len(each.user) == 32 and len(each.key) == 32, "the key of a member")
        header.keys[each.user] = each.key
    members = {wire.owner, *(header.share.participants if header.share is not None else ())}
    need(set(header.keys) == members, "a member without a key, or a key of somebody else")
    header.checkpoints = list(wire.checkpoints)
    need(0 < len(header.checkpoints) <= MAXIMUM_CHECKPOINTS, "too many checkpoints, or none")
    need(header.checkpoints[-1] == wire.sequence, "a header of what is no checkpoint")
    if wire.floor is not None:
        floor = wire.floor
        need(len(floor.digest) == 32 and len(floor.past) == 32, "a floor")
        need(floor.forgotten <= floor.checkpoint < header.checkpoints[0], "a floor above the state")
        header.floor = (floor.checkpoint, floor.digest, floor.forgotten, floor.past)
    for closing in wire.closings:
        place, epoch = header.closings[-1] if header.closings else (0, 0)
        is_right = place < closing.place <= wire.sequence and epoch < closing.epoch < wire.epoch
        need(is_right, "a past that was closed where it can't have been")
        header.closings.append((closing.place, closing.epoch))
    need(len(header.closings) <= MAXIMUM_CLOSINGS, "a past that was closed too often")
    return header


def _share_from(wire: Message, header: Message) -> Share:
    need(bool(wire.title) and wire.public_permission in (1, 2, 3), "a share that is none")
    need(len(wire.title.encode()) <= MAXIMUM_TITLE, "a title that is too long")
    need(wire.changed is not None, "a share that nobody made")
    share = Share(wire.title, stamp_from(wire.changed, header.sequence), wire.public_permission)
    share.access_requests = 2 if wire.access_requests else 1
    for each in wire.participants:
        need(len(each.user) == 32 and each.user != header.owner, "a participant without an id")
        need(each.role in ROLES and each.permission in (1, 2, 3), "a participant that is none")
        share.participants[each.user] = Participant(
            ROLES[each.role], each.permission, each.accepted, each.first_epoch
        )
    for each in wire.links:
        need(len(each.id) == 32 and len(each.box_key) == 32, "a link without its keys")
        need(each.permission in (1, 2, 3), "the permission of a link")
        share.links[each.id] = Link(
            each.box_key, each.one_time, each.permission, each.expires, each.first_epoch
        )
    need(all(len(user) == 32 for user in wire.blocked), "who is blocked")
    share.blocked = set(wire.blocked)
    policy = wire.policy
    need(policy is not None and policy.access in (1, 2, 3), "a policy")
    need(policy.permission in (0, 1, 2, 3), "a policy")
    share.access, share.only_permission = policy.access, policy.permission
    share.participants_invite = policy.participants_invite
    offered = share.participants.get(wire.offered)
    need(not wire.offered or offered is not None and offered.is_accepted, "an offer to nobody")
    share.offered = wire.offered
    return share


def stamp_from(wire: Message | None, last: int) -> Stamp:
    """Decodes the stamp of a commit, which must be one of those up to the checkpoint."""
    need(wire is not None and 0 < wire.sequence <= last, "of no entry up to the checkpoint")
    if wire is None or len(wire.user) != 32 or len(wire.device) != 16:
        raise Invalid("an author without an id")
    return Stamp(wire.sequence, wire.user, wire.device, wire.time)


# --- the lists


class ListTaker:
    """Takes the parts of one list. Its elements ascend, and are of the list's own kind."""

    def __init__(self, name: str, header: Message) -> None:
        self._name = name
        self._header = header
        self._last = b""
        self.elements: list[Any] = []

    def take(self, part: bytes, digits: str) -> None:
        """Takes the elements of a part. Their ids must begin with these digits."""
        message = schema.decode("StatePart", part)
        need(not message.extra, "a part with what nobody knows")
        for other in ("records", "deletions", "chunks", "packs", "versions"):
            need(other == self._name or not getattr(message, other), "a part of another list")
        for each in getattr(message, self._name):
            element = getattr(self, "_" + self._name)(each)
            key = self._key(element)
            need(key > self._last, "elements that aren't ascending")
            need(key.hex().startswith(digits), "an element in another part than it should")
            self._last = key
            self.elements.append(element)

    def _key(self, element: Any) -> bytes:
        match element:
            case Version(): return element.record.id + element.record.changed.sequence.to_bytes(8)
            case Record(): return element.id
            case (bytes() as id, int()): return id
            case bytes(): return element
            case _: return element.name

    def _records(self, wire: Message) -> Record:
        record = record_from(wire, self._header.sequence)
        is_root = record.kind == "directory" and record.parent is None
        need((record.id == ROOT) == is_root, "a root that is none")
        return record

    def _deletions(self, wire: Message) -> tuple[bytes, int]:
        need(len(wire.id) == 16 and wire.id != ROOT, "the deletion of no record")
        need(0 < wire.sequence <= self._header.sequence, "a deletion by no entry")
        return wire.id, wire.sequence

    def _chunks(self, wire: Message) -> Message:
        need(len(wire.name) == 32 and len(wire.pack) in (0, 16), "the name of a chunk")
        need(not wire.again, "a chunk that comes again")
        need(not wire.after, "a chunk that says what is before it")
        need(bool(wire.pack) or wire.generation == 0, "a generation without a pack")
        need(wire.generation <= self._header.generation + 1, "a pack that nobody has opened")
        return wire

    @staticmethod
    def _packs(wire: bytes) -> bytes:
        need(len(wire) == 16, "the name of a pack")
        return wire

    def _versions(self, wire: Message) -> Version:
        need(wire.record is not None and wire.ending in (CHANGED, MOVED, DELETED), "a version")
        record = record_from(wire.record, self._header.sequence)
        ended = stamp_from(wire.ended, self._header.sequence)
        need(record.parent is not None, "a version that was nowhere")
        need(record.changed.sequence < ended.sequence, "a version that ended before it began")
        return Version(record, ended, wire.ending)


def record_from(wire: Message, last: int) -> Record:
    """Decodes a record by itself."""
    need(len(wire.id) == 16 and wire.kind in KINDS, "a record without an id or a kind")
    created, changed = stamp_from(wire.created, last), stamp_from(wire.changed, last)
    need(created.sequence <= changed.sequence, "a record that changed before it was made")
    record = Record(wire.id, KINDS[wire.kind], created, changed, type_name=wire.type_name)
    is_typed = record.kind == "typed"
    need(bool(wire.type_name) == is_typed, "a type where none belongs, or none")
    need((wire.attributes is None) == is_typed, "attributes where none belong, or none")
    need(not wire.fields or is_typed, "fields where none belong")
    need(wire.content is None or record.kind == "file", "a content where none belongs")
    if wire.place is not None:
        need(len(wire.place.parent) == 16 and is_name(wire.place.name), "a place")
        need(wire.place.name not in (b".cairn", b".cairnignore.local") and not is_typed, "a place where none belongs")
        record.parent, record.name = wire.place.parent, wire.place.name
    if wire.content is not None:
        check_content(wire.content)
        record.content = wire.content
    if wire.target is not None:
        check_target(wire.target, record)
    if wire.id != ROOT:
        check_created(record)
    if wire.attributes is not None:
        _take_attributes(wire.attributes, record)
    names = [each.name.encode("utf-8") for each in wire.fields]
    need(names == sorted(names), "fields that aren't sorted")
    for each in wire.fields:
        check_value(each)
        check_field(each)
        name = unicodedata.normalize("NFC", each.name)
        need(name not in record.fields and not each.removed, "a field twice, or one that is gone")
        record.fields[name] = each
    return record


def _take_attributes(given: Message, record: Record) -> None:
    record.executable, record.modified = given.executable, given.modified
    record.mode, record.extended = given.mode, given.extended
    is_file = record.kind == "file"
    need(is_file or not given.executable, "an executable bit where none counts")
    if given.mode is not None:
        need(record.kind in ("file", "directory") and given.mode <= 0o7777, "a mode")
        need(not is_file or bool(given.mode & 0o100) == given.executable, "a mode of another file")
    if given.extended is not None:
        need(record.kind in ("file", "directory"), "extended attributes where none count")
        names = [each.name for each in given.extended.attributes]
        need(names == sorted(set(names)), "extended attributes")
        check_extended(given.extended)


# --- all of it


def state_from(
    zone: bytes, header: Header, wire: Message, lists: dict[str, list[Any]]
) -> ZoneState:
    """Returns the state of a header and four lists. It must be a complete tree."""
    state = ZoneState(zone, sequence=wire.sequence, head=wire.head, header=header)
    header.packs = set(lists["packs"])
    state.deletions = dict(lists["deletions"])
    state.chunks = {each.name: each for each in lists["chunks"]}
    for record in lists["records"]:
        state.records[record.id] = record
        if record.parent is not None:
            place = (record.parent, record.name)
            need(place not in state.names, "two records of the same name")
            state.names[place] = record.id
            state.children.setdefault(record.parent, set()).add(record.id)
    need(ROOT in state.records, "a state without its root")
    need(not set(state.records) & set(state.deletions), "a record that is there, and is deleted")
    _check_tree(state)
    _check_chunks(state)
    state.total = sum(each.total() for each in state.records.values())
    need(state.total == wire.bytes, "a state with another number of bytes")
    if schema.encode(header_of(state)) != schema.encode(wire):
        raise Invalid("a header in another form than the one that it has")
    return state


def _check_tree(state: ZoneState) -> None:
    reached: list[bytes] = [ROOT]
    for id in reached:
        need(state.records[id].kind == "directory" or id not in state.children, "no directory")
        reached += state.children.get(id, ())
    placed = {id for id, each in state.records.items() if each.parent is not None}
    need(placed == set(reached) - {ROOT}, "a record that nothing leads to")


def _check_chunks(state: ZoneState) -> None:
    for name in _needed(state.records.values()):
        need(name in state.chunks, "a record that needs a chunk which the zone doesn't have")
    for chunk in state.chunks.values():
        is_old = bool(chunk.pack) and chunk.generation < state.header.generation
        need(not is_old or chunk.pack in state.header.packs, "a chunk in a pack that is gone")


def _needed(records: Iterable[Record]) -> set[bytes]:
    return {name for each in records for name in each.needed()}


def check_past(versions: list[Version], *chunks: dict[bytes, Message]) -> None:
    """Checks that the past versions consist of known chunks."""
    for name in _needed(each.record for each in versions):
        if not any(name in each for each in chunks):
            raise Invalid("a version that needs a chunk which isn't kept")
