"""A drop of 4 KiB through Ceph's gateway: at once, on a line of 50 ms, and without push
messages."""

from collections.abc import Iterator
from statistics import median

from .ceph import kinds
from .drops import COLD, bare, drops, look_for_listeners
from .line import Quality
from .table import Row
from .world import World

ROUND_TRIP = 0.050


def without_nagle(world: World) -> Iterator[Row | str]:
    """Repeats the measurement with a gateway that sends each piece of an answer at once. By default
    it doesn't: the last piece waits until the piece before it is acknowledged."""
    world.gateway = "tcp_nodelay=1"
    yield from figures(world)


def figures(world: World) -> Iterator[Row | str]:
    world.bucket("drops", make=True).end()
    pair = world.pair(f"s3:{world.url}/drops/team", key=world.key)
    count = world.samples
    pair.listen(True)
    look_for_listeners(pair)
    # At most one push message is sent per second.
    slow, quick = (1.1, 1.5), (0.3, 0.7)
    before = len(world.ceph.requests())
    near = drops(pair, count, "near", slow)
    asked = kinds(world.ceph.requests()[before:])
    near_bare = bare(lambda: world.bucket("drops"), count)
    yield Row(
        "drop, RGW, no delay, wake-ups", "ms", near, near_bare, 1.5 * median(near_bare),
        "1.5 x PUT + GET")
    yield "  asked for each: " + ", ".join(
        f"{number / (count + COLD):.1f} {kind}" for kind, number in sorted(asked.items()))
    world.line.set(Quality(delay=ROUND_TRIP / 2))
    far = drops(pair, count, "far", slow)
    far_bare = bare(lambda: world.bucket("drops"), count)
    yield Row(
        "drop, RGW, 50 ms, wake-ups", "ms", far, far_bare, median(near) + 3 * ROUND_TRIP * 1_000,
        "3 round trips + without delay")
    pair.listen(False)
    asking = drops(pair, count, "asking", quick)
    yield Row(
        "drop, RGW, 50 ms, none, in traffic", "ms", asking, far_bare, median(far) + 500,
        "500 ms more than with wake-ups")
    world.line.set(Quality())
    asking = drops(pair, count, "asking-near", quick)
    yield Row("drop, RGW, no delay, none, in traffic", "ms", asking, near_bare)
    pair.end()
