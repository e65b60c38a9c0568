"""Containers of each kind, made with the built programs, and read back by this reader.

Each mirrored folder of each device is compared with its zone, byte for byte. The state of the zone
is compared with the expectation of the scenario.
"""

import hashlib
import json
import os
import random
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import report, schema
from .account import Book, Everything, read_everything, read_zone
from .container import Container, public_folder
from .drops import DropLink, read_box, read_drops
from .people import read_person
from .recovery import recover, sheet_keys
from .signers import Signer
from .state import JOINED, ZoneState
from .state_digest import state_digest
from .zone_writer import ZoneWriter

PATIENCE_SECONDS = 60


class World:
    """Some people with a home each, and one container."""

    def __init__(self, binaries: str, folder: str) -> None:
        self._cairn = str(Path(binaries) / "cairn")
        self.folder = Path(folder)
        self.container = str(self.folder / "cloud")
        self._homes: list[str] = []

    def run(self, who: str, *arguments: str) -> str:
        """Runs `cairn` as that person. Returns the last line of its output."""
        home = self.folder / who
        home.mkdir(exist_ok=True)
        environment = {
            "CAIRN_HOME": str(home / "home"), "HOME": str(home), "PATH": "/usr/bin:/bin",
            "TZ": "UTC",
        }
        done = subprocess.run(
            [self._cairn, *arguments], env=environment, capture_output=True, text=True,
            timeout=180, check=False,
        )
        if done.returncode != 0:
            raise RuntimeError(f"{who}: cairn {' '.join(arguments)}: {done.stdout}{done.stderr}")
        lines = done.stdout.strip().splitlines()
        return lines[-1] if lines else ""

    def people(self, *names: str) -> None:
        for name in names:
            self.run(
                name, "init", "--container", self.container, "--name", name.title(), "--handle",
                name,
            )
            self._homes.append(name)

    def second_device(self, who: str, other: str) -> None:
        code = self.run(who, "device", "link")
        self.run(other, "device", "join", code, "--container", self.container)
        self._homes.append(other)

    def sheet(self, who: str) -> str:
        """Makes a recovery sheet. Returns the text of its QR code."""
        made: dict[str, Any] = json.loads(self.run(who, "device", "recovery", "--json"))
        return str(made["code"])

    def path(self, who: str, name: str = "Trip") -> str:
        return str(self.folder / who / name)

    def write(self, who: str, name: str, data: bytes | str, folder: str = "Trip") -> None:
        path = Path(self.path(who, folder)) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)

    def share(self, who: str = "ana") -> None:
        Path(self.path(who)).mkdir(exist_ok=True)
        self.run(who, "share", "create", self.path(who))

    def join(self, who: str, permission: str, by: str = "ana") -> None:
        link = self.run(by, "share", "invite", self.path(by), who, "--permission", permission)
        self.run(who, "share", "accept", link, "--at", self.path(who), "--wait")

    def settle(self, *who: str) -> None:
        for _ in range(2):
            for each in who:
                self.run(each, "wait", "--timeout", "60")

    def read(self, who: str) -> Everything:
        return read_everything(str(self.folder / who / "home"), self.container)

    def await_state(self, who: str, holds: Callable[[ZoneState], bool]) -> ZoneState:
        """Waits until the condition holds for one of that person's zones."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            for zone in self.read(who).zones.values():
                if zone.held is None and holds(zone.state):
                    return zone.state
            self.run(who, "wait", "--timeout", "10")
        raise RuntimeError(f"waited in vain for a zone of {who}'s")

    def compare(self, *who: str) -> list[str]:
        """Returns the differences between these devices' folders and their zones."""
        differences = []
        for each in who or self._homes:
            found = report.compare(str(self.folder / each / "home"), self.container)
            differences += [f"{each}: {text}" for text in found["differences"]]
            if not found["mounts"]:
                differences.append(f"{each} mirrors nothing")
        return differences

    def stop(self) -> None:
        """Stops each daemon that this world has started, and no other."""
        for each in self._homes:
            try:
                self.run(each, "stop")
            except (RuntimeError, subprocess.TimeoutExpired):
                continue


def private(world: World) -> list[str]:
    """A private folder with links, modes, empty and odd names, and a deep tree."""
    world.people("ana")
    for name, data in (("a", "a"), ("1/2/3/4/deep", "deep"), ("empty", ""), ("run", "#!/bin/sh")):
        world.write("ana", name, data)
    folder = Path(world.path("ana"))
    (folder / "run").chmod(0o755)
    (folder / "link").symlink_to("1/2/3")
    (folder / "nothing").mkdir()
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff name")).write_text("not UTF-8")
    os.utime(folder / "a", ns=(1, 981_173_106_789_012_345))
    world.run("ana", "add", world.path("ana"))
    world.settle("ana")
    (folder / "a").rename(folder / "b")
    (folder / "empty").unlink()
    world.settle("ana")
    return world.compare()


def shared(world: World) -> list[str]:
    """One participant who reads and writes, and one who only reads."""
    world.people("ana", "bob", "cleo")
    world.share()
    world.write("ana", "from ana", "ana")
    world.join("bob", "read-write")
    world.join("cleo", "read-only")
    world.write("bob", "from bob", "bob")
    world.settle("ana", "bob", "cleo")
    world.await_state("cleo", lambda state: len(state.records) == 3)
    world.settle("cleo")
    return world.compare()


def links(world: World) -> list[str]:
    """A link for one person, and then links for anyone."""
    world.people("ana", "bob", "cleo")
    world.share()
    world.write("ana", "a", "a")
    link = world.run("ana", "share", "invite", world.path("ana"), "--link", "--print-link")
    world.run("bob", "share", "accept", link, "--at", world.path("bob"), "--wait")
    world.run("ana", "share", "set-public", world.path("ana"), "read-write", "--yes")
    anyone = world.run("ana", "share", "link", world.path("ana"))
    world.run("cleo", "share", "accept", anyone, "--at", world.path("cleo"), "--wait")
    world.write("cleo", "c", "c")
    world.settle("cleo", "ana", "bob")
    state = world.await_state("bob", lambda state: len(state.records) == 3)
    world.settle("bob")
    people = state.header.share.participants.values() if state.header.share else []
    wrong = [] if [each.role for each in people] == [JOINED, JOINED] else [f"joined: {people}"]
    return wrong + world.compare()


def nested(world: World) -> list[str]:
    """A shared folder inside of a mirrored folder: two zones, and a reference."""
    world.people("ana", "bob")
    world.write("ana", "outside", "outside")
    world.write("ana", "inner/inside", "inside")
    world.run("ana", "add", world.path("ana"))
    world.settle("ana")
    world.run("ana", "share", "create", world.path("ana") + "/inner")
    link = world.run("ana", "share", "invite", world.path("ana") + "/inner", "bob")
    world.run("bob", "share", "accept", link, "--at", world.path("bob"), "--wait")
    world.write("bob", "from bob", "bob")
    world.settle("bob", "ana")
    return world.compare()


def devices(world: World) -> list[str]:
    """Several devices of a person. One of them is revoked, between two recovery sheets."""
    world.people("ana", "bob")
    world.share()
    world.write("ana", "a", "a")
    world.join("bob", "read-write")
    world.second_device("ana", "ana2")
    device = world.read("ana2").account.device
    world.settle("ana", "ana2", "bob")
    wrong = world.compare("ana", "bob")
    sheets = [world.sheet("ana")]
    world.run("ana", "device", "revoke", device.hex())
    sheets.append(world.sheet("ana"))
    account = world.read("ana").account
    person = read_person(Container(world.container), account.user)
    for sheet in sheets:
        if recover(person, sheet_keys(sheet)) != account.encryption:
            wrong.append("a recovery sheet doesn't give all keys")
    world.write("bob", "later", "later")
    world.settle("bob", "ana")
    state = world.await_state("bob", lambda state: state.header.epoch > 1)
    if not any(each == device for _, each in state.header.revoked):
        wrong.append("the device isn't revoked in the zone")
    gone = world.read("ana2").zones[state.zone]
    if gone.state.sequence >= state.sequence:
        wrong.append("the revoked device reads on")
    return wrong + world.compare("ana", "bob")


def public(world: World) -> list[str]:
    """Public zones of people, and one of somebody without a device, who publishes by this writer
    alone."""
    world.people("ana", "bob")
    for who in ("ana", "bob"):
        world.run(who, "public", "mount", world.path(who), "--wait")
        world.write(who, f"from {who}", who)
    for who in ("ana", "bob"):
        world.run(who, "wait", "--timeout", "60")
    container = Container(world.container)
    signer = Signer.new(random.Random("cy"), "cy", "Cy", 1)
    signer.put_start(container)
    writer = ZoneWriter.publish(container, Book(container), signer, random.Random("writes"))
    writer.commit(**writer.file(b"from cy", b"cy"))
    writer.commit(**writer.file(b"large", random.Random(1).randbytes(200_000)))
    put_by_nobody(container, writer)
    world.write("ana", "behind", "it")
    world.run("ana", "wait", "--timeout", "60")
    wrong = []
    for who, count in (("ana", 3), ("bob", 3)):
        read = world.read(who)
        publics = [z for z in read.zones.values() if z.state.is_public]
        if len(publics) != count or any(z.held for z in publics):
            wrong.append(f"{who} reads {[(len(z.digests), z.held) for z in publics]}")
        for name, text in (("from cy", "cy"), ("large", None)):
            said = world.run(who, "public", "get", f"cy/{name}", "--output", f"{world.folder}/got")
            got = Path(f"{world.folder}/got").read_bytes()
            if (text is not None and got != text.encode()) or (text is None and len(got) != 200_000):
                wrong.append(f"{who} got {got[:40]!r} as {name}: {said}")
    return wrong + world.compare()


def put_by_nobody(container: Container, writer: ZoneWriter) -> None:
    """Puts the last entry under a name that fits no lock, and rubbish. Neither is ever read."""
    folder = public_folder(writer.founder)
    last = container.get(writer.public_place(writer.read().state.sequence))
    container.put_if_absent(f"{folder}/{'0' * 32}", last or b"")
    container.put_if_absent(f"{folder}/{'1' * 32}", b"rubbish")


def transferred(world: World) -> list[str]:
    """A zone that its founder transferred."""
    world.people("ana", "bob")
    world.share()
    world.write("ana", "a", "a")
    world.join("bob", "read-write")
    world.settle("ana", "bob")
    world.run("ana", "share", "transfer", world.path("ana"), "bob")
    world.settle("ana", "bob")
    world.run("bob", "share", "transfer", world.path("bob"), "--accept")
    bob = world.read("bob").account.user
    world.await_state("ana", lambda state: state.header.owner == bob)
    world.write("bob", "b", "b")
    world.settle("bob", "ana")
    return world.compare()


def packs(world: World) -> list[str]:
    """A large file that is partly compressible, and one that shares most of its chunks."""
    world.people("ana", "bob")
    world.share()
    noise = b"".join(hashlib.sha256(b"%d" % n).digest() for n in range(200_000))
    world.write("ana", "large", noise + bytes(3 << 20) + b"text " * 100_000)
    world.write("ana", "larger", b"before" + noise + bytes(5 << 20))
    world.write("ana", "65536", noise[:65536])
    world.write("ana", "65537", noise[:65537])
    world.join("bob", "read-only")
    world.settle("ana", "bob")
    for end in range(1, 5):
        world.write("ana", "65537", noise[: 65537 + end * 1000])
        world.settle("ana", "bob")
    places = [
        schema.decode("ChunkPlace", chunk.place)
        for zone in world.read("bob").zones.values() for chunk in zone.state.chunks.values()
    ]
    wrong = [] if max(len(each.pieces) for each in places) == 4 else ["no chunk has four pieces"]
    return wrong + world.compare()


def removed(world: World) -> list[str]:
    """A removed participant, and epochs that were raised."""
    world.people("ana", "bob", "cleo")
    world.share()
    world.write("ana", "a", "a")
    world.join("bob", "read-write")
    world.join("cleo", "read-write")
    world.settle("ana", "bob", "cleo")
    world.run("ana", "share", "remove", world.path("ana"), "bob")
    world.write("ana", "later", "later")
    world.settle("ana", "cleo")
    state = world.await_state("cleo", lambda state: state.header.epoch > 1)
    world.settle("cleo")
    gone = world.read("bob").zones.get(state.zone)
    wrong = [] if gone is None or gone.ends_here else ["who was removed reads on"]
    return wrong + world.compare("ana", "cleo")


def garbage(world: World) -> list[str]:
    """Packs that are closed, a share that is later split off from a folder, and the versions that
    are kept."""
    world.people("ana", "bob")
    world.share()
    world.join("bob", "read-write")
    noise = b"".join(hashlib.sha256(b"%d" % n).digest() for n in range(9_000))
    world.write("bob", "large", noise)
    world.settle("bob", "ana")
    pack, *_ = Path(world.container).glob("users/*/packs/*/*/*")
    orphan = pack.parent.parent / "ab" / f"ab{0:030x}"
    orphan.parent.mkdir(exist_ok=True)
    orphan.write_bytes(bytes(4_096))
    world.run("ana", "history", "policy", world.path("ana"), "--versions", "0")
    world.run("ana", "gc")
    world.write("bob", "larger", noise[::-1])
    world.write("ana", "large", noise[1:])
    world.settle("bob", "ana")
    state = world.await_state("bob", lambda state: state.header.generation > 1)
    used = {chunk.generation for chunk in state.chunks.values() if chunk.pack}
    wrong = [] if used == {0, state.header.generation} else [f"packs of {sorted(used)}"]
    return wrong + world.compare()


def floors(world: World) -> list[str]:
    """Pasts that are closed to newcomers, epochs behind them, and forgotten versions. A newcomer
    begins at a floor, and comes to the same state as the log."""
    world.people("ana", "bob", "cleo", "dan", "eve")
    world.share()
    world.join("bob", "read-write")
    for text in ("first", "second"):
        world.write("ana", "often", text)
        world.write("bob", "deep/of bob", text)
        world.settle("ana", "bob")
    (Path(world.path("bob")) / "deep" / "of bob").unlink()
    world.settle("bob", "ana")
    for who in ("cleo", "dan"):
        link = world.run("ana", "share", "invite", "--from-now", world.path("ana"), who)
        world.run(who, "share", "accept", link, "--at", world.path(who), "--wait")
        world.write("ana", "often", f"for {who}")
        world.settle("ana", "bob", who)
    world.run("ana", "share", "remove", world.path("ana"), "dan")
    world.write("ana", "often", "without dan")
    world.settle("ana", "bob", "cleo")
    world.run("ana", "history", "forget", world.path("ana") + "/often", "--yes")
    world.write("bob", "last", "last")
    world.settle("bob", "ana", "cleo")
    world.join("eve", "read-only")
    world.settle("eve", "ana")
    wrong = []
    for who, begins in (("ana", 2), ("bob", 2), ("cleo", 1), ("eve", 2)):
        everything = world.read(who)
        for zone, read in everything.zones.items():
            if read.floor is None or read.held is not None:
                wrong.append(f"{who} begins at no floor, or is held: {read.floor} {read.held}")
            elif read.past is None or len(read.past.hidden) != begins:
                wrong.append(f"{who} sees of the closed past: {read.past}")
            # A reader with the first key comes to the same state without any floor. A newcomer
            # needn't keep the key of an epoch that lies below a floor.
            noted = everything.noted[zone]
            if set(noted.keys) == set(range(1, max(noted.keys) + 1)):
                other = read_zone(everything, noted, from_floors=False)
                if state_digest(other.state) != state_digest(read.state):
                    wrong.append(f"{who} folds another state from place 1 on")
    return wrong + world.compare("ana", "bob", "cleo", "eve")


def drops(world: World) -> list[str]:
    """Files of a person, and of nobody, in a drop box, and a large one."""
    world.people("ana", "bob")
    world.share()
    world.settle("ana")
    text = world.run("ana", "drop", "create", world.path("ana"), "--title", "Letters")
    link = DropLink.parse(text)
    world.write("bob", "letter", "dear Ana", "files")
    large = b"".join(hashlib.sha256(b"%d" % n).digest() for n in range(150_000))
    world.write("bob", "large", large, "files")
    world.run("bob", "drop", "put", text, world.path("bob", "files/letter"))
    world.run("bob", "drop", "put", text, world.path("bob", "files/large"), "--anonymous")
    everything = world.read("ana")
    box = read_box(everything.container, link, everything.book)
    found = read_drops(
        everything.container, link, everything.account.encryption, everything.book
    )
    bob = world.read("bob").account.user
    wrong = []
    if (box.title, box.max_files, box.container) != ("Letters", 20, everything.id):
        wrong.append(f"the drop box is {box}")
    if sorted(found) != [("large", large, None), ("letter", b"dear Ana", bob)]:
        wrong.append(f"the files are {[(name, len(data)) for name, data, _ in found]}")
    return wrong


ALL: list[Callable[[World], list[str]]] = [
    private, shared, links, nested, devices, public, transferred, packs, removed, garbage, floors,
    drops,
]


def play(binaries: str, names: list[str], keep: str | None = None) -> dict[str, Any]:
    """Plays some scenarios, or all. Returns the unexpected results of each."""
    found: dict[str, Any] = {}
    for scenario in ALL:
        name = scenario.__name__
        if names and name not in names:
            continue
        folder = tempfile.TemporaryDirectory(prefix="cairn-format-")
        path = folder.name
        if keep is not None:
            path = f"{keep}/{name}"
            Path(path).mkdir(parents=True)
        world = World(binaries, path)
        try:
            found[name] = scenario(world)
        except (RuntimeError, OSError, ValueError, KeyError) as problem:
            found[name] = [f"{type(problem).__name__}: {problem}"]
        finally:
            world.stop()
            folder.cleanup()
    return found
