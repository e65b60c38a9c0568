"""Model: a person's account zone, and what a revocation and the garbage collector take from it.

The account zone is a log of records. Any device of the person may write any record, so a stolen
device may, too, until the account zone contains its revocation. Device D is the desktop. T is the
stolen laptop. N is a device that joins when the revocation is reported as done. The person has one
zone S. It was made on D or on T, and its account record has the founder, the key and the scope of
S. D mirrors S.

There are three kinds of facts. The rules say which kind is read for which question:
    account   the records, with all their versions and the author of each
    container the folders of this person's zones, and their logs once a key opens them
    home      a file on D that isn't a cache; the index is a cache, and may be lost

Hostile steps: T writes a record, a stranger plants a folder, the index of D is lost, the log of S
can't be read to its end for a while. Honest steps: D revokes (chain, account, records, zones,
told), restarts, and collects garbage; N joins.
"""

RIGHT, FOUNDER = "right", "F"
GOOD = (FOUNDER, RIGHT, "private")
# The values that T writes into the record of S: gone, another founder, a key that opens nothing,
# another scope.
FORGED = (None, ("G", RIGHT, "private"), (FOUNDER, "wrong", "private"), (FOUNDER, RIGHT, "public"))


class Rules:
    def __init__(self, **wrong):
        self.versions = True  # all versions of a record count as claims, not only the last one
        self.thiefsToo = True  # ... also those by the revoked device: it may have made the zone
        self.proven = True  # a claim counts if the log opens with it; otherwise the next is tried
        self.restored = True  # what the revoked device wrote last is what it was before, or goes
        self.accountFirst = True  # the account is closed to the device before records are restored
        self.named = True  # a zone that can't be written now is named, and it isn't told as done
        self.folders = True  # gc reads the zones that have a folder, not the account's records
        self.held = True  # a zone that begins rightly and can't be read holds gc back
        self.rubbish = True  # a folder that no claim opens doesn't
        self.home = True  # D's own mounts are stored in its home
        self.nestings = True  # a nesting by a revoked device doesn't count
        for name, value in wrong.items():
            assert hasattr(self, name), name
            setattr(self, name, value)


class Account:
    def __init__(self, rules=None, acts=2, maker="D"):
        self.rules, self.acts, self.maker = rules or Rules(), acts, maker

    # A state: (entries of the account, closed to T?, S: (closed to T?, readable?, packs there?),
    # D: (step of the revocation, mirrors?, has an index?, gc: not yet/held/done), N mirrors?,
    # folder planted?, acts left). An entry: (author, record, value), None for gone.

    def initial(self):
        entries = ((self.maker, "zone", GOOD), ("D", "mount", "S"))
        yield (entries, False, (False, True, True), ("chain", True, True, "no"), None, False,
               self.acts)

    # --- reading

    def last(self, entries, record, without=()):
        for author, name, value in reversed(entries):
            if name == record and author not in without:
                return author, value
        return None, None

    def claims(self, entries):
        """The claims with which S is opened, the newest first."""
        if not self.rules.versions:
            found = [self.last(entries, "zone")]
        else:
            found = [(a, v) for a, name, v in reversed(entries) if name == "zone"]
        if not self.rules.thiefsToo:
            found = [(a, v) for a, v in found if a != "T"]
        found = [(a, v) for a, v in found if v is not None and v[2] == "private" or
                 self.rules.proven and v is not None]
        return found if self.rules.proven else found[:1]

    def opens(self, state):
        """Returns true if D finds S at all, by a claim or by its index."""
        entries, closed, zone, desk = state[:4]
        indexed = desk[2] and self.rules.proven
        return indexed or any(v[0] == FOUNDER and v[1] == RIGHT for a, v in self.claims(entries))

    # --- steps

    def steps(self, state):
        entries, closed, zone, desk, joined, planted, acts = state

        def then(label, hostile=False, entries=entries, closed=closed, zone=zone, desk=desk,
                 joined=joined, planted=planted, acts=acts):
            return (label, (entries, closed, zone, desk, joined, planted, acts), hostile)

        if acts:
            if not closed:
                for value in FORGED:
                    yield then(f"T writes the record of S: {value}", True, acts=acts - 1,
                               entries=entries + (("T", "zone", value),))
                for record, value in (("mount", None), ("mount", "S"), ("nesting", "S")):
                    yield then(f"T writes {record}: {value}", True, acts=acts - 1,
                               entries=entries + (("T", record, value),))
            if not planted:
                yield then("a stranger plants a folder", True, planted=True, acts=acts - 1)
            if desk[2]:
                yield then("D loses its index", True, desk=(desk[0], desk[1], False, desk[3]),
                           acts=acts - 1)
            if zone[1]:
                yield then("the log of S can't be read to its end", True, acts=acts - 1,
                           zone=(zone[0], False, zone[2]))
        if not zone[1]:
            yield then("the log of S can be read again", zone=(zone[0], True, zone[2]))
        yield from self.revoking(state, then)
        yield from self.running(state, then)

    def revoking(self, state, then):
        entries, closed, zone, desk = state[:4]
        step = desk[0]

        def at(next, label, **what):
            return then(label, desk=(next,) + desk[1:], **what)

        first, second = "account", "records"
        if not self.rules.accountFirst:
            first, second = second, first
        if step == "chain":
            yield at(first, "D revokes T in the chain")
        elif step == "account":
            yield at("records" if self.rules.accountFirst else "zones",
                     "D closes the account to T", closed=True)
        elif step == "records":
            yield at("zones" if self.rules.accountFirst else "account",
                     "D restores what T wrote", entries=self.restore(state))
        elif step == "zones":
            if not self.opens(state):
                yield at("told", "D finds no more zones, tells: revoked")
            elif zone[1]:
                yield at("told", "D closes S to T, tells: revoked", zone=(True,) + zone[1:])
            elif not self.rules.named:
                yield at("told", "D can't write in S, tells: revoked")

    def restore(self, state):
        """Writes each record as others left it. For a zone that only T knows, it writes the claim
        that opens the log."""
        entries, added = state[0], []
        if not self.rules.restored:
            return entries
        for record in ("zone", "mount", "nesting"):
            author, value = self.last(entries, record)
            if author != "T" or record == "nesting" and not self.rules.nestings:
                continue
            before = self.last(entries, record, ("T",))[1]
            if record == "zone" and before is None and self.opens(state):
                before = GOOD
            added.append(("D", record, before))
        return entries + tuple(added)

    def running(self, state, then):
        entries, closed, zone, desk, joined, planted, acts = state
        step, mirrors, index, gc = desk
        # A restart: the mounts whose folders are started.
        author, mount = self.last(entries, "mount")
        starts = self.rules.home or mount is not None and author == "D"
        yield then("D restarts", desk=(step, starts, index, gc))
        if gc != "done":
            value = self.last(entries, "zone")[1]
            known = self.opens(state) if self.rules.folders else value is not None and (
                value[:2] == GOOD[:2] and value[2] != "public")
            if planted and not self.rules.rubbish or known and not zone[1] and self.rules.held:
                yield then("gc is held back", desk=(step, mirrors, index, "held"))
            else:
                alive = known and (zone[1] or self.rules.held)
                yield then("D collects garbage", desk=(step, mirrors, index, "done"),
                           zone=zone[:2] + (zone[2] and alive,))
        if step == "told" and joined is None:
            right = self.last(entries, "zone")[1] == GOOD
            nested = self.last(entries, "nesting")[1] is not None
            yield then("N joins", joined=right and mount is not None and not nested)

    # --- properties

    def always(self, state):
        entries, closed, zone, desk, joined, planted, acts = state
        if desk[0] == "told" and not zone[0]:
            yield "told, but the device still reads and writes"
        if not zone[2]:
            yield "gc took what lives"
        if not desk[1]:
            yield "the desktop mirrors nothing"

    def atRest(self, state):
        entries, closed, zone, desk, joined, planted, acts = state
        if desk[0] != "told":
            yield "at rest, the revocation isn't told"
        if desk[3] != "done":
            yield "at rest, gc is held back"
        if joined is False:
            yield "at rest, a new device doesn't mirror the share"
