"""The time that a file of 4 KiB takes from Ana's folder to Bob's."""

import ctypes
import os
import random
import select
import time
from collections.abc import Callable
from pathlib import Path

from .people import Pair
from .s3 import Bucket

SIZE = 4_096
# The number of drops that are played before the measured ones.
COLD = 5
IN_CREATE, IN_MOVED_TO, IN_CLOSE_WRITE = 0x100, 0x80, 0x8


class Arrivals:
    """Watches a folder for new files."""

    def __init__(self, folder: Path) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        self._file = libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
        wanted = IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE
        if libc.inotify_add_watch(self._file, os.fsencode(folder), wanted) < 0:
            raise OSError(ctypes.get_errno(), f"watching {folder}")
        self._folder = folder

    def wait(self, name: str, content: bytes, patience: float = 120) -> float:
        """Returns the time at which the whole file had arrived."""
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            moment = time.monotonic()
            try:
                if (self._folder / name).read_bytes() == content:
                    return moment
            except FileNotFoundError:
                pass
            if select.select([self._file], [], [], deadline - time.monotonic())[0]:
                os.read(self._file, 65_536)
        raise RuntimeError(f"waited in vain for {name}")

    def end(self) -> None:
        os.close(self._file)


def drops(
    pair: Pair, count: int, about: str, pause: tuple[float, float], cold: int = COLD
) -> list[float]:
    """Returns the milliseconds of each drop. The drops before them find cold caches, and aren't
    counted."""
    arrivals, chance = Arrivals(pair.bob.folder), random.Random(about)
    found = []
    for number in range(-cold, count):
        time.sleep(chance.uniform(*pause))
        name, content = f"{about}-{number}", chance.randbytes(SIZE)
        began = time.monotonic()
        (pair.ana.folder / name).write_bytes(content)
        arrived = arrivals.wait(name, content)
        if number >= 0:
            found.append((arrived - began) * 1_000)
    arrivals.end()
    return found


def bare(connect: Callable[[], Bucket], count: int) -> list[float]:
    """Puts and gets the same bytes by one process with one connection, in the same rhythm."""
    bucket, chance, found = connect(), random.Random("bare"), []
    for number in range(-COLD, count):
        time.sleep(chance.uniform(0.1, 0.3))
        content = chance.randbytes(SIZE)
        began = time.monotonic()
        bucket.put(f"bare-{number}", content)
        assert bucket.get(f"bare-{number}") == content
        if number >= 0:
            found.append((time.monotonic() - began) * 1_000)
    bucket.end()
    return found


def look_for_listeners(pair: Pair) -> None:
    """Waits until Ana must know Bob's address for push messages."""
    # While it writes, a sender looks for addresses every half a minute at most.
    deadline = time.monotonic() + 33
    while time.monotonic() < deadline:
        drops(pair, 1, f"warm-{time.monotonic_ns()}", (0.5, 1), cold=0)
