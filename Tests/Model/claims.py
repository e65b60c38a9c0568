"""Model: a link for one person. Two people claim it at the same time, and one of them gets in.

The log of a zone is used again, with the same honest and hostile steps. The entries of writers 2
and 3 are claims of one link, and the first one in the log counts. The entry of writer 1 removes T,
whose device may have claimed the link, too. A device that finds the link claimed by another is told
so, and writes nothing.
"""
from log import Entries
from zonelog import ZoneLog

CLAIMED = -2  # the entry of a writer who was told that another has used the link


class ClaimEntries(Entries):
    def __init__(self, counts):
        super().__init__()
        self.counts = counts

    def claimed(self, head):
        return next((self.author[e] for e in self.chain[head] if self.author[e] != 1), None)

    def make(self, previous, author, kind="write"):
        known = (previous, author, kind) in self.number
        number = super().make(previous, author, kind)
        if not known and self.counts and author != 1 and self.claimed(previous) is not None:
            self.valid[number] = False
        return number


class Claims(ZoneLog):
    def __init__(self, kind, acts, length, rules=None, writers=(1, 2, 3), reader=False, counts=True):
        super().__init__(kind, acts, length, rules, writers, reader)
        self.entries = ClaimEntries(counts)

    def writing(self, view, at, then):
        pc, head, own = self.now[3][at]
        me, claimed = self.writers[at], self.entries.claimed(head)
        if me != 1 and pc == "read" and claimed not in (None, me):
            yield then("is told: the link was used by another", "idle", head, CLAIMED)
        else:
            yield from super().writing(view, at, then)

    def anew(self, at, pc, found):
        if at < len(self.writers) and self.entries.claimed(found) not in (None, self.writers[at]):
            if pc == "idle" and self.now[3][at][2] == CLAIMED:
                return "idle"
        return super().anew(at, pc, found)

    def told(self, state):
        return [own for own in super().told(state) if own != CLAIMED]

    def always(self, state):
        yield from super().always(state)
        (head, how), anchor = next(iter(self.readings(state)))
        if sum(self.entries.author[e] != 1 for e in self.entries.chain[head]) > 1:
            yield "two have used one link"

    def atRest(self, state):
        for name in super().atRest(state):
            if name != "at rest, what was told isn't in the log":
                yield name
        head, how = self.fold(state, frozenset([0]))
        for at, (pc, mine, own) in enumerate(state[3][:len(self.writers)]):
            if pc == "idle" and own != CLAIMED and self.writers[at] not in (
                    self.entries.payloads[head]):
                yield "at rest, what was told isn't in the log"
            if pc == "idle" and own == CLAIMED and self.writers[at] in self.entries.payloads[head]:
                yield "who was told that another used the link has used it"
