"""Histories that go to the limits of a share, which chance wouldn't reach."""

import random
from typing import Any

from . import schema
from .histories import NOW, History, Tried, Writer
from .invitations import LinkSecret
from .wire import Message


def limits(seed: int) -> History:
    """100 participants, 200 links, 1000 who are blocked, 4096 changes."""
    history = History.new(random.Random(f"limits {seed}"), 3, False)
    script = _Script(history)
    script.people_and_links()
    script.links_for_anyone()
    script.blocked()
    return history


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
