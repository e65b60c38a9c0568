"""Model: a person's chain, whose places are locked by the person's secret.

The chain is a log whose places have names out of the secret in force: the person's devices compute
them, all others find them by the lock that the entry before carries, and so see the same objects. A
revocation brings a new secret. Differences from a zone's log: no copies; others can't look ahead;
newcomers are promised something with an anchor only (who has none trusts at first contact); the
person may take away whatever stands in a place of their chain and isn't what their device read.
Writers 1 (revokes device T), 2 and 3 are devices of the person, R is somebody else.
"""
from log import Rules
from zonelog import ZoneLog


class Chain(ZoneLog):
    def __init__(self, kind, acts, length, rules=None, writers=(1, 2), reader=True):
        rules = rules or chainRules()
        super().__init__(kind, acts, length, rules, writers, reader)

    def readings(self, state):
        for pc, head, own in state[3][:len(self.writers)]:
            if pc == "idle":
                anchor = head if self.rules.anchors else None
                yield self.fold(state, self.entries.keys[head], anchor), anchor

    def holds(self, view, head, name, content):
        mine = self.entries.chain[head]
        n = name[1]
        if n <= len(mine):
            entry = mine[n - 1]
            if content != entry and self.entries.place(entry) == name and any(
                    view.stands(later) for later in mine[n:]):
                return True
        return super().holds(view, head, name, content)


def chainRules(**wrong):
    return Rules(**({"copies": False, "fill": False, "oldKeys": False} | wrong))
