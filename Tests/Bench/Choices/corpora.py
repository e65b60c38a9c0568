"""The contents to compress, cut and pack: files of this machine, and a log made from a seed."""

import gzip
import os
import random

from native import MIB, ROOT, noise


def paths(*folders):
    for folder in folders:
        for at, inside, names in os.walk(folder):
            inside.sort()
            for name in sorted(names):
                path = os.path.join(at, name)
                if os.path.isfile(path) and not os.path.islink(path):
                    yield path


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def some(found, limit, seed=1):
    """Returns whole files, drawn at random, with about `limit` bytes together."""
    found = list(found)
    random.Random(seed).shuffle(found)
    drawn, size = [], 0
    for path in found:
        content = read(path)
        if content and size + len(content) <= limit * 1.1:
            drawn.append(content)
            size += len(content)
        if size >= limit:
            break
    return drawn


def sources():
    return [os.path.join(ROOT, "Sources"), os.path.join(ROOT, "Tests"), "/usr/include"]


def text():
    return some(paths(*sources()), 16 * MIB)


def binaries():
    fitting = (p for p in paths("/usr/bin") if 20_000 < os.path.getsize(p) < 8 * MIB)
    return [c for c in some(fitting, 24 * MIB) if c.startswith(b"\x7fELF")]


def packed():
    """Returns contents that are compressed already."""
    return [gzip.compress(b"".join(text()), 6, mtime=0)]


def small(least=1024, most=4096):
    """Returns files of that size: half of them for the training, and half for the measurement."""
    found = some((p for p in paths(*sources()) if least <= os.path.getsize(p) <= most), 8 * MIB)
    return found[::2], found[1::2]


def random_bytes():
    return [noise(3, 16 * MIB)]


WORDS = ("connection opened closed request from user session timeout cache miss hit retry queue "
         "worker started stopped flushed segment index compaction error warning").split()


class Log:
    """Lines as servers write them: a time, a host, a number, some words, an address, an id."""

    def __init__(self, seed):
        self.dice, self.time = random.Random(seed), 1_790_000_000.0

    def line(self):
        dice = self.dice
        self.time += dice.expovariate(2)
        said = " ".join(dice.choices(WORDS, k=dice.randint(3, 8)))
        return (f"{self.time:.3f} host{dice.randint(1, 4)} app[{dice.randint(900, 9000)}]: {said} "
                f"10.0.{dice.randint(0, 9)}.{dice.randint(1, 254)} "
                f"id={dice.getrandbits(48):012x} {dice.randint(1, 90_000)}us\n").encode()

    def bytes(self, count):
        lines, size = [], 0
        while size < count:
            lines.append(self.line())
            size += len(lines[-1])
        return b"".join(lines)
