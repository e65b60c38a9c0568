"""A tree of small files that Ana puts into a bucket and Bob gets out of it, and the times of other
programs.

All run on the gateway's own machine, so that no router takes a core from them.
"""

import os
import random
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from .people import await_that
from .s3 import Bucket
from .table import Row
from .world import World

LANES = 16


def figures(world: World) -> Iterator[Row | str]:
    tree = world.folder / "tree"
    size = make(tree, world.files)
    yield f"  a tree of {world.files} files in {size / 1e6:.0f} MB that can't be compressed"
    world.bucket("tree", make=True, at_home=True).end()
    pair = world.pair(f"s3:{world.url}/tree/team", key=world.key, at_home=True)
    bucket = world.bucket("tree", at_home=True)
    before = bucket.sizes()
    os.rename(tree, pair.ana.folder / "tree")
    began = time.monotonic()
    target = pair.bob.folder / "tree"
    await_that(lambda: count(target) == world.files, "the tree", pause=0.1)
    cairn = time.monotonic() - began
    pair.settle()
    pair.end()
    tree = pair.ana.folder / "tree"
    check(tree, target)
    packs = [size for name, size in bucket.sizes().items() if name not in before]
    bare = bare_client(world, packs)
    yield Row(
        f"tree, RGW: {sum(packs) / 1e6:.0f} MB in {len(packs)} objects", "s", [cairn], [bare],
        1.3 * bare, "1.3 x the same objects, bare, parallel")
    sizes = [each.stat().st_size for each in files(tree)]
    yield Row("tree, RGW: an object a file, bare", "s", [bare_client(world, sizes)])
    others = {"rclone": with_rclone, "restic": with_restic}
    for name, play in others.items():
        if shutil.which(name) is None:
            yield f"  left out: there is no {name}"
            continue
        out = world.folder / f"out-{name}"
        world.bucket(name, make=True, at_home=True).end()
        taken = play(world, tree, out)
        yield Row(f"tree, RGW: Cairn against {name}", "s", [cairn], [taken], taken, f"{name}'s")


def make(tree: Path, number: int) -> int:
    """Makes files of 1 to 20 KiB, about fifty to a folder. Returns their number of bytes."""
    chance, total = random.Random(1), 0
    for each in range(number):
        folder = tree / f"{each // 500}" / f"{each // 50}"
        folder.mkdir(parents=True, exist_ok=True)
        content = chance.randbytes(chance.randint(1_024, 20_480))
        (folder / f"file-{each}").write_bytes(content)
        total += len(content)
    return total


def files(folder: Path) -> Iterator[Path]:
    for at, _, names in os.walk(folder):
        for name in names:
            if name.startswith("file-"):
                yield Path(at, name)


def count(folder: Path) -> int:
    return sum(1 for _ in files(folder))


def check(one: Path, other: Path) -> None:
    subprocess.run(["diff", "-r", "-q", one, other], check=True)


def bare_client(world: World, sizes: list[int]) -> float:
    """Returns the time in which parallel connections put and then get that many bytes, with the
    better number of connections."""
    return min(play_bare(world, sizes, lanes) for lanes in (LANES, LANES // 4))


def play_bare(world: World, sizes: list[int], lanes: int) -> float:
    bytes_of = random.Random(2).randbytes(max(sizes))
    names = list(enumerate(sizes))
    name = f"bare-{len(sizes)}-{lanes}"
    world.bucket(name, make=True, at_home=True).end()
    buckets = [world.bucket(name, at_home=True) for _ in range(lanes)]
    began = time.monotonic()
    run_lanes(buckets, names, lambda b, n, size: b.put(str(n), bytes_of[:size]))
    run_lanes(buckets, names, lambda b, n, size: expect(len(b.get(str(n))) == size))
    took = time.monotonic() - began
    for bucket in buckets:
        bucket.end()
    return took


def expect(holds: bool) -> None:
    if not holds:
        raise RuntimeError("what came isn't what was put")


def run_lanes(
    buckets: list[Bucket], work: list[tuple[int, int]], do: Callable[[Bucket, int, int], None]
) -> None:
    left, problems = iter(work), []
    guard = threading.Lock()

    def lane(bucket: Bucket) -> None:
        while True:
            with guard:
                piece = next(left, None)
            if piece is None:
                return
            try:
                do(bucket, *piece)
            except (OSError, RuntimeError) as problem:
                problems.append(problem)
                return

    threads = [threading.Thread(target=lane, args=[bucket]) for bucket in buckets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if problems:
        raise problems[0]


def with_rclone(world: World, tree: Path, out: Path) -> float:
    there = f":s3,provider=Ceph,endpoint='{world.url}',env_auth=true:rclone/tree"
    common = ["rclone", "--config", "/dev/null", "--transfers", str(LANES), "copy"]
    took = timed(world, [*common, str(tree), there]) + timed(world, [*common, there, str(out)])
    check(tree, out)
    return took


def with_restic(world: World, tree: Path, out: Path) -> float:
    run = ["restic", "--repo", f"s3:{world.url}/restic", "--quiet", "--no-cache"]
    timed(world, [*run, "init"])
    took = timed(world, [*run, "backup", str(tree)])
    took += timed(world, [*run, "restore", "latest", "--target", str(out)])
    check(tree, out / tree.relative_to("/"))
    return took


def timed(world: World, command: list[str]) -> float:
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(world.folder), "RESTIC_PASSWORD": "figures",
        "AWS_ACCESS_KEY_ID": world.key.id, "AWS_SECRET_ACCESS_KEY": world.key.secret,
    }
    began = time.monotonic()
    subprocess.run(
        world.cloud.enter(*command), env=environment, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - began
