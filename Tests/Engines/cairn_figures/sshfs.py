"""A drop of 4 KiB through a directory on sshfs: two machines mount the directory of a third one.

Each connection has an `sftp-server`, without ssh around it, because only the file system is
measured.
"""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from .drops import drops, look_for_listeners
from .line import Namespace
from .people import await_that
from .table import Row
from .world import World

PORT = 17481
SERVER = "/usr/lib/openssh/sftp-server"
# Each connection has a process that reads and writes it.
LISTENER = """
import socket, subprocess, sys
listener = socket.create_server(("0.0.0.0", int(sys.argv[1])), backlog=16)
running = []
while True:
    connection, _ = listener.accept()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    running.append(subprocess.Popen(sys.argv[2:], stdin=connection, stdout=connection))
    connection.close()
"""


def figures(world: World) -> Iterator[Row | str]:
    if not os.path.exists(SERVER) or shutil.which("sshfs") is None:
        yield "  left out: there is no sshfs, or no sftp-server (openssh-sftp-server)"
        return
    listener = subprocess.Popen(
        world.cloud.enter(sys.executable, "-c", LISTENER, str(PORT), SERVER))
    world.on_end(listener.wait)
    world.on_end(listener.kill)
    for number, options in enumerate((["-o", "dir_cache=no"], [])):
        words = "default options" if not options else "dir_cache=no"
        shared = world.folder / f"shared-{number}"
        shared.mkdir()
        places = [
            mount(world, who, shared, world.folder / f"mounted-{number}-{name}", options)
            for name, who in (("ana", world.ana), ("bob", world.bob))
        ]
        pair = world.pair(*map(str, places))
        near_bare = bare(*places, world.samples)
        pair.listen(True)
        look_for_listeners(pair)
        found = drops(pair, world.samples, "woken", (1.1, 1.5))
        yield Row(
            f"drop, sshfs, {words}, wake-ups", "ms", found, near_bare, 20, "20 ms; bare: PUT, GET")
        pair.listen(False)
        # With the cache the first drop takes as long as sshfs trusts a list of names: 20 s.
        found = drops(pair, world.samples, "asking", (0.3, 0.7), cold=1)
        yield Row(
            f"drop, sshfs, {words}, none, in traffic", "ms", found, near_bare, 300, "300 ms")
        pair.end()
        for place in places:
            subprocess.run(["umount", place], check=True)


def mount(
    world: World, who: Namespace, shared: Path, at: Path, options: list[str]
) -> Path:
    at.mkdir()
    source = f"{world.cloud.address}:{shared}"

    def tried() -> bool:
        command = who.enter("sshfs", "-o", f"directport={PORT}", *options, source, str(at))
        return subprocess.run(command, check=False, stderr=subprocess.DEVNULL).returncode == 0

    await_that(tried, "sshfs", pause=0.2)
    leave = ["umount", "-l", str(at)]
    world.on_end(lambda: subprocess.run(leave, check=False, stderr=subprocess.DEVNULL))
    return at


def bare(one: Path, other: Path, count: int) -> list[float]:
    """Writes the same bytes on one mount under a new name, durably, and reads them on the other."""
    content, found = os.urandom(4_096), []
    for mounted in (one, other):
        (mounted / "bare").mkdir(exist_ok=True)
    for number in range(-3, count):
        time.sleep(0.05)
        began = time.monotonic()
        name = f"bare/{number}"
        with open(one / f"{name}.new", "wb", buffering=0) as file:
            file.write(content)
            os.fsync(file.fileno())
        os.rename(one / f"{name}.new", one / name)
        assert (other / name).read_bytes() == content
        if number >= 0:
            found.append((time.monotonic() - began) * 1_000)
    return found
