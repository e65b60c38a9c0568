"""Two people with the built programs and one shared folder, on file systems that can be cut."""

import fcntl
import json
import os
import signal
import subprocess
import time
from pathlib import Path

from cairn_format import scenarios

# The file system stops at once, and writes nothing more, not even its journal, as after a power
# cut. ext4, XFS and f2fs have the same request.
SHUTDOWN, WITHOUT_JOURNAL = 0x8004587D, (2).to_bytes(4, "little")


class Violation(Exception):
    """Something was lost, came back, or isn't alike."""


class Image:
    """A file system in a file, mounted where a person works."""

    def __init__(self, kind: str, file: Path, at: Path, size: int) -> None:
        self.kind, self.file, self.at = kind, file, at
        at.mkdir(parents=True, exist_ok=True)
        with open(file, "wb") as image:
            image.truncate(size)
        quiet = ["-q", "-F"] if kind == "ext4" else ["-q", "-f"]
        subprocess.run([f"mkfs.{kind}", *quiet, str(file)], check=True, capture_output=True)
        self.mount()
        # A folder that is a whole file system must be empty at first.
        if (at / "lost+found").exists():
            (at / "lost+found").rmdir()

    def mount(self) -> None:
        subprocess.run(["mount", "-o", "loop", str(self.file), str(self.at)], check=True)

    def unmount(self) -> None:
        for _ in range(100):
            done = subprocess.run(["umount", str(self.at)], capture_output=True, check=False)
            if done.returncode == 0:
                break
            time.sleep(0.1)
        # An ending process has it open for a moment. Mounted again then, it would still be the
        # stopped one.
        for _ in range(100):
            loops = subprocess.run(
                ["losetup", "-j", str(self.file)], capture_output=True, text=True, check=True
            ).stdout
            if done.returncode == 0 and not loops:
                return
            time.sleep(0.1)
        raise RuntimeError(f"{self.at} can't be unmounted: {done.stderr.decode()}")

    def stop(self) -> None:
        """Stops the file system like a power cut. Nobody can use it until it is mounted again."""
        file = os.open(self.at, os.O_RDONLY)
        try:
            fcntl.ioctl(file, SHUTDOWN, WITHOUT_JOURNAL)
        finally:
            os.close(file)


class World(scenarios.World):
    """Ana shares Trip with Bob, who may write. Both machines can be restarted."""

    def __init__(self, binaries: str, folder: str) -> None:
        super().__init__(binaries, folder)
        self._binary = str(Path(binaries) / "cairn")
        self._boots: dict[str, int] = {}

    def begin(self) -> None:
        self.people("ana", "bob")
        self.share()
        self.join("bob", "read-write")
        self.settle("ana", "bob")

    def run(self, who: str, *arguments: str) -> str:
        """Runs `cairn` on that person's machine, in its present boot."""
        home = self.folder / who
        home.mkdir(exist_ok=True)
        environment = {
            "CAIRN_HOME": str(home / "home"), "HOME": str(home), "PATH": os.environ["PATH"],
            "TZ": "UTC",
        }
        command = [self._binary, *arguments]
        if who in self._boots:
            # For a program, this is another boot of the machine.
            script = 'mount --bind "$1" /proc/sys/kernel/random/boot_id && shift && exec "$@"'
            boot = str(self.folder / f"boot-{who}")
            command = [
                "unshare", "-m", "--propagation", "slave", "sh", "-c", script, "sh", boot, *command
            ]
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=180, check=False
        )
        if done.returncode != 0:
            raise Violation(f"{who}: cairn {' '.join(arguments)}: {done.stdout}{done.stderr}")
        lines = done.stdout.strip().splitlines()
        return lines[-1] if lines else ""

    def reboot(self, who: str) -> None:
        """Restarts that person's machine."""
        self._boots[who] = self._boots.get(who, 0) + 1
        text = f"00000000-0000-4000-8000-{self._boots[who]:012x}\n"
        (self.folder / f"boot-{who}").write_text(text)

    def pid(self, who: str) -> int:
        """Returns the process id of the daemon on that person's machine."""
        return int(json.loads(self.run(who, "status", "--json"))["daemon"]["pid"])

    def kill(self, pid: int) -> None:
        """Kills a daemon and its children, as a power cut does."""
        for each in family(pid):
            try:
                os.kill(each, signal.SIGKILL)
            except ProcessLookupError:
                continue
        for each in family:
            for _ in range(100):
                if not is_running(each):
                    break
                time.sleep(0.05)

    def tree(self, who: str) -> dict[str, bytes]:
        """Returns the files of that person's folder, without Cairn's own."""
        return files(Path(self.path(who)))

    def rescued(self, who: str) -> set[bytes]:
        """Returns the contents of that person's rescue folders, wherever they are."""
        found: set[bytes] = set()
        for folder in (Path(self.path(who)) / ".cairn", self.folder / who / "home" / "rescue"):
            found |= set(files(folder, own=True).values())
        return found


def family(pid: int) -> list[int]:
    """Returns a process and its children."""
    found = [pid]
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except (OSError, ValueError, IndexError):
            continue
        if parent == pid:
            found.append(int(entry.name))
    return found


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def files(folder: Path, own: bool = False) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for path in folder.rglob("*"):
        name = str(path.relative_to(folder))
        if not own and name.split("/")[0].startswith(".cairn"):
            continue
        if path.is_file() and not path.is_symlink():
            found[name] = path.read_bytes()
    return found
