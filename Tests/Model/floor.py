"""Model: the mark, the floor, and the deletion of entries below it.

A zone's owner notes a mark: an entry of the log, and the digest of the state there. A later entry,
the floor, names the mark and its digest. It is invalid for a reader with another digest. When the
floor stands, a pointer to it is put under a name that every reader of the epoch can compute
(numbered: 1, 2, ...). The pointer has the digests of all places up to the mark. Then entries below
the mark are deleted in ascending order. The mark and all entries behind it stay, and so does the
head.

Honest: owner O (floor, pointer, sweeps); writer 1, which looked at a place before it was filled and
may stop between any two steps; writer 2, which was away with an early head; a reader R that reads
at any time; newcomers with an anchor. A log here is the tuple of its entries' names. Entries before
the run are "1", "2", ...
"""


class Rules:
    def __init__(self, **wrong):
        self.ascending = True  # the lowest first
        self.keepHead = True  # nothing from the mark on goes
        self.lookAfter = True  # told only if the place before still stands after the put
        self.pointer = True  # a reader that misses its head asks the floor's pointer
        self.pointerFirst = True  # the pointer stands before anything goes
        self.digest = True  # the floor is invalid for a reader with another digest
        self.noPutBack = True  # nothing below the floor is put back
        for name, value in wrong.items():
            assert hasattr(self, name), name
            setattr(self, name, value)


class Floor:
    def __init__(self, length=4, mark=3, rules=None, wrongDigest=False):
        self.length, self.mark = length, mark
        self.rules, self.wrongDigest = rules or Rules(), wrongDigest
        self.log = tuple(str(n + 1) for n in range(length))

    # A state: (places, pointer, processes). places: tuple of entries or None, an entry is (name,
    # log before it); pointer: the log up to the mark, or None. A process: (pc, log read, own).

    def initial(self):
        places = [(self.log[n], self.log[:n]) for n in range(self.length)] + [None] * 4
        for late in range(1, self.length):
            for away in range(1, self.length):
                yield (tuple(places), None, (("floor", self.log, None), ("put", self.log[:late], None),
                                             ("read", self.log[:away], None),
                                             ("idle", self.log[:away], None)))

    def steps(self, state):
        places, pointer, processes = state
        for at, (pc, log, own) in enumerate(processes):
            name = ("O", "W1", "W2", "R")[at]

            def then(label, pc=pc, log=log, own=own, places=places, pointer=pointer):
                changed = processes[:at] + ((pc, log, own),) + processes[at + 1:]
                return f"{name} {label}", (places, pointer, changed), False

            if pc.split()[0] in ("read", "idle", "floor", "sweep", "looks"):
                yield from self.reading(state, name, pc, log, then)
            if pc in ("floor", "point", "sweep"):
                yield from self.owner(state, pc, log, then)
            elif pc != "idle":
                yield from self.writing(state, name, pc, log, own, then)

    def stands(self, places, log):
        return not log or places[len(log) - 1] == (log[-1], log[:-1])

    def reading(self, state, name, pc, log, then):
        places, pointer, processes = state
        if len(log) == len(places):
            return
        there = places[len(log)]
        if self.stands(places, log):
            if there and there[1] == log and self.accepts(there, log):
                yield then(f"reads {len(log) + 1}", log=log + (there[0],))
        elif self.rules.pointer and pointer:
            if len(log) < len(pointer) or log[:len(pointer)] != pointer:
                yield then("misses its head, and goes on from the mark", log=pointer)
        elif there and there[1] == log:
            yield then(f"reads {len(log) + 1}", log=log + (there[0],))
        if not self.rules.noPutBack and pc == "idle":
            for n in range(len(log)):
                if places[n] is None:
                    yield then(f"puts entry {n + 1} back",
                               places=set(places, n, (log[n], log[:n])))

    def accepts(self, entry, log):
        """Returns true if the floor names the digest that this reader found itself at the mark."""
        return entry[0] != "floor" or not self.rules.digest or not self.wrongDigest

    def owner(self, state, pc, log, then):
        places, pointer, processes = state
        if pc == "floor":
            if "floor" in log:
                yield then("has put the floor", "point")
            elif len(log) < len(places) and places[len(log)] is None and self.stands(places, log):
                entry = ("floor", log)
                after = "wrong" if self.wrongDigest and self.rules.digest else "point"
                yield then(f"puts the floor at {len(log) + 1}", after, log + ("floor",),
                           places=set(places, len(log), entry))
        elif pc == "point":
            yield then("puts the floor's pointer", "sweep", pointer=log[:self.mark])
            if not self.rules.pointerFirst:
                yield from self.sweep(places, log, then)
        elif pc == "sweep":
            yield from self.sweep(places, log, then)

    def sweep(self, places, log, then):
        end = self.mark - 1 if self.rules.keepHead else len(log)
        going = [n for n in range(end) if places[n]]
        if going:
            n = going[0] if self.rules.ascending else going[-1]
            yield then(f"throws away place {n + 1}", places=set(places, n, None))

    def writing(self, state, name, pc, log, own, then):
        places, pointer, processes = state
        n = len(log)
        if pc == "read":
            if name in log:
                yield then("finds its entry in the log, is told: stored", "idle")
            elif n < len(places) and places[n] is None and self.stands(places, log) and (
                    n + 1 == len(places) or places[n + 1] is None):
                yield then(f"finds {n + 1} free", "put")
        elif pc == "put":
            if n == len(places) or places[n]:
                yield then(f"loses {n + 1}", "read")
            else:
                yield then(f"puts its entry at {n + 1}", "after", own=(name, log),
                           places=set(places, n, (name, log)))
        elif pc == "after":
            if not self.rules.lookAfter or self.stands(places, log):
                yield then(f"finds {n} as it was", "behind")
            else:
                yield then(f"finds {n} gone, asks the floor", "gone")
        elif pc == "behind":
            there = places[n + 1] if n + 1 < len(places) else None
            if self.rules.lookAfter and there and there[1] != log + (name,):
                yield then(f"finds another log at {n + 2}", "back")
            else:
                yield then(f"is told: stored at {n + 1}", "idle", log + (name,))
        elif pc == "gone":
            if pointer and pointer[:n + 1] == log + (name,):
                yield then("finds its entry below the floor, is told: stored", "idle", pointer)
            else:
                yield then("doesn't find its entry below the floor", "back")
        elif pc == "back":
            mine = places[n] == own
            yield then("takes its entry back", "read", log, None,
                       places=set(places, n, None) if mine else places)

    def newcomer(self, state):
        """The log that a newcomer reads: from the pointer's mark on, or from 1 if there is none."""
        places, pointer, processes = state
        log = pointer or ()
        while len(log) < len(places) and places[len(log)] and places[len(log)][1] == log:
            log = log + (places[len(log)][0],)
        return log

    def always(self, state):
        places, pointer, processes = state
        log = self.newcomer(state)
        told = [mine for pc, mine, own in processes[1:3] if pc == "idle"]
        for mine in told:
            if log[:len(mine)] != mine and not self.notices(state, mine):
                yield "told, but a newcomer doesn't read it"
        if processes[0][0] == "sweep" and self.wrongDigest:
            yield "a floor with a wrong digest took entries away"

    def notices(self, state, mine):
        return not self.stands(state[0], mine)

    def atRest(self, state):
        places, pointer, processes = state
        log = self.newcomer(state)
        for pc, mine, own in processes[1:]:
            if pc != "idle":
                yield "at rest, a writer wasn't told"
            elif mine != log[:len(mine)]:
                yield "at rest, somebody has read another log"
        for at, name in ((1, "W1"), (2, "W2")):
            if processes[at][0] == "idle" and name not in log:
                yield "at rest, what was told isn't in the log"
        if not self.wrongDigest and any(places[:self.mark - 1]):
            yield "at rest, an entry below the floor is still there"


def set(places, n, entry):
    return places[:n] + (entry,) + places[n + 1:]
