"""COMMITS: the rules that decide about a commit from the state before it."""

from typing import NamedTuple

from .bounds import MAXIMUM_TITLE
from .fold_records import RecordChanges, whole_chunks
from .fold_share import Rights, ShareChanges, apply_keys
from .fold_zone import ZoneChanges, is_retired
from .hashes import H
from .problems import Invalid, NewerCairn
from .state import ROOT, Header, Record, Stamp, ZoneState
from .state_digest import state_digest
from .wire import Message

VERSION = 1

def zone_id(owner: bytes, nonce: bytes) -> bytes:
    """`zone id`: the hash of the genesis's owner and nonce."""
    return H("cairn zone v1", owner, nonce)


def judge(state: ZoneState, commit: Message, epoch: int) -> Header:
    """Returns the header after a valid commit. Raises for an invalid one.

    Nothing is changed. `take` then applies the judged commit.
    """
    return _judged(state, commit, epoch).header


def take(state: ZoneState, commit: Message, epoch: int, digest: bytes) -> None:
    """Judges a commit, and applies all of it or nothing."""
    judged = _judged(state, commit, epoch)
    if not state.is_founded:
        state.records[ROOT] = _root(_stamp(state, commit))
    state.header = judged.header
    judged.records.take(state)
    for name in judged.retired:
        del state.chunks[name]
    state.sequence += 1
    state.head = digest
    _note_past(state)


def _note_past(state: ZoneState) -> None:
    """Keeps the state digest at each checkpoint, and removes what a floor forgets."""
    header = state.header
    if header.floor is not None:
        forgotten = header.floor[2]
        state.deletions = {id: at for id, at in state.deletions.items() if at > forgotten}
    known = state.checkpoint_digests
    state.checkpoint_digests = {
        place: known[place] if place in known else state_digest(state)
        for place in header.checkpoints
    }


def _stamp(state: ZoneState, commit: Message) -> Stamp:
    return Stamp(state.sequence + 1, commit.user, commit.device, commit.time)


def _root(stamp: Stamp) -> Record:
    return Record(ROOT, "directory", stamp, stamp)


class _Judged(NamedTuple):
    """The results of a valid commit: the new parts of the state."""

    header: Header
    records: RecordChanges
    retired: set[bytes]


def _judged(state: ZoneState, commit: Message, epoch: int) -> _Judged:
    before, stamp = state.header, _stamp(state, commit)
    if commit.previous != state.head:
        raise Invalid("behind another entry (rule 1)")
    base = state
    if not state.is_founded:
        before = _founded(state, commit)
        base = ZoneState(state.zone, state.is_public)
        base.records[ROOT] = _root(stamp)
    elif commit.genesis is not None:
        raise Invalid("a second genesis (rule 2)")
    if bool(commit.lock) != state.is_public:
        raise Invalid("a lock where none belongs, or none in a public zone")
    if state.is_public and commit.user != before.founder:
        raise Invalid("in somebody else's public zone")
    if before.minimum_version > VERSION:
        raise NewerCairn(f"the zone asks for version {before.minimum_version}")
    rights = Rights(before, commit.user)
    if epoch != before.epoch:
        raise Invalid("of another epoch (rule 3)")
    if commit.next_key and not rights.may_administer:
        raise Invalid("an epoch that is raised by somebody who may not (rule 3)")
    if before.purged or (commit.user, commit.device) in before.revoked:
        raise Invalid("the zone has ended, or the device was revoked (rule 4)")
    brings = bool(commit.chunks or commit.records)
    is_empty = not (brings or commit.share or commit.next_key or commit.keys)
    only_keys = commit.keys and not (brings or commit.share or commit.next_key)
    if only_keys and not before.has(commit.user):
        raise Invalid("keys by somebody who isn't in")
    if (brings or is_empty) and not rights.may_write:
        raise Invalid("by somebody who may not write (rule 6)")
    header = before.copy()
    header.lock = commit.lock
    ShareChanges(header, rights, commit, stamp).apply()
    of_zone = ZoneChanges(header, rights, commit, state)
    of_zone.apply()
    _stamp_share(before, header, stamp)
    apply_keys(before, header, commit)
    chunks = whole_chunks(state, commit)
    _check_chunks(state, rights, chunks)
    records = RecordChanges(base, commit, chunks, before.carry, stamp)
    _check_quota(header, state, records)
    _count_epoch(before, header, commit)
    return _Judged(header, records, of_zone.retired)


def _stamp_share(before: Header, after: Header, stamp: Stamp) -> None:
    """Notes the author of the last change of the share. A commit that leaves the share as it was
    doesn't count."""
    if after.share is None or after.share.changed == stamp:
        return  # there is no share, or it started with this commit
    is_same = before.share is not None and before.owner == after.owner
    if is_same and vars(before.share) == {**vars(after.share), "changed": before.share.changed}:
        after.share.changed = before.share.changed
    else:
        after.share.changed = stamp


def _check_chunks(state: ZoneState, rights: Rights, chunks: list[Message]) -> None:
    for chunk in chunks:
        if is_retired(chunk, state.header):
            raise Invalid("a chunk in a pack that doesn't live on (rule 11)")
        if chunk.pack and chunk.generation > state.header.generation + 1:
            raise Invalid("a chunk in a pack that nobody has opened (rule 11)")
        if chunk.again:
            known = state.chunks.get(chunk.name)
            if not rights.is_owner or known is None or known.size != chunk.size:
                raise Invalid("a chunk again that the owner doesn't move (rule 11)")


def _founded(state: ZoneState, commit: Message) -> Header:
    genesis = commit.genesis
    if genesis is None:
        raise Invalid("entry 1 without a genesis (rule 2)")
    if genesis.owner != commit.user:
        raise Invalid("a genesis by somebody else (rule 2)")
    if len(genesis.name.encode()) > MAXIMUM_TITLE:
        raise Invalid("a name that is too long (rule 2)")
    if not state.is_public and zone_id(genesis.owner, genesis.nonce) != state.zone:
        raise Invalid("the genesis of another zone")
    header = Header(is_public=state.is_public, name=genesis.name)
    header.founder = header.owner = genesis.owner
    header.site = (genesis.site, "") if genesis.site else None
    return header


def _check_quota(after: Header, state: ZoneState, records: RecordChanges) -> None:
    growth = records.growth()
    if after.quota is not None and growth > 0 and state.total + growth > after.quota:
        raise Invalid("more bytes than the owner's limit (rule 9)")


def _count_epoch(before: Header, after: Header, commit: Message) -> None:
    """Raises the epoch, or notes that a new key is due: a participant or an unclaimed link is gone,
    or a device was revoked."""
    if commit.next_key:
        after.epoch += 1
        after.is_due = False
        return
    claimed = {change.claim.link for change in commit.share if change.claim is not None}
    old_people = set(before.share.participants) if before.share else set()
    new_people = set(after.share.participants) if after.share else set()
    old_links = set(before.share.links) if before.share else set()
    new_links = set(after.share.links) if after.share else set()
    is_gone = bool(old_people - new_people - {after.owner})
    is_gone = is_gone or bool(old_links - new_links - claimed)
    revokes = any(change.revoke_device is not None for change in commit.share)
    if is_gone or (revokes and not after.is_public):
        after.is_due = True
