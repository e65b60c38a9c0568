"""THE LOG OF A ZONE: places, sealing, opening, boxes, copies."""

from dataclasses import dataclass
from typing import Protocol

from . import schema
from .bounds import check_claims, check_commit
from .fold import zone_id
from .hashes import H, epoch_box, hex16, is_signed, n, padded_length, seal, sign, unseal
from .problems import Invalid
from .wire import Message

MAXIMUM_ENTRY = 16 << 20
COPIES = 8


def place_name(epoch_key: bytes, zone: bytes, number: int) -> str:
    """The name of place `number`, under the key of the epoch in force before it."""
    return hex16(H("cairn place v1", epoch_key, zone, n(number)))


def copy_name(epoch_key: bytes, zone: bytes, digest: bytes, number: int) -> str:
    """The name of copy `number` of the entry with that digest."""
    return hex16(H("cairn copy v1", epoch_key, zone, digest, n(number)))


def end_name(epoch_key: bytes, zone: bytes) -> str:
    """The name, among the copies, of the mark that an epoch has ended: a copy of the entry that
    raised it, where everybody finds it who has the epoch's key and nothing newer."""
    return hex16(H("cairn epoch end v1", epoch_key, zone))


def entry_digest(stored: bytes) -> bytes:
    """`entry digest`: of a longer one its first 16777217 bytes."""
    return H("cairn entry v1", stored[: MAXIMUM_ENTRY + 1])


def boxes_digest(boxes: list[bytes]) -> bytes:
    """`boxes digest`: for each box n(its length) || the box."""
    return H("cairn key boxes v1", *(n(len(each)) + each for each in boxes))


def place_bytes(zone: bytes, sequence: int, epoch: int, boxes: list[bytes]) -> bytes:
    """`place`: what an entry is bound to."""
    return zone + n(sequence) + n(epoch) + boxes_digest(boxes)


def commitment_of(key: bytes, zone: bytes, epoch: int, nonce: bytes) -> bytes:
    """`commitment`: to the epoch key."""
    return H("cairn key commitment v1", key, zone, n(epoch), nonce)


def next_key_of(next_key: bytes, zone: bytes, epoch: int) -> bytes:
    """`next key`: what a commit that raises `epoch` says of the next one's key."""
    return H("cairn next key v1", next_key, zone, n(epoch + 1))


def boxes_for(next_key: bytes, recipients: set[bytes]) -> list[bytes]:
    """Exactly the boxes of an entry that raises the epoch, sorted by their bytes."""
    boxes = (epoch_box(next_key, each) for each in recipients)
    return sorted(each for each in boxes if each is not None)


@dataclass
class Opened:
    """An entry that was opened, and whose author signed it."""

    stored: bytes
    digest: bytes
    epoch: int
    boxes: list[bytes]
    commit: Message


class Authors(Protocol):
    """Who knows the devices of people."""

    def sign_key(self, user: bytes, device: bytes, chain: Message | None) -> bytes:
        """The public key of an author's device, which may be a revoked one; raises `NotYet` if
        the author's chain doesn't show the device. `chain` is what the author has read of it."""
        ...

    def has_revoked(self, user: bytes, device: bytes) -> bool:
        """Whether the person's chain revokes the device."""
        ...


def decode_entry(stored: bytes) -> Message:
    """The outside of an entry."""
    if len(stored) > MAXIMUM_ENTRY:
        raise Invalid("an entry that is too long")
    entry = schema.decode("LogEntry", stored)
    if entry.format != 1 or not 1 <= entry.epoch < 2**63:
        raise Invalid("an entry of another format, or of an epoch that none is")
    if len(entry.nonce) != 24 or len(entry.commitment) != 32:
        raise Invalid("a nonce or a commitment of another length")
    if any(len(each) != 80 for each in entry.key_boxes):
        raise Invalid("a box of another length")
    return entry


def open_entry(
    stored: bytes, zone: bytes, sequence: int, keys: dict[int, bytes], authors: Authors,
    is_public: bool = False,
) -> Opened:
    """Opens an entry as a reader does who knows these keys of epochs."""
    entry = decode_entry(stored)
    key = keys.get(entry.epoch)
    if key is None:
        raise Invalid(f"no key of epoch {entry.epoch}")
    if entry.commitment != commitment_of(key, zone, entry.epoch, entry.nonce):
        raise Invalid("a commitment to another key")
    place = place_bytes(zone, sequence, entry.epoch, entry.key_boxes)
    sealing_key = H("cairn commit key v1", key)
    plain = unseal(sealing_key, entry.nonce, "cairn commit v1", place, entry.sealed)
    signed = schema.decode("SignedCommit", plain)
    commit = schema.decode("Commit", signed.body)
    check_commit(commit)
    public = authors.sign_key(commit.user, commit.device, commit.chain)
    parts = (place, signed.body)
    if not is_signed(public, signed.signature, "cairn signed commit v1", *parts):
        raise Invalid("a signature that doesn't fit")
    if commit.genesis is not None and not is_public:
        if zone_id(commit.genesis.owner, commit.genesis.nonce) != zone:
            raise Invalid("the genesis of another zone")
    check_claims(commit, zone)
    if bool(entry.key_boxes) and not commit.next_key:
        raise Invalid("boxes in an entry that doesn't raise the epoch")
    return Opened(stored, entry_digest(stored), entry.epoch, entry.key_boxes, commit)


def seal_entry(
    body: bytes, zone: bytes, sequence: int, epoch: int, key: bytes, boxes: list[bytes],
    seed: bytes, nonce: bytes,
) -> bytes:
    """A commit's bytes, signed by the device of that seed and sealed for a place."""
    place = place_bytes(zone, sequence, epoch, boxes)
    signature = sign(seed, "cairn signed commit v1", place, body)
    plain = pad(schema.make("SignedCommit", body=body, signature=signature))
    sealed = seal(H("cairn commit key v1", key), nonce, "cairn commit v1", place, plain)
    return schema.encode(
        schema.make(
            "LogEntry",
            format=1,
            epoch=epoch,
            nonce=nonce,
            key_boxes=boxes,
            sealed=sealed,
            commitment=commitment_of(key, zone, epoch, nonce),
        )
    )


def pad(signed: Message) -> bytes:
    """`Padding`: zeros, so that a signed message has one of few lengths."""
    plain = schema.encode(signed)
    goal = padded_length(len(plain))
    if goal == len(plain):
        return plain
    signed.parts["padding"] = b""
    while len(schema.encode(signed)) > goal:
        goal = padded_length(goal + 1)
    signed.parts["padding"] = bytes(max(0, goal - len(schema.encode(signed)) - 4))
    while len(schema.encode(signed)) < goal:
        signed.parts["padding"] += b"\0"
    return schema.encode(signed)


def check_boxes(
    opened: Opened, zone: bytes, recipients: set[bytes], next_key: bytes
) -> None:
    """An entry with next_key has exactly the boxes of the next epoch's key for each distinct
    key of the state after the commit."""
    if opened.commit.next_key != next_key_of(next_key, zone, opened.epoch):
        raise Invalid("a key that isn't the next epoch's")
    if opened.boxes != boxes_for(next_key, recipients):
        raise Invalid("boxes that aren't exactly those of the state")
