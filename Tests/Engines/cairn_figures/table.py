"""The measured figures, beside their limits."""

import statistics
from dataclasses import dataclass


@dataclass
class Row:
    """One figure. Its limit is in the same unit. Without a limit the figure is only printed."""

    what: str
    unit: str
    seen: list[float]
    bare: list[float] | None = None
    limit: float | None = None
    goal: str = "told"

    def __str__(self) -> str:
        middle = statistics.median(self.seen)
        bare = ratio = ""
        if self.bare:
            bare = f"{statistics.median(self.bare):.1f}"
            ratio = f"{middle / statistics.median(self.bare):.2f}"
        met = "" if self.limit is None else "yes" if self.is_met else "NO"
        late = sorted(self.seen)[int(len(self.seen) * 0.9)] if len(self.seen) >= 10 else None
        late_text = "" if late is None else f"{late:.1f}"
        limit = "" if self.limit is None else f"{self.limit:.1f}"
        return (
            f"{self.what:<46} {middle:>9.1f} {late_text:>9} {self.unit:<8} {bare:>8} {ratio:>6} "
            f"{limit:>8} {met:<4}{self.goal}"
        )

    @property
    def is_met(self) -> bool:
        return self.limit is None or statistics.median(self.seen) <= self.limit


HEAD = (
    f"{'what':<46} {'median':>9} {'9 of 10':>9} {'':<8} {'bare':>8} {'ratio':>6} "
    f"{'limit':>8} met goal"
)
