"""Model: a person's chain. Its places are locked by the person's secret.

The chain is a log. The names of its places are derived from the secret in force. The person's
devices compute them. All others find them by the lock in the entry before, and so see the same
objects. A revocation brings a new secret. There are differences from a zone's log: It has no spare
copies. Others can't look ahead. Newcomers are promised something only with an anchor, and trust at
first contact without one. The person may remove an object in a place of their chain if it is
rubbish or signed by the revoked device, and if their device has not read it as part of the chain.

Writers 1 (revokes device T), 2 and 3 are devices of the person. R is a device that writes nothing.
Newcomers are other people: they know no secret, and have an anchor.
"""
from log import HOSTILE, RUBBISH, Rules, View
from zonelog import ZoneLog, put


class Chain(ZoneLog):
    def __init__(self, kind, acts, length, rules=None, writers=(1, 2), reader=True):
        rules = rules or chainRules()
        super().__init__(kind, acts, length, rules, writers, reader)
        self.outside = chainRules(ahead=False, marks=False)

    def fold(self, state, keyring, anchor=None):
        """With an anchor, returns the log that somebody without the secret reads."""
        if anchor is None:
            return super().fold(state, keyring)
        key = (state[:3], keyring, anchor)
        if key not in self.folds:
            view = View(self.entries, self.outside, *state[:3])
            self.folds[key] = view.fold(keyring, anchor)
        return self.folds[key]

    def readings(self, state):
        """An anchor contains what its giver has read. An anchor from before the revocation can't
        show it."""
        entries = self.entries
        removed = any(entries.removed[own] for own in self.told(state))
        for pc, head, own in state[3][:len(self.writers)]:
            if pc == "idle" and (entries.removed[head] or not removed):
                anchor = head if self.rules.anchors else None
                yield self.fold(state, entries.keys[head], anchor), anchor

    def writing(self, view, at, then):
        """A device's steps to an entry: look, put, look again at one place after the other, be
        told."""
        entries, rules = self.entries, self.rules
        me = self.writers[at]
        pc, head, own = self.now[3][at]
        key, depth = entries.key[head], entries.depth[head]
        place, behind = (key, depth + 1), (key, depth + 2)
        if pc == "read":
            if me in entries.payloads[head]:
                found, how = self.fold(self.now, entries.keys[head])
                if entries.within(head, found) and how == "end":
                    yield then("finds its entry in the log, is told: stored", "idle", head, head)
            elif view.at(place) is None and depth < self.length and view.stands(head):
                yield then(f"finds {depth + 1} free", "behind" if rules.ahead else "mark")
        elif pc == "behind":
            if view.at(behind) in (None, RUBBISH):
                yield then(f"finds {depth + 2} free", "mark")
            elif view.at(place) is not None:
                yield then("reads again", "read")
        elif pc == "mark":
            if not rules.marks or key not in view.marks:
                yield then("finds the epoch open", "put")
            elif view.at(place) is not None:
                yield then("reads again", "read")
        elif pc == "put":
            if view.at(place) is not None:
                yield then(f"loses {depth + 1}", "read")
            else:
                entry = entries.make(head, me, "remove" if me == 1 else "write")
                yield then(f"puts its entry at {depth + 1}", "after", head, entry,
                           places=put(self.now[0], place, me, entry))
        else:
            yield from self.lookingAgain(view, at, then)

    def lookingAgain(self, view, at, then):
        """The looks after the put. The writer is told if the entry before stands, nothing behind
        names another one, and others haven't ended the epoch. It is also told as soon as somebody
        has built on its entry."""
        entries, rules = self.entries, self.rules
        me = self.writers[at]
        pc, head, own = self.now[3][at]
        key, depth = entries.place(own)
        built = self.builtOn(view, own)
        if pc == "after":
            there = view.at(entries.place(head)) if head else 0
            if not rules.previousAfter or view.stands(head):
                yield then(f"finds {depth - 1} as it was", "after behind")
            elif there is None:
                yield then(f"puts entry {depth - 1} back",
                           places=put(self.now[0], entries.place(head), me, head))
            elif there == RUBBISH or entries.author[there] == entries.author[head]:
                if not rules.copies:
                    return  # waits until somebody takes it away
                if view.copied(head, {entries.key[own]}):
                    yield then(f"has {depth - 1} in a copy", "after behind")
                elif (entries.key[own], head, False) not in self.now[1]:
                    yield then(f"puts a copy of entry {depth - 1}", copies=self.now[1] | {
                        (entries.key[own], head, True)})
            else:
                yield then(f"finds {depth - 1} changed", "decide")
        elif pc == "after behind":
            there = view.at((key, depth + 1))
            credible = there is not None and there != RUBBISH and view.isHeard(there, own)
            if rules.behindAfter and credible and entries.previous[there] != own:
                raised = built and entries.kind[own] == "remove"
                yield then(f"finds another log at {depth + 1}",
                           "decide" if raised else "take back")
            else:
                yield then("finds nothing amiss behind", "after mark")
        elif pc == "after mark":
            mark = view.marks.get(key)
            if rules.marks and rules.markAfter and mark not in (None, RUBBISH) and (
                    not entries.within(own, mark)):
                yield then("finds the epoch ended", "take back")
            elif entries.kind[own] == "remove" and rules.marks and mark is None:
                yield then("marks the epoch's end", marks=put(self.now[2], key, me, own))
            elif mark != RUBBISH:
                yield then(f"is told: stored at {depth}", "idle", own, own)
        elif pc == "decide":
            if built:
                yield then("finds its entry built on", "read", own, own)
            else:
                yield then("will take its entry back", "take back")
        elif pc == "take back":
            yield then(f"takes its entry back from {depth}", "read", head, 0,
                       places=put(self.now[0], entries.place(own), None, None))

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
