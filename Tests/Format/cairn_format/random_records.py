"""Random changes of records, mostly of existing ones, sometimes of missing ones."""

import math
import random
from typing import Any

from . import schema
from .contents import chunk_name, content_id
from .state import ROOT, Record, ZoneState
from .wire import Message

_NAMES = [b"a", b"b", b"c", b"d", b"photos", b"notes.txt", b"\xff\xfe", "é".encode(), b"x" * 255]
_BAD_NAMES = [b"", b".", b"..", b"a/b", b"a\0", b"x" * 256, b".cairn", b".cairnignore.local"]
_TYPES = ["note", "cairn.zone", "té"]
_FIELDS = ["a", "b", "e\u0301", "\u00e9", "title", "z"]
_PLAIN = [
    "data", "text", "integer", "number", "boolean", "date", "location", "reference", "asset",
]
_PACKS = [bytes([number]) * 16 for number in range(1, 9)]
_MODES = [0o644, 0o755, 0o600, 0o700, 0o200, 0o444, 0o2750, 0o7777, 0]
_NUMBERS = [0.0, 1.0, -1.5, 5e-324, 1.7976931348623157e308, 89.5, 90.0, -90.0]
_BAD_NUMBERS = [math.nan, -math.nan, math.inf, -math.inf, -0.0]


class RandomRecords:
    """Draws the parts of a commit that are about records."""

    def __init__(self, dice: random.Random, state: ZoneState) -> None:
        self._dice = dice
        self._state = state
        self._used: set[bytes] = set()
        self.chunks: list[Message] = []

    def changes(self, count: int) -> list[Message]:
        """Returns that many changes, which share only ids with each other."""
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

    # --- valid parts

    def right_attributes(self) -> Message:
        """Attributes of a directory."""
        extended = schema.make(
            "ExtendedAttributes",
            attributes=[schema.make("ExtendedAttribute", name=b"user.tag", value=b"\0x")],
        )
        return schema.make("Attributes", modified=-1, mode=0o2750, extended=extended)

    def right_fields(self) -> list[Message]:
        """Returns a field of each kind, and a list of each."""
        place = schema.make("Location", latitude=-90.0, longitude=0.5)
        content = self._packed()
        values = {
            "data": b"d", "text": "\u00fc", "integer": -(2**63), "number": 5e-324,
            "boolean": False, "date": -1, "location": place, "reference": ROOT,
            "asset": content,
        }
        fields = []
        for name in sorted(values):
            plain = schema.make("Field", **{name: values[name]})
            both = schema.make("FieldList", values=[plain, plain])
            fields.append(schema.make("Field", name=name, **{name: values[name]}))
            fields.append(schema.make("Field", name=name + "s", list=both))
        return fields

    def _packed(self) -> Message:
        """Returns a content of one chunk in an open pack."""
        plain = self._dice.randbytes(20)
        name, generation = chunk_name(plain), self._state.header.generation
        position = schema.make("PackRange", owner=bytes(32), length=36)
        place = schema.make("ChunkPlace", pack=position, key=bytes(32), compression=1)
        entry = schema.make(
            "ChunkEntry", name=name, size=20, place=schema.encode(place),
            pack=self._dice.randbytes(16), generation=generation,
        )
        self.chunks.append(entry)
        return schema.make("Content", id=content_id(20, name), size=20, chunks=name)

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
        """Returns a part that isn't allowed in some place, whatever else the change contains."""
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
                self.chunks.append(self._after(self._chunk(name, plain)))
            names += name
            size += len(plain)
        if self._is_rare():
            size = dice.choice([0, 1, size + 7, (len(names) // 32) << 20, 2**40])
        id = content_id(size, names) if not self._is_rare(0.01) else dice.randbytes(32)
        return schema.make("Content", id=id, size=size, chunks=names)

    def _chunk(self, name: bytes, plain: bytes) -> Message:
        dice = self._dice
        place = schema.make("ChunkPlace", inline=plain, compression=1)
        pack, generation = b"", 0
        if dice.random() < 0.4:
            position = schema.make("PackRange", owner=bytes(32), length=24)
            place = schema.make("ChunkPlace", pack=position, key=bytes(32), compression=2)
            pack, generation = self._pack()
        stored = schema.encode(place)
        if self._is_rare():
            stored = dice.choice([b"", stored[:-1], stored + b"\x80\x40\x81\x00"])
        if self._is_rare(0.01):
            pack, generation = dice.choice(
                [(b"", 1), (b"", 0), (bytes(15), 0), (bytes(16), 2**32 - 1), (bytes(17), 1)]
            )
        return schema.make(
            "ChunkEntry", name=name, size=len(plain), place=stored, pack=pack,
            generation=generation,
        )

    def _after(self, entry: Message) -> Message:
        """Sometimes puts the chunk after another one, mostly one of the zone."""
        dice = self._dice
        if dice.random() > 0.2:
            return entry
        known = sorted(self._state.chunks) + [each.name for each in self.chunks][:1]
        entry.parts["after"] = dice.choice(known or [entry.name])
        if not self._is_rare():
            entry.parts.update(pack=b"", generation=0)
        if self._is_rare():
            entry.parts["again"] = True
        if self._is_rare(0.01):
            entry.parts["after"] = dice.choice([bytes(31), bytes(32), entry.name])
        if self._is_rare(0.01):
            entry.parts["place"] += bytes(131072 - dice.choice([0, 100]))
        return entry

    def _pack(self) -> tuple[bytes, int]:
        """Returns a pack and its generation. Mostly the pack is open or kept."""
        dice, header = self._dice, self._state.header
        if header.packs and dice.random() < 0.3:
            return dice.choice(sorted(header.packs)), dice.randint(0, header.generation)
        offset = dice.choices([-1, 0, 1, 2], [1, 12, 1, 1])[0]
        return dice.choice(_PACKS), max(0, header.generation + offset)

    def bring_again(self, chances: list[float]) -> None:
        """Adds chunks of the zone again, and sometimes one name twice, in either order."""
        dice = self._dice
        known = sorted(self._state.chunks)
        if known and dice.random() < chances[0]:
            for name in dice.sample(known, min(len(known), dice.choice([1, 1, 2]))):
                self.chunks.append(self._again(name))
        if dice.random() < chances[1] and (known or self.chunks):
            names = known[:3] + [each.name for each in self.chunks]
            self.chunks.append(self._again(dice.choice(names)))
            if dice.random() < 0.5:
                del self.chunks[-1].parts["again"]
            if dice.random() < 0.5:
                self.chunks.reverse()

    def _again(self, name: bytes) -> Message:
        known = self._state.chunks.get(name)
        entry = self._chunk(name, bytes(known.size if known is not None else 7))
        entry.parts["again"] = True
        if self._is_rare():
            entry.parts["size"] += 1
        return entry

    def _target(self, kind: int) -> bytes:
        dice = self._dice
        if self._is_rare():
            return dice.choice([b"", b"a\0b", bytes(48), b"x" * 4095, b"x" * 4096, bytes(47)])
        return dice.randbytes(48) if kind == 5 else b"../%d" % dice.randint(0, 9)

    def _attributes(self) -> Message:
        dice = self._dice
        modified = dice.choice([0, -1, 1_700_000_000_000_000_000, -(2**63), 2**63 - 1])
        executable, mode, extended = dice.random() < 0.5, None, None
        if dice.random() < 0.4:
            mode = dice.choice(_MODES)
            executable = bool(mode & 0o100)
            if self._is_rare():
                mode, executable = dice.choice([0o10000, 0o100644, 2**32 - 1, 0o755]), False
        if dice.random() < 0.3:
            extended = self._extended()
        return schema.make(
            "Attributes", executable=executable, modified=modified, mode=mode, extended=extended
        )

    def _extended(self) -> Message:
        dice = self._dice
        drawn = dice.sample([b"user.a", b"user.b", b"user.\xff", b"user.tag"], dice.randint(0, 3))
        names = sorted(drawn)
        values = [dice.choice([b"", b"x", b"\0", b"x" * 40]) for _ in names]
        if self._is_rare(0.06):
            bad = [b"", b"user.", b"user.x\0", b"trusted.a", b"user." + b"x" * 251, b"User.a"]
            names, values = [dice.choice(bad)], [b""]
        elif self._is_rare(0.06):
            total = 65536 + dice.choice([0, 0, 1, 70000])
            long = b"user." + b"x" * 250
            names, values = [b"user.a", long], [b"a" * 100, bytes(total - 100 - 6 - 255)]
        elif self._is_rare(0.03):
            names = dice.choice([names[::-1], names + names[-1:]])
            values += [b""]
        both = zip(names, values)
        return schema.make(
            "ExtendedAttributes",
            attributes=[schema.make("ExtendedAttribute", name=n, value=v) for n, v in both],
        )

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
            return dice.choice(
                [
                    {}, {"removed": False}, {"reference": bytes(15)},
                    {"asset": schema.make("Content")},
                ]
            )
        if dice.random() < 0.15:
            return {"removed": True}
        if dice.random() < 0.2:
            return {"list": self._list()}
        return self._plain_value(dice.choice(_PLAIN))

    def _plain_value(self, kind: str) -> dict[str, Any]:
        """Returns a value of that kind that isn't a list."""
        dice = self._dice
        makers = {
            "data": lambda: dice.randbytes(dice.randint(0, 5)),
            "text": lambda: dice.choice(["", "text", "\u00fc"]),
            "integer": lambda: dice.choice([0, 1, -1, 2**63 - 1, -(2**63)]),
            "number": self._number,
            "boolean": lambda: dice.random() < 0.5,
            "date": lambda: dice.choice([0, -1, 2**63 - 1, -(2**63), 1_700_000_000_000_000_000]),
            "location": lambda: schema.make(
                "Location", latitude=self._number(90), longitude=self._number(180)
            ),
            "reference": lambda: dice.choice([dice.randbytes(16), bytes(16)]),
            "asset": self._content,
        }
        return {kind: makers[kind]()}

    def _number(self, most: float = math.inf) -> float:
        if self._is_rare(0.04):
            return self._dice.choice([*_BAD_NUMBERS, math.nextafter(most, math.inf), -most - 1])
        allowed = [each for each in _NUMBERS if abs(each) <= most]
        return self._dice.choice(allowed + [most] if most < math.inf else allowed)

    def _list(self) -> Message:
        """Returns a list of one kind. Sometimes it has several kinds, or elements that no list may
        have."""
        dice = self._dice
        kind = dice.choice(_PLAIN)
        values = [self._plain_value(kind) for _ in range(dice.choice([0, 1, 1, 2, 3]))]
        if self._is_rare(0.12):
            values.append(
                dice.choice(
                    [
                        self._plain_value(dice.choice(_PLAIN)),
                        {"list": schema.make("FieldList")},
                        {"removed": True},
                        {},
                        {**self._plain_value(kind), "name": "a"},
                    ]
                )
            )
        return schema.make("FieldList", values=[schema.make("Field", **each) for each in values])
