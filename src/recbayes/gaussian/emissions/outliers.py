"""Outliers: which observations a leaf's potential takes as such, and what a leaf's likelihood is with all others summed
over.

An observation comes with a small probability from a broad distribution about the leaf's mean instead. Summed over all that
may be outliers, the likelihood is no Gaussian potential. The chart takes, for each noise level, one set of them: those far
from what is typical on either side, between both sides and along the lines that go on from there, so that isolated spikes
are among them, and neither the first observations after a jump nor those of a steep trend are.
"""

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from recbayes.gaussian.emissions.leaf import Leaf

NEIGHBOURS = 5  # on either side, whose median is typical
FEW = 3  # neighbours, below which they say nothing


def states(leaf: "Leaf", d: int, y: np.ndarray, design: np.ndarray) -> np.ndarray:
    """What each observation of column d is taken as: missing, clean or an outlier. The columns of the design are taken out
    as they are over the whole series."""
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
        rest = y[seen]
        if design.shape[1] and len(rest) > design.shape[1] + 2:
            known = np.column_stack([design[seen], np.ones(len(rest)), np.linspace(-1.0, 1.0, len(rest))])
            fitted = np.linalg.lstsq(known, rest, rcond=None)[0]
            rest = rest - design[seen] @ fitted[: design.shape[1]]
        apart = _known_distances(np.ascontiguousarray(rest).tobytes())
        log_ratio = np.log(share / (1.0 - share) * usual / broad) + 0.5 * apart**2 * (1.0 / usual**2 - 1.0 / broad**2)
        state[np.flatnonzero(seen)[log_ratio > 0.0]] = OUTLIER
    return state


@lru_cache(maxsize=64)
def _known_distances(y: bytes) -> np.ndarray:
    """All members of a bank ask for those of the same observations."""
    found = distances(np.frombuffer(y))
    found.setflags(write=False)
    return found


def distances(y: np.ndarray) -> np.ndarray:
    """How far each observation is from what is typical of its neighbours, wherever that is nearest.

    Typical are the medians of the neighbours on either side and of all of them, the middle between both sides, and what
    follows from the medians of two groups of neighbours on one side along a line.
    """
    count, k = len(y), NEIGHBOURS
    padded = np.concatenate([np.full(2 * k, np.nan), y, np.full(2 * k, np.nan)])
    windows = np.lib.stride_tricks.sliding_window_view(padded, k)
    groups = [windows[begin : begin + count] for begin in (0, k, 2 * k + 1, 3 * k + 1)]
    further_left, left, right, further_right = (_medians(group, FEW) for group in groups)
    typical = [left, right, 0.5 * (left + right), _medians(np.hstack(groups[1:3]), 2)]
    ahead = (k + 1) / (2 * k)  # of the way from the further to the nearer group
    typical += [near + ahead * (near - far) for near, far in ((left, further_left), (right, further_right))]
    with np.errstate(invalid="ignore"):
        apart = np.abs(y - np.array(typical))
    nearest = np.where(np.isnan(apart), np.inf, apart).min(axis=0, initial=np.inf)
    return np.where(np.isfinite(nearest), nearest, 0.0)


def _medians(windows: np.ndarray, least: int) -> np.ndarray:
    """Of all rows, those with at least so many numbers; NaN for others."""
    known = (~np.isnan(windows)).sum(axis=1)
    ordered = np.sort(windows, axis=1)  # NaN last
    middle = np.maximum(known - 1, 0)
    low, high = (np.take_along_axis(ordered, (which // 2)[:, None], axis=1)[:, 0] for which in (middle, middle + 1))
    return np.where(known >= least, 0.5 * (low + np.where(known > 1, high, low)), np.nan)
