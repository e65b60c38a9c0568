"""A day of real work in one folder, and the reaction of the mass-change alert for deletions.

The work is a git checkout of some 30,000 files, branches back and forth, and gc; a build tree that
is made and cleaned ten times; trees as package managers make them, installed and removed. None of
that may wait for a confirmation. `rm -rf` of most of a folder must wait, each time.

With `--idle`, another person receives the folder, and afterwards nobody does anything for some
minutes: both daemons must come to rest.
"""

import json
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from .idle import Gauge, watch
from .workloads import run
from .world import Violation, World

# The share of files that differ between two branches: 41 of 100, as between distant releases.
BRANCH = 0.41


class Day:
    """Ana's folder. After each piece of work, it is checked for deletions that await
    confirmation."""

    def __init__(self, world: World, files: int) -> None:
        self._world, self._count = world, files
        self.folder = Path(world.path("ana"))

    def begin(self, others: tuple[str, ...] = ()) -> None:
        self._people = ("ana", *others)
        self._world.people(*self._people)
        self.folder.mkdir()
        if not others:
            self._world.run("ana", "add", str(self.folder))
            return
        self._world.share()
        for other in others:
            self._world.join(other, "read-write")

    def settle(self) -> None:
        for _ in range(30):
            try:
                for who in self._people:
                    self._world.run(who, "wait", "--timeout", "60")
                return
            except Violation:
                if self.held():
                    return
        raise Violation("not in step after half an hour")

    def held(self) -> int:
        """The number of deletions that await confirmation."""
        found = json.loads(self._world.run("ana", "status", "--json"))
        return sum(mount["held"]["files"] for mount in found["mounts"] if mount.get("held"))

    # The pieces of work. Each returns the highest number of files that were deleted at once.

    def checkout(self) -> int:
        repository = self.folder / "repository"
        repository.mkdir()
        run(repository, "git", "init", "-q", "-b", "main")
        write(repository / "src", self._count)
        commit(repository, "all")
        return 0

    def branches(self) -> int:
        repository = self.folder / "repository"
        run(repository, "git", "checkout", "-q", "-b", "old")
        there = sorted(path for path in (repository / "src").rglob("*") if path.is_file())
        gone = [path for number, path in enumerate(there) if number % 100 < BRANCH * 100]
        for path in gone:
            path.unlink()
        for path in there[-len(there) // 10 :]:
            if path.exists():
                path.write_text(f"{path} of old\n")
        commit(repository, "old")
        for _ in range(4):
            for branch in ("main", "old"):
                run(repository, "git", "checkout", "-q", branch)
                time.sleep(3)
        run(repository, "git", "checkout", "-q", "main")
        return len(gone)

    def gc(self) -> int:
        repository = self.folder / "repository"
        before = sum(1 for _ in (repository / ".git").rglob("*"))
        run(repository, "git", "gc", "-q", "--prune=now")
        return before - sum(1 for _ in (repository / ".git").rglob("*"))

    def build(self) -> int:
        for _ in range(10):
            write(self.folder / "repository" / "out", self._count // 15)
            time.sleep(1)
            shutil.rmtree(self.folder / "repository" / "out")
        return self._count // 15

    def install(self) -> int:
        for _ in range(3):
            write(self.folder / "site" / "node_modules", self._count // 3)
            time.sleep(2)
            shutil.rmtree(self.folder / "site" / "node_modules")
        return self._count // 3

    def accident(self) -> int:
        """`rm -rf` of a directory with most of all files."""
        shutil.rmtree(self.folder / "repository" / "src")
        return self._count


def write(folder: Path, count: int) -> None:
    for number in range(count):
        path = folder / f"d{number % 61}" / f"e{number % 7}" / f"file{number}.c"
        if number < 500:
            path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{number} in {folder}\n" * (1 + number % 20))


def commit(repository: Path, text: str) -> None:
    run(repository, "git", "add", "-A")
    run(repository, "git", "commit", "-q", "-m", text)


def play(binaries: str, files: int, idle: float = 0) -> Iterator[tuple[str, bool]]:
    """Yields a line for each piece of work, with true if the alert reacted as expected. With `idle`
    minutes, then also a line for each daemon, with true if it came to rest."""
    with tempfile.TemporaryDirectory(prefix="cairn-day-", ignore_cleanup_errors=True) as folder:
        world = World(binaries, folder)
        try:
            day = Day(world, files)
            day.begin(("bob",) if idle else ())
            works: list[Callable[[], int]] = [
                day.checkout, day.branches, day.gc, day.build, day.install, day.accident
            ]
            if idle:
                # Deletions that await a confirmation would keep everybody waiting.
                works.pop()
            for work in works:
                started = time.monotonic()
                gone = work()
                worked = time.monotonic() - started
                day.settle()
                held, is_accident = day.held(), work == day.accident
                yield (
                    f"{work.__name__}: {gone} files went at once, {held} are held; {worked:.0f} s "
                    f"of work, {time.monotonic() - started - worked:.0f} s until in step",
                    (held > 0) == is_accident,
                )
            if idle:
                gauges = [Gauge(who, world.pid(who)) for who in ("ana", "bob")]
                yield from watch(gauges, idle * 60)
        finally:
            world.stop()
