"""Outliers of long series, which are taken out before anything else.

Leaves of short series say themselves which of their observations are outliers, at a cost for every observation of every
leaf. In long ones what sticks out from its neighbours on both sides is found once, measured by how much neighbours differ
thereabout, and is missing from then on.
"""

from dataclasses import replace

import numpy as np

from recbayes.checks.series import Series
from recbayes.gaussian.emissions.outliers import distances
from recbayes.segmentation.defaults import BROAD, OUTLIERS
from recbayes.segmentation.units import NORMAL, Units, units_of

NEAR = 64  # observations that say how much neighbours differ
WANDER = 1.0  # times as far from their neighbours as these differ are observations that are no outliers
ROUNDED = 2.0  # times the least noise that rounded data have: what they jump by is no outlier


def without_outliers(series: Series) -> tuple[Series, np.ndarray]:
    """The series with its outliers missing, and where these are (N, columns)."""
    units = units_of(series.values)
    out = np.zeros(series.values.shape, dtype=np.bool_)
    for d, y in enumerate(series.values.T):
        seen = np.flatnonzero(~np.isnan(y))
        if len(seen) > 2 * NEAR:
            out[seen, d] = _outlying(y[seen], units, d)
    return replace(series, values=np.where(out, np.nan, series.values)), out


def _outlying(y: np.ndarray, units: Units, d: int) -> np.ndarray:
    """By the same odds as leaves have, for a noise that is that of the neighbourhood."""
    scale = units.scale[d]
    usual = np.maximum(WANDER * _local_noise(y), ROUNDED * units.least[d] * scale)
    broad = np.maximum(BROAD * scale, 2.0 * usual)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_odds = np.log(OUTLIERS / (1.0 - OUTLIERS) * usual / broad)
        log_odds += 0.5 * distances(y) ** 2 * (1.0 / usual**2 - 1.0 / broad**2)
    return (usual > 0.0) & (log_odds > 0.0)


def _local_noise(y: np.ndarray) -> np.ndarray:
    """The deviation of white noise whose neighbours differ as much, by the median of each stretch or, if that is more, of
    one beside it."""
    apart = np.abs(np.diff(y))
    stretches = len(apart) // NEAR
    parts = np.median(apart[: stretches * NEAR].reshape(stretches, NEAR), axis=1) / (NORMAL * np.sqrt(2.0))
    padded = np.pad(parts, 1, mode="edge")
    widest = np.maximum(np.maximum(padded[:-2], padded[1:-1]), padded[2:])
    return widest[np.minimum(np.arange(len(y)) // NEAR, stretches - 1)]
