"""The state of a zone: what the fold of its log comes to."""

from dataclasses import dataclass, field
from typing import Any

from .wire import Message

ROOT = bytes(16)
NONE, READ_ONLY, READ_WRITE = 1, 2, 3
ADMINISTRATOR, INVITED, JOINED = "administrator", "invited", "joined"


@dataclass
class Participant:
    """Somebody in the share: invited, perhaps as an administrator, or joined by a link."""

    role: str
    permission: int
    is_accepted: bool


@dataclass
class Link:
    """A link of the share."""

    box_key: bytes
    one_time: bool
    permission: int
    expires: int | None


@dataclass
class Share:
    """The share of a zone."""

    title: str
    public_permission: int = NONE
    access_requests: int = 1
    participants: dict[bytes, Participant] = field(default_factory=dict)
    links: dict[bytes, Link] = field(default_factory=dict)
    blocked: set[bytes] = field(default_factory=set)
    access: int = 1
    only_permission: int = 0
    participants_invite: bool = False

    def drop_links_for_anyone(self) -> None:
        self.links = {id: link for id, link in self.links.items() if link.one_time}

    def copy(self) -> "Share":
        return Share(
            self.title,
            self.public_permission,
            self.access_requests,
            {user: Participant(**vars(each)) for user, each in self.participants.items()},
            {id: Link(**vars(each)) for id, each in self.links.items()},
            set(self.blocked),
            self.access,
            self.only_permission,
            self.participants_invite,
        )


@dataclass
class Header:
    """All of a zone's state but its records."""

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

    def copy(self) -> "Header":
        values = dict(vars(self))
        values["share"] = self.share.copy() if self.share else None
        values["revoked"] = set(self.revoked)
        values["keys"] = dict(self.keys)
        return Header(**values)

    def recipients(self) -> set[bytes]:
        """The distinct keys that the next epoch's key is boxed for."""
        keys = set(self.keys.values())
        if self.share is not None:
            keys |= {each.box_key for each in self.share.links.values()}
        return keys

    def has(self, user: bytes) -> bool:
        """Whether a person is in: the owner, or a participant, accepted or pending."""
        is_in_share = self.share is not None and user in self.share.participants
        return user == self.owner or is_in_share


@dataclass
class Record:
    """A record that is live."""

    id: bytes
    kind: str
    creator: bytes
    parent: bytes | None = None
    name: bytes = b""
    type_name: str = ""
    size: int = 0
    content_id: bytes = b""
    chunks: bytes = b""
    target: bytes | None = None
    executable: bool = False
    modified: int = 0
    fields: dict[str, Any] = field(default_factory=dict)


@dataclass
class ZoneState:
    """A zone at some place of its log."""

    zone: bytes
    is_public: bool = False
    sequence: int = 0
    head: bytes = bytes(32)
    header: Header = field(default_factory=Header)
    records: dict[bytes, Record] = field(default_factory=dict)
    names: dict[tuple[bytes, bytes], bytes] = field(default_factory=dict)
    children: dict[bytes, set[bytes]] = field(default_factory=dict)
    chunks: dict[bytes, Message] = field(default_factory=dict)
    total: int = 0

    @property
    def is_founded(self) -> bool:
        """Whether a valid genesis was applied: in the public zone not always by entry 1."""
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

    def as_json(self) -> dict[str, Any]:
        """The whole state, in the form that both implementations print."""
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
    out["creator"] = record.creator.hex()
    if record.parent is not None:
        out["parent"], out["name"] = record.parent.hex(), record.name.hex()
    if record.kind == "typed":
        out["type"] = record.type_name
        out["fields"] = {name: _field_json(value) for name, value in record.fields.items()}
        return out
    if record.kind == "file":
        out["size"], out["content"] = record.size, record.content_id.hex()
        out["executable"] = record.executable
    if record.target is not None:
        out["target"] = record.target.hex()
    out["modified"] = record.modified
    return out


def _field_json(value: Any) -> list[str]:
    if isinstance(value, bytes):
        return ["data", value.hex()]
    return ["text", value] if isinstance(value, str) else ["integer", str(value)]


