"""Breadth-first exploration of a model's states, so that each counterexample is a shortest one.

A model is an object with
    initial()         the states to begin with
    steps(state)      (label, next state, hostile) of each possible next step
    always(state)     the names of the properties that don't hold in the state
    atRest(state)     the same, but only for states without any honest step that changes something
States are hashable. A hostile step is one that the adversary may leave out. "After the last hostile
act" is every state from which only honest steps are followed. Liveness is then two questions: Do
the properties of `atRest` hold where honest steps end? Can honest steps reach such an end from
everywhere (`restless`)?
"""
import time
from array import array
from collections import deque


class Outcome:
    """The results of an exploration."""

    def __init__(self):
        self.states = self.steps = self.rests = 0
        self.seconds = 0.0
        self.complete = False
        self.broken = {}  # property -> trace, the labels of a shortest way there


def trace(parents, labels, index):
    way = []
    while parents[index] >= 0:
        way.append(labels[index])
        index = parents[index]
    return way[::-1]


def explore(model, limit=2_000_000, until=None):
    """Explores all states, at most `limit`. Ends early once the property `until` is broken ("any":
    any of them)."""
    outcome, begun = Outcome(), time.monotonic()
    index, states, parents, labels = {}, [], array("q"), []
    honest = (array("q"), array("q"))  # from, to: for the question whether an end can be reached
    rests = []

    def enter(state, parent, label):
        number = index.get(state)
        if number is None:
            number = index[state] = len(states)
            states.append(state)
            parents.append(parent)
            labels.append(label)
            queue.append(number)
        return number

    def breaks(name, number):
        if name not in outcome.broken:
            outcome.broken[name] = trace(parents, labels, number)

    def found():
        return until and (until in outcome.broken or until == "any" and outcome.broken)

    queue = deque()
    for state in model.initial():
        enter(state, -1, "")
    while queue and len(states) < limit and not found():
        number = queue.popleft()
        state = states[number]
        states[number] = None
        for name in model.always(state):
            breaks(name, number)
        resting = True
        for label, after, hostile in model.steps(state):
            if after == state:
                continue
            outcome.steps += 1
            target = enter(after, number, label)
            if not hostile:
                resting = False
                honest[0].append(number)
                honest[1].append(target)
        if resting:
            rests.append(number)
            for name in model.atRest(state):
                breaks(name, number)
    outcome.complete = not queue
    if outcome.complete:
        for number in restless(len(states), honest, rests):
            breaks("restless", number)
    outcome.states, outcome.rests = len(states), len(rests)
    outcome.seconds = time.monotonic() - begun
    return outcome


def restless(count, honest, rests):
    """Returns the first state from which honest steps alone never reach an end, if there is one."""
    order = sorted(range(len(honest[1])), key=honest[1].__getitem__)
    reached = bytearray(count)
    for number in rests:
        reached[number] = 1
    first = array("q", [0]) * (count + 1)
    for target in honest[1]:
        first[target + 1] += 1
    for number in range(count):
        first[number + 1] += first[number]
    stack = list(rests)
    while stack:
        number = stack.pop()
        for at in range(first[number], first[number + 1]):
            origin = honest[0][order[at]]
            if not reached[origin]:
                reached[origin] = 1
                stack.append(origin)
    lost = reached.find(0)
    return [] if lost < 0 else [lost]
