"""Everyday programs in a shared folder, and the result in the other person's folder.

Each program works in Ana's folder while both daemons run. Then both folders must be alike, without
a conflict copy or a deletion that awaits confirmation, and the program's files must be sound in
Bob's folder.
"""

import json
import shutil
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from .world import Violation, World, files

Work = Callable[[Path], Callable[[Path], str]]
ALL: dict[str, tuple[tuple[str, ...], Work]] = {}


def workload(*programs: str) -> Callable[[Work], Work]:
    """Registers a workload. `programs` are the programs that it needs beside Python."""

    def register(work: Work) -> Work:
        ALL[work.__name__] = (programs, work)
        return work

    return register


def run(folder: Path, *command: str) -> str:
    environment = {
        "PATH": "/usr/bin:/bin", "HOME": str(folder), "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@b", "TZ": "UTC",
    }
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise Violation(f"{' '.join(command)}: {done.stdout[-500:]}{done.stderr[-500:]}")
    return done.stdout


def tree(folder: Path, count: int, text: str = "") -> None:
    """Makes a tree of small files."""
    for number in range(count):
        path = folder / f"d{number % 17}" / f"e{number % 5}" / f"file {number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{number} {text}\n" * (1 + number % 40))


@workload("git")
def git(folder: Path) -> Callable[[Path], str]:
    """Commits, branches back and forth, a rebase, gc."""
    run(folder, "git", "init", "-q", "-b", "main")
    for turn in range(6):
        tree(folder / "src", 300, f"turn {turn}")
        run(folder, "git", "add", "-A")
        run(folder, "git", "commit", "-q", "-m", f"turn {turn}")
    run(folder, "git", "checkout", "-q", "-b", "old", "HEAD~4")
    (folder / "only here").write_text("one\n")
    run(folder, "git", "add", "-A")
    run(folder, "git", "commit", "-q", "-m", "aside")
    for _ in range(3):
        run(folder, "git", "checkout", "-q", "main")
        run(folder, "git", "checkout", "-q", "old")
    run(folder, "git", "rebase", "-q", "main")
    run(folder, "git", "gc", "-q")

    def is_sound(other: Path) -> str:
        run(other, "git", "fsck", "--strict")
        return run(other, "git", "status", "--porcelain") and "not clean at the other's"

    return is_sound


@workload()
def sqlite(folder: Path) -> Callable[[Path], str]:
    """A database that is written to, with a rollback journal and with a write-ahead log."""
    for mode in ("delete", "wal"):
        database = sqlite3.connect(folder / f"{mode}.sqlite")
        database.execute(f"PRAGMA journal_mode = {mode}")
        database.execute("CREATE TABLE t (n INTEGER PRIMARY KEY, text TEXT)")
        for turn in range(40):
            with database:
                database.executemany(
                    "INSERT INTO t (text) VALUES (?)", [(f"{turn} {n}",) for n in range(100)]
                )
            time.sleep(0.02)
        database.close()

    def is_sound(other: Path) -> str:
        for mode in ("delete", "wal"):
            database = sqlite3.connect(f"file:{other}/{mode}.sqlite?mode=ro", uri=True)
            found = database.execute("PRAGMA integrity_check").fetchone()[0]
            count = database.execute("SELECT count(*) FROM t").fetchone()[0]
            database.close()
            if (found, count) != ("ok", 4_000):
                return f"{mode}: {found}, {count} rows"
        return ""

    return is_sound


@workload("sed")
def editors(folder: Path) -> Callable[[Path], str]:
    """The ways in which editors save: in place, by a rename, by a backup, by a swap file."""
    names = [folder / f"note {number}.txt" for number in range(8)]
    for name in names:
        name.write_text("begun\n")
    for turn in range(25):
        names[0].write_text(f"in place {turn}\n")
        (folder / ".note 1.txt.tmp").write_text(f"renamed {turn}\n")
        (folder / ".note 1.txt.tmp").rename(names[1])
        backup = folder / "note 2.txt~"
        names[2].rename(backup)
        names[2].write_text(f"after a backup {turn}\n")
        backup.unlink()
        swap = folder / ".note 3.txt.swp"
        swap.write_text("swap")
        (folder / "4913").write_text("")
        (folder / "4913").unlink()
        names[3].write_text(f"with a swap file {turn}\n")
        swap.unlink()
        run(folder, "sed", "-i", f"s/.*/by sed {turn}/", "note 4.txt")
        with open(names[5], "a") as log:
            log.write(f"{turn}\n")
        time.sleep(0.02)

    def is_sound(other: Path) -> str:
        last = {"note 0.txt": "in place 24\n", "note 1.txt": "renamed 24\n",
                "note 2.txt": "after a backup 24\n", "note 3.txt": "with a swap file 24\n",
                "note 4.txt": "by sed 24\n"}
        return "; ".join(
            f"{name} is {(other / name).read_text()!r}"
            for name, text in last.items() if (other / name).read_text() != text
        )

    return is_sound


@workload("tar")
def tar(folder: Path) -> Callable[[Path], str]:
    """A tree that is packed, removed and unpacked again, thrice."""
    tree(folder / "tree", 1_500)
    for _ in range(3):
        run(folder, "tar", "-cf", "tree.tar", "tree")
        shutil.rmtree(folder / "tree")
        run(folder, "tar", "-xf", "tree.tar")

    def is_sound(other: Path) -> str:
        run(other, "tar", "-df", "tree.tar")
        return ""

    return is_sound


@workload("rsync")
def rsync(folder: Path) -> Callable[[Path], str]:
    """A tree that is copied into the folder again and again, with deletions and in place."""
    with tempfile.TemporaryDirectory(prefix="cairn-rsync-") as source:
        for turn in range(5):
            tree(Path(source), 400 - 60 * turn, f"turn {turn}")
            options = ["-a", "--delete"] + (["--inplace"] if turn % 2 else [])
            run(folder, "rsync", *options, f"{source}/", "copy/")
            for path in sorted(Path(source).rglob("*.txt"))[:30]:
                path.unlink()
        run(folder, "rsync", "-a", "--delete", "--checksum", f"{source}/", "copy/")
        wanted = files(Path(source))
    return lambda other: "" if files(other / "copy") == wanted else "not what was copied"


@workload("make", "sh")
def build(folder: Path) -> Callable[[Path], str]:
    """make and make clean, again and again. Files that appear and disappear in this way are no
    accident."""
    rules = ["all: $(patsubst %,out/%.o,$(shell seq 200))", "out/%.o:",
             "\t@mkdir -p out; head -c 3000 /dev/urandom > $@", "clean:", "\t@rm -rf out"]
    (folder / "Makefile").write_text("\n".join(rules) + "\n")
    tree(folder / "src", 250)
    for _ in range(10):
        run(folder, "make", "-s", "all")
        time.sleep(0.5)
        run(folder, "make", "-s", "clean")
    run(folder, "make", "-s", "all")
    return lambda other: "" if len(list((other / "out").iterdir())) == 200 else "not all is there"


def play(binaries: str, names: list[str]) -> Iterator[tuple[str, str]]:
    """Plays workloads, each in a world of its own. Yields the name and the errors of each."""
    for name in names:
        programs, work = ALL[name]
        missing = [each for each in programs if shutil.which(each) is None]
        if missing:
            yield name, f"left out: there is no {', '.join(missing)}"
            continue
        with tempfile.TemporaryDirectory(
            prefix="cairn-work-", ignore_cleanup_errors=True
        ) as folder:
            world = World(binaries, folder)
            try:
                world.begin()
                is_sound = work(Path(world.path("ana")))
                world.settle("ana", "bob")
                yield name, check(world, is_sound)
            except Violation as wrong:
                yield name, str(wrong)
            finally:
                world.stop()


def check(world: World, is_sound: Callable[[Path], str]) -> str:
    wrong: list[str] = []
    ana, bob = world.tree("ana"), world.tree("bob")
    odd = sorted(name for name in {*ana, *bob} if ana.get(name) != bob.get(name))
    if odd:
        wrong.append(f"{len(odd)} files aren't alike: {', '.join(odd[:5])}")
    copies = [name for name in ana if "(conflict, " in name]
    if copies:
        wrong.append(f"conflict copies: {', '.join(copies[:5])}")
    for who in ("ana", "bob"):
        held = json.loads(world.run(who, "held", "list", "--json"))["mounts"]
        if held:
            wrong.append(f"{who}: {held}")
    try:
        found = is_sound(Path(world.path("bob")))
    except (Violation, OSError, sqlite3.Error) as error:
        found = f"at the other's: {error}"
    return "; ".join(wrong + ([found] if found else []))
