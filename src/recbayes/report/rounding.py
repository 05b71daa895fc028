"""Numbers as a page has them: with as many digits as anybody can see, and None for what is no number."""

from math import floor, isfinite, log10
from typing import Any

import numpy as np

SEEN = 5  # digits


def to_extent(value: float, extent: float, least: int = 0) -> str:
    """With so many digits that a tenth of the extent can be seen, and at least so many, as `told` of the page's script."""
    size = floor(log10(abs(value))) if value else 0
    places = 1 - floor(log10(extent) + 1e-9)
    places = max(places, least - 1 - size) if least else places
    digits = max(size + 1 + places, 1)
    if (size >= 7 and digits < 4) or size >= 15 or (size < -4 and places > 5):
        mantissa, power = f"{value:.{min(digits, 17) - 1}e}".split("e")
        return f"{mantissa}e{int(power)}".replace("-", "−")
    text = f"{value:.{min(max(places, 0), 15)}f}" if value or places <= 5 else "0"
    return text.replace("-", "−") if float(text) else text.lstrip("-")


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
