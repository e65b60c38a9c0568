"""The model of floor.py with the production reader: `LogCursor` of Sources/CairnZone reads the log,
instead of the rule in floor.py. The program of Tests/LogCases plays it, as in cursor.py.

The owner, the writers and newcomers read without interruption. For the reader R, each look is a
step, so the owner may delete entries between any two of its looks. The founding entry is deleted
with the first one. A newcomer that finds it reads from there, and otherwise from the log start.
"""
from cursor import Program, found
from floor import Floor, set


class Entries:
    """The numbers of entries. A log is the tuple of its entries' names."""

    def __init__(self):
        self.previous, self.author, self.kind = [0], [""], [""]
        self.numbers, self.logs = {(): 0}, [()]

    def number(self, log):
        if log not in self.numbers:
            previous = self.number(log[:-1])
            self.numbers[log] = len(self.logs)
            self.logs.append(log)
            self.previous.append(previous)
            self.author.append({"W1": "2", "W2": "3"}.get(log[-1], "1"))
            self.kind.append("floor" if log[-1] == "floor" else "write")
        return self.numbers[log]


class FloorCursor(Floor):
    def __init__(self, *arguments, mistake=None, **named):
        super().__init__(*arguments, **named)
        self.entries, self.asked, self.newcomers = Entries(), {}, {}
        self.program = Program.named(mistake and found(mistake))
        self.program.begin(compacted=True)

    def ask(self, log, answers):
        """Returns the reader's next look, or how it ends, after these answers."""
        key = (log, answers)
        if key not in self.asked:
            head = self.entries.number(log)
            self.asked[key] = self.program.ask(self.entries, head, None, [0], answers)
        return self.asked[key]

    def look(self, places, pointer, what):
        """Returns what a look finds; None if it is an act."""
        words = what.split(" ")
        if words[0] == "founding":
            return "stands" if places[0] else "-"
        if words[0] == "start":
            return str(self.entries.number(pointer)) if pointer and self.rules.pointer else "-"
        if words[0] == "mark":
            return "-"
        if words[0] == "at":
            return self.shown(places, int(words[2]))
        if words[0] == "find":
            return "stands" if self.stands(places, self.entries.logs[int(words[1])]) else "-"
        if words[0] == "behind":
            seen = [self.shown(places, n) for n in range(int(words[1]), int(words[2]) + 1)]
            return ",".join(entry for entry in seen if entry != "-") or "-"
        return None

    def shown(self, places, n):
        entry = places[n - 1] if n <= len(places) else None
        return str(self.entries.number(entry[1] + (entry[0],))) if entry else "-"

    def filled(self, places, what):
        """Returns the places after the reader has put an entry into a free one."""
        _, key, n, entry = what.split(" ")
        log = self.entries.logs[int(entry)]
        return places if places[int(n) - 1] else set(places, int(n) - 1, (log[-1], log[:-1]))

    def answer(self, places, pointer, what):
        """Returns the answer to a look, and the places after it."""
        found = self.look(places, pointer, what)
        return (found, places) if found is not None else ("1", self.filled(places, what))

    def read(self, places, pointer, log):
        """Reads without interruption. Returns the log, and the places then."""
        answers = ()
        while True:
            head, kind, what = self.ask(log, answers)
            if kind == "end":
                return self.entries.logs[head], places
            answer, places = self.answer(places, pointer, what)
            answers += (answer,)

    def reading(self, state, name, pc, log, then):
        places, pointer, processes = state
        if not pc.startswith("looks"):
            after, filled = self.read(places, pointer, log)
            if after == log and filled == places:
                return
            if name != "R":
                yield then(f"reads to {len(after)}", log=after, places=filled)
                return
        answers = tuple(pc.split(" ")[1:])
        head, kind, what = self.ask(log, answers)
        if kind == "end":
            after = self.entries.logs[head]
            yield then(f"has read {len(after)}: {what}", "idle", after)
            return
        answer, places = self.answer(places, pointer, what)
        yield then(f"looks: {what}", " ".join(("looks",) + answers + (answer,)), places=places)

    def newcomer(self, state):
        places, pointer, processes = state
        key = (places, pointer)
        if key not in self.newcomers:
            self.newcomers[key] = self.read(places, pointer, ())[0]
        return self.newcomers[key]
