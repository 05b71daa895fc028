"""Segmentations without a tree: the evidence of all spans as leaves, and a pass forward and one backward over segmentations.

Values of leaves are independent here, each with the same distribution. Spans stand by width and then by start.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from recbayes.compiled.lanes import BORROWING, KERNEL
from recbayes.gaussian.kernels.leaves import MISSING, OUTLIER

FAR = 40.0  # nats below the best member of a bank, from which on a member does not matter


@njit(**KERNEL)
def add_member(
    columns: np.ndarray, mean: np.ndarray, variance: np.ndarray, log_weight: float, own: np.ndarray, total: np.ndarray
) -> None:
    """The evidence of one member of a bank, also added to that of others: log of the sum of exponentials.

    `columns` (3, columns, spans) are potentials of the columns' means, which are normal and independent.
    """
    count = columns.shape[1]
    for span in range(len(total)):
        value = 0.0
        for d in range(count):
            precision, apart = columns[2, d, span], columns[1, d, span] - mean[d]
            spread = 1.0 + precision * variance[d]
            value += columns[0, d, span] - 0.5 * (math.log(spread) + apart * apart * precision / spread)
        own[span] = value
        value += log_weight
        high, low = max(total[span], value), min(total[span], value)
        total[span] = high + math.log1p(math.exp(low - high)) if low > -math.inf else high


class BankTerms(NamedTuple):
    """A bank of leaves, with or without a trend, on a series: arrays (members, columns, N) of what `leaves` computes for
    each (see there), and of all of them what is common."""

    state: np.ndarray
    rho: np.ndarray
    last: np.ndarray
    first_weight: np.ndarray
    first_log: np.ndarray
    next_weight: np.ndarray
    next_log: np.ndarray
    limits: np.ndarray  # (members, columns, 2)
    phi: np.ndarray  # (members,)
    weights: np.ndarray  # (members,) probabilities
    rise: np.ndarray  # (columns,) deviations of the rise of a trend, negative without one


@njit(**KERNEL)
def bank_evidence(
    y: np.ndarray,
    ticks: np.ndarray,
    terms: BankTerms,
    mean: np.ndarray,
    variance: np.ndarray,
    by_member: np.ndarray,
    out: np.ndarray,
) -> None:
    """The log evidence of every span as one leaf, by width and then by start: by each member of a bank, and by all of them.

    As `leaves` has it, without regressors and with all observations as points, but for all members at once.
    """
    members, columns, count = terms.state.shape
    sums = np.zeros((members, columns, 6))  # of weighted squares and products: coefficients of level and slope, target
    logs = np.zeros((members, columns))
    begun = np.zeros((members, columns), np.bool_)
    y0, seen = np.zeros(columns), np.zeros(columns, np.bool_)
    height, scale = np.zeros(members), np.zeros(members)
    for i in range(count):
        sums[:], logs[:], begun[:], seen[:], y0[:] = 0.0, 0.0, False, False, 0.0
        place = i
        for t in range(i, count):
            highest = -math.inf
            length = ticks[t + 1] - ticks[i]
            for m in range(members):
                total, spreads = 0.0, 1.0
                for d in range(columns):
                    if terms.state[m, d, t] != MISSING:
                        if not seen[d]:
                            seen[d], y0[d] = True, y[d, t]
                        _add_observation(y, ticks, terms, m, d, t, i, y0[d], sums, logs, begun)
                    one, spread = _leaf_evidence(sums[m, d], terms.rise[d], length, mean[d] - y0[d], variance[d])
                    total += one + logs[m, d]
                    spreads *= spread
                height[m], scale[m] = total, spreads
                highest = max(highest, total)
            found = 0.0
            for m in range(members):
                by_member[m, place] = height[m] - 0.5 * math.log(scale[m])
                if height[m] > highest - FAR:
                    found += terms.weights[m] * math.exp(height[m] - highest) / math.sqrt(scale[m])
            out[place] = highest + math.log(found)
            place += count - (t - i)


@njit(**BORROWING)
def _add_observation(
    y: np.ndarray,
    ticks: np.ndarray,
    terms: BankTerms,
    m: int,
    d: int,
    t: int,
    start: int,
    y0: float,
    sums: np.ndarray,
    logs: np.ndarray,
    begun: np.ndarray,
) -> None:
    level, slope, target = 1.0, ticks[t] - ticks[start], y[d, t] - y0
    if terms.state[m, d, t] == OUTLIER or not begun[m, d]:
        weight, log_scale = terms.first_weight[m, d, t], terms.first_log[m, d, t]
        if terms.state[m, d, t] != OUTLIER:
            begun[m, d] = True
            if terms.phi[m] != 0.0 and slope > 0.0:  # the noise began at the leaf's first tick
                share = terms.phi[m] ** (2.0 * slope)
                ratio = share + (1.0 - share) * terms.limits[m, d, 1] / terms.limits[m, d, 0]
                weight /= ratio
                log_scale -= 0.5 * math.log(ratio)
    else:
        weight, log_scale = terms.next_weight[m, d, t], terms.next_log[m, d, t]
        rho = terms.rho[m, d, t]
        if rho != 0.0:
            last = terms.last[m, d, t]
            level -= rho
            slope -= rho * (ticks[last] - ticks[start])
            target -= rho * (y[d, last] - y0)
    sums[m, d, 0] += weight * level * level
    sums[m, d, 1] += weight * level * slope
    sums[m, d, 2] += weight * slope * slope
    sums[m, d, 3] += weight * level * target
    sums[m, d, 4] += weight * slope * target
    sums[m, d, 5] += weight * target * target
    logs[m, d] += log_scale


@njit(**BORROWING)
def _leaf_evidence(sums: np.ndarray, rise: float, length: float, apart: float, variance: float) -> tuple[float, float]:
    """The log of the integral over the trend and the level, which lies `apart` from the origin on average, but for the root
    of the second number."""
    P, h, rest, pivot = sums[0], sums[3], sums[5], 1.0
    if rise >= 0.0:
        back, scale = -0.5 * (length - 1.0), rise / length
        cross = scale * (sums[1] + back * P)
        pivot += scale * scale * (sums[2] + 2.0 * back * sums[1] + back * back * P)
        pull = scale * (sums[4] + back * h)
        P -= cross * cross / pivot
        h -= cross * pull / pivot
        rest -= pull * pull / pivot
    spread = 1.0 + P * variance
    return -0.5 * rest + 0.5 * (variance * h * h + 2.0 * apart * h - P * apart * apart) / spread, pivot * spread


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
