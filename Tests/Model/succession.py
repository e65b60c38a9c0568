"""Model: a share goes to a successor without its owner's help. The log decides it, without a clock.

The owner O names successors. More than half of them must confirm a claim, its author among them,
and each confirms one claim at a time. Then the author takes the zone over. The order of the log is
given, so the log is a tuple here. An entry is judged in the state that those before it make, and
changes nothing if it isn't valid there.

Honest: O names, and may refuse, remove and invite people, or be gone: none of these acts is ever
due. H claims, and takes over. C confirms a claim of H, and may have confirmed one of M before.
Hostile: M, a successor and administrator with a modified program, who never waits.
"""

OWNER = "O"
MOST = "somebody took over without most of the named people"
SILENT = "somebody took over who didn't claim it in an earlier entry"
FORMER = "somebody took over who wasn't named, or whose part had ended"
TWICE = "a second person took over by a decision of the former owner"


class Rules:
    def __init__(self, **wrong):
        self.majority = True  # more than half of the named people, and not one of them
        self.fixed = True  # the number stays if people are removed
        self.sameNumber = True  # ... and if the owner refuses
        self.oneClaim = True  # a confirmation replaces the earlier one of the same person
        self.claimed = True  # nobody takes over without a claim
        self.before = True  # ... in an earlier entry
        self.withdrawn = True  # a claim that is withdrawn takes its confirmations along
        self.refused = True  # a refusal ends confirmations, too
        self.inOrder = True  # an entry is judged at its place, not where its author had read
        self.once = True  # the former owner's decision ends with the change of the owner
        self.leaves = True  # a person whose part ended is no successor, even if invited again
        for name, value in wrong.items():
            assert hasattr(self, name), name
            setattr(self, name, value)


class State:
    """The state after some entries."""

    def __init__(self, people):
        self.owner, self.inside = OWNER, frozenset(people)
        self.named, self.needed = frozenset(), 0
        self.votes = frozenset()  # (person, claimant, number of the entry)
        self.takeovers = ()  # (person, number of the entry)

    def but(self, **changes):
        after = State(())
        after.__dict__.update(self.__dict__)
        after.__dict__.update(changes)
        return after

    def claims(self, user):
        return any(by == user == claimant for by, claimant, at in self.votes)

    def claimOf(self, user):
        return next((at for by, claimant, at in self.votes if by == user == claimant), None)

    def confirming(self, user):
        return {by for by, claimant, at in self.votes if claimant == user}


class Succession:
    def __init__(self, people=("C", "H", "M"), entries=7, acts=3, rules=None):
        self.people, self.entries, self.acts = people, entries, acts
        self.rules = rules or Rules()

    # A state of the model is a log. An entry: (author, kind, person, entries that the author had
    # read).

    def initial(self):
        yield ((OWNER, "names", "", 0),)

    def states(self, log):
        states = [State(self.people)]
        for number, (author, kind, person, read) in enumerate(log):
            now = states[-1]
            judge = now if self.rules.inOrder else states[read]
            valid = self.isValid(judge, author, kind, person, number)
            states.append(self.after(now, author, kind, person, number) if valid else now)
        return states

    def isValid(self, state, author, kind, person, number):
        rules = self.rules
        if kind in ("names", "refuses", "takes back"):
            return author == state.owner
        if kind in ("removes", "invites"):
            return (author == state.owner or author in state.inside) and person != state.owner
        if author not in state.named or author not in state.inside:
            return False
        if kind == "withdraws":
            return any(by == author for by, claimant, at in state.votes)
        if kind == "confirms":
            return person == author or state.claims(person)
        if kind == "claims and takes over":
            return not rules.before and (state.needed == 1 or not rules.majority)
        if not state.claims(author) and rules.claimed:
            return False
        count = len(state.confirming(author) | ({author} if not rules.claimed else set()))
        return count >= state.needed or not rules.majority

    def after(self, state, author, kind, person, number):
        rules = self.rules
        if kind == "names":
            named = state.inside
            return state.but(named=named, needed=len(named) // 2 + 1, votes=frozenset())
        if kind == "refuses":
            kept = frozenset() if rules.refused else frozenset(
                vote for vote in state.votes if vote[0] != vote[1])
            needed = state.needed if rules.sameNumber else len(state.named) // 2 + 1
            return state.but(votes=kept, needed=needed)
        if kind == "invites":
            return state.but(inside=state.inside | {person})
        if kind == "removes":
            inside = state.inside - {person}
            if not rules.leaves:
                return state.but(inside=inside)
            named = state.named - {person}
            votes = frozenset(vote for vote in state.votes if person not in vote[:2])
            needed = state.needed if rules.fixed else len(named) // 2 + 1
            return state.but(inside=inside, named=named, votes=votes, needed=needed)
        if kind in ("confirms", "withdraws"):
            votes = state.votes
            if kind == "confirms" and (author, person) in {vote[:2] for vote in votes}:
                return state
            if rules.oneClaim or kind == "withdraws":
                votes = frozenset(vote for vote in votes if vote[0] != author)
            if rules.withdrawn:
                votes = frozenset(vote for vote in votes if vote[1] != author)
            if kind == "confirms":
                votes |= {(author, person, number)}
            return state.but(votes=votes)
        change = {"owner": author, "takeovers": state.takeovers + ((author, number),)}
        change["inside"] = state.inside - {author} | {state.owner}
        if rules.once:
            change.update(named=frozenset(), needed=0)
        return state.but(votes=frozenset(), **change)

    # --- steps

    def steps(self, log):
        if len(log) >= self.entries:
            return
        states = self.states(log)
        now = states[-1]

        def put(author, kind, person="", hostile=False, read=len(log)):
            told = f"{author} {kind} {person}".strip()
            told += "" if read == len(log) else f", having read {read} entries"
            return told, log + ((author, kind, person, read),), hostile

        if now.owner == OWNER:
            if any(by == claimant for by, claimant, at in now.votes):
                yield put(OWNER, "refuses", hostile=True)
            if "M" in now.inside:
                yield put(OWNER, "removes", "M", True)
            elif "M" in self.people:
                yield put(OWNER, "invites", "M", True)
        if "H" in now.named and now.owner == OWNER:
            if not now.claims("H"):
                yield put("H", "confirms", "H")
            elif len(now.confirming("H")) >= now.needed:
                yield put("H", "takes over")
        if "C" in now.named:
            mine = {claimant for by, claimant, at in now.votes if by == "C"}
            if now.claims("H") and "H" not in mine:
                yield put("C", "confirms", "H")
            if now.claims("M") and not mine:
                yield put("C", "confirms", "M", True)
        if "M" not in self.people or sum(entry[0] == "M" for entry in log) >= self.acts:
            return
        for read in (len(log),) if self.rules.inOrder else range(len(log) + 1):
            for kind in ("takes over", "claims and takes over", "withdraws"):
                yield put("M", kind, "", True, read)
            for other in self.people:
                yield put("M", "confirms", other, True, read)
                if other != "M":
                    yield put("M", "removes" if other in now.inside else "invites", other, True,
                              read)

    # --- properties

    def always(self, log):
        takeovers = self.states(log)[-1].takeovers
        for author, number in takeovers:
            yield from self.wrong(author, log[:number])
        if len(takeovers) > 1:
            yield TWICE

    def wrong(self, author, log):
        """What is wrong with a takeover after these entries, without the rules: by their words."""
        wants, former, out = {}, set(), set()  # wants: person: claimant
        for number, (by, kind, person, read) in enumerate(log):
            if by in out:
                continue
            if kind in ("names", "refuses"):
                wants = {}
            elif kind == "removes":
                former.add(person)
                out.add(person)
                wants = {one: other for one, other in wants.items() if person not in (one, other)}
            elif kind == "invites":
                out.discard(person)
            elif kind in ("confirms", "withdraws"):
                isClaim = person == by or wants.get(person) == person
                if wants.get(by) == person or kind == "confirms" and not isClaim:
                    continue
                # Who wants another one, or nobody, claims nothing any more.
                wants = {one: other for one, other in wants.items() if by not in (one, other)}
                if kind == "confirms":
                    wants[by] = person
        if wants.get(author) != author:
            yield SILENT
        if author in former:
            yield FORMER
        agreeing = {one for one, other in wants.items() if other == author and one not in former}
        if 2 * len(agreeing) <= len(self.people):
            yield MOST

    def atRest(self, log):
        if len(log) < self.entries and self.states(log)[-1].owner == OWNER:
            removed = any(kind == "removes" for author, kind, person, read in log)
            if "H" in self.people and not removed:
                yield "at rest, nobody took over"
