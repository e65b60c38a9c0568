"""Random changes of records: mostly of what is there, sometimes of what isn't."""

import random
from typing import Any

from . import schema
from .contents import chunk_name, content_id
from .state import ROOT, Record, ZoneState
from .wire import Message

_NAMES = [b"a", b"b", b"c", b"d", b"photos", b"notes.txt", b"\xff\xfe", "é".encode(), b"x" * 255]
_BAD_NAMES = [b"", b".", b"..", b"a/b", b"a\0", b"x" * 256, b".cairn"]
_TYPES = ["note", "cairn.zone", "té"]
_FIELDS = ["a", "b", "e\u0301", "\u00e9", "title", "z"]


class RandomRecords:
    """Draws the parts of a commit that are about records."""

    def __init__(self, dice: random.Random, state: ZoneState) -> None:
        self._dice = dice
        self._state = state
        self._used: set[bytes] = set()
        self.chunks: list[Message] = []

    def changes(self, count: int) -> list[Message]:
        """So many changes, which know nothing of each other but their ids."""
        return [self._change() for _ in range(count)]

    def _is_rare(self, share: float = 0.04) -> bool:
        return self._dice.random() < share

    def _record(self) -> Record | None:
        records = [each for id, each in self._state.records.items() if id not in self._used]
        records = [each for each in records if each.id != ROOT or self._is_rare()]
        return self._dice.choice(records) if records else None

    def _change(self) -> Message:
        dice, record = self._dice, self._record()
        act = dice.choices([1, 2, 3], [5, 4, 2])[0]
        if record is None and act != 1 and not self._is_rare():
            act = 1
        id = dice.randbytes(16)
        if record is not None and (act != 1 or self._is_rare()):
            id = record.id
        self._used.add(id)
        values: dict[str, Any] = {"id": id, "act": act}
        if act == 1:
            values.update(self._created(dice.choices([1, 2, 3, 4, 5], [6, 4, 2, 3, 1])[0]))
        elif act == 2:
            values.update(self._updated(record))
        elif self._is_rare():
            values.update(self._updated(record))
        if self._is_rare(0.02):
            values.update(self._spoiled())
        return schema.make("RecordChange", **values)

    # --- parts

    def _created(self, kind: int) -> dict[str, Any]:
        values: dict[str, Any] = {"kind": kind}
        if kind == 4:
            values["type_name"] = self._dice.choice(_TYPES)
            values["fields"] = self._fields()
            return values
        values["place"] = self._place()
        if kind == 1:
            values["content"] = self._content()
        elif kind in (3, 5):
            values["target"] = self._target(kind)
        if self._dice.random() < 0.5:
            values["attributes"] = self._attributes()
        if self._is_rare():
            values.pop(self._dice.choice(["place", "content", "target"]), None)
        return values

    def _updated(self, record: Record | None) -> dict[str, Any]:
        kind = record.kind if record is not None else "file"
        choices = ["place", "attributes"]
        if kind == "file":
            choices += ["content", "content"]
        if kind in ("symlink", "reference"):
            choices += ["target"]
        if kind == "typed":
            choices = ["fields"]
        if self._is_rare():
            choices = ["place", "attributes", "content", "target", "fields"]
        picked = self._dice.sample(choices, self._dice.randint(1, min(2, len(choices))))
        if self._is_rare():
            picked = []
        makers = {
            "place": self._place,
            "attributes": self._attributes,
            "content": self._content,
            "target": lambda: self._target(5 if kind == "reference" else 3),
            "fields": self._fields,
        }
        return {name: makers[name]() for name in picked}

    def _spoiled(self) -> dict[str, Any]:
        """What isn't allowed somewhere, whatever else the change says."""
        dice = self._dice
        return dice.choice(
            [
                {"act": dice.choice([0, 4])},
                {"kind": dice.choice([0, 1, 2, 6])},
                {"type_name": "note"},
                {"target": b""},
                {"fields": self._fields()},
                {"id": ROOT},
                {"id": bytes(15)},
                {"attributes": self._attributes()},
                {"place": schema.make("Place")},
            ]
        )

    def _place(self) -> Message:
        dice = self._dice
        folders = [each.id for each in self._state.records.values() if each.kind == "directory"]
        parent = dice.choice(folders or [ROOT])
        if self._is_rare() and self._state.records:
            parent = dice.choice(list(self._state.records))
        if self._is_rare(0.02):
            parent = dice.choice([dice.randbytes(16), *self._used])
        name = dice.choice(_NAMES) if dice.random() < 0.5 else b"n%d" % dice.randint(0, 99)
        if self._is_rare(0.01):
            name = dice.choice(_BAD_NAMES)
        return schema.make("Place", parent=parent, name=name)

    def _content(self) -> Message:
        dice = self._dice
        names, size = b"", 0
        for _ in range(dice.choice([0, 1, 1, 1, 2])):
            plain = b"chunk %d" % dice.randint(0, 40)
            name = chunk_name(plain)
            known = name in self._state.chunks
            if not known and not self._is_rare():
                self.chunks.append(self._chunk(name, plain))
            names += name
            size += len(plain)
        if self._is_rare():
            size = dice.choice([0, 1, size + 7, (len(names) // 32) << 20, 2**40])
        id = content_id(size, names) if not self._is_rare(0.01) else dice.randbytes(32)
        return schema.make("Content", id=id, size=size, chunks=names)

    def _chunk(self, name: bytes, plain: bytes) -> Message:
        place = schema.make("ChunkPlace", inline=plain, compression=1)
        if self._dice.random() < 0.2:
            pack = schema.make(
                "PackRange", owner=bytes(32), pack=bytes(16), length=24,
                generation=self._dice.randint(0, 2),
            )
            place = schema.make("ChunkPlace", pack=pack, key=bytes(32), compression=2)
        stored = schema.encode(place)
        if self._is_rare():
            stored = self._dice.choice([b"", stored[:-1], stored + b"\x80\x40\x81\x00"])
        return schema.make("ChunkEntry", name=name, size=len(plain), place=stored)

    def _target(self, kind: int) -> bytes:
        dice = self._dice
        if self._is_rare():
            return dice.choice([b"", b"a\0b", bytes(48), b"x" * 4095, b"x" * 4096, bytes(47)])
        return dice.randbytes(48) if kind == 5 else b"../%d" % dice.randint(0, 9)

    def _attributes(self) -> Message:
        dice = self._dice
        modified = dice.choice([0, -1, 1_700_000_000_000_000_000, -(2**63), 2**63 - 1])
        return schema.make("Attributes", executable=dice.random() < 0.5, modified=modified)

    def _fields(self) -> list[Message]:
        dice = self._dice
        names = dice.sample(_FIELDS, dice.randint(0, 3))
        if {"e\u0301", "\u00e9"} <= set(names) and not self._is_rare():
            names.remove("\u00e9")
        names.sort(key=lambda each: each.encode())
        if self._is_rare(0.02):
            names.reverse()
        return [schema.make("Field", name=name, **self._value()) for name in names]

    def _value(self) -> dict[str, Any]:
        dice = self._dice
        if self._is_rare(0.01):
            return dice.choice([{}, {"removed": False}])
        return dice.choice(
            [
                {"data": dice.randbytes(dice.randint(0, 5))},
                {"text": dice.choice(["", "text", "\u00fc"])},
                {"integer": dice.choice([0, 1, -1, 2**63 - 1, -(2**63)])},
                {"removed": True},
            ]
        )
