"""Faults of the file system below a folder, a home or the container, while two people work.

In each round both begin up to date. Then calls of the daemons begin to fail, are answered late, or
lie, at random, while one of the two works, or both. Then the faults end. If faults last and a
daemon can't go on, `cairn status` must name them meanwhile. Afterwards

* everything is up to date within a minute, by itself, and `cairn status` no longer mentions faults;
* nothing is lost, nothing is back, nothing is there twice, both folders are alike (as after a cut);
* if only one person worked, there is no conflict copy;
* nothing is left in Cairn's own folders.

A wrong bit in data that is read from a home may end in an index for good. Then the daemon must say
so, and all of this must hold once the index, which is a cache, was deleted.

The people's own actions always work: the faults spare this process, and below a home all processes
but the daemon.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .powercut import Hands, Ledger, check
from .world import Violation, World

PLACES = ("ana", "bob", "container", "home")
MINUTE = 60.0

MAKING = ["mkdir", "symlink", "link", "create", "write"]
CHANGING = [*MAKING, "rename", "unlink", "rmdir", "setattr", "fsync"]
LOOKING = ["lookup", "getattr", "open", "opendir", "readdir", "readlink"]
NAMES = ["rename", "link", "unlink", "mkdir", "rmdir", "symlink", "create", "setattr"]
SAID = {
    "EIO": ("Input/output error",), "ENOSPC": ("No space left on device", "full"),
    "EROFS": ("Read-only file system",), "ESTALE": ("Stale file handle",), "EDQUOT": ("quota",),
}


# The message about an index: SQLite doesn't always tell the cause. The index isn't really damaged.
INDEX = (
    "can't be used now", "disk I/O error", "disk is full", "unable to open", "readonly database",
)


class Mount:
    """The file system with faults, mounted over a directory."""

    def __init__(self, at: Path, source: Path, program: str | None = None) -> None:
        self.at, self._control = at, source.with_name(f"{source.name}.control")
        self._program = program
        for folder in (at, source):
            folder.mkdir(parents=True, exist_ok=True)
        self.tell([], 0)
        program = Path(__file__).with_name("faulty.py")
        self._process = subprocess.Popen(
            [sys.executable, str(program), str(source), str(at), str(self._control)],
            stdout=subprocess.PIPE, text=True,
        )
        assert self._process.stdout is not None
        if self._process.stdout.readline() != "mounted\n":
            raise RuntimeError("no FUSE here: install python3-pyfuse3 and fuse3, and be root")

    def tell(self, faults: list[dict[str, Any]], seed: int) -> None:
        """Sets the faults from now on. They happen to other processes than this one, or to that
        program alone."""
        content = {"spare": [os.getpid()], "seed": seed, "faults": faults}
        if self._program is not None:
            content["program"] = self._program
        new = self._control.with_suffix(".told")
        new.write_text(json.dumps(content))
        new.rename(self._control)

    @property
    def hits(self) -> list[int]:
        """Returns the number of times that each fault has happened since the faults were set."""
        return json.loads(Path(f"{self._control}.hits").read_text())

    def unmount(self) -> None:
        for _ in range(100):
            done = subprocess.run(["umount", str(self.at)], capture_output=True, check=False)
            if done.returncode == 0:
                break
            time.sleep(0.1)
        else:
            subprocess.run(["umount", "-l", str(self.at)], check=False)
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()


def draw(dice: random.Random, is_folder: bool) -> dict[str, Any]:
    """Draws one fault, with its duration."""
    act = dice.choice(["fail"] * 6 + ["lost", "late", "short", "lie"])
    fault: dict[str, Any] = {"act": act}
    if act == "fail":
        fault["errno"] = dice.choice(["EIO", "EIO", "ENOSPC", "EROFS", "ESTALE", "EDQUOT"])
        fault["calls"] = {
            "ENOSPC": MAKING, "EDQUOT": MAKING, "EROFS": [*CHANGING],
        }.get(fault["errno"]) or dice.choice(
            [NAMES, CHANGING, ["read"], LOOKING, [dice.choice(CHANGING)], [dice.choice(LOOKING)],
             [*CHANGING, *LOOKING, "read"]]
        )
    elif act == "lost":
        fault |= {"errno": "EIO", "calls": dice.choice([NAMES, [dice.choice(NAMES)]])}
    elif act == "late":
        calls = dice.choice([NAMES, LOOKING, ["read", "write"]])
        fault |= {"seconds": dice.choice([0.05, 0.3, 2]), "calls": calls}
    elif act == "short":
        # Half of the work must be possible for writers and readers after it.
        fault["calls"] = dice.choice([["read"], ["write"], ["read", "write"]])
    else:
        # For a file's content, a disk's answer is the truth as far as anybody can know.
        fault["calls"] = ["read"]
        fault["act"] = "short" if is_folder else "lie"
    how = dice.choice(["always", "sometimes", "some"])
    if how == "some" or fault["act"] == "lie":
        fault["count"] = dice.randrange(1, 6)
    elif how == "sometimes":
        fault["chance"] = dice.choice([0.05, 0.2, 0.5])
    return fault


def text(fault: dict[str, Any]) -> str:
    """Describes the fault in words."""
    calls = ",".join(fault["calls"]) if len(fault["calls"]) < 4 else f"{len(fault['calls'])} calls"
    what = fault.get("errno", fault.get("seconds", ""))
    how = f" {fault['chance']:.0%}" if "chance" in fault else ""
    how += f" {fault['count']} times" if "count" in fault else ""
    return " ".join(str(part) for part in (fault["act"], what, calls) if part != "") + how


def play(
    binaries: str, place: str, seed: int, rounds: int, keep: str | None = None
) -> Iterator[str]:
    """Plays rounds in one world. Yields a line for each round, with its errors."""
    dice = random.Random(f"{place} {seed}")
    with tempfile.TemporaryDirectory(prefix="cairn-faults-", ignore_cleanup_errors=True) as folder:
        world = World(binaries, folder)
        at = {
            "container": Path(world.container), "home": Path(folder) / "ana" / "home",
        }.get(place) or Path(world.path(place))
        mount = Mount(at, Path(folder) / "source", "cairnd" if place == "home" else None)
        try:
            world.begin()
            hands = {who: Hands(Path(world.path(who)), who[0], dice) for who in ("ana", "bob")}
            gone: set[bytes] = set()
            for number in range(rounds):
                lines, wrong = turn(world, mount, place, hands, gone, dice)
                yield f"{place} seed {seed} round {number}: {lines[0]}: {wrong or 'ok'}"
                if wrong and keep:
                    subprocess.run(["cp", "-a", folder, keep], check=False, capture_output=True)
                if wrong:
                    yield "    " + "\n    ".join(lines[1:])
                    return
        except Violation as wrong:
            yield f"{place} seed {seed}: {wrong}"
        finally:
            mount.tell([], 0)
            world.stop()
            mount.unmount()


def turn(
    world: World, mount: Mount, place: str, hands: dict[str, Hands], gone: set[bytes],
    dice: random.Random,
) -> tuple[list[str], str]:
    """Plays one round. Returns the played faults, and the errors of the round, if there were
    any."""
    people = dice.choice([["ana"], ["bob"], ["ana", "bob"]])
    before = Ledger({})
    for _ in range(dice.randrange(3, 8)):
        hands[dice.choice(people)].act(before, True)
    world.settle("ana", "bob")
    copies = conflict_copies(world)
    ledger = Ledger(world.tree("ana"), acts=["in step"])
    is_folder = place in ("ana", "bob")
    faults = [draw(dice, is_folder) for _ in range(dice.choice([1, 1, 1, 2]))]
    told = f"{'+'.join(people)}, {'; '.join(text(fault) for fault in faults)}"
    mount.tell(faults, dice.randrange(1 << 30))
    for _ in range(dice.randrange(2, 12)):
        hands[dice.choice(people)].act(ledger, True)
        time.sleep(dice.choice([0, 0, 0.05, 0.5]))
    wrong = []
    is_lasting = all("count" not in f and "chance" not in f for f in faults)
    if is_lasting and all(fault["act"] == "fail" for fault in faults):
        suffering = {"container": ["ana", "bob"], "home": ["ana"]}.get(place) or [place]
        words = [word for fault in faults for word in SAID[fault["errno"]]]
        words += INDEX if place == "home" else ()
        wrong += [silence(world, who, words) for who in suffering]
    else:
        time.sleep(dice.choice([0.2, 1, 4]))
    hits = mount.hits
    mount.tell([], 0)
    ledger.acts.append("the faults are gone")
    started = time.monotonic()
    for _ in range(dice.choice([0, 0, 3])):
        hands[dice.choice(people)].act(ledger, True)
    told_wrong = rest(world)
    if told_wrong and place == "home" and any(fault["act"] == "lie" for fault in faults):
        told_wrong = anew(world, told_wrong)
        told += ", the index made anew"
    wrong += [told_wrong]
    told += f", {'+'.join(str(count) for count in hits)} times"
    told += f", in step after {time.monotonic() - started:.1f} s"
    if not any(wrong):
        wrong += [check(world, ledger, gone)]
        wrong += [leavings(world, who, started + MINUTE) for who in ("ana", "bob")]
        if len(people) == 1:
            new = sorted(conflict_copies(world) - copies)
            wrong += [f"one person worked, and there is {', '.join(new)}" if new else ""]
    return [told, *ledger.acts], "; ".join(each for each in wrong if each)


def anew(world: World, before: str) -> str:
    """Deletes Ana's index after a lie damaged it, if that was reported. Returns the remaining
    errors."""
    if "index" not in before:
        return before
    world.run("ana", "stop")
    for file in (world.folder / "ana" / "home" / "index").glob("*.sqlite*"):
        file.unlink()
    world.run("ana", "start")
    return rest(world)


def conflict_copies(world: World) -> set[str]:
    return {name for name in world.tree("ana") if "(conflict, " in name}


def status(world: World, who: str) -> dict[str, Any]:
    return json.loads(world.run(who, "status", "--json"))


def problems(found: dict[str, Any]) -> list[dict[str, Any]]:
    return [*found["problems"], *(each for m in found["mounts"] for each in m["problems"])]


def silence(world: World, who: str, words: list[str]) -> str:
    """Returns the lasting faults that status doesn't report. Empty if it reports all, or nothing
    waits."""
    deadline = time.monotonic() + 20
    found: dict[str, Any] = {}
    while time.monotonic() < deadline:
        try:
            world.run(who, "wait", "--timeout", "2")
            return ""
        except Violation:
            try:
                found = status(world, who)
            except Violation as error:
                # A daemon that can't go on gives the reason, and so does the command that starts
                # it.
                found = {"problems": [{"message": str(error), "remedy": "."}], "mounts": []}
        for problem in problems(found):
            if any(word in problem["message"] for word in words) and problem["remedy"]:
                return ""
    said = [f"{each.get('path', '')}: {each['message']}" for each in problems(found)]
    phases = [mount["phase"] for mount in found.get("mounts", [])]
    return f"{who}'s status is silent of {' and '.join(words)}: {phases}, {said}"


def rest(world: World) -> str:
    """Waits until everything is up to date and reported so. Returns the errors if that takes a
    minute."""
    deadline = time.monotonic() + MINUTE
    for who in ("ana", "bob", "ana", "bob"):
        while True:
            left = deadline - time.monotonic()
            try:
                world.run(who, "wait", "--timeout", str(max(1, int(left))))
                break
            except Violation as error:
                # A condition that can't be waited for is answered at once.
                if left < 1:
                    return f"not in step after a minute: {error}, {problems(status(world, who))}"
                time.sleep(0.5)
    return ""


def leavings(world: World, who: str, deadline: float) -> str:
    """Returns the remains of the faults at the deadline, in messages or in Cairn's own folders."""
    while (left := leaving(world, who)) and time.monotonic() < deadline:
        time.sleep(0.5)
    return left


def leaving(world: World, who: str) -> str:
    found = status(world, who)
    left = [f"{each.get('path', '')}: {each['message']}" for each in problems(found)]
    left += [mount["phase"] for mount in found["mounts"] if mount["phase"] != "idle"]
    left += [] if found["container"]["reachable"] else ["the container isn't reachable"]
    own = Path(world.path(who)) / ".cairn"
    left += [
        str(path.relative_to(own)) for path in sorted(own.rglob("*"))
        # Files that couldn't be removed from the staging folder are removed at the next start.
        if path.is_file() and path.relative_to(own).parts[0] not in ("zone", "rescue", "staging")
    ]
    return f"left at {who}'s: {', '.join(left)}" if left else ""
