"""Means over sequences, with 95 % intervals by resampling the sequences."""

from typing import NamedTuple

import numpy as np

RESAMPLES = 2000


class Estimate(NamedTuple):
    """A mean and its 95 % interval."""

    mean: float
    low: float
    high: float


def resampling_weights(count: int, seed: int) -> np.ndarray:
    """(resamples, count): how often each sequence is drawn, when as many are drawn as there are, with replacement."""
    return np.random.default_rng(seed).multinomial(count, np.full(count, 1.0 / count), size=RESAMPLES).astype(np.float64)


def bootstrap_mean(values: np.ndarray, seed: int) -> Estimate:
    """The mean of one number per sequence. The same seed resamples the same sequences, so that methods can be compared."""
    values = np.asarray(values, dtype=np.float64)
    means = resampling_weights(len(values), seed) @ values / len(values)
    low, high = np.percentile(means, [2.5, 97.5])
    return Estimate(float(values.mean()), float(low), float(high))
