"""Attacks on the public database, whose places everybody can tell."""

import os
from pathlib import Path

from cairn_format import schema
from cairn_format.state import ROOT

from .attack import attack
from .intruder import Intruder, put_by_hand
from .world import World

OTHERS = "In the public database they can't change or remove what others made."


def mounted(world: World, *names: str) -> None:
    """Each mirrors the public database, and has put a file into it."""
    world.people(*names)
    for who in names:
        world.run(who, "public", "mount", world.path(who), "--wait")
        world.write(who, f"by {who}", who)
        world.settle(*names)
    world.note_daemons(*names)


@attack(
    "what others made in the public database nobody changes, and rubbish there stops nobody",
    by="a stranger",
    promise=OTHERS,
    lifts=True,
)
def public_records(world: World) -> None:
    """Changes, moves and deletions of Ana's records by another; a device of hers that isn't;
    rubbish, old and double entries in the next places, and behind gaps."""
    mounted(world, "ana", "bob", "mel")
    mel = Intruder(world, "ana" if world.is_lifted else "mel")
    mel.reach_public()
    read = mel.read()
    ana = next(each for each in read.state.records.values() if each.name == b"by ana")
    world.never("forged", "ana", "bob")
    for parts in (
        {"act": 2, "place": schema.make("Place", parent=ROOT, name=b"forged")},
        {"act": 3},
        {"act": 2, "attributes": schema.make("Attributes", executable=True)},
    ):
        mel.append(records=[schema.make("RecordChange", id=ana.id, **parts)])
        if world.is_lifted:
            world.eventually("it is believed", lambda: False)
    now = mel.read()
    body = mel.body(now, **mel.file("forged"))
    body.parts.update(user=world.user("ana"), device=bytes(16))
    number = now.state.sequence + 1
    mel.put(number, mel.entry(now, body=body))
    # Whole and for good; what comes and goes is played below.
    for ahead in (1, 2, 5):
        mel.container.put_if_absent(mel.place(number + ahead), os.urandom(200))
    last = mel.container.get(mel.place(now.state.sequence)) or b""
    mel.container.put_if_absent(mel.place(number + 3), last)
    world.flows("ana", "bob")
    for who in ("ana", "bob"):
        world.expect(world.has(who, "by ana"), f"{who} lost what Ana made")
        mode = (Path(world.path(who)) / "by ana").stat().st_mode
        world.expect(not mode & 0o111, f"{who} has another mode")
    world.forget("bob")
    world.flows("ana", "bob")
    trees = [sorted(set(os.listdir(world.path(who)))) for who in ("ana", "bob")]
    world.expect(trees[0] == trees[1], f"they see {trees}")


@attack(
    "rubbish that is altered in the public database stops nobody",
    by="a stranger",
    promise="That the public database stands rubbish as well as shares do: its places can be told "
    "by all, and who can write to the container can part its readers as long as rubbish comes and "
    "goes there.",
    expected="everybody can tell the next place, and has read what stood there before",
)
def rubbish_in_the_public_log(world: World) -> None:
    """What they skipped is another rubbish a moment later. Nobody goes on; everybody is told."""
    mounted(world, "ana", "bob")
    mel = Intruder(world, "bob")
    mel.reach_public()
    key = mel.place(mel.read().state.sequence + 1)
    put_by_hand(world, key, b"rubbish")
    world.flows("ana", "bob")
    put_by_hand(world, key, b"other rubbish")
    world.write("ana", "waits", "waits")
    world.told("ana", "damaged")
    world.eventually("bob has it", lambda: world.has("bob", "waits"), 3)
