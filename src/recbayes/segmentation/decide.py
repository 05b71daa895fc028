"""Which change points to tell: where draws have a boundary, give or take a few positions.

The probability of one change is often spread over neighbouring positions, none of which is likely by itself. So what counts
is the probability of a boundary within a tolerance of a position; and changes that are closer to each other are one. A small
change may be beyond doubt and its place not: what is not told so is looked for within twice the tolerance.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

WINDOWS = (1, 2)  # tolerances, within which a change is looked for
WIDE = 4  # tolerances, within which boundaries belong to a change


class ChangePoint(NamedTuple):
    """A change: its position, the probability of a boundary `within` so many observations of where it is likeliest, and the
    interval that holds 80 % of its boundaries."""

    position: int
    probability: float
    low: int
    high: int
    within: int


class Boundaries(NamedTuple):
    """The inner boundaries of draws, one draw after the other and in order, with the draws' weights."""

    positions: np.ndarray
    owners: np.ndarray
    weights: np.ndarray  # of the draws

    def without(self, gone: np.ndarray) -> "Boundaries":
        return Boundaries(self.positions[~gone], self.owners[~gone], self.weights)


def decide(
    boundaries: Boundaries, length: int, tolerance: int, count: tuple[int, int], minimum: int = 1
) -> list[ChangePoint]:
    """The change points that are more probable than not, at least and at most so many, in order, and so far from each other
    and from the ends that segments have the fewest observations that they must."""
    found: dict[int, tuple[float, int]] = {}
    left = boundaries
    for window in dict.fromkeys(factor * tolerance for factor in WINDOWS):
        while len(left.positions) and len(found) < count[1]:
            near = _probability_near(left, length, window)
            centre = int(near.argmax())
            if near[centre] <= 0.5:
                break
            likeliest = _likeliest if window == tolerance else _median
            position, left = _taken(left, centre, window, minimum, likeliest)
            found[position] = float(min(near[centre], 1.0)), window
    while len(left.positions) and len(found) < count[0]:  # there must be more: the likeliest
        near = _probability_near(left, length, tolerance)
        if near.max() <= 0.0:
            break
        position, left = _taken(left, int(near.argmax()), tolerance, minimum, _likeliest)
        found[position] = float(min(near.max(), 1.0)), tolerance
    placed = _placed(boundaries, sorted(found.items()), WIDE * max(tolerance, 1))
    if len(placed) >= count[0] and _are_apart([one.position for one in placed], length, minimum):
        return placed
    return _of_one_draw(boundaries, length, tolerance, count)


def _taken(
    left: Boundaries, centre: int, window: int, minimum: int, place: Callable[[Boundaries, np.ndarray], int]
) -> tuple[int, Boundaries]:
    """A position within the window about a centre, and what is left when a change is told there."""
    inside = np.abs(left.positions - centre) <= window
    position = place(left, inside)
    apart = max(window, minimum - 1)
    return position, left.without((np.abs(left.positions - position) <= apart) | _nearest(left, inside, position))


def _are_apart(positions: list[int], length: int, minimum: int) -> bool:
    return bool((np.diff([0, *positions, length]) >= minimum).all())


def _of_one_draw(boundaries: Boundaries, length: int, tolerance: int, count: tuple[int, int]) -> list[ChangePoint]:
    """The boundaries of the draw that has most of what is probable, given their number: draws keep to all that is known."""
    near = _probability_near(boundaries, length, tolerance)
    numbers = np.bincount(boundaries.owners, minlength=len(boundaries.weights))
    gains = np.bincount(boundaries.owners, weights=near[boundaries.positions] - 0.5, minlength=len(numbers))
    possible = (numbers >= count[0]) & (numbers <= count[1]) & (boundaries.weights > 0)
    best = int(np.where(possible, gains, -np.inf).argmax())
    chosen = boundaries.positions[boundaries.owners == best].tolist()
    return [ChangePoint(position, float(min(near[position], 1.0)), position, position, tolerance) for position in chosen]


def _placed(boundaries: Boundaries, found: list[tuple[int, tuple[float, int]]], reach: int) -> list[ChangePoint]:
    """Change points at the medians of all boundaries that are nearest to them: a change may be spread out widely."""
    centres = np.array([position for position, _ in found])
    changes: dict[int, ChangePoint] = {}
    for n, (position, (probability, window)) in enumerate(found):
        apart = np.abs(boundaries.positions[:, None] - centres)
        own = (apart.argmin(axis=1) == n) & (apart[:, n] <= reach)
        own = _nearest(boundaries, own, position)
        low, middle, high = _quantiles(boundaries, own) if own.any() else (position, position, position)
        changes.setdefault(middle, ChangePoint(middle, probability, low, high, window))
    return [changes[position] for position in sorted(changes)]


def _likeliest(boundaries: Boundaries, inside: np.ndarray) -> int:
    """The position with most boundaries."""
    positions, which = np.unique(boundaries.positions[inside], return_inverse=True)
    totals = np.bincount(which.reshape(-1), weights=boundaries.weights[boundaries.owners[inside]])
    return int(positions[totals.argmax()])


def _median(boundaries: Boundaries, inside: np.ndarray) -> int:
    return _quantiles(boundaries, inside)[1]


def _nearest(boundaries: Boundaries, inside: np.ndarray, position: int) -> np.ndarray:
    """Of every draw that has boundaries inside, the one nearest to the position."""
    chosen = np.zeros(len(inside), dtype=np.bool_)
    where = np.flatnonzero(inside)
    if len(where):
        order = np.lexsort([np.abs(boundaries.positions[where] - position), boundaries.owners[where]])
        first = np.append(True, np.diff(boundaries.owners[where][order]) > 0)
        chosen[where[order[first]]] = True
    return chosen


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
    """Where 10 %, half and 90 % of the boundaries lie."""
    positions, which = np.unique(boundaries.positions[inside], return_inverse=True)
    totals = np.bincount(which.reshape(-1), weights=boundaries.weights[boundaries.owners[inside]])
    reached = np.cumsum(totals) / totals.sum()
    low, middle, high = (
        int(positions[min(int(np.searchsorted(reached, share)), len(positions) - 1)]) for share in (0.1, 0.5, 0.9)
    )
    return low, middle, high
