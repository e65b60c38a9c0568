"""The state of a zone: the result of replaying its log."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from . import schema
from .contents import chunk_names
from .wire import Message

ROOT = bytes(16)
NONE, READ_ONLY, READ_WRITE = 1, 2, 3
ADMINISTRATOR, INVITED, JOINED = "administrator", "invited", "joined"


class Stamp(NamedTuple):
    """The commit of a change: its place, author, device and time."""

    sequence: int
    user: bytes
    device: bytes
    time: int


@dataclass
class Participant:
    """A person in the share: invited, perhaps as an administrator, or joined by a link."""

    role: str
    permission: int
    is_accepted: bool
    first_epoch: int = 0  # they have the keys from this epoch on; 0: all


@dataclass
class Link:
    """A link of the share."""

    box_key: bytes
    one_time: bool
    permission: int
    expires: int | None
    first_epoch: int = 0


@dataclass
class Share:
    """The share of a zone."""

    title: str
    changed: Stamp
    public_permission: int = NONE
    access_requests: int = 1
    participants: dict[bytes, Participant] = field(default_factory=dict)
    links: dict[bytes, Link] = field(default_factory=dict)
    blocked: set[bytes] = field(default_factory=set)
    access: int = 1
    only_permission: int = 0
    participants_invite: bool = False
    offered: bytes = b""
    succession: "Succession | None" = None

    def drop_links_for_anyone(self) -> None:
        self.links = {id: link for id, link in self.links.items() if link.one_time}

    def copy(self) -> "Share":
        return Share(
            self.title,
            self.changed,
            self.public_permission,
            self.access_requests,
            {user: Participant(**vars(each)) for user, each in self.participants.items()},
            {id: Link(**vars(each)) for id, each in self.links.items()},
            set(self.blocked),
            self.access,
            self.only_permission,
            self.participants_invite,
            self.offered,
            self.succession.copy() if self.succession is not None else None,
        )


@dataclass
class Succession:
    """The people who may take the zone over without the owner's help, and their claims."""

    people: set[bytes]
    needed: int
    wait: int
    # By the person who confirms: the person whose claim it is, and the commit.
    confirmations: dict[bytes, tuple[bytes, Stamp]] = field(default_factory=dict)

    def copy(self) -> "Succession":
        return Succession(set(self.people), self.needed, self.wait, dict(self.confirmations))

    def claims(self, user: bytes) -> bool:
        """Returns true if a person claims the ownership."""
        return user in self.confirmations and self.confirmations[user][0] == user

    def may_take_over(self, user: bytes, place: int) -> bool:
        """Returns true if enough people confirm a claim that was made before a place."""
        if not self.claims(user) or self.confirmations[user][1].sequence >= place:
            return False
        votes = [each for each, _ in self.confirmations.values() if each == user]
        return len(votes) >= self.needed

    def withdraw(self, user: bytes) -> None:
        """Removes what a person confirms, and all confirmations of their claim."""
        kept = self.confirmations.items()
        self.confirmations = {by: each for by, each in kept if user not in (by, each[0])}

    def keep(self, accepted: set[bytes]) -> None:
        """Removes the people who aren't accepted participants."""
        for user in self.people - accepted:
            self.withdraw(user)
        self.people &= accepted


@dataclass
class Header:
    """The whole state of a zone except its records."""

    is_public: bool = False
    founder: bytes = b""
    owner: bytes = b""
    keys: dict[bytes, bytes] = field(default_factory=dict)  # encryption keys of members
    name: str = ""
    epoch: int = 1
    share: Share | None = None
    quota: int | None = None
    purged: bool = False
    is_due: bool = False
    minimum_version: int = 0
    revoked: set[tuple[bytes, bytes]] = field(default_factory=set)
    carry: int = 0
    generation: int = 0
    packs: set[bytes] = field(default_factory=set)  # packs that the last `retire` names
    checkpoints: list[int] = field(default_factory=list)
    floor: tuple[int, bytes, int, bytes] | None = None  # checkpoint, digest, forgotten, past
    history: Message | None = None  # None: for ever
    lock: bytes = b""  # of the next place, in a public zone
    closings: list[tuple[int, int]] = field(default_factory=list)  # place, epoch that ended
    site: tuple[bytes, str] | None = None  # the zone's site; None: where the container was made

    def copy(self) -> "Header":
        values = dict(vars(self))
        values["share"] = self.share.copy() if self.share else None
        values["revoked"] = set(self.revoked)
        values["keys"] = dict(self.keys)
        values["packs"], values["checkpoints"] = set(self.packs), list(self.checkpoints)
        values["closings"] = list(self.closings)
        return Header(**values)

    def recipients(self) -> set[bytes]:
        """The distinct keys that the next epoch's key is boxed for."""
        keys = set(self.keys.values())
        if self.share is not None:
            keys |= {each.box_key for each in self.share.links.values()}
        return keys

    def has(self, user: bytes) -> bool:
        """Returns true if a person is in the share: the owner, or a participant, accepted or
        pending."""
        is_in_share = self.share is not None and user in self.share.participants
        return user == self.owner or is_in_share


@dataclass
class Record:
    """A live record."""

    id: bytes
    kind: str
    created: Stamp
    changed: Stamp
    parent: bytes | None = None
    name: bytes = b""
    type_name: str = ""
    content: Message | None = None
    target: bytes | None = None
    executable: bool = False
    modified: int = 0
    mode: int | None = None
    extended: Message | None = None
    fields: dict[str, Message] = field(default_factory=dict)  # by the normalized name

    @property
    def size(self) -> int:
        return self.content.size if self.content is not None else 0

    @property
    def chunks(self) -> bytes:
        return self.content.chunks if self.content is not None else b""

    def contents(self) -> Iterator[Message]:
        """The record's content, and its assets."""
        if self.content is not None:
            yield self.content
        for each in self.fields.values():
            yield from assets(each)

    def total(self) -> int:
        """The total size of its contents in bytes."""
        return sum(each.size for each in self.contents())

    def needed(self) -> Iterator[bytes]:
        """The names of the chunks of all its contents."""
        for content in self.contents():
            yield from chunk_names(content.chunks)

    def plain_fields(self) -> dict[str, Any]:
        """The values of its fields by name: data, text and integers."""
        which = {name: each.which("value") for name, each in self.fields.items()}
        plain = {name: kind for name, kind in which.items() if kind in ("data", "text", "integer")}
        return {name: getattr(self.fields[name], kind) for name, kind in plain.items()}


def assets(value: Message) -> Iterator[Message]:
    """The contents in a field, including those in a list."""
    if value.asset is not None:
        yield value.asset
    if value.list is not None:
        for each in value.list.values:
            yield from assets(each)


@dataclass
class ZoneState:
    """A zone at a place of its log."""

    zone: bytes
    is_public: bool = False
    sequence: int = 0
    head: bytes = bytes(32)
    header: Header = field(default_factory=Header)
    records: dict[bytes, Record] = field(default_factory=dict)
    names: dict[tuple[bytes, bytes], bytes] = field(default_factory=dict)
    children: dict[bytes, set[bytes]] = field(default_factory=dict)
    chunks: dict[bytes, Message] = field(default_factory=dict)
    deletions: dict[bytes, int] = field(default_factory=dict)
    checkpoint_digests: dict[int, bytes] = field(default_factory=dict)
    total: int = 0

    @property
    def is_founded(self) -> bool:
        """Returns true if a valid genesis was applied."""
        return bool(self.header.founder)

    def path(self, record: Record) -> bytes:
        """The path of a record that has a place, below the zone's root."""
        parts: list[bytes] = []
        at: Record | None = record
        while at is not None and at.id != ROOT:
            parts.append(at.name)
            at = self.records.get(at.parent or ROOT)
        return b"/".join(reversed(parts))

    # --- one JSON

    def as_json(self, digest: bytes) -> dict[str, Any]:
        """Returns the whole state with its state digest, in the form that both implementations
        print."""
        header = self.header
        return {
            "zone": self.zone.hex(),
            "sequence": self.sequence,
            "head": self.head.hex(),
            "epoch": header.epoch if self.sequence else 0,
            "owner": header.owner.hex() if header.owner and not self.is_public else None,
            "keys": [user.hex() + " " + key.hex() for user, key in sorted(header.keys.items())],
            "name": header.name,
            "quota": header.quota,
            "purged": header.purged,
            "keyDue": header.is_due,
            "minimumVersion": header.minimum_version,
            "revoked": sorted(user.hex() + " " + device.hex() for user, device in header.revoked),
            "share": _share_json(header.share),
            "records": [_record_json(self.records[id]) for id in sorted(self.records)],
            "bytes": self.total,
            "chunks": [f"{name.hex()} {self.chunks[name].size}" for name in sorted(self.chunks)],
            "carry": header.carry,
            "generation": header.generation,
            "checkpoints": header.checkpoints,
            "floor": header.floor[0] if header.floor is not None else None,
            "deletions": [f"{id.hex()} {self.deletions[id]}" for id in sorted(self.deletions)],
            "packs": sorted(each.hex() for each in header.packs),
            "digest": digest.hex(),
        }


def _share_json(share: Share | None) -> dict[str, Any] | None:
    if share is None:
        return None
    return {
        "title": share.title,
        "publicPermission": share.public_permission,
        "accessRequests": share.access_requests == 2,
        "blocked": sorted(user.hex() for user in share.blocked),
        "policy": {
            "access": share.access,
            "permission": share.only_permission,
            "participantsInvite": share.participants_invite,
        },
        "participants": [
            {
                "user": user.hex(),
                "role": each.role,
                "permission": each.permission,
                "accepted": each.is_accepted,
            }
            for user, each in sorted(share.participants.items())
        ],
        "links": [
            {
                "id": id.hex(),
                "boxKey": each.box_key.hex(),
                "oneTime": each.one_time,
                "permission": each.permission,
                "expires": each.expires,
            }
            for id, each in sorted(share.links.items())
        ],
    }


def _record_json(record: Record) -> dict[str, Any]:
    out: dict[str, Any] = {"id": record.id.hex(), "kind": record.kind}
    out["creator"] = record.created.user.hex()
    if record.parent is not None:
        out["parent"], out["name"] = record.parent.hex(), record.name.hex()
    if record.kind == "typed":
        out["type"] = record.type_name
        out["fields"] = {name: _field_json(value) for name, value in record.fields.items()}
        return out
    if record.kind == "file":
        out["size"] = record.size
        out["content"] = record.content.id.hex() if record.content is not None else ""
        out["executable"] = record.executable
    if record.target is not None:
        out["target"] = record.target.hex()
    out["modified"] = record.modified
    return out


def _field_json(value: Message) -> list[str]:
    which = value.which("value")
    if which == "data":
        return ["data", value.data.hex()]
    if which in ("text", "integer"):
        return [which, str(getattr(value, which))]
    return ["field", schema.encode(schema.make("Field", **{**value.parts, "name": ""})).hex()]


