"""Outliers: which observations a leaf's potential takes as such, and what a leaf's likelihood is with all others summed
over.

An observation comes with a small probability from a broad distribution about the leaf's mean instead. Summed over all that
may be outliers, the likelihood is no Gaussian potential. The chart takes, for each noise level, one set of them: those far
from what is typical on either side, so that isolated spikes are among them and the first observations after a jump are not.
"""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from recbayes.gaussian.emissions.leaf import Leaf

NEIGHBOURS = 5  # on either side, whose median is typical
FEW = 3  # neighbours, below which a side says nothing if the other has more


def states(leaf: "Leaf", d: int, y: np.ndarray) -> np.ndarray:
    """What each observation of column d is taken as: missing, clean or an outlier."""
    from recbayes.gaussian.kernels.leaves import (  # here, as kernels know models, and models emissions
        CLEAN,
        MISSING,
        OUTLIER,
    )

    seen = ~np.isnan(y)
    state = np.where(seen, CLEAN, MISSING).astype(np.int8)
    if leaf.outlier_probability > 0:
        assert leaf.outlier_std is not None
        share, broad = leaf.outlier_probability, leaf.outlier_std[d]
        phi = leaf.coefficients[0]
        usual = leaf.noise_std[d] * leaf.noise_levels[0] * np.sqrt(1.0 + phi**2 + phi**4)  # as far as neighbours wander
        apart = distances(y[seen])
        log_ratio = np.log(share / (1.0 - share) * usual / broad) + 0.5 * apart**2 * (1.0 / usual**2 - 1.0 / broad**2)
        state[np.flatnonzero(seen)[log_ratio > 0.0]] = OUTLIER
    return state


def distances(y: np.ndarray) -> np.ndarray:
    """How far each observation is from the median of its neighbours on that side where it is nearer."""
    count = len(y)
    padded = np.concatenate([np.full(NEIGHBOURS, np.nan), y, np.full(NEIGHBOURS, np.nan)])
    windows = np.lib.stride_tricks.sliding_window_view(padded, NEIGHBOURS)
    sides = np.stack([windows[:count], windows[NEIGHBOURS + 1 : NEIGHBOURS + 1 + count]])
    known = (~np.isnan(sides)).sum(axis=2)
    ordered = np.sort(sides, axis=2)  # NaN last
    middle = np.maximum(known - 1, 0)
    low, high = (np.take_along_axis(ordered, (which // 2)[..., None], axis=2)[..., 0] for which in (middle, middle + 1))
    apart = np.abs(y - 0.5 * (low + np.where(known > 1, high, low)))
    worth = (known >= FEW) | (known >= known[::-1])
    apart = np.where(worth & (known > 0), apart, np.inf)
    nearest = apart.min(axis=0, initial=np.inf)
    return np.where(np.isfinite(nearest), nearest, 0.0)
