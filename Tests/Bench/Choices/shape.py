"""The sizes of things in the container, by the rules of cairn-container(5)."""


def padme(length, least=256):
    if length <= least:
        return least
    exponent = length.bit_length() - 1
    unit = 1 << (exponent - exponent.bit_length())
    return (length + unit - 1) // unit * unit


def pack(length):
    return padme(length, 4096) if length else 0


def number(value):
    """Returns the number of bytes of a number in a message."""
    return max(1, (value.bit_length() + 6) // 7)


def field(length):
    """Returns the size of a field of that many bytes, with its number and its length."""
    return 1 + number(length) + length


def chunk_inline(name_bytes, size, payload):
    place = field(payload) + 2
    return field(field(name_bytes) + 1 + number(size) + field(place))


def chunk_packed(size, length, offset=4 << 20):
    place = field(field(32) + field(16) + 1 + number(offset) + 1 + number(length))
    place += field(32) + 2
    return field(field(32) + 1 + number(size) + field(place))


def record(chunks, size):
    """Returns the size of the new content of one file."""
    content = field(32) + 1 + number(size) + (field(32 * chunks) if chunks else 0)
    return field(field(16) + 2 + field(content) + field(9))


def entry(parts):
    """Returns the size of an entry with the chunks and records of a commit, before and after
    padding."""
    body = field(32) + field(32) + field(16) + 10 + field(16) + parts
    signed = field(body) + field(64)
    padded = padme(signed)
    around = 2 + 2 + field(24) + field(32)
    return signed + 16 + around, field(padded + 16) + around
