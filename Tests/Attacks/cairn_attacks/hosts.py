"""Attacks by the host of the container, who can change, hide and remove anything in it."""

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

from cairn_format.container import Container
from cairn_format.log import end_name, entry_digest

from .attack import attack
from .intruder import Intruder, put_by_hand, put_sparse
from .world import World

NOTICED = "An entry that was altered later is detected, and causes no deletions."
ITSELF = "What they forge or damage spoils itself alone."


def files(world: World, *parts: str) -> list[Path]:
    """Returns the objects whose path has these parts."""
    found = [each for each in Path(world.container).rglob("*") if each.is_file()]
    return sorted(each for each in found if all(part in str(each) for part in parts))


def noise(seed: int, size: int = 300_000) -> bytes:
    return random.Random(seed).randbytes(size)


@attack(
    "a log that is shortened, cut or exchanged deletes nothing, is told, and comes back",
    by="the host of the container",
    promise=NOTICED,
)
def shortened_log(world: World) -> None:
    """Removes the last entries, one in the middle, or all. Exchanges two entries, or alters a byte
    of one. Nobody's files disappear, each case is reported, and a device that has read the entries
    puts them back."""
    world.sharing(bob="read-write")
    for number in range(4):
        world.write("ana", f"file {number}", f"{number}")
        world.settle("ana", "bob")
    reader = Intruder(world, "bob")
    last = reader.read().state.sequence
    places = [Path(world.container) / reader.place(number) for number in range(1, last + 1)]
    saved = {place: place.read_bytes() for place in places}

    def swap() -> None:
        one, two = places[-1], places[-3]
        one.unlink(), two.unlink()
        one.write_bytes(saved[two])
        two.write_bytes(saved[one])

    def flip() -> None:
        place = places[-2]
        data = bytearray(saved[place])
        data[len(data) // 2] ^= 1
        place.unlink()
        place.write_bytes(bytes(data))

    harms: dict[str, Callable[[], object]] = {
        "the last": lambda: [place.unlink() for place in places[-3:]],
        "the middle": lambda: places[-3].unlink(),
        "all": lambda: [place.unlink() for place in places],
        "swapped": swap,
        "altered": flip,
    }
    tree = sorted(os.listdir(world.path("bob")))
    for name, harm in harms.items():
        world.run("bob", "stop")
        harm()
        world.run("bob", "start")
        world.note_daemons("bob")
        world.say("bob", "wait", "--timeout", "1")
        for who in ("ana", "bob"):
            said = world.say(who, "verify")
            world.expect(said.status != 0, f"{name}: {who}'s verify: {said.all[:300]}")
        for who in ("ana", "bob"):
            world.expect(sorted(os.listdir(world.path(who))) == tree, f"{name}: files went")
        world.repaired("ana")
        world.say("bob", "repair", "--yes")
        world.settle("ana", "bob")
        world.verified("ana", "bob")
        for who in ("ana", "bob"):
            world.expect(sorted(os.listdir(world.path(who))) == tree, f"{name}: files went")
    world.flows("ana", "bob")
    world.in_order("ana", "bob")


@attack(
    "who is invited and shown a shorter log than the inviter has read takes nothing",
    by="the host of the container",
    promise="A new participant reads the same log as the inviter, or is warned and accepts "
    "nothing.",
    lifts=True,
)
def shorter_for_a_newcomer(world: World) -> None:
    """Ends the log before the entry that invites a newcomer. Then ends it behind that entry, but
    before the inviter's last read position. The newcomer joins by an invitation, and by a link."""
    world.sharing(bob="read-write")
    world.people("cleo", "dan")
    by_name = world.run("ana", "share", "invite", world.path("ana"), "cleo")
    by_link = world.run("ana", "share", "invite", world.path("ana"), "--link", "--print-link")
    reader = Intruder(world, "bob")
    last = reader.read().state.sequence
    hidden = []
    for number in (last - 1, last):
        place = Path(world.container) / reader.place(number)
        hidden.append((place, place.read_bytes()))
        if not world.is_lifted:
            place.unlink()
    world.never("before", "cleo", "dan")
    for who, link in (("cleo", by_name), ("dan", by_link)):
        said = world.say(who, "share", "accept", link, "--at", world.path(who), "--wait")
        world.look()
        world.expect(said.status != 0, f"{who} accepted: {said.all[:300]}")
        world.expect(not os.path.exists(world.path(who)), f"{who} has a folder")
    world._never = []
    for place, data in hidden:
        place.write_bytes(data)
    for who, link in (("cleo", by_name), ("dan", by_link)):
        world.run(who, "share", "accept", link, "--at", world.path(who), "--wait")
    world.flows("ana", "bob")


@attack(
    "packs that are cut, exchanged, gone, no files or without end spoil their files only",
    by="the host of the container",
    promise="They can't change contents, or exchange one for another.",
)
def damaged_packs(world: World) -> None:
    """A newcomer gets everything else, and a device that has the files puts the packs back."""
    world.sharing(bob="read-write")
    for number in range(2):
        world.write("ana", f"large {number}", noise(number))
        world.settle("ana", "bob")
    packs = files(world, "/packs/")
    world.expect(len(packs) >= 2, "there are no packs")
    one, two = packs[:2]
    saved = [each.read_bytes() for each in (one, two)]

    def put(path: Path, data: bytes | None) -> None:
        path.unlink(missing_ok=True)
        if data is not None:
            path.write_bytes(data)

    def exchange() -> None:
        put(one, saved[1])
        put(two, saved[0])

    harms: dict[str, Callable[[], object]] = {
        "exchanged": exchange,
        "cut": lambda: put(one, saved[0][:1000]),
        "flipped": lambda: put(one, bytes([saved[0][0] ^ 1]) + saved[0][1:]),
        "gone": lambda: put(one, None),
        "without end": lambda: put_sparse(world, str(one.relative_to(world.container)), 1 << 40),
        "a FIFO": lambda: (put(one, None), os.mkfifo(one)),
        "a folder": lambda: (put(one, None), one.mkdir()),
        "a link": lambda: (put(one, None), one.symlink_to("/dev/zero")),
    }
    for number, (name, harm) in enumerate(harms.items()):
        harm()
        who = f"new{number}"
        world.people(who)
        link = world.run("ana", "share", "invite", world.path("ana"), who)
        world.run(who, "share", "accept", link, "--at", world.path(who))
        world.eventually(f"{name}: {who} has the rest", lambda w=who: world.has(w, "before"))
        for each in ("ana", "bob"):
            said = world.say(each, "verify")
            world.expect(said.status != 0 and "large" in said.text, f"{name}: {said.all[:300]}")
        world.repaired("ana")
        world.eventually(
            f"{name}: {who} has all",
            lambda w=who: all(
                world.has(w, f"large {n}")
                and Path(world.path(w), f"large {n}").read_bytes() == noise(n) for n in range(2)
            ),
        )
        world.run(who, "stop")
    world.flows("ana", "bob")
    world.in_order("ana", "bob")


@attack(
    "a container that goes, comes back older, is another or none deletes nothing",
    by="the host of the container",
    promise="Every command reports what they stopped as stopped, and there is a way to continue.",
)
def other_containers(world: World) -> None:
    """The container is away, or an older copy, another container or an empty folder is in its
    place. Its root object is rubbish, a FIFO, or of another format."""
    world.sharing(bob="read-write")
    cloud, copy = Path(world.container), world.folder / "older"
    shutil.copytree(cloud, copy)
    world.write("ana", "later", "later")
    world.write("bob", "later too", "later")
    world.settle("ana", "bob")
    tree = sorted(os.listdir(world.path("bob")))
    away = world.folder / "away"
    root = (cloud / "container").read_bytes()
    other = Container(world.folder / "another")
    other.found(1)

    def replaced(data: bytes | None) -> Callable[[], object]:
        def replace() -> None:
            shutil.copytree(away, cloud)
            (cloud / "container").unlink()
            if data is None:
                os.mkfifo(cloud / "container")
            else:
                (cloud / "container").write_bytes(data)

        return replace

    stands: dict[str, Callable[[], object]] = {
        "nothing": lambda: None,
        "an empty folder": lambda: cloud.mkdir(),
        "another container": lambda: shutil.copytree(other.path, cloud),
        "rubbish": replaced(b"rubbish"),
        "a FIFO": replaced(None),
        "a newer format": replaced(b"\x08\x09" + root[2:]),
        "an older copy": lambda: shutil.copytree(copy, cloud),
    }
    for name, stand in stands.items():
        for who in ("ana", "bob"):
            world.run(who, "stop")
        cloud.rename(away)
        stand()
        for who in ("ana", "bob"):
            world.say(who, "start", patience=60)
            said = world.say(who, "verify", patience=60)
            world.expect(said.status != 0, f"{name}: {who}'s verify: {said.all[:300]}")
            world.say(who, "wait", "--timeout", "1")
            found = sorted(os.listdir(world.path(who)))
            world.expect(found == tree, f"{name}: {who} has {found}")
        for who in ("ana", "bob"):
            world.say(who, "stop")
        if cloud.exists():
            shutil.rmtree(cloud)
        away.rename(cloud)
        for who in ("ana", "bob"):
            world.run(who, "start")
    world.note_daemons("ana", "bob")
    world.flows("ana", "bob")
    world.in_order("ana", "bob")


@attack(
    "links in the container lead no program out of it",
    by="the host of the container",
    promise="They can't lead Cairn to other folders by links in the container.",
)
def links_in_the_container(world: World) -> None:
    """Replaces the folders for unfinished files, of logs, of packs, of inboxes and of people by
    links to a folder outside, one after the other. Nothing is written or read there."""
    world.sharing(bob="read-write")
    cloud = Path(world.container)
    ana = cloud / f"users/{world.user('ana').hex()}"
    (zone,) = [m["zone"] for m in world.status("ana")["mounts"]]
    for folder in (
        cloud / "tmp", ana / "zones" / zone / "log", ana / "zones" / zone, ana / "packs",
        ana / "log", ana, cloud / "users",
    ):
        outside = world.folder / "outside"
        outside.mkdir()
        aside = world.folder / "aside"
        was_there = folder.exists()
        if was_there:
            folder.rename(aside)
        folder.symlink_to(outside)
        number = len(os.listdir(world.path("bob")))
        for who in ("ana", "bob"):
            world.write(who, f"{folder.name[:8]} {who} {number}", noise(number))
            world.say(who, "wait", "--timeout", "1")
            world.say(who, "user", "list", patience=30)
        strays = list(outside.rglob("*"))
        world.expect(not strays, f"{folder.name}: {strays} were written outside")
        folder.unlink()
        if was_there:
            aside.rename(folder)
        outside.rmdir()
        for who in ("ana", "bob"):
            world.say(who, "repair", "--yes")
        world.settle("ana", "bob")
        world.flows("ana", "bob")
    world.in_order("ana", "bob")


@attack(
    "an identity that is altered, cut or no file is told, and its person's device goes on",
    by="the host of the container",
    promise=NOTICED,
)
def altered_identity(world: World) -> None:
    """Replaces the first entry of Ana's chain by another byte, rubbish, nothing, a FIFO, a folder
    or a link. Both daemons start and report it. `repair` mends it once a person has taken the
    object away."""
    world.sharing(bob="read-write")
    start = Path(world.container) / f"users/{world.user('ana').hex()}/log/start"
    saved = start.read_bytes()

    def put(data: bytes) -> None:
        start.write_bytes(data)

    harms: dict[str, Callable[[], object]] = {
        "flipped": lambda: put(saved[:40] + bytes([saved[40] ^ 1]) + saved[41:]),
        "rubbish": lambda: put(b"rubbish"),
        "empty": lambda: put(b""),
        "gone": lambda: None,
        "a FIFO": lambda: os.mkfifo(start),
        "a folder": lambda: start.mkdir(),
        "a link": lambda: start.symlink_to("/etc/passwd"),
    }
    for name, harm in harms.items():
        for who in ("ana", "bob"):
            world.run(who, "stop")
        start.unlink()
        harm()
        for who in ("ana", "bob"):
            said = world.say(who, "start")
            world.expect(said.status == 0, f"{name}: {who}'s daemon: {said.all[:600]}")
            world.note_daemons(who)
            said = world.say(who, "verify", patience=60)
            # Ana's own device puts back an entry that is only missing when it starts.
            is_told = said.status != 0 or name == "gone"
            world.expect(is_told, f"{name}: {who}'s verify: {said.all[:300]}")
        world.flows("ana", "bob")
        if name != "gone":
            start.rmdir() if start.is_dir() and not start.is_symlink() else start.unlink()
        world.repaired("bob")
        world.expect(start.read_bytes() == saved, f"{name}: it isn't put back")
    for who in ("ana", "bob"):
        world.restart(who)
    world.flows("ana", "bob")
    world.in_order("ana", "bob")


@attack(
    "rubbish under the names of copies and of an epoch's end holds up nobody, or is taken away",
    by="a participant who can only view",
    promise="An object at the next position of a log blocks it until the object is removed, and "
    "deceives nobody.",
)
def rubbish_among_copies(world: World) -> None:
    """Puts rubbish, a folder, a FIFO, or an entry that raises nothing under all names of spare
    copies of the last entries, and of the record of the epoch's end. Then the owner removes a
    participant, which needs both."""
    world.sharing(bob="read-write", rem="read-write")
    world.write("rem", "of rem", "of rem")
    world.settle("rem", "ana", "bob")
    rem = Intruder(world, "rem")
    read = rem.read()
    for number, digest in enumerate(read.digests.values()):
        for copy in range(8):
            path = Path(world.container) / rem.copy(digest, copy)
            path.parent.mkdir(exist_ok=True)
            match (number + copy) % 3:
                case 0: path.write_bytes(b"rubbish")
                case 1: path.mkdir()
                case 2: os.mkfifo(path)
    world.flows("ana", "bob")
    mark = f"{rem.folder}/copies/{end_name(rem.key, rem.zone)}"
    for kind in ("rubbish", "folder", "fifo", "entry"):
        path = Path(world.container) / mark
        match kind:
            case "rubbish": put_by_hand(world, mark, b"rubbish")
            case "folder": path.mkdir()
            case "fifo": os.mkfifo(path)
            case "entry": put_by_hand(world, mark, rem.entry(rem.read(), **rem.file("forged")))
        world.write("ana", f"{kind} of ana", kind)
        world.held(mark, "ana", "bob", is_short=kind != "folder")
        world.flows("ana", "bob")
    world.run("ana", "share", "remove", world.path("ana"), "rem")
    world.flows("ana", "bob")
    for number in range(1, read.state.sequence + 1):
        # Participants may take away the objects that they were allowed to write.
        place = Path(world.container) / rem.place(number)
        if entry_digest(place.read_bytes()) == read.state.head:
            place.unlink()
    world.flows("ana", "bob")
    world.forget("bob")
    world.flows("ana", "bob")
    world.in_order("ana", "bob")
