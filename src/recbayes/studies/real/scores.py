"""How well change points agree with those of several annotators, as the Turing Change Point Dataset is scored.

G. J. J. van den Burg and C. K. I. Williams: An Evaluation of Change Point Detection Algorithms, arXiv:2003.06222. A change
point is the first position of a new segment; positions are those of observations, 0 to N - 1.
"""

from collections.abc import Iterable, Sequence

import numpy as np

MARGIN = 5  # positions by which a change point may be missed


def covering(annotations: Sequence[Iterable[int]], found: Iterable[int], length: int) -> float:
    """How well the segments found cover those of the annotators, on average over annotators.

    For one annotator, with A his segments and B those found, sum over a in A of |a| / N max over b in B of J(a, b), where
    J(a, b) = |a ∩ b| / |a ∪ b| is the Jaccard index.
    """
    starts, ends = _segments(found, length)
    return float(np.mean([_covered(*_segments(points, length), starts, ends) for points in annotations]))


def margin_f1(annotations: Sequence[Iterable[int]], found: Iterable[int], margin: int = MARGIN) -> float:
    """The harmonic mean of precision and recall, where a point counts as found at most `margin` positions away.

    Position 0 is a change point of everybody, so that nobody has none. With T_k the points of annotator k, T* those of all
    annotators together, X those found, and TP(T, X) the number of points in T that are matched:
    P = TP(T*, X) / |X|, R = mean over k of TP(T_k, X) / |T_k|, F1 = 2PR / (P + R).
    """
    claimed = {0, *found}
    truths = [{0, *points} for points in annotations]
    precision = _matched(set().union(*truths), claimed, margin) / len(claimed)
    recall = float(np.mean([_matched(points, claimed, margin) / len(points) for points in truths]))
    return 2.0 * precision * recall / (precision + recall)  # position 0 is always matched: neither is 0


def _segments(points: Iterable[int], length: int) -> tuple[np.ndarray, np.ndarray]:
    """Where segments start and where they end."""
    borders = np.array(sorted({0, length, *points}))
    return borders[:-1], borders[1:]


def _covered(starts: np.ndarray, ends: np.ndarray, other_starts: np.ndarray, other_ends: np.ndarray) -> float:
    shared = np.minimum(ends[:, None], other_ends) - np.maximum(starts[:, None], other_starts)
    together = np.maximum(ends[:, None], other_ends) - np.minimum(starts[:, None], other_starts)  # if any are shared
    jaccard = np.maximum(shared, 0) / together
    return float((ends - starts) @ jaccard.max(axis=1) / (ends[-1] - starts[0]))


def _matched(points: Iterable[int], claimed: Iterable[int], margin: int) -> int:
    """How many points have a claimed one near them: from the first on, each takes the closest that is left.

    Of two that are equally close it takes the earlier one.
    """
    left = set(claimed)
    count = 0
    for point in sorted(points):
        near = [(abs(point - other), other) for other in left if abs(point - other) <= margin]
        if near:
            left.remove(min(near)[1])
            count += 1
    return count
