"""Outliers of long series, which are taken out before anything else.

Leaves of short series say themselves which of their observations are outliers, at a cost for every observation of every
leaf. In long ones what sticks out from its neighbours on both sides is found once, measured by how much neighbours differ
thereabout, and is missing from then on.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from recbayes.gaussian.emissions.outliers import distances
from recbayes.segmentation.defaults import BROAD, OUTLIERS
from recbayes.segmentation.units import NORMAL, Units, View, units_of

NEAR = 64  # observations that say how much neighbours differ
WANDER = 1.0  # times as far from their neighbours as these differ are observations that are no outliers
ROUNDED = 2.0  # times the least noise that rounded data have: what they jump by is no outlier
RARE = 3.0  # times as many outliers as are expected: what rounded data jump by so seldom is one


class _Found(NamedTuple):
    """Which observations are outliers, and the log probability of these being so and where they are."""

    out: np.ndarray
    log_probability: float


def without_outliers(view: View) -> View:
    """The series with its outliers missing. The view knows how probable they are, so that it can be compared with others."""
    values = view.series.values.copy()
    logs = view.log_jacobian
    for d, y in enumerate(view.series.values.T):
        seen = np.flatnonzero(~np.isnan(y))
        if len(seen) > 2 * NEAR:
            found = _outlying(y[seen], view.units, d)
            values[seen[found.out], d] = np.nan
            logs += found.log_probability
    return View(replace(view.series, values=values), units_of(values), view.logarithms, logs)


def _outlying(y: np.ndarray, units: Units, d: int) -> _Found:
    """By the same odds as leaves have, for a noise that is that of the neighbourhood."""
    away, local, least = distances(y), WANDER * _local_noise(y), units.least[d] * units.scale[d]
    found = _by_noise(away, np.maximum(local, least), units.scale[d])
    if found.out.mean() <= RARE * OUTLIERS:
        return found
    return _by_noise(away, np.maximum(local, ROUNDED * least), units.scale[d])


def _by_noise(away: np.ndarray, usual: np.ndarray, scale: float) -> _Found:
    broad = np.maximum(BROAD * scale, 2.0 * usual)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_odds = np.log(OUTLIERS / (1.0 - OUTLIERS) * usual / broad)
        log_odds += 0.5 * away**2 * (1.0 / usual**2 - 1.0 / broad**2)
        out = (usual > 0.0) & (log_odds > 0.0)
    of_out = np.log(OUTLIERS) - np.log(np.sqrt(2.0 * np.pi) * broad[out]) - 0.5 * (away[out] / broad[out]) ** 2
    return _Found(out, float(of_out.sum() + (~out).sum() * np.log1p(-OUTLIERS)))


def _local_noise(y: np.ndarray) -> np.ndarray:
    """The deviation of white noise whose neighbours differ as much, by the median of each stretch or, if that is more, of
    one beside it."""
    apart = np.abs(np.diff(y))
    stretches = len(apart) // NEAR
    parts = np.median(apart[: stretches * NEAR].reshape(stretches, NEAR), axis=1) / (NORMAL * np.sqrt(2.0))
    padded = np.pad(parts, 1, mode="edge")
    widest = np.maximum(np.maximum(padded[:-2], padded[1:-1]), padded[2:])
    return widest[np.minimum(np.arange(len(y)) // NEAR, stretches - 1)]
