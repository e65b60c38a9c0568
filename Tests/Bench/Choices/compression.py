"""Row 3: the compression, the rule that gives it up, and the total cost of a GiB."""

import ctypes
import sys
from ctypes import c_size_t

import corpora
from native import MIB, TODAY, Bytes, Pieces, native, rounds
from table import table


def seconds(sums, kind):
    """Returns the seconds of processor time for a GiB of plain bytes."""
    return getattr(sums, kind) / 1e9 / (sums.plain / (1 << 30))


def medians(ways, count=5):
    """Returns the median of each alternative. They are played in turn, so that a disturbance
    affects all."""
    found = [[way() for way in ways] for _ in range(count)]
    return [sorted(column, key=lambda s: s.compress)[count // 2] for column in zip(*found)]


def saved(sums):
    return f"{100 * (1 - sums.stored / sums.plain):.1f} %"


def lz4():
    for name in ["liblz4.so.1", "liblz4.so"]:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


def levels(named):
    rows, known = [], lz4()
    if not known:
        print("No liblz4 here (apt-get install liblz4-1): left out.", file=sys.stderr)
    for title, pieces in named:
        ways = [("LZ4", lambda: pieces.lz4(known))] if known else []
        ways += [(f"zstd {n}", lambda n=n: pieces.zstd(n)) for n in (1, 3, 5)]
        slow = [(f"zstd {n}", lambda n=n: pieces.zstd(n)) for n in (9, 19)]
        sums = medians([body for _, body in ways], 7) + medians([body for _, body in slow], 1)
        for (way, _), one in zip(ways + slow, sums):
            rows.append([f"{title}: {way}", saved(one), seconds(one, "compress"),
                         seconds(one, "expand")])
    heads = ["each chunk by itself", "saved", "s a GiB, packing", "s a GiB, unpacking"]
    return table("Compression", heads, rows)


def dictionaries():
    training, files = corpora.small()
    sizes = (c_size_t * len(training))(*map(len, training))
    room = ctypes.create_string_buffer(112_640)
    count = native.train(room, len(room), b"".join(training), sizes, len(training))
    dictionary = room.raw[:count]
    pieces, joined = Pieces(files), Pieces(together(files))
    named = [("zstd 1, 64 KiB of files in one frame", joined, 1, b"")]
    for level in [1, 3, 9, 19]:
        named.append((f"zstd {level}", pieces, level, b""))
        title = f"zstd {level}, dictionary of {count // 1024} KiB"
        named.append((title, pieces, level, dictionary))
    sums = medians([lambda n=n: n[1].zstd(n[2], n[3]) for n in named], 3)
    rows = [
        [title, saved(one), round(one.stored / pieces.count), one.compress / pieces.count / 1000,
         one.expand / pieces.count / 1000] for (title, *_), one in zip(named, sums)]
    size = pieces.all.count // pieces.count
    title = f"Small files: {pieces.count:,} of 1 to 4 KiB, {size:,} bytes each"
    heads = ["each by itself", "saved", "bytes a file", "µs a file, packing", "unpacking"]
    return table(title, heads, rows)


def together(files):
    joined, part = [], b""
    for file in files:
        part += file
        if len(part) >= 64 << 10:
            joined.append(part)
            part = b""
    return joined + ([part] if part else [])


def giving_up(named):
    rules = [
        ("all of it; keep what is a byte shorter", 0, 0),
        ("all of it; keep what is 1/32 shorter (today)", 0, 5),
        ("all of it; keep what is 1/8 shorter", 0, 3),
        ("first 16 KiB; go on if they shrink by 1/32", 16 << 10, 5),
        ("first 64 KiB; go on if they shrink by 1/32", 64 << 10, 5),
    ]
    rows = [[rule] for rule, _, _ in rules]
    for _, pieces in named:
        ways = [lambda p=p, k=k: pieces.zstd(1, probe=p, keep=k) for _, p, k in rules]
        for row, sums in zip(rows, medians(ways, 7)):
            row += [saved(sums), seconds(sums, "compress")]
    heads = ["zstd 1"]
    for title, _ in named:
        heads += [title, "s a GiB"]
    return table("Giving up", heads, rows)


def way(named):
    """Measures the whole path of the bytes into the container, part by part."""
    rows = []
    for title, contents in named:
        pieces = Pieces(contents, TODAY.cut)
        held = Bytes(b"".join(contents))
        gib = held.count / (1 << 30)
        cut = rounds(lambda: TODAY.spans(held)[1]) / 1e9 / gib
        name = rounds(lambda: native.hash_blake2b(256 << 10, 64)) / 1e9 * 4096
        sums = medians([lambda: pieces.zstd(1)])[0]
        share = sums.stored / sums.plain
        seal = rounds(lambda: native.aead_sodium(native.xchacha(), 256 << 10, 64)) / 1e9 * 4096
        parts = [cut, name, seconds(sums, "compress"), seal * share]
        total = sum(parts)
        rows.append([title, *parts, total, 1073.7 / total, f"{100 * parts[3] / total:.0f} %"])
    heads = ["s a GiB", "cut", "named", "compressed", "sealed", "together", "MB/s",
             "sealing's part"]
    return table("The cost of storing a GiB, today", heads, rows)


def report():
    contents = [("text", corpora.text()), ("binaries", corpora.binaries()),
                ("gzip", corpora.packed()), ("random", corpora.random_bytes())]
    pieces = [(title, Pieces(content, TODAY.cut)) for title, content in contents]
    sizes = ", ".join(
        f"{title} {p.all.count / MIB:.0f} MiB in {p.count:,} chunks" for title, p in pieces)
    return "\n".join([
        f"Contents: {sizes}.\n", levels(pieces[:3]), dictionaries(), giving_up(pieces),
        way(contents)])
