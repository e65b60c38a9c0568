"""Changes of records."""

import math
import unicodedata

from . import schema
from .bounds import EXTENDED, KINDS, MODE
from .contents import MAXIMUM_CHUNK, chunk_names
from .problems import Invalid
from .state import ROOT, Record, Stamp, ZoneState, assets
from .wire import Message, without_extra

CREATE, UPDATE, DELETE = 1, 2, 3
OWN_NAMES = (b".cairn", b".cairnignore.local")
MAXIMUM_EXTENDED = 65536  # bytes of names and values of a record
MAXIMUM_AFTER, MAXIMUM_PLACE = 64, 131072  # chunks after others in a commit, and their places


def whole_chunks(state: ZoneState, commit: Message) -> list[Message]:
    """Returns the chunks of a commit as the zone gets them: a chunk after another one of the zone
    has the pack of that one, and its place before its own."""
    if sum(bool(each.after) for each in commit.chunks) > MAXIMUM_AFTER:
        raise Invalid("too many chunks after others (rule 11)")
    return [_whole(state, each) if each.after else each for each in commit.chunks]


def _whole(state: ZoneState, chunk: Message) -> Message:
    start = state.chunks.get(chunk.after)
    if start is None or chunk.pack or chunk.again:
        raise Invalid("a chunk after one that the zone doesn't have (rule 11)")
    place = start.place + chunk.place
    if len(place) > MAXIMUM_PLACE:
        raise Invalid("a place that is too long (rule 11)")
    whole = schema.make("ChunkEntry", name=chunk.name, size=chunk.size)
    whole.parts["place"] = place
    if start.pack:
        whole.parts.update(pack=start.pack, generation=start.generation)
    return whole


class RecordChanges:
    """The changes of one commit, first kept beside the state. `take` applies them to the state."""

    def __init__(
        self, state: ZoneState, commit: Message, chunks: list[Message], carry: int, stamp: Stamp
    ) -> None:
        self._state = state
        self._commit = commit
        self._carry = carry
        self._stamp = stamp
        self._after: dict[bytes, Record | None] = {}
        self._placed: set[bytes] = set()  # new or moved records
        self._chunks: dict[bytes, Message] = {}
        first: dict[bytes, Message] = {}
        for chunk in chunks:
            first.setdefault(chunk.name, chunk)
        for chunk in first.values():
            if chunk.again or chunk.name not in state.chunks:
                self._chunks[chunk.name] = chunk
        for change in commit.records:
            self._change(change)
        self._check_tree()

    def growth(self) -> int:
        """The growth of the total size of all contents, in bytes."""
        before = (self._state.records.get(id) for id in self._after)
        sizes = sum(each.total() for each in self._after.values() if each is not None)
        return sizes - sum(each.total() for each in before if each is not None)

    def take(self, state: ZoneState) -> None:
        """Applies the changes to the state."""
        state.total += self.growth()
        state.chunks.update(self._chunks)
        for id in self._after:
            old = state.records.pop(id, None)
            if old is not None and old.parent is not None:
                del state.names[(old.parent, old.name)]
                state.children[old.parent].discard(id)
        for id, new in self._after.items():
            if new is None:
                state.deletions[id] = self._stamp.sequence
                continue
            state.deletions.pop(id, None)
            state.records[id] = new
            if new.parent is not None:
                state.names[(new.parent, new.name)] = id
                state.children.setdefault(new.parent, set()).add(id)

    # --- one change

    def _change(self, change: Message) -> None:
        if change.id == ROOT or change.id in self._after:
            raise Invalid("a change of the root, or a second one of a record")
        old = self._state.records.get(change.id)
        if change.act == CREATE:
            if old is not None:
                raise Invalid("a record that is there")
            new = Record(change.id, KINDS[change.kind], self._stamp, self._stamp)
            if new.kind == "typed":
                new.type_name = change.type_name
        else:
            if old is None:
                raise Invalid("a record that isn't there")
            new = Record(**{**vars(old), "fields": dict(old.fields), "changed": self._stamp})
        has_part = any(
            part is not None
            for part in (change.place, change.content, change.target, change.attributes)
        )
        has_part = has_part or bool(change.fields)
        if change.act == DELETE:
            if has_part:
                raise Invalid("a deletion with a part")
            self._after[change.id] = None
            return
        if change.act == UPDATE and not has_part:
            raise Invalid("an update without a part")
        self._parts(change, new)
        if change.act == CREATE:
            check_created(new)
        self._after[change.id] = new

    def _parts(self, change: Message, new: Record) -> None:
        kind = new.kind
        if kind == "typed" and (change.place is not None or change.attributes is not None):
            raise Invalid("a typed record with a place or attributes")
        if kind != "typed" and change.fields:
            raise Invalid("fields of what isn't a typed record")
        if change.content is not None:
            self._content(change.content, new)
        if change.target is not None:
            check_target(change.target, new)
            new.target = change.target
        if change.place is not None:
            if change.place.name in OWN_NAMES:
                raise Invalid("the name of Cairn's own folder")
            new.parent, new.name = change.place.parent, change.place.name
            self._placed.add(change.id)
        if change.attributes is not None:
            self._attributes(change.attributes, new)
        for field in change.fields:
            self._field(field, new)

    def _attributes(self, given: Message, new: Record) -> None:
        new.executable = new.kind == "file" and given.executable
        new.modified = given.modified
        mode, extended = given.mode, given.extended
        # Errors in these attributes count even if the zone doesn't carry them.
        if mode is not None and new.kind == "file" and bool(mode & 0o100) != new.executable:
            raise Invalid("a mode that isn't that of the executable bit")
        if extended is not None:
            check_extended(extended)
        if new.kind not in ("file", "directory"):
            return
        if mode is not None and self._carry & MODE:
            new.mode = mode
        elif new.kind == "file" and new.mode is not None:
            new.mode = _fitted(new.mode, new.executable)
        if extended is not None and self._carry & EXTENDED:
            new.extended = without_extra(extended)

    def _field(self, field: Message, new: Record) -> None:
        """Sets a field. A field that is set again keeps its spelling."""
        name = unicodedata.normalize("NFC", field.name)
        if field.removed:
            new.fields.pop(name, None)
            return
        check_field(field)
        for asset in assets(field):
            self._check_content(asset)
        kept = without_extra(field)
        if name in new.fields:
            kept.parts["name"] = new.fields[name].name
        new.fields[name] = kept

    def _content(self, content: Message, new: Record) -> None:
        if new.kind != "file":
            raise Invalid("a content where none belongs")
        self._check_content(content)
        new.content = without_extra(content)

    def _check_content(self, content: Message) -> None:
        names = chunk_names(content.chunks)
        if bool(names) != bool(content.size):
            raise Invalid("a content without its chunks, or with too many")
        if content.size > MAXIMUM_CHUNK * len(names):
            raise Invalid("a content that its chunks can't hold")
        for name in names:
            if name not in self._state.chunks and name not in self._chunks:
                raise Invalid("a chunk that the zone doesn't have")

    # --- the tree after the commit

    def _live(self, id: bytes) -> Record | None:
        return self._after[id] if id in self._after else self._state.records.get(id)

    def _check_tree(self) -> None:
        taken: set[tuple[bytes, bytes]] = set()
        for id, new in self._after.items():
            if new is not None and new.parent is not None:
                self._check_place(id, new, taken)
            if new is None:
                self._check_emptied(id)
        for id in self._placed:
            self._check_way_up(id)

    def _check_place(self, id: bytes, new: Record, taken: set[tuple[bytes, bytes]]) -> None:
        place = (new.parent or ROOT, new.name)
        if id in self._placed:
            parent = self._live(place[0])
            if parent is None or parent.kind != "directory":
                raise Invalid("a parent that is no live directory")
        other = self._state.names.get(place)
        if place in taken or (other is not None and other not in self._after):
            raise Invalid("two records of the same name")
        taken.add(place)

    def _check_emptied(self, id: bytes) -> None:
        for child in self._state.children.get(id, ()):
            still = self._live(child)
            if still is not None and still.parent == id:
                raise Invalid("a directory that leaves something behind")

    def _check_way_up(self, id: bytes) -> None:
        seen: set[bytes] = set()
        while id != ROOT:
            record = self._live(id)
            if id in seen or record is None or record.parent is None:
                raise Invalid("a directory that doesn't lead up to the root")
            seen.add(id)
            id = record.parent


# --- one record


def check_target(target: bytes, new: Record) -> None:
    """Checks the target of a symlink or of a reference."""
    if new.kind == "symlink":
        is_right = 1 <= len(target) <= 4095 and b"\0" not in target
    else:
        is_right = new.kind == "reference" and len(target) == 48
    if not is_right:
        raise Invalid("a target that is none")


def check_created(new: Record) -> None:
    """Checks the parts that each record except the root must have."""
    if new.kind == "typed":
        if not new.type_name:
            raise Invalid("a typed record without a type")
        return
    lacks_content = new.kind == "file" and new.content is None
    lacks_target = new.kind in ("symlink", "reference") and new.target is None
    if new.parent is None or lacks_content or lacks_target:
        raise Invalid("a new record that lacks a part")


# --- attributes and values


def _fitted(mode: int, executable: bool) -> int:
    """Returns a kept mode, adapted to a changed executable bit."""
    if bool(mode & 0o100) == executable:
        return mode
    return mode | 0o100 | (mode & 0o444) >> 2 if executable else mode & ~0o111


def check_extended(extended: Message) -> None:
    """Checks the names of extended attributes, and their total length."""
    total = 0
    for each in extended.attributes:
        is_name = 6 <= len(each.name) <= 255 and each.name.startswith(b"user.")
        if not is_name or b"\0" in each.name:
            raise Invalid("the name of an extended attribute")
        total += len(each.name) + len(each.value)
    if total > MAXIMUM_EXTENDED:
        raise Invalid("too long extended attributes")


def check_field(value: Message) -> None:
    """Checks the value of a field."""
    which = value.which("value")
    if which == "number":
        _check_number(value.number)
    elif which == "location":
        _check_number(value.location.latitude, 90)
        _check_number(value.location.longitude, 180)
    elif which == "list":
        values = value.list.values
        if len({each.which("value") for each in values}) > 1:
            raise Invalid("a list of several kinds")
        for each in values:
            check_field(each)


def _check_number(number: float, most: float = math.inf) -> None:
    is_minus_zero = number == 0 and math.copysign(1, number) < 0
    if not math.isfinite(number) or is_minus_zero or abs(number) > most:
        raise Invalid("a number that none is")
