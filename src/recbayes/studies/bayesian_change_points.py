"""Bayesian change points: the exact posterior over flat segmentations (a product partition model; Fearnhead 2006).

Segments have 1 + Poisson observations and a level of their own, Gaussian in every column; observations are the level plus
Gaussian noise. All segmentations are summed by dynamic programming in O(N^2). The prior of a segmentation may be in favour
of more segments (`eagerness`), by a factor for each of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class SegmentModel:
    """Levels have mean `mean` (a number per column) and deviation `spread`, observations deviate by `noise`.

    `eagerness` is the logarithm of the factor for each segment.
    """

    mean: np.ndarray
    spread: float
    noise: float
    rate: float
    eagerness: float = 0.0

    def log_segments(self, values: np.ndarray) -> np.ndarray:
        """(N + 1, N + 1): log p(length) p(values), with the factor, of every span as one segment; -inf where there is none.

        With S the sum and Q the sum of squares of n deviations from the mean, in each column
        log p = - n/2 log(2 pi noise^2) - 1/2 log(1 + n r) - [Q - S^2 r / (1 + n r)] / (2 noise^2), r = (spread / noise)^2.
        """
        from scipy.special import gammaln

        length, columns = values.shape
        centred = values - self.mean
        sums = np.vstack([np.zeros(columns), np.cumsum(centred, axis=0)])
        squares = np.append(0.0, np.cumsum((centred**2).sum(axis=1)))
        first, last = np.triu_indices(length + 1, 1)
        n = (last - first).astype(np.float64)
        ratio = (self.spread / self.noise) ** 2
        total = ((sums[last] - sums[first]) ** 2).sum(axis=1)
        within = squares[last] - squares[first] - total * ratio / (1.0 + n * ratio)
        log_values = -columns / 2 * (n * np.log(2.0 * np.pi * self.noise**2) + np.log1p(n * ratio)) - within / (
            2.0 * self.noise**2
        )
        table = np.full((length + 1, length + 1), -np.inf)
        table[first, last] = self.eagerness + log_values + (n - 1) * np.log(self.rate) - self.rate - gammaln(n)
        return table

    def log_evidence(self, values: np.ndarray) -> float:
        """The log of the sum over all segmentations."""
        return float(_forward(self.log_segments(values))[-1])

    def boundary_probability(self, values: np.ndarray) -> np.ndarray:
        """(N + 1,): the probability that a segment begins or ends at each position."""
        segments = self.log_segments(values)
        before, after = _forward(segments), _forward(segments[::-1, ::-1].T)[::-1]
        return np.exp(before + after - before[-1])


def segment_ends(boundary_probability: np.ndarray, threshold: float) -> list[int]:
    """Positions whose probability is at least the threshold, and the length of the series, where the last segment ends."""
    inner = np.flatnonzero(boundary_probability[1:-1] >= threshold) + 1
    return [*inner.tolist(), len(boundary_probability) - 1]


def fit_segment_model(series: Sequence[np.ndarray]) -> SegmentModel:
    """Maximum likelihood from many series; the mean is that of all observations."""
    from scipy.optimize import minimize

    together = np.concatenate(series)
    mean = together.mean(axis=0)
    steps = np.concatenate([np.diff(one, axis=0) for one in series])
    noise = float(np.median(np.abs(steps))) / 0.954  # the median of |differences| of Gaussian noise is 0.954 deviations

    def model(logs: np.ndarray) -> SegmentModel:
        spread, noise, rate = np.exp(logs)
        return SegmentModel(mean, float(spread), float(noise), float(rate))

    start = np.log([float(together.std()), noise, 5.0])
    found = minimize(lambda logs: -sum(model(logs).log_evidence(one) for one in series), start, method="L-BFGS-B")
    return model(found.x)


def _forward(segments: np.ndarray) -> np.ndarray:
    """log sum over the segmentations of y[:k], for all k."""
    logs = np.zeros(len(segments))
    for end in range(1, len(segments)):
        terms = logs[:end] + segments[:end, end]
        largest = terms.max()
        logs[end] = largest + np.log(np.exp(terms - largest).sum())
    return logs
