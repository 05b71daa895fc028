"""Which change points to tell: where draws have a boundary, give or take a few positions.

The probability of one change is often spread over neighbouring positions, none of which is likely by itself. So what counts is the
probability of a boundary within a tolerance of a position; and changes that are closer to each other are one.
"""

from typing import NamedTuple

import numpy as np


class ChangePoint(NamedTuple):
    """A change: its position, the probability of a boundary within the tolerance of it, and an interval that holds it with
    80 % of that probability."""

    position: int
    probability: float
    low: int
    high: int


class Boundaries(NamedTuple):
    """The inner boundaries of draws, one draw after the other and in order, with the draws' weights."""

    positions: np.ndarray
    owners: np.ndarray
    weights: np.ndarray  # of the draws

    def without(self, gone: np.ndarray) -> "Boundaries":
        return Boundaries(self.positions[~gone], self.owners[~gone], self.weights)


def decide(
    boundaries: Boundaries, length: int, tolerance: int, threshold: float = 0.5, least: int = 0, most: int | None = None
) -> list[ChangePoint]:
    """The change points that are more probable than the threshold, at least and at most so many, in order."""
    found: list[ChangePoint] = []
    while len(boundaries.positions) and (most is None or len(found) < most):
        near = _probability_near(boundaries, length, tolerance)
        centre = int(near.argmax())
        if near[centre] <= threshold and len(found) >= least:
            break
        inside = np.abs(boundaries.positions - centre) <= tolerance
        position, low, high = _quantiles(boundaries, inside)
        found.append(ChangePoint(position, float(min(near[centre], 1.0)), low, high))
        boundaries = boundaries.without(np.abs(boundaries.positions - position) <= tolerance)
    return sorted(found)


def _probability_near(boundaries: Boundaries, length: int, tolerance: int) -> np.ndarray:
    """For every position, the probability that a boundary is within the tolerance."""
    positions, owners, weights = boundaries
    again = np.append(False, owners[1:] == owners[:-1])
    before = np.append(-1, positions[:-1])
    begins = np.maximum(positions - tolerance, np.where(again, before + tolerance + 1, 0))
    ends = np.minimum(positions + tolerance, length) + 1
    begins = np.minimum(np.maximum(begins, 0), ends)
    change = np.zeros(length + 2)
    np.add.at(change, begins, weights[owners])
    np.add.at(change, ends, -weights[owners])
    return np.cumsum(change)[: length + 1]


def _quantiles(boundaries: Boundaries, inside: np.ndarray) -> tuple[int, int, int]:
    """The likeliest position, and where 10 % and 90 % of the boundaries lie."""
    positions, counts = np.unique(boundaries.positions[inside], return_inverse=True)
    totals = np.bincount(counts, weights=boundaries.weights[boundaries.owners[inside]])
    reached = np.cumsum(totals) / totals.sum()
    low, high = (positions[min(np.searchsorted(reached, share), len(positions) - 1)] for share in (0.1, 0.9))
    return int(positions[totals.argmax()]), int(low), int(high)
