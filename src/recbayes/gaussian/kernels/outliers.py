"""The likelihood of a leaf's observations with all sets of outliers summed over, given its means.

Going through the observations, what matters of the past is the last one that is no outlier: which it may be, with what
probability, is carried along; candidates that are less probable than the likeliest by e^-30 are dropped.
"""

import math

import numpy as np
from numba import njit

from recbayes.compiled.lanes import BORROWING, KERNEL
from recbayes.gaussian.kernels.leaves import BROAD, MISSING, OUTLIER, Column

DROPPED = 30.0
MOST = 32  # candidates


@njit(**KERNEL)
def log_ratio(
    c: Column, numbers: np.ndarray, limits: np.ndarray, start: int, end: int, means: np.ndarray, out: np.ndarray
) -> None:
    """The log likelihood of a span with all outliers summed over, less that with the outliers given in the states.

    `means` (copies, observations of the span) are the leaf's; `limits` the variances of noise at its first tick, and at
    last.
    """
    for copy in range(len(means)):
        out[copy] += _summed(c, numbers, limits, start, end, means[copy]) - _given(
            c, numbers, limits, start, end, means[copy]
        )


@njit(**BORROWING)
def _log_normal(x: float, variance: float) -> float:
    return -0.5 * (math.log(2.0 * math.pi * variance) + x * x / variance)


@njit(**BORROWING)
def _log_clean(c: Column, limits: np.ndarray, start: int, t: int, last: int, means: np.ndarray) -> float:
    """Of a clean observation, given the last one (negative: none)."""
    deviation = c.y[t] - means[t - start]
    if c.phi == 0.0:
        return _log_normal(deviation, limits[1])
    if last < 0:
        share = c.phi ** (2.0 * (c.ticks[t] - c.ticks[start]))
        return _log_normal(deviation, share * limits[0] + (1.0 - share) * limits[1])
    rho = c.phi ** max(c.ticks[t] - c.ticks[last], 1.0)
    return _log_normal(deviation - rho * (c.y[last] - means[last - start]), limits[1] * (1.0 - rho * rho))


@njit(**BORROWING)
def _given(c: Column, numbers: np.ndarray, limits: np.ndarray, start: int, end: int, means: np.ndarray) -> float:
    total, last = 0.0, -1
    for t in range(start, end):
        if c.state[t] == MISSING:
            continue
        if c.state[t] == OUTLIER:
            total += math.log(c.outliers) + _log_normal(c.y[t] - means[t - start], numbers[BROAD] ** 2)
        else:
            total += math.log1p(-c.outliers) + _log_clean(c, limits, start, t, last, means)
            last = t
    return total


@njit(nogil=True, error_model="numpy")
def _summed(c: Column, numbers: np.ndarray, limits: np.ndarray, start: int, end: int, means: np.ndarray) -> float:
    if c.phi == 0.0:  # observations are independent
        found = 0.0
        for t in range(start, end):
            if c.state[t] != MISSING:
                broad = math.log(c.outliers) + _log_normal(c.y[t] - means[t - start], numbers[BROAD] ** 2)
                clean_log = math.log1p(-c.outliers) + _log_normal(c.y[t] - means[t - start], limits[1])
                found += max(broad, clean_log) + math.log1p(math.exp(-abs(broad - clean_log)))
        return found
    lasts, logs = np.empty(MOST, np.int64), np.empty(MOST)
    lasts[0], logs[0], count = -1, 0.0, 1
    for t in range(start, end):
        if c.state[t] == MISSING:
            continue
        broad = math.log(c.outliers) + _log_normal(c.y[t] - means[t - start], numbers[BROAD] ** 2)
        highest = -math.inf
        for n in range(count):
            highest = max(highest, logs[n] + _log_clean(c, limits, start, t, lasts[n], means))
        clean = 0.0
        for n in range(count):
            clean += math.exp(logs[n] + _log_clean(c, limits, start, t, lasts[n], means) - highest)
        clean_log = math.log1p(-c.outliers) + highest + math.log(clean)
        best = clean_log
        for n in range(count):
            logs[n] += broad
            best = max(best, logs[n])
        kept = 0
        for n in range(count):
            if logs[n] > best - DROPPED and kept < MOST - 1:
                lasts[kept], logs[kept] = lasts[n], logs[n]
                kept += 1
        lasts[kept], logs[kept] = t, clean_log
        count = kept + 1
    highest = -math.inf
    for n in range(count):
        highest = max(highest, logs[n])
    total = 0.0
    for n in range(count):
        total += math.exp(logs[n] - highest)
    return highest + math.log(total)
