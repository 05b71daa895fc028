"""Which change points to tell: where draws have a boundary, give or take a few positions.

The probability of one change is often spread over neighbouring positions, none of which is likely by itself. So what counts
is the probability of a boundary within a tolerance of a position; and changes that are closer to each other are one, unless
nearly all draws have both, as of a run of few observations far from the others. A small change may be beyond doubt and its
place not: what is not told so is looked for within twice the tolerance.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np

WINDOWS = (1, 2)  # tolerances, within which a change is looked for
WIDE = 4  # tolerances, within which boundaries belong to a change
SURE = 0.9  # how probable two changes must be within the tolerance to be told as two,
RUN = 3  # and how far apart; fewer observations may be outliers of the segments about them


class ChangePoint(NamedTuple):
    """A change from one segment to the next.

    Attributes:
        position: the first row of the segment that it begins.
        probability: of a boundary `within` so many observations of where it is likeliest.
        low: the beginning of the interval that holds 80 % of its boundaries.
        high: the end of this interval, which belongs to it.
        within: the tolerance, or more where the place of the change is uncertain.
    """

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
    rest = []
    for group in _groups(boundaries, WINDOWS[-1] * tolerance, minimum) if count[1] >= length - 1 else [boundaries]:
        own, left = _likely(group, length, tolerance, count[1], minimum)
        found |= own
        rest.append(left)
    left = rest[0] if len(rest) == 1 else _together(rest)
    while len(left.positions) and len(found) < count[0]:  # there must be more: the likeliest
        near = probability_near(left, length, tolerance)
        if near.max() <= 0.0:
            break
        position, left = _taken(left, int(near.argmax()), tolerance, minimum, _likeliest)
        found[position] = float(min(near.max(), 1.0)), tolerance
    placed = _placed(boundaries, sorted(found.items()), WIDE * max(tolerance, 1))
    if len(placed) >= count[0] and _are_apart([one.position for one in placed], length, minimum):
        return placed
    return _of_one_draw(boundaries, length, tolerance, count)


def _likely(
    boundaries: Boundaries, length: int, tolerance: int, most: int, minimum: int
) -> tuple[dict[int, tuple[float, int]], Boundaries]:
    """Positions of changes that are more probable than not, with their probabilities and windows, and what is left."""
    found: dict[int, tuple[float, int]] = {}
    left = boundaries
    for window in dict.fromkeys(factor * tolerance for factor in WINDOWS):
        while len(left.positions) and len(found) < most:
            centre, probability = _summit(left, length, window)
            if probability <= 0.5:
                break
            likeliest = _likeliest if window == tolerance else _median
            position, left = _taken(left, centre, window, minimum, likeliest)
            found[position] = float(min(probability, 1.0)), window
    return found, left


def _summit(boundaries: Boundaries, length: int, window: int) -> tuple[int, float]:
    """The first position with the most probable boundary within the window, and its probability."""
    begin = max(int(boundaries.positions.min()) - window, 0)
    end = min(int(boundaries.positions.max()) + window, length)
    near = probability_near(boundaries._replace(positions=boundaries.positions - begin), end - begin, window)
    return begin + int(near.argmax()), float(near.max())


def _groups(boundaries: Boundaries, window: int, minimum: int) -> list[Boundaries]:
    """Boundaries that have nothing to do with each other, whatever is decided: they are far apart."""
    if not len(boundaries.positions):
        return [boundaries]
    places = np.unique(boundaries.positions)
    new = np.append(0, np.cumsum(np.diff(places) > 4 * window + minimum))
    group = new[np.searchsorted(places, boundaries.positions)]
    order = np.argsort(group, kind="stable")
    edges = np.searchsorted(group[order], np.arange(new[-1] + 2))
    parts = [order[first:last] for first, last in pairwise(edges)]
    return [Boundaries(boundaries.positions[part], boundaries.owners[part], boundaries.weights) for part in parts]


def _together(parts: list[Boundaries]) -> Boundaries:
    """All of them, one draw after the other and in order."""
    positions, owners = (np.concatenate([part[n] for part in parts]) for n in (0, 1))
    order = np.lexsort([positions, owners])
    return Boundaries(positions[order], owners[order], parts[0].weights)


def _taken(
    left: Boundaries, centre: int, window: int, minimum: int, place: Callable[[Boundaries, np.ndarray], int]
) -> tuple[int, Boundaries]:
    """A position within the window about a centre, and what is left when a change is told there."""
    inside = np.abs(left.positions - centre) <= window
    position = place(left, inside)
    distance, own = np.abs(left.positions - position), _nearest(left, inside, position)
    near = (distance <= max(window, minimum - 1)) & ~own
    others = near & (distance >= max(minimum, RUN))
    both = float(left.weights[np.unique(left.owners[others])].sum())
    return position, left.without(own | (near & ~others if both > SURE else near))


def _are_apart(positions: list[int], length: int, minimum: int) -> bool:
    return bool((np.diff([0, *positions, length]) >= minimum).all())


def _of_one_draw(boundaries: Boundaries, length: int, tolerance: int, count: tuple[int, int]) -> list[ChangePoint]:
    """The boundaries of the draw that has most of what is probable, given their number: draws keep to all that is known."""
    near = probability_near(boundaries, length, tolerance)
    numbers = np.bincount(boundaries.owners, minlength=len(boundaries.weights))
    gains = np.bincount(boundaries.owners, weights=near[boundaries.positions] - 0.5, minlength=len(numbers))
    possible = (numbers >= count[0]) & (numbers <= count[1]) & (boundaries.weights > 0)
    best = int(np.where(possible, gains, -np.inf).argmax())
    chosen = boundaries.positions[boundaries.owners == best].tolist()
    return [ChangePoint(position, float(min(near[position], 1.0)), position, position, tolerance) for position in chosen]


def _placed(boundaries: Boundaries, found: list[tuple[int, tuple[float, int]]], reach: int) -> list[ChangePoint]:
    """Change points at the medians of all boundaries that are nearest to them: a change may be spread out widely."""
    if not found:
        return []
    centres = np.array([position for position, _ in found])
    nearest = np.searchsorted(centres, boundaries.positions).clip(1, max(len(centres) - 1, 1))
    before, after = centres[nearest - 1], centres[nearest.clip(max=len(centres) - 1)]
    nearest -= boundaries.positions - before <= np.abs(after - boundaries.positions)
    order = np.argsort(nearest, kind="stable")
    edges = np.searchsorted(nearest[order], np.arange(len(centres) + 1))
    changes: dict[int, ChangePoint] = {}
    for n, (position, (probability, window)) in enumerate(found):
        own = order[edges[n] : edges[n + 1]]
        part = Boundaries(boundaries.positions[own], boundaries.owners[own], boundaries.weights)
        chosen = _nearest(part, np.abs(part.positions - position) <= reach, position)
        low, middle, high = quantiles(part, chosen) if chosen.any() else (position, position, position)
        changes.setdefault(middle, ChangePoint(middle, probability, low, high, window))
    return [changes[position] for position in sorted(changes)]


def _likeliest(boundaries: Boundaries, inside: np.ndarray) -> int:
    """The position with most boundaries."""
    positions, which = np.unique(boundaries.positions[inside], return_inverse=True)
    totals = np.bincount(which.reshape(-1), weights=boundaries.weights[boundaries.owners[inside]])
    return int(positions[totals.argmax()])


def _median(boundaries: Boundaries, inside: np.ndarray) -> int:
    return quantiles(boundaries, inside)[1]


def _nearest(boundaries: Boundaries, inside: np.ndarray, position: int) -> np.ndarray:
    """Of every draw that has boundaries inside, the one nearest to the position."""
    chosen = np.zeros(len(inside), dtype=np.bool_)
    where = np.flatnonzero(inside)
    if len(where):
        order = np.lexsort([np.abs(boundaries.positions[where] - position), boundaries.owners[where]])
        first = np.append(True, np.diff(boundaries.owners[where][order]) > 0)
        chosen[where[order[first]]] = True
    return chosen


def probability_near(boundaries: Boundaries, length: int, tolerance: int) -> np.ndarray:
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


def quantiles(boundaries: Boundaries, inside: np.ndarray) -> tuple[int, int, int]:
    """Where 10 %, half and 90 % of the boundaries lie."""
    positions, which = np.unique(boundaries.positions[inside], return_inverse=True)
    totals = np.bincount(which.reshape(-1), weights=boundaries.weights[boundaries.owners[inside]])
    reached = np.cumsum(totals) / totals.sum()
    low, middle, high = (
        int(positions[min(int(np.searchsorted(reached, share)), len(positions) - 1)]) for share in (0.1, 0.5, 0.9)
    )
    return low, middle, high
