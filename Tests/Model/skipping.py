"""Model: the former log, with names that anybody can compute. Rubbish is skipped and counts.

It shows the errors of that log. Four attacks that were played against it must be found.
    chain   a person's chain: `previous` names the last valid entry; readers remember all bytes
    zone    a zone's log: `previous` names any object before it; readers remember the head; an
            entry of an old epoch behind a free place proves that something is missing
Honest: writer 1 removes T, writer 2 writes, a reader R. T puts rubbish, alters it, and takes it
away. With `old`, T puts entries of an old epoch. With `rights`, T puts valid entries until the
removal. A look reads the whole log at one time, so each attack that is found here also works on
slower readers.
"""

RUBBISH, ALTERED, OLD = ("rubbish",), ("other rubbish",), ("old epoch",)
START = ("start",)


class Skipping:
    def __init__(self, kind, acts, length, old=False, rights=False):
        self.kind, self.acts, self.length = kind, acts, length
        self.old, self.rights = old, rights

    # A state: (places, writers 1 and 2 and R, acts left). places: (owner, content) or None; an
    # entry is (author, previous). A process: (pc, bytes read, place aimed at).

    def initial(self):
        yield ((None,) * self.length, (("read", (), 0),) * 2 + (("idle", (), 0),), self.acts)

    def fold(self, places):
        """(valid entries, bytes read, whether something is amiss)"""
        valid, read, before, removed = [], [], START, False
        for n, there in enumerate(places):
            if not there:
                behind = places[n + 1] if n + 1 < len(places) else None
                return valid, tuple(read), bool(
                    self.kind == "zone" and behind and behind[1] not in (RUBBISH, ALTERED))
            content = there[1]
            if isinstance(content[0], int) and content[1] == before:
                if content[0] != 3 or not removed:
                    valid.append(content)
                    removed = removed or content[0] == 1
                    before = content
            if self.kind == "zone":
                before = content
            read.append(content)
        return valid, tuple(read), False

    def trouble(self, places, memory):
        """Returns true if a reader that remembers these bytes finds something amiss, and stops."""
        valid, read, amiss = self.fold(places)
        if self.kind == "chain":
            return read[:len(memory)] != memory
        return amiss or bool(memory) and read[len(memory) - 1:len(memory)] != memory[-1:]

    def steps(self, state):
        places, processes, acts = state
        valid, read, amiss = self.fold(places)
        for at, (pc, memory, aim) in enumerate(processes):
            name = ("W1", "W2", "R")[at]

            def then(label, pc, memory, aim=0, places=places):
                changed = processes[:at] + ((pc, memory, aim),) + processes[at + 1:]
                return f"{name} {label}", (places, changed, acts), False

            if pc in ("read", "idle") and not self.trouble(places, memory) and read != memory:
                yield then(f"reads {len(read)} places", pc, read)
            elif pc == "read" and not self.trouble(places, memory) and len(read) < self.length:
                yield then(f"finds {len(read) + 1} free", "put", memory, len(read))
            elif pc == "put":
                if places[aim]:
                    yield then(f"loses {aim + 1}", "read", memory)
                else:
                    before = ((memory or (START,))[-1] if self.kind == "zone" else
                              (self.fold(tuple((0, c) for c in memory))[0] or [START])[-1])
                    entry = (at + 1, before)
                    yield then(f"puts its entry at {aim + 1}, is told: stored", "idle",
                               memory + (entry,), 0, change(places, aim, (at + 1, entry)))
        if acts:
            for label, changed in self.hostile(places):
                yield f"T {label}", (changed, processes, acts - 1), True

    def hostile(self, places):
        for n, there in enumerate(places):
            if there and there[0] != 3:
                continue
            if there:
                yield f"takes away {n + 1}", change(places, n, None)
            for content in (RUBBISH, ALTERED)[bool(there and there[1] == RUBBISH):]:
                if not there or there[1] != content:
                    yield f"puts rubbish at {n + 1}", change(places, n, (3, content))
            if self.old and not there:
                yield f"puts an entry of an old epoch at {n + 1}", change(places, n, (3, OLD))
            if self.rights and n < 2:
                valid = self.fold(places[:n] + (None,))[0]
                entry = (3, valid[-1] if valid else START)
                if not there or there[1] != entry:
                    yield f"puts a valid entry at {n + 1}", change(places, n, (3, entry))

    def always(self, state):
        places, processes, acts = state
        authors = [entry[0] for entry in self.fold(places)[0]]
        for at, (pc, memory, aim) in enumerate(processes[:2]):
            if pc == "idle" and at + 1 not in authors:
                yield "a newcomer doesn't read the removal that was told" if at == 0 else (
                    "told, but a newcomer doesn't read it")

    def atRest(self, state):
        places, processes, acts = state
        for at, (pc, memory, aim) in enumerate(processes):
            if self.trouble(places, memory):
                yield "at rest, somebody is stopped for good"
        if any(pc == "read" for pc, memory, aim in processes) and len(
                self.fold(places)[1]) < self.length:
            yield "at rest, a writer wasn't told"


def change(places, n, there):
    return places[:n] + (there,) + places[n + 1:]
