"""Where two trends meet: a kink is told there, if that is no less likely a place than where draws have it.

Segments have trends of their own, so that draws leave the place of a kink wide open: they do not know that the trends meet.
"""

from collections.abc import Sequence

import numpy as np

from recbayes.gaussian.emissions.regression import ticks_of
from recbayes.segmentation.average import AveragePosterior
from recbayes.segmentation.decide import ChangePoint


def moved_to_meetings(changes: Sequence[ChangePoint], within: AveragePosterior, tolerance: int) -> list[ChangePoint]:
    """The changes, each that is wide open at the place where the trends beside it meet, if these are in its interval."""
    edges = [0, *(change.position for change in changes), within.length]
    found = []
    for n, change in enumerate(changes):
        place = _meeting(within, edges[n], edges[n + 1], edges[n + 2])
        wide = change.high - change.low > tolerance
        if wide and place is not None and change.low <= place <= change.high:
            change = change._replace(position=place)
        found.append(change)
    positions = [change.position for change in found]
    return found if all(np.diff([0, *positions, within.length]) > 0) else list(changes)


def _meeting(within: AveragePosterior, start: int, middle: int, end: int) -> int | None:
    """The first row after the trends of two segments cross, in the column where they differ most; None if they do not."""
    left, right = within.leaf(start, middle), within.leaf(middle, end)
    apart = np.abs(right.slope.mean - left.slope.mean)
    spread = np.sqrt(left.slope.std**2 + right.slope.std**2)
    column = int(np.argmax(apart / np.where(spread > 0, spread, np.inf)))
    if not apart[column] > 2.0 * spread[column] or not spread[column] > 0:
        return None
    ticks = ticks_of(within.models[0].view.series)
    at_left, at_right = 0.5 * (ticks[start] + ticks[middle] - 1), 0.5 * (ticks[middle] + ticks[end] - 1)
    a, b = (
        left.level.mean[column] - left.slope.mean[column] * at_left,
        right.level.mean[column] - right.slope.mean[column] * at_right,
    )
    return int(np.searchsorted(ticks[:-1], (a - b) / (right.slope.mean[column] - left.slope.mean[column])))
