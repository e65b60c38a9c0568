"""Model: a host that lies. It shows different people different pasts of one log.

The host accepts puts of each of two groups on a branch of its own, hides ends from anybody, and
moves a person to the other branch at any time. It can't sign, so all entries are people's own. The
promise is fork consistency: nobody changes over to another past without noticing, and a newcomer
whose anchor isn't in the log notices. Two people who meet compare heads. A link, an invitation, a
device code or an entry that names a chain carries one.

Honest: 1 (its entry removes T) and 2 write. 3 is a newcomer with an anchor from a writer who was
told.
"""


class Rules:
    def __init__(self, **wrong):
        self.previous = True  # an entry names the one before
        self.anchor = True  # a newcomer's log has to pass through the anchor
        self.lookBack = True  # a reader makes sure that the last entry it read still stands
        for name, value in wrong.items():
            assert hasattr(self, name), name
            setattr(self, name, value)


class Host:
    def __init__(self, acts, length, rules=None):
        self.acts, self.length, self.rules = acts, length, rules or Rules()

    # A state: (branches, people, newcomer, acts left). A branch: a tuple of (author, log before).
    # A person: (branch, log read, told, noticed); a log is a tuple of authors.

    def initial(self):
        yield (((), ()), ((0, (), 0, False), (0, (), 0, False)), None, self.acts)

    def steps(self, state):
        branches, people, newcomer, acts = state
        for at, (branch, log, told, noticed) in enumerate(people):
            def then(label, branch=branch, log=log, told=told, noticed=noticed, branches=branches):
                changed = people[:at] + ((branch, log, told, noticed),) + people[at + 1:]
                return f"W{at + 1} {label}", (branches, changed, newcomer, acts), False

            shown = branches[branch]
            if noticed:
                continue
            if self.rules.lookBack and log and (
                    len(shown) < len(log) or shown[len(log) - 1] != (log[-1], log[:-1])):
                yield then("notices that its head isn't there", noticed=True)
            elif len(shown) > len(log):
                author, before = shown[len(log)]
                if not self.rules.previous or before == log:
                    yield then(f"reads {len(log) + 1}", log=log + (author,))
                else:
                    yield then("notices an entry that names another past", noticed=True)
            elif len(shown) == len(log) and not told and len(log) < self.length:
                entry = (at + 1, log)
                yield then(f"puts its entry at {len(log) + 1}, is told: stored",
                           log=log + (at + 1,), told=len(log) + 1,
                           branches=change(branches, branch, shown + (entry,)))
        for branch in (0, 1) if newcomer is None else ():
            for at, (where, log, told, noticed) in enumerate(people):
                if told and not noticed:
                    read = self.reads(branches[branch])
                    amiss = self.rules.anchor and read[:len(log)] != log
                    yield (f"a newcomer with the anchor of W{at + 1} is shown branch {branch + 1}",
                           (branches, people, (read, at, log, amiss), acts), True)
        if acts:
            yield from self.hostile(state)

    def reads(self, shown):
        log = ()
        for author, before in shown:
            if self.rules.previous and before != log:
                break
            log += (author,)
        return log

    def hostile(self, state):
        branches, people, newcomer, acts = state
        for at, (branch, log, told, noticed) in enumerate(people):
            moved = people[:at] + ((1 - branch, log, told, noticed),) + people[at + 1:]
            yield f"the host shows W{at + 1} the other branch", (branches, moved, newcomer, acts - 1), True
        for branch in (0, 1):
            shown = branches[branch]
            if shown:
                yield (f"the host hides the end of branch {branch + 1}",
                       (change(branches, branch, shown[:-1]), people, newcomer, acts - 1), True)
            other = branches[1 - branch]
            if len(other) > len(shown):
                yield (f"the host copies an entry to branch {branch + 1}",
                       (change(branches, branch, shown + (other[len(shown)],)), people, newcomer,
                        acts - 1), True)

    def always(self, state):
        branches, people, newcomer, acts = state
        if newcomer:
            read, at, anchor, amiss = newcomer
            if not amiss and 1 in anchor and 1 not in read:
                yield "a newcomer doesn't read the removal that was told"
            if not amiss and read[:len(anchor)] != anchor:
                yield "a newcomer reads another past than who let it in"
        for at, (branch, log, told, noticed) in enumerate(people):
            if told and log[told - 1:told] != (at + 1,) and not noticed:
                yield "somebody went over to another past"
        (_, one, _, noticedOne), (_, two, _, noticedTwo) = people
        shared = branches[people[0][0]] == branches[people[1][0]] and people[0][0] == people[1][0]
        shown = self.reads(branches[people[0][0]])
        if shared and not noticedOne and not noticedTwo and len(one) == len(two) == len(shown) and (
                one != two):
            if not self.rules.lookBack or all(self.fits(branches, p) for p in people):
                yield "two who are shown one store have read different logs"

    def fits(self, branches, person):
        branch, log, told, noticed = person
        shown = branches[branch]
        return not log or len(shown) >= len(log) and shown[len(log) - 1] == (log[-1], log[:-1])

    def atRest(self, state):
        branches, people, newcomer, acts = state
        for at, (branch, log, told, noticed) in enumerate(people):
            if not noticed and log != self.reads(branches[branch])[:len(log)]:
                yield "at rest, somebody doesn't notice another past"
            if not noticed and not told and len(log) < self.length and len(branches[branch]) == len(log):
                yield "at rest, a writer wasn't told"


def change(parts, n, part):
    return parts[:n] + (part,) + parts[n + 1:]
