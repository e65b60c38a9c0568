"""Random histories of a zone: valid and invalid commits of all kinds by all kinds of people.

A history is one zone with entries for it, each made for the place behind the last valid entry. A
judge keeps the valid entries and skips the others.
"""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from . import schema
from .fold import judge, take, zone_id
from .hashes import H, box_public
from .log import Opened, check_boxes, open_entry, seal_entry
from .problems import FormatProblem, Invalid, NotYet
from .signers import DeviceKeys
from .state import ZoneState
from .state_digest import state_digest
from .wire import Message

NOW = 1_700_000_000_000_000_000


@dataclass
class Writer:
    """A person of a history, with two devices and two encryption keys."""

    user: bytes
    devices: list[DeviceKeys]
    keys: list[bytes]


class Table:
    """The devices of a history, as its reader knows them."""

    def __init__(self, people: list[Writer]) -> None:
        self.keys = {(who.user, each.id): each.sign_key for who in people for each in who.devices}

    def sign_key(self, user: bytes, device: bytes, chain: Message | None) -> bytes:
        if (user, device) not in self.keys:
            raise NotYet("a device that nobody knows")
        return self.keys[(user, device)]


@dataclass
class Tried:
    """An entry that was tried, and the verdict on it."""

    stored: bytes
    next_key: bytes | None
    applied: bool
    why: str
    kind: str
    digest: bytes  # of the state after it


@dataclass
class History:
    """A zone, and the entries that were tried on it."""

    state: ZoneState
    keys: dict[int, bytes]
    people: list[Writer]
    dice: random.Random
    nonce: bytes
    tried: list[Tried] = field(default_factory=list)
    links: list[bytes] = field(default_factory=list)  # secrets of links
    _digest: bytes = b""

    @staticmethod
    def new(dice: random.Random, count: int, is_public: bool) -> "History":
        people = [_writer(dice) for _ in range(count)]
        nonce = dice.randbytes(16)
        zone = dice.randbytes(32) if is_public else zone_id(people[0].user, nonce)
        state = ZoneState(zone, is_public)
        state.header.is_public = is_public
        return History(state, {1: dice.randbytes(32)}, people, dice, nonce)

    def key(self, epoch: int) -> bytes:
        """The key of an epoch, which is derived from the history's first key."""
        return self.keys.setdefault(epoch, H("test epoch key", self.keys[1], bytes([epoch % 256])))

    def try_entry(self, stored: bytes, next_key: bytes | None, kind: str) -> Tried:
        """Judges an entry as Tests/Format does, and keeps it if it is valid."""
        state, why = self.state, ""
        try:
            opened = open_entry(
                stored, state.zone, state.sequence + 1, self.keys, Table(self.people),
                state.is_public,
            )
            self._judge(opened, next_key)
            take(state, opened.commit, opened.epoch, opened.digest)
        except FormatProblem as problem:
            why = f"{type(problem).__name__}: {problem}"
        if not why:
            self._digest = state_digest(state)
        tried = Tried(stored, next_key, not why, why, kind, self._digest)
        self.tried.append(tried)
        return tried

    def _judge(self, opened: Opened, next_key: bytes | None) -> None:
        header = judge(self.state, opened.commit, opened.epoch)
        if opened.commit.next_key:
            if next_key is None:
                raise Invalid("who is in the state after it finds no box")
            check_boxes(opened, self.state.zone, header.recipients(), next_key)

    def seal(
        self, commit: Message, author: Writer, device: DeviceKeys, boxes: list[bytes],
        body: bytes | None = None, epoch: int | None = None,
    ) -> bytes:
        """Returns an entry for the place behind the last valid one."""
        epoch = epoch or self.state.header.epoch
        return seal_entry(
            schema.encode(commit) if body is None else body, self.state.zone,
            self.state.sequence + 1, epoch, self.key(epoch), boxes, device.seed,
            self.dice.randbytes(24),
        )

    def as_json(self) -> dict[str, Any]:
        """Returns one line of the input for the other judge."""
        devices = Table(self.people).keys
        return {
            "zone": self.state.zone.hex(),
            "isPublic": self.state.is_public,
            "keys": [self.keys[epoch].hex() for epoch in range(1, self.state.header.epoch + 1)],
            "devices": [
                {"user": user.hex(), "device": device.hex(), "signKey": key.hex()}
                for (user, device), key in devices.items()
            ],
            "entries": [
                {
                    "bytes": each.stored.hex(),
                    "nextKey": each.next_key.hex() if each.next_key else None,
                    "applied": each.applied,
                    "why": each.why,
                    "kind": each.kind,
                    "digest": each.digest.hex() if each.applied else "",
                }
                for each in self.tried
            ],
            "state": self.state.as_json(state_digest(self.state)),
        }


def _writer(dice: random.Random) -> Writer:
    devices = [DeviceKeys(dice.randbytes(32), dice.randbytes(32)) for _ in range(2)]
    return Writer(dice.randbytes(32), devices, [box_public(dice.randbytes(32)) for _ in range(2)])


def write(path: str, histories: Iterator[History]) -> dict[str, int]:
    """Writes histories, one on a line. Returns the number of tried entries by kind."""
    counts = {"histories": 0, "commits": 0, "applied": 0}
    with open(path, "w", encoding="utf-8") as out:
        for history in histories:
            out.write(json.dumps(history.as_json(), ensure_ascii=False) + "\n")
            counts["histories"] += 1
            counts["commits"] += len(history.tried)
            counts["applied"] += sum(each.applied for each in history.tried)
    return counts
