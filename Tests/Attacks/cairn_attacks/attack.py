"""What an attack is, and the list of all."""

from collections.abc import Callable
from dataclasses import dataclass

from .world import World


@dataclass(frozen=True)
class Attack:
    """One attack: who, against which promise of cairn-security(7), and how it is played."""

    title: str
    by: str
    promise: str
    play: Callable[[World], None]
    is_quick: bool  # whether `make test` plays it
    can_be_lifted: bool  # whether it goes through once the attacker has what they lack
    needs_root: bool
    expected: str | None  # why it goes through, where that is known and written on the page

    @property
    def name(self) -> str:
        return self.play.__name__


ALL: list[Attack] = []


def attack(
    title: str, *, by: str, promise: str, quick: bool = False, lifts: bool = False,
    root: bool = False, expected: str | None = None,
) -> Callable[[Callable[[World], None]], Callable[[World], None]]:
    """Enters a function among the attacks. Its name is what `Tests/Attacks/run` calls it; the
    title is what cairn-security(7) names beside the promise.

    An attack that `lifts` asks `world.is_lifted` at one place, and gives the attacker there what
    they lack. Then it must go through, or it couldn't fail: `Tests/Attacks/run --self-test`.
    """

    def enter(play: Callable[[World], None]) -> Callable[[World], None]:
        ALL.append(Attack(title, by, promise, play, quick, lifts, root, expected))
        return play

    return enter
