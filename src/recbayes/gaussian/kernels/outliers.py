"""The likelihood of a leaf's observations with all sets of outliers summed over, given its means.

Going through the observations, what matters of the past is the last one that is no outlier: which it may be, with what
probability, is carried along; candidates that are less probable than the likeliest by e^-16 are dropped.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from recbayes.compiled.lanes import BORROWING, INNER
from recbayes.gaussian.kernels.leaves import BROAD, MISSING, OUTLIER, Column, limits_of

DROPPED = 16.0
MOST = 32  # candidates, and ticks back whose normal distributions are tabulated
RHO, HALF_PRECISION, LOG_SCALE = 0, 1, 2  # of an observation, given the one so many ticks before


class Scales(NamedTuple):
    """What likelihoods are made from: variances of noise at the first tick of a leaf and in the long run, normal
    distributions of an observation given one so many ticks before, half precision and log scale of outliers; and room for
    candidates."""

    limits: np.ndarray
    gaps: np.ndarray
    broad: np.ndarray
    lasts: np.ndarray
    logs: np.ndarray
    clean: np.ndarray


@njit(**INNER)
def scales_of(c: Column, numbers: np.ndarray) -> Scales:
    limits = np.empty(2)
    limits[0], limits[1] = limits_of(c.phi, numbers)
    broad = np.empty(2)
    broad[0] = 0.5 / numbers[BROAD] ** 2
    broad[1] = math.log(c.outliers) - 0.5 * math.log(2.0 * math.pi * numbers[BROAD] ** 2)
    return Scales(limits, _tabulated(c.phi, limits[1]), broad, np.empty(MOST, np.int64), np.empty(MOST), np.empty(MOST))


@njit(**BORROWING)
def log_likelihood(c: Column, scales: Scales, start: int, end: int, means: np.ndarray) -> float:
    """The log likelihood of a span with all outliers summed over, given its means (observations of the span)."""
    if c.phi == 0.0:
        return _independent(c, scales.gaps, scales.broad, start, end, means)
    return _summed(c, scales, start, end, means)


@njit(**INNER)
def _tabulated(phi: float, stationary: float) -> np.ndarray:
    gaps = np.empty((3, MOST))
    for gap in range(MOST):
        rho = phi ** float(gap) if phi != 0.0 else 0.0
        variance = stationary * (1.0 - rho * rho)
        gaps[RHO, gap] = rho
        gaps[HALF_PRECISION, gap] = 0.5 / variance
        gaps[LOG_SCALE, gap] = -0.5 * math.log(2.0 * math.pi * variance)
    return gaps


@njit(**BORROWING)
def _log_clean(c: Column, limits: np.ndarray, gaps: np.ndarray, start: int, t: int, last: int, means: np.ndarray) -> float:
    """Of a clean observation of autoregressive noise, given the last one (negative: none)."""
    deviation = c.y[t] - means[t - start]
    if last < 0:
        share = c.phi ** (2.0 * (c.ticks[t] - c.ticks[start]))
        variance = share * limits[0] + (1.0 - share) * limits[1]
        return -0.5 * (math.log(2.0 * math.pi * variance) + deviation * deviation / variance)
    gap = max(c.ticks[t] - c.ticks[last], 1.0)
    before = c.y[last] - means[last - start]
    if gap < MOST:
        place = int(gap)
        apart = deviation - gaps[RHO, place] * before
        return gaps[LOG_SCALE, place] - gaps[HALF_PRECISION, place] * apart * apart
    rho = c.phi**gap
    variance, apart = limits[1] * (1.0 - rho * rho), deviation - rho * before
    return -0.5 * (math.log(2.0 * math.pi * variance) + apart * apart / variance)


@njit(**BORROWING)
def log_likelihood_given(c: Column, state: np.ndarray, scales: Scales, start: int, end: int, means: np.ndarray) -> float:
    """Likewise, of one set of outliers: what is an outlier is said by `state` (N,)."""
    limits, gaps, broad = scales.limits, scales.gaps, scales.broad
    total, last, clean = 0.0, -1, math.log1p(-c.outliers)
    for t in range(start, end):
        if state[t] == MISSING:
            continue
        deviation = c.y[t] - means[t - start]
        if state[t] == OUTLIER:
            total += broad[1] - broad[0] * deviation * deviation
        elif c.phi == 0.0:
            total += clean + gaps[LOG_SCALE, 1] - gaps[HALF_PRECISION, 1] * deviation * deviation
        else:
            total += clean + _log_clean(c, limits, gaps, start, t, last, means)
            last = t
    return total


@njit(**BORROWING)
def _independent(c: Column, gaps: np.ndarray, broad: np.ndarray, start: int, end: int, means: np.ndarray) -> float:
    """All outliers summed over, where noise is white."""
    total = 0.0
    height = math.log1p(-c.outliers) + gaps[LOG_SCALE, 1]
    for t in range(start, end):
        if c.state[t] != MISSING:
            deviation = c.y[t] - means[t - start]
            square = deviation * deviation
            clean, outlier = height - gaps[HALF_PRECISION, 1] * square, broad[1] - broad[0] * square
            apart = abs(clean - outlier)
            total += max(clean, outlier)
            if apart < 37.0:
                total += math.log1p(math.exp(-apart))
    return total


@njit(**BORROWING)
def _summed(c: Column, scales: Scales, start: int, end: int, means: np.ndarray) -> float:
    limits, gaps, broad = scales.limits, scales.gaps, scales.broad
    lasts, logs, clean = scales.lasts, scales.logs, scales.clean
    lasts[0], logs[0], count = -1, 0.0, 1
    log_clean = math.log1p(-c.outliers)
    for t in range(start, end):
        if c.state[t] == MISSING:
            continue
        deviation = c.y[t] - means[t - start]
        outlier = broad[1] - broad[0] * deviation * deviation
        highest = -math.inf
        for n in range(count):
            clean[n] = logs[n] + _log_clean(c, limits, gaps, start, t, lasts[n], means)
            highest = max(highest, clean[n])
        total = 0.0
        for n in range(count):
            if clean[n] > highest - DROPPED:
                total += math.exp(clean[n] - highest)
        here = log_clean + highest + math.log(total)
        best = here
        for n in range(count):
            logs[n] += outlier
            best = max(best, logs[n])
        kept = 0
        for n in range(count):
            if logs[n] > best - DROPPED and kept < MOST - 1:
                lasts[kept], logs[kept] = lasts[n], logs[n]
                kept += 1
        lasts[kept], logs[kept] = t, here
        count = kept + 1
    highest = -math.inf
    for n in range(count):
        highest = max(highest, logs[n])
    total = 0.0
    for n in range(count):
        total += math.exp(logs[n] - highest)
    return highest + math.log(total)
