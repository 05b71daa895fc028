"""Columns of yes and no, and of counts that are mostly the same: one value most of the time, and others in between.

Levels with normal noise are no picture of these. What is rare looks like an outlier, and runs of the usual value, which
come about by chance, look like segments without noise. Where all columns are so, noise is at least what differences of
neighbours say, so that no run is a quiet segment.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from recbayes.segmentation.units import View

FEWEST = 20  # observations, below which nothing is said
USUAL = 0.5  # of a column's observations are exactly the same,
RARE = 0.02  # and at least so many are not,
RARELY = 5  # and at least this number,
OFTEN = 0.25  # and both alternate at least so often, in what is expected of independent observations,
APART = 0.5  # and neighbours differ at least so much, in the same


class Sparse(NamedTuple):
    """A column that has one value most of the time."""

    column: int
    value: float
    share: float


def sparse_columns(values: np.ndarray) -> list[Sparse]:
    """Those in which one value comes up most of the time, and others often in between. Steps without noise, stretches in
    which a sensor is stuck, and rounded measurements are none: there values stay, or are not so often the same."""
    return [found for d, column in enumerate(values.T) if (found := _sparse(d, column[~np.isnan(column)])) is not None]


def _sparse(d: int, seen: np.ndarray) -> Sparse | None:
    if len(seen) < FEWEST:
        return None
    distinct, counts = np.unique(seen, return_counts=True)
    value, share = float(distinct[counts.argmax()]), float(counts.max()) / len(seen)
    others = len(seen) - int(counts.max())
    if share < USUAL or others < max(RARELY, RARE * len(seen)):
        return None
    usual = seen == value
    alternate = (usual[1:] != usual[:-1]).sum() >= OFTEN * 2.0 * len(seen) * share * (1.0 - share)
    return Sparse(d, value, share) if alternate and _of_neighbours(seen) >= APART * seen.std() else None


def with_noise_of_neighbours(views: list[View]) -> list[View]:
    """The same if some column is not sparse or constant; else with the noise that differences of neighbours say as the
    least."""
    values = views[0].series.values
    varying = [d for d, column in enumerate(values.T) if len(np.unique(column[~np.isnan(column)])) > 1]
    if {one.column for one in sparse_columns(values)} != set(varying) or not varying:
        return views
    return [replace(view, units=view.units._replace(least=_least(view))) for view in views]


def _least(view: View) -> np.ndarray:
    """In units of the columns."""
    least = view.units.least.copy()
    for d, column in enumerate(view.series.values.T):
        seen = column[~np.isnan(column)]
        if len(seen) > 1:
            least[d] = max(least[d], min(_of_neighbours(seen) / view.units.scale[d], 1.0))
    return least


def _of_neighbours(seen: np.ndarray) -> float:
    """The deviation of independent observations that differ as much from their neighbours, whatever their level."""
    return float(np.sqrt(0.5 * np.mean(np.diff(seen) ** 2)))
