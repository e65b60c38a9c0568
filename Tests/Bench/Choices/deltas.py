"""Row 5: a changed chunk, as a delta against the chunk that it replaces."""

import io
import json
import os
import random
import sqlite3
import tempfile
import zipfile
from ctypes import byref, c_double

import corpora
import shape
from cutting import SCHEMES, fresh, objects
from native import MIB, TODAY, Bytes, native, noise
from table import table

LOGS = range(1, 7)
BASE = 34  # bytes of the base's name in an entry


def delta(base, plain, level=1):
    """Returns the size in bytes, and the microseconds to make and to apply the delta."""
    packing, unpacking = c_double(), c_double()
    held, against = Bytes(plain), Bytes(base)
    size = native.delta(against.address, against.count, held.address, held.count, level,
                        byref(packing), byref(unpacking))
    assert size, "what was made doesn't come back"
    return size, packing.value / 1000, unpacking.value / 1000


def nearest(old, start):
    """Returns the chunk of the former version that contains this start. Behind the end, it is the
    last one."""
    return next(((n, s, e) for n, s, e in old if s <= start < e), old[-1])


# MARK: Logs, line by line

class Writer:
    """Stores the chunks of one file after another, whole or as deltas, and adds up the results."""

    def __init__(self, content, cutter, deltas):
        self.cutter, self.deltas = cutter, deltas
        self.old = cutter.names(Bytes(content))
        self.whole = {name: content[start:end] for name, start, end in self.old}
        self.base_of, self.spent = {}, {}
        self.sums, self.times, self.count = [0, 0, 0], [0.0, 0.0], 0

    def save(self, content):
        held = Bytes(content)
        new = self.cutter.names(held)
        known = {name for name, _, _ in self.old}
        payloads = [
            self.payload(name, content[start:end], start)
            for name, start, end in new if name not in known]
        found = [sum(size for _, size in payloads), *objects(payloads, len(new), len(content))]
        self.sums = [a + b for a, b in zip(self.sums, found)]
        self.count, self.old = self.count + 1, new

    def payload(self, name, plain, start):
        self.whole[name] = plain
        size, took, back = delta(b"", plain)
        if self.deltas:
            former = nearest(self.old, start)[0]
            base = self.base_of.get(former, former) if self.deltas == "one" else former
            small, took_small, back_small = delta(self.whole[base], plain, 3)
            small, took = small + BASE, took + took_small
            # A base is replaced once its deltas together take as much as a whole chunk.
            spent = self.spent.get(base, 0) + small if self.deltas == "one" else small
            if spent < size:
                self.base_of[name], self.spent[base] = base, spent
                size, back = small, back_small
        self.times = [self.times[0] + took, self.times[1] + back]
        return len(plain), size


def log(seed, cutter, deltas, period, lines=200):
    source = corpora.Log(seed)
    content = source.bytes(5 * MIB + seed * 177_777)
    writer = Writer(content, cutter, deltas)
    for _ in range(lines // period):
        content += b"".join(source.line() for _ in range(period))
        writer.save(content)
    bytes_each = [s / lines / 1024 for s in writer.sums]
    return bytes_each + [t / writer.count / 1000 for t in writer.times]


def logs():
    small, today, _ = [cutter for _, cutter in SCHEMES]
    rows = []
    for title, cutter, kind, period in [
        ("the changed chunk, compressed (today)", today, None, 1),
        ("the same, 10 lines at once", today, None, 10),
        ("the same, chunks of 16 / 64 / 256 KiB", small, None, 1),
        ("a delta, the base always a whole chunk", today, "one", 1),
        ("the same, 10 lines at once", today, "one", 10),
        ("the same, chunks of 16 / 64 / 256 KiB", small, "one", 1),
        ("a delta against the last one, and so on without end", today, "chain", 1),
    ]:
        all_of = [log(seed, cutter, kind, period) for seed in LOGS]
        means = [sum(column) / len(LOGS) for column in zip(*all_of)]
        year = (means[1] + means[2]) * 525_600 / MIB
        rows.append([title, *means, year, means[1] * 525_600 / MIB])
    heads = ["a line appended to a log of 5 MiB", "KiB of payload", "KiB of the entry",
             "KiB of the pack", "ms to make", "ms to open", "GiB in a year, a line a minute",
             "of that in the log"]
    return table("Deltas: appended lines (averages of 6 logs and 200 lines, a line)", heads, rows)


# MARK: Documents

def office(words):
    """Returns a document of an office program: compressed text in a zip archive, and a picture."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in [("word/document.xml", words), ("word/styles.xml", words[:30_000]),
                              ("word/media/image1.png", noise(8, 300_000))]:
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), content,
                             zipfile.ZIP_DEFLATED)
    return out.getvalue()


def database():
    """Returns a database of 4 MiB, before and after a change of one row."""
    dice = random.Random(4)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "notes.db")
        db = sqlite3.connect(path)
        db.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT, text TEXT)")
        db.executemany(
            "INSERT INTO note (title, text) VALUES (?, ?)",
            (("n" + str(n), " ".join(dice.choices(corpora.WORDS, k=60))) for n in range(9_000)))
        db.commit()
        before = corpora.read(path)
        db.execute("UPDATE note SET text = 'done' WHERE id = 4711")
        db.commit()
        db.close()
        return before, corpora.read(path)


def documents():
    source = b"".join(corpora.text()[:300])[:300_000]
    lines = source.split(b"\n")
    code = b"\n".join(lines[:600])
    state = {f"key{n}": {"value": n * 7919, "seen": n % 97, "name": f"item {n}"}
             for n in range(3_000)}
    before = json.dumps(state).encode()
    state["key1500"]["seen"] = 4242
    paragraph = b"And so a paragraph of ordinary words was put where none had been before. " * 6
    half = len(source) // 2
    picture, image = noise(9, 4 * MIB), noise(10, 32 * MIB)
    return [
        ("source of 600 lines, one line changed", code,
         code.replace(lines[300], b"    return something + else;", 1)),
        ("text of 300 KB, a paragraph put in", source, source[:half] + paragraph + source[half:]),
        ("JSON of 180 KB, a number changed", before, json.dumps(state).encode()),
        ("office document of 300 KB of text, the same", office(source),
         office(source[:half] + paragraph + source[half:])),
        ("SQLite of 4 MB, a row changed", *database()),
        ("photo of 4 MiB, 300 bytes of EXIF changed", picture,
         picture[:40] + noise(1, 300) + picture[340:]),
        ("disk image of 32 MiB, 4 KiB changed", image,
         image[:20_000_000] + noise(2, 4096) + image[20_004_096:]),
    ]


def edited(before, after):
    old, held = TODAY.names(Bytes(before)), Bytes(after)
    new = TODAY.names(held)
    now, then, times = [], [], [0.0, 0.0, 0.0, 0.0, 0.0]
    for start, end in fresh(TODAY, old, new):
        plain = after[start:end]
        _, low, high = nearest(old, start)
        size, packing, unpacking = delta(b"", plain)
        small, *both = delta(before[low:high], plain)
        best, *slow = delta(before[low:high], plain, 3)
        size = size if size <= len(plain) - len(plain) // 32 else len(plain)
        now.append((len(plain), size))
        then.append((len(plain), min(size, small + BASE), min(size, best + BASE)))
        for at, value in enumerate([packing, unpacking, *both, slow[0]]):
            times[at] += value / 1000
    chunks, size = len(new), len(after)
    today = sum(objects(now, chunks, size))
    later = sum(objects([(a, c) for a, _, c in then], chunks, size))
    return [sum(p for _, p in now) / 1024, sum(b for _, b, _ in then) / 1024,
            sum(c for _, _, c in then) / 1024, today / 1024, later / 1024, times[0], times[2],
            times[4], times[1], times[3]]


def report():
    heads = ["one save", "KiB of payload, today", "delta, zstd 1", "delta, zstd 3",
             "KiB in the container, today", "with deltas, zstd 3", "ms to make, today",
             "delta, zstd 1", "delta, zstd 3", "ms to open, today", "delta"]
    rows = [[title, *edited(before, after)] for title, before, after in documents()]
    return logs() + "\n" + table("Deltas: small edits of documents", heads, rows)
