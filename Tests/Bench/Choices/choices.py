"""Measures the building blocks of the container format against their alternatives.

    make bench-choices [ROWS="cipher hash compression cuts deltas packs"] [PYTHON=python3]

Prints tables in Markdown. CHOICES.md has the tables that decided, and the reasons. The program
needs a C compiler and the development files of libsodium, OpenSSL and zstd. It uses liblz4, blake3
and PyNaCl 1.6 (for AEGIS) if they are installed. It installs nothing.
"""

import datetime
import importlib
import os
import sys

ROWS = {
    "cipher": "ciphers", "hash": "hashes", "compression": "compression", "cuts": "cutting",
    "deltas": "deltas", "packs": "packs",
}


def processor():
    """Returns the processor's name, and its instructions that matter here."""
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        pairs = (line.split(":", 1) for line in lines if ":" in line)
        about = {}
        for key, value in pairs:
            about.setdefault(key.strip(), value.strip())
    flags = about.get("flags", "").split()
    has = [name for name in ("aes", "vaes", "sha_ni", "avx2", "avx512f") if name in flags]
    family, model = about.get("cpu family", "?"), about.get("model", "?")
    name = about.get("model name", "a processor")
    return f"{name} (family {family}, model {model}; {' '.join(has)})"


def main():
    wanted = sys.argv[1:] or list(ROWS)
    unknown = [row for row in wanted if row not in ROWS]
    if unknown:
        sys.exit(f"No such row: {' '.join(unknown)}. There are: {' '.join(ROWS)}")
    sys.dont_write_bytecode = True
    from native import OUT, native

    said = [
        f"Measured {datetime.date.today()} on {processor()}, {os.cpu_count()} processors; "
        f"{native.versions().decode()}.\n"
    ]
    print(said[0], flush=True)
    for row in wanted:
        said.append(importlib.import_module(ROWS[row]).report())
        print(said[-1], flush=True)
    with open(os.path.join(OUT, "choices.md"), "w", encoding="utf-8") as file:
        file.write("\n".join(said))


if __name__ == "__main__":
    main()
