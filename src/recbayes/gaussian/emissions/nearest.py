"""The nearest Gaussian potential of a mixture of potentials, for leaves whose likelihood is one.

Given the mean u of a column, its likelihood may be a mixture, sum of w_m exp(h_m - P_m (u - u_m)^2 / 2): over members of the
bank, if each column takes one for itself, or over sets of outliers. The chart takes the one potential that has the
mixture's mass, mean and variance where u is expected; draws are weighed by the likelihood itself
(`recbayes.gaussian.posterior.corrections`).
"""

from typing import NamedTuple

import numpy as np

FLAT = 1e-12  # a precision below this share of the expected one says nothing


class Expected(NamedTuple):
    """Where the means of columns are expected: their means and variances (columns,)."""

    mean: np.ndarray
    variance: np.ndarray


def nearest(potentials: np.ndarray, weights: np.ndarray, expected: Expected) -> np.ndarray:
    """Mixtures of potentials (members, 3, columns, n) as potentials (3, columns, n): times the distribution of what is
    expected, both have the same mass, mean and variance. Where that would not be narrower, the potential is flat."""
    mean, variance = (one[:, None] for one in expected)
    _, mode, precision = potentials.swapaxes(0, 1)
    with np.errstate(divide="ignore"):
        logs = log_masses(potentials, expected) + np.log(weights)[:, None, None]
    total = _log_sum(logs)
    shares = np.exp(logs - total)
    spread = 1.0 + precision * variance
    moved = precision * variance * (mode - mean) / spread  # from the expected mean
    centre = (shares * moved).sum(axis=0)
    left = (shares * (variance / spread + (moved - centre) ** 2)).sum(axis=0)
    ratio = (variance - left) / left  # precision times expected variance
    flat = ratio.real < FLAT
    ratio = np.where(flat, 1.0, ratio)
    apart = centre * (1.0 + ratio) / ratio
    height = total + 0.5 * (np.log(1.0 + ratio) + ratio / (1.0 + ratio) * apart**2 / variance)
    return np.stack(
        [
            np.where(flat, total, height),
            np.where(flat, 0.0, mean + apart),
            np.where(flat, 0.0, ratio / variance),
        ]
    )


def log_masses(potentials: np.ndarray, expected: Expected) -> np.ndarray:
    """Logs of the integrals of potentials (..., 3, columns, n) where means are expected."""
    mean, variance = (one[:, None] for one in expected)
    height, mode, precision = np.moveaxis(potentials, -3, 0)
    spread = 1.0 + precision * variance
    return np.asarray(height - 0.5 * (np.log(spread) + precision * (mode - mean) ** 2 / spread))


def by_log_weights(
    potentials: np.ndarray, weights: np.ndarray, expected: Expected, derivatives: np.ndarray, step: float
) -> np.ndarray:
    """Derivatives with respect to the logarithms of the weights, given those with respect to the nearest potentials.

    A step along the imaginary axis gives them to all digits.
    """
    found = np.zeros(len(weights))
    for m, weight in enumerate(weights):
        moved = weights.astype(np.complex128)
        moved[m] += 1j * step * weight
        found[m] = (nearest(potentials, moved, expected).imag / step * derivatives).sum()
    return found


def _log_sum(logs: np.ndarray) -> np.ndarray:
    """The log of the sum over the first axis, also of complex numbers."""
    highest = logs.real.max(axis=0)
    return highest + np.log(np.exp(logs - highest).sum(axis=0))
