"""Starting values from the data: a model that a user who passes nothing but arrays can begin with.

The noise is read off the differences of neighbouring observations, most of which lie in one segment; segments begin where a
difference is large against it. None of it has to be right, only of the right order: learning does the rest.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from recbayes.checks.series import Series
from recbayes.errors import DataError
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.lengths import OnePlusNegativeBinomial

JUMP = 4.0  # standard deviations of a difference within a segment, beyond which a new one begins
SMALL = 1e-3  # of the scale: the least standard deviation that is guessed
GEOMETRIC = 1.0  # dispersion of lengths that are guessed
NORMAL = 0.6745  # median of |x| for a standard normal x


def guess(series: Sequence[Series], shifts: Mapping[Any, float] | None, extra_observations: bool) -> GaussianRBN:
    """The paper's model with starting values of the order of the data; covariances are diagonal.

    One series that is long enough to learn from has segments that differ more in length than Poisson numbers do: lengths are
    then negative binomial, geometric to begin with. Of several series they are the paper's.
    """
    dim = series[0].values.shape[1]
    scale = column_scales(series)
    differences = np.concatenate([np.diff(one.values, axis=0) for one in series] + [np.zeros((0, dim))])
    noise = np.array([_spread(column) for column in differences.T]) / np.sqrt(2.0)
    noise = np.maximum(noise, SMALL * scale)
    means = np.array([column_means(one.values) for one in series])
    pooled = np.concatenate([one.values for one in series])
    centre = np.nan_to_num(column_means(pooled))
    around = np.sqrt(np.nan_to_num(column_means((means - centre) ** 2)))
    residuals = np.concatenate([one.values - mean for one, mean in zip(series, means, strict=True)])
    within = np.sqrt(np.nan_to_num(column_means(residuals**2)))
    segments = sum(1 + int(_begins(one.values, noise).sum()) for one in series)
    rate = max(sum(len(one) if one.ticks is None else int(one.ticks[-1]) for one in series) / segments - 1.0, 0.1)
    model = GaussianRBN.create(
        dim=dim,
        prior_mean=centre,
        prior_std=np.diag(np.maximum(np.maximum(around, within), SMALL * scale)),
        left_std=np.diag(np.maximum(0.5 * within, noise)),
        right_std=np.diag(np.maximum(0.5 * within, noise)),
        noise_std=np.diag(noise),
        termination=0.55,
        shifts=shifts,
        extra_observations=rate if extra_observations else None,
    )
    if len(series) > 1 or not extra_observations:
        return model
    split, emit = model.variables[0].rules
    rules = split, replace(emit, length=OnePlusNegativeBinomial(rate, GEOMETRIC))
    return GaussianRBN((replace(model.variables[0], rules=rules),), model.prior)


def column_scales(series: Sequence[Series]) -> np.ndarray:
    """The order of the variation of each column: positive, whatever the data are."""
    pooled = np.concatenate([one.values for one in series])
    if np.isnan(pooled).all():
        raise DataError("all observations are missing; there is nothing to learn from")
    found = np.array([_column_scale(column[~np.isnan(column)]) for column in pooled.T])
    others = found[found > 0]
    return np.where(found > 0, found, np.median(others) if len(others) else 1.0)


def _column_scale(known: np.ndarray) -> float:
    """Zero if the column says nothing. A constant one varies by a little of its size, for all we know."""
    if not len(known):
        return 0.0
    spread = _spread(known - np.median(known))
    return spread if spread > 0 else 1e-3 * float(np.abs(known).max())


def column_means(values: np.ndarray) -> np.ndarray:
    """Means of columns without their missing entries; NaN for a column that has no others."""
    known = ~np.isnan(values)
    count = known.sum(axis=0)
    return np.where(count > 0, np.where(known, values, 0.0).sum(axis=0) / np.maximum(count, 1), np.nan)


def _spread(column: np.ndarray) -> float:
    """A standard deviation that a few large values do not change; zero if nothing is known."""
    known = column[~np.isnan(column)]
    if not len(known):
        return 0.0
    robust = float(np.median(np.abs(known))) / NORMAL
    return robust if robust > 0 else float(np.sqrt(np.mean(known**2)))


def _begins(values: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """Where a difference to the observation before is too large for one segment."""
    with np.errstate(invalid="ignore"):
        return (np.abs(np.diff(values, axis=0)) > JUMP * np.sqrt(2.0) * noise).any(axis=1)
