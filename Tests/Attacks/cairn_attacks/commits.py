"""Commits that are sealed and signed correctly, and break one rule each."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from cairn_format import schema
from cairn_format.contents import chunk_name, content_id
from cairn_format.log import boxes_for, next_key_of
from cairn_format.state import ROOT
from cairn_format.wire import Message
from cairn_format.zone_reader import ReadZone

from .attack import attack
from .intruder import Intruder, change
from .world import World

Forgery = Callable[[Intruder, ReadZone], bytes]
ANY = bytes(range(32))


def with_share(**what: object) -> Forgery:
    """Adds a file, and changes the share in a way that its author isn't allowed to."""
    return with_parts(lambda intruder, read: {"share": [change(**what)]})


def with_parts(parts: Callable[[Intruder, ReadZone], dict[str, Any]]) -> Forgery:
    """Adds a file, and replaces other parts of the commit."""
    return lambda intruder, read: intruder.entry(
        read, **intruder.file("forged", **parts(intruder, read))
    )


def with_record(**parts: Any) -> Forgery:
    """Adds a file, and changes a record."""

    def forged(intruder: Intruder, read: ReadZone) -> bytes:
        file = intruder.file("forged")
        record = schema.make("RecordChange", **{"id": ANY[:16], "act": 1, **parts})
        return intruder.entry(read, chunks=file["chunks"], records=[*file["records"], record])

    return forged


def named(name: bytes, parent: bytes = ROOT) -> Message:
    return schema.make("Place", parent=parent, name=name)


def content(size: int, chunks: bytes = b"") -> Message:
    return schema.make("Content", id=content_id(size, chunks), size=size, chunks=chunks)


def raised(
    intruder: Intruder, read: ReadZone, leaves_out: Iterable[bytes] = (), adds: Iterable[bytes] = ()
) -> bytes:
    """Returns an entry that raises the epoch, with the next key for some of the readers."""
    key = intruder.dice.randbytes(32)
    recipients = (read.state.header.recipients() - set(leaves_out)) | set(adds)
    parts = intruder.file("forged", next_key=next_key_of(key, intruder.zone, intruder.epoch))
    return intruder.entry(read, boxes=boxes_for(key, recipients), **parts)


def play(world: World, intruder: Intruder, forgeries: dict[str, Forgery], *who: str) -> None:
    """Puts one forgery after the other into the next position. Each one holds the position, is
    named, and is taken away. Nobody accepts a part of it."""
    world.never("forged", *who)
    for number, forgery in enumerate(forgeries.values()):
        read = intruder.read()
        key = intruder.put(read.state.sequence + 1, forgery(intruder, read))
        world.held(key, *who, is_short=number > 0)
    world.flows(*who)
    world.verified(*who)


SHARE = {
    "role": with_share(role=schema.make("ShareRole", user=ANY, role=2)),
    "offer": with_share(offer=ANY),
    "take over": with_share(take_over=True),
    "purge": with_share(purge=True),
    "stop": with_share(stop=True),
    "title": with_share(title="Mine"),
    "quota": with_share(quota=schema.make("ShareQuota", limit=1)),
    "policy": with_share(policy=schema.make("SharePolicy", access=1, participants_invite=True)),
    "minimum version": with_share(minimum_version=99),
    "history": with_share(history=schema.make("HistoryPolicy", versions=1)),
    "retire": with_share(retire=schema.make("Retirement", generation=1)),
    "floor": with_share(floor=schema.make("Floor", checkpoint=1, digest=ANY, forgotten=1)),
    "carry": with_share(carry=3),
}
MEMBERS = {
    "public": with_share(public_permission=3),
    "requests": with_share(access_requests=2),
    "link": with_share(link=schema.make("ShareLink", id=ANY, box_key=ANY, permission=3)),
    "block": with_share(block=ANY),
    "checkpoint": with_share(checkpoint=True),
    "raise": raised,
}


@attack(
    "somebody who may write changes nothing of the share",
    by="a participant who can edit",
    promise="They can't change the share, or give themselves a permission.",
    lifts=True,
)
def writer_changes_the_share(world: World) -> None:
    """Plays each change of a share, and an epoch that the writers raise."""
    world.sharing(bob="read-write", mel="read-write")
    mel = Intruder(world, "ana" if world.is_lifted else "mel")
    forgeries = SHARE | MEMBERS
    if world.is_lifted:
        forgeries = {"title": SHARE["title"]}
    play(world, mel, forgeries, "ana", "bob")


@attack(
    "an administrator takes the share from nobody, and leaves nobody out",
    by="an administrator",
    promise="An administrator can't exclude anybody from the next epoch.",
    quick=True, lifts=True,
)
def mad_administrator(world: World) -> None:
    """Plays the changes that only the owner may make, and an owner's key that is exchanged for
    another. Then come epochs with the key withheld from the owner or somebody else, or given to
    somebody who isn't a participant."""
    world.sharing(bob="read-write", mel="read-write")
    world.run("ana", "share", "set-role", world.path("ana"), "mel", "administrator")
    world.settle("ana", "bob", "mel")
    mel = Intruder(world, "mel")
    header = mel.read().state.header
    ana, bob = (world.user(who) for who in ("ana", "bob"))
    swapped = schema.make("MemberKey", user=ana, key=mel.signer.key)
    forgeries: dict[str, Forgery] = {
        "without the owner": lambda i, read: raised(i, read, [header.keys[ana]]),
        "without somebody": lambda i, read: raised(i, read, [header.keys[bob]]),
        "with somebody else": lambda i, read: raised(i, read, adds=[ANY]),
        "the owner's key": with_parts(lambda i, read: {"keys": [swapped]}),
        "the owner's removal": with_share(remove=ana),
        "an offer": with_share(offer=world.user("mel")),
        "no offer": with_share(take_over=True),
        "an own offer": with_parts(
            lambda i, read: {"share": [change(offer=world.user("mel")), change(take_over=True)]}
        ),
        "a floor": SHARE["floor"],
        "the end": with_share(purge=True),
        "and a right for it": with_parts(
            lambda i, read: {
                "share": [
                    change(role=schema.make("ShareRole", user=world.user("mel"), role=2)),
                    change(title="Mine"),
                ]
            }
        ),
    }
    if world.is_lifted:
        forgeries = {"with everybody": raised}
    play(world, mel, forgeries, "ana", "bob")


RECORDS: dict[str, Forgery] = {
    "..": with_record(kind=2, place=named(b"..")),
    ".": with_record(kind=2, place=named(b".")),
    "a slash": with_record(kind=2, place=named(b"../../forged")),
    "NUL": with_record(kind=2, place=named(b"forged\0")),
    "no name": with_record(kind=2, place=named(b"")),
    "a long name": with_record(kind=2, place=named(b"n" * 256)),
    "Cairn's folder": with_record(kind=2, place=named(b".cairn")),
    "Cairn's folder as a link": with_record(kind=3, place=named(b".cairn"), target=b"/etc"),
    "the root": with_record(id=ROOT, act=3),
    "no parent": with_record(kind=2, place=named(b"x", ANY[:16])),
    "in itself": with_record(kind=2, place=named(b"x", ANY[:16])),
    "a long target": with_record(kind=3, place=named(b"x"), target=b"t" * 4096),
    "set-user-ID": with_record(
        kind=1, place=named(b"x"), content=content(0),
        attributes=schema.make("Attributes", mode=0o104755),
    ),
    "a system's attribute": with_record(
        kind=2, place=named(b"x"),
        attributes=schema.make(
            "Attributes",
            extended=schema.make(
                "ExtendedAttributes",
                attributes=[schema.make("ExtendedAttribute", name=b"security.x", value=b"1")],
            ),
        ),
    ),
    "2^63 bytes": with_record(kind=1, place=named(b"x"), content=content(2**63, ANY)),
    "2^64 - 1 bytes": with_record(kind=1, place=named(b"x"), content=content(2**64 - 1)),
    "chunks of nobody's": with_record(
        kind=1, place=named(b"x"), content=content(1 << 20, chunk_name(b"nobody's"))
    ),
    "a content of another id": with_record(
        kind=1, place=named(b"x"), content=schema.make("Content", id=ANY, size=0)
    ),
    "twice the same name": with_record(kind=2, place=named(b"forged")),
    "a typed record with a place": with_record(kind=4, type_name="note", place=named(b"x")),
}


@attack(
    "commits with records that can't be are believed by nobody",
    by="a participant who can edit",
    promise="Names can't lead to other folders, and nobody can write to Cairn's own folder.",
)
def impossible_records(world: World) -> None:
    """Plays names, targets, modes, sizes and trees that no file system has, or that aren't allowed
    here. Some are below links and files."""
    world.sharing(bob="read-write", mel="read-write")
    outside = world.folder / "outside"
    outside.mkdir()
    (Path(world.path("ana")) / "link").symlink_to(outside)
    world.write("ana", "folder/inside", "inside")
    world.settle("ana", "bob", "mel")
    mel = Intruder(world, "mel")
    records = mel.read().state.records.values()
    ids = {record.name: record.id for record in records}
    forgeries = RECORDS | {
        "below a link": with_record(kind=2, place=named(b"forged too", ids[b"link"])),
        "below a file": with_record(kind=2, place=named(b"x", ids[b"inside"])),
        "a circle": with_record(
            id=ids[b"folder"], act=2, place=named(b"folder", ids[b"folder"])
        ),
        "an orphan": with_record(id=ids[b"folder"], act=3),
        "a record that is there": with_record(id=ids[b"inside"], kind=2, place=named(b"x")),
        "another kind": with_record(id=ids[b"inside"], act=2, target=b"/etc/passwd"),
    }
    play(world, mel, forgeries, "ana", "bob")
    world.expect(not list(outside.iterdir()), f"{outside} isn't empty")
    strays = [each.name for each in world.folder.rglob("*forged*")]
    world.expect(not strays, f"files came up: {strays}")


@attack(
    "an entry holds in one place of one epoch only, and founds a zone once",
    by="a participant who can edit",
    promise="An entry takes effect once, in its epoch and in its zone.",
    lifts=True,
)
def entries_elsewhere(world: World) -> None:
    """Plays entries that are put into another position, entries of another epoch, entries with
    another predecessor, and a second genesis. The last entry is played once more."""
    world.sharing(bob="read-write", mel="read-write")
    mel = Intruder(world, "mel")

    def other_place(intruder: Intruder, read: ReadZone) -> bytes:
        return intruder.entry(read, number=read.state.sequence + 2, **intruder.file("forged"))

    def again(intruder: Intruder, read: ReadZone) -> bytes:
        return intruder.container.get(intruder.place(read.state.sequence)) or b""

    def other_epoch(intruder: Intruder, read: ReadZone) -> bytes:
        read.keys[2] = intruder.key
        return intruder.entry(read, epoch=2, **intruder.file("forged"))

    def other_previous(intruder: Intruder, read: ReadZone) -> bytes:
        return intruder.entry(read, **intruder.file("forged", previous=ANY))

    def genesis(intruder: Intruder, read: ReadZone) -> bytes:
        made = schema.make("Genesis", owner=intruder.signer.user, name="Mine", nonce=ANY[:16])
        return intruder.entry(read, **intruder.file("forged", genesis=made))

    forgeries: dict[str, Forgery] = {
        "another place": other_place, "again": again, "another epoch": other_epoch,
        "another entry before": other_previous, "a genesis": genesis,
    }
    if world.is_lifted:
        forgeries = {"right": lambda i, read: i.entry(read, **i.file("forged"))}
    play(world, mel, forgeries, "ana", "bob")


@attack(
    "an author whom nobody can see, and a newer program, hold a place and are named",
    by="a participant who can edit",
    promise="An object at the next position of a log blocks it until the object is removed, and "
    "deceives nobody.",
)
def unseen_authors(world: World) -> None:
    """Plays a commit in the owner's name by a device that isn't hers, and a commit of a future
    version of the program. No command may take these away, because they may be valid. A person
    can."""
    world.sharing(bob="read-write", mel="read-write")
    mel = Intruder(world, "mel")
    world.never("forged", "ana", "bob")
    for kind in ("device", "newer"):
        read = mel.read()
        body = mel.body(read, **mel.file("forged"))
        if kind == "device":
            body.parts.update(user=world.user("ana"), device=ANY[:16])
        else:
            body.extra = b"\xfa\x3e\x01x"  # field 1007, which this version doesn't know
        key = mel.put(read.state.sequence + 1, mel.entry(read, body=body))
        for who in ("ana", "bob"):
            world.told(who, "held", key.rsplit("/", 1)[-1])
        (Path(world.container) / key).unlink()
        world.flows("ana", "bob")
    world.in_order("ana", "bob")
