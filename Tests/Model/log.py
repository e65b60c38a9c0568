"""The base of the models of a log: entries, a store with names, and the replay that every reader
does.

An entry is a number into tables. The entry that it names as `previous` is part of it. The number is
therefore also the entry's digest, and stands for the whole log that ends in it. Entry 0 is the
beginning. The key of an epoch is the entry that brought it, so two pasts never share a key. A place
is (key, number). Only somebody with the key can compute its name.
"""

RUBBISH = -1  # an object that can't be opened, or isn't signed
HOSTILE = "T"  # the device that loses its rights by an entry of kind "remove"
REVOKED = "D"  # a stolen one: revoked in its person's chain, and by that entry in the zone
ADVERSARY = (HOSTILE, REVOKED)


class Entries:
    """All entries that were ever made, each once."""

    def __init__(self):
        self.number = {}
        self.previous, self.author, self.kind = [None], [None], [None]
        self.depth, self.key, self.keys = [0], [0], [frozenset([0])]
        self.valid, self.removed = [True], [False]
        self.chain, self.payloads = [()], [()]

    def make(self, previous, author, kind="write"):
        """Returns the entry of that author behind `previous`."""
        what = (previous, author, kind)
        number = self.number.get(what)
        if number is not None:
            return number
        number = self.number[what] = len(self.previous)
        self.previous.append(previous)
        self.author.append(author)
        self.kind.append(kind)
        self.depth.append(self.depth[previous] + 1)
        right = kind == "write" or kind == "other" or author == 1
        self.valid.append(
            self.valid[previous] and right and not (
                author in ADVERSARY and self.removed[previous]))
        self.removed.append(self.removed[previous] or kind == "remove")
        raises = kind in ("remove", "raise")
        self.key.append(number if raises else self.key[previous])
        self.keys.append(self.keys[previous] | {number} if raises else self.keys[previous])
        self.chain.append(self.chain[previous] + (number,))
        honest = (author,) if author not in ADVERSARY and kind != "raise" else ()
        self.payloads.append(self.payloads[previous] + honest)
        return number

    def within(self, old, new):
        """Returns true if the log that ends in `new` contains `old`."""
        return old == 0 or self.depth[old] <= self.depth[new] and (
            self.chain[new][self.depth[old] - 1] == old)

    def place(self, entry):
        return (self.key[self.previous[entry]], self.depth[entry])


class Rules:
    """The rules that readers and writers follow. A sabotage turns one off."""

    def __init__(self, **wrong):
        self.ahead = True  # look at the place behind a free one
        self.run = 8  # a copy is looked for over that many places
        self.marks = True  # the end of an epoch is told under a name of that epoch
        self.copies = True  # altered or missing entries are found among copies
        self.fill = True  # a free place is filled with the copy, not passed over
        self.sameDevice = True  # a copy displaces a standing entry of the same device only
        self.invalidToo = True  # ... also one that isn't valid where it stands
        self.revokedGivesWay = True  # ... but a revoked device's objects displace nothing
        self.revokedUnheard = True  # a revoked device's objects behind a place prove nothing
        self.allProofs = True  # all proofs ahead are followed, not only the nearest
        self.markFirst = True  # the record of the epoch's end counts before nearer objects
        self.byTheEnd = True  # an epoch that is over is read by the entry that ended it
        self.ownerDisplaces = True  # ... before which all entries give way, if the owner ended it
        self.markStands = True  # an end that is marked stands, whatever is put behind it
        self.holdBefore = True  # an entry isn't applied while one behind it names another
        self.needStanding = True  # a run of copies has to lead to a standing entry
        self.longest = False  # the longest log over places and copies
        self.oldKeys = True  # copies stand under the entry's own key, too
        self.previousAfter = True  # told only if the entry before still stands after the put
        self.behindAfter = True  # told only if nothing behind names another entry, after the put
        self.markAfter = True  # told only if the epoch hasn't ended, after the put
        self.secretNames = True  # a stranger can't compute a name
        self.anchors = True  # a newcomer's log has to pass through the anchor
        self.upkeep = True  # readers of an entry look after it later, too
        self.compare = True  # a person removes only the object that was looked at
        for name, value in wrong.items():
            assert hasattr(self, name), name
            setattr(self, name, value)


class View:
    """A store as one reader finds it at one time: places, copies, marks at the end of epochs."""

    def __init__(self, entries, rules, places, copies, marks):
        self.entries, self.rules = entries, rules
        self.places = {name: (owner, content) for name, owner, content in places}
        self.copies = copies
        self.marks = {key: content for key, owner, content in marks}

    def at(self, name):
        """Returns the object there: an entry, RUBBISH, or None."""
        there = self.places.get(name)
        return there[1] if there else None

    def stands(self, entry):
        return entry == 0 or self.at(self.entries.place(entry)) == entry

    def copied(self, entry, keys):
        return self.rules.copies and any((key, entry, True) in self.copies for key in keys)

    def available(self, entry, keys):
        return (self.entries.place(entry)[0] in keys and self.stands(entry)) or (
            self.copied(entry, keys))

    def walk(self, target, head, keys, trusted=False, filling=False, exact=False):
        """Returns true if `target` can be reached: by walking back from it through standing objects
        and copies to an entry of the log that ends in `head`, or exactly to `head` with `exact`.
        The walk must displace no standing entry that it mustn't, unless it is trusted: an
        anchor."""
        entries = self.entries
        if not entries.valid[target]:
            return False
        isOwners = self.rules.ownerDisplaces and entries.author[target] == 1 and (
            entries.key[target] == target)
        at = target
        while not entries.within(at, head):
            if at != target and (not self.available(at, keys) or (
                    self.rules.fill and not trusted and not filling and self.at(entries.place(at)) is None)):
                return False
            if not trusted and not isOwners and self.rules.sameDevice and self.displaces(at, head):
                return False
            at = entries.previous[at]
        if exact:
            return at == head
        if trusted:
            return True
        if entries.depth[target] <= entries.depth[head]:
            return False
        if not self.rules.sameDevice:
            return True
        for old in entries.chain[head][entries.depth[at]:]:
            depth = entries.depth[old]
            new = entries.chain[target][depth - 1]
            if self.stands(old) and not self.givesWay(old, new):
                return False
        return True

    def givesWay(self, there, entry):
        """Returns true if the object there gives way to a copy of another entry of that place."""
        author = self.entries.author[there]
        return author == self.entries.author[entry] or (
            self.rules.revokedGivesWay and author == REVOKED)

    def displaces(self, entry, head):
        """Returns true if a copy of the entry would replace one that another device has signed and
        put there."""
        entries = self.entries
        there = self.at(entries.place(entry))
        if there in (None, RUBBISH, entry) or self.givesWay(there, entry):
            return False
        isNext = entries.place(entry) == (entries.key[head], entries.depth[head] + 1)
        isValid = entries.previous[there] == head and entries.valid[there]
        return self.rules.invalidToo or isValid or not isNext

    def behind(self, entry, keys=None):
        """The entries behind `entry` that somebody with the right to write signed: under the key in
        force after it, and under the one before it if it raises the epoch. With `keys`, they may be
        under any of these. Rubbish doesn't count, because it names nothing."""
        entries = self.entries
        if not self.rules.ahead:
            return None
        depth = entries.depth[entry] + 1
        if keys is None:
            keys = {entries.key[entry]}
            if entry:
                keys.add(entries.place(entry)[0])
        for key in sorted(keys, reverse=True):
            there = self.at((key, depth))
            if there is not None and there != RUBBISH and self.isHeard(there, entry) and not (
                    self.rules.revokedUnheard and entries.author[there] == REVOKED):
                return there
        return None

    def isHeard(self, there, head):
        """Returns true if the author may write in the state after `head`."""
        return not (self.entries.author[there] in ADVERSARY and self.entries.removed[head])

    def ahead(self, head, keys):
        """The objects further on: the entry that the mark names, then the places behind the next
        one."""
        found = list(self.allAhead(head, keys))
        return found if self.rules.allProofs else found[:1]

    def mark(self, head):
        """The entry that ended the epoch in force after `head`, from its mark, if that counts."""
        mark = self.marks.get(self.entries.key[head]) if self.rules.marks else None
        return mark if mark and mark != RUBBISH and self.stands(mark) else None

    def allAhead(self, head, keys):
        entries, depth = self.entries, self.entries.depth[head]
        mark = self.mark(head)
        if mark and self.rules.markFirst:
            yield mark
        late = []
        for n in range(depth + 2, depth + 2 + self.rules.run) if self.rules.ahead else ():
            for key in sorted(keys, reverse=True):
                there = self.at((key, n))
                if there is not None and there != RUBBISH and self.isHeard(there, head):
                    if entries.author[there] == REVOKED:
                        late.append(there)
                    else:
                        yield there
        yield from late
        if mark and not self.rules.markFirst:
            yield mark

    def hole(self, head, keys):
        """The entry that belongs into a free place behind `head` and has a copy."""
        entries, found = self.entries, None
        there = self.at((entries.key[head], entries.depth[head] + 1))
        valid = there is not None and there != RUBBISH and entries.previous[there] == head and (
            entries.valid[there])
        for target in self.ahead(head, keys) if self.rules.fill else ():
            if not self.walk(target, there if valid else head, keys, filling=True):
                continue
            at = entries.previous[target] if entries.valid[target] else 0
            while at and not entries.within(at, head) and self.available(at, keys):
                if self.at(entries.place(at)) is None:
                    found = at
                at = entries.previous[at]
            if found:
                return found
        return None

    def next(self, head, keys, exact=False):
        """The step of a reader that has read up to `head`: ("apply", entry), ("jump", entry) if
        copies lead there, ("held", None), or ("end", None)."""
        entries = self.entries
        key, depth = entries.key[head], entries.depth[head]
        mark = self.mark(head)
        isNext = mark and entries.previous[mark] == head
        if self.rules.byTheEnd and mark and (self.rules.markStands or not isNext) and (
                self.walk(mark, head, keys, exact=True)):
            return "jump", mark
        there = self.at((key, depth + 1))
        if there is not None and there != RUBBISH and (
                entries.previous[there] == head and entries.valid[there]):
            target = self.behind(there)
            if not target or entries.previous[target] == there:
                return "apply", there
            if self.rules.markStands and there == mark:
                return "apply", there
            for target in self.ahead(head, keys | entries.keys[there]):
                if target != there and self.walk(target, head if exact else there, keys, exact=exact):
                    return "jump", target
            return ("held", None) if self.rules.holdBefore else ("apply", there)
        amiss = there is not None or self.rules.marks and key in self.marks
        for target in self.ahead(head, keys):
            if entries.previous[target] != head:
                amiss = True
                if self.walk(target, head, keys, exact=exact):
                    return "jump", target
        return ("held" if amiss else "end"), None

    def fold(self, keyring, anchor=None):
        """The result of a reader without memory: (head, how it ends), with "end" if nothing is
        amiss."""
        entries = self.entries
        if self.rules.longest:
            return self.foldLongest(keyring)
        head = 0
        while True:
            keys = keyring | entries.keys[head]
            how, target = self.next(head, keys, exact=True)
            if anchor and (target is None or entries.depth[target] >= entries.depth[anchor]) and (
                    not entries.within(anchor, target or head)):
                if entries.within(anchor, head):
                    return head, "held"
                if not self.available(anchor, keys) or not self.walk(anchor, head, keys, True):
                    return head, "disputed"
                how, target = "jump", anchor
            if how in ("held", "end") and not self.rules.needStanding:
                copied = [e for k, e, good in self.copies if good and k in keys
                          and entries.previous[e] == head and entries.valid[e]]
                how, target = ("jump", min(copied)) if copied else (how, None)
            if how in ("held", "end"):
                return head, how
            head = target

    def foldLongest(self, keyring):
        """The wrong rule: the longest valid log over all objects."""
        entries, best = self.entries, 0
        pending = [0]
        known = [c for _, c in self.places.values() if c != RUBBISH]
        known += [e for k, e, good in self.copies if good]
        while pending:
            head = pending.pop()
            if entries.depth[head] > entries.depth[best]:
                best = head
            pending += {e for e in known if entries.previous[e] == head and entries.valid[e]
                        and self.available(e, keyring | entries.keys[head])}
        return best, "end"
