"""Ana and Bob with the built programs, each in a namespace of their own."""

import os
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .line import Namespace
from .s3 import Key

PATIENCE_SECONDS = 120


@dataclass
class Person:
    """A home, and the namespace that its daemon runs in."""

    name: str
    cairn: Path
    home: Path
    namespace: Namespace
    begun: bool = False

    @property
    def folder(self) -> Path:
        return self.home / "Trip"

    def run(self, *arguments: str) -> str:
        """Runs `cairn` as this person. Returns the last line of its output."""
        environment = {
            "CAIRN_HOME": str(self.home / "home"), "HOME": str(self.home),
            "PATH": os.environ["PATH"], "TZ": "UTC",
        }
        done = subprocess.run(
            self.namespace.enter(str(self.cairn), *arguments), env=environment,
            capture_output=True, text=True, timeout=300, check=False,
        )
        if done.returncode != 0:
            said = done.stdout + done.stderr
            raise RuntimeError(f"{self.name}: cairn {' '.join(arguments)}: {said}")
        lines = done.stdout.strip().splitlines()
        return lines[-1] if lines else ""

    def begin(self, container: str, key: Key | None = None) -> None:
        """Creates the person's identity in a container."""
        self.home.mkdir(parents=True)
        options = []
        if key is not None:
            file = self.home / "key"
            file.touch(mode=0o600)
            file.write_text(
                f"[default]\naws_access_key_id = {key.id}\naws_secret_access_key = {key.secret}\n")
            options = ["--credentials", str(file)]
        self.run(
            "init", "--container", container, "--name", self.name.title(), "--handle", self.name,
            *options)
        self.begun = True

    def listen(self, yes: bool) -> None:
        """Restarts the daemon, with push messages or without."""
        file = self.home / "home" / "cairn.conf"
        text = file.read_text().split("\n[wake]")[0]
        wake = f'\n[wake]\nlisten = "{self.namespace.address}:0"\n' if yes else ""
        file.write_text(text + wake)
        self.run("stop")
        self.run("start")

    def end(self) -> None:
        if self.begun:
            self.run("stop")


@dataclass
class Pair:
    """Both people, and the folder that they share."""

    ana: Person
    bob: Person

    def share(self) -> None:
        self.ana.folder.mkdir()
        self.ana.run("share", "create", str(self.ana.folder))
        link = self.ana.run(
            "share", "invite", str(self.ana.folder), "bob", "--permission", "read-write"
        )
        self.bob.run("share", "accept", link, "--at", str(self.bob.folder), "--wait")
        self.settle()

    def settle(self) -> None:
        for each in (self.ana, self.bob, self.ana, self.bob):
            each.run("wait", "--timeout", "120")

    def listen(self, yes: bool) -> None:
        for each in (self.ana, self.bob):
            each.listen(yes)
        self.settle()

    def end(self) -> None:
        for each in (self.ana, self.bob):
            each.end()


def await_that(holds: Callable[[], bool], what: str, pause: float = 0.02) -> None:
    """Waits until a condition holds."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        if time.monotonic() > deadline:
            raise RuntimeError(f"waited in vain for {what}")
        time.sleep(pause)
