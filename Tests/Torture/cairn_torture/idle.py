"""The cost of daemons that have nothing to do: their processor time and their wake-ups."""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .world import family

# Seconds between two looks.
STEP = 5.0
# Processor seconds of one step, and wake-ups a second, up to which a daemon is at rest.
REST = 0.05
WAKEUPS = 2.0
# Seconds after which a daemon must be at rest.
PATIENCE = 90.0
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Gauge:
    """A daemon with its children."""

    who: str
    pid: int
    steps: list[tuple[float, int]] = field(default_factory=list)
    _last: dict[int, tuple[int, int]] = field(default_factory=dict)

    def look(self) -> None:
        """Notes the processor seconds and wake-ups since the last look."""
        now: dict[int, tuple[int, int]] = {}
        for pid in family(self.pid):
            try:
                now |= threads(pid)
            except (OSError, ValueError):
                continue
        ticks = sum(t - self._last.get(thread, (0, 0))[0] for thread, (t, _) in now.items())
        wakes = sum(w - self._last.get(thread, (0, 0))[1] for thread, (_, w) in now.items())
        if self._last:
            self.steps.append((ticks / TICKS, wakes))
        self._last = now

    def line(self) -> tuple[str, bool]:
        """Returns the result, with true if the daemon came to rest in time."""
        busy = [
            number for number, (seconds, wakes) in enumerate(self.steps)
            if seconds > REST or wakes > WAKEUPS * STEP
        ]
        end = (busy[-1] + 1) * STEP if busy else 0.0
        last = self.steps[-12:]
        total, seconds = (sum(part[0] for part in parts) for parts in (self.steps, last))
        wakes = sum(part[1] for part in last)
        text = (
            f"idle {self.who}: {total:.2f} s of processor time, at rest after {end:.0f} s; then "
            f"{seconds:.2f} s and {wakes} wake-ups in {len(last) * STEP:.0f} s"
        )
        return text, end <= PATIENCE


def threads(pid: int) -> dict[int, tuple[int, int]]:
    """Returns the processor ticks and the voluntary context switches of each thread."""
    found: dict[int, tuple[int, int]] = {}
    for task in (Path("/proc") / str(pid) / "task").iterdir():
        fields = (task / "stat").read_text().rsplit(")", 1)[1].split()
        status = dict(
            line.split(":", 1) for line in (task / "status").read_text().splitlines() if ":" in line
        )
        found[int(task.name)] = (
            int(fields[11]) + int(fields[12]), int(status["voluntary_ctxt_switches"])
        )
    return found


def watch(gauges: list[Gauge], seconds: float) -> Iterator[tuple[str, bool]]:
    """Lets the daemons do nothing for so long."""
    for gauge in gauges:
        gauge.look()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(STEP)
        for gauge in gauges:
            gauge.look()
    for gauge in gauges:
        yield gauge.line()
