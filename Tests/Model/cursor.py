"""The model of zonelog.py with the production reader: `LogCursor` of Sources/CairnZone reads the
log, instead of the rules in log.py. The program of Tests/LogCases plays it, one look at a time.

Newcomers read without interruption, in each state. The reader R reads in steps: each of its looks
is a step, and everybody else's steps come in between, in every order. A look is one request, or one
batch of requests that are made together. R fills free places itself.
"""
import os
import subprocess
from pathlib import Path

from log import RUBBISH
from zonelog import ZoneLog, put

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCES = ROOT / "Sources/CairnZone"
OWN = [ROOT / "Tests" / name for name in (
    "LogCases/LogCases.swift", "CairnZoneTests/LogWorld.swift", "CairnZoneTests/ModelReader.swift")]


class Program:
    """The program with the production reader, or with one that has a mistake on purpose: a file, a
    text in it, and the wrong text."""

    built = {}

    def __init__(self, mistake=None):
        folder = ROOT / ".build/log-cases" / (mistake[0] if mistake else "right")
        folder.mkdir(parents=True, exist_ok=True)
        program = folder / "log-cases"
        sources = sorted(SOURCES.glob("*.swift"))
        newest = max(file.stat().st_mtime for file in [*sources, *OWN, Path(__file__)])
        if not program.exists() or program.stat().st_mtime < newest:
            self.compile(folder, sources, mistake)
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, bufsize=1 << 16)
        self.sent = 1

    @classmethod
    def named(cls, mistake=None):
        name = mistake[0] if mistake else None
        if name not in cls.built:
            cls.built[name] = cls(mistake)
        return cls.built[name]

    def compile(self, folder, sources, mistake):
        texts = {file.name: file.read_text() for file in sources}
        if mistake:
            name, file, right, wrong = mistake
            assert texts[file].count(right) == 1, f"{name}: {file} has changed"
            texts[file] = texts[file].replace(right, wrong)
        for name, text in texts.items():
            (folder / name).write_text(text)
        common = ["swiftc", "-Onone" if mistake else "-O", "-wmo", "-parse-as-library", "-swift-version", "6", "-I", folder]
        subprocess.run([*common, "-module-name", "CairnZone", "-emit-module",
                        "-emit-module-path", folder / "CairnZone.swiftmodule",
                        "-c", "-o", folder / "CairnZone.o", *(folder / name for name in texts)],
                       check=True)
        subprocess.run([*common, "-module-name", "LogCases", "-o", folder / "log-cases", *OWN,
                        folder / "CairnZone.o"], check=True)

    def begin(self, compacted=False):
        """Another model begins, with entries of its own."""
        self.process.stdin.write("anew\ncompacted\n" if compacted else "anew\n")
        self.sent = 1

    def ask(self, entries, head, anchor, keys, answers):
        write = self.process.stdin.write
        while self.sent < len(entries.previous):
            n = self.sent
            write(f"entry {n} {entries.previous[n]} {entries.author[n]} {entries.kind[n]}\n")
            self.sent += 1
        names = ",".join(str(key) for key in sorted(keys))
        write(f"step {head} {'-' if anchor is None else anchor} {names} ; {' '.join(answers)}\n")
        self.process.stdin.flush()
        head, kind, what = self.process.stdout.readline().rstrip("\n").split(" ", 2)
        return int(head), kind, what


class CursorLog(ZoneLog):
    def __init__(self, *arguments, mistake=None):
        super().__init__(*arguments)
        self.program = Program.named(mistake and found(mistake))
        self.program.begin()
        self.asked = {}

    def ask(self, head, anchor, keys, answers):
        """Returns the reader's next look, or how it ends, after these answers."""
        key = (head, anchor, keys, answers)
        found = self.asked.get(key)
        if found is None:
            found = self.asked[key] = self.program.ask(self.entries, head, anchor, keys, answers)
        return found

    def look(self, view, what):
        """Returns what a look finds; None if it is an act."""
        words = what.split(" ")
        if words[0] == "at":
            return shown(view.at((int(words[1]), int(words[2]))))
        if words[0] == "mark":
            return shown(view.marks.get(int(words[1])))
        keys = [int(key) for key in words[-1].split(",") if key]
        if words[0] == "find":
            entry = int(words[1])
            if self.entries.place(entry)[0] in keys and view.stands(entry):
                return "stands"
            return "copy" if view.copied(entry, keys) else "-"
        if words[0] == "behind":
            found = [view.at((key, n)) for n in range(int(words[1]), int(words[2]) + 1)
                     for key in keys]
            return ",".join(str(e) for e in found if e not in (None, RUBBISH)) or "-"
        return None

    # A newcomer, who reads without interruption.

    def fold(self, state, keyring, anchor=None):
        key = (state[:3], keyring, anchor)
        if key not in self.folds:
            head, how, places = self.read(state, 0, keyring, anchor)
            self.folds[key] = head, how
        return self.folds[key]

    def read(self, state, head, keys, anchor=None):
        """Returns the end of a reading: the last entry, how it ends, and the places then."""
        places, answers = state[0], ()
        while True:
            view = self.view((places, *state[1:]))
            found, kind, what = self.ask(head, anchor, keys, answers)
            if kind == "end":
                return found, what, places
            answer = self.look(view, what)
            if answer is None:
                answer, places = "1", self.filled(places, what)
            answers += (answer,)

    def filled(self, places, what):
        """Returns the places after the reader has put an entry into a free one."""
        _, key, n, entry = what.split(" ")
        name = (int(key), int(n))
        taken = any(name == other for other, owner, content in places)
        return places if taken else put(places, name, "R", int(entry))

    # The reader R, whose looks are steps.

    def processSteps(self, state, view, at):
        pc, head, own = state[3][at]
        if at < len(self.writers):
            yield from super().processSteps(state, view, at)
            return
        keys = self.entries.keys[head]
        if pc == "idle":
            for label, after, hostile in super().processSteps(state, view, at):
                if not label.startswith(("R reads", "R fills")):
                    yield label, after, hostile
            found, how, places = self.read(state, head, keys)
            if found == head and places == state[0]:
                return
            answers = ()
        else:
            answers = tuple(pc.split(" ")[1:])
        found, kind, what = self.ask(head, None, keys, answers)
        if kind == "end":
            yield f"R has read {self.entries.depth[found]}: {what}", self.changed(
                state, at, ("idle", found, own)), False
            return
        answer, places = self.look(view, what), state[0]
        if answer is None:
            answer, places = "1", self.filled(places, what)
        pc = " ".join(("reads",) + answers + (answer,))
        yield f"R looks: {what}", self.changed(state, at, (pc, head, own), places=places), False


def shown(content):
    return "-" if content is None else str(content)


# Mistakes in the production reader that the models must find: a name, the file, the right text and
# the wrong one.
MISTAKES = {
    "nothing behind a free place is looked at": (
        "LogCursor+Steps.swift", "guard !batch.entries.isEmpty else { return work.phase = .behind }",
        "guard !batch.entries.isEmpty else { return work.phase = .ending }"),
    "an entry behind contradicts nothing": (
        "LogCursor.swift", "!behind.isRevoked, behind.previous != digest else",
        "behind.previous == .zero, behind.previous != digest else"),
    "an ended epoch is read from its beginning": (
        "LogCursor+Steps.swift", "let end = work.checkedEpoch == epoch ? nil : try followEnd(context)",
        "let end = End?.some(.marked)"),
    "a reader without its head asks for no log start": (
        "LogCursor+Steps.swift", "work.phase = isThere ? .reading : .starting",
        "work.phase = isThere ? .reading : .comparing(header.sequence, isOther: false)"),
    "a reader without its head reads on": (
        "LogCursor+Steps.swift", "work.phase = isThere ? .reading : .starting",
        "work.phase = .reading"),
}


def found(name):
    """Returns a mistake, with the name of its folder first."""
    return ("-".join(name.replace("'", "").split()), *MISTAKES[name])
