"""The units in which a series is looked at: each column by its mean and deviation, so that one default suits all."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from recbayes.checks.series import Series
from recbayes.errors import DataError
from recbayes.gaussian.emissions.regression import ticks_of

NORMAL = 0.6745  # median of |x| for a standard normal x
TIES = 0.2  # of the smallest gap between distinct values: the least noise that rounded data have


class Units(NamedTuple):
    """Of every column, its middle, its deviation, and as shares of that the least noise, and the noise that differences of
    neighbours suggest."""

    centre: np.ndarray
    scale: np.ndarray
    least: np.ndarray
    local: np.ndarray


@dataclass(frozen=True, eq=False)
class View:
    """A series as a model looks at it: as it is, or its logarithms, whose density has a Jacobian's logarithm to be added."""

    series: Series
    units: Units
    logarithms: bool = False
    log_jacobian: float = 0.0

    @property
    def ticks(self) -> int:
        """How long it lasts."""
        return int(ticks_of(self.series)[-1])


def views_of(series: Series, logarithms: bool | None) -> list[View]:
    """The series as it is, or in logarithms; None is both, if it is positive."""
    seen = series.values[~np.isnan(series.values)]
    if not 1e-100 < np.abs(seen).max() < 1e100 and seen.any():
        raise DataError(f"the data are of the order of {np.abs(seen).max():.1g}, whose squares are no numbers; rescale them")
    possible = bool((seen > 0).all())
    if logarithms and not possible:
        raise DataError(f"logarithms need positive data, and the least is {seen.min():.6g}; leave logarithms to the data")
    found = [] if logarithms else [View(series, units_of(series.values))]
    if possible and logarithms is not False:
        with np.errstate(invalid="ignore"):
            values = np.log(series.values)
        found.append(View(replace(series, values=values), units_of(values), True, -float(np.log(seen).sum())))
    return found


def units_of(values: np.ndarray) -> Units:
    """From all that is observed; a column that is constant, or never seen, has the unit 1."""
    found = [_of_column(column[~np.isnan(column)]) for column in values.T]
    return Units(*(np.array(part) for part in zip(*found, strict=True)))


def _of_column(seen: np.ndarray) -> tuple[float, float, float, float]:
    if not len(seen):
        return 0.0, 1.0, 0.0, 1.0
    centre = float(seen.mean())
    scale = float(np.sqrt(np.mean((seen - centre) ** 2)))
    if not scale > 1e-12 * abs(centre):
        return centre, max(1e-9 * abs(centre), 1.0 if centre == 0.0 else 0.0), 0.0, 1.0
    gaps = np.diff(np.unique(seen))
    gaps = gaps[gaps > 1e-9 * scale]  # what rounding makes is no gap
    local = float(np.median(np.abs(np.diff(seen)))) / (NORMAL * np.sqrt(2.0) * scale)
    return centre, scale, TIES * float(gaps.min()) / scale if len(gaps) else 0.0, local
