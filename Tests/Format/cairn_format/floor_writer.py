"""WRITING floors: the parts of a snapshot, and the `Snapshot` that lists them."""

import random
from collections.abc import Iterable

import zstandard

from . import schema
from .container import Container, zone_folder
from .floors import COMPRESSED, NODE, PLAIN, floor_name, listed_places, part_name
from .hashes import H, n, seal
from .snapshot_state import Version
from .state import ZoneState
from .state_digest import header_of, list_digest, state_lists, version_of
from .wire import Message
from .zone_reader import ReadZone


class FloorWriter:
    """Writes snapshots of one zone under the key of one epoch."""

    def __init__(
        self, container: Container, zone: bytes, founder: bytes, epoch: int, key: bytes,
        dice: random.Random,
    ) -> None:
        self._container, self._folder = container, zone_folder(zone, founder)
        self._zone, self._epoch, self._key, self._dice = zone, epoch, key, dice

    def floor(self, snapshot: Message, forgotten: int = 0) -> Message:
        """The floor of a snapshot, as the floor's entry describes it."""
        header = schema.decode("StateHeader", snapshot.header)
        hidden = [n(each.epoch) + each.versions + each.chunks for each in snapshot.hidden]
        return schema.make(
            "Floor", checkpoint=header.sequence, forgotten=forgotten,
            digest=H("cairn state v1", *snapshot.lists[:4], snapshot.header),
            past=H("cairn floor past v1", snapshot.lists[4], snapshot.places, *hidden),
        )

    def snapshot(
        self, state: ZoneState, digests: dict[int, bytes], versions: Iterable[Version] = (),
        header: Message | None = None,
    ) -> Message:
        """Puts the parts of a state without a closed past. Returns a snapshot without its entry."""
        elements = sorted(
            (each.record.id + n(each.record.changed.sequence), version_of(each))
            for each in versions
        )
        lists = [*state_lists(state, self._put), list_digest("versions", elements, self._put)]
        header = header or header_of(state)
        listed = [digests.get(place, bytes(32)) for place in listed_places(state.sequence)]
        return schema.make(
            "Snapshot", format=1, header=schema.encode(header), lists=lists,
            places=b"".join(listed),
        )

    def put(self, snapshot: Message, entry: bytes, place: int) -> str:
        """Puts the snapshot of the floor with its entry at that place. Returns the key."""
        snapshot.parts.update(entry=entry, place=place)
        checkpoint = schema.decode("StateHeader", snapshot.header).sequence
        name = floor_name(self._key, self._zone, checkpoint)
        key = f"{self._folder}/floors/{name}"
        self._container.put_if_absent(key, self._sealed(n(checkpoint), schema.encode(snapshot)))
        return key

    def _put(self, digest: bytes, piece: bytes, is_node: bool) -> None:
        plain = bytes([NODE if is_node else PLAIN]) + piece
        frame = zstandard.ZstdCompressor().compress(piece)
        if not is_node and len(frame) < len(piece):
            plain = bytes([COMPRESSED]) + frame
        name = part_name(self._key, self._zone, digest)
        self._container.put_if_absent(
            f"{self._folder}/parts/{name}", self._sealed(digest, plain)
        )

    def _sealed(self, about: bytes, plain: bytes) -> bytes:
        nonce = self._dice.randbytes(24)
        sealing_key = H("cairn snapshot key v1", self._key)
        parts = self._zone + n(self._epoch) + about
        return nonce + seal(sealing_key, nonce, "cairn snapshot v1", parts, plain)


def writer_of(container: Container, read: ReadZone, dice: random.Random) -> FloorWriter:
    """Returns a writer of floors in the epoch in force."""
    epoch = read.state.header.epoch
    founder = read.state.header.founder
    return FloorWriter(container, read.state.zone, founder, epoch, read.keys[epoch], dice)
