"""Network namespaces with a router between them, in user space: a line as long as needed.

The kernel's own means to delay packets (netem) is a module that few test machines have. Here each
namespace has a TUN device. A process of its own reads from all of them, and writes each packet
later to the device that its address belongs to: after the delay, and when the packets before it are
gone at the given rate. A lost packet is never written. The router knows nothing of TCP or UDP.
"""

import contextlib
import ctypes
import fcntl
import heapq
import json
import os
import random
import select
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

TUNSETIFF, IFF_TUN, IFF_NO_PI, CLONE_NEWNET = 0x400454CA, 0x1, 0x1000, 0x40000000
NET = "10.77"


@dataclass
class Quality:
    """The treatment of a packet on its way from one device to another."""

    delay: float = 0  # seconds, one way
    loss: float = 0  # the share of lost packets
    rate: float = 0  # bytes a second into each device; 0: unlimited


class Namespace:
    """A network namespace, held by a process that sleeps in it."""

    def __init__(self, number: int) -> None:
        self.address = f"{NET}.{number}.1"
        self._holder = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
        own = os.readlink("/proc/self/ns/net")
        while os.readlink(self.path) == own:
            time.sleep(0.01)
        self.run("ip", "link", "set", "lo", "up")

    @property
    def path(self) -> str:
        return f"/proc/{self._holder.pid}/ns/net"

    def enter(self, *command: str) -> list[str]:
        """Returns the command that runs this command in the namespace."""
        return ["nsenter", f"--net={self.path}", "--", *command]

    def run(self, *command: str) -> None:
        subprocess.run(self.enter(*command), check=True)

    @contextlib.contextmanager
    def inside(self) -> Iterator[None]:
        """Moves this thread into the namespace for a while. Open files stay open."""
        with open("/proc/self/ns/net", "rb") as before:
            with open(self.path, "rb") as there:
                set_namespace(there.fileno())
            try:
                yield
            finally:
                set_namespace(before.fileno())

    def end(self) -> None:
        self._holder.kill()
        self._holder.wait()


class Line:
    """Namespaces that reach each other at 10.77.N.1, with N as the position in the list."""

    def __init__(self, count: int) -> None:
        self.namespaces = [Namespace(number) for number in range(count)]
        tuns = [open_tun(each) for each in self.namespaces]
        devices = {each.address: tun for each, tun in zip(self.namespaces, tuns, strict=True)}
        self._router = subprocess.Popen(
            [sys.executable, "-B", __file__, json.dumps(devices)],
            stdin=subprocess.PIPE, text=True, pass_fds=tuns,
        )
        for tun in tuns:
            os.close(tun)

    def set(self, quality: Quality) -> None:
        """Changes the quality of the line from now on."""
        assert self._router.stdin is not None
        self._router.stdin.write(json.dumps(vars(quality)) + "\n")
        self._router.stdin.flush()
        time.sleep(0.1)

    def end(self) -> None:
        assert self._router.stdin is not None
        self._router.stdin.close()
        self._router.wait()
        for each in self.namespaces:
            each.end()


def set_namespace(file: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(file, CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


def open_tun(namespace: Namespace) -> int:
    with namespace.inside():
        tun = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH14x", b"line", IFF_TUN | IFF_NO_PI))
    namespace.run("ip", "address", "add", f"{namespace.address}/16", "dev", "line")
    namespace.run("ip", "link", "set", "line", "up", "txqueuelen", "5000")
    return tun


def route(devices: dict[str, int]) -> None:
    """Forwards packets until its input ends. Each line of the input is a `Quality`."""
    tuns = {bytes(int(part) for part in each.split(".")): tun for each, tun in devices.items()}
    free = dict.fromkeys(tuns.values(), 0.0)
    quality, chance, number = Quality(), random.Random(1), 0
    waiting: list[tuple[float, int, int, bytes]] = []
    while True:
        patience = max(0.0, waiting[0][0] - time.monotonic()) if waiting else None
        for ready in select.select([sys.stdin.fileno(), *tuns.values()], [], [], patience)[0]:
            if ready == sys.stdin.fileno():
                # One line arrives at a time, and is read in one piece.
                text = os.read(ready, 4096)
                if not text:
                    return
                quality = Quality(**json.loads(text))
                continue
            for packet in packets(ready):
                to = tuns.get(packet[16:20])
                if packet[0] >> 4 != 4 or to is None or chance.random() < quality.loss:
                    continue
                due = time.monotonic() + quality.delay
                if quality.rate:
                    free[to] = max(free[to], time.monotonic()) + len(packet) / quality.rate
                    due = free[to] + quality.delay
                number += 1
                heapq.heappush(waiting, (due, number, to, packet))
        while waiting and waiting[0][0] <= time.monotonic():
            _, _, to, packet = heapq.heappop(waiting)
            # A packet that a device doesn't accept is lost, as on any line.
            with contextlib.suppress(OSError):
                os.write(to, packet)


def packets(tun: int) -> Iterator[bytes]:
    for _ in range(64):
        try:
            yield os.read(tun, 65536)
        except BlockingIOError:
            return


if __name__ == "__main__":
    route(json.loads(sys.argv[1]))
