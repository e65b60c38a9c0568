"""The same fifty changes in a shared folder on each kind of file system that is installed.

Ana's folder is on an ordinary file system. Bob's is on the one under test. First Ana makes the
changes, so that Bob's folder receives them. Then Bob makes the same changes, so that his folder
sends them. After every ten changes

* both folders are alike: names, bytes, targets of links, and the right to execute, as far as the
  file system has such things;
* there is no conflict copy, because nobody changed what another one changed;
* no problem is left, and nobody waits.

At the end both daemons are quiet.
"""

import json
import os
import shutil
import socket
import stat
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from .world import Violation, World

SIZE = 256 << 20  # bytes
# Kinds that the kernel of most machines for tests lacks; the FAQ lists them as not tried.
NOT_TRIED = "vfat, casefold, NFS, SMB"


class NotInstalled(Exception):
    """A program or a module of the kernel is missing."""


class Mounted:
    """A file system under test, mounted at a folder."""

    def __init__(self, kind: str, room: Path, at: Path) -> None:
        self.kind, self.room, self.at = kind, room, at
        self._server: subprocess.Popen[bytes] | None = None
        self._loop = ""
        for folder in (at, room):
            folder.mkdir(parents=True)
        KINDS[kind](self)

    def needs(self, *programs: str) -> None:
        for program in programs:
            if shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/sbin") is None:
                raise NotInstalled(f"there is no {program}")

    def folder(self, name: str) -> str:
        path = self.room / name
        path.mkdir()
        return str(path)

    def image(self, *make: str) -> str:
        path = str(self.room / "image")
        with open(path, "wb") as file:
            file.truncate(SIZE)
        self.do(*make, path)
        return path

    def loop(self, image: str) -> str:
        """Returns a block device for an image."""
        done = subprocess.run(
            ["losetup", "-f", "--show", image], capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise NotInstalled(done.stderr.strip())
        self._loop = done.stdout.strip()
        return self._loop

    def do(self, *command: str, text: str = "") -> None:
        done = subprocess.run(
            command, input=text, capture_output=True, text=True, timeout=60, check=False
        )
        if done.returncode != 0:
            raise NotInstalled(f"{' '.join(command)}: {(done.stderr or done.stdout).strip()}")

    def serve(self, *command: str) -> None:
        self._server = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def await_mount(self) -> None:
        for _ in range(100):
            if os.path.ismount(self.at):
                return
            time.sleep(0.1)
        raise NotInstalled(f"{self.kind} doesn't mount")

    def end(self) -> None:
        for _ in range(100):
            if not os.path.ismount(self.at):
                break
            subprocess.run(["umount", str(self.at)], capture_output=True, check=False)
            time.sleep(0.1)
        else:
            subprocess.run(["umount", "-l", str(self.at)], capture_output=True, check=False)
        if self._loop:
            subprocess.run(["losetup", "-d", self._loop], check=False)
        if self._server is not None:
            self._server.terminate()
            self._server.wait()


def mount_bindfs(fs: Mounted) -> None:
    fs.needs("bindfs")
    fs.do("bindfs", fs.folder("back"), str(fs.at))


def mount_encfs(fs: Mounted) -> None:
    fs.needs("encfs")
    fs.do("encfs", "--standard", "--stdinpass", fs.folder("back"), str(fs.at), text="secret\n")


def mount_exfat(fs: Mounted) -> None:
    fs.needs("mount.exfat-fuse", "mkfs.exfat")
    fs.do("mount.exfat-fuse", fs.loop(fs.image("mkfs.exfat")), str(fs.at))


def mount_fuse_overlayfs(fs: Mounted) -> None:
    fs.needs("fuse-overlayfs")
    parts = f"lowerdir={fs.folder('low')},upperdir={fs.folder('up')},workdir={fs.folder('work')}"
    fs.do("fuse-overlayfs", "-o", parts, str(fs.at))


def mount_gocryptfs(fs: Mounted) -> None:
    fs.needs("gocryptfs")
    back, secret = fs.folder("back"), fs.room / "secret"
    secret.write_text("secret\n")
    fs.do("gocryptfs", "-q", "-init", "-scryptn", "10", "-passfile", str(secret), back)
    fs.do("gocryptfs", "-q", "-passfile", str(secret), back, str(fs.at))


def mount_mergerfs(fs: Mounted, *options: str) -> None:
    fs.needs("mergerfs")
    fs.do("mergerfs", *options, f"{fs.folder('one')}:{fs.folder('two')}", str(fs.at))


def mount_ntfs(fs: Mounted) -> None:
    fs.needs("ntfs-3g", "mkfs.ntfs")
    fs.do("ntfs-3g", fs.image("mkfs.ntfs", "-F", "-Q", "-q"), str(fs.at))


def mount_overlayfs(fs: Mounted) -> None:
    # The upper folder of an overlay can't be on another overlay.
    fs.do("mount", "-t", "tmpfs", "tmpfs", str(fs.at))
    parts = [fs.at / name for name in ("low", "up", "work", "top")]
    for part in parts:
        part.mkdir()
    low, up, work, top = map(str, parts)
    fs.do(
        "mount", "-t", "overlay", "overlay", "-o", f"lowerdir={low},upperdir={up},workdir={work}",
        top,
    )
    fs.do("mount", "--move", top, str(fs.at))


def mount_rclone(fs: Mounted) -> None:
    fs.needs("rclone")
    # By default rclone writes a file back after five seconds. If its directory is renamed before
    # that, the file reads as empty for a while.
    fs.serve(
        "rclone", "mount", fs.folder("back"), str(fs.at), "--vfs-cache-mode", "full",
        "--vfs-write-back", "0s", "--cache-dir", fs.folder("cache"),
    )
    fs.await_mount()


def mount_sshfs(fs: Mounted) -> None:
    fs.needs("sshfs", "sshd", "ssh-keygen")
    for key in ("host", "user"):
        fs.do("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(fs.room / key))
    shutil.copy(fs.room / "user.pub", fs.room / "allowed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (fs.room / "sshd").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {fs.room}/host\n"
        f"AuthorizedKeysFile {fs.room}/allowed\nStrictModes no\nUsePAM no\nPidFile none\n"
        "Subsystem sftp internal-sftp\n"
    )
    Path("/run/sshd").mkdir(exist_ok=True)
    fs.serve("/usr/sbin/sshd", "-D", "-f", str(fs.room / "sshd"))
    for _ in range(100):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.1)
    options = "StrictHostKeyChecking=no,UserKnownHostsFile=/dev/null,"
    options += f"IdentityFile={fs.room}/user,port={port}"
    fs.do("sshfs", "-o", options, f"127.0.0.1:{fs.folder('back')}", str(fs.at))


def mount_tmpfs(fs: Mounted) -> None:
    fs.do("mount", "-t", "tmpfs", "tmpfs", str(fs.at))


def mount_unionfs(fs: Mounted) -> None:
    fs.needs("unionfs-fuse")
    fs.do("unionfs-fuse", "-o", "cow", f"{fs.folder('up')}=RW:{fs.folder('low')}=RO", str(fs.at))


KINDS: dict[str, Callable[[Mounted], None]] = {
    "tmpfs": mount_tmpfs,
    "overlayfs": mount_overlayfs,
    "bindfs": mount_bindfs,
    "mergerfs": mount_mergerfs,
    "mergerfs-use_ino": lambda fs: mount_mergerfs(fs, "-o", "use_ino"),
    "mergerfs-devino-hash": lambda fs: mount_mergerfs(fs, "-o", "use_ino,inodecalc=devino-hash"),
    "unionfs-fuse": mount_unionfs,
    "gocryptfs": mount_gocryptfs,
    "encfs": mount_encfs,
    "sshfs": mount_sshfs,
    "rclone": mount_rclone,
    "fuse-overlayfs": mount_fuse_overlayfs,
    "ntfs-3g": mount_ntfs,
    "exfat-fuse": mount_exfat,
}
# What a file system has no place for.
HAS_NO_LINKS = {"exfat-fuse", "rclone"}
HAS_NO_MODES = {"exfat-fuse", "ntfs-3g", "rclone"}
# rclone 1.60 fails without Cairn, too: after a directory was renamed into another one, its next
# rename says EEXIST, and its files can't be opened.
ONLY_RECEIVES = {"rclone"}


def changes(top: Path, kind: str) -> Iterator[Callable[[], object]]:
    """Returns the fifty changes. Each waits until it is called."""

    def write(name: str, data: str) -> Callable[[], object]:
        return lambda: (top / name).write_text(data)

    def append(name: str, data: str) -> Callable[[], object]:
        def act() -> None:
            with open(top / name, "a", encoding="utf-8") as file:
                file.write(data)

        return act

    def replace(name: str, data: str) -> Callable[[], object]:
        def act() -> None:
            beside = top / f"{name}.part"
            beside.write_text(data)
            beside.rename(top / name)

        return act

    def rename(old: str, new: str) -> Callable[[], object]:
        return lambda: (top / old).rename(top / new)

    def link(name: str, target: str) -> Callable[[], object]:
        if kind in HAS_NO_LINKS:
            return write(name, target)
        return lambda: (top / name).symlink_to(target)

    large = "0123456789abcdef" * 200_000
    # Ten: files of all sizes, directories, names.
    yield write("first", "one")
    yield write("empty", "")
    yield write("large", large)
    yield lambda: (top / "d").mkdir()
    yield write("d/inner", "inner")
    yield lambda: (top / "d/e/f").mkdir(parents=True)
    yield write("d/e/f/deep", "deep")
    yield write("Zürich – 日本", "name")
    yield link("link", "first")
    yield write("script", "#!/bin/sh\n")
    # Ten: edits.
    yield write("first", "two")
    yield append("first", " and more")
    yield write("empty", "not any more")
    yield append("large", "the end")
    yield replace("d/inner", "replaced")
    yield replace("first", "replaced, too")
    yield lambda: os.truncate(top / "large", 100_000)
    yield lambda: os.utime(top / "empty", (1_500_000_000, 1_500_000_000))
    yield lambda: (top / "script").chmod(0o755) if kind not in HAS_NO_MODES else None
    yield write("d/e/f/deep", "deeper")
    # Ten: names of files.
    yield rename("first", "renamed")
    yield rename("d/inner", "d/e/moved")
    yield rename("renamed", "d/renamed")
    yield write("first", "another one")
    yield rename("empty", "swap")
    yield rename("first", "empty")
    yield rename("swap", "first")
    yield rename("d/e/moved", "top")
    yield rename("large", "Large")
    yield append("d/renamed", " after the rename")
    # Ten: names of directories.
    yield rename("d/e", "d/g")
    yield rename("d/g", "g")
    yield write("g/new", "new")
    yield rename("g", "h")
    yield append("h/f/deep", " still")
    yield lambda: (top / "d/e").mkdir()
    yield write("d/e/again", "again")
    yield rename("h/f", "d/e/f")
    yield rename("d", "i")
    yield replace("i/e/f/deep", "at the end")
    # Ten: deletions, and names that come back.
    yield lambda: (top / "top").unlink()
    yield write("top", "back")
    yield lambda: (top / "script").unlink()
    yield lambda: (top / "link").unlink()
    yield link("link", "top")
    yield lambda: shutil.rmtree(top / "i/e")
    yield lambda: (top / "h/new").unlink()
    yield lambda: (top / "h").rmdir()
    yield write("h", "a file in the place of a directory")
    yield lambda: (top / "Large").unlink()


class Folders(World):
    """Ana shares Trip with Bob, whose folder is on the file system under test."""

    def __init__(self, binaries: str, folder: str, disk: Path) -> None:
        super().__init__(binaries, folder)
        self._disk = disk

    def path(self, who: str, name: str = "Trip") -> str:
        return str(self._disk / name) if who == "bob" else super().path(who, name)


def play(binaries: str, kind: str) -> Iterator[str]:
    """Plays one kind. Yields a line for people, which ends with "ok" if nothing was wrong."""
    with tempfile.TemporaryDirectory() as folder:
        disk = Path(folder) / "disk"
        fs: Mounted | None = None
        world: Folders | None = None
        try:
            fs = Mounted(kind, Path(folder) / "room", disk)
            world = Folders(binaries, folder, disk)
            world.begin()
            play_changes(world, kind, "ana")
            if kind in ONLY_RECEIVES:
                yield f"{kind}, only received: ok"
            else:
                play_changes(world, kind, "bob")
                yield f"{kind}: {notes(world)}: ok"
        except NotInstalled as missing:
            yield f"{kind}: left out: {missing}"
        except (Violation, OSError, RuntimeError, subprocess.TimeoutExpired) as wrong:
            yield f"{kind}: {wrong}"
        finally:
            if world is not None:
                world.stop()
            if fs is not None:
                fs.end()


def play_changes(world: Folders, kind: str, who: str) -> None:
    top = Path(world.path(who))
    for number, change in enumerate(changes(top, kind), start=1):
        change()
        if number % 10 == 0:
            settle(world, kind, f"{who}'s changes up to {number}")
    for entry in top.iterdir():
        if entry.name != ".cairn":
            shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
    # Most of a folder is gone at once, which is meant.
    for each in (who, "bob" if who == "ana" else "ana"):
        world.run(each, "wait", "--timeout", "60")
        if json.loads(world.run(each, "status", "--json"))["mounts"][0].get("held"):
            world.run(each, "held", "confirm", world.path(each), "--yes")
    settle(world, kind, f"{who} deleted everything")
    quiet(world, kind)


def settle(world: Folders, kind: str, when: str) -> None:
    # A file system that reports no changes is scanned once in a while.
    patience = time.monotonic() + 100
    while True:
        world.settle("ana", "bob")
        trees = {who: shown(Path(world.path(who)), kind) for who in ("ana", "bob")}
        if trees["ana"] == trees["bob"] or time.monotonic() > patience:
            break
        time.sleep(1)
    names = sorted(set(trees["ana"]) | set(trees["bob"]))
    odd = [
        f"{name}: {trees['ana'].get(name)} and {trees['bob'].get(name)}"
        for name in names if trees["ana"].get(name) != trees["bob"].get(name)
    ]
    if odd:
        raise Violation(f"{when}: not alike: {'; '.join(odd)[:600]}")
    copies = [name for name in names if "(conflict," in name]
    if copies:
        raise Violation(f"{when}: conflict copies: {', '.join(copies)}")
    for who in ("ana", "bob"):
        for mount in json.loads(world.run(who, "status", "--json"))["mounts"]:
            problems = [each for each in mount.get("problems", []) if each["code"] != "notice"]
            if problems:
                raise Violation(f"{when}: {who}: {problems}")


def shown(top: Path, kind: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in top.rglob("*"):
        name = str(path.relative_to(top))
        if name.split("/")[0].startswith(".cairn"):
            continue
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            found[name] = f"-> {os.readlink(path)}"
        elif stat.S_ISDIR(mode):
            found[name] = "directory"
        else:
            data = path.read_bytes()
            found[name] = f"{len(data)} bytes, {data[:30]!r}"
            if kind not in HAS_NO_MODES and mode & 0o100:
                found[name] += ", executable"
    return found


def quiet(world: Folders, kind: str) -> None:
    """Expects that daemons with nothing to do use at most a tenth of a processor."""
    for who in ("ana", "bob"):
        pid, ticks = world.pid(who), os.sysconf("SC_CLK_TCK")

        def used(pid: int = pid) -> float:
            fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            return (int(fields[11]) + int(fields[12])) / ticks

        for _ in range(20):
            before = used()
            time.sleep(3)
            if used() - before < 0.3:
                break
        else:
            raise Violation(f"{who}'s daemon isn't quiet on {kind}")


def notes(world: Folders) -> str:
    """Returns what `cairn doctor` says about the file system."""
    checks = json.loads(world.run("bob", "doctor", "--json"))["checks"]
    found = [each["message"] for each in checks if each["name"] == "file systems"]
    return (found or ["nothing"])[0].replace(f"{world.path('bob')}: ", "")
