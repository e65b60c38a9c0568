"""The rules for a commit by itself. An entry with a part that is missing, has another length, or
exceeds the page's limits can't be opened."""

import unicodedata
from typing import Any

from .contents import content_id, pack_names
from .hashes import is_signed
from .problems import Invalid, NewerCairn
from .wire import Message

KINDS = {1: "file", 2: "directory", 3: "symlink", 4: "typed", 5: "reference"}
MAXIMUM_SHARE_CHANGES = 4096
MAXIMUM_TITLE = 1024
MAXIMUM_VALUES = 65536  # fields, values in lists and extended attributes of a commit
MODE, EXTENDED = 1, 2  # the parts that a zone may carry


def need(condition: bool, what: str) -> None:
    """Raises unless the condition holds."""
    if not condition:
        raise Invalid(what)


def check_commit(commit: Message) -> None:
    """Checks the lengths and limits of all parts of a commit."""
    need(len(commit.previous) == 32, "previous")
    need(len(commit.user) == 32 and len(commit.device) == 16, "the author")
    need(len(commit.next_key) in (0, 32), "next_key")
    need(len(commit.run) in (0, 16), "run")
    need(commit.chain is not None, "a commit without the head of its author's chain")
    need(commit.chain.length >= 1 and len(commit.chain.head) == 32, "chain")
    need(len(commit.lock) in (0, 32), "lock")
    if commit.genesis is not None:
        genesis = commit.genesis
        need(len(genesis.owner) == 32 and len(genesis.nonce) == 16, "genesis")
        need(len(genesis.site) in (0, 16), "where a zone begins")
    people = [each.user for each in commit.keys]
    need(people == sorted(set(people)), "keys that aren't ascending by user")
    for each in commit.keys:
        need(len(each.user) == 32 and len(each.key) == 32, "the key of a member")
    for chunk in commit.chunks:
        need(len(chunk.name) == 32, "the name of a chunk")
        need(len(chunk.pack) in (0, 16), "the name of a pack")
        need(len(chunk.after) in (0, 32), "the name of a chunk before")
        need(bool(chunk.pack) or chunk.generation == 0, "a generation without a pack")
    need(_count_values(commit) <= MAXIMUM_VALUES, "too many fields and values")
    for change in commit.records:
        _check_record(change)
    need(len(commit.share) <= MAXIMUM_SHARE_CHANGES, "too many changes of the share")
    for change in commit.share:
        _check_share(change)


def is_name(name: bytes) -> bool:
    """Returns true for 1 to 255 bytes without `/` and NUL that are neither `.` nor `..`."""
    is_plain = b"/" not in name and b"\0" not in name and name not in (b".", b"..")
    return 1 <= len(name) <= 255 and is_plain


def _count_values(commit: Message) -> int:
    count = 0
    for change in commit.records:
        count += len(change.fields)
        count += sum(len(each.list.values) for each in change.fields if each.list is not None)
        extended = change.attributes.extended if change.attributes is not None else None
        count += len(extended.attributes) if extended is not None else 0
    return count


def check_content(content: Message) -> None:
    """Checks a content by itself."""
    need(len(content.id) == 32 and len(content.chunks) % 32 == 0, "a content")
    need(content.id == content_id(content.size, content.chunks), "a content's id")


def check_value(field: Message) -> None:
    """Checks a field's value by itself."""
    which = field.which("value")
    need(which is not None and (which != "removed" or field.removed), "a field's value")
    if which == "reference":
        need(len(field.reference) == 16, "a reference to a record")
    elif which == "asset":
        check_content(field.asset)
    elif which == "list":
        for each in field.list.values:
            need(each.name == "", "a value in a list with a name")
            need(each.which("value") not in ("removed", "list"), "what can't stand in a list")
            check_value(each)


def _check_record(change: Message) -> None:
    need(len(change.id) == 16, "the id of a record")
    need(change.act in (1, 2, 3), "an act")
    need((change.kind in KINDS) if change.act == 1 else change.kind == 0, "a kind")
    if change.place is not None:
        need(len(change.place.parent) == 16 and is_name(change.place.name), "a place")
    if change.content is not None:
        check_content(change.content)
    mode = change.attributes.mode if change.attributes is not None else None
    need(mode is None or mode <= 0o7777, "a mode of more than twelve bits")
    if change.attributes is not None and change.attributes.extended is not None:
        given = [each.name for each in change.attributes.extended.attributes]
        need(b"" not in given and given == sorted(set(given)), "extended attributes")
    names = [each.name.encode("utf-8") for each in change.fields]
    need(names == sorted(names), "fields that aren't sorted")
    equivalent = {unicodedata.normalize("NFC", each.name) for each in change.fields}
    need(len(equivalent) == len(names), "a field's name twice")
    for each in change.fields:
        check_value(each)


def _check_share(change: Message) -> None:
    which = change.which("change")
    need(which is not None, "a change of the share that is none")
    value = getattr(change, which)
    if which in ("remove", "remove_link", "block", "unblock"):
        need(len(value) == 32, which)
    elif which == "offer":
        need(len(value) in (0, 32), which)
    elif which in ("accept", "stop", "purge", "checkpoint", "close_past", "take_over"):
        need(value, which)
    elif which in ("invite", "permission"):
        need(len(value.user) == 32 and value.permission in (1, 2, 3), which)
    elif which == "role":
        need(len(value.user) == 32 and value.role in (2, 3), which)
    elif which == "public_permission":
        need(value in (1, 2, 3), which)
    elif which == "link":
        need(len(value.id) == 32 and len(value.box_key) == 32, which)
        need(value.permission in (1, 2, 3), "the permission of a link")
    elif which == "claim":
        need(len(value.link) == 32 and len(value.proof) == 64, which)
    elif which == "access_requests":
        need(value in (1, 2), which)
    elif which == "revoke_device":
        need(len(value) == 16, which)
    elif which == "goes_on":
        need(len(value.id) == 16, which)
    elif which == "policy":
        need(value.access in (1, 2, 3) and value.permission in (0, 1, 2, 3), which)
    else:
        _check_past(which, value)


def _check_past(which: str, value: Any) -> None:
    if which == "carry" and value & ~(MODE | EXTENDED):
        raise NewerCairn(f"a zone that carries {value}")
    if which == "floor":
        need(len(value.digest) == 32 and len(value.past) == 32, which)
    elif which == "history":
        others = (value.all, value.daily, value.versions)
        need(not value.forever or others == (None, None, None), which)
    elif which == "retire":
        packs = pack_names(value.packs)
        need(len(value.packs) % 16 == 0 and packs == sorted(set(packs)), which)
    elif which == "forget":
        versions = [value.versions[at : at + 8] for at in range(0, len(value.versions), 8)]
        is_whole = len(value.record) == 16 and len(value.versions) % 8 == 0
        need(is_whole and versions == sorted(set(versions)), which)


def check_claims(commit: Message, zone: bytes) -> None:
    """Checks claims. The proof of each claim must be the signature of the link that it names."""
    for change in commit.share:
        claim = change.claim
        if claim is None:
            continue
        parts = (zone, claim.link, commit.user)
        need(is_signed(claim.link, claim.proof, "cairn link claim v1", *parts), "a claim's proof")
