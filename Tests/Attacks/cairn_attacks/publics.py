"""Attacks on the public database: on the zones in which people publish."""

import os
import subprocess
from pathlib import Path

from cairn_format import schema
from cairn_format.state import ROOT

from .attack import attack
from .intruder import Intruder, put_by_hand, put_sparse
from .world import World

OTHERS = "In the public database they can't change or delete the files of others."
ALONE = (
    "In the public database they can't block others."
)


def publishing(world: World, author: str, *readers: str) -> None:
    """Publishes a folder of the author, which the readers mirror."""
    world.people(author, *readers)
    world.run(author, "public", "mount", world.path(author), "--wait")
    world.write(author, f"by {author}", author)
    world.run(author, "wait", "--timeout", "60")
    for who in readers:
        world.run(who, "public", "mount", world.path(who), "--author", author, "--wait")
    world.note_daemons(author, *readers)


@attack(
    "what others made in the public database nobody changes, and rubbish there stops nobody",
    by="a stranger",
    promise=OTHERS,
    lifts=True,
)
def public_records(world: World) -> None:
    """Plays changes, moves and deletions of Ana's records by another person, a device that claims
    to be hers, and old and duplicate entries under names that another person's key gives."""
    publishing(world, "ana", "bob")
    world.people("mel")
    world.run("mel", "public", "put", __file__, "--as", "mine")
    mel = Intruder(world, "ana" if world.is_lifted else "mel")
    mel.reach_public(world.user("ana"))
    read = mel.read()
    ana = next(each for each in read.state.records.values() if each.name == b"by ana")
    world.never("forged", "ana", "bob")
    for parts in (
        {"act": 2, "place": schema.make("Place", parent=ROOT, name=b"forged")},
        {"act": 3},
        {"act": 2, "attributes": schema.make("Attributes", executable=True)},
    ):
        change = schema.make("RecordChange", id=ana.id, **parts)
        mel.append(read=mel.read(), records=[change])
        if world.is_lifted:
            world.eventually("it is believed", lambda: False)
    now = mel.read()
    body = mel.body(now, **mel.file("forged"))
    body.parts.update(user=world.user("ana"), device=bytes(16))
    number = now.state.sequence + 1
    mel.put(number + 1, mel.entry(now, number + 1, body=body))
    for ahead in (2, 3, 5):
        mel.container.put_if_absent(mel.place(number + ahead), os.urandom(200))
    for name in mel.container.names(mel.folder):
        stored = mel.container.get(f"{mel.folder}/{name}") or b""
        mel.container.put_if_absent(f"{mel.folder}/{os.urandom(16).hex()}", stored)
    world.flows("ana", readers=["bob"])
    for who in ("ana", "bob"):
        world.expect(world.has(who, "by ana"), f"{who} lost what Ana made")
        mode = (Path(world.path(who)) / "by ana").stat().st_mode
        world.expect(not mode & 0o111, f"{who} has another mode")
    world.forget("bob")
    world.flows("ana", readers=["bob"])
    trees = [sorted(set(os.listdir(world.path(who)))) for who in ("ana", "bob")]
    world.expect(trees[0] == trees[1], f"they see {trees}")
    world.verified("ana", "bob")


@attack(
    "rubbish that comes, changes and goes in the public database parts nobody",
    by="a stranger",
    promise=ALONE,
    quick=True,
)
def rubbish_in_a_public_folder(world: World) -> None:
    """Puts files, other people's entries, directories, FIFOs, links and sparse gigabytes beside the
    entries. They change a moment later, disappear and return. The readers are an early one, a late
    one, and one without an account."""
    publishing(world, "ana", "bob")
    world.run("bob", "public", "put", __file__, "--as", "mine")
    mel = Intruder(world, "bob")
    mel.reach_public(world.user("bob"))
    foreign = mel.container.get(mel.place(2)) or b""
    mel.reach_public(world.user("ana"))
    names = [f"{number:032x}" for number in range(40)]
    names += [mel.place(number).rsplit("/", 1)[-1] for number in range(1, 9)]
    keys = [f"{mel.folder}/{name}" for name in names]
    paths = [Path(world.container) / key for key in keys]
    for turn, bytes_ in enumerate((b"rubbish", b"other rubbish", foreign, b"")):
        for key in keys:
            put_by_hand(world, key, bytes_)
        world.flows("ana", readers=["bob"])
        if turn == 1:
            world.forget("bob")
            world.flows("ana", readers=["bob"])
    for path in paths:
        path.unlink()
    paths[0].mkdir()
    (paths[0] / "below").write_bytes(foreign)
    os.mkfifo(paths[1])
    paths[2].symlink_to("/etc/passwd")
    paths[3].symlink_to(paths[3].name)
    put_sparse(world, keys[4], 8 << 30)
    subprocess.run(["chmod", "000", str(put_by_hand(world, keys[5], b"closed"))], check=True)
    world.flows("ana", readers=["bob"])
    world.forget("bob")
    world.flows("ana", readers=["bob"])
    world.run("eve", "init", "--container", world.container, "--anonymous")
    got = world.folder / "got"
    world.run("eve", "public", "get", "ana/by ana", "--output", str(got))
    world.expect(got.read_text() == "ana", "an anonymous reader has other bytes")
    listed = world.ask("eve", "public", "list")
    world.expect(not listed["problems"], f"{listed}")
    world.run("eve", "stop")
    world.verified("ana", "bob")


@attack(
    "who has a device of an author's stops that author's zone at most, and is named",
    by="a thief of a device",
    promise="An author's problem in the public database affects nobody else.",
)
def held_public_log(world: World) -> None:
    """Puts rubbish into the very position where Ana's log goes on. Bob's log isn't affected, and
    what was read of Ana's stays. Once the rubbish is taken away, everything goes on."""
    publishing(world, "ana", "bob", "cleo")
    mel = Intruder(world, "ana")
    mel.reach_public(world.user("ana"))
    key = mel.place(mel.read().state.sequence + 1)
    put_by_hand(world, key, b"rubbish")
    world.write("ana", "waits", "waits")
    for who in ("ana", "bob"):
        world.told(who, "held", key.rsplit("/", 1)[-1])
    got = world.folder / "got"
    for what in ("one", "two"):
        source = world.folder / "published by bob"
        source.write_text(what)
        world.run("bob", "public", "put", str(source), "--as", "news")
        world.run("cleo", "public", "get", "bob/news", "--output", str(got))
        world.expect(got.read_text() == what, "Bob's zone stands still")
    world.run("cleo", "public", "get", "ana/by ana", "--output", str(got))
    world.expect(got.read_text() == "ana", "what was read of Ana's is lost")
    listed = world.ask("cleo", "public", "list")
    world.expect(len(listed["problems"]) == 1, f"{listed['problems']}")
    world.expect("ana-" in listed["problems"][0]["path"], f"{listed['problems']}")
    world.repaired("ana")
    world.eventually("bob has what waited", lambda: world.has("bob", "waits"))
    world.flows("ana", readers=["bob", "cleo"])
    world.verified("ana", "bob", "cleo")
