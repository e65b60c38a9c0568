"""Row 2: the hash that names chunks."""

import sys
import time

from masks import elsewhere
from native import MIB, in_turn, native
from table import table

SIZES = [1 << 10, 4 << 10, 256 << 10, MIB]


def messages(size):
    return max(8, 8 * MIB // (size + 512))


def openssl(name):
    return lambda size: native.hash_openssl(name.encode(), size, messages(size))


def blake3():
    """Measures BLAKE3 through Python. About 0.5 µs of each call are Python's, which the first
    column shows."""
    try:
        from blake3 import blake3 as make
    except ImportError:
        print("No blake3 here (python3 -m pip install blake3): left out.", file=sys.stderr)
        return None

    def one(size):
        plain, count = bytes(size), messages(size)
        start = time.thread_time()
        for _ in range(count):
            make(plain, max_threads=1).digest()
        return (time.thread_time() - start) * 1e9 / count

    return one


def report():
    named = [("BLAKE2b-256 (libsodium; today)",
              lambda size: native.hash_blake2b(size, messages(size))),
             ("SHA-256 (OpenSSL)", openssl("SHA256")),
             ("SHA-512/256 (OpenSSL)", openssl("SHA512-256"))]
    third = blake3()
    if third:
        named.append(("BLAKE3 (PyPI), one thread, AVX-512", third))
    found = list(zip([name for name, _ in named], in_turn([way for _, way in named], SIZES)))
    without = elsewhere("no-sha", __file__, "SHA256")
    found.insert(2, ("SHA-256 (OpenSSL), **no SHA instructions**", without))
    rows = [[title, *[size / took * 1000 for size, took in zip(SIZES, times)], times[0],
             times[3] / 1e6 * 1024] for title, times in found]
    heads = ["MB/s of processor time", "1 KiB", "4 KiB", "256 KiB", "1 MiB", "ns for 1 KiB",
             "ms a GiB"]
    return table("Naming", heads, rows)


if __name__ == "__main__":
    print(in_turn([openssl(sys.argv[1])], SIZES)[0])
