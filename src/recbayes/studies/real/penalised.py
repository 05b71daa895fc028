"""Change points of the mean by ruptures, with a penalty of the kind of BIC: what anybody can do in ten lines.

BIC wants to know the deviation of the noise. Estimated from differences of neighbours it is right for independent noise; but
real series wander, and so this finds many changes. The deviation of the whole column is too large wherever something
changes, and finds few; van den Burg and Williams (arXiv:2003.06222) scale series by it for all methods.
"""

import numpy as np

from recbayes.studies.change_points import Candidate, segment

MEDIAN = 0.954  # of |difference| of two Gaussian numbers, in deviations
MEAN = 1.128  # likewise
PELT = Candidate("Pelt", "l2")  # the best of all segmentations
BINSEG = Candidate("Binseg", "l2")  # the best change point first, then the best in either part, and so on


def pelt(values: np.ndarray, seed: int) -> list[int]:
    return penalised(PELT, values / overall_deviation(values))


def binseg(values: np.ndarray, seed: int) -> list[int]:
    return penalised(BINSEG, values / overall_deviation(values))


def pelt_noise(values: np.ndarray, seed: int) -> list[int]:
    return penalised(PELT, values / noise_deviation(values))


def binseg_noise(values: np.ndarray, seed: int) -> list[int]:
    return penalised(BINSEG, values / noise_deviation(values))


def penalised(candidate: Candidate, values: np.ndarray) -> list[int]:
    """Each change point costs log N for its place and log N for each column's new mean.

    That is in units of twice the log likelihood, which for unit variance is minus the sum of squared deviations from the
    means of segments, ruptures' L2. Missing values are interpolated, and at the ends the nearest is repeated.
    """
    length, columns = values.shape
    places = np.arange(length)
    filled = [np.interp(places, *_seen(column)) for column in values.T]
    centred = np.stack([column - column.mean() for column in filled], axis=1)
    return segment(candidate, centred, (columns + 1) * np.log(length))[:-1]


def overall_deviation(values: np.ndarray) -> np.ndarray:
    """Of every column; 1 where nothing varies."""
    return _not_zero(np.nanstd(values, axis=0))


def noise_deviation(values: np.ndarray) -> np.ndarray:
    """Of every column, from the differences of neighbours, few of which are changes; 1 where nothing varies.

    It is that of Gaussian noise whose differences have the same median, or, if more than half of them are 0, the same mean.
    """
    steps = [np.abs(np.diff(_seen(column)[1])) for column in values.T]
    medians = np.array([np.median(column) if len(column) else 0.0 for column in steps])
    means = np.array([np.mean(column) if len(column) else 0.0 for column in steps])
    return _not_zero(np.where(medians > 0, medians / MEDIAN, means / MEAN))


def _seen(column: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where there are values, and the values."""
    places = np.flatnonzero(~np.isnan(column))
    return places, column[places]


def _not_zero(deviations: np.ndarray) -> np.ndarray:
    return np.where(deviations > 0, deviations, 1.0)
