"""Positions of a sequence of N observations: 0 to N."""

from typing import Any

import numpy as np

from recbayes.checks.arrays import short
from recbayes.errors import DataError


def positions(values: Any, length: int, name: str) -> np.ndarray:
    """Those that are given, in order and each once."""
    try:
        points = np.asarray(values)
    except ValueError as problem:
        raise DataError(f"{name} must be an array, got {short(values)}") from problem
    if points.size == 0:
        points = points.astype(np.int64)
    whole = points.ndim == 1 and points.dtype.kind in "iu"
    if not whole or (points.size and (points.min() < 0 or points.max() > length)):
        advice = "; rows of dates are found by numpy.searchsorted(index, dates)" if points.dtype.kind in "MUO" else ""
        raise DataError(
            f"{name} must be whole numbers between 0 and {length}, the length of the series, got {short(values)}{advice}"
        )
    return np.unique(points).astype(np.int64)
