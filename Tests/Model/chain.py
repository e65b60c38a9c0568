"""Model: a person's chain, whose places are locked by the person's secret.

The chain is a log whose places have names out of the secret in force: the person's devices compute
them, all others find them by the lock that the entry before carries, and so see the same objects. A
revocation brings a new secret. Differences from a zone's log: no copies; others can't look ahead;
newcomers are promised something with an anchor only (who has none trusts at first contact); the
person may take away what stands in a place of their chain, is rubbish or signed by the device that
they revoke, and isn't what their device read.
Writers 1 (revokes device T), 2 and 3 are devices of the person, R one that writes nothing. Newcomers are
other people: they know no secret, and have an anchor.
"""
from log import HOSTILE, RUBBISH, Rules, View
from zonelog import ZoneLog


class Chain(ZoneLog):
    def __init__(self, kind, acts, length, rules=None, writers=(1, 2), reader=True):
        rules = rules or chainRules()
        super().__init__(kind, acts, length, rules, writers, reader)
        self.outside = chainRules(ahead=False, marks=False)

    def fold(self, state, keyring, anchor=None):
        """With an anchor, what somebody else reads who knows no secret."""
        if anchor is None:
            return super().fold(state, keyring)
        key = (state[:3], keyring, anchor)
        if key not in self.folds:
            view = View(self.entries, self.outside, *state[:3])
            self.folds[key] = view.fold(keyring, anchor)
        return self.folds[key]

    def readings(self, state):
        """An anchor says what its giver has read: one from before the revocation can't show it."""
        entries = self.entries
        removed = any(entries.removed[own] for own in self.told(state))
        for pc, head, own in state[3][:len(self.writers)]:
            if pc == "idle" and (entries.removed[head] or not removed):
                anchor = head if self.rules.anchors else None
                yield self.fold(state, entries.keys[head], anchor), anchor

    def holds(self, view, head, name, content):
        mine = self.entries.chain[head]
        n = name[1]
        if n <= len(mine):
            entry = mine[n - 1]
            if content != RUBBISH and self.entries.author[content] != HOSTILE:
                return False
            if content != entry and self.entries.place(entry) == name and any(
                    view.stands(later) for later in mine[n:]):
                return True
        return super().holds(view, head, name, content)


def chainRules(**wrong):
    return Rules(**({"copies": False, "fill": False, "oldKeys": False} | wrong))
