"""Attacks on the logs of zones: rubbish, entries of people without the permission to write, and
gaps."""

import os
from pathlib import Path

from .attack import attack
from .intruder import Intruder, put_by_hand, put_sparse
from .world import World


@attack(
    "a stranger's rubbish in a log, of whatever kind, stops nobody",
    by="a stranger",
    promise="Invalid objects in an inbox, after a chain or in a log hide nothing.",
    quick=True,
)
def rubbish_in_a_log(world: World) -> None:
    """Puts names of the right form into all folders of a zone: files, empty files, folders, a FIFO,
    a link that leads out, and entries of the same log. They change and disappear while people
    write."""
    world.sharing(bob="read-write")
    (zone,) = [m["zone"] for m in world.status("ana")["mounts"]]
    root = f"users/{world.user('ana').hex()}/zones/{zone}"
    log = Path(world.container) / root / "log"
    entry = next(iter(sorted(log.iterdir()))).read_bytes()
    for folder in ("log", "copies", "links", "parts", "else"):
        for number, data in enumerate((b"rubbish", b"", entry, os.urandom(5000))):
            put_by_hand(world, f"{root}/{folder}/{str(number) * 32}", data)
        place = Path(world.container) / root / folder
        (place / ("4" * 32)).mkdir()
        (place / ("5" * 32)).symlink_to("/etc/passwd")
        os.mkfifo(place / ("6" * 32))
    world.flows("ana", "bob")
    for number in range(20):
        put_by_hand(world, f"{root}/log/{'1' * 32}", os.urandom(number))
        put_by_hand(world, f"{root}/log/{'2' * 32}", b"x").unlink()
    world.flows("ana", "bob")
    world.in_order("ana", "bob")
    world.forget("bob")
    world.flows("ana", "bob")


@attack(
    "files of great length that take no room fill nobody's memory",
    by="a stranger",
    promise="They can't make a program read without end, or fill its memory.",
)
def sparse_rubbish(world: World) -> None:
    """Puts sparse files into all folders, also into the positions of an inbox and behind a
    chain."""
    world.sharing(bob="read-write")
    ana = f"users/{world.user('ana').hex()}"
    (zone,) = [m["zone"] for m in world.status("ana")["mounts"]]
    folders = [f"{ana}/zones/{zone}/log", f"{ana}/zones/{zone}/copies", f"{ana}/inbox"]
    for folder in (*folders, f"{ana}/log", f"{ana}/join", f"{ana}/public"):
        for number in range(64):
            put_sparse(world, f"{folder}/{number:032x}", 64 << 20)
    world.say("ana", "user", "list")
    world.say("ana", "share", "invitations")
    world.flows("ana", "bob")
    world.forget("bob")
    world.say("ana", "verify")
    world.flows("ana", "bob")


@attack(
    "what somebody who may only read commits is seen by nobody",
    by="a participant who can only view",
    promise="Without edit permission, their changes have no effect.",
    quick=True, lifts=True,
)
def reader_writes(world: World) -> None:
    """A reader writes a commit that is valid in all other respects. It holds its position, as the
    page says, and is taken away."""
    permission = "read-write" if world.is_lifted else "read-only"
    world.sharing(bob="read-write", cleo=permission)
    cleo = Intruder(world, "cleo")
    world.never("forged", "ana", "bob", "cleo")
    key = cleo.append(**cleo.file("forged"))
    world.held(key, "ana", "bob")
    world.flows("ana", "bob", readers=("cleo",))
    world.in_order("ana", "bob")


@attack(
    "what somebody who was removed writes with the old keys stops nobody",
    by="a former participant",
    promise="Their later changes have no effect.",
    quick=True, lifts=True,
)
def removed_writes(world: World) -> None:
    """A removed participant writes under the key of the old epoch, into the position where the log
    went on for them, and behind it. They also write an entry in the name of a device that nobody
    knows."""
    world.sharing(bob="read-write", rem="read-write")
    rem = Intruder(world, "rem")
    before = rem.read()
    if not world.is_lifted:
        world.run("ana", "share", "remove", world.path("ana"), "rem")
        world.settle("ana", "bob")
    after = rem.read()
    nobody = rem.body(after, **rem.file("forged"))
    nobody.parts.update(user=world.user("ana"), device=bytes(16))
    world.never("forged", "ana", "bob")
    for ahead in (0, 1, 2, 5):
        rem.append(ahead, before, **rem.file("forged"))
        number = after.state.sequence + 1 + ahead
        rem.put(number, rem.entry(after, number, epoch=1, **rem.file("forged")))
        rem.put(number, rem.entry(after, number, epoch=1, body=nobody))
    world.flows("ana", "bob")
    world.in_order("ana", "bob")
    world.forget("bob")
    world.flows("ana", "bob")
@attack(
    "what is no file in the next place of a log is named, and taken away",
    by="a participant who can only view",
    promise="An object at the next position of a log blocks it until the object is removed, and "
    "deceives nobody.",
)
def no_file_in_the_next_place(world: World) -> None:
    """Puts a folder, a folder with contents, a FIFO, a link that leads out, or rubbish into the
    next position."""
    world.sharing(bob="read-write", cleo="read-only")
    cleo = Intruder(world, "cleo")
    for kind in ("folder", "filled folder", "fifo", "link", "rubbish"):
        read = cleo.read()
        key = cleo.place(read.state.sequence + 1)
        path = Path(world.container) / key
        match kind:
            case "folder":
                path.mkdir()
            case "filled folder":
                (path / "below").mkdir(parents=True)
            case "fifo":
                os.mkfifo(path)
            case "link":
                path.symlink_to("/etc/passwd")
            case "rubbish":
                put_by_hand(world, key, b"rubbish")
        # A writer learns about it, and so does a reader.
        world.write("ana", f"{kind} of ana", kind)
        world.held(key, "ana", "bob")
        world.flows("ana", "bob", readers=("cleo",))
    world.in_order("ana", "bob")
