"""Attacks by other users of the machine on a container of several users, set up as recommended."""

import os
import shutil
import stat
import subprocess
from pathlib import Path

from cairn_format.invitations import invitation_name

from .attack import attack
from .intruder import Intruder
from .world import Believed, WentThrough, World

FIRST = 60_100  # ids that no user of the machine has


def of_several_users(world: World, *names: str) -> None:
    """Makes each person a user of the machine. Each one owns the files that they made in the
    container."""
    cloud = Path(world.container)
    cloud.mkdir()
    cloud.chmod(0o1777)
    for number, who in enumerate(names):
        world.users[who] = FIRST + number
        home = world.folder / who
        home.mkdir()
        os.chown(home, FIRST + number, FIRST + number)


def as_user(world: World, who: str, *command: str) -> int:
    """Runs a command as that user of the machine. Returns its exit status."""
    user = world.users[who]
    return subprocess.run(
        command, user=user, group=user, extra_groups=[], capture_output=True, check=False
    ).returncode


def write(world: World, who: str, name: str, text: str) -> None:
    world.write(who, name, text)
    path = Path(world.path(who)) / name
    os.chown(path, world.users[who], world.users[who])


@attack(
    "in a container of several users nobody stops who may tidy, or deletes what is another's",
    by="a former participant, and another user of the machine",
    promise="Invalid objects in an inbox, after a chain or in a log hide nothing.",
    root=True,
)
def several_users(world: World) -> None:
    """Each person accepts at the first try, though the inviter owns the invitation's file. The
    founder owns the folder, and takes away what a reader puts into the next position. Names of
    invitations that nobody may remove are skipped. Nobody deletes another person's files."""
    of_several_users(world, "ana", "bob", "cleo", "dan")
    world.people("ana", "bob", "cleo", "dan")
    os.makedirs(world.path("ana"))
    os.chown(world.path("ana"), world.users["ana"], world.users["ana"])
    world.run("ana", "share", "create", world.path("ana"))
    write(world, "ana", "before", "of ana")
    world.join("bob", "read-write")
    world.join("cleo", "read-only")
    world.settle("ana", "bob", "cleo")
    world.note_daemons("ana", "bob", "cleo")
    cleo = Intruder(world, "cleo")
    key = cleo.place(cleo.read().state.sequence + 1)
    path = Path(world.container) / key
    # Folders that nobody had a reason to make yet, in a mode that excludes all others.
    own = f"{world.container}/users/{world.user('ana').hex()}"
    for folder in ("inbox", "join", "packs", "zones"):
        as_user(world, "dan", "mkdir", "-m", "700", f"{own}/{folder}")
    for folder in ("copies", "links"):
        as_user(world, "dan", "mkdir", "-m", "700", f"{world.container}/{cleo.folder}/{folder}")
    # Closed folders where only objects belong: beside objects, and in the place of an object.
    bobs = f"{world.container}/users/{world.user('bob').hex()}"
    for folder in ("inbox", "log", "join"):
        as_user(world, "dan", "mkdir", "-m", "700", f"{bobs}/{folder}/closed")
        as_user(world, "dan", "mkdir", "-m", "700", f"{bobs}/{folder}/{'0' * 32}")
    if world.say("bob", "share", "invitations").status != 0:
        raise WentThrough("closed folders hide an inbox")
    if as_user(world, "cleo", "touch", str(path)) != 0:
        raise RuntimeError(f"cleo can't write to {path.parent}")
    write(world, "ana", "waits", "waits")
    for who in ("ana", "bob"):
        world.told(who, "held", path.name, str(world.users["cleo"]))
    world.repaired("ana")
    world.eventually("bob has it", lambda: world.has("bob", "waits"))
    log = path.parent
    for entry in log.iterdir():
        for who in ("cleo", "dan"):
            if entry.stat().st_uid != world.users[who]:
                as_user(world, who, "rm", "-f", str(entry))
                world.expect(entry.exists(), f"{who} deleted {entry}")
    world.run("ana", "share", "remove", world.path("ana"), "cleo")
    inbox = Path(world.container) / f"users/{world.user('dan').hex()}/inbox"
    as_user(world, "cleo", "mkdir", "-p", str(inbox))
    for number in range(8):
        name = invitation_name(cleo.keys[1], world.user("dan"), number)
        as_user(world, "cleo", "touch", str(inbox / name))
    world.run("dan", "user", "list")
    world.join("dan", "read-write")
    write(world, "ana", "after", "after")
    for who in ("bob", "dan"):
        world.eventually(f"{who} has it", lambda w=who: world.has(w, "after"))
    world.in_order("ana", "bob", "dan")


@attack(
    "another user's socket in the daemon's place is sent nothing",
    by="another user of the machine",
    promise="They can't impersonate the daemon: nothing is sent to a daemon of another user.",
    root=True,
)
def socket_of_another(world: World) -> None:
    """The path of Bob's home is so long that his socket is in a folder that others can make first.
    They make it, listen there, and wait for a link with its secret."""
    of_several_users(world, "ana", "bob", "eve")
    world.people("ana")
    os.makedirs(world.path("ana"))
    os.chown(world.path("ana"), world.users["ana"], world.users["ana"])
    world.run("ana", "share", "create", world.path("ana"))
    link = world.run("ana", "share", "invite", world.path("ana"), "--link", "--print-link")
    deep = world.folder / "bob" / ("d" * 100)
    world.variables["bob"] = {"CAIRN_HOME": str(deep)}
    folder = Path(f"/tmp/cairn-{world.users['bob']}")
    shutil.rmtree(folder, ignore_errors=True)
    try:
        world.people("bob")
        world.run("bob", "start")
        sockets = [each for each in folder.rglob("*") if stat.S_ISSOCK(each.lstat().st_mode)]
        if not sockets:
            raise RuntimeError(f"no socket below {folder}")
        world.run("bob", "stop")
        shutil.rmtree(folder)
        heard = _listen(sockets[0], world.users["eve"], world)
        said = world.say("bob", "share", "accept", link, "--at", world.path("bob"), patience=30)
        text = heard.read_bytes() if heard.exists() else b""
        if b"cairn:share" in text or b"accept" in text:
            raise Believed(f"Eve was sent {text[:200]!r}")
        world.expect(said.status != 0, f"Bob believes her: {said.all[:300]}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _listen(path: Path, user: int, world: World) -> Path:
    """Makes that socket as another user, and records what is sent to it."""
    heard = world.folder / "heard"
    heard.touch()
    os.chown(heard, user, user)
    program = (
        "import os, socket, sys\n"
        "path, heard = sys.argv[1:]\n"
        "os.umask(0)\n"
        "os.makedirs(os.path.dirname(path))\n"
        "one = socket.socket(socket.AF_UNIX); one.bind(path); one.listen(); print(flush=True)\n"
        "one.settimeout(60)\n"
        "while True:\n"
        "    other, _ = one.accept(); other.settimeout(2)\n"
        "    try:\n"
        "        with open(heard, 'ab') as file: file.write(other.recv(65536)); file.flush()\n"
        "    except OSError: pass\n"
        "    other.close()\n"
    )
    process = subprocess.Popen(
        ["/usr/bin/python3", "-c", program, str(path), str(heard)], user=user, group=user,
        extra_groups=[], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )
    world.listeners.append(process)
    if process.stdout is None or process.stdout.readline() != b"\n":
        raise RuntimeError(f"nobody can listen at {path}")
    return heard


@attack(
    "no folder is taken from those it belongs to, whatever the home is called",
    by="another user of the machine",
    promise="They can't read the keys: a file that others may use isn't even opened.",
)
def homes_of_everybody(world: World) -> None:
    """Plays a home in a folder that everybody may write to, under a name like those of Cairn's own
    folders, and keys that others may read."""
    shared = world.folder / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    world.variables["ana"] = {"CAIRN_HOME": str(shared / "cairn-x")}
    world.say("ana", "status")
    world.people("ana")
    world.run("ana", "stop")
    mode = stat.S_IMODE(shared.stat().st_mode)
    world.expect(mode == 0o1777, f"the folder's mode became {mode:o}")
    keys = shared / "cairn-x" / "keys" / "account"
    world.expect(stat.S_IMODE(keys.stat().st_mode) == 0o600, "others can read the keys")
    for path in shared.rglob("*"):
        is_open = stat.S_IMODE(path.lstat().st_mode) & 0o077
        is_below = path.parent != shared
        world.expect(not is_open or is_below, f"{path} is open to others")
    keys.chmod(0o644)
    said = world.say("ana", "start")
    world.expect(said.status != 0, "a daemon starts with keys that others may read")
    keys.chmod(0o600)
    world.run("ana", "start")
