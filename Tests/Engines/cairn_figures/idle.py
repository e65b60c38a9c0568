"""The requests to a bucket by two people with many folders while nobody does anything."""

import time
from collections.abc import Iterator

from .ceph import kinds
from .drops import drops
from .table import Row
from .world import World

MINUTES = 3


def figures(world: World) -> Iterator[Row | str]:
    world.bucket("idle", make=True, at_home=True).end()
    pair = world.pair(f"s3:{world.url}/idle/team", key=world.key)
    began = time.monotonic()
    for number in range(world.folders):
        folder = pair.ana.home / f"folder-{number}"
        folder.mkdir()
        (folder / "file").write_bytes(b"%d" % number)
        pair.ana.run("share", "create", str(folder))
        # One in ten is Bob's, too, because a person's account grows slowly.
        if number % max(1, world.folders // 10) == 0:
            link = pair.ana.run(
                "share", "invite", str(folder), "bob", "--permission", "read-write")
            pair.bob.run(
                "share", "accept", link, "--at", str(pair.bob.home / f"folder-{number}"), "--wait")
    took = time.monotonic() - began
    yield f"  {world.folders} folders of Ana's, ten of them Bob's: made in {took:.0f} s"
    drops(pair, 10, "before", (0.3, 0.7))
    before = len(world.ceph.requests())
    for minute in range(MINUTES):
        time.sleep(60)
        asked = kinds(world.ceph.requests()[before:])
        before += asked.total()
        yield Row(
            f"asked by both in minute {minute + 1} of quiet", "requests", [float(asked.total())])
        yield "  " + ", ".join(f"{number} {kind}" for kind, number in sorted(asked.items()))
    pair.end()
