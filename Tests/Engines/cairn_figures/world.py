"""The base of all figures: Ceph, a line, two people. Each is made when it is first used."""

import argparse
import contextlib
import subprocess
import tempfile
from collections.abc import Callable
from functools import cached_property
from pathlib import Path

from .ceph import PORT, Ceph
from .line import Line
from .people import Pair, Person
from .s3 import Bucket, Key


class World:
    """A folder, a line between the cloud and two people, and the processes started on them."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.binaries, self._keep = arguments.binaries.resolve(), arguments.keep
        self.samples, self.files, self.folders = (
            arguments.samples, arguments.files, arguments.folders
        )
        self._ends = contextlib.ExitStack()
        self.folder = Path(tempfile.mkdtemp(prefix="cairn-figures."))
        self.line = Line(3)
        self.cloud, self.ana, self.bob = self.line.namespaces
        self._ends.callback(self.line.end)
        self._pairs = 0
        # The configuration of Ceph's gateway. It is set before the gateway is first used.
        self.gateway = ""

    @cached_property
    def ceph(self) -> Ceph:
        ceph = Ceph(self.folder, self.cloud, self.gateway)
        self._ends.callback(ceph.end)
        return ceph

    @cached_property
    def key(self) -> Key:
        return self.ceph.user("ana")

    @property
    def url(self) -> str:
        return f"http://{self.cloud.address}:{PORT}"

    def bucket(self, name: str, make: bool = False, at_home: bool = False) -> Bucket:
        """Opens a connection to a bucket, from Ana's machine or from the gateway's own."""
        key = self.key
        with (self.cloud if at_home else self.ana).inside():
            bucket = Bucket(self.cloud.address, PORT, name, key)
        if make:
            bucket.make()
        return bucket

    def pair(self, *containers: str, key: Key | None = None, at_home: bool = False) -> Pair:
        """Makes two new people in a container, each on a machine of their own or both on the
        cloud's."""
        self._pairs += 1
        places = [self.cloud] * 2 if at_home else [self.ana, self.bob]
        people = [
            Person(name, self.binaries / "cairn", self.folder / f"{name}-{self._pairs}", place)
            for name, place in zip(("ana", "bob"), places, strict=True)
        ]
        pair = Pair(*people)
        self._ends.callback(pair.end)
        for each, where in zip(people, containers * 2, strict=False):
            each.begin(where, key)
        pair.share()
        return pair

    def on_end(self, what: Callable[[], object]) -> None:
        self._ends.callback(what)

    def end(self) -> None:
        self._ends.close()
        if self._keep:
            print(f"kept: {self.folder}")
        else:
            # Don't remove files in mounted file systems.
            remove = ["rm", "-rf", "--one-file-system", self.folder]
            subprocess.run(remove, check=False)
