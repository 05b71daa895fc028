"""Means over sequences, with 95 % intervals by resampling the sequences."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

RESAMPLES = 2000


class Estimate(NamedTuple):
    """A mean and its 95 % interval."""

    mean: float
    low: float
    high: float


@lru_cache(maxsize=16)
def resampling_weights(count: int, seed: int) -> np.ndarray:
    """(resamples, count): how often each sequence is drawn, when as many are drawn as there are, with replacement.

    The same seed draws the same sequences, so that methods are compared on the same ones.
    """
    weights = np.random.default_rng(seed).multinomial(count, np.full(count, 1.0 / count), size=RESAMPLES).astype(np.float64)
    weights.flags.writeable = False
    return weights


def bootstrap_mean(values: np.ndarray, seed: int) -> Estimate:
    """The mean of one number per sequence."""
    return bootstrap_levels([values], seed)


def bootstrap_levels(levels: Sequence[np.ndarray], seed: int) -> Estimate:
    """The mean over levels of the means over their sequences; sequences are resampled within their level."""
    means = [resampling_weights(len(values), seed + number) @ values / len(values) for number, values in enumerate(levels)]
    return _estimate(float(np.mean([np.mean(values) for values in levels])), np.mean(means, axis=0))


def bootstrap_ratio(upper: np.ndarray, lower: np.ndarray, seed: int) -> Estimate:
    """The ratio of two means; both belong to the same sequences."""
    weights = resampling_weights(len(upper), seed)
    return _estimate(float(upper.mean() / lower.mean()), (weights @ upper) / (weights @ lower))


def columns(name: str, estimate: Estimate) -> dict[str, float]:
    """An estimate in a row of a table."""
    return {name: estimate.mean, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def _estimate(mean: float, resampled: np.ndarray) -> Estimate:
    low, high = np.percentile(resampled, [2.5, 97.5])
    return Estimate(mean, float(low), float(high))
