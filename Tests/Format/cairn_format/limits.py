"""Histories that reach the limits of a share, which random ones wouldn't reach."""

import random
from collections.abc import Iterator
from typing import Any

from . import schema
from .histories import NOW, History, Tried, Writer
from .invitations import LinkSecret
from .wire import Message


def limits(seed: int) -> Iterator[History]:
    """Plays 100 participants, 200 links, 1000 blocked people, 4096 changes, a title of 1024 bytes,
    64 checkpoints, 65536 values, and a state of more than one part."""
    for number, play in enumerate((_people, _past, _large)):
        history = History.new(random.Random(f"limits {seed} {number}"), 3, False)
        play(_Script(history))
        yield history


def _people(script: "_Script") -> None:
    script.people_and_links()
    script.links_for_anyone()
    script.blocked()
    script.titles()


def _past(script: "_Script") -> None:
    script.checkpoints()
    script.values()


def _large(script: "_Script") -> None:
    script.large()


def change(**what: Any) -> Message:
    """A change of the share."""
    return schema.make("ShareChange", **what)


class _Script:
    def __init__(self, history: History) -> None:
        self._history = history
        self._dice = history.dice
        self._owner: Writer = history.people[0]
        genesis = schema.make(
            "Genesis", owner=self._owner.user, name="Trip", nonce=history.nonce
        )
        own = [schema.make("MemberKey", user=self._owner.user, key=self._owner.keys[0])]
        self._commit(genesis=genesis, keys=own, share=[change(title="Trip")])

    def _commit(self, **parts: Any) -> Tried:
        state = self._history.state
        commit = schema.make(
            "Commit",
            previous=state.head,
            user=self._owner.user,
            device=self._owner.devices[0].id,
            time=NOW,
            chain=schema.make("ChainHead", length=1, head=bytes(32)),
            **parts,
        )
        stored = self._history.seal(commit, self._owner, self._owner.devices[0], [])
        return self._history.try_entry(stored, None, "limits")

    def _invite(self, count: int) -> list[bytes]:
        users = sorted(self._dice.randbytes(32) for _ in range(count))
        invited = [
            change(invite=schema.make("ShareInvitation", user=user, permission=3))
            for user in users
        ]
        keys = [schema.make("MemberKey", user=user, key=user) for user in users]
        self._commit(share=invited, keys=keys)
        return users

    def _link(self, one_time: bool) -> Message:
        link = LinkSecret(self._dice.randbytes(32))
        made = schema.make(
            "ShareLink", id=link.id, box_key=link.box_key, one_time=one_time, permission=2
        )
        return change(link=made)

    def people_and_links(self) -> None:
        """No more than 100 participants and unclaimed links for one person."""
        self._invite(101)
        users = self._invite(99)
        self._commit(share=[self._link(True), self._link(True)])
        self._commit(share=[self._link(True)])
        self._invite(1)
        given = schema.make("ShareInvitation", user=users[0], permission=2)
        self._commit(share=[change(invite=given)])
        self._commit(share=[change(remove=users[0])])
        self._invite(1)

    def links_for_anyone(self) -> None:
        """The share has less than 200 links."""
        self._commit(share=[change(public_permission=2)])
        self._commit(share=[self._link(False) for _ in range(201)])
        self._commit(share=[self._link(False) for _ in range(200)])
        self._commit(share=[self._link(False)])

    def blocked(self) -> None:
        """At most 1000 people are blocked, and a commit has at most 4096 changes."""
        self._commit(share=[change(block=self._dice.randbytes(32)) for _ in range(1001)])
        self._commit(share=[change(block=self._dice.randbytes(32)) for _ in range(1000)])
        self._commit(share=[change(block=self._dice.randbytes(32))])
        self._commit(share=[change(title="x")] * 4097)
        self._commit(share=[change(title="y")] * 4096)

    def titles(self) -> None:
        """A title has 1 to 1024 bytes."""
        for title in ("x" * 1024, "x" * 1025, "\u00fc" * 512, "\u00fc" * 512 + "x", ""):
            self._commit(share=[change(title=title)])

    # --- the parts that the zone keeps

    def _floor(self, checkpoint: int, forgotten: int = 0) -> Message:
        digest = self._history.state.checkpoint_digests.get(checkpoint, bytes(32))
        return change(
            floor=schema.make(
                "Floor", checkpoint=checkpoint, digest=digest, forgotten=forgotten,
                past=bytes(32),
            )
        )

    def checkpoints(self) -> None:
        """Above 64 checkpoints the oldest one is forgotten, before a floor of the commit
        applies."""
        checkpoint = change(checkpoint=True)
        first = self._commit(share=[checkpoint, checkpoint])
        assert first.applied, first.why
        for _ in range(63):
            self._commit(share=[checkpoint])
        oldest, state = self._history.state.header.checkpoints[0], self._history.state
        self._commit(share=[checkpoint, self._floor(oldest)])
        self._commit(share=[self._floor(state.sequence + 1), checkpoint])
        self._commit(share=[checkpoint, self._floor(state.sequence + 1)])
        self._commit(share=[checkpoint])
        self._commit(share=[self._floor(oldest)])
        self._commit(share=[self._floor(oldest + 1, oldest), checkpoint])
        self._commit(share=[self._floor(oldest + 2, oldest - 1)])
        self._commit(share=[self._floor(oldest + 2, oldest + 3)])
        self._commit(share=[self._floor(oldest + 3, oldest), self._floor(oldest + 2, oldest)])
        self._commit(share=[self._floor(oldest + 2, oldest), self._floor(oldest + 3, oldest + 1)])

    def values(self) -> None:
        """A commit has at most 65536 fields, values in lists and extended attributes together."""
        for more in (0, 1):
            values = [schema.make("Field", boolean=True)] * (65535 - 4 - 3 + more)
            fields = [
                schema.make("Field", name="list", list=schema.make("FieldList", values=values)),
                *(schema.make("Field", name=f"n{number}", integer=0) for number in range(4)),
            ]
            extended = schema.make(
                "ExtendedAttributes",
                attributes=[
                    schema.make("ExtendedAttribute", name=b"user.%d" % number)
                    for number in range(3)
                ],
            )
            folder = schema.make(
                "RecordChange", id=self._dice.randbytes(16), act=1, kind=2,
                place=schema.make("Place", parent=bytes(16), name=b"d%d" % more),
                attributes=schema.make("Attributes", extended=extended),
            )
            self._commit(records=[self._typed(self._dice.randbytes(16), fields), folder])

    def large(self) -> None:
        """Plays lists of more than one part: 16 parts, 16 more below one of them, and one with a
        single element."""
        for size in (1 << 20, (1 << 20) - 200, 70_000, 60_000):
            for first in (b"\x11", b"\x12", b"\x30"):
                fields = [schema.make("Field", name="data", data=bytes(size))]
                self._commit(records=[self._typed(first + self._dice.randbytes(15), fields)])
        deleted = [self._dice.randbytes(16) for _ in range(2000)]
        self._commit(records=[self._typed(id, []) for id in deleted])
        ended = [schema.make("RecordChange", id=id, act=3) for id in deleted]
        self._commit(records=ended, share=[change(checkpoint=True)])

    @staticmethod
    def _typed(id: bytes, fields: list[Message]) -> Message:
        return schema.make(
            "RecordChange", id=id, act=1, kind=4, type_name="note", fields=fields
        )
