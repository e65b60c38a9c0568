"""Faults of the file system below a folder, a home or the container, while two people work.

Each round: both are in step; calls of the daemons begin to fail, are answered late, or lie, as the
dice say, while one of the two works, or both; the faults go. Where they lasted and somebody's
daemon couldn't get on, `cairn status` has to name them meanwhile. Afterwards

* all is in step within a minute, by itself, and `cairn status` has not a word of it any more;
* nothing is lost, nothing is back, nothing stands twice, both folders are alike (as after a cut);
* where one person worked, there is no conflict copy;
* nothing is left in Cairn's own folders.

A bit that isn't there in what is read of a home may end in an index for good: then the daemon has to
say so, and all that holds once the index was deleted, which is a cache.

What the people themselves do always works: the faults spare this process, and below a home all but
the daemon.
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


# What is said of an index: SQLite doesn't always tell the cause. That it is damaged isn't true.
INDEX = (
    "can't be used now", "disk I/O error", "disk is full", "unable to open", "readonly database",
)


class Mount:
    """The file system with faults, which stands before a directory."""

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
        """From now on, these happen, to others than this process, or to that program alone."""
        content = {"spare": [os.getpid()], "seed": seed, "faults": faults}
        if self._program is not None:
            content["program"] = self._program
        new = self._control.with_suffix(".told")
        new.write_text(json.dumps(content))
        new.rename(self._control)

    @property
    def hits(self) -> list[int]:
        """How often each came since they were told."""
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
    """One fault, with how long it lasts."""
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
        # Those who write have to go on after half of it, and those who read.
        fault["calls"] = dice.choice([["read"], ["write"], ["read", "write"]])
    else:
        # What a disk gives for a file's bytes is what the file is, as far as anybody can know.
        fault["calls"] = ["read"]
        fault["act"] = "short" if is_folder else "lie"
    how = dice.choice(["always", "sometimes", "some"])
    if how == "some" or fault["act"] == "lie":
        fault["count"] = dice.randrange(1, 6)
    elif how == "sometimes":
        fault["chance"] = dice.choice([0.05, 0.2, 0.5])
    return fault


def text(fault: dict[str, Any]) -> str:
    """The fault in words."""
    calls = ",".join(fault["calls"]) if len(fault["calls"]) < 4 else f"{len(fault['calls'])} calls"
    what = fault.get("errno", fault.get("seconds", ""))
    how = f" {fault['chance']:.0%}" if "chance" in fault else ""
    how += f" {fault['count']} times" if "count" in fault else ""
    return " ".join(str(part) for part in (fault["act"], what, calls) if part != "") + how


def play(
    binaries: str, place: str, seed: int, rounds: int, keep: str | None = None
) -> Iterator[str]:
    """Plays rounds in one world; a line for each round, and what was wrong in it."""
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
    """One round: what was played, and what was wrong in it, if anything was."""
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
    """Deletes Ana's index, which a lie has damaged, if that was said; what is wrong then."""
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
    """What status doesn't say of faults that last; nothing if it says all, or nothing waits."""
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
                # A daemon that can't go on says why, and so does whoever starts it.
                found = {"problems": [{"message": str(error), "remedy": "."}], "mounts": []}
        for problem in problems(found):
            if any(word in problem["message"] for word in words) and problem["remedy"]:
                return ""
    said = [f"{each.get('path', '')}: {each['message']}" for each in problems(found)]
    phases = [mount["phase"] for mount in found.get("mounts", [])]
    return f"{who}'s status is silent of {' and '.join(words)}: {phases}, {said}"


def rest(world: World) -> str:
    """Waits until all is in step and told as such; what was wrong if that takes a minute."""
    deadline = time.monotonic() + MINUTE
    for who in ("ana", "bob", "ana", "bob"):
        while True:
            left = deadline - time.monotonic()
            try:
                world.run(who, "wait", "--timeout", str(max(1, int(left))))
                break
            except Violation as error:
                # What can't be waited for at all is answered at once.
                if left < 1:
                    return f"not in step after a minute: {error}, {problems(status(world, who))}"
                time.sleep(0.5)
    return ""


def leavings(world: World, who: str, deadline: float) -> str:
    """What is left of it by then, in words or in Cairn's own folders."""
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
        # What couldn't be taken off the staging folder goes at the next start.
        if path.is_file() and path.relative_to(own).parts[0] not in ("zone", "rescue", "staging")
    ]
    return f"left at {who}'s: {', '.join(left)}" if left else ""
