"""CONTENTS OF FILES: chunks, packs, and the places at which contents are cut."""

from collections.abc import Iterator

import zstandard

from . import schema
from .container import Container, pack_key
from .hashes import H, n, padded_length, seal, unseal
from .problems import Invalid
from .wire import Message

MAXIMUM_CHUNK = 1048576
MINIMUM_CHUNK = 65536
MAXIMUM_PACK = 64 << 20
MAXIMUM_PIECES, MAXIMUM_ADDED = 64, 65536
NONE, ZSTD = 1, 2
_SEED = 0x636169726E2D7631
_EARLY, _LATE, _MIDDLE = 0x7FFFF80000000000, 0x7FFF800000000000, 262144
_ALL = 2**64 - 1


def chunk_name(plain: bytes) -> bytes:
    """`chunk name`: the hash of the plaintext."""
    return H("cairn chunk v1", plain)


def content_id(size: int, names: bytes) -> bytes:
    """`content id`: the hash of the number of bytes and the names of the chunks."""
    return H("cairn content v1", n(size), names)


def chunk_names(chunks: bytes) -> list[bytes]:
    """The names of the chunks in a content."""
    return [chunks[at : at + 32] for at in range(0, len(chunks), 32)]


def pack_names(packs: bytes) -> list[bytes]:
    """The names of the packs in a retirement."""
    return [packs[at : at + 16] for at in range(0, len(packs), 16)]


# --- where contents are cut


def _gear() -> list[int]:
    """`gear[k]`: output k of splitmix64."""
    out, state = [], _SEED
    for _ in range(256):
        state = (state + 0x9E3779B97F4A7C15) & _ALL
        mixed = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _ALL
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _ALL
        out.append(mixed ^ (mixed >> 31))
    return out


GEAR = _gear()


def cut(data: bytes) -> Iterator[bytes]:
    """The chunks of a content."""
    at = 0
    while at < len(data):
        end = _end_of_chunk(data, at)
        yield data[at:end]
        at = end


def _end_of_chunk(data: bytes, begin: int) -> int:
    rest = len(data) - begin
    if rest <= MINIMUM_CHUNK:
        return len(data)
    hash = 0
    for i in range(MINIMUM_CHUNK, min(rest, MAXIMUM_CHUNK)):
        hash = ((hash << 1) + GEAR[data[begin + i]]) & _ALL
        if not hash & (_EARLY if i < _MIDDLE else _LATE):
            return begin + i + 1
    return begin + min(rest, MAXIMUM_CHUNK)


# --- chunks


def payload_of(plain: bytes) -> tuple[bytes, int]:
    """The payload of a chunk, and its compression: one zstd frame if that is shorter."""
    frame = zstandard.ZstdCompressor(level=3).compress(plain)
    return (frame, ZSTD) if len(frame) < len(plain) else (plain, NONE)


def _raw_dictionary(plain: bytes) -> zstandard.ZstdCompressionDict:
    """Plaintext as a dictionary, without the format of one."""
    return zstandard.ZstdCompressionDict(plain, dict_type=zstandard.DICT_TYPE_RAWCONTENT)


def piece_of(start: bytes, plain: bytes) -> Message:
    """The piece of a chunk behind another one, with which it begins."""
    packer = zstandard.ZstdCompressor(level=3, dict_data=_raw_dictionary(start))
    return schema.make(
        "ChunkPiece", before=chunk_name(start), size=len(start),
        added=packer.compress(plain[len(start) :]),
    )


def _unpack(payload: bytes, compression: int, size: int, start: bytes = b"") -> bytes:
    """Unpacks a payload. A reader must never unpack more than the size that the entry states."""
    if compression == NONE:
        return payload
    if compression != ZSTD:
        raise Invalid("a compression that is none")
    unpacker = zstandard.ZstdDecompressor(dict_data=_raw_dictionary(start) if start else None)
    frames = unpacker.stream_reader(payload, read_across_frames=True)
    try:
        plain = frames.read(size + 1)
    except zstandard.ZstdError as error:
        raise Invalid("a chunk that doesn't unpack") from error
    if len(plain) > size:
        raise Invalid("a chunk that unpacks to more than it states")
    return plain


def seal_chunk(key: bytes, name: bytes, payload: bytes) -> bytes:
    """A chunk as it is stored in a pack."""
    return seal(key, bytes(24), "cairn chunk v1", name, payload)


def pack_of(sealed: list[bytes], filler: bytes) -> bytes:
    """A pack: sealed chunks, and random bytes up to a Padmé length of at least 4096."""
    body = b"".join(sealed)
    return body + filler[: max(padded_length(len(body)), 4096) - len(body)]


class ContentReader:
    """Reads the contents of zones. It keeps the packs that it has read."""

    def __init__(self, container: Container) -> None:
        self._container = container
        self._packs: dict[str, bytes | None] = {}

    def read(self, size: int, chunks: bytes, known: dict[bytes, Message]) -> bytes:
        """Reads a content. The sizes of its chunks must add up."""
        parts = []
        for name in chunk_names(chunks):
            if name not in known:
                raise Invalid("a content with a chunk that the zone doesn't have")
            parts.append(self.read_chunk(known[name]))
        data = b"".join(parts)
        if len(data) != size:
            raise Invalid("a content whose chunks add up to another size")
        return data

    def read_chunk(self, entry: Message) -> bytes:
        """Reads a chunk. Its size and name are checked before a byte is used. The chunk's place is
        checked only here, and no commit is refused for it."""
        if not 1 <= entry.size <= MAXIMUM_CHUNK:
            raise Invalid("a chunk of a size that none has")
        place = schema.decode("ChunkPlace", entry.place)
        pieces, name, size = place.pieces, entry.name, entry.size
        if pieces:
            self._check(pieces, size)
            name, size = pieces[0].before, pieces[0].size
        plain = self._plaintext(entry, place, name, size)
        for piece, end in zip(pieces, [each.size for each in pieces[1:]] + [entry.size]):
            plain += _unpack(piece.added, ZSTD, end - piece.size, plain)
            if len(plain) != end:
                raise Invalid("a piece with another size than it says")
        if pieces and chunk_name(plain) != entry.name:
            raise Invalid("a chunk with pieces that isn't what its name says")
        return plain

    @staticmethod
    def _check(pieces: list[Message], size: int) -> None:
        sizes = [0, *(each.size for each in pieces), size]
        is_right = all(one < other for one, other in zip(sizes, sizes[1:]))
        is_right &= all(len(each.before) == 32 and each.added for each in pieces)
        added = sum(len(each.added) for each in pieces)
        if not is_right or len(pieces) > MAXIMUM_PIECES or added > MAXIMUM_ADDED:
            raise Invalid("pieces that can't be")

    def _plaintext(self, entry: Message, place: Message, name: bytes, size: int) -> bytes:
        """The bytes before all pieces."""
        plain = _unpack(self._payload(entry, place, name, size), place.compression, size)
        if len(plain) != size or chunk_name(plain) != name:
            raise Invalid("a chunk that isn't what its name says")
        return plain

    def _payload(self, entry: Message, place: Message, name: bytes, size: int) -> bytes:
        which = place.which("position")
        if which == "inline":
            if place.key or entry.pack or len(place.inline) > size:
                raise Invalid("an inline chunk with a key or a pack, or too long")
            return place.inline
        if which is None or len(place.key) != 32:
            raise Invalid("a chunk without a place, or without its key")
        pack = place.pack
        is_right = len(pack.owner) == 32 and bool(entry.pack) and pack.offset <= MAXIMUM_PACK
        if not is_right or not 16 < pack.length <= size + 16:
            raise Invalid("a place in a pack that is out of its bounds")
        key = pack_key(pack.owner, entry.generation, entry.pack)
        if key not in self._packs:
            self._packs[key] = self._container.get(key)
        data = self._packs[key]
        if data is None:
            raise Invalid("a pack that isn't there")
        sealed = data[pack.offset : pack.offset + pack.length]
        return unseal(place.key, bytes(24), "cairn chunk v1", name, sealed)
