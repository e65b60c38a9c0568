"""Attacks on people who copy a container, and attacks by sizes that no real file has."""

import os
import stat
import tempfile
from pathlib import Path

from .attack import attack
from .intruder import Intruder, put_by_hand, put_sparse
from .world import World

NO_END = "They can't make a program read without end, or fill its memory."
TURNS = "However many positions they fill, one command removes all, and only this share waits."


@attack(
    "a copy of a container with all kinds of rubbish leads nowhere, and has what the members have",
    by="the host of the container",
    promise="They can't lead Cairn to other folders by links in the container.",
)
def hostile_copy(world: World) -> None:
    """Puts names with dots, links, FIFOs, folders in the place of objects, endless files and four
    thousand empty files into a container. In the place of the copy are links that lead out of
    it."""
    world.sharing(bob="read-write")
    world.write("ana", "large", b"large" * 100_000)
    world.settle("ana", "bob")
    cloud, to = Path(world.container), world.folder / "copy"
    outside = world.folder / "outside"
    outside.mkdir()
    (outside / "secret").write_text("not of the container")
    ana = f"users/{world.user('ana').hex()}"
    for name in ("..x", ".hidden", "UPPER", "sp ace", "a" * 255, "\x1b[2J", "%2e%2e", "-rf"):
        put_by_hand(world, f"{ana}/inbox/{name}", b"rubbish")
    (cloud / ana / "inbox" / ("1" * 32)).symlink_to(outside / "secret")
    (cloud / ana / "elsewhere").symlink_to(outside)
    (cloud / "users" / ("e" * 64)).symlink_to(outside)
    os.mkfifo(cloud / ana / "inbox" / ("2" * 32))
    (cloud / ana / "inbox" / ("3" * 32)).mkdir()
    put_sparse(world, f"{ana}/inbox/{'4' * 32}", 1 << 43)
    put_sparse(world, f"{ana}/packs/00000000/ab/ab{'0' * 30}", 1 << 43)
    put_by_hand(world, "/".join(["users", *("d" * 30 for _ in range(14)), "x"]), b"deep")
    for number in range(4_000):
        put_by_hand(world, f"{ana}/inbox/{number:032x}", b"")
    # Somebody has already put things into the place of the copy.
    to.mkdir()
    (to / "users").mkdir()
    (to / "users" / world.user("bob").hex()).symlink_to(outside)
    said = world.say("ana", "container", "copy", str(to), patience=120)
    world.expect(said.status != 0, "what can't be copied isn't told of")
    world.expect(
        [each.name for each in outside.iterdir()] == ["secret"], "something was put outside"
    )
    (to / "users" / world.user("bob").hex()).unlink()
    for _ in range(2):
        said = world.say("ana", "container", "copy", str(to), patience=120)
        world.expect(said.status in (0, 2), f"the copy: {said.status} {said.all[:600]}")
        world.daemons_live()
    room = 0
    for path in to.rglob("*"):
        status = path.lstat()
        is_plain = stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)
        world.expect(is_plain, f"{path} is no file")
        room += status.st_size
        if stat.S_ISREG(status.st_mode):
            world.expect(path.read_bytes() != b"not of the container", f"{path} is from outside")
    world.expect(room < 100 << 20, f"the copy has {room} bytes")
    for kind in ("log", "copies", "packs"):
        for path in cloud.rglob(f"{kind}/**/*"):
            there = to / path.relative_to(cloud)
            if stat.S_ISREG(path.lstat().st_mode) and path.lstat().st_size < 1 << 30:
                world.expect(there.is_file() and there.read_bytes() == path.read_bytes(), f"{there}")
    world.flows("ana", "bob")


@attack(
    "files of as many bytes as a number can tell end no program that counts them",
    by="a stranger",
    promise=NO_END,
)
def sizes_at_the_end(world: World) -> None:
    """Puts sparse files of the largest size among packs, entries, links and log starts, on a file
    system that has such files. The daily count, and the count for a command or a copy, include
    them."""
    shared = Path("/dev/shm")
    beside = tempfile.TemporaryDirectory(dir=shared if os.path.ismount(shared) else None)
    try:
        world.container = beside.name + "/cloud"
        world.sharing(bob="read-write")
        ana = f"users/{world.user('ana').hex()}"
        (zone,) = [m["zone"] for m in world.status("ana")["mounts"]]
        for number in range(4):
            for key in (
                f"{ana}/packs/00000000/{number:02x}/{number:02x}{'0' * 30}",
                f"{ana}/zones/{zone}/log/{number:032x}", f"{ana}/zones/{zone}/copies/{number:032x}",
                f"{ana}/zones/{zone}/links/{number:064x}", f"{ana}/zones/{zone}/parts/{number:064x}",
                f"{ana}/zones/{zone}/floors/{number:032x}", f"{ana}/inbox/{number:032x}",
                f"{ana}/public/{number:032x}", f"bells/{number:032x}-{'1' * 16}",
            ):
                put_sparse_to_the_end(world, key)
        for command in (
            ("gc", "--dry-run"), ("gc",), ("quota",), ("verify",), ("doctor",), ("status",),
            ("share", "invitations"), ("container", "copy", str(world.folder / "copy")),
        ):
            for who in ("ana", "bob"):
                world.say(who, *command, patience=120)
                world.daemons_live()
        world.flows("ana", "bob")
        world.restart("ana")
        world.flows("ana", "bob")
    finally:
        world.stop()
        beside.cleanup()


def put_sparse_to_the_end(world: World, key: str) -> None:
    """Writes a sparse file that is as long as the file system allows."""
    for bits in (63, 50, 44, 43, 40):
        try:
            put_sparse(world, key, (1 << bits) - (1 if bits == 63 else 4_096))
            return
        except OSError:
            continue


@attack(
    "thirty places that somebody fills go by one word, and nobody waits again for them",
    by="a participant who can only view",
    promise=TURNS,
)
def thirty_places(world: World) -> None:
    """A reader fills the next thirty positions of the log with files, folders and forged entries.
    After one repair by the owner, everybody goes on for good."""
    world.sharing(bob="read-write", rem="read-only")
    rem = Intruder(world, "rem")
    read = rem.read()
    first = read.state.sequence + 1
    for number in range(first, first + 30):
        path = Path(world.container) / rem.place(number)
        match number % 3:
            case 0: path.write_bytes(b"rubbish")
            case 1: path.mkdir()
            case 2: path.write_bytes(rem.entry(read, number, **rem.file(f"forged {number}")))
    for number in range(first, first + 30):
        world.never(f"forged {number}", "ana", "bob", "rem")
    world.held(rem.place(first), "ana", "bob")
    for _ in range(12):
        world.flows("ana", "bob", readers=["rem"])
    world.in_order("ana", "bob")
