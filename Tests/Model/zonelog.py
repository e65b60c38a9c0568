"""Model: the log of one zone. Locked places, nothing skipped, copies, anchors, marks.

Honest: writers 1 (owner; its entry removes T and raises the epoch), 2 and 3 (plain), one entry
each; a reader R that looks at any time; newcomers, whose reading is judged in every state. Reading,
the put, and each GET after it are steps of their own, and the GETs come in any order. Looking after
standing entries (putting back, copies, rewinding) happens at one time.

T, the adversary, is by `kind`:
    stranger  knows no name. (With names that can be guessed: puts, alters and takes away rubbish.)
    former    was removed by entry 3, owns entries 1 and 2, knows the names of the first epoch;
              writer 3 and R were away, and perhaps between the look and the put
    behind    as former, but entry 1 is of writer 2
    thieves   as behind, with a stolen device besides, which its person's chain has revoked and
              entry 3 revoked in the zone: it fills the places that the other one empties
    forkers   as former, with that device besides
    stays     as behind, but entry 3 only ends the epoch; knows the names of that epoch
    reader    may only read, knows all names, stays
    thief     writes with full rights until the entry of writer 1, and owns what it wrote
Places are numbered up to `length`. T acts at most `acts` times.
"""
from log import ADVERSARY, HOSTILE, REVOKED, RUBBISH, Entries, Rules, View

WRITERS = (1, 2, 3)


class ZoneLog:
    PAST = ("former", "behind", "thieves", "forkers", "stays")
    SIGNING = PAST + ("thief",)

    def __init__(self, kind, acts, length, rules=None, writers=WRITERS, reader=True):
        self.kind, self.acts, self.length = kind, acts, length
        self.rules = rules or Rules()
        self.writers, self.hasReader = writers, reader
        self.entries = Entries()
        self.views, self.folds = {}, {}

    # A state: (places, copies, marks, processes, acts left). places: sorted ((key, n), owner,
    # content); copies: frozenset of (key, entry, good), not good: all names of it are spoiled;
    # marks: (key, owner, content). A process: (pc, head, own entry), writers first, R last.

    def initial(self):
        fresh = [("read", 0, 0)] * len(self.writers)
        reader = [("idle", 0, 0)] if self.hasReader else []
        if self.kind not in self.PAST:
            yield ((), frozenset(), (), tuple(fresh + reader), self.acts)
            return
        owner = HOSTILE if self.kind in ("former", "forkers") else 2
        first = self.entries.make(0, owner)
        last = HOSTILE if self.kind != "stays" else 1
        second = self.entries.make(first, last)
        removal = self.entries.make(second, 1, "remove" if self.kind != "stays" else "raise")
        places = (((0, 1), owner, first), ((0, 2), last, second), ((0, 3), 1, removal))
        marks = ((0, 1, removal),) if self.rules.marks else ()
        for away in (0, first):
            for pc in ("read", "put"):
                other = ("read", removal, 0) if owner == HOSTILE else ("idle", removal, first)
                processes = [("idle", removal, removal), other, (pc, away, 0)]
                processes = processes[:len(self.writers)]
                if self.hasReader:
                    processes.append(("idle", away, 0))
                yield (places, frozenset(), marks, tuple(processes), self.acts)

    def view(self, state):
        key = state[:3]
        view = self.views.get(key)
        if view is None:
            view = self.views[key] = View(self.entries, self.rules, *key)
        return view

    def fold(self, state, keyring, anchor=None):
        key = (state[:3], keyring, anchor)
        found = self.folds.get(key)
        if found is None:
            found = self.folds[key] = self.view(state).fold(keyring, anchor)
        return found

    # Steps

    def steps(self, state):
        view = self.view(state)
        for at in range(len(state[3])):
            yield from self.processSteps(state, view, at)
        yield from self.personSteps(state, view)
        if state[4]:
            yield from self.hostileSteps(state, view)

    def processSteps(self, state, view, at):
        pc, head, own = state[3][at]
        name = f"W{self.writers[at]}" if at < len(self.writers) else "R"

        def then(label, pc=pc, head=head, own=own, **changed):
            return f"{name} {label}", self.changed(state, at, (pc, head, own), **changed), False

        if pc in ("idle", "read", "behind", "mark"):
            yield from self.tend(state, view, at, then)
        if pc != "idle":
            yield from self.writing(view, at, then)

    def changed(self, state, at, process, places=None, copies=None, marks=None):
        processes = state[3][:at] + (process,) + state[3][at + 1:]
        return (state[0] if places is None else places, state[1] if copies is None else copies,
                state[2] if marks is None else marks, processes, state[4])

    def writing(self, view, at, then):
        """The writer's own steps to an entry: look, put, look again, be told."""
        entries, rules = self.entries, self.rules
        me = self.writers[at]
        pc, head, own = self.now[3][at]
        key, depth = entries.key[head], entries.depth[head]
        place = (key, depth + 1)
        if pc == "read":
            if me in entries.payloads[head]:
                found, how = self.fold(self.now, entries.keys[head])
                if entries.within(head, found) and how == "end":
                    yield then("finds its entry in the log, is told: stored", "idle", head, head)
            elif view.at(place) is None and depth < self.length and view.stands(head):
                yield then(f"finds {depth + 1} free", "put")
        elif pc == "put":
            if view.at(place) is not None:
                yield then(f"loses {depth + 1}", "read")
            else:
                entry = entries.make(head, me, "remove" if me == 1 else "write")
                yield then(f"puts its entry at {depth + 1}", "after ...", head, entry,
                           places=put(self.now[0], place, me, entry))
        else:
            yield from self.lookingAgain(view, at, then)

    def lookingAgain(self, view, at, then):
        """The looks after the put: the entry before, the place behind and the mark, in any order,
        because they are requested together. The writer is told if the entry before stands, nothing
        behind names another one, and others haven't ended the epoch. A letter of the state is the
        result of each look: `.` means not yet."""
        entries, rules = self.entries, self.rules
        pc, head, own = self.now[3][at]
        if pc == "take back":
            yield then(f"takes its entry back from {entries.depth[own]}", "read", head, 0,
                       places=put(self.now[0], entries.place(own), None, None))
            return
        if pc == "after mark":
            key, mark = entries.place(own)[0], view.marks.get(entries.place(own)[0])
            if mark is None:
                yield then("marks the epoch's end", marks=put(self.now[2], key, self.writers[at], own))
            elif mark != RUBBISH:
                yield then(f"is told: stored at {entries.depth[own]}", "idle", own, own)
            return
        seen = pc[len("after "):]
        if seen[0] == ".":
            yield from self.mendBefore(view, head, own, then)
        for number, look in enumerate((self.lookBefore, self.lookBehind, self.lookAtMark)):
            if seen[number] == ".":
                found = look(view, head, own)
                if found:
                    letters = seen[:number] + found[0] + seen[number + 1:]
                    yield then(found[1:], "after " + letters)
        if "." in seen:
            return
        if "-" not in seen:
            if entries.kind[own] == "remove" and rules.marks:
                yield then("finds nothing amiss", "after mark")
            else:
                yield then(f"is told: stored at {entries.depth[own]}", "idle", own, own)
        elif "b" in seen or self.raisedUnder(view, own):
            yield then("finds its entry built on", "read", own, own)
        else:
            yield then("will take its entry back", "take back")

    def raisedUnder(self, view, own):
        return self.entries.kind[own] == "remove" and self.builtOn(view, own)

    def lookBefore(self, view, head, own):
        entries, depth = self.entries, self.entries.depth[own]
        isCopied = self.rules.copies and view.copied(head, entries.keys[own])
        if not self.rules.previousAfter or view.stands(head) or isCopied:
            return f"+finds {depth - 1} as it was"
        if self.isMendable(view, head, own):
            return None
        return f"-finds {depth - 1} lost or changed"

    def isMendable(self, view, head, own):
        """Returns true if a missing entry is a hole, and neither the end of a log that lost more,
        nor a place with another device's entry."""
        entries, there = self.entries, view.at(self.entries.place(head))
        before = entries.previous[head]
        if not view.stands(before) and not view.copied(before, entries.keys[own]):
            return False
        return there in (None, RUBBISH) or entries.author[there] == entries.author[head]

    def mendBefore(self, view, head, own, then):
        """Puts the entry before back, or a copy of it if something else is in its place."""
        entries = self.entries
        if self.lookBefore(view, head, own) is not None:
            return
        place, depth = entries.place(head), entries.depth[own]
        if view.at(place) is None:
            yield then(f"puts entry {depth - 1} back",
                       places=put(self.now[0], place, entries.author[own], head))
        elif self.rules.copies and (entries.key[own], head, False) not in self.now[1]:
            yield then(f"puts a copy of entry {depth - 1}",
                       copies=self.now[1] | {(entries.key[own], head, True)})

    def lookBehind(self, view, head, own):
        entries, (key, depth) = self.entries, self.entries.place(own)
        there = view.at((key, depth + 1))
        if self.rules.behindAfter and there not in (None, RUBBISH) and view.isHeard(there, own):
            if entries.previous[there] != own:
                return f"-finds another log at {depth + 1}"
            return "bfinds its entry built on"
        return "+finds nothing amiss behind"

    def lookAtMark(self, view, head, own):
        """Returns None while rubbish holds the mark. It is looked at again."""
        mark = view.marks.get(self.entries.place(own)[0])
        if not self.rules.marks or not self.rules.markAfter or mark is None:
            return "+finds the epoch open"
        if mark == RUBBISH:
            return None
        return "+finds its own mark" if self.entries.within(own, mark) else "-finds the epoch ended"

    def builtOn(self, view, own):
        behind = view.at((self.entries.key[own], self.entries.depth[own] + 1))
        return behind is not None and behind != RUBBISH and self.entries.previous[behind] == own

    def tend(self, state, view, at, then):
        """The steps of everybody who isn't between a look and a put: read on, put back, copy,
        rewind."""
        self.now = state
        entries, rules = self.entries, self.rules
        pc, head, own = state[3][at]
        me = self.writers[at] if at < len(self.writers) else "R"
        chain = entries.chain[head]
        standing = [view.stands(entry) for entry in chain]
        last = max((n for n, stands in enumerate(standing) if stands), default=-1)
        mended = True
        for n, entry in enumerate(chain):
            if standing[n]:
                continue
            if not rules.upkeep and n < len(chain) - 1:
                continue
            place = entries.place(entry)
            if n > last:
                if view.at(place) == RUBBISH:
                    break
                mended = False
                found, how = self.fold(state, entries.keys[head])
                back = found if entries.within(entries.previous[entry], found) else (
                    entries.previous[entry])
                yield then(f"misses its head, goes back to {entries.depth[back]}",
                           self.anew(at, pc, back), back, min(own, 0))
                break
            if view.at(place) is None:
                mended = False
                yield then(f"puts entry {n + 1} back", places=put(state[0], place, me, entry))
                break
            if n > last:
                continue
            names = {entries.key[head]} | ({place[0]} if rules.oldKeys else set())
            names = {k for k in names if (k, entry, True) not in state[1]}
            if rules.copies and names:
                free = {k for k in names if (k, entry, False) not in state[1]}
                if free:
                    mended = False
                    yield then(f"puts a copy of entry {n + 1}",
                               copies=state[1] | {(k, entry, True) for k in free})
                    break
        if not mended:
            return
        keys = entries.keys[head]
        if last == len(chain) - 1:
            how, target = view.next(head, keys)
            if how == "apply":
                yield then(f"reads {len(chain) + 1}", self.anew(at, pc, target), target, own)
                return
            if rules.marks and chain and entries.kind[head] == "remove" and (
                    entries.place(head)[0] not in view.marks) and self.builtOn(view, head):
                key = entries.place(head)[0]
                yield then("marks the epoch's end", marks=put(state[2], key, me, head))
        hole = view.hole(head, keys) if last == len(chain) - 1 else None
        if hole:
            yield then(f"fills place {entries.depth[hole]} from a copy",
                       places=put(state[0], entries.place(hole), me, hole))
            return
        found, how = self.fold(state, keys)
        if entries.within(found, head):
            return
        if entries.within(head, found):
            yield then(f"reads {entries.depth[found]}, with copies", self.anew(at, pc, found), found,
                       own)
        elif last < len(chain) - 1 or entries.depth[found] > len(chain):
            yield then("finds another log, and goes over to it", self.anew(at, pc, found), found,
                       min(own, 0))

    def anew(self, at, pc, found):
        """The step at which a process with another log goes on."""
        if at < len(self.writers):
            return "idle" if pc == "idle" and self.writers[at] in self.entries.payloads[found] else "read"
        return "idle"

    def personSteps(self, state, view):
        """Somebody takes away rubbish that holds a place, a mark or a copy."""
        places, copies, marks, processes, acts = state
        if not self.rules.compare:
            yield from self.carelessSteps(state, view)
        for name, owner, content in places:
            if not self.rules.compare:
                continue
            for pc, head, own in processes:
                read = own if pc.startswith("after") else head
                if self.holds(view, read, name, content):
                    yield (f"somebody takes away what holds {name[1]}",
                           (put(places, name, None, None), copies, marks, processes, acts), False)
                    break
        for key, owner, content in marks:
            if content == RUBBISH:
                yield ("somebody takes away a mark that is rubbish",
                       (places, copies, put(marks, key, None, None), processes, acts), False)
        for copy in copies:
            if not copy[2]:
                yield ("somebody takes away copies that are rubbish",
                       (places, copies - {copy}, marks, processes, acts), False)

    def carelessSteps(self, state, view):
        """The wrong way to take something away: by its name, some time after the look."""
        places, copies, marks, processes, acts = state
        for key, owner, name in marks:
            if owner == "aim":
                yield (f"somebody takes away what stands at {name[1]} now",
                       (put(places, name, None, None), copies, put(marks, key, None, None),
                        processes, acts), False)
                return
        for name, owner, content in places:
            if owner == HOSTILE and any(self.holds(view, head, name, content)
                                        for pc, head, own in processes):
                yield (f"somebody looks at the rubbish at {name[1]}",
                       (places, copies, put(marks, -1, "aim", name), processes, acts), False)

    def holds(self, view, head, name, content):
        """Returns true if a reader up to `head` may take the object away: rubbish in a place of its
        log, or an object in the next place that is invalid there and has nobody's entry behind
        it."""
        entries, (key, n) = self.entries, name
        mine = entries.chain[head]
        if view.places[name][0] != HOSTILE:
            return False
        if n <= len(mine):
            return n == len(mine) and content == RUBBISH and entries.place(mine[n - 1]) == name
        if name == (entries.key[head], n) and n == len(mine) + 2 and content != RUBBISH and (
                view.at((key, n - 1)) is None):  # nobody has the entry that it names
            behind = view.behind(content)
            return view.next(head, entries.keys[head])[0] == "held" and (
                behind is None or entries.author[behind] in ADVERSARY)
        if name != (entries.key[head], len(mine) + 1):
            return False
        if content == RUBBISH:
            return view.next(head, entries.keys[head])[0] == "held"
        behind = view.behind(content)
        held = entries.previous[content] != head or not entries.valid[content] or (
            view.next(head, entries.keys[head])[0] == "held")
        return held and (behind is None or entries.author[behind] in ADVERSARY)

    # The adversary

    def names(self, state):
        """The keys of the epochs whose names T can compute."""
        if self.kind == "stranger":
            return set() if self.rules.secretNames else {
                self.entries.key[head] for pc, head, own in state[3]}
        if self.kind == "reader":
            return set().union(*(self.entries.keys[head] for pc, head, own in state[3]))
        return {0}

    def hostileSteps(self, state, view):
        places, copies, marks, processes, acts = state
        entries = self.entries
        for key in self.names(state):
            for n in range(1, self.length + 1):
                there = view.places.get((key, n))
                if there and there[0] != HOSTILE:
                    continue
                for content in self.contents(state, view, key, n, there):
                    what = ("takes away" if content is None else "puts rubbish at"
                            if content == RUBBISH else
                            f"puts an entry behind {entries.chain[content][:-1]} at")
                    yield (f"T {what} {n}", (put(places, (key, n), HOSTILE, content), copies,
                                             marks, processes, acts - 1), True)
            if self.rules.marks and self.kind != "stranger" and key not in view.marks:
                yield ("T puts rubbish where the epoch's end is marked",
                       (places, copies, put(marks, key, HOSTILE, RUBBISH), processes, acts - 1),
                       True)
        if self.rules.copies and self.kind in self.SIGNING:
            yield from self.hostileCopies(state, view)

    def contents(self, state, view, key, n, there):
        if there is None:
            yield RUBBISH
        else:
            yield None
            if there[1] != RUBBISH:
                yield RUBBISH
        if self.kind in self.SIGNING:
            for author in ADVERSARY[:2 if self.kind in ("thieves", "forkers") else 1]:
                for previous in self.known(view, key, n - 1):
                    for kind in ("write", "other") if author == HOSTILE else ("write",):
                        entry = self.entries.make(previous, author, kind)
                        if self.entries.valid[entry] and (not there or there[1] != entry):
                            yield entry

    def known(self, view, key, depth):
        """The entries behind which T could put an entry of its own: the standing ones, and those
        that it made."""
        if depth == 0:
            return [0]
        entries = self.entries
        found = set()
        there = view.at((key, depth))
        if there is not None and there != RUBBISH and entries.key[there] == key:
            found.add(there)
        found |= {e for k, e, good in view.copies if good and entries.depth[e] == depth
                  and entries.key[e] == key}
        if self.kind in ("behind", "thieves", "stays"):
            # Only the adversary has this entry. An entry behind it can name it all the same.
            found |= {entries.make(p, HOSTILE, "other") for p in self.known(view, key, depth - 1)}
        return sorted(found)

    def hostileCopies(self, state, view):
        """T copies an entry of its own that has no place, or spoils the names of a copy."""
        places, copies, marks, processes, acts = state
        entries = self.entries
        for n in range(1, self.length):
            for previous in self.known(view, 0, n - 1):
                entry = entries.make(previous, HOSTILE, "other")
                if entries.valid[entry] and (0, entry, True) not in copies:
                    yield (f"T copies an entry of its own for {n}",
                           (places, copies | {(0, entry, True)}, marks, processes, acts - 1), True)
        for entry in sorted({e for pc, head, own in processes for e in entries.chain[head]
                             if entries.author[e] == HOSTILE}):
            if not any(k == 0 and e == entry for k, e, good in copies):
                yield (f"T spoils the names of copies of entry {entries.depth[entry]}",
                       (places, copies | {(0, entry, False)}, marks, processes, acts - 1), True)

    # Properties

    def told(self, state):
        return [own for pc, head, own in state[3][:len(self.writers)] if pc == "idle"]

    def readings(self, state):
        """The logs that newcomers would read now: without an anchor, and with one from each writer
        who was told."""
        yield self.fold(state, frozenset([0])), None
        if self.rules.anchors:
            for pc, head, own in state[3][:len(self.writers)]:
                if pc == "idle":
                    yield self.fold(state, self.entries.keys[head], head), head

    def notices(self, state, head):
        """Returns true if a reader up to `head` finds at the next look that something is amiss."""
        view, how = self.view(state), "apply"
        while how == "apply":
            if not view.stands(head):
                return True
            how, target = view.next(head, self.entries.keys[head])
            head = target
        return how != "end"

    def always(self, state):
        self.now = state
        entries = self.entries
        told = self.told(state)
        removal = [own for own in told if entries.removed[own] and entries.author[own] == 1]
        for (head, how), anchor in self.readings(state):
            if self.kind == "stranger" and how == "held":
                yield "a stranger holds up the log"
            for other in told:
                if self.kind != "thief" and how == "end" and not entries.within(other, head) and (
                        not self.notices(state, head)):
                    yield "told, but a newcomer doesn't read it" + (" (anchored)" if anchor else "")
            if removal and how == "end" and not entries.removed[head]:
                yield "a newcomer doesn't read the removal that was told"
        heads = [head for pc, head, own in state[3] if pc == "idle"]
        for one in heads:
            for other in heads:
                if not entries.within(one, other) and not entries.within(other, one) and (
                        not self.notices(state, one) and not self.notices(state, other)):
                    yield "two have read different logs, and neither notices"

    def atRest(self, state):
        entries = self.entries
        head, how = self.fold(state, frozenset([0]))
        if how != "end" and entries.depth[head] < self.length:
            yield f"at rest, a newcomer finds the log {how}"
        room = entries.depth[head] < self.length
        for at, (pc, mine, own) in enumerate(state[3]):
            if pc != "idle" and room:
                yield "at rest, a writer wasn't told"
            if pc == "idle" and at < len(self.writers):
                me = self.writers[at]
                if me not in entries.payloads[head]:
                    yield "at rest, what was told isn't in the log"
            if mine != head and room:
                yield "at rest, somebody has read another log"
        if len(set(entries.payloads[head])) != len(entries.payloads[head]):
            yield "an entry counts twice"


def put(objects, name, owner, content):
    """Returns the objects with this one added, or without it if `content` is None."""
    rest = [o for o in objects if o[0] != name]
    if content is not None:
        rest.append((name, owner, content))
    return tuple(sorted(rest, key=lambda o: o[0]))
