"""One file that real programs save again and again, in a folder that two people share.

First Ana saves some versions. Then both save in turns: as soon as one's version has arrived, the
other's program opens it and saves the next one. For each program

* the file has one history: it shows every saved version, in order;
* each line of the history can be shown and restored, byte for byte;
* it has no conflict copy, because nobody saved it without its last version.

A backup that the program keeps beside it may have a conflict copy, which is only noted: the next
save may replace the backup before the one of the save before has arrived.
"""

import fnmatch
import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from . import savers
from .savers import ALL, Desk, Saver
from .world import Violation, World

VERSIONS, TURNS = 4, 6
PATIENCE_SECONDS = 60
# Names of the programs' own files that stay on a device.
STAYING = ("*~", ".*.sw?", ".#*", ".~lock.*#", ".goutputstream-*", ".~tmp~*")


class Play:
    """One program, and the two people who use it."""

    def __init__(self, world: World, saver: Saver) -> None:
        self._world, self._saver = world, saver
        self._desks = {
            who: Desk(Path(world.path(who)) / saver.file, world.folder / f"{who}-programs")
            for who in ("ana", "bob")
        }
        self._saved: list[bytes] = []
        self._others = 0  # versions in the history that no program finished
        self._copies = 0  # conflict copies of backups

    def play(self) -> str:
        """Plays the program. Returns a note for people."""
        for number in range(VERSIONS):
            self._save("ana", f"ana {number}")
            self._world.run("ana", "wait", "--timeout", "60")
        for number in range(TURNS):
            who = ("bob", "ana")[number % 2]
            self._await(who)
            self._save(who, f"{who} {VERSIONS + number}")
        self._world.settle("ana", "bob")
        self._check_folders()
        for who in ("ana", "bob"):
            self._check_history(who)
        self._check_restored("bob")
        more = f", {self._others} unfinished ones" if self._others else ""
        backups = f", {self._copies} conflict copies of backups" if self._copies else ""
        return f"{len(self._saved)} versions{more}{backups}"

    def _save(self, who: str, text: str) -> None:
        desk = self._desks[who]
        self._saver.save(desk, text)
        data = desk.file.read_bytes()
        if self._saved and data == self._saved[-1]:
            raise Violation(f"the program saved nothing as {text}")
        self._saved.append(data)

    def _await(self, who: str) -> None:
        """Waits until the last version has arrived."""
        file, deadline = self._desks[who].file, time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            try:
                if file.read_bytes() == self._saved[-1]:
                    return
            except FileNotFoundError:
                pass
            time.sleep(0.005)
        raise Violation(f"version {len(self._saved)} doesn't arrive at {who}'s")

    # --- what is expected

    def _check_folders(self) -> None:
        trees = {}
        for who in self._desks:
            trees[who] = {
                name: data for name, data in self._world.tree(who).items()
                if not any(fnmatch.fnmatch(name, each) for each in STAYING)
            }
        ana, bob = trees["ana"], trees["bob"]
        odd = sorted(name for name in {*ana, *bob} if ana.get(name) != bob.get(name))
        if odd:
            raise Violation(f"not alike: {', '.join(odd)}")
        if ana.get(self._saver.file) != self._saved[-1]:
            raise Violation("the last version isn't in the folders")
        copies = [name for name in ana if "(conflict, " in name]
        stem, _, suffix = self._saver.file.rpartition(".")
        own = [name for name in copies if fnmatch.fnmatch(name, f"{stem} (conflict, *).{suffix}")]
        if own:
            raise Violation(f"conflict copies: {', '.join(own)}")
        self._copies = len(copies)
        for who in self._desks:
            for mount in json.loads(self._world.run(who, "status", "--json"))["mounts"]:
                problems = [each for each in mount.get("problems", []) if each["code"] != "notice"]
                if problems or mount.get("held"):
                    raise Violation(f"{who}: {problems} {mount.get('held')}")

    def _lines(self, who: str) -> list[dict[str, object]]:
        """The lines of the file's history, newest first."""
        file = str(self._desks[who].file)
        answer = self._world.run(who, "history", file, "--limit", "10000", "--json")
        return [each for each in json.loads(answer)["entries"] if each.get("path")]

    def _show(self, who: str, line: dict[str, object]) -> bytes:
        shown = self._world.folder / "shown"
        shown.unlink(missing_ok=True)
        self._world.run(
            who, "restore", str(line["path"]), "--version", version(line), "--to", str(shown)
        )
        return shown.read_bytes()

    def _check_history(self, who: str) -> None:
        file, shown = str(self._desks[who].file), []
        for line in self._lines(who):
            data = self._show(who, line)
            if line["path"] == file and "deleted" not in list(line["what"]):  # type: ignore[call-overload]
                shown += [data] if not shown or shown[-1] != data else []
        left = iter(shown)
        lost = [
            number for number, data in reversed(list(enumerate(self._saved, start=1)))
            if not any(each == data for each in left)
        ]
        if lost:
            raise Violation(
                f"{who}'s history shows {len(shown)} versions, and of {len(self._saved)} saved "
                f"ones lacks {', '.join(map(str, sorted(lost)))}"
            )
        self._others = max(self._others, len(shown) - len(self._saved))

    def _check_restored(self, who: str) -> None:
        for line in self._lines(who):
            shown, path = self._show(who, line), str(line["path"])
            answer = json.loads(
                self._world.run(who, "restore", path, "--version", version(line), "--json")
            )
            self._world.run(who, "wait", "--timeout", "60")
            changed = [each["path"] for each in answer["paths"] if each["what"] != "removed"]
            found = [Path(each) for each in [*changed, path] if Path(each).is_file()]
            if not any(each.read_bytes() == shown for each in found):
                raise Violation(f"version {version(line)} of {path} is restored with other bytes")


def version(line: dict[str, object]) -> str:
    """A version as commands take it (`cairn-history(1)`)."""
    number = str(line["version"])
    return f"{number}.{str(line['record'])[-12:]}" if line.get("several") else number


def play(binaries: str, names: list[str]) -> Iterator[tuple[str, str, bool]]:
    """Plays programs, each in a world of its own. Yields the name, a note, and whether it is
    wrong."""
    for name in names:
        missing = savers.missing(name)
        if missing:
            yield name, f"left out: there is no {', '.join(missing)}", False
            continue
        with tempfile.TemporaryDirectory(
            prefix="cairn-saves-", ignore_cleanup_errors=True
        ) as folder:
            world = World(binaries, folder)
            try:
                world.begin()
                yield name, f"{Play(world, ALL[name]).play()}: ok", False
            except Violation as wrong:
                yield name, str(wrong), True
            finally:
                world.stop()
