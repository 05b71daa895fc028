"""Banks of long series: finer where the noise of segments is.

A segment of n observations knows the logarithm of its noise level to about 1 / sqrt(2 n). A member of the bank that is d off
costs it n d^2 nats, and a coefficient of autoregression that is d off n d^2 / (2 (1 - phi^2)): in a long segment far more
than a change does, so that a coarse grid would see noise change to and fro between its members. So the segments of a first
look say what their noise is, those that cannot be told apart agree on a value, and half of the bank's probability is there.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from recbayes.segmentation.units import View

WORTH = 3.0  # nats that a value of its own must gain
LEVELS, COEFFICIENTS = 8, 3  # finer values, at most
FEWEST = 8  # observations of a column that say anything of noise
LARGEST = 0.9999  # coefficient: nearly a random walk


class Finer(NamedTuple):
    """What the noise of segments is: some levels (in deviations of the columns) and coefficients; and the level of each
    column, if all segments have the same white noise."""

    levels: np.ndarray
    coefficients: np.ndarray
    common: np.ndarray


Finders = Callable[[View, str], Finer | None]  # by how a series is looked at, and the kind of its segments


class _Noise(NamedTuple):
    """Of one column of a segment: observations, coefficient, and deviation of innovations in those of the column."""

    size: float
    coefficient: float
    level: float


def finer_of(view: View, edges: np.ndarray, step: int, trend: bool, autoregressive: bool) -> Finer | None:
    """By segments between edges, which are known to a step. None if they say nothing."""
    columns = [
        [one for segment in pairwise(edges.tolist()) if (one := _noise(view, d, *segment, step, trend, autoregressive))]
        for d in range(view.series.values.shape[1])
    ]
    found = [one for column in columns for one in column]
    if not found:
        return None
    counts, phi, level = (np.array(part) for part in zip(*found, strict=True))
    levels = np.exp(merged(np.log(level), counts, LEVELS))
    coefficients = merged(phi, counts / (2.0 * (1.0 - phi**2)), COEFFICIENTS) if autoregressive else np.zeros(1)
    return Finer(levels, coefficients, np.array([_common(column) for column in columns]))


def _common(column: Sequence[_Noise]) -> float:
    counts, _, levels = (np.array(part) for part in zip(*column, strict=True)) if column else (np.zeros(1),) * 3
    return float(np.sqrt(counts @ levels**2 / counts.sum())) if column else 1.0


def _noise(view: View, d: int, start: int, end: int, step: int, trend: bool, autoregressive: bool) -> _Noise | None:
    if end - start > 4 * step > 4:  # where edges are not known well, others' observations are left out
        start, end = start + step, end - step
    y, times = view.series.values[start:end, d], view.series.ticks
    ticks = np.arange(start, end) if times is None else times[start:end]
    seen = np.flatnonzero(~np.isnan(y))
    least = max(float(view.units.least[d]), 1e-9)
    if len(seen) < FEWEST:
        return None
    y, ticks = y[seen] - y[seen].mean(), ticks[seen] - ticks[seen].mean()
    if trend:
        y = y - ticks * (ticks @ y / max(ticks @ ticks, 1e-300))
    phi = 0.0
    if autoregressive:
        near = np.diff(ticks) == 1.0
        before, after = y[:-1][near], y[1:][near]
        square = before @ before
        phi = float(np.clip(before @ after / square, 0.0, LARGEST)) if square > 0.0 else 0.0
        y = after - phi * before if len(after) >= FEWEST else y * np.sqrt(1.0 - phi**2)
    return _Noise(float(len(y)), phi, max(float(np.sqrt(y @ y / len(y))) / float(view.units.scale[d]), least))


def merged(values: np.ndarray, weights: np.ndarray, most: int) -> np.ndarray:
    """Few values in the place of many: neighbours share their mean as long as sum(weights (value - mean)^2) grows by no more
    than a value is worth, or there are too many."""
    order = np.argsort(values, kind="stable")
    means, totals = values[order].astype(np.float64), weights[order].astype(np.float64)
    while len(means) > 1:
        cost = totals[:-1] * totals[1:] / (totals[:-1] + totals[1:]) * np.diff(means) ** 2
        n = int(cost.argmin())
        if cost[n] > WORTH and len(means) <= most:
            break
        total = totals[n] + totals[n + 1]
        means[n] = (totals[n] * means[n] + totals[n + 1] * means[n + 1]) / total
        totals[n] = total
        means, totals = np.delete(means, n + 1), np.delete(totals, n + 1)
    return means
