"""Whether a series repeats itself: a hint that nobody asked for, and that changes nothing."""

from collections.abc import Sequence

import numpy as np
from scipy import fft, ndimage

LEAST = 0.35  # correlation with what was one, two and three periods ago
DIP = 0.35  # how much less it is in between


def likely_period(values: np.ndarray, changes: Sequence[int]) -> int | None:
    """After how many observations series repeat themselves about their segments, or about one line. None if they do not.

    A period is a lag at which, at twice and at three times which the autocorrelation of some column is high, and low between
    them; of several, the shortest that is nearly as good as any.

    Arguments:
        values: (N, columns), NaN is missing.
        changes: the rows at which segments begin, but the first.
    """
    if len(values) < 12:
        return None
    found = [
        period
        for points in (changes, ())
        for column in values.T
        if (period := _of_column(_about_lines(column, points))) is not None
    ]
    return found[0] if found else None


def _about_lines(column: np.ndarray, points: Sequence[int]) -> np.ndarray:
    """What is left of a column beside a straight line over each segment; no spike decides where the line is."""
    if not np.isfinite(column).any():
        return column
    low, high = np.nanquantile(column, [0.05, 0.95])
    column = np.clip(column, 2.0 * low - high, 2.0 * high - low)
    rest = np.full(len(column), np.nan)
    for start, end in zip([0, *points], [*points, len(column)], strict=True):
        seen = np.flatnonzero(np.isfinite(column[start:end]))
        if len(seen) > 2:
            times = seen - seen.mean()
            part = column[start + seen] - column[start + seen].mean()
            rest[start + seen] = part - times * (times @ part) / (times @ times)
    return rest


def _of_column(rest: np.ndarray) -> int | None:
    seen = np.isfinite(rest)
    limit = np.nanquantile(np.abs(rest), 0.95) if seen.any() else 0.0
    if not limit > 0.0:
        return None
    clipped = np.where(seen, np.clip(np.nan_to_num(rest), -2.0 * limit, 2.0 * limit), 0.0)
    size = fft.next_fast_len(2 * len(rest))
    products, pairs = (
        fft.irfft(np.abs(fft.rfft(one, size)) ** 2, size)[: len(rest)] for one in (clipped, seen.astype(float))
    )
    longest = len(rest) // 4
    with np.errstate(divide="ignore", invalid="ignore"):
        correlation = np.where(pairs > 0.5, products / pairs, 0.0) / (products[0] / pairs[0])
    lags = np.arange(3, longest + 1)
    lags = lags[(correlation[lags] >= correlation[lags - 1]) & (correlation[lags] > correlation[lags + 1])]
    near = ndimage.maximum_filter1d(correlation, 3)  # of multiples, as periods need not be whole
    peaks = np.minimum(correlation[lags], np.minimum(near[2 * lags], near[3 * lags]))
    lowest = np.minimum.accumulate(correlation[2:])[2 * lags - 3]  # before twice the lag
    heights = np.minimum(peaks / LEAST, (peaks - lowest) / DIP)
    best = heights.max(initial=0.0)
    if best < 1.0:
        return None
    shortest = int(lags[np.flatnonzero(heights >= 0.75 * best)[0]])  # multiples are as good, and weak ones may be better
    tried = [lag for lag in (shortest, shortest - 1, shortest + 1) if 3 * lag < len(correlation)]
    return max(tried, key=lambda lag: correlation[[lag, 2 * lag, 3 * lag]].sum())
