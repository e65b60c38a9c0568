"""Attacks on open ports and change notifications: the console's port, push messages, change
markers."""

import http.client
import json
import os
import random
import re
import socket
import subprocess
import urllib.parse
from pathlib import Path

from .attack import attack
from .intruder import put_by_hand, put_sparse
from .world import Believed, World

FIRST = 60_200  # ids that no user of the machine has


def configure(world: World, who: str, **sections: dict[str, str]) -> None:
    """Writes into somebody's cairn.conf, and restarts their daemon."""
    path = world.folder / who / "home" / "cairn.conf"
    world.run(who, "stop")
    text = path.read_text()
    for section, settings in sections.items():
        for name, value in settings.items():
            line = f"{name} = {value}"
            text, count = re.subn(rf"(?m)^{name} = .*$", line, text)
            if not count and f"[{section}]" in text:
                text = text.replace(f"[{section}]", f"[{section}]\n{line}")
            elif not count:
                text += f"\n[{section}]\n{line}\n"
    path.write_text(text)
    world.run(who, "start")
    world.note_daemons(who)


# --- the console


class Port:
    """The port of Ana's console, as anybody on the machine can reach it."""

    def __init__(self, url: str) -> None:
        parsed = urllib.parse.urlparse(url)
        self.secret = parsed.fragment
        self.host = parsed.netloc
        self.number = parsed.port or 0

    def ask(self, path: str, body: object = None, **headers: str | None) -> tuple[int, str]:
        """Sends one request, with the page's own Host and Origin unless the headers name others."""
        own: dict[str, str | None] = {"Host": self.host, "Origin": f"http://{self.host}"}
        own.update({name.replace("_", "-"): value for name, value in headers.items()})
        connection = http.client.HTTPConnection("127.0.0.1", self.number, timeout=30)
        try:
            connection.putrequest("POST", path, skip_host=True, skip_accept_encoding=True)
            data = json.dumps({} if body is None else body).encode()
            for name, value in own.items():
                if value is not None:
                    connection.putheader(name, value)
            connection.putheader("Content-Length", str(len(data)))
            connection.endheaders(data)
            answer = connection.getresponse()
            return answer.status, answer.read().decode("utf-8", "replace")
        except (OSError, http.client.HTTPException) as closed:
            return 0, str(closed)
        finally:
            connection.close()


@attack(
    "another page, another program and another user get nothing out of the console's port",
    by="another page in the person's browser, and another user of the machine",
    promise="Without the secret of its address, they get only the page's own files, which "
    "contain no personal data.",
    lifts=True,
    root=True,
)
def console_port(world: World) -> None:
    """Plays requests of other origins and for other hosts, without a token, and with guessed
    tokens, then garbage, then three hundred silent connections. Looks for the secret in everything
    that another user can read: arguments of programs, files of the home and of /tmp. The person's
    own work goes on meanwhile, and the secret is valid once."""
    world.sharing(bob="read-write")
    port = Port(world.ask("ana", "console", "--no-open")["url"])
    if world.is_lifted:
        token = re.search(r'"token":"(\w+)"', port.ask("/enter", {"secret": port.secret})[1])
        name = token[1] if token else ""
        status, said = port.ask("/v1/status", Authorization=f"Bearer {name}")
        if status == 200 and "Trip" in said:
            raise Believed(f"whoever has the secret reads {said[:80]!r}")
    strange: list[dict[str, str | None]] = [
        {"Origin": "http://evil.example"}, {"Origin": "null"}, {"Origin": None},
        {"Host": "evil.example", "Origin": "http://evil.example"},
        {"Host": f"localhost.evil.example:{port.number}"}, {"Host": None},
    ]
    for headers in strange:
        status, said = port.ask("/enter", {"secret": port.secret}, **headers)
        world.expect(status != 200 and "token" not in said, f"{headers}: {status} {said[:200]}")
    for path in ("/v1/status", "/v1/list", "/v1/readContent", "/v1/events", "/metrics", "/../x"):
        guesses = ("", "Bearer", f"Bearer {'0' * 64}", f"Bearer {port.secret}", "Basic eDp5")
        for token in (None, *guesses):
            status, said = port.ask(path, Authorization=token)
            world.expect(status in (0, 400, 401, 403, 404, 421), f"{path} {token}: {status}")
            world.expect("Trip" not in said and "before" not in said, f"{path}: {said[:200]}")
    dice = random.Random(1)
    quiet = []
    for number in range(300):
        one = socket.socket()
        one.settimeout(5)
        try:
            one.connect(("127.0.0.1", port.number))
            if number % 3:
                half = b"POST /v1/status HTTP/1.1\r\nX: "
                one.sendall(dice.randbytes(200) if number % 2 else half)
        except OSError:
            pass
        quiet.append(one)
    readable = subprocess.run(
        ["/bin/sh", "-c",
         "cat /proc/[0-9]*/cmdline 2>/dev/null; "
         "find /tmp /run /dev/shm -type f -size -64k -exec cat {} + 2>/dev/null | "
         "head -c 50000000; "
         f"cat -r '{world.folder}/ana/home' 2>/dev/null"],
        user=FIRST, group=FIRST, extra_groups=[], capture_output=True, check=False, timeout=60,
    ).stdout
    if port.secret.encode() in readable:
        raise Believed("another user of the machine reads the secret")
    world.flows("ana", "bob")
    for one in quiet:
        one.close()
    status, said = port.ask("/enter", {"secret": port.secret})
    world.expect(status == 200 and "token" in said, f"its person gets in: {status} {said[:200]}")
    status, said = port.ask("/enter", {"secret": port.secret})
    world.expect(status == 403 and "token" not in said, f"a second page: {status} {said[:200]}")
    world.flows("ana", "bob")
    world.in_order("ana", "bob")


# --- wake-ups


@attack(
    "garbage at a port for wake-ups, and in their folder, wakes nobody and stops nobody",
    by="anybody who reaches the port, and a stranger in the container",
    promise="A stranger's datagram costs a look-up in a table, and no key or memory, and has no "
    "effect.",
)
def garbage_for_wakes(world: World) -> None:
    """Sends twenty thousand datagrams of all sizes, some as long as a valid one, and replays valid
    ones. Puts strangers' objects in the place where devices publish their addresses, and under the
    devices' names."""
    ports = {}
    for who in ("ana", "bob"):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
            one.bind(("127.0.0.1", 0))
            ports[who] = one.getsockname()[1]
    world.sharing(bob="read-write")
    for who, port in ports.items():
        configure(world, who, wake={"listen": f'"127.0.0.1:{port}"'})
    cloud = Path(world.container)
    world.eventually("both tell where they listen", lambda: len(list(cloud.glob("wakes/*"))) >= 2)
    world.flows("ana", "bob")
    dice = random.Random(1)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        for number in range(20_000):
            size = 128 if number % 2 else dice.choice((0, 1, 127, 129, 1_400, 60_000))
            one.sendto(dice.randbytes(size), ("127.0.0.1", ports["ana" if number % 3 else "bob"]))
    owners = {each.name.split("-")[0] for each in cloud.glob("wakes/*")}
    for number in range(1_500):
        put_by_hand(world, f"wakes/{dice.randbytes(16).hex()}-{number:016x}", dice.randbytes(224))
    for owner in owners:
        for last in ("f" * 16, "7" + "f" * 15, "0" * 16):
            put_by_hand(world, f"wakes/{owner}-{last}", dice.randbytes(224))
    put_sparse(world, f"wakes/{'a' * 32}-{'1' * 16}", 1 << 40)
    os.mkfifo(cloud / "wakes" / f"{'b' * 32}-{'1' * 16}")
    (cloud / "wakes" / f"{'c' * 32}-{'1' * 16}").mkdir()
    (cloud / "wakes" / f"{'d' * 32}-{'1' * 16}").symlink_to("/dev/zero")
    world.flows("ana", "bob")
    for who in ("ana", "bob"):
        world.restart(who)
    world.flows("ana", "bob")
    world.in_order("ana", "bob")


# --- bells


@attack(
    "forged bells, and a flood of them, cost nobody more than time",
    by="a stranger",
    promise="They can't make a program read without end, or fill its memory.",
)
def flood_of_bells(world: World) -> None:
    """Floods a container that has to be polled with strangers' change markers, more than a reader
    accepts. They have the names of valid markers with the highest numbers, without end, and some
    are no files. Valid markers are removed. Everybody learns about every change all the same,
    later."""
    world.sharing(bob="read-write")
    for who in ("ana", "bob"):
        configure(world, who, container={"notifies": "false", "poll-seconds": "2"})
    world.flows("ana", "bob", patience=120)
    cloud, dice = Path(world.container), random.Random(1)
    for bell in cloud.glob("bells/*"):
        owner = bell.name.split("-")[0]
        tags = "".join(dice.randbytes(6).hex() for _ in range(16))
        for last in ("f" * 16, "7" + "f" * 15):
            put_by_hand(world, f"bells/{owner}-{last}-{tags}", dice.randbytes(8_000))
        bell.unlink(missing_ok=True)
    for number in range(2_500):
        tags = "".join(dice.randbytes(6).hex() for _ in range(number % 17))
        name = f"{dice.randbytes(16).hex()}-{number:016x}" + (f"-{tags}" if tags else "")
        put_by_hand(world, f"bells/{name}", dice.randbytes(8))
    put_sparse(world, f"bells/{'0' * 32}-{'1' * 16}-{dice.randbytes(96).hex()}", 1 << 40)
    fifo = cloud / "bells" / f"{'0' * 32}-{'2' * 16}-{dice.randbytes(96).hex()}"
    os.mkfifo(fifo)
    world.flows("ana", "bob", patience=120)
    for who in ("ana", "bob"):
        world.restart(who)
    world.flows("ana", "bob", patience=120)
    for rubbish in cloud.glob("bells/*"):
        rubbish.unlink(missing_ok=True)
    world.flows("ana", "bob", patience=120)
    world.in_order("ana", "bob")
