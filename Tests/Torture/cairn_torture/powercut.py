"""Power cuts of real file systems while two people work, and what must hold afterwards.

In each round both begin up to date, and then go on working. The file system with the folder or the
CAIRN_HOME of one person, or both, or with the container, stops at once, with all daemons on that
machine. The other person works on. The machine starts again, or goes on with the file system
mounted again, as with a disk that was pulled out. Afterwards

* both folders are alike;
* content that both had, and that nobody touched since, is unchanged: no empty or torn rest of a
  file has replaced it, and it isn't gone; a rename right before the cut may be undone;
* content that both had, or that the other wrote, still exists, unless somebody who knew it removed
  it;
* content that both had seen deleted, or that the other deleted while the machine was off, isn't
  back;
* nothing is there twice, except files that others renamed while an index was older than its folder.
"""

import random
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .world import Image, Violation, World

PLACES = ("together", "folder", "home", "container")
SIZE = 320 << 20  # bytes: XFS makes no smaller one


@dataclass
class Ledger:
    """The changes of contents and names since both were up to date."""

    start: dict[str, bytes]
    touched: set[str] = field(default_factory=set)
    written: set[bytes] = field(default_factory=set)
    destroyed: set[bytes] = field(default_factory=set)
    deleted: set[bytes] = field(default_factory=set)
    moved: set[bytes] = field(default_factory=set)
    removed: set[bytes] = field(default_factory=set)
    undone: int = 0
    back: int = 0
    copies: int = 0
    acts: list[str] = field(default_factory=list)


class Hands:
    """A person's programs, which read files before they remove them."""

    def __init__(self, folder: Path, mark: str, dice: random.Random) -> None:
        self._folder, self._mark, self._dice = folder, mark, dice
        self._count = 0

    def act(self, ledger: Ledger, is_lasting: bool, is_seen: bool = True) -> None:
        """Does one thing that a person does, unless it is too late because others moved the file
        meanwhile.

        `is_lasting`: no cut can undo it. `is_seen`: a daemon that knows of no cut sees it. A file
        that is gone at its first scan after a cut may also have been lost by the cut.
        """
        try:
            self._act(ledger, is_lasting, is_seen)
        except FileNotFoundError as error:
            ledger.acts.append(f"    which is gone: {error.filename}")

    def _act(self, ledger: Ledger, is_lasting: bool, is_seen: bool) -> None:
        kind = self._dice.choice("new new overwrite replace append delete rename".split())
        there = sorted(p for p in self._folder.rglob("*") if self._is_own(p))
        if kind == "new" or not there:
            return self._write(self._new_name(), "wb", ledger, is_lasting)
        path = self._dice.choice(there)
        name = str(path.relative_to(self._folder))
        ledger.touched.add(name)
        old = path.read_bytes()
        ledger.acts.append(f"{self._mark}: {kind} {name}, {short(old)}")
        if kind == "append":
            self._write(name, "ab", ledger, is_lasting)
            ledger.destroyed.add(old)
        elif kind == "overwrite":
            self._write(name, "wb", ledger, is_lasting)
            ledger.destroyed.add(old)
        elif kind == "replace":
            self._write(name, "wb", ledger, is_lasting, beside=True)
            ledger.destroyed.add(old)
        elif kind == "delete":
            # An earlier round may have left the same bytes under another name, which stays.
            is_last = all(other.read_bytes() != old for other in there if other != path)
            path.unlink()
            ledger.destroyed.add(old)
            if is_last:
                ledger.removed.add(old)
            if is_lasting and is_seen and is_last:
                ledger.deleted.add(old)
        else:
            new = self._new_name()
            ledger.touched.add(new)
            (self._folder / new).parent.mkdir(exist_ok=True)
            path.rename(self._folder / new)
            ledger.acts.append(f"    to {new}")
            # A person who moves a file means to keep it, whatever another person does to it.
            ledger.moved.add(old)
            ledger.destroyed.add(old)

    def _is_own(self, path: Path) -> bool:
        name = str(path.relative_to(self._folder))
        return path.is_file() and not name.startswith(".cairn") and not name.endswith(".part")

    def _new_name(self) -> str:
        self._count += 1
        folder = self._dice.choice(["", "", "d0/", "d1/"])
        return f"{folder}{self._mark}{self._count}"

    def _write(
        self, name: str, mode: str, ledger: Ledger, is_lasting: bool, beside: bool = False
    ) -> None:
        self._count += 1
        ledger.touched.add(name)
        path = self._folder / name
        path.parent.mkdir(exist_ok=True)
        ledger.acts.append(f"{self._mark}: write {name}")
        text = f"{self._mark} {self._count} ".encode()
        data = text + self._dice.randbytes(self._dice.choice([20, 400, 5_000, 30_000]))
        place = path.with_name(path.name + ".part") if beside else path
        # Others may move the file meanwhile, so its content is read through the same descriptor.
        with open(place, f"{mode}+") as file:
            file.write(data)
            file.seek(0)
            whole = file.read()
        if beside:
            place.rename(path)
        if is_lasting:
            ledger.written.add(whole)


def play(
    binaries: str, kind: str, place: str, seed: int, rounds: int, keep: str | None = None
) -> Iterator[str]:
    """Plays rounds in one world. Yields a line for each round, with its errors."""
    dice = random.Random(f"{kind} {place} {seed}")
    with tempfile.TemporaryDirectory(prefix="cairn-cut-", ignore_cleanup_errors=True) as folder:
        world = World(binaries, folder)
        victim = dice.choice(["ana", "bob"])
        at = {
            "together": Path(folder) / victim, "folder": Path(world.path(victim)),
            "home": Path(folder) / victim / "home", "container": Path(folder) / "cloud",
        }[place]
        image = Image(kind, Path(folder) / "image", at, SIZE)
        try:
            world.begin()
            hands = {
                who: Hands(Path(world.path(who)), f"{who[0]}", dice) for who in ("ana", "bob")
            }
            gone: set[bytes] = set()
            for number in range(rounds):
                ledger, wrong = cut(world, image, victim, place, hands, gone, dice)
                told = f"{kind} {place} seed {seed} round {number}, {ledger.undone} files undone"
                if place == "home":
                    # An index that is older than its folder doesn't know all of that.
                    told += f", {ledger.back} deletions back, {ledger.copies} conflict copies"
                yield f"{told}: {wrong or 'ok'}"
                if wrong and keep:
                    subprocess.run(["cp", "-a", folder, keep], check=False, capture_output=True)
                if wrong:
                    yield "    " + "\n    ".join([f"the machine of {victim}", *ledger.acts])
                    return
        except Violation as wrong:
            yield f"{kind} {place} seed {seed}: {wrong}"
        finally:
            world.stop()
            image.unmount()


def cut(
    world: World, image: Image, victim: str, place: str, hands: dict[str, Hands],
    gone: set[bytes], dice: random.Random,
) -> tuple[Ledger, str]:
    """Plays one round. Returns its errors, if there were any."""
    other, is_container = "bob" if victim == "ana" else "ana", place == "container"
    before = Ledger({})
    # A file that only leaves a folder hasn't been made durable by anything there yet.
    is_alone = dice.choice([True, False, False])
    for _ in range(dice.randrange(4, 12)):
        who = victim if is_alone else dice.choice(["ana", "bob"])
        hands[who].act(before, True)
    world.settle("ana", "bob")
    start = world.tree("ana")
    if start != world.tree("bob"):
        return Ledger(start), f"not alike before the cut: {differences(world)}"
    ledger = Ledger(start, acts=[*before.acts, "in step"])
    # From an instant to longer than a file system needs to write data out by itself.
    time.sleep(dice.choice([0, 0, 0.3, 2, 6]))
    for _ in range(0 if is_alone else dice.randrange(0, 8)):
        who = dice.choice(["ana", "bob"])
        hands[who].act(ledger, who == other, not is_container)
        time.sleep(dice.choice([0, 0, 0.05]))
    machines = ["ana", "bob"] if is_container else [victim]
    daemons = [world.pid(who) for who in machines]
    before = world.tree(victim)
    ledger.acts.append("cut")
    image.stop()
    for pid in daemons:
        world.kill(pid)
    image.unmount()
    for _ in range(dice.randrange(0, 6)):
        hands[other].act(ledger, True, not is_container)
    ledger.acts.append("start")
    image.mount()
    after = world.tree(victim)
    ledger.undone = sum(before.get(name) != after.get(name) for name in {*before, *after})
    # If only a file system stopped, the machine may go on: a disk was pulled out, and put back.
    goes_on = dice.choice([True, False])
    ledger.acts[-1] = "start, the machine went on" if goes_on else "start"
    for who in machines:
        if not goes_on:
            world.reboot(who)
        world.run(who, "start")
    world.settle("ana", "bob")
    now = world.tree(victim)
    ledger.back = len(ledger.removed & set(now.values()))
    ledger.copies = sum("(conflict" in name and name not in start for name in now)
    return ledger, check(world, ledger, gone, place == "home")


def check(world: World, ledger: Ledger, gone: set[bytes], is_home: bool = False) -> str:
    wrong: list[str] = []
    trees = {who: world.tree(who) for who in ("ana", "bob")}
    if trees["ana"] != trees["bob"]:
        wrong.append(f"not alike: {differences(world)}")
    for name, data in ledger.start.items():
        if name in ledger.touched:
            continue
        for who, tree in trees.items():
            # A rename may be undone. Then the file has its former name.
            if tree.get(name) != data and (name in tree or data not in tree.values()):
                wrong.append(f"{who}'s {name} {change(data, tree.get(name))}")
    kept = set().union(*(set(tree.values()) for tree in trees.values()))
    everything = kept | world.rescued("ana") | world.rescued("bob")
    for data in (set(ledger.start.values()) | ledger.written) - ledger.destroyed - everything:
        wrong.append(f"lost: {short(data)}")
    for data in set(trees["ana"].values()):
        names = sorted(name for name in trees["ana"] if trees["ana"][name] == data)
        # An index that is older than the folder doesn't know what others renamed.
        if len(names) > 1 and data and not (is_home and data in ledger.moved):
            wrong.append(f"twice: {short(data)} as {', '.join(names)}")
    gone |= ledger.deleted - ledger.moved
    for data in gone & kept:
        where = {f"{who}'s {name}" for who, tree in trees.items() for name in tree
                 if tree[name] == data}
        wrong.append(f"back: {short(data)} as {', '.join(sorted(where))}")
    return "; ".join(wrong)


def differences(world: World) -> str:
    ana, bob = world.tree("ana"), world.tree("bob")
    return ", ".join(
        f"{name}: {short(ana.get(name))} and {short(bob.get(name))}"
        for name in sorted(set(ana) | set(bob)) if ana.get(name) != bob.get(name)
    )


def change(before: bytes, now: bytes | None) -> str:
    """Returns how a file differs from its former content."""
    if now is None or len(now) != len(before):
        return f"is {short(now)}, was {short(before)}"
    odd = [at for at in range(len(now)) if now[at] != before[at]]
    kind = "zeros" if not any(now[at] for at in odd) else "others"
    return f"has {len(odd)} other bytes of {len(now)}, from {odd[0]} to {odd[-1]}: {kind}"


def short(data: bytes | None) -> str:
    return "nothing" if data is None else f"{len(data)} bytes {data[:12]!r}"
