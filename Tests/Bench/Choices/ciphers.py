"""Row 1: the cipher."""

import ctypes
import glob
import os
import sys

from masks import MASKS, elsewhere
from native import MIB, in_turn, native, rounds
from table import table

SIZES = [1 << 10, 4 << 10, 64 << 10, MIB]


def messages(size, slow=False):
    return max(8, (4 if slow else 16) * MIB // (size + 2048))


def openssl(name):
    return lambda size: native.aead_openssl(name.encode(), size, messages(size, slow=True))


def sodium(function):
    return lambda size: native.aead_sodium(function, size, messages(size))


def aegis():
    """Returns AEGIS from a libsodium that has it: the system's from 1.0.19 on, or the one in
    PyNaCl."""
    places = ["libsodium.so.26", "libsodium.so.23"]
    try:
        import nacl
        places += glob.glob(os.path.join(os.path.dirname(nacl.__file__), "_sodium*.so"))
    except ImportError:
        pass
    for place in places:
        try:
            library = ctypes.CDLL(place)
            library.sodium_init()
            function = ctypes.cast(library.crypto_aead_aegis256_encrypt, ctypes.c_void_p)
            return sodium(function.value), "system" if "/" not in place else "PyNaCl's libsodium"
        except (OSError, AttributeError):
            continue
    return None, None


def report():
    named = [("XChaCha20-Poly1305 (libsodium; today)", sodium(native.xchacha())),
             ("ChaCha20-Poly1305 (OpenSSL)", openssl("ChaCha20-Poly1305")),
             ("AES-256-GCM (OpenSSL)", openssl("AES-256-GCM"))]
    way, origin = aegis()
    if way:
        named.append((f"AEGIS-256 ({origin})", way))
    else:
        print("No libsodium with AEGIS here (1.0.19, or PyNaCl 1.6): left out.", file=sys.stderr)
    found = list(zip([name for name, _ in named], in_turn([way for _, way in named], SIZES)))
    for title, name, mask in [
        ("ChaCha20-Poly1305 (OpenSSL), no AVX-512", "ChaCha20-Poly1305", "no-avx512"),
        ("AES-256-GCM (OpenSSL), no AVX-512", "AES-256-GCM", "no-avx512"),
        ("AES-256-GCM (OpenSSL), **no AES instructions**", "AES-256-GCM", "no-aes"),
    ]:
        found.append((title, elsewhere(mask, __file__, name)))
    commitment = rounds(lambda: native.commitment(20_000))
    rows = []
    for title, times in found:
        rows.append([title, *[size / took * 1000 for size, took in zip(SIZES, times)],
                     times[0], times[0] + commitment, times[3] / 1e6 * 1024])
    heads = ["MB/s of processor time", "1 KiB", "4 KiB", "64 KiB", "1 MiB", "ns for 1 KiB",
             "… committing", "ms a GiB"]
    note = (f"A commitment is one more BLAKE2b of 120 bytes: {commitment:.0f} ns a message, of "
            "whatever size. A new key for every message.")
    return table("Sealing", heads, rows, note)


if __name__ == "__main__":
    print(in_turn([openssl(sys.argv[1])], SIZES)[0])
