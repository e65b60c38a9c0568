"""The state of a zone: its only encoding, and its digest."""

from collections.abc import Callable
from typing import Any

from . import schema
from .bounds import KINDS
from .hashes import H
from .state import ADMINISTRATOR, INVITED, JOINED
from .state import Record, Share, Stamp, Succession, ZoneState
from .wire import Message, without_extra

MAXIMUM_PART = 1048576
Take = Callable[[bytes, bytes, bool], None]  # digest, bytes, true for a node
_KIND_NUMBERS = {name: number for number, name in KINDS.items()}
_ROLES = {ADMINISTRATOR: 2, INVITED: 3, JOINED: 4}


def state_digest(state: ZoneState, take: Take | None = None) -> bytes:
    """`state digest`: the hash of four lists and the header. `take` gets each piece of the
    lists."""
    return H("cairn state v1", *state_lists(state, take), schema.encode(header_of(state)))


def state_lists(state: ZoneState, take: Take | None = None) -> list[bytes]:
    """The digests of the four lists."""
    lists: dict[str, dict[bytes, Any]] = {
        "records": {id: _record(each) for id, each in state.records.items()},
        "deletions": {
            id: schema.make("StateDeletion", id=id, sequence=sequence)
            for id, sequence in state.deletions.items()
        },
        "chunks": {name: _chunk(each) for name, each in state.chunks.items()},
        "packs": {name: name for name in state.header.packs},
    }
    return [
        list_digest(name, [(key, elements[key]) for key in sorted(elements)], take)
        for name, elements in lists.items()
    ]


def list_digest(
    name: str, elements: list[tuple[bytes, Any]], take: Take | None = None, depth: int = 0
) -> bytes:
    """The digest of a list: of its only part, or of 16 lists by the next hexadecimal digit. `take`
    gets each part and node with its digest: the part's bytes, or the digests of the node."""
    part = schema.encode(schema.make("StatePart", **{name: [each for _, each in elements]}))
    if len(elements) <= 1 or len(part) <= MAXIMUM_PART:
        digest, piece = H("cairn state part v1", part), part
    else:
        nodes: list[list[tuple[bytes, Any]]] = [[] for _ in range(16)]
        for key, each in elements:
            nodes[int(key.hex()[depth], 16)].append((key, each))
        piece = b"".join(list_digest(name, each, take, depth + 1) for each in nodes)
        digest = H("cairn state node v1", piece)
    if take is not None:
        take(digest, piece, piece is not part)
    return digest


# --- the messages


def header_of(state: ZoneState) -> Message:
    """The `StateHeader`."""
    header = state.header
    floor = None
    if header.floor is not None:
        checkpoint, digest, forgotten, past = header.floor
        floor = schema.make(
            "Floor", checkpoint=checkpoint, digest=digest, forgotten=forgotten, past=past
        )
    site = None
    if header.site is not None:
        site = schema.make("Site", id=header.site[0], location=header.site[1])
    return schema.make(
        "StateHeader",
        zone=state.zone,
        kind=2 if state.is_public else 1,
        sequence=state.sequence,
        head=state.head,
        epoch=header.epoch if state.sequence else 0,
        founder=header.founder,
        name=header.name,
        owner=b"" if state.is_public else header.owner,
        share=_share(header.share) if header.share is not None else None,
        quota=header.quota,
        bytes=state.total,
        revoked=[
            schema.make("StateDevice", user=user, device=device)
            for user, device in sorted(header.revoked)
        ],
        key_due=header.is_due,
        purged=header.purged,
        keys=[
            schema.make("MemberKey", user=user, key=header.keys[user])
            for user in sorted(header.keys)
        ],
        minimum_version=header.minimum_version,
        carry=header.carry,
        generation=header.generation,
        checkpoints=header.checkpoints,
        floor=floor,
        history=header.history,
        lock=header.lock,
        closings=[
            schema.make("ClosedPast", place=place, epoch=epoch)
            for place, epoch in header.closings
        ],
        site=site,
    )


def _stamp(stamp: Stamp) -> Message:
    return schema.make("Stamp", **stamp._asdict())


def _share(share: Share) -> Message:
    participants = [
        schema.make(
            "StateParticipant",
            user=user,
            role=_ROLES[each.role],
            permission=each.permission,
            accepted=each.is_accepted,
            first_epoch=each.first_epoch,
        )
        for user, each in sorted(share.participants.items())
    ]
    links = [
        schema.make("ShareLink", id=id, **vars(each)) for id, each in sorted(share.links.items())
    ]
    policy = schema.make(
        "SharePolicy",
        access=share.access,
        permission=share.only_permission,
        participants_invite=share.participants_invite,
    )
    return schema.make(
        "StateShare",
        title=share.title,
        public_permission=share.public_permission,
        participants=participants,
        links=links,
        access_requests=share.access_requests == 2,
        blocked=sorted(share.blocked),
        policy=policy,
        changed=_stamp(share.changed),
        offered=share.offered,
        succession=_succession(share.succession) if share.succession is not None else None,
    )


def _succession(succession: Succession) -> Message:
    people = []
    for user in sorted(succession.people):
        claimant, since = succession.confirmations.get(user, (b"", None))
        stamp = _stamp(since) if since is not None else None
        people.append(schema.make("StateSuccessor", user=user, claimant=claimant, since=stamp))
    return schema.make(
        "StateSuccession", people=people, needed=succession.needed, wait=succession.wait
    )


def _record(record: Record) -> Message:
    place = attributes = None
    if record.parent is not None:
        place = schema.make("Place", parent=record.parent, name=record.name)
    if record.kind != "typed":
        attributes = schema.make(
            "Attributes",
            executable=record.executable,
            modified=record.modified,
            mode=record.mode,
            extended=record.extended,
        )
    return schema.make(
        "StateRecord",
        id=record.id,
        kind=_KIND_NUMBERS[record.kind],
        type_name=record.type_name,
        place=place,
        content=record.content,
        target=record.target,
        attributes=attributes,
        fields=sorted(record.fields.values(), key=lambda each: each.name.encode("utf-8")),
        created=_stamp(record.created),
        changed=_stamp(record.changed),
    )


def version_of(version: Any) -> Message:
    """A `StateVersion`."""
    return schema.make(
        "StateVersion", record=_record(version.record), ended=_stamp(version.ended),
        ending=version.ending,
    )


def _chunk(entry: Message) -> Message:
    kept = without_extra(entry)
    kept.parts.pop("again", None)
    return kept
