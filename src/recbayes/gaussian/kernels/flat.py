"""Segmentations without a tree: the evidence of all spans as leaves, and a pass forward and one backward over segmentations.

Values of leaves are independent here, each with the same distribution. Spans stand by width and then by start.
"""

import math

import numpy as np
from numba import njit

from recbayes.compiled.lanes import BORROWING, KERNEL


@njit(**KERNEL)
def integrate_columns(columns: np.ndarray, mean: np.ndarray, variance: np.ndarray, out: np.ndarray) -> None:
    """Log evidences of spans from potentials (3, columns, spans) of the columns' means, which are normal and independent."""
    count = columns.shape[1]
    for span in range(len(out)):
        value = 0.0
        for d in range(count):
            precision, apart = columns[2, d, span], columns[1, d, span] - mean[d]
            spread = 1.0 + precision * variance[d]
            value += columns[0, d, span] - 0.5 * (math.log(spread) + apart * apart * precision / spread)
        out[span] = value


@njit(**KERNEL)
def add_evidence(found: np.ndarray, log_weight: float, total: np.ndarray) -> None:
    """Add to a mixture: log of the sum of exponentials."""
    for span in range(len(total)):
        value = found[span] + log_weight
        high, low = max(total[span], value), min(total[span], value)
        total[span] = high + math.log1p(math.exp(low - high)) if low > -math.inf else high


@njit(**BORROWING)
def _place(start: int, end: int, count: int) -> int:
    width = end - start
    return (width - 1) * (2 * count - width + 2) // 2 + start


@njit(**KERNEL)
def boundary_pass(evidence: np.ndarray, lengths: np.ndarray, ticks: np.ndarray, out: np.ndarray) -> float:
    """The log evidence of all segmentations, and into `out` (points) the log probability of a boundary at each point.

    `lengths` are log probabilities of a leaf to last 0, 1, ... ticks, a share for every further leaf included.
    """
    count = len(ticks) - 1
    before, after = np.full(count + 1, -math.inf), np.full(count + 1, -math.inf)
    before[0], after[count] = 0.0, 0.0
    terms = np.empty(count)
    for point in range(1, count + 1):
        for start in range(point):
            terms[start] = before[start] + evidence[_place(start, point, count)] + lengths[ticks[point] - ticks[start]]
        before[point] = _log_sum(terms, 0, point)
    for point in range(count - 1, -1, -1):
        for end in range(point + 1, count + 1):
            terms[end - 1] = after[end] + evidence[_place(point, end, count)] + lengths[ticks[end] - ticks[point]]
        after[point] = _log_sum(terms, point, count)
    for point in range(count + 1):
        out[point] = before[point] + after[point] - before[count]
    return before[count]


@njit(**BORROWING)
def _log_sum(terms: np.ndarray, begin: int, end: int) -> float:
    highest = -math.inf
    for n in range(begin, end):
        highest = max(highest, terms[n])
    if highest == -math.inf:
        return highest
    total = 0.0
    for n in range(begin, end):
        total += math.exp(terms[n] - highest)
    return highest + math.log(total)
