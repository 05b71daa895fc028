"""Numbers as a page has them: with as many digits as anybody can see, and None for what is no number."""

from math import floor, isfinite, log10
from typing import Any

import numpy as np

SEEN = 5  # digits


def significant(value: float, digits: int = SEEN) -> float | None:
    """A number of its own: a slope, a deviation."""
    return float(f"{value:.{digits}g}") if np.isfinite(value) else None


def decimals(values: np.ndarray) -> list[int]:
    """How many digits behind the point the numbers of every column need, to be told apart in a picture of all of them.

    Of a column that is far from zero these are more than the significant ones, which all numbers have (`rounded`).
    """
    found = []
    for column in values.T:
        seen = column[np.isfinite(column)]
        extent = float(np.ptp(seen)) if len(seen) else 0.0
        size = extent or float(np.abs(seen).max(initial=0.0)) or 1.0
        found.append(int(np.clip(SEEN - 1 - np.floor(np.log10(size)), -300, 300)))
    return found


def rounded(values: np.ndarray, places: int) -> list[Any]:
    """The numbers of a column, with so many digits behind the point; small ones with more."""
    return [_rounded(value, places) for value in np.asarray(values, dtype=np.float64).tolist()]


def _rounded(value: float, places: int) -> float | None:
    if not isfinite(value):
        return None
    return round(value, places if value == 0.0 else max(places, SEEN - 1 - floor(log10(abs(value)))))
