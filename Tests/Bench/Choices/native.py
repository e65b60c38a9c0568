"""Compiles kernels.c outside the project's folders, and calls it."""

import ctypes
import os
import statistics
import subprocess
import sys
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_size_t, c_uint64, c_void_p

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "../../.."))
OUT = os.path.join(ROOT, ".build", "choices")
MIB = 1 << 20


class Totals(ctypes.Structure):
    _fields_ = [
        ("plain", c_size_t), ("stored", c_size_t),
        ("compress", c_double), ("expand", c_double),
        ("tried", c_size_t), ("kept", c_size_t),
    ]


def build():
    source, library = os.path.join(HERE, "kernels.c"), os.path.join(OUT, "kernels.so")
    os.makedirs(OUT, exist_ok=True)
    if not os.path.exists(library) or os.path.getmtime(library) < os.path.getmtime(source):
        flags = ["-O2", "-Wall", "-Wextra", "-shared", "-fPIC", source, "-o", library]
        try:
            made = subprocess.run(["cc", *flags, "-lsodium", "-lcrypto", "-lzstd"]).returncode
        except FileNotFoundError:
            made = 127
        if made:
            sys.exit(
                "kernels.c can't be compiled. It needs a C compiler and the development files of "
                "libsodium, OpenSSL and zstd:\n"
                "  apt-get install gcc libsodium-dev libssl-dev libzstd-dev")
    return library


def load():
    library = ctypes.CDLL(build())
    for name, result, *arguments in [
        ("versions", c_char_p),
        ("now", c_double),
        ("fill_random", None, c_uint64, c_void_p, c_size_t),
        ("xchacha", c_void_p),
        ("aead_sodium", c_double, c_void_p, c_size_t, c_size_t),
        ("aead_openssl", c_double, c_char_p, c_size_t, c_size_t),
        ("commitment", c_double, c_size_t),
        ("hash_blake2b", c_double, c_size_t, c_size_t),
        ("hash_openssl", c_double, c_char_p, c_size_t, c_size_t),
        ("digest", None, c_void_p, c_size_t, c_char_p),
        ("pieces_zstd", c_int, c_void_p, c_void_p, c_void_p, c_size_t, c_int, c_char_p, c_size_t,
         c_size_t, c_int, c_void_p, POINTER(Totals)),
        ("pieces_lz4", c_int, c_void_p, c_void_p, c_void_p, c_size_t, c_void_p, c_void_p,
         POINTER(Totals)),
        ("train", c_size_t, c_char_p, c_size_t, c_void_p, c_void_p, ctypes.c_uint),
        ("delta", c_size_t, c_void_p, c_size_t, c_void_p, c_size_t, c_int,
         POINTER(c_double), POINTER(c_double)),
        ("gear_value", c_uint64, c_int),
        ("cuts", c_size_t, c_void_p, c_size_t, c_size_t, c_size_t, c_size_t, c_uint64, c_uint64,
         c_void_p, POINTER(c_double)),
    ]:
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    library.versions()
    # The two values in cairn-container(5).
    assert library.gear_value(0) == 0x5DC0DD3F96C1080C
    assert library.gear_value(1) == 0x9E4A694CBCB0836B
    return library


native = load()


class Bytes:
    """Bytes at an address that stays."""

    def __init__(self, value):
        self.value = bytes(value)
        self.count = len(self.value)
        self.address = ctypes.cast(c_char_p(self.value), c_void_p).value


def noise(seed, count):
    room = ctypes.create_string_buffer(count + 8)
    native.fill_random(seed, room, count + 8)
    return room.raw[:count]


def rounds(body, count=15):
    """Returns the median of the results of several rounds."""
    return statistics.median(body() for _ in range(count))


def in_turn(ways, sizes, count=15):
    """Returns the median at each size for each alternative. The alternatives take turns, so that a
    disturbance affects all."""
    found = [[[way(size) for way in ways] for _ in range(count)] for size in sizes]
    medians = [[statistics.median(column) for column in zip(*turns)] for turns in found]
    return [list(row) for row in zip(*medians)]


class Pieces:
    """Contents in a row, with the begin and the end of each chunk in them."""

    def __init__(self, contents, sizes=None):
        self.all = Bytes(b"".join(contents))
        spans, at = [], 0
        for content in contents:
            spans += [(at + start, end - start) for start, end in (sizes or whole)(content)]
            at += len(content)
        self.count = len(spans)
        self.starts = (c_uint64 * self.count)(*[start for start, _ in spans])
        self.sizes = (c_uint64 * self.count)(*[size for _, size in spans])

    def zstd(self, level, dictionary=b"", probe=0, keep=5, stored=None):
        sums = Totals()
        right = native.pieces_zstd(
            self.all.address, self.starts, self.sizes, self.count, level, dictionary or None,
            len(dictionary), probe, keep, stored, byref(sums))
        assert right, "what was compressed doesn't come back"
        return sums

    def lz4(self, library):
        sums = Totals()
        make = ctypes.cast(library.LZ4_compress_default, c_void_p)
        back = ctypes.cast(library.LZ4_decompress_safe, c_void_p)
        assert native.pieces_lz4(
            self.all.address, self.starts, self.sizes, self.count, make, back, byref(sums))
        return sums


def whole(content):
    return [(0, len(content))] if content else []


class Cutter:
    """The gear hash of cairn-container(5), with its sizes or others."""

    def __init__(self, least, normal, most):
        bits = normal.bit_length() - 1
        self.least, self.normal, self.most = least, normal, most
        # Each mask has one bits from bit 62 down. Up to the normal size, the strict mask has two
        # bits more than the logarithm of that size. Behind it, the easy mask has two fewer.
        self.strict, self.easy = self.ones(bits + 2), self.ones(bits - 2)

    @staticmethod
    def ones(count):
        return ((1 << count) - 1) << (63 - count)

    def cut(self, content):
        return self.spans(Bytes(content))[0]

    def spans(self, held):
        ends = (c_uint64 * (held.count // self.least + 2))()
        took = c_double()
        count = native.cuts(
            held.address, held.count, self.least, self.normal, self.most, self.strict, self.easy,
            ends, byref(took))
        ends = ends[:count]
        return list(zip([0] + ends[:-1], ends)), took.value

    def names(self, held):
        """Returns the chunks with their digests, in their order."""
        out = ctypes.create_string_buffer(16)
        named = []
        for start, end in self.spans(held)[0]:
            native.digest(held.address + start, end - start, out)
            named.append((out.raw, start, end))
        return named


TODAY = Cutter(64 << 10, 256 << 10, 1 << 20)
assert (TODAY.strict, TODAY.easy) == (0x7FFFF80000000000, 0x7FFF800000000000)
