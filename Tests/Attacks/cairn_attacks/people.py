"""Attacks on people's identities: identities, invitations, links, inboxes."""

import os
import shutil
from pathlib import Path

from cairn_format import schema
from cairn_format.hashes import H, n
from cairn_format.invitations import LinkSecret, Locator, invitation_name, seal_message
from cairn_format.signers import Signer
from cairn_format.wire import Message

from .attack import attack
from .intruder import NOW, Intruder, change, put_by_hand, stranger
from .world import World

HIDES_NOTHING = "Invalid objects in an inbox, after a chain or in a log hide nothing."


def known_to_each_other(world: World) -> None:
    """Lets Ana and Bob compare their numbers."""
    number = world.ask("bob", "user", "verify", "ana")["number"]
    world.run("ana", "user", "verify", "bob", "--match", number)
    world.run("bob", "user", "verify", "ana", "--match", number)


@attack(
    "nobody gets what is meant for a verified friend by hiding them and taking their name",
    by="the host of the container",
    promise="Hiding a person doesn't free their handle.",
    quick=True,
)
def place_of_a_friend(world: World) -> None:
    """The friend's folder disappears. Another person has the friend's handle and name, before and
    after Ana's index is lost."""
    world.sharing(bob="read-only")
    known_to_each_other(world)
    world.run("bob", "stop")
    users, bob = Path(world.container) / "users", world.user("bob").hex()
    world.run("bob", "stop")
    shutil.move(users / bob, world.folder / "hidden")
    mallory = stranger(world, "bob", "Bob")
    (world.folder / "ana" / "Secret").mkdir()
    world.write("ana", "secret", "secret", folder="Secret")
    world.run("ana", "share", "create", world.path("ana", "Secret"))
    for _ in range(2):
        for name in ("bob", mallory.user.hex()):
            said = world.say("ana", "share", "invite", world.path("ana", "Secret"), name)
            world.expect(said.status != 0, f"invited: {said.all[:300]}")
        inbox = users / mallory.user.hex() / "inbox"
        world.expect(not inbox.exists(), "something was sealed to Mallory")
        world.shows("ana", "problem", "identity of", "bob")
        world.forget("ana")
    shutil.move(world.folder / "hidden", users / bob) if not (users / bob).exists() else None


@attack(
    "a stranger of a friend's name is told from the friend, and chooses no place",
    by="a stranger",
    promise="Their shares can't choose the folder on your device, and are accepted only by "
    "people who saw a preview.",
)
def share_of_a_namesake(world: World) -> None:
    """Somebody with the handle and name of a verified friend offers a share. Its title is a folder
    of Bob's in which programs are looked for."""
    world.sharing(bob="read-write")
    known_to_each_other(world)
    users, ana = Path(world.container) / "users", world.user("ana").hex()
    shutil.move(users / ana, world.folder / "hidden")
    world.run(
        "mallory", "init", "--container", world.container, "--name", "Ana", "--handle", "ana"
    )
    shutil.move(world.folder / "hidden", users / ana)
    world._homes.append("mallory")
    world.write("mallory", "ls", "#!/bin/sh", folder="bin")
    home = world.folder / "bob"
    folder = world.path("mallory", "bin")
    world.run("mallory", "share", "create", folder, "--title", "bin")
    link = world.run("mallory", "share", "invite", folder, "bob")
    listed = world.ask("bob", "share", "invitations")["invitations"]
    world.expect(
        [each["from"]["verification"] for each in listed] == ["not-verified"]
        and listed[0]["from"]["user"] != ana and listed[0]["from"]["claimedBy"] == 2,
        f"it looks like a friend's: {listed}",
    )
    for words in ((link,), (listed[0]["id"],)):
        said = world.say("bob", "share", "accept", *words)
        world.expect(said.status != 0, f"accepted: {said.all[:300]}")
    for place in ("bin", ".config", ".ssh"):
        world.expect(not (home / place).exists(), f"{place} was made")
    said = world.say("bob", "share", "accept", link, "--unverified", "--wait")
    world.expect(said.status == 0, f"not accepted when meant: {said.all[:300]}")
    world.expect(not (home / "bin").exists(), "it went to bin")
    world.eventually("it is below Cairn", (home / "Cairn" / "bin" / "ls").exists)
    # A title is only a name, even if the host's file system would follow it as a path.
    for number, title in enumerate(("..", ".", "../../x", "/etc/x", ".ssh", "~", "\x1b[2J", " ")):
        made = world.path("mallory", f"of {number}")
        os.mkdir(made)
        said = world.say("mallory", "share", "create", made, "--title", title)
        if said.status != 0:
            continue
        link = world.run("mallory", "share", "invite", made, "bob")
        world.say("bob", "share", "accept", link, "--unverified", "--wait")
    world.expect(
        {each.name for each in home.iterdir()} <= {"Cairn", "Trip", "home"}
        and {each.name for each in world.folder.iterdir()}
        <= {"ana", "bob", "mallory", "cloud"},
        f"{list(home.iterdir())}",
    )


def invitation(
    world: World, by: Signer, to: bytes, key: bytes, zone: bytes, **parts: object
) -> tuple[str, bytes]:
    """Returns a message of somebody's, and its name in an inbox."""
    id = parts.pop("id", None) or os.urandom(16)
    keys = [schema.make("EpochKey", epoch=1, key=bytes(32))]
    body: dict[str, object] = {
        "id": id, "container": bytes.fromhex(world.status("ana")["container"]["id"]),
        "zone": zone, "owner": by.user, "keyring": schema.make("Keyring", keys=keys),
        "title": "Trip", "permission": 3, "user": by.user, "device": by.device.id, "time": NOW,
        "zone_head": schema.make("Anchor", place=1, digest=bytes(32)), "chain_head": by.head,
    }
    body.update(parts)
    made = schema.make("Invitation", **body)
    return id.hex(), seal_message(made, 0, key, to, by.device.seed)


@attack(
    "an inbox with forged, strange and countless messages shows the true one",
    by="a stranger",
    promise=HIDES_NOTHING,
)
def flooded_inbox(world: World) -> None:
    """Floods an inbox with four thousand empty objects that sort first. Adds messages in another
    person's name, with extreme times, to zones that don't exist, and with titles that no terminal
    should show. Adds FIFOs, folders and links."""
    world.people("ana", "bob")
    world.share()
    world.write("ana", "before", "of ana")
    bob = world.read("bob").book.person(world.user("bob"))
    mallory = stranger(world, "mallory", "Mallory")
    inbox = f"users/{bob.user.hex()}/inbox"
    folder = Path(world.container) / inbox
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(4_000):
        (folder / f"{number:032x}").touch()
    for number, time in enumerate((-(2**63), 2**63 - 1, 0, -1)):
        for title in ("Trip", "\x1b[2J\x07", "a" * 100_000):
            name, data = invitation(
                world, mallory, bob.user, bob.encryption_key, bytes([number]) * 32, time=time,
                title=title,
            )
            put_by_hand(world, f"{inbox}/{name}", data)
    forged, data = invitation(
        world, mallory, bob.user, bob.encryption_key, b"z" * 32, user=world.user("ana"),
        device=bytes.fromhex(world.status("ana")["account"]["device"]),
    )
    put_by_hand(world, f"{inbox}/{forged}", data)
    (folder / ("e" * 32)).mkdir()
    (folder / ("d" * 32)).symlink_to("/etc/passwd")
    os.mkfifo(folder / ("c" * 32))
    world.run("ana", "share", "invite", world.path("ana"), "bob", "--permission", "read-write")
    world.note_daemons("ana", "bob")
    listed = world.ask("bob", "share", "invitations")["invitations"]
    mine = [each for each in listed if each["from"]["user"] == world.user("ana").hex()]
    world.expect(len(mine) == 1, f"of Ana's are {len(mine)} shown")
    world.expect(all(each["id"] != forged for each in listed), "the forged one is shown")
    shown = world.say("bob", "share", "invitations").all
    bad = [each for each in shown if ord(each) < 0x20 and each != "\n"]
    world.expect(not bad, f"shows {bad}")
    world.run("bob", "share", "accept", mine[0]["id"], "--at", world.path("bob"), "--wait")
    world.flows("ana", "bob")
    world.repaired("bob")
    world.in_order("ana", "bob")


@attack(
    "an inbox with more than anybody looks at says so, and shows the true one once it is tidied",
    by="a stranger",
    promise=HIDES_NOTHING,
)
def overfull_inbox(world: World) -> None:
    """Puts more objects into an inbox than are scanned, all with names that sort first. A link with
    a secret works meanwhile, because it needs no inbox."""
    world.people("ana", "bob")
    world.share()
    world.write("ana", "before", "of ana")
    folder = Path(world.container) / f"users/{world.user('bob').hex()}/inbox"
    for number in range(50_001):
        (folder / f"{number:032x}").touch()
    world.note_daemons("ana", "bob")
    world.run("ana", "share", "invite", world.path("ana"), "bob", "--permission", "read-write")
    said = world.say("bob", "share", "invitations", patience=30)
    world.expect(said.status == 0, f"invitations fails: {said.all[:300]}")
    world.shows("bob", "more than 50000 objects", "cairn repair")
    world.expect(
        "repair" in world.say("bob", "verify").all, "verify doesn't tell that some isn't seen"
    )
    world.say("bob", "repair", "--yes", patience=60)
    listed = world.ask("bob", "share", "invitations")["invitations"]
    world.expect(len(listed) == 1, f"tidied, and shown are {len(listed)}")
    world.run("bob", "share", "accept", listed[0]["id"], "--at", world.path("bob"), "--wait")
    world.flows("ana", "bob")
    world.in_order("ana", "bob")


@attack(
    "who was removed keeps nobody from being invited, and sees nothing of it",
    by="a former participant",
    promise=HIDES_NOTHING,
)
def names_of_invitations(world: World) -> None:
    """The attackers know the key from which the names of invitations are made. They take all eight
    names in the next person's inbox in advance."""
    world.sharing(bob="read-write", rem="read-write")
    rem = Intruder(world, "rem")
    world.people("cleo")
    cleo = world.user("cleo")
    world.run("ana", "share", "remove", world.path("ana"), "rem")
    for number in range(8):
        name = invitation_name(rem.keys[1], cleo, number)
        kind = Path(world.container) / f"users/{cleo.hex()}/inbox" / name
        if number % 2:
            kind.mkdir(parents=True)
        else:
            put_by_hand(world, f"users/{cleo.hex()}/inbox/{name}", b"rubbish")
    link = world.run("ana", "share", "invite", world.path("ana"), "cleo")
    world.run("cleo", "share", "accept", link, "--at", world.path("cleo"), "--wait")
    world.flows("ana", "bob", readers=["cleo"])
    world.in_order("ana", "bob")


@attack(
    "thousands of empty identities, and some that are nearly right, hide and delay nobody",
    by="a stranger",
    promise=HIDES_NOTHING,
)
def empty_identities(world: World) -> None:
    """Plays empty first entries, first entries of others under another id, folders, FIFOs, and
    chains with a second entry of rubbish."""
    world.sharing(bob="read-write")
    users = Path(world.container) / "users"
    ana = (users / world.user("ana").hex() / "log" / "start").read_bytes()
    for number in range(3000):
        id = H("stranger", n(number)).hex()
        match number % 300:
            case 0: put_by_hand(world, f"users/{id}/log/start", ana)
            case 1: (users / id / "log" / "start").mkdir(parents=True)
            case 2:
                (users / id / "log").mkdir(parents=True)
                os.mkfifo(users / id / "log" / "start")
            case 3: put_by_hand(world, f"users/{id}", b"a file")
            case 4: put_by_hand(world, f"users/{id}/log/start", os.urandom(1 << 20))
            case _: put_by_hand(world, f"users/{id}/log/start", b"")
    for who in ("ana", "bob"):
        said = world.say(who, "user", "list", patience=20)
        world.expect(said.status == 0, f"{who}: {said.all[:300]}")
        names = [each["handle"] for each in world.ask(who, "user", "list")["users"]]
        world.expect(sorted(names) == ["ana", "bob"], f"{who} sees {names}")
    world.people("cleo")
    link = world.run("ana", "share", "invite", world.path("ana"), "cleo")
    world.run("cleo", "share", "accept", link, "--at", world.path("cleo"), "--wait")
    world.flows("ana", "bob", readers=["cleo"])
    world.restart("ana")
    world.flows("ana", "bob", readers=["cleo"])


# --- links


def with_link(world: World) -> tuple[str, Locator]:
    """Makes a link for one person to Ana's share. Returns its text and its locator."""
    link = world.run("ana", "share", "invite", world.path("ana"), "--link", "--print-link")
    return link, Locator.parse(link)


@attack(
    "a link for one person lets in one, and nobody by another's claim",
    by="a person with a link",
    promise="Nobody can use the claim of another person to claim a link.",
)
def claims_of_others(world: World) -> None:
    """A member, who can read all claims, reuses the proof for somebody else, makes a proof with a
    key of their own, and claims what has been claimed. Then they use the link itself once more."""
    world.sharing(bob="read-write", mel="read-write")
    link, locator = with_link(world)
    world.people("cleo", "dan")
    world.run("cleo", "share", "accept", link, "--at", world.path("cleo"), "--wait")
    said = world.say("dan", "share", "accept", link, "--at", world.path("dan"))
    world.expect(said.status != 0, f"a second one came in: {said.all[:300]}")
    _, other = with_link(world)
    mel = Intruder(world, "mel")
    world.never("forged", "ana", "bob", "cleo")
    secret = LinkSecret(other.secret or b"")
    dan = world.user("dan")

    def claim(proof: bytes, link: bytes = secret.id) -> Message:
        return change(claim=schema.make("ShareClaim", link=link, proof=proof))

    for made in (
        claim(bytes(64)), claim(secret.claim(mel.zone, dan)),
        claim(LinkSecret(b"w" * 32).claim(mel.zone, mel.account.user)),
        claim(secret.claim(mel.zone, mel.account.user)),
        claim(LinkSecret(locator.secret or b"").claim(mel.zone, mel.account.user)),
    ):
        key = mel.append(**mel.file("forged", share=[made]))
        world.held(key, "ana", "bob", is_short=True)
    world.flows("ana", "bob", readers=["cleo"])
    world.in_order("ana", "bob")


@attack(
    "a link's object that was exchanged, or is no object, opens nothing",
    by="the host of the container",
    promise="A link whose object was exchanged opens nothing.",
)
def exchanged_link(world: World) -> None:
    """The object behind a link becomes rubbish, another link's object, a link that leads to a zone
    of Mallory's, a FIFO, a folder, or nothing."""
    world.sharing(bob="read-write")
    link, locator = with_link(world)
    world.people("cleo")
    secret = LinkSecret(locator.secret or b"")
    key = f"users/{locator.founder.hex()}/zones/{locator.zone.hex()}/links/{secret.id.hex()}"
    path = Path(world.container) / key
    true = path.read_bytes()
    mallory = stranger(world, "mallory", "Ana")
    _, forged = invitation(world, mallory, secret.id, secret.box_key, locator.zone)
    for number, data in enumerate((b"", b"rubbish", true[:-1], forged, None, None, None)):
        path.unlink(missing_ok=True)
        if data is not None:
            path.write_bytes(data)
        elif number == 4:
            os.mkfifo(path)
        elif number == 5:
            path.unlink(missing_ok=True)
            path.mkdir()
        said = world.say("cleo", "share", "accept", link, "--at", world.path("cleo"), patience=60)
        world.expect(said.status != 0, f"{number}: accepted: {said.all[:300]}")
        world.expect(not os.path.exists(world.path("cleo")), f"{number}: a folder was made")
        if path.is_dir():
            path.rmdir()
    put_by_hand(world, key, true)
    world.run("cleo", "share", "accept", link, "--at", world.path("cleo"), "--wait")
    world.flows("ana", "bob")
