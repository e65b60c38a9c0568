"""COMMITS: whether a commit is valid, judged by the state before it."""

from .fold_records import RecordChanges
from .fold_share import Rights, ShareChanges, apply_keys
from .hashes import H
from .problems import Invalid, NewerCairn
from .state import ROOT, Header, Record, ZoneState
from .wire import Message

VERSION = 1

def zone_id(owner: bytes, nonce: bytes) -> bytes:
    """`zone id`: of the owner of the genesis and its nonce."""
    return H("cairn zone v1", owner, nonce)


def judge(state: ZoneState, commit: Message, epoch: int) -> Header:
    """The header after a commit that is valid by rules 1 to 8; raises otherwise.

    Nothing is changed. `take` then applies what was judged.
    """
    return _judged(state, commit, epoch)[0]


def take(state: ZoneState, commit: Message, epoch: int, digest: bytes) -> None:
    """Judges a commit, and applies all of it or nothing."""
    header, records = _judged(state, commit, epoch)
    if not state.is_founded:
        state.records[ROOT] = Record(ROOT, "directory", commit.user)
    state.header = header
    records.take(state)
    state.sequence += 1
    state.head = digest


def _judged(state: ZoneState, commit: Message, epoch: int) -> tuple[Header, RecordChanges]:
    before = state.header
    if commit.previous != state.head:
        raise Invalid("behind another entry (rule 1)")
    base = state
    if not state.is_founded:
        before = _founded(state, commit)
        base = ZoneState(state.zone, state.is_public)
        base.records[ROOT] = Record(ROOT, "directory", commit.user)
    elif commit.genesis is not None:
        raise Invalid("a second genesis (rule 2)")
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
        raise Invalid("by somebody who may not write (rule 5)")
    header = before.copy()
    ShareChanges(header, rights, commit).apply()
    apply_keys(before, header, commit)
    records = RecordChanges(base, commit)
    _check_quota(before, state, records)
    _count_epoch(before, header, commit)
    return header, records


def _founded(state: ZoneState, commit: Message) -> Header:
    genesis = commit.genesis
    if genesis is None:
        raise Invalid("entry 1 without a genesis (rule 2)")
    if genesis.owner != commit.user:
        raise Invalid("a genesis by somebody else (rule 2)")
    if not state.is_public and zone_id(genesis.owner, genesis.nonce) != state.zone:
        raise Invalid("the genesis of another zone")
    header = Header(is_public=state.is_public, name=genesis.name)
    header.founder = header.owner = genesis.owner
    return header


def _check_quota(before: Header, state: ZoneState, records: RecordChanges) -> None:
    growth = records.growth()
    if before.quota is not None and growth > 0 and state.total + growth > before.quota:
        raise Invalid("more bytes than the owner's limit (rule 6)")


def _count_epoch(before: Header, after: Header, commit: Message) -> None:
    """A key is due if a participant or an unclaimed link is gone, or a device was revoked."""
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
