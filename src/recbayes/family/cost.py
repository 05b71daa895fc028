"""What a chart takes before it is filled: an error where it cannot fit in memory, a warning where it takes long."""

import os
import warnings
from typing import NamedTuple

from recbayes.checks.room import in_words
from recbayes.errors import SizeError, SlowWarning

SMALL = 1e9  # bytes that every machine has
LONG = 600.0  # seconds from which on there is a warning
ADVICE = "give boundaries=, some hundreds of positions at which segments may begin and end; rb.segment finds them by itself"
UNLIMITED = "max"  # what the file of a container's limit says if there is none
CONTAINER = "/sys/fs/cgroup/memory.max"


class Cost(NamedTuple):
    """What the inside chart of one sequence takes.

    Slopes take about three times as long and twice the memory; draws of trees and better charts, where these are needed,
    come on top.

    Attributes:
        cells: spans times variables.
        pairs: all splits of the cells, with all rules.
        bytes: of memory.
        seconds: a rough guess, for one core.
    """

    cells: int
    pairs: int
    bytes: int
    seconds: float

    def __str__(self) -> str:
        took = f"{time_in_words(self.seconds)} on one core"
        return f"{self.cells} cells, {self.pairs} pairs of splits and rules: {in_words(self.bytes)}, about {took}"


def time_in_words(seconds: float) -> str:
    """So long, as people say it."""
    for unit, length in (("years", 365 * 86400.0), ("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.2g} seconds"


def memory_of_machine() -> float:
    """Bytes that this machine, or the container that this runs in, has; infinite if nobody says."""
    try:
        found = float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        return float("inf")
    try:
        with open(CONTAINER) as file:
            limit = file.read().strip()
        return found if limit == UNLIMITED else min(found, float(limit))
    except (OSError, ValueError):
        return found


def fits(cost: Cost) -> bool:
    """Whether there is enough memory."""
    return cost.bytes <= SMALL or cost.bytes <= memory_of_machine()


def refuse_too_large(cost: Cost, points: int, advice: str = ADVICE) -> None:
    """An error if a chart of so many points does not fit in the memory of this machine."""
    if not fits(cost):
        raise SizeError(
            f"a chart of {points} positions has {cost.cells} cells and needs {in_words(cost.bytes)}, this machine has "
            f"{in_words(memory_of_machine())} (and it would take {time_in_words(cost.seconds)}); {advice}"
        )


def warn_if_long(seconds: float, what: str, advice: str) -> None:
    """Say so before work of a verb that takes more than ten minutes begins."""
    if seconds > LONG:
        warnings.warn(f"{what} will take about {time_in_words(seconds)}; to be faster, {advice}", SlowWarning, stacklevel=4)
