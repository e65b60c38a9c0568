"""Row 6: the amount that one object holds. It is counted, not timed, with the sizes of real
files."""

import ctypes
import os
import random

import corpora
import shape
from native import MIB, TODAY, Bytes, Pieces, noise
from table import table

TAG = 16
FOLDERS = ["/usr/include", "/usr/share", "/usr/lib/python3"]


def payloads(count, most):
    """Compresses that many real files with zstd 1, in the order of their paths. Returns the sizes
    of the files and of their payloads."""
    fitting = [p for p in corpora.paths(*FOLDERS) if 0 < os.path.getsize(p) <= most]
    drawn = set(random.Random(6).sample(fitting, min(count, len(fitting))))
    contents = [content for content in map(corpora.read, (p for p in fitting if p in drawn))
                if content]
    pieces = Pieces(contents)
    out = (ctypes.c_uint64 * pieces.count)()
    pieces.zstd(1, stored=out)
    return [len(content) for content in contents], list(out)


def filled(sizes, target, before=False):
    """Returns packs of these chunks (their numbers). A pack is closed when it has `target` bytes,
    or before."""
    packs, one, length = [], [], 0
    for number, size in sizes:
        if before and one and length + size + TAG > target:
            packs.append((one, length))
            one, length = [], 0
        one.append(number)
        length += size + TAG
        if not before and length >= target:
            packs.append((one, length))
            one, length = [], 0
    return packs + ([(one, length)] if one else [])


def layout(plain, sizes):
    title = (f"Packs: {len(sizes):,} files of up to 64 KiB, {sum(plain) / MIB:.0f} MiB, "
             f"{sum(sizes) / MIB:.0f} MiB compressed")
    alone = sum(shape.pack(size + TAG) for size in sizes)
    rows = targets(sizes) + [[
        "an object for each file", len(sizes), len(sizes), len(sizes), alone / MIB,
        f"{100 * (alone / (sum(sizes) + TAG * len(sizes)) - 1):.2f} %"]]
    large = [end - start for start, end in TODAY.spans(Bytes(noise(5, 256 * MIB)))[0]]
    heads = ["packs of", "puts", "gets, whole packs", "gets of 1 MiB (today)", "MiB stored",
             "padding"]
    return table(title, heads, rows) + "\n" + table(
        f"Packs: 256 MiB in {len(large)} chunks of large files", heads, targets(large))


def targets(sizes):
    rows = []
    for target in [1, 8, 32]:
        for before in [False, True]:
            packs = filled(enumerate(sizes), target * MIB, before)
            raw = sum(length for _, length in packs)
            padded = sum(shape.pack(length) for _, length in packs)
            reads = sum(-(-length // MIB) for _, length in packs)
            title = f"{target} MiB, closed {'before' if before else 'behind'} that"
            rows.append([title + (" (today)" if target == 8 and not before else ""),
                         len(packs), len(packs), reads, padded / MIB,
                         f"{100 * (padded / raw - 1):.2f} %"])
    return rows


def rounds_of(sizes, target, local, rounds):
    """Replaces a quarter of the files, `rounds` times. Returns the packs, each with its live
    chunks."""
    dice, count = random.Random(7), len(sizes)
    packs = filled(enumerate(sizes), target * MIB, True)
    at = {number: pack for pack, (members, _) in enumerate(packs) for number in members}
    for _ in range(rounds):
        if local:
            # The replaced files are in stretches, as when people work in some folders.
            starts = dice.sample(range(0, count, 200), count // 800)
            changed = [n for start in starts for n in range(start, min(count, start + 200))]
        else:
            changed = sorted(dice.sample(range(count), count // 4))
        new = filled([(n, sizes[n]) for n in changed], target * MIB, True)
        for members, length in new:
            for number in members:
                at[number] = len(packs)
            packs.append((members, length))
    live = [0] * len(packs)
    for number, pack in at.items():
        live[pack] += sizes[number] + TAG
    return [(shape.pack(length), alive) for (_, length), alive in zip(packs, live)]


def dead(sizes):
    rows = []
    for local, rounds in [(False, 1), (False, 3), (True, 1), (True, 3)]:
        for target in [1, 8, 32]:
            packs = rounds_of(sizes, target, local, rounds)
            stored = sum(length for length, _ in packs)
            alive = sum(live for _, live in packs)
            empty = sum(length for length, live in packs if live == 0)
            half = [(length, live) for length, live in packs if 0 < live <= length / 2]
            freed, written = sum(l for l, _ in half), sum(live for _, live in half)
            how = "stretches of 200" if local else "at random"
            rows.append([f"{how}, {rounds} × ¼: {target} MiB", len(packs), stored / MIB,
                         f"{100 * (1 - alive / stored):.0f} %", empty / MIB, len(half),
                         freed / MIB, written / MIB,
                         f"{100 * (stored - empty - freed + written - alive) / stored:.0f} %"])
    heads = ["files replaced, packs of", "packs", "MiB stored", "dead", "MiB gone at once",
             "packs half dead", "MiB of them", "MiB read and written again", "dead afterwards"]
    return table("Packs: dead bytes, and repacking of packs that are half dead", heads, rows)


def inline(plain, sizes):
    """Returns the costs of files that are each saved in a commit of their own."""
    rows = []
    for limit in [0, 4, 16, 64, 256]:
        inside = log = bare = stored = 0
        for size, payload in zip(plain, sizes):
            if payload <= limit << 10:
                inside += 1
                parts, pack = shape.chunk_inline(32, size, payload), 0
            else:
                parts, pack = shape.chunk_packed(size, payload + TAG), shape.pack(payload + TAG)
            exact, padded = shape.entry(parts + shape.record(1, size))
            bare, log, stored = bare + exact, log + padded, stored + padded + pack
        count = len(sizes)
        rows.append([f"{limit} KiB" + (" (today)" if limit == 64 else ""),
                     f"{100 * inside / count:.0f} %", 2 - inside / count, stored / count,
                     log / count, log / MIB / (count / 10_000), f"{100 * (log / bare - 1):.1f} %"])
    title = f"Inline limit: {len(sizes):,} files of up to 1 MiB, each saved once in its own commit"
    heads = ["payload in a commit up to", "of the saves", "puts a save", "bytes stored a save",
             "bytes of log a save", "MiB of log in 10,000 saves", "padding of entries"]
    return table(title, heads, rows)


def report():
    plain, sizes = payloads(20_000, 64 << 10)
    return "\n".join([layout(plain, sizes), dead(sizes), inline(*payloads(6_000, MIB))])
