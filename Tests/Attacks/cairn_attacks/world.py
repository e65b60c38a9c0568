"""The people whose programs are attacked, and the checks that they must pass."""

import json
import os
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cairn_format import scenarios

# The beginning of the message if people wait for something that does not come.
IN_VAIN = "in vain: "
PATIENCE = 30 * float(os.environ.get("SLACK", "1"))  # seconds; only a failure needs all of them
MEMORY = 400 << 20  # bytes that a daemon may take at its peak, whatever an attacker writes


class WentThrough(Exception):
    """A broken promise, with what was seen."""


class Believed(WentThrough):
    """An attacker's forgery that somebody accepted as true."""


@dataclass
class Said:
    """The output of a command."""

    status: int
    text: str
    errors: str

    @property
    def all(self) -> str:
        return self.text + self.errors


class World(scenarios.World):
    """Honest people with the built programs, one container, and an attacker who writes into it."""

    def __init__(self, binaries: str, folder: str, is_lifted: bool = False) -> None:
        super().__init__(binaries, folder)
        self.binaries = binaries
        self.is_lifted = is_lifted
        self._turn = 0
        self._daemons: dict[str, int] = {}
        self._never: list[tuple[str, str]] = []
        self.listeners: list[subprocess.Popen[bytes]] = []
        self.users: dict[str, int] = {}  # ids of machine users, by person; default: this user
        self.variables: dict[str, dict[str, str]] = {}  # of the environment, by person

    # --- commands

    def run(self, who: str, *arguments: str) -> str:
        """Runs `cairn` as that person, which must succeed. Returns the last line of its output."""
        said = self.say(who, *arguments)
        if said.status != 0:
            raise RuntimeError(f"{who}: cairn {' '.join(arguments)}: {said.all}")
        lines = said.text.strip().splitlines()
        return lines[-1] if lines else ""

    def say(
        self, who: str, *arguments: str, patience: float = 120, typed: str = ""
    ) -> Said:
        """Runs `cairn` as that person, with any result, but within a time limit."""
        home = self.folder / who
        home.mkdir(exist_ok=True)
        environment = {
            "CAIRN_HOME": str(home / "home"), "HOME": str(home), "PATH": "/usr/bin:/bin",
            "TZ": "UTC", "SWIFT_BACKTRACE": "enable=no", **self.variables.get(who, {}),
        }
        user = self.users.get(who)
        try:
            done = subprocess.run(
                [self._cairn, *arguments], env=environment, capture_output=True, timeout=patience,
                check=False, input=typed.encode(), user=user, group=user,
                extra_groups=None if user is None else [],
            )
        except subprocess.TimeoutExpired as late:
            raise WentThrough(f"{who}: cairn {' '.join(arguments)} hangs") from late
        text, errors = (each.decode("utf-8", "replace") for each in (done.stdout, done.stderr))
        return Said(done.returncode, text, errors)

    def ask(self, who: str, *arguments: str) -> Any:
        """Returns the JSON of a command, which must succeed."""
        said = self.say(who, *arguments, "--json")
        if said.status != 0:
            raise WentThrough(f"{who}: cairn {' '.join(arguments)}: {said.all[:600]}")
        return json.loads(said.text)

    def status(self, who: str) -> Any:
        return self.ask(who, "status")

    def sharing(self, **members: str) -> None:
        """Lets Ana share Trip. The others join with a permission each: `bob="read-write"`."""
        self.people("ana", *members)
        self.share()
        self.write("ana", "before", "of ana")
        for who, permission in members.items():
            self.join(who, permission)
        self.settle("ana", *members)
        self.note_daemons("ana", *members)

    def user(self, who: str) -> bytes:
        """Returns a person's id."""
        return bytes.fromhex(self.status(who)["account"]["user"])

    # --- daemons

    def began(self, who: str) -> None:
        """Notes a home that an attack has made, whose daemon ends with the world."""
        self._homes.append(who)

    def note_daemons(self, *who: str) -> None:
        """Notes the people whose daemons must survive what follows."""
        for each in who:
            self._daemons[each] = self.status(each)["daemon"]["pid"]

    def restart(self, who: str) -> None:
        """Stops a person's daemon, and starts it again."""
        self.run(who, "stop")
        self.run(who, "start")
        self.note_daemons(who)

    def forget(self, who: str) -> None:
        """Stops a daemon, removes its index, and starts it. It reads everything again."""
        self.run(who, "stop")
        index = self.folder / who / "home" / "index"
        for each in index.iterdir():
            each.unlink()
        self.run(who, "start")
        self.note_daemons(who)

    def daemons_live(self) -> None:
        """Expects that no daemon ended, and that none took more memory than allowed."""
        for who, pid in self._daemons.items():
            try:
                text = Path(f"/proc/{pid}/status").read_text()
            except FileNotFoundError as gone:
                raise WentThrough(f"{who}'s daemon has ended") from gone
            peak = [line for line in text.splitlines() if line.startswith("VmHWM")]
            if not peak:
                raise WentThrough(f"{who}'s daemon has ended")
            size = int(peak[0].split()[1]) << 10
            if size > MEMORY:
                raise WentThrough(f"{who}'s daemon took {size >> 20} MiB")

    def stop(self) -> None:
        """Ends everything that was started for this world, and nothing else."""
        for each in self.listeners:
            each.kill()
            each.wait()
        super().stop()

    # --- what must be seen

    def eventually(
        self, what: str, holds: Callable[[], Any], patience: float = PATIENCE
    ) -> Any:
        """Waits until the condition holds. Returns its value."""
        deadline = time.monotonic() + patience
        while True:
            self.look()
            found = holds()
            if found:
                return found
            if time.monotonic() > deadline:
                raise WentThrough(f"{IN_VAIN}{what}")
            time.sleep(0.02)

    def expect(self, holds: object, why: str) -> None:
        """Fails unless the condition holds."""
        if not holds:
            raise WentThrough(why)

    def has(self, who: str, name: str) -> bool:
        return os.path.lexists(f"{self.path(who)}/{name}")

    def flows(
        self, *writers: str, readers: Sequence[str] = (), patience: float = PATIENCE
    ) -> None:
        """Expects that everybody is up to date: each writer's new file reaches all others."""
        self._turn += 1
        names = {who: f"turn {self._turn} of {who}" for who in writers}
        for who, name in names.items():
            self.write(who, name, name)
        for reader in (*writers, *readers):
            for who, name in names.items():
                self.eventually(
                    f"{reader} has what {who} wrote", lambda r=reader, n=name: self.has(r, n),
                    patience,
                )
        self.daemons_live()

    def never(self, name: str, *who: str) -> None:
        """Forbids that name in these people's folders from here on."""
        self._never += [(each, name) for each in who]

    def look(self) -> None:
        """Expects that nobody has accepted a forgery until now."""
        for who, name in self._never:
            if self.has(who, name):
                raise Believed(f"{who} has {name!r}")

    def in_order(self, *who: str) -> None:
        """Expects that everybody's `verify` and `status` find nothing, and that folders equal their
        zones."""
        self.verified(*who)
        for each in who:
            self.unproblematic(each)

    def verified(self, *who: str) -> None:
        """Expects that everybody's `verify` finds nothing, and that folders equal their zones."""
        for each in who:
            self.run(each, "wait", "--timeout", "60")
            said = self.say(each, "verify")
            self.expect(said.status == 0, f"{each}: cairn verify: {said.all[:600]}")
        differences = self.compare(*who)
        self.expect(not differences, f"{differences}")

    def unproblematic(self, who: str) -> None:
        """Expects that `status` reports nothing."""
        status = self.status(who)
        problems = status["problems"] + [p for m in status["mounts"] for p in m["problems"]]
        states = [each.get("state") for each in (status["container"], *status["mounts"])]
        self.expect(not problems and not any(states), f"{who}: {states} {problems}")

    def told(self, who: str, word: str, *parts: str) -> None:
        """Expects that `status` shows that word and names these parts, and that `verify`, `repair`
        and `doctor` don't report that all is in order."""
        self.shows(who, word, *parts)
        for command in ("verify", "repair", "doctor"):
            said = self.say(who, command)
            self.expect(said.status != 0, f"{who}: cairn {command} says: {said.all[:600]}")
            self.expect("all in order" not in said.text, f"{who}: {said.text[:600]}")
            self.expect("Nothing is to be repaired" not in said.text, f"{who}: {said.text[:600]}")

    def shows(self, who: str, word: str, *parts: str) -> None:
        """Expects that `status` shows that word and names these parts."""

        def is_shown() -> bool:
            text = self.say(who, "status").text
            return word in text.lower() and all(part in text for part in parts)

        self.eventually(f"{who}'s status says {word!r} and {parts}", is_shown)

    def repaired(self, who: str) -> None:
        """Expects that `repair --yes` succeeds."""
        said = self.say(who, "repair", "--yes")
        self.expect(said.status == 0, f"{who}: cairn repair --yes: {said.all[:600]}")

    def held(self, key: str, *who: str, is_short: bool = False) -> None:
        """Expects that an object holds the next position: everybody names it, and the first of them
        takes it away. Then everybody goes on."""
        for each in who:
            (self.shows if is_short else self.told)(each, "held", key.rsplit("/", 1)[-1])
        self.daemons_live()
        self.repaired(who[0])
        self.look()
