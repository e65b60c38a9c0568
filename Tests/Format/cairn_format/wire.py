"""Messages: Protocol Buffers in the canonical encoding, from the page's own schemas.

Fields are in ascending order of their numbers. Numbers have the shortest form, and repeated numbers
are packed. A field is left out if it is zero, false or empty. Minus zero isn't zero. A field may be
present and empty only if it is marked optional, is in a oneof, or is a message. Unknown numbers
below 1024 belong to a newer Cairn. Those from 1024 on are skipped, but not around signed or sealed
bytes, because no signature would cover them.
"""

import re
import struct
from dataclasses import dataclass, field
from typing import Any

from .problems import Invalid, NewerCairn

FIRST_PASSED_OVER = 1024
MAXIMUM_DEPTH = 64  # no message of the page is nested as deep
# These messages surround signed or sealed bytes. No signature would cover skipped fields in them.
CLOSED = {
    "IdentityEntry", "LogEntry", "SignedCommit", "InboxMessage", "SignedMessage", "JoinObject",
}
_VARINTS = {"uint32": 32, "uint64": 64, "int64": 64, "sint64": 64, "bool": 1, "enum": 31}
_FIXED = ("sfixed64", "double")


@dataclass(frozen=True)
class FieldSchema:
    """One field of a message, as in the schema."""

    number: int
    name: str
    kind: str
    label: str  # "one", "optional", "repeated", or the name of a oneof

    @property
    def has_presence(self) -> bool:
        """Returns true if the field may be present and empty."""
        return self.label not in ("one", "repeated") or self.is_message

    @property
    def is_message(self) -> bool:
        return self.kind not in (*_VARINTS, *_FIXED, "bytes", "string")

    @property
    def is_packed(self) -> bool:
        """Returns true if all its numbers are in one field."""
        return self.label == "repeated" and self.kind in (*_VARINTS, *_FIXED)

    def is_left_out(self, value: Any) -> bool:
        """Returns true for a value that isn't written: zero, false, empty or absent."""
        if value is None or self.has_presence:
            return value is None
        if self.kind == "double":
            return struct.pack("<d", value) == bytes(8)
        return not value

    @property
    def default(self) -> Any:
        if self.label == "repeated":
            return []
        if self.has_presence:
            return None
        return {"bytes": b"", "string": "", "bool": False}.get(self.kind, 0)


@dataclass(frozen=True)
class MessageSchema:
    """One message: its fields by number and by name."""

    name: str
    by_number: dict[int, FieldSchema]
    by_name: dict[str, FieldSchema]


@dataclass
class Message:
    """A message that was decoded, or that is to be encoded. Its fields are attributes."""

    schema: MessageSchema
    parts: dict[str, Any] = field(default_factory=dict)
    extra: bytes = b""  # fields from 1024 on, as they follow the known ones

    def __getattr__(self, name: str) -> Any:
        known = self.__dict__["schema"].by_name.get(name)
        if known is None:
            raise AttributeError(f"{self.__dict__['schema'].name} has no {name}")
        return self.__dict__["parts"].get(name, known.default)

    def which(self, oneof: str) -> str | None:
        """The name of the member of a oneof that is present."""
        for name in self.parts:
            if self.schema.by_name[name].label == oneof:
                return name
        return None


def without_extra(value: Any) -> Any:
    """Returns a message, or a part of one, without the fields that readers skip."""
    if isinstance(value, list):
        return [without_extra(each) for each in value]
    if not isinstance(value, Message):
        return value
    return Message(value.schema, {name: without_extra(each) for name, each in value.parts.items()})


class Schemas:
    """The messages of a text in the notation of the page."""

    def __init__(self, text: str) -> None:
        text = re.sub(r"//[^\n]*", "", text)
        text = re.sub(r"enum\s+\w+\s*\{[^}]*\}", "", text)
        enums = {"Act", "Kind", "Compression", "JoinRefusal"}
        self.messages: dict[str, MessageSchema] = {}
        for name, body in re.findall(r"message\s+(\w+)\s*\{((?:[^{}]|\{[^{}]*\})*)\}", text):
            self.messages[name] = self._message(name, body, enums)

    @staticmethod
    def _message(name: str, body: str, enums: set[str]) -> MessageSchema:
        fields: list[FieldSchema] = []

        def take(part: str, label: str) -> None:
            for found in re.finditer(r"(optional |repeated )?(\w+)\s+(\w+)\s*=\s*(\d+);", part):
                kind = "enum" if found[2] in enums else found[2]
                own = found[1].strip() if found[1] else label
                fields.append(FieldSchema(int(found[4]), found[3], kind, own))

        for oneof, members in re.findall(r"oneof\s+(\w+)\s*\{([^}]*)\}", body):
            take(members, oneof)
        take(re.sub(r"oneof\s+\w+\s*\{[^}]*\}", "", body), "one")
        fields.sort(key=lambda each: each.number)
        return MessageSchema(
            name, {each.number: each for each in fields}, {each.name: each for each in fields}
        )

    def make(self, name: str, /, **values: Any) -> Message:
        """Creates a message to encode. None means that a field is absent."""
        schema = self.messages[name]
        unknown = set(values) - set(schema.by_name)
        if unknown:
            raise TypeError(f"{name} has no {unknown}")
        return Message(schema, {key: value for key, value in values.items() if value is not None})

    # --- encoding

    def encode(self, message: Message) -> bytes:
        """Returns the canonical encoding."""
        out = bytearray()
        for number, known in message.schema.by_number.items():
            value = message.parts.get(known.name)
            if known.is_left_out(value):
                continue
            if known.is_packed:
                packed = b"".join(_number(known.kind, each) for each in value)
                out += varint(number << 3 | 2) + varint(len(packed)) + packed
            elif known.label == "repeated":
                for each in value:
                    out += self._field(number, known, each)
            else:
                out += self._field(number, known, value)
        return bytes(out) + message.extra

    def _field(self, number: int, known: FieldSchema, value: Any) -> bytes:
        if known.is_message:
            value = self.encode(value)
        elif known.kind == "string":
            value = value.encode("utf-8")
        elif known.kind != "bytes":
            wire = 1 if known.kind in _FIXED else 0
            return varint(number << 3 | wire) + _number(known.kind, value)
        return varint(number << 3 | 2) + varint(len(value)) + value

    # --- decoding

    def decode(self, name: str, data: bytes, canonical: bool = True) -> Message:
        """Decodes a message, which must be in the canonical encoding at every level."""
        message = self._decode(self.messages[name], data)
        if canonical and self.encode(message) != data:
            raise Invalid(f"a {name} in another than the canonical encoding")
        return message

    def _decode(self, schema: MessageSchema, data: bytes, depth: int = 0) -> Message:
        if depth > MAXIMUM_DEPTH:
            raise Invalid("messages in messages without end")
        message = Message(schema)
        at, last_unknown, extra_from = 0, 0, None
        while at < len(data):
            begin = at
            tag, at = read_varint(data, at)
            number, wire = tag >> 3, tag & 7
            known = schema.by_number.get(number)
            value, at = _read_value(data, at, wire)
            if known is None:
                if number < FIRST_PASSED_OVER:
                    if number == 0:
                        raise Invalid("a field with the number 0")
                    raise NewerCairn(f"field {number} of a {schema.name}")
                if schema.name in CLOSED:
                    raise Invalid(f"field {number} of a {schema.name}, which nobody signed")
                if number < last_unknown:
                    raise Invalid("unknown fields that aren't in order")
                last_unknown = number
                extra_from = begin if extra_from is None else extra_from
                continue
            if extra_from is not None:
                raise Invalid("a known field behind one that is passed over")
            self._store(message, known, wire, value, depth)
        if extra_from is not None:
            message.extra = data[extra_from:]
        return message

    def _store(
        self, message: Message, known: FieldSchema, wire: int, value: Any, depth: int
    ) -> None:
        expected = 0 if known.kind in _VARINTS else 1 if known.kind in _FIXED else 2
        if wire != (2 if known.is_packed else expected):
            raise NewerCairn(f"{known.name} with the wire type {wire}")
        if known.is_packed:
            if known.name in message.parts:
                raise Invalid(f"{known.name} in two pieces")
            message.parts[known.name] = _unpacked(known.kind, expected, value)
            return
        if known.is_message:
            value = self._decode(self.messages[known.kind], value, depth + 1)
        else:
            value = _scalar(known.kind, value)
        if known.label == "repeated":
            message.parts.setdefault(known.name, []).append(value)
            return
        oneof = known.label not in ("one", "optional")
        if known.name in message.parts or (oneof and message.which(known.label)):
            raise Invalid(f"{known.name} twice, or beside another of its oneof")
        message.parts[known.name] = value


def _unpacked(kind: str, wire: int, data: bytes) -> list[Any]:
    """Returns the numbers of one field."""
    numbers, at = [], 0
    while at < len(data):
        value, at = _read_value(data, at, wire)
        numbers.append(_scalar(kind, value))
    return numbers


def varint(number: int) -> bytes:
    """Returns a number in the shortest form."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _number(kind: str, value: Any) -> bytes:
    """Returns a number as it is encoded in a field, without its tag."""
    if kind == "double":
        return struct.pack("<d", value)
    if kind == "sfixed64":
        return value.to_bytes(8, "little", signed=True)
    if kind == "sint64":
        value = (value << 1) ^ (value >> 63)
    return varint(int(value) & (2**64 - 1))


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    """Returns the number at that offset, which must be in the shortest form, and the offset behind
    it."""
    number = shift = 0
    begin = at
    while True:
        if at >= len(data) or shift > 63:
            raise Invalid("a number that doesn't end")
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            break
    if number >= 2**64 or (byte == 0 and at - begin > 1):
        raise Invalid("a number that isn't in the shortest form")
    return number, at


def _read_value(data: bytes, at: int, wire: int) -> tuple[Any, int]:
    if wire == 0:
        return read_varint(data, at)
    if wire == 2:
        length, at = read_varint(data, at)
        end = at + length
    elif wire in (1, 5):
        end = at + (8 if wire == 1 else 4)
    else:
        raise Invalid(f"the wire type {wire}")
    if end > len(data):
        raise Invalid("a field that is cut off")
    return data[at:end], end


def _scalar(kind: str, value: Any) -> Any:
    if kind == "string":
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError as error:
            raise Invalid("a text that isn't UTF-8") from error
    if kind == "bytes":
        return bytes(value)
    if kind == "sfixed64":
        return int.from_bytes(value, "little", signed=True)
    if kind == "double":
        return struct.unpack("<d", value)[0]
    if kind == "sint64":
        return (value >> 1) ^ -(value & 1)
    if kind == "int64":
        return value - 2**64 if value >= 2**63 else value
    if value >= 1 << _VARINTS[kind]:
        raise Invalid(f"{value} as {kind}")
    return bool(value) if kind == "bool" else value
