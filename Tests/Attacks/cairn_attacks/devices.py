"""Attacks by the thief of a device, before it is revoked and after."""

import os
import shutil
from pathlib import Path

from cairn_format import schema
from cairn_format.hashes import H, n
from cairn_format.invitations import Locator
from cairn_format.people import place_name
from cairn_format.wire import Message

from .attack import attack
from .intruder import Intruder, chain_entries, put_by_hand, typed
from .world import World

REVOKED = "Once the device is revoked, it can't read new data, and its changes have no effect."
PLANTED = (
    "Its changes to the person's account, and its knowledge of their links, are worthless "
    "after the revocation."
)
SHEET = "Once a recovery sheet is revoked, it recovers nobody."
ENDS = (-(2**63), -1, 0, 1, 2**62, 2**63 - 1)  # numbers that a program may stumble over


def stolen(world: World, **members: str) -> Intruder:
    """Gives Ana a second device, which is stolen. The thief has its keys, and none of its programs
    runs any more."""
    world.sharing(**members)
    world.second_device("ana", "laptop")
    world.settle("ana")
    world.run("laptop", "wait", "--timeout", "60")
    thief = Intruder(world, "laptop")
    world.run("laptop", "stop")
    return thief


def revoke(world: World, thief: Intruder) -> None:
    """Lets Ana revoke the device. She is told about it, and everybody sees the revocation."""
    said = world.say("ana", "device", "revoke", thief.account.device.hex())
    world.expect(said.status == 0, f"revoking failed: {said.all[:600]}")
    world.expect("in 0 zones" not in said.text, f"revoking said: {said.all[:600]}")
    devices = world.ask("ana", "device", "list")["devices"]
    active = [each["device"] for each in devices if each["isActive"]]
    world.expect(thief.account.device.hex() not in active, "it is active still")
    ana = world.user("ana").hex()
    for who in ("ana", "bob"):
        world.eventually(
            f"{who} sees one device of Ana's",
            lambda w=who: [
                each["devices"] for each in world.ask(w, "user", "list")["users"]
                if each["user"] == ana
            ] == [1],
        )


@attack(
    "a stolen device that was revoked reads and writes nothing, whatever lies in the chain's folder",
    by="a thief of a device, and a stranger",
    promise=REVOKED,
    quick=True, lifts=True,
)
def revoked_device(world: World) -> None:
    """All kinds of rubbish lie behind the chain, change and disappear. Then the device is revoked,
    and the thief writes with all keys that they have."""
    thief = stolen(world, bob="read-write")
    log = Path(world.container) / f"users/{thief.account.user.hex()}/log"
    for name in ("2", "3", "4", "0" * 32, "1" * 32, "f" * 32):
        put_by_hand(world, f"users/{thief.account.user.hex()}/log/{name}", b"a")
    (log / ("2" * 32)).mkdir()
    (log / ("3" * 32)).symlink_to("start")
    os.mkfifo(log / ("4" * 32))
    world.flows("ana", "bob")
    for name in ("2", "3", "0" * 32, "f" * 32):
        (log / name).write_bytes(b"b")
    (log / "4").unlink()
    before = thief.read()
    if not world.is_lifted:
        revoke(world, thief)
    world.never("forged", "ana", "bob")
    for ahead in (0, 1, 2):
        thief.append(ahead, before, **thief.file("forged"))
    world.flows("ana", "bob")
    after = thief.read()
    number = after.state.sequence + 1
    thief.put(number, thief.entry(after, number, epoch=1, **thief.file("forged")))
    world.flows("ana", "bob")
    names = {each.name for each in thief.read().state.records.values()}
    world.expect(b"turn 2 of bob" not in names, "the thief reads on")
    world.in_order("ana", "bob")


@attack(
    "a revocation that a stolen device keeps from coming about isn't told to be done",
    by="a thief of a device",
    promise="Before it is revoked, it can block the revocation, but nobody then believes that it "
    "is revoked.",
)
def next_place_of_the_chain(world: World) -> None:
    """The thief can compute the next position of the chain. Whatever they put there is named. Once
    it is gone, the revocation is made."""
    thief = stolen(world, bob="read-write")
    number = len(thief.signer.entries) + 1
    name = place_name(thief.account.encryption[-1], number)
    key = f"users/{thief.account.user.hex()}/log/{name}"
    path = Path(world.container) / key
    for kind in ("rubbish", "folder", "fifo", "link"):
        match kind:
            case "rubbish":
                put_by_hand(world, key, b"rubbish")
            case "folder":
                path.mkdir()
            case "fifo":
                os.mkfifo(path)
            case "link":
                path.symlink_to("start")
        said = world.say("ana", "device", "revoke", thief.account.device.hex())
        world.expect(said.status != 0, f"{kind}: revoking says {said.all[:300]}")
        world.expect("is revoked" not in said.all, f"{kind}: revoking says {said.all[:300]}")
        world.expect(name in said.all, f"{kind}: not named: {said.all[:600]}")
        world.told("ana", "held", name)
        world.flows("ana", "bob")
        if kind == "folder":
            path.rmdir()
        else:
            path.unlink()
    revoke(world, thief)
    world.flows("ana", "bob")
    world.in_order("ana", "bob")


@attack(
    "what a stolen device puts ahead in the chain comes to nothing behind the revocation",
    by="a thief of a device",
    promise="Once it is revoked, it can't change its person's identity, even with objects that "
    "it stored before.",
)
def places_ahead_of_the_chain(world: World) -> None:
    """Rubbish in the positions behind the next one turns into entries that add another device, once
    the revocation is written. A newcomer is attacked in the same way."""
    thief = stolen(world, bob="read-write")
    signer, folder = thief.signer, f"users/{thief.account.user.hex()}/log"
    first = len(signer.entries) + 1
    secret = thief.account.encryption[-1]
    for number in range(first + 1, first + 4):
        put_by_hand(world, f"{folder}/{place_name(secret, number)}", b"rubbish")
    revoke(world, thief)
    # Everybody can read the revocation, and can therefore name it.
    entries = chain_entries(thief.container, thief.account.user)
    for number in range(first + 1, first + 4):
        # As many entries precede it as the position asks for. The last one is the revocation.
        signer.entries = [entries[-1]] * (number - 1)
        profile = schema.make("IdentityProfile", handle="ana", name="Another")
        stored = signer.entry(1, profile=profile)
        put_by_hand(world, f"{folder}/{place_name(secret, number)}", stored)
    world.people("cy")
    for who in ("ana", "bob", "cy"):
        (ana,) = [
            each for each in world.ask(who, "user", "list")["users"]
            if each["user"] == thief.account.user.hex()
        ]
        world.expect(ana["devices"] == 1 and ana["name"] == "Ana", f"{who} sees {ana}")
    world.restart("ana")
    world.flows("ana", "bob")
    world.in_order("ana", "bob")


# --- what is left in the account


def code(device: bytes, expires: int, secret: bytes) -> Message:
    """Returns a code that seems to come from that device."""
    return typed(
        "code", H("cairn code record v1", secret), secret=secret, device=device, expires=expires
    )


@attack(
    "codes, mounts and numbers that a stolen device plants in the account do nothing",
    by="a thief of a device",
    promise=PLANTED,
    quick=True,
)
def planted_codes(world: World) -> None:
    """Plants codes without end in the name of the desktop, a mount of the desktop that shows the
    zone in a place of the thief's choice, and extreme numbers. Nothing may end the daemon, not even
    at its next start."""
    thief = stolen(world, bob="read-write")
    desk = bytes.fromhex(world.status("ana")["account"]["device"])
    zone, victim = thief.zone, world.folder / "ana" / ".config"
    thief.reach_account()
    records = [code(desk, end, bytes([number]) * 32) for number, end in enumerate(ENDS)]
    records.append(
        typed(
            "mount", zone + desk + bytes(16), zone=zone, device=desk, path=bytes(victim),
            record=bytes(16), file=0,
        )
    )
    thief.append(records=records)
    for number in range(len(ENDS)):
        secret = bytes([number]) * 32
        for at in range(3):
            name = H("cairn join request v1", secret, n(at))[:16].hex()
            put_by_hand(world, f"users/{thief.account.user.hex()}/join/{name}", b"rubbish")
    world.flows("ana", "bob")
    world.restart("ana")
    world.flows("ana", "bob")
    world.expect(not victim.exists(), f"{victim} was made")
    revoke(world, thief)
    world.restart("ana")
    world.flows("ana", "bob")
    world.expect(not victim.exists(), f"{victim} was made")
    world.in_order("ana", "bob")


@attack(
    "no zone is taken away for what a stolen device says in the account",
    by="a thief of a device",
    promise=PLANTED,
    quick=True,
)
def planted_ends(world: World) -> None:
    """Claims that the shared zone came out of another one and went back long ago, or was never
    finished. The owner's own device would delete the zone's objects."""
    thief = stolen(world, bob="read-write")
    desk = bytes.fromhex(world.status("ana")["account"]["device"])
    zone = thief.zone
    log = Path(world.container) / thief.folder / "log"
    entries = len(list(log.iterdir()))
    thief.reach_account()
    nesting = typed(
        "nesting", zone, part=zone + bytes(16), outer=thief.zone, reference=b"r" * 16,
        record=b"f" * 16, device=desk, file=0, founds=1,
    )
    ended = [
        typed("ended", zone if end == 1 else bytes([number]) * 32, zone=zone, time=end)
        for number, end in enumerate(ENDS)
    ]
    thief.append(records=[nesting, *ended])
    for _ in range(2):
        world.restart("ana")
        world.expect(len(list(log.iterdir())) >= entries, "the log of the zone was taken away")
        world.flows("ana", "bob")
    revoke(world, thief)
    world.restart("ana")
    world.expect(len(list(log.iterdir())) >= entries, "the log of the zone was taken away")
    world.flows("ana", "bob")
    world.in_order("ana", "bob")


VOIDED = "What it writes into its person's account before it is revoked doesn't void the revocation."


def alter(name: str, about: bytes, **values: bytes | int | str) -> Message:
    """Returns a change of some fields of a record of the account."""
    return typed(name, about, 2, **values)


def erase(name: str, about: bytes) -> Message:
    """Returns a deletion of a record of the account."""
    return typed(name, about, 3)


def forgeries(zone: bytes, desk: bytes, laptop: bytes, friend: bytes) -> dict[str, list[Message]]:
    """Returns the records that a thief can write about a shared zone before the device is
    revoked."""
    wrong = schema.make("EpochKey", epoch=1, key=b"k" * 32)
    ring = schema.encode(schema.make("Keyring", keys=[wrong]))
    nesting = typed(
        "nesting", zone, part=zone + bytes(16), outer=zone, reference=b"r" * 16,
        record=b"f" * 16, device=laptop, file=0, founds=1,
    )
    return {
        "zone deleted": [erase("zone", zone)],
        "zone public": [alter("zone", zone, scope="public")],
        "zone shared": [alter("zone", zone, scope="shared")],
        "keys garbage": [alter("zone", zone, keys=b"\x0a")],
        "keys wrong": [alter("zone", zone, keys=ring)],
        "founder": [alter("zone", zone, founder=friend)],
        "mount touched": [alter("mount", zone + desk, file=0)],
        "mount deleted": [erase("mount", zone + desk)],
        "nesting": [nesting],
        "all gone": [erase("zone", zone), erase("mount", zone + desk), nesting],
    }


def play_forgery(world: World, name: str, forget: bool) -> None:
    """Plays the forgery, a restart of the desktop, the revocation, another restart, and a new
    device."""
    thief = stolen(world, bob="read-write")
    desk = bytes.fromhex(world.status("ana")["account"]["device"])
    zone = thief.zone
    thief.reach_account()
    records = forgeries(zone, desk, thief.account.device, world.user("bob"))[name]
    thief.append(records=records)
    (world.forget if forget else world.restart)("ana")
    if not (forget and records[0].parts.get("fields")):
        # A desktop that has lost its index reads a wrong record. It goes on after the revocation.
        world.flows("ana", "bob")
    if "gone" in name or "zone deleted" in name:
        world.shows("ana", "took", "out of your account")
    world.expect(world.say("ana", "gc").status in (0, 35), "gc failed")
    thief.reach(thief.everything.zones[zone])
    before = thief.read()
    said = world.say("ana", "device", "revoke", thief.account.device.hex())
    world.expect(said.status == 0, f"{name}: revoking failed: {said.all[:600]}")
    world.expect("1 folder has new keys" in said.text, f"{name}: revoking said: {said.all[:600]}")
    world.never("forged", "ana", "bob")
    thief.append(0, before, **thief.file("forged"))
    world.restart("ana")
    world.write("ana", "secret", "of ana")
    world.eventually("bob has the secret", lambda: world.has("bob", "secret"))
    world.flows("ana", "bob")
    names = {each.name for each in thief.read().state.records.values()}
    world.expect(b"secret" not in names, f"{name}: the thief reads on")
    world.in_order("ana", "bob")
    world.second_device("ana", "phone")
    world.run("phone", "wait", "--timeout", "60")
    paths = [each["path"] for each in world.status("phone")["mounts"]]
    world.expect(len(paths) == 1, f"{name}: the new device mirrors {paths}")
    world.eventually(
        "the new device has the secret", lambda: os.path.exists(f"{paths[0]}/secret")
    )
    world.verified("ana", "bob")
    world.unproblematic("ana")


@attack(
    "a stolen device that takes a share out of the account, and its mount, is revoked there",
    by="whoever steals a device",
    promise=VOIDED,
    quick=True,
)
def forged_account(world: World) -> None:
    """Plays the worst forgery: the zone and the mount are gone, and a nested share hides the
    share."""
    play_forgery(world, "all gone", forget=False)


def _enter_forgeries() -> None:
    """Registers one attack for each other forgery, with and without an index on the desktop."""
    for name in forgeries(b"", b"", b"", b""):
        for forget in (False, True):
            def played(world: World, name: str = name, forget: bool = forget) -> None:
                play_forgery(world, name, forget)

            played.__name__ = f"forged_{name.replace(' ', '_')}" + ("_without_index" * forget)
            attack(
                f"a stolen device is revoked everywhere, whatever it wrote: {name}"
                + (", to a desktop without an index" if forget else ""),
                by="whoever steals a device", promise=VOIDED,
            )(played)


_enter_forgeries()


@attack(
    "records of the account that aren't what they should be stop nothing",
    by="a thief of a device",
    promise=PLANTED,
)
def planted_nonsense(world: World) -> None:
    """Plants each type of record with a field of another kind or length, zones with invalid keys,
    and the shared zone once more under another id."""
    thief = stolen(world, bob="read-write")
    desk = bytes.fromhex(world.status("ana")["account"]["device"])
    zone, ana = thief.zone, thief.account.user
    thief.reach_account()
    types: dict[str, dict[str, bytes | int | str]] = {
        "zone": {"zone": zone, "founder": ana, "owner": ana, "scope": "private", "keys": b"\x0a"},
        "link": {"zone": zone, "secret": b"s" * 32},
        "mount": {
            "zone": zone, "device": desk, "path": b"/", "record": bytes(16), "file": 0,
        },
        "nesting": {
            "part": zone + bytes(16), "outer": zone, "reference": bytes(16),
            "record": bytes(16), "device": desk, "file": 0, "founds": 1,
        },
        "ended": {"zone": zone, "time": 1},
        "given": {"zone": zone},
        "declined": {"zone": b"d" * 32, "device": desk},
        "person": {"user": b"u" * 32, "state": bytes(32), "handle": "..", "name": "\n", "verified": 9},
        "code": {"secret": b"c" * 32, "device": desk, "expires": 1, "used": b""},
    }
    records = []
    for name, fields in types.items():
        for at, field in enumerate(fields):
            for number, value in enumerate((b"", b"x", 2**63 - 1, "text", b"y" * 5000)):
                about = f"{name} {field} {number}".encode()
                records.append(typed(name, about, **{**fields, field: value}))
    other = {**types["zone"], "keys": thief.account.user}
    records.append(typed("zone", b"once more", **other))
    records.append(typed("zone", b"z" * 32, **{**types["zone"], "zone": b"z" * 32}))
    thief.append(records=records)
    world.flows("ana", "bob")
    world.restart("ana")
    world.flows("ana", "bob")
    revoke(world, thief)
    world.forget("ana")
    world.flows("ana", "bob")


@attack(
    "whom a stolen device calls verified is verified no more once it is revoked",
    by="a thief of a device, and an accomplice",
    promise=PLANTED,
)
def planted_verification(world: World) -> None:
    """The thief writes into the account that Ana compared numbers with the thief's accomplice. Once
    the device is revoked, Ana is warned before something is sealed for the accomplice, as with
    anybody else."""
    thief = stolen(world, bob="read-write")
    world.people("mallory")
    mallory = world.read("mallory").book.person(world.user("mallory"))
    devices = sorted(mallory.active(), key=lambda each: each.id)
    keys = b"".join(each.sign_key + each.box_key for each in devices)
    state = H("cairn person state v1", mallory.user, keys)
    fields: dict[str, bytes | int | str] = {
        "user": mallory.user, "state": state, "handle": "mallory", "name": "Mallory",
    }
    # Ana has compared numbers with Bob, and is therefore warned about people who aren't verified.
    number = world.ask("bob", "user", "verify", "ana")["number"]
    world.run("ana", "user", "verify", "bob", "--match", number)
    thief.reach_account()
    known = thief.read().state.records
    planted = typed("person", mallory.user, **fields, verified=1)
    thief.append(records=[typed("person", mallory.user, 2, verified=1)]
                 if planted.id in known else [planted])
    revoke(world, thief)
    said = world.say(
        "ana", "share", "invite", world.path("ana"), "mallory", "--permission", "read-only"
    )
    world.expect(said.status != 0, f"invited without a word: {said.all[:600]}")
    world.expect("isn't verified" in said.all, f"{said.all[:600]}")
    # The desktop has verified Bob, and he stays verified.
    world.run("ana", "share", "set-permission", world.path("ana"), "bob", "read-only")


@attack(
    "links that a stolen device made or knows let nobody in after",
    by="a thief of a device, and an accomplice",
    promise=PLANTED,
    lifts=True,
)
def links_of_a_stolen_device(world: World) -> None:
    """Plays a link for anyone that the account remembers, links for one person that the thief made,
    and a secret of the thief's in the place of the remembered secret."""
    thief = stolen(world, bob="read-write")
    world.people("mallory")
    world.run("laptop", "start")
    world.run("laptop", "wait", "--timeout", "60")
    folder = next(each["path"] for each in world.status("laptop")["mounts"])
    once = world.run("laptop", "share", "invite", folder, "--link", "--print-link")
    world.run("laptop", "stop")
    thief.reach_account()
    planted = typed("link", thief.zone, zone=thief.zone, secret=b"s" * 32)
    thief.append(records=[planted])
    if not world.is_lifted:
        revoke(world, thief)
    said = world.say("mallory", "share", "accept", once, "--at", world.path("mallory"), "--wait")
    world.never("before", "mallory")
    world.look()
    world.expect(said.status != 0, f"accepted: {said.all[:300]}")
    world.run("ana", "share", "set-public", world.path("ana"), "read-only", "--yes")
    again = world.run("ana", "share", "link", world.path("ana"))
    world.expect(Locator.parse(again).secret != b"s" * 32, "a secret of the thief's was given out")
    world.flows("ana", readers=())


@attack(
    "whom a stolen device let in is taken out, or named to its person, once it is revoked",
    by="a thief of a device, and accomplices",
    promise=PLANTED,
    lifts=True,
)
def guests_of_a_stolen_device(world: World) -> None:
    """The thief invites two people. One accepts, and is named. The other invitation becomes void,
    even if parts of it have been seen. A second device that the guests let in is named, too."""
    thief = stolen(world, bob="read-write")
    world.people("mallory", "mel")
    world.run("laptop", "start")
    world.run("laptop", "wait", "--timeout", "60")
    folder = next(each["path"] for each in world.status("laptop")["mounts"])
    for who in ("mallory", "mel"):
        invitation = world.run("laptop", "share", "invite", folder, who)
    world.run("mallory", "share", "accept", invitation, "--at", world.path("mallory"), "--wait")
    world.second_device("laptop", "printer")
    printer = world.status("printer")["account"]["device"]
    world.run("printer", "stop")
    world.run("laptop", "stop")
    if not world.is_lifted:
        said = world.say("ana", "device", "revoke", thief.account.device.hex())
        world.expect(said.status == 0, f"revoking failed: {said.all[:600]}")
        for told in (
            "had invited Mel (mel)", "let Mallory (mallory)", "share remove",
            f"device revoke {printer[:12]}",
        ):
            world.expect(told in said.text, f"“{told}” isn't told: {said.all[:900]}")
        world.expect("Bob" not in said.text, f"Bob is the desk's guest: {said.all[:900]}")
    world.never("before", "mel")
    said = world.say(
        "mel", "share", "accept", invitation, "--at", world.path("mel"), "--wait"
    )
    world.look()
    world.expect(said.status != 0, f"accepted: {said.all[:300]}")
    people = world.ask("ana", "share", "participants", world.path("ana"))["participants"]
    handles = {each.get("handle") for each in people}
    world.expect(handles == {"ana", "bob", "mallory"}, f"in it are {handles}")
    world.flows("ana", "bob")


@attack(
    "a revoked recovery sheet lets nobody in, also if the host hides the revocation",
    by="a thief of a recovery sheet, and the host",
    promise=SHEET,
    lifts=True,
)
def revoked_sheet(world: World) -> None:
    """The thief types the words of Ana's revoked sheet, and those of Bob's in her place. Then the
    host shows the thief a container without the revocation. What the thief's device writes into
    Ana's identity there has a place that is taken in hers."""
    world.sharing(bob="read-write")
    ana = world.user("ana")
    made = world.ask("ana", "device", "recovery")
    shown = f"{world.folder}/shown"
    shutil.copytree(world.container, shown)
    words = " ".join(made["words"])
    if not world.is_lifted:
        said = world.say("ana", "device", "revoke", made["device"]["device"])
        world.expect(said.status == 0, f"revoking failed: {said.all[:600]}")
    recover = ["init", "--recover", "--at", str(world.folder / "thief"), "--container"]
    world.write("ana", "after", "after")
    world.settle("ana", "bob")
    world.never("after", "thief", "blind")
    said = world.say("thief", *recover, world.container, typed=words)
    if world.is_lifted:
        world.began("thief")
        world.run("thief", "wait", "--timeout", "60")
    world.look()
    world.expect(said.status != 0, f"recovered: {said.all[:300]}")
    world.expect("was revoked" in said.all, f"not told: {said.all[:300]}")
    said = world.say("ana", "device", "recovery", "--test", typed=words)
    world.expect(said.status != 0 and "was revoked" in said.all, f"tested: {said.all[:300]}")
    bobs = world.ask("bob", "device", "recovery")
    said = world.say("ana", "device", "recovery", "--test", typed=bobs["code"])
    world.expect(said.status != 0, f"Bob's sheet is Ana's: {said.all[:300]}")
    # The old container is shown to the thief alone, whose device is let in there.
    said = world.say("blind", *recover, shown, typed=words)
    world.began("blind")
    world.expect(said.status == 0, f"the old container: {said.all[:300]}")
    world.run("blind", "stop")
    log = f"users/{ana.hex()}/log"
    new = set(os.listdir(f"{shown}/{log}")) - set(os.listdir(f"{world.container}/{log}"))
    world.expect(not new, f"the thief found a place behind the revocation: {new}")
    # The host puts the thief's entry into the place of the revocation. Ana's people have read it.
    forged = [
        name for name in os.listdir(f"{shown}/{log}")
        if Path(f"{shown}/{log}/{name}").read_bytes()
        != Path(f"{world.container}/{log}/{name}").read_bytes()
    ]
    world.expect(len(forged) == 1, f"other entries: {forged}")
    whole = Path(f"{world.container}/{log}/{forged[0]}").read_bytes()
    put_by_hand(world, f"{log}/{forged[0]}", Path(f"{shown}/{log}/{forged[0]}").read_bytes())
    world.flows("ana", "bob")
    devices = world.ask("ana", "device", "list")["devices"]
    active = {each["device"] for each in devices if each["isActive"]}
    world.expect(len(active) == 1, f"active devices: {active}")
    put_by_hand(world, f"{log}/{forged[0]}", whole)
    world.flows("ana", "bob")
