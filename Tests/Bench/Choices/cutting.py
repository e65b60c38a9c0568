"""Row 4: the size of chunks."""

import corpora
import shape
from native import MIB, Bytes, Cutter, Pieces, noise
from table import table

SCHEMES = [
    ("16 / 64 / 256 KiB", Cutter(16 << 10, 64 << 10, 256 << 10)),
    ("64 / 256 KiB / 1 MiB (today)", Cutter(64 << 10, 256 << 10, 1 << 20)),
    ("256 KiB / 1 / 4 MiB", Cutter(256 << 10, 1 << 20, 4 << 20)),
]


def fresh(cutter, old, new):
    """Returns the chunks of `new` that `old` doesn't have."""
    known = {name for name, _, _ in old}
    return [(start, end) for name, start, end in new if name not in known]


def stored(held, spans):
    """Returns the sizes of new chunks, and of their payloads."""
    payloads = []
    for start, end in spans:
        one = Pieces([held.value[start:end]])
        payloads.append((end - start, one.zstd(1).stored))
    return payloads


def objects(payloads, chunks, size, inline=64 << 10):
    """Returns the bytes of the entry and of the pack."""
    total = sum(payload for _, payload in payloads)
    if total <= inline:
        parts = sum(shape.chunk_inline(32, plain, payload) for plain, payload in payloads)
        return shape.entry(parts + shape.record(chunks, size))[1], 0
    parts = sum(shape.chunk_packed(plain, payload + 16) for plain, payload in payloads)
    return (shape.entry(parts + shape.record(chunks, size))[1],
            shape.pack(total + 16 * len(payloads)))


def large(cutter):
    plain = noise(5, 256 * MIB)
    old = cutter.names(Bytes(plain))
    shifted = Bytes(b"!" + plain)
    front = sum(end - start for start, end in fresh(cutter, old, cutter.names(shifted)))
    del shifted
    middles = []
    for turn in range(3):
        at = 128 * MIB + turn * 7_654_321
        changed = Bytes(plain[:at] + noise(90 + turn, MIB) + plain[at + MIB:])
        middles.append(sum(e - s for s, e in fresh(cutter, old, cutter.names(changed))))
    gib, each = len(old) * 4, shape.chunk_packed(256 << 10, 250_000)
    # An entry has at most 16 MiB: new chunks and their names in one entry, or the names alone.
    most = [16 * MIB / (each + 32) / gib, 16 * MIB / 32 / gib]
    return [len(plain) // len(old) // 1024, gib, each * gib / 1024, 32 * gib / 1024, front / 1024,
            sum(middles) / len(middles) / MIB, *most]


def appended(cutter, seeds=range(1, 17), lines=25):
    """Returns the averages for an appended line: bytes of its chunks, of their payload, and in the
    container."""
    plain = payload = entries = packs = 0
    for seed in seeds:
        log = corpora.Log(seed)
        content = log.bytes(5 * MIB + seed * 77_777)
        old = cutter.names(Bytes(content))
        for _ in range(lines):
            content += log.line()
            held = Bytes(content)
            new = cutter.names(held)
            payloads = stored(held, fresh(cutter, old, new))
            entry, pack = objects(payloads, len(new), len(content))
            plain += sum(size for size, _ in payloads)
            payload += sum(size for _, size in payloads)
            entries, packs = entries + entry, packs + pack
            old = new
    count = len(seeds) * lines
    return [plain / count / 1024, payload / count / 1024, entries / count / 1024,
            packs / count / 1024]


def text_saved(cutter):
    """Returns the share of text and of binaries that zstd 1 saves in chunks of this size."""
    found = []
    for contents in [[b"".join(corpora.text())], corpora.binaries()]:
        sums = Pieces(contents, cutter.cut).zstd(1)
        found.append(f"{100 * (1 - sums.stored / sums.plain):.1f} %")
    return found


def report():
    one, two, three = [], [], []
    for title, cutter in SCHEMES:
        one.append([title, *large(cutter)])
        two.append([title, *appended(cutter)])
        three.append([title, *text_saved(cutter)])
    return "\n".join([
        table("Chunk sizes: 256 MiB of random bytes",
              ["least / normal / most", "KiB a chunk", "chunks a GiB", "KiB of entries a GiB",
               "KiB of names in each change of 1 GiB",
               "1 byte in front: KiB anew",
               "1 MiB in the middle: MiB anew", "GiB of a file whose chunks fit into one entry",
               "… whose names do"], one),
        table("Chunk sizes: a line appended to a log of 5 MiB, the average of 16 logs and 25 lines",
              ["least / normal / most", "KiB anew", "KiB of payload", "KiB of the entry",
               "KiB of the pack"], two),
        table("Chunk sizes: what zstd 1 saves in chunks of that size",
              ["least / normal / most", "text in one file", "binaries"], three),
    ])
