"""Whether the noise of columns goes together: a hint, as leaves take columns as independent."""

from typing import NamedTuple

import numpy as np

LEAST, SURE = 0.5, 4.5  # of a correlation: how large it is, and how many of its standard errors
SPIKE = 3.0  # medians of what neighbours differ by, beyond which differences are changes and outliers rather than noise
MOST, LONGEST = 60, 20_000  # columns and rows that are looked at


class Together(NamedTuple):
    """Two columns, and the correlation of their noise."""

    one: int
    other: int
    correlation: float


def going_together(values: np.ndarray) -> Together | None:
    """The two columns whose noise is most correlated, by differences of neighbours; None if no two clearly are.

    Arguments:
        values: (N, columns), NaN is missing.
    """
    steps = np.diff(values[:LONGEST, :MOST], axis=0)
    steps = steps[np.isfinite(steps).all(axis=1)]
    if values.shape[1] < 2 or len(steps) < 8:
        return None
    extent = SPIKE * np.median(np.abs(steps), axis=0)
    moving = np.flatnonzero(extent > 0)
    if len(moving) < 2:
        return None
    steps = np.clip(steps, -extent, extent)[:, moving]
    correlation = np.triu(np.corrcoef(steps.T), 1)
    one, other = np.unravel_index(np.abs(correlation).argmax(), correlation.shape)
    found = float(correlation[one, other])
    if abs(found) < max(LEAST, SURE * np.sqrt(1.5 / len(steps))):  # differences of white noise are worth two thirds
        return None
    return Together(int(moving[one]), int(moving[other]), found)
