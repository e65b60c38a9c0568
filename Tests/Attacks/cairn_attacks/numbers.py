"""Bytes and numbers that may trip a program, in entries that are otherwise valid."""

import os

from cairn_format import schema
from cairn_format.contents import chunk_name, content_id, payload_of
from cairn_format.state import ROOT
from cairn_format.wire import Message

from .attack import attack
from .intruder import Intruder, change
from .world import World

ENDS = (-(2**63), -(2**63) + 1, -1, 0, 1, 2**62, 2**63 - 1)
NO_END = "Their data can't crash a program."


def commands(world: World, who: str) -> None:
    """Runs each command that shows other people's data. None may fail or hang."""
    place = world.path(who)
    for words in (
        ("status",), ("verify",), ("log", place), ("ls", "-r", place), ("events",),
        ("share", "show", place), ("share", "list"), ("stat", place), ("zones",), ("quota",),
        ("conflicts", "list"), ("rescue", "list"), ("doctor",), ("user", "list"),
    ):
        for more in ((), ("--json",)):
            said = world.say(who, *words, *more)
            world.expect(said.status == 0, f"{who}: cairn {' '.join(words)}: {said.all[:600]}")
    for name in sorted(os.listdir(place))[:20]:
        if name != ".cairn":
            for more in ((), ("--json",)):
                said = world.say(who, "why", f"{place}/{name}", *more)
                world.expect(said.status == 0, f"{who}: cairn why {name}: {said.all[:600]}")


@attack(
    "numbers at either end, in right commits, end no program",
    by="an administrator",
    promise=NO_END,
)
def extreme_numbers(world: World) -> None:
    """Plays extreme times of commits and files, ends of links, limits, and numbers of versions to
    keep."""
    world.sharing(bob="read-write", mel="read-write")
    world.run("ana", "share", "set-role", world.path("ana"), "mel", "administrator")
    world.settle("ana", "bob", "mel")
    mel = Intruder(world, "mel")
    for number, end in enumerate(ENDS):
        file = mel.file(f"at {end}", b"%d" % number)
        file["records"][0].parts["attributes"] = schema.make("Attributes", modified=end)
        link = schema.make(
            "ShareLink", id=bytes([number]) * 32, box_key=bytes([number]) * 32, one_time=True,
            permission=2, expires=end,
        )
        mel.append(share=[change(link=link)], time=end, **file)
    for who in ("ana", "bob"):
        for end in ENDS:
            world.eventually(f"{who} has it", lambda w=who, e=end: world.has(w, f"at {e}"))
        commands(world, who)
        world.restart(who)
    # Files that are edited here are written back with the times that this machine can represent.
    for end in ENDS:
        world.write("bob", f"at {end}", "edited")
    world.flows("ana", "bob")
    world.verified("ana", "bob")
    for who in ("ana", "bob"):
        commands(world, who)


@attack(
    "the owner's numbers end nobody else's program",
    by="a mad owner",
    promise=NO_END,
)
def numbers_of_the_owner(world: World) -> None:
    """Plays extreme limits, history policies, state digests, log starts and versions."""
    world.people("ana", "bob", "mel")
    world.share("mel")
    for who in ("ana", "bob"):
        world.join(who, "read-write", by="mel")
    world.settle("ana", "bob")
    world.note_daemons("ana", "bob")
    mad = Intruder(world, "mel")
    world.run("mel", "stop")
    far = schema.make("Floor", checkpoint=2**64 - 1, digest=bytes(32), forgotten=2**64 - 1)
    kept = schema.make("HistoryPolicy", all=2**64 - 1, daily=2**64 - 1, versions=2**32 - 1)
    for share in (
        change(quota=schema.make("ShareQuota", limit=2**64 - 1)),
        change(history=kept),
        change(checkpoint=True),
        change(carry=3),
        change(retire=schema.make("Retirement", generation=2**32 - 1)),
    ):
        mad.append(share=[share])
        world.flows("ana", "bob")
    commands(world, "bob")
    world.held(mad.append(share=[change(floor=far)]), "ana", "bob")
    world.flows("ana", "bob")
    # The quota is zero. Everything that is written from here on waits, and says so.
    mad.append(share=[change(quota=schema.make("ShareQuota", limit=0))])
    world.write("bob", "too much", "x" * 1000)
    world.shows("bob", "problem", "too much")
    commands(world, "ana")
    mad.append(share=[change(quota=schema.make("ShareQuota"))])
    world.flows("ana", "bob")


HOSTILE = (
    b"esc\x1b]0;owned\x07\x1b[2J", b"cr\rover", b"lf\nproblem: none", b"c1\xc2\x9b31m", b"\xff\xfe",
    "bidi\u202egpj.exe".encode(), b"-rf", b"~", b"$(touch forged)", b"`touch forged`", b" ",
    b"%s%n", b"\\", b"'; touch forged; '", b"a" * 255, b"con\x08\x08\x7f", b".cairnignore ",
    "\u0301".encode(), b"\t", b"*",
)


@attack(
    "names of files, shares and people write nothing into a terminal but what they are",
    by="a participant who can edit",
    promise="Names can't deceive a terminal.",
    quick=True,
)
def hostile_names(world: World) -> None:
    """Plays names with the terminal's control sequences, in files and in the targets of links, and
    text that runs from right to left. No command shows a control character, or a line that is only
    somebody's name."""
    world.sharing(bob="read-write", mel="read-write")
    mel = Intruder(world, "mel")
    records, chunks = [], []
    for number, name in enumerate(HOSTILE):
        file = mel.writer().file(name, b"%d" % number)
        records += file["records"]
        chunks += file["chunks"]
    records.append(
        schema.make(
            "RecordChange", id=b"l" * 16, act=1, kind=3, target=b"\x1b[2J/\n" * 20,
            place=schema.make("Place", parent=ROOT, name=b"link"),
        )
    )
    mel.append(chunks=chunks, records=records)
    world.eventually("ana has them", lambda: len(os.listdir(os.fsencode(world.path("ana")))) > 20)
    world.flows("ana", "bob")
    for words in (
        ("status",), ("log", world.path("ana")), ("ls", "-r", world.path("ana")), ("events",),
        ("verify",), ("conflicts", "list"),
    ):
        text = world.say("ana", *words).all
        bad = [each for each in text if _is_control(each)]
        world.expect(not bad, f"cairn {' '.join(words)} shows {bad}")
        lines = [each for each in text.splitlines() if each.startswith("problem: none")]
        world.expect(not lines, f"cairn {' '.join(words)}: a name is a line of its own")
    world.daemons_live()
    world.expect(not list(world.folder.rglob("forged")), "a shell was run")


def _is_control(text: str) -> bool:
    """Returns true for a character that a terminal takes for a command, or that reverses text."""
    code = ord(text)
    is_shown = text in "\n" or 0x20 <= code < 0x7F or code >= 0xA0
    return not is_shown or 0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069


@attack(
    "an entry of many small parts takes little memory and time of others",
    by="a participant who can only view",
    promise="They can't make a program read without end, or fill its memory.",
)
def many_parts(world: World) -> None:
    """Plays sixteen megabytes of empty fields, values, records, changes and keys, nested and flat,
    and of boxes that nobody can open. Each entry holds the position, and is taken away."""
    world.sharing(bob="read-write", cleo="read-only")
    cleo = Intruder(world, "cleo")
    size = 15 << 20

    def record(inner: bytes) -> bytes:
        return b"\x3a" + varint(len(inner)) + inner

    bodies = {
        "empty records": b"\x3a\x00" * (size // 2),
        "empty fields": record(b"\x4a\x00" * (size // 2)),
        "empty shares": b"\x42\x00" * (size // 2),
        "empty keys": b"\x62\x00" * (size // 2),
        "empty chunks": b"\x32\x00" * (size // 2),
        "empty values": record(b"\x4a" + _nested(b"\x0a\x00" * (size // 2))),
        "deep": _deep(60_000),
    }
    for name, extra in bodies.items():
        read = cleo.read()
        body = cleo.body(read)
        stored = _sealed(cleo, read, schema.encode(body) + extra)
        key = cleo.put(read.state.sequence + 1, stored)
        world.held(key, "ana", "bob", is_short=True)
        world.flows("ana", "bob", patience=60)
        print(f"    {name}", flush=True) if os.environ.get("VERBOSE") else None
    read = cleo.read()
    stored = cleo.entry(read, boxes=[os.urandom(80) for _ in range(150_000)])
    world.held(cleo.put(read.state.sequence + 1, stored), "ana", "bob", is_short=True)
    world.flows("ana", "bob", patience=60)
    world.in_order("ana", "bob")


def varint(number: int) -> bytes:
    from cairn_format.wire import varint as encode

    return encode(number)


def _nested(values: bytes) -> bytes:
    """Returns a field whose value is a list of these values."""
    listed = b"\x52" + varint(len(values)) + values
    return varint(len(listed)) + listed


def _deep(levels: int) -> bytes:
    """Returns lists inside lists."""
    inner = b""
    for _ in range(levels // 1000):
        inner = b"\x52" + varint(len(inner)) + inner
        inner = b"\x0a" + varint(len(inner)) + inner
    field = b"\x4a" + varint(len(inner)) + inner
    return b"\x3a" + varint(len(field)) + field


def _sealed(intruder: Intruder, read: object, body: bytes) -> bytes:
    """Returns an entry with that body, however it is encoded."""
    from cairn_format.log import seal_entry

    return seal_entry(
        body, intruder.zone, read.state.sequence + 1, intruder.epoch, intruder.key, [],
        intruder.account.sign_seed, intruder.dice.randbytes(24),
    )


@attack(
    "contents that aren't what they say spoil their own file only",
    by="a participant who can edit",
    promise="Content under a wrong name affects only its own file.",
    quick=True,
)
def wrong_contents(world: World) -> None:
    """Plays chunks under the names of others, bombs that unpack to more than they declare,
    positions in packs that don't exist, are another person's or are behind the end, and sizes that
    don't add up."""
    import zstandard

    world.sharing(bob="read-write", mel="read-write")
    mel = Intruder(world, "mel")
    bomb = zstandard.compress(bytes(200 << 20))
    size = 1 << 20

    def file(name: str, size: int, digest: bytes, place: Message, **parts: object) -> None:
        chunk = schema.make(
            "ChunkEntry", name=digest, size=size, place=schema.encode(place), **parts
        )
        record = schema.make(
            "RecordChange", id=mel.dice.randbytes(16), act=1, kind=1,
            place=schema.make("Place", parent=ROOT, name=name.encode()),
            content=schema.make(
                "Content", id=content_id(size, digest), size=size, chunks=digest
            ),
        )
        mel.append(chunks=[chunk], records=[record])

    def inline(data: bytes, compression: int = 1) -> Message:
        return schema.make("ChunkPlace", inline=data, compression=compression)

    def packed(offset: int, length: int) -> Message:
        position = schema.make("PackRange", owner=world.user("ana"), offset=offset, length=length)
        return schema.make("ChunkPlace", pack=position, key=bytes(32), compression=1)

    other = chunk_name(b"of somebody else")
    file("spoiled wrong bytes", 4, other, inline(b"mine"))
    file("spoiled bomb", size, chunk_name(bytes(size)), inline(bomb, 2))
    file("spoiled short", size, chunk_name(b"short"), inline(payload_of(b"short")[0]))
    file("spoiled frame", 5, chunk_name(b"frame"), inline(b"\x28\xb5\x2f\xfd\xff", 2))
    file("spoiled no pack", 5, chunk_name(b"nopack"), packed(0, 21), pack=bytes(16))
    file("spoiled far", 5, chunk_name(b"far"), packed(2**64 - 1, 2**32 - 1), pack=b"p" * 16)
    file("spoiled place", 5, chunk_name(b"place"), schema.make("ChunkPlace", compression=1))
    world.flows("ana", "bob")
    for who in ("ana", "bob"):
        spoiled = [each for each in os.listdir(world.path(who)) if each.startswith("spoiled")]
        world.expect(not spoiled, f"{who} has {spoiled}")
    world.shows("bob", "spoiled bomb", "spoiled far")
    world.daemons_live()


@attack(
    "bytes that somebody else forestalled are taken for stored by nobody",
    by="a participant who can edit",
    promise="Content that they store under the name of another person's bytes isn't taken for "
    "these bytes.",
    lifts=True,
)
def forestalled_contents(world: World) -> None:
    """Somebody who can foresee Ana's file adds an unreadable chunk under the file's chunk name. Ana
    is told that her file isn't sent. Her other files are sent, and so is this one once it is
    changed."""
    world.sharing(bob="read-write", mel="read-write")
    mel, data = Intruder(world, "mel"), b"known before"
    file = mel.file("spoiled", data)
    if not world.is_lifted:
        wrong = schema.make("ChunkPlace", inline=b"known behind", compression=1)
        file["chunks"][0].parts["place"] = schema.encode(wrong)
    mel.append(**file)
    world.flows("ana", "bob")
    world.never("right", "bob")
    world.write("ana", "right", data)
    if world.is_lifted:
        world.eventually("it is believed", lambda: False, 5)
    world.shows("ana", "/right", "can't be read there", "cairn repair")
    world.flows("ana", "bob")
    world.restart("ana")
    world.shows("ana", "/right", "can't be read there")
    world.write("ana", "other", data + b", and more")
    world.eventually("bob has what Ana wrote", lambda: world.has("bob", "other"))
    world.daemons_live()
