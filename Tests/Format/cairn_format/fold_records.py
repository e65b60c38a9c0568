"""Changes of records."""

import unicodedata

from .bounds import KINDS
from .contents import MAXIMUM_CHUNK, chunk_names
from .problems import Invalid
from .state import ROOT, Record, ZoneState
from .wire import Message

CREATE, UPDATE, DELETE = 1, 2, 3
OWN_NAME = b".cairn"


class RecordChanges:
    """The changes of one commit, first beside the state; `take` makes them part of it."""

    def __init__(self, state: ZoneState, commit: Message) -> None:
        self._state = state
        self._commit = commit
        self._after: dict[bytes, Record | None] = {}
        self._placed: set[bytes] = set()  # new or moved
        self._chunks: dict[bytes, Message] = {}
        for chunk in commit.chunks:
            if chunk.name not in state.chunks:
                self._chunks.setdefault(chunk.name, chunk)
        for change in commit.records:
            self._change(change)
        self._check_tree()

    def growth(self) -> int:
        """By how much the bytes of all files together grow."""
        before = (self._state.records.get(id) for id in self._after)
        sizes = sum(each.size for each in self._after.values() if each is not None)
        return sizes - sum(each.size for each in before if each is not None)

    def take(self, state: ZoneState) -> None:
        """Makes the changes part of the state."""
        state.total += self.growth()
        state.chunks.update(self._chunks)
        for id in self._after:
            old = state.records.pop(id, None)
            if old is not None and old.parent is not None:
                del state.names[(old.parent, old.name)]
                state.children[old.parent].discard(id)
        for id, new in self._after.items():
            if new is None:
                continue
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
            new = Record(change.id, KINDS[change.kind], self._commit.user)
            if new.kind == "typed":
                new.type_name = change.type_name
        else:
            if old is None:
                raise Invalid("a record that isn't there")
            if self._state.is_public and old.creator != self._commit.user:
                raise Invalid("a record of somebody else in the public zone")
            new = Record(**{**vars(old), "fields": dict(old.fields)})
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
        self._check_created(change, new)
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
            self._target(change.target, new)
        if change.place is not None:
            if change.place.name == OWN_NAME:
                raise Invalid("the name of Cairn's own folder")
            new.parent, new.name = change.place.parent, change.place.name
            self._placed.add(change.id)
        if change.attributes is not None:
            new.executable = kind == "file" and change.attributes.executable
            new.modified = change.attributes.modified
        for field in change.fields:
            which, name = field.which("value"), unicodedata.normalize("NFC", field.name)
            if which == "removed":
                new.fields.pop(name, None)
            else:
                new.fields[name] = getattr(field, which)

    def _content(self, content: Message, new: Record) -> None:
        names = chunk_names(content.chunks)
        if new.kind != "file" or bool(names) != bool(content.size):
            raise Invalid("a content where none belongs, or without its chunks")
        if content.size > MAXIMUM_CHUNK * len(names):
            raise Invalid("a content that its chunks can't hold")
        for name in names:
            if name not in self._state.chunks and name not in self._chunks:
                raise Invalid("a chunk that the zone doesn't have")
        new.size, new.content_id, new.chunks = content.size, content.id, content.chunks

    @staticmethod
    def _target(target: bytes, new: Record) -> None:
        if new.kind == "symlink":
            is_right = 1 <= len(target) <= 4095 and b"\0" not in target
        else:
            is_right = new.kind == "reference" and len(target) == 48
        if not is_right:
            raise Invalid("a target that is none")
        new.target = target

    @staticmethod
    def _check_created(change: Message, new: Record) -> None:
        if change.act != CREATE:
            return
        if new.kind == "typed":
            if not new.type_name:
                raise Invalid("a typed record without a type")
            return
        lacks_content = new.kind == "file" and change.content is None
        lacks_target = new.kind in ("symlink", "reference") and new.target is None
        if new.parent is None or lacks_content or lacks_target:
            raise Invalid("a new record that lacks a part")

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
