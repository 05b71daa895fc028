"""Changes that are more probable than not while nobody can say where: what the segments that are told leave out.

In a long series the place of a small change is spread wider than any tolerance. Such a change is not told, and the level of
the segment about it is an average over it; but that there is one can be counted in the draws.
"""

from typing import NamedTuple

import numpy as np

from recbayes.family.posterior import Posterior
from recbayes.segmentation.decide import WIDE, WINDOWS, Boundaries, ChangePoint, probability_near, quantiles


class UnplacedChange(NamedTuple):
    """A change that is more probable than not, somewhere inside a segment; where is too uncertain for it to be told.

    Attributes:
        low: the beginning of the interval that holds 80 % of its boundaries.
        high: the end of this interval, which belongs to it.
        probability: that the segment has a change beside those that are told; of several, its own part of the segment.
        within: how far from one place it must be looked for, to be there with more than one half.
        tolerance: that with which `segment` would tell it.
    """

    low: int
    high: int
    probability: float
    within: int
    tolerance: int


def boundaries_of(posterior: Posterior) -> Boundaries:
    """The inner boundaries of all draws."""
    forest = posterior.trees
    inner = (forest.arities == 0) & (forest.positions[forest.ends] < posterior.length)
    return Boundaries(forest.positions[forest.ends[inner]], forest.owners[inner], posterior.weights)


def unplaced(
    boundaries: Boundaries, changes: tuple[ChangePoint, ...], length: int, tolerance: int
) -> tuple[UnplacedChange, ...]:
    """Of every segment between changes as many more changes as more than half of the draws have, in order."""
    rest = _beside(boundaries, changes, length, tolerance)
    edges = [0, *(change.position for change in changes), length]
    numbers = np.searchsorted(edges, rest.positions, side="right") - 1
    found = []
    for number in np.unique(numbers).tolist():
        found += _of_segment(rest.without(numbers != number), tolerance)
    return tuple(found)


def _beside(boundaries: Boundaries, changes: tuple[ChangePoint, ...], length: int, tolerance: int) -> Boundaries:
    """Boundaries that are neither those of changes that are told, one for each in every draw, nor near these or the ends."""
    positions = boundaries.positions
    near = np.minimum(positions, length - positions) <= tolerance
    for change in changes:
        distance = np.abs(positions - change.position)
        near |= distance <= change.within
        reached = np.flatnonzero(distance <= WIDE * max(tolerance, 1))
        near[reached[_first_of_each(boundaries.owners[reached], distance[reached])]] = True
    return boundaries.without(near)


def _of_segment(rest: Boundaries, tolerance: int) -> list[UnplacedChange]:
    """Centres are found where most is, in as little room as possible; then every boundary belongs to its nearest centre."""
    centres, left = [], rest
    while left.weights[np.unique(left.owners)].sum() > 0.5:
        centre = _densest(left, tolerance)[0]
        centres.append(centre)
        distance = np.abs(left.positions - centre)
        own = _first_of_each(left.owners, distance)
        place = np.zeros(len(left.weights), dtype=np.int64)
        place[left.owners[own]] = left.positions[own]
        left = left.without(np.abs(left.positions - place[left.owners]) <= tolerance)
    for count in range(len(centres), 0, -1):
        parts = _parts(rest, sorted(centres[:count]))
        if min(part.weights[np.unique(part.owners)].sum() for part in parts) > 0.5:
            return [_told(part, centre, tolerance) for part, centre in zip(parts, sorted(centres[:count]), strict=True)]
    return []


def _parts(rest: Boundaries, centres: list[int]) -> list[Boundaries]:
    """The boundaries nearest to each centre."""
    middles = (np.array(centres[1:]) + np.array(centres[:-1])) / 2
    nearest = np.searchsorted(middles, rest.positions)
    return [rest.without(nearest != number) for number in range(len(centres))]


def _told(part: Boundaries, centre: int, tolerance: int) -> UnplacedChange:
    chosen = np.zeros(len(part.positions), dtype=np.bool_)
    chosen[_first_of_each(part.owners, np.abs(part.positions - centre))] = True
    low, _, high = quantiles(part, chosen)
    probability = float(min(part.weights[np.unique(part.owners)].sum(), 1.0))
    within = _densest(part, tolerance)[1]
    return UnplacedChange(low, high, probability, within, -(-within // WINDOWS[-1]))


def _densest(boundaries: Boundaries, tolerance: int) -> tuple[int, int]:
    """The place with a boundary that is more probable than not in the least room, and how far it reaches."""
    begin, end = int(boundaries.positions.min()), int(boundaries.positions.max())
    moved = boundaries._replace(positions=boundaries.positions - begin)

    def summit(window: int) -> tuple[int, float]:
        near = probability_near(moved, end - begin, window)
        middle = np.flatnonzero(near >= near.max() - 1e-9)
        return begin + int(middle[len(middle) // 2]), float(near.max())

    small, large = WINDOWS[-1] * tolerance, max(end - begin, WINDOWS[-1] * tolerance + 1)
    while large - small > 1:
        window = (small + large) // 2
        small, large = (small, window) if summit(window)[1] > 0.5 else (window, large)
    return summit(large)[0], large


def _first_of_each(owners: np.ndarray, distances: np.ndarray) -> np.ndarray:
    """Of every owner the nearest."""
    order = np.lexsort([distances, owners])
    return order[np.append(True, np.diff(owners[order]) > 0)] if len(order) else order
