"""Compositions in log space: the paper's Gaussian approximation of Dirichlet likelihoods (Milios et al. 2018)."""

import numpy as np

from recbayes.checks.arrays import not_negative, positive
from recbayes.checks.numbers import numbers
from recbayes.checks.series import Series
from recbayes.errors import DataError


def dirichlet_series(counts: object, *, pseudo_count: float = 1.0, concentration: float = 1.0) -> Series:
    """Counts or shares (observations x columns) as a series in log space, each entry with noise of its own.

    With a = concentration (counts + pseudo_count) / their sum, a Gamma variable with shape a has about a log-normal
    distribution, and so the series has the values log a - s / 2 and the noise variances s = log(1 / a + 1). The noise is
    part of the data: evidences with other pseudo-counts or concentrations are not comparable (see `recbayes.Composition`,
    whose are).

    Arguments:
        counts: not negative. Rows that are NaN, or zero throughout and without pseudo-counts, are missing.
        pseudo_count: added to every entry.
        concentration: how many counts a row is worth in all; one is the paper's, which leaves much noise.
    """
    rows = numbers(counts, "counts must be numbers (NaN for missing ones)")
    if rows.ndim != 2 or not rows.size:
        raise DataError(f"counts must have shape (observations, columns), got {rows.shape}")
    if np.isinf(rows).any() or (rows < 0.0).any():
        raise DataError("counts must be finite and not negative; use NaN for missing ones")
    more, worth = not_negative(pseudo_count, "pseudo_count"), positive(concentration, "concentration")
    total = (rows + more).sum(axis=1, keepdims=True)
    shares = (rows + more) / np.where(total > 0.0, total, np.nan)
    if (shares == 0.0).any():
        raise DataError("a count of zero has no logarithm; give a positive pseudo_count")
    a = worth * shares
    variance = np.log1p(1.0 / a)
    return Series(np.log(a) - 0.5 * variance, np.where(np.isnan(variance), 1.0, variance))
