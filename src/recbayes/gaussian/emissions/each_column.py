"""Leaves whose columns take members of the bank each for itself: the nearest Gaussian potentials of what that makes.

Given the mean u of a column, its likelihood is a mixture over the bank, sum of w_m exp(h_m - P_m (u - u_m)^2 / 2), whose
members the column alone chooses among: columns together would have as many members as the product of their numbers. The
chart takes the one potential that has the mixture's mass, mean and variance; draws are weighed by the mixture itself
(`recbayes.gaussian.posterior.corrections`).
"""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from recbayes.gaussian.emissions.leaf import Leaf


def one_column(leaf: "Leaf", d: int) -> "Leaf":
    """The leaf of column d alone, which shows its value itself."""
    alone: dict[str, Any] = {}
    for name in ("noise_std", "trend_std", "season_std", "start_std", "outlier_std"):
        value = getattr(leaf, name)
        alone[name] = None if value is None else value[d : d + 1]
    regressors = None if leaf.regressor_std is None else leaf.regressor_std[:, d : d + 1]
    return replace(leaf, each_column=False, regressor_std=regressors, map=None, offset=None, **alone)


def nearest(potentials: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Mixtures of potentials (members, 3, ...) as the potentials (3, ...) of the same masses, means and variances.

    Where nothing is seen, all members are flat, and so is the mixture.
    """
    _, mode, precision = potentials.swapaxes(0, 1)
    flat = (precision.real <= 0.0).any(axis=0)
    logs = _log_masses(potentials, weights)
    total = _log_sum(logs)
    shares = np.exp(logs - total)
    mean = (shares * mode).sum(axis=0)
    variance = (shares * (1.0 / np.where(flat, 1.0, precision) + (mode - mean) ** 2)).sum(axis=0)
    variance = np.where(flat, 1.0, variance)
    return np.stack([total - 0.5 * np.log(variance), np.where(flat, 0.0, mean), np.where(flat, 0.0, 1.0 / variance)])


def _log_masses(potentials: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Logs of the integrals of all members, with their weights, but for what is common; of flat ones, heights."""
    height, _, precision = potentials.swapaxes(0, 1)
    known = np.where((precision.real <= 0.0).any(axis=0), 1.0, precision)
    with np.errstate(divide="ignore"):
        return height - 0.5 * np.log(known) + np.log(weights).reshape(-1, *(1,) * (height.ndim - 1))


def _log_sum(logs: np.ndarray) -> np.ndarray:
    """The log of the sum over the first axis, also of complex numbers."""
    highest = logs.real.max(axis=0)
    return highest + np.log(np.exp(logs - highest).sum(axis=0))


def by_log_weights(potentials: np.ndarray, weights: np.ndarray, derivatives: np.ndarray, step: float) -> np.ndarray:
    """Derivatives with respect to the logarithms of the weights, given those with respect to the nearest potentials.

    A step along the imaginary axis gives them to all digits.
    """
    found = np.zeros(len(weights))
    for m, weight in enumerate(weights):
        moved = weights.astype(np.complex128)
        moved[m] += 1j * step * weight
        found[m] = (nearest(potentials, moved).imag / step * derivatives).sum()
    return found
