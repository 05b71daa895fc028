"""The time axis that score and tree share: which quarter is at which x."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class TimeAxis:
    """A piecewise linear map from quarters to pixels; both rise strictly."""

    quarters: np.ndarray
    x: np.ndarray

    def __call__(self, quarter: float) -> float:
        return float(np.interp(quarter, self.quarters, self.x))


@dataclass(frozen=True, eq=False)
class Picture:
    """A drawn score: SVG elements in a box of `width` by `height` pixels, and the time axis in it."""

    svg: str
    width: float
    height: float
    axis: TimeAxis


def rising(quarters: np.ndarray, x: np.ndarray) -> TimeAxis:
    """An axis through those of the points, sorted by time, that rise strictly in both."""
    kept: list[int] = []
    for place in range(len(quarters)):
        if not kept or (quarters[place] > quarters[kept[-1]] + 1e-6 and x[place] > x[kept[-1]] + 1e-6):
            kept.append(place)
    return TimeAxis(quarters[kept], x[kept])
