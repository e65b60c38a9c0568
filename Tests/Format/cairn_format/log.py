"""THE LOG OF A ZONE: places, sealing, opening, boxes, spare copies."""

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


def public_place_name(secret: bytes, zone: bytes, number: int) -> str:
    """The name of place `number` of a public zone, under its author's secret key."""
    return hex16(H("cairn public place v1", secret, zone, n(number)))


def copy_name(epoch_key: bytes, zone: bytes, digest: bytes, number: int) -> str:
    """The name of spare copy `number` of the entry with that digest."""
    return hex16(H("cairn copy v1", epoch_key, zone, digest, n(number)))


def end_name(epoch_key: bytes, zone: bytes) -> str:
    """The name of the end-of-epoch record among the copies. The record is a copy of the entry that
    raised the epoch. Everybody who has the epoch's key and no newer one finds it there."""
    return hex16(H("cairn epoch end v1", epoch_key, zone))


def entry_digest(stored: bytes) -> bytes:
    """`entry digest`: the hash of at most the first 16777217 bytes of an entry."""
    return H("cairn entry v1", stored[: MAXIMUM_ENTRY + 1])


def boxes_digest(boxes: list[bytes]) -> bytes:
    """`boxes digest`: the hash of n(its length) || the box, for each box."""
    return H("cairn key boxes v1", *(n(len(each)) + each for each in boxes))


def place_bytes(zone: bytes, sequence: int, epoch: int, boxes: list[bytes]) -> bytes:
    """`place`: the bytes that bind an entry to its place."""
    return zone + n(sequence) + n(epoch) + boxes_digest(boxes)


def commitment_of(key: bytes, zone: bytes, epoch: int, nonce: bytes) -> bytes:
    """`commitment`: the commitment to the epoch key."""
    return H("cairn key commitment v1", key, zone, n(epoch), nonce)


def next_key_of(next_key: bytes, zone: bytes, epoch: int) -> bytes:
    """`next key`: the hash of the next epoch's key in a commit that raises `epoch`."""
    return H("cairn next key v1", next_key, zone, n(epoch + 1))


def boxes_for(next_key: bytes, recipients: set[bytes]) -> list[bytes]:
    """Returns the exact boxes of an entry that raises the epoch, sorted by their bytes."""
    boxes = (epoch_box(next_key, each) for each in recipients)
    return sorted(each for each in boxes if each is not None)


@dataclass
class Opened:
    """An entry that was opened, with a valid signature of its author."""

    stored: bytes
    digest: bytes
    epoch: int
    boxes: list[bytes]
    commit: Message


class Authors(Protocol):
    """A source of people's devices."""

    def sign_key(self, user: bytes, device: bytes, chain: Message | None) -> bytes:
        """Returns the public key of an author's device, which may be revoked. Raises `NotYet` if
        the author's chain doesn't show the device. `chain` is the position in that chain that the
        author has read."""
        ...

    def has_revoked(self, user: bytes, device: bytes) -> bool:
        """Returns true if the person's chain revokes the device."""
        ...


def decode_entry(stored: bytes) -> Message:
    """Decodes the outer message of an entry."""
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
    """Opens an entry as a reader with these keys of epochs does."""
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
    """Returns a commit's bytes, signed by the device of that seed and sealed for a place."""
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
    """`Padding`: adds zeros, so that signed messages have only a few lengths."""
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
    """Checks that an entry with next_key has exactly the boxes of the next epoch's key for each
    distinct key of the state after the commit."""
    if opened.commit.next_key != next_key_of(next_key, zone, opened.epoch):
        raise Invalid("a key that isn't the next epoch's")
    if opened.boxes != boxes_for(next_key, recipients):
        raise Invalid("boxes that aren't exactly those of the state")
