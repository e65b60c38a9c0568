"""The type of an attack, and the list of all attacks."""

from collections.abc import Callable
from dataclasses import dataclass

from .world import World


@dataclass(frozen=True)
class Attack:
    """One attack: the attacker, the promise of cairn-security(7) that is attacked, and the function
    that plays the attack."""

    title: str
    by: str
    promise: str
    play: Callable[[World], None]
    is_quick: bool  # played by `make test`, too
    can_be_lifted: bool  # must succeed once the attacker has what they lack
    needs_root: bool
    expected: str | None  # the reason if the attack is known to succeed, as the page says

    @property
    def name(self) -> str:
        return self.play.__name__


ALL: list[Attack] = []


def attack(
    title: str, *, by: str, promise: str, quick: bool = False, lifts: bool = False,
    root: bool = False, expected: str | None = None,
) -> Callable[[Callable[[World], None]], Callable[[World], None]]:
    """Registers a function as an attack. `Tests/Attacks/run` calls the attack by the function's
    name. cairn-security(7) names the title beside the promise.

    An attack that `lifts` asks `world.is_lifted` at one place, and gives the attacker there the
    privilege that they lack. The attack must then succeed, which proves that the test can fail:
    `Tests/Attacks/run --self-test`.
    """

    def enter(play: Callable[[World], None]) -> Callable[[World], None]:
        ALL.append(Attack(title, by, promise, play, quick, lifts, root, expected))
        return play

    return enter
