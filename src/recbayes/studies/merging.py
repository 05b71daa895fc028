"""Trees by merging adjacent segments from the bottom up: hierarchical clustering that keeps the order."""

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from recbayes.tree.tree import Tree

Linkage = Callable[[float, float, float], float]


def by_means(distance: float, left: float, right: float) -> float:
    """The paper's: whatever the sizes, the closest means first."""
    return distance


def by_ward(distance: float, left: float, right: float) -> float:
    """Ward's: by how much the sum of squares within segments grows."""
    return distance**2 * left * right / (left + right)


LINKAGES: dict[str, Linkage] = {"means": by_means, "ward": by_ward}

Pairs = Callable[[np.ndarray], float]
PAIRED: dict[str, Pairs] = {"single": np.min, "average": np.mean, "complete": np.max}


def merge_segments(
    values: np.ndarray, ends: Sequence[int], *, linkage: Linkage = by_means, shifts: Sequence[int] = (0,)
) -> Tree:
    """Segments, given by their ends, are joined pair by pair: those with the smallest linkage, of equals the first.

    The linkage is a function of the Euclidean distance of the means of all observations and of both numbers of
    observations. With more `shifts`, the left one of a pair may be its parent turned by any of these numbers of columns; it
    is turned back by the one that brings it closest.
    """
    spans = list(pairwise([0, *ends]))
    means = [values[start:end].mean(axis=0) for start, end in spans]
    found = list(spans)

    def pair(place: int) -> tuple[float, np.ndarray]:
        """The linkage of two neighbours, and the mean of both."""
        (start, middle), (_, end) = spans[place], spans[place + 1]
        turned = [np.roll(means[place], -shift) for shift in shifts]
        distance, left = min(((_norm(one - means[place + 1]), one) for one in turned), key=lambda option: option[0])
        mean = ((middle - start) * left + (end - middle) * means[place + 1]) / (end - start)
        return linkage(distance, middle - start, end - middle), mean

    pairs = [pair(place) for place in range(len(spans) - 1)]
    while pairs:
        place = min(range(len(pairs)), key=lambda one: pairs[one][0])
        means[place : place + 2] = [pairs[place][1]]
        spans[place : place + 2] = [(spans[place][0], spans[place + 1][1])]
        del pairs[place]
        for changed in (place - 1, place):
            if 0 <= changed < len(pairs):
                pairs[changed] = pair(changed)
        found.append(spans[place])
    return Tree.from_spans(found)


def merge_by_pairs(values: np.ndarray, ends: Sequence[int], linkage: Pairs) -> Tree:
    """Like `merge_segments`, by the distances of all pairs of given segments of which one lies in either neighbour.

    `linkage` makes one number of them, as in classical clustering: the smallest, the mean, the largest (`PAIRED`).
    """
    spans = list(pairwise([0, *ends]))
    means = np.array([values[start:end].mean(axis=0) for start, end in spans])
    distances = np.linalg.norm(means[:, None] - means, axis=-1)
    found = list(spans)
    edges = list(range(len(spans) + 1))  # of what has been merged so far, in segments
    while len(edges) > 2:
        linked = [float(linkage(distances[a:b, b:c])) for a, b, c in zip(edges, edges[1:], edges[2:], strict=False)]
        place = min(range(len(linked)), key=lambda one: linked[one])
        del edges[place + 1]
        found.append((spans[edges[place]][0], spans[edges[place + 1] - 1][1]))
    return Tree.from_spans(found)


def _norm(vector: np.ndarray) -> float:
    return float(np.sqrt(vector @ vector))
