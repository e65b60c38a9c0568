"""Model: packs and their generations, and the time at which a pack may be deleted.

A zone's state has the lowest open generation, and the list of older packs that live. A pack's key
has the generation that its writer read. The owner retires packs: an entry raises the lowest
generation and lists the packs that the state refers to. Only when that entry stands, older packs
that aren't listed are deleted. A commit is invalid if it adds a place in a pack that is older than
the lowest open generation and not listed. Two zones of one owner share the folder of packs.

A chunk that grew from one of the zone gets the pack of that one. That is what writer 3 does here: it
refers to a chunk that it has seen, and the replay decides whether the zone still has it.

Honest: owner O (retires once in each zone, then deletes; repacks before, if `repack`), and writers
1 and 2. Each writer puts a pack, then commits a reference to it in zone a, or b. Every put and
every look is a step. Zones' logs are decided one place after the other, so a log is a tuple here.
"""


class Rules:
    def __init__(self, **wrong):
        self.judged = True  # the replay refuses references to a retired pack
        self.afterwards = True  # nothing is deleted before the entry that retires it stands
        self.allZones = True  # ... in every zone of the owner
        self.deadChunks = True  # unreferenced chunks leave the state when they are retired
        for name, value in wrong.items():
            assert hasattr(self, name), name
            setattr(self, name, value)


ZONES = ("a", "b")


class Packs:
    def __init__(self, rules=None, repack=True):
        self.rules, self.repack = rules or Rules(), repack

    # A state: (logs of both zones, packs that are there, processes). A pack: (generation, name).
    # An entry: ("use", file, pack), ("drop", file), ("retire", generation, live packs),
    # ("move", from, to). A file's chunk is called like the file.

    def initial(self):
        old = (1, "old")
        logs = ((("use", "kept", old), ("use", "gone", (1, "gone"))), ())
        writers = tuple((zone, "look", None) for zone in ("a", "b"))
        late = ("a", "reuse", None)
        begin = "repack" if self.repack else "retire a"
        yield (logs, frozenset([old, (1, "gone")]), writers + (late, (begin, 0, None)))

    def fold(self, log):
        """(lowest open generation, live packs, file: pack, chunk: pack)"""
        lowest, live, files, chunks = 1, frozenset(), {}, {}
        for entry in log:
            if entry[0] == "use":
                pack = entry[2]
                if self.rules.judged and pack[0] < lowest and pack not in live:
                    continue
                files[entry[1]] = pack
                chunks[entry[1]] = pack
            elif entry[0] == "again":
                if entry[2] in chunks:
                    files[entry[1]] = chunks[entry[2]]
            elif entry[0] == "drop":
                files.pop(entry[1], None)
            elif entry[0] == "move":
                for table in (files, chunks):
                    for name in table:
                        if table[name] == entry[1]:
                            table[name] = entry[2]
            elif entry[0] == "retire":
                lowest, live = entry[1], frozenset(files.values())
                if self.rules.deadChunks:
                    chunks = dict(files)
        return lowest, live, files, chunks

    def steps(self, state):
        logs, packs, processes = state

        def then(at, process, label, logs=logs, packs=packs):
            return (label, (logs, packs, processes[:at] + (process,) + processes[at + 1:]), False)

        def commit(zone, entry):
            n = ZONES.index(zone)
            return logs[:n] + (logs[n] + (entry,),) + logs[n + 1:]

        for at, (zone, pc, known) in enumerate(processes[:-1]):
            name = f"W{at + 1}"
            if pc == "done":
                continue
            lowest, live, files, chunks = self.fold(logs[ZONES.index(zone)])
            length = len(logs[ZONES.index(zone)])
            if pc == "look":
                yield then(at, (zone, "put", (lowest, length)), f"{name} reads {zone}: generation {lowest}")
            elif pc == "put":
                generation, seen = known
                pack = (generation, name)
                yield then(at, (zone, "commit", (pack, seen)), f"{name} puts a pack of "
                           f"generation {generation}", packs=packs | {pack})
            elif pc == "commit":
                pack, seen = known
                if seen != length:
                    stale = self.rules.judged and pack[0] < lowest and pack not in live
                    yield then(at, (zone, "look", None) if stale else
                               (zone, "commit", (pack, length)), f"{name} loses its place, reads on")
                else:
                    yield then(at, (zone, "done", name), f"{name} commits", commit(
                        zone, ("use", name, pack)))
            elif pc == "reuse":
                yield then(at, (zone, "again", length), f"{name} reads {zone}, has the chunk there")
            elif pc == "again":
                if known != length:
                    yield then(at, (zone, "reuse", None), f"{name} loses its place, reads on")
                elif "gone" in chunks:
                    yield then(at, (zone, "done", name), f"{name} refers to a chunk of the zone",
                               commit(zone, ("again", name, "gone")))
                else:
                    yield then(at, (zone, "look", None), f"{name} must bring the chunk itself")
        yield from self.owner(state, then, commit)

    def owner(self, state, then, commit):
        logs, packs, processes = state
        at = len(processes) - 1
        pc, n, known = processes[at]
        folds = [self.fold(log) for log in logs]
        if pc == "repack":
            new = (folds[0][0], "new")
            if new not in packs:
                yield then(at, (pc, n, None), "O puts a new pack with what it repacks",
                           packs=packs | {new})
            else:
                yield then(at, ("retire a", 0, None), "O commits the new places",
                           commit("a", ("move", (1, "old"), new)))
        elif pc == "retire a":
            if "gone" in folds[0][2]:
                yield then(at, (pc, n, None), "a file is deleted", commit("a", ("drop", "gone")))
            elif not self.rules.afterwards and known is None:
                yield then(at, (pc, n, self.garbage(state, folds, 2)),
                           "O lists what is to go, before it retires")
            else:
                yield then(at, ("retire b" if self.rules.allZones else "throw", n, known),
                           "O retires generation 1 in a", commit("a", ("retire", 2, None)))
        elif pc == "retire b":
            yield then(at, ("throw", n, known), "O retires generation 1 in b",
                       commit("b", ("retire", 2, None)))
        elif pc == "throw":
            going = known if known is not None else self.garbage(state, folds, None)
            for pack in sorted(going & packs):
                yield then(at, (pc, n, known), f"O throws away {pack}", packs=packs - {pack})

    def garbage(self, state, folds, lowest):
        zones = folds if self.rules.allZones else folds[:1]
        return frozenset(pack for pack in state[1] if all(
            pack[0] < (lowest or fold[0]) and pack not in fold[1]
            and pack not in fold[2].values() for fold in zones))

    def always(self, state):
        logs, packs, processes = state
        for zone, log in zip(ZONES, logs):
            lowest, live, files, chunks = self.fold(log)
            if any(pack not in packs for pack in files.values()):
                yield "what the log refers to is gone"
            for owner, pc, name in processes[:-1]:
                if pc == "done" and owner == zone and name not in files:
                    yield "what was told is void"

    def atRest(self, state):
        logs, packs, processes = state
        if any(pc != "done" for zone, pc, known in processes[:-1]):
            yield "at rest, a writer wasn't told"
        used = {pack for log in logs for pack in self.fold(log)[2].values()}
        if self.rules.afterwards and any(pack[0] < 2 and pack not in used for pack in packs):
            yield "at rest, an orphan of a retired generation is still there"
