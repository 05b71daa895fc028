"""What a long fit shows while it runs: one line on a terminal, nothing in logs."""

import math
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any

WINDOW = 10  # evaluations from which the rest of the way is judged


class Progress:
    """A line that is rewritten after every evaluation. `wanted` None: if the error stream is a terminal."""

    def __init__(self, wanted: bool | None) -> None:
        from rich.console import Console

        console = Console(stderr=True)
        self._status: Any = None
        if console.is_terminal if wanted is None else wanted:
            self._status = console.status("starting")
        self._began = time.monotonic()

    def __enter__(self) -> "Progress":
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._status is not None:
            self._status.stop()

    def say(self, stage: str, evaluations: int, best: float, left: int | None, gap: float | None = None) -> None:
        """`left` evaluations are still to come, as far as one can tell; `gap` is how much more charts said than draws."""
        if self._status is None:
            return
        spent = time.monotonic() - self._began
        guess = "" if left is None else f", about {_duration(left * spent / evaluations)} left"
        apart = "" if gap is None else f" (charts {gap:+.2f})"
        said = f"{stage}: {evaluations} evaluations, log likelihood {best:.2f}{apart}, {_duration(spent)}{guess}"
        self._status.update(said)


def evaluations_left(history: Sequence[float], tolerance: float) -> int | None:
    """How many more evaluations a climb needs whose steps have been shrinking as they have; None if that is not to be seen.

    The best values so far approach their limit geometrically, more or less: two windows of them give the rate.
    """
    if len(history) < 2 * WINDOW:
        return None
    best = [max(history[: len(history) - back]) for back in (2 * WINDOW - 1, WINDOW, 0)]
    before, last = best[1] - best[0], best[2] - best[1]
    if last <= tolerance:
        return 0
    if not last < before < math.inf or tolerance == 0:  # a climb to the last digit ends when it ends
        return None
    return math.ceil(WINDOW * math.log(tolerance / last) / math.log(last / before))


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
