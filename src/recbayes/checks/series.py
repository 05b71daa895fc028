"""Observed series: checked arrays of observations, NaN for missing entries; with noise and times of their own."""

import datetime
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from recbayes.checks.arrays import is_positive_definite
from recbayes.checks.numbers import numbers
from recbayes.checks.times import as_times, ticks_of
from recbayes.errors import DataError


@dataclass(frozen=True, eq=False)
class Series:
    """A series with more than its values: noise of each observation's own, times, regressors. Plain arrays are series
    without.

    With times, lengths of leaves count time instead of observations, in ticks of one unit. A leaf that lasts from one
    observation to just before another is as long as the time between these, and observations of one tick are in one leaf.
    Where values are missing in between, time says how many: the result is that of the series on the full grid, NaN where
    nothing was observed, whose segments only begin where something was.

    Arguments:
        values: (N, columns) or (N,), NaN for missing entries.
        noise_covariance: what replaces the model's emission covariance, observation by observation: (N, columns) for
            variances or (N, columns, columns) for covariance matrices. None: the model's.
        times: when observations were made: numbers or datetime64, not decreasing. None: one after the other.
        unit: the length of a tick: a number, for dates a timedelta64. None takes the longest step of which all times are
            whole multiples, if it is at least a twentieth of the median time between observations, or else about that
            median; see `ticks`.
        regressors: (N, regressors): columns that a `Leaf` may have coefficients for. None: there are none.
    """

    values: np.ndarray
    noise_covariance: np.ndarray | None = None
    times: np.ndarray | None = None
    unit: float | np.timedelta64 | datetime.timedelta | None = None
    regressors: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        """What it has, not all its numbers."""
        shape = np.shape(self.values)
        columns = shape[1] if len(shape) == 2 else 1
        parts = [f"{len(self)} observations", "1 column" if columns == 1 else f"{columns} columns"]
        if self.times is not None and len(self.times):
            parts.append(f"from {self.times[0]} to {self.times[-1]}" + ("" if self.unit is None else f" by {self.unit}"))
        parts += ["own noise"] * (self.noise_covariance is not None) + ["regressors"] * (self.regressors is not None)
        return f"Series({', '.join(parts)})"

    @cached_property
    def ticks(self) -> np.ndarray | None:
        """(N + 1): ticks of all observations, from 0 on, and the end of the last, which lasts one; None without times."""
        if self.times is None:
            return None
        return ticks_of(*as_times(self.times, self.unit, len(self), "the series"))

    def part(self, start: int, end: int) -> "Series":
        """Some of the observations of a checked series.

        Arguments:
            start: the first.
            end: the one after the last.
        """
        given = self.noise_covariance, self.times, self.regressors
        noise, times, regressors = (None if one is None else one[start:end] for one in given)
        return Series(self.values[start:end], noise, times, self.unit, regressors)


def as_series(data: object, columns: int, name: str = "the series") -> Series:
    """`data` as a checked `Series` with the given number of columns; one-dimensional data is one column."""
    if isinstance(data, Series):
        values = _as_values(data.values, columns, name)
        noise = _as_noise(data.noise_covariance, values.shape, name)
        regressors = _as_regressors(data.regressors, len(values), name)
        if data.times is not None:
            return Series(values, noise, *as_times(data.times, data.unit, len(values), name), regressors)
        if data.unit is not None:
            raise DataError(f"{name} has a unit, but no times that it could be of; give them, or leave it out")
        return Series(values, noise, regressors=regressors)
    return Series(_as_values(data, columns, name))


def all_series(data: Any, columns: int | None = None) -> list[Series]:
    """One series or a list of them, checked. `columns` None takes as many as the first has."""
    if isinstance(data, list | tuple | np.ndarray) and len(data) == 0:
        raise DataError("there are no series")
    many = list(data) if is_many(data) else [data]
    if columns is None:
        first = numbers(many[0].values if isinstance(many[0], Series) else many[0], "a series must be numbers")
        columns = first.shape[1] if first.ndim == 2 else 1
    label = "series {}" if is_many(data) else "the series"
    checked = [as_series(one, columns, label.format(number)) for number, one in enumerate(many)]
    if any(isinstance(one, Series) and one.times is not None and one.unit is None for one in many):
        _need_one_unit(checked)
    return checked


def _need_one_unit(many: Sequence[Series]) -> None:
    """Units that were found one by one must agree, as one model is for all series. A single tick has none."""
    units = {number: one.unit for number, one in enumerate(many) if one.times is not None and one.times[-1] > 0}
    for number, unit in units.items():
        first = next(iter(units))
        if not np.isclose(unit, units[first], rtol=1e-6, atol=0.0):  # type: ignore[arg-type]
            raise DataError(
                f"lengths count ticks, which are {units[first]:.6g} long in the times of series {first} and {unit:.6g} in "
                f"those of series {number}; give all series the same, as in Series(values, times=times, unit=...)"
            )


def is_many(series: object) -> bool:
    """Whether this is a list of series rather than one: a list or tuple of arrays or of `Series`, or a 3-d array."""
    if isinstance(series, Series):
        return False
    if isinstance(series, np.ndarray):
        return series.ndim == 3
    if not isinstance(series, list | tuple):
        return False
    frames = ("to_numpy", "__arrow_c_stream__")  # what data frames of all libraries have one of
    if any(isinstance(one, Series) or any(hasattr(one, mark) for mark in frames) for one in series):
        return True
    return any(isinstance(one, np.ndarray) and one.ndim >= 1 for one in series) or any(
        isinstance(one, list | tuple) and any(isinstance(row, list | tuple | np.ndarray) for row in one) for one in series
    )


def _as_values(data: object, columns: int, name: str) -> np.ndarray:
    array = numbers(data, f"{name} must be numbers (NaN for missing ones)")
    if array.ndim == 1 and (columns == 1 or not array.size):
        array = array[:, None]
    if array.ndim != 2:
        raise DataError(f"{name} must have shape (observations, {columns}), got {array.shape}")
    if not len(array):
        raise DataError(f"{name} is empty; at least one observation is needed")
    if array.shape[1] != columns:
        raise DataError(f"{name} has {array.shape[1]} columns, the model expects {columns}")
    check_finite(array, name)
    array.setflags(write=False)
    return array


def check_finite(array: np.ndarray, name: str, place: Callable[[int, int], str] = "row {}, column {}".format) -> None:
    """Numbers, or NaN, that can be squared; `place` says where a row and a column are."""
    if np.isinf(array).any():
        row, column = np.argwhere(np.isinf(array))[0]
        raise DataError(f"{name} is infinite at {place(row, column)}; use NaN for missing values")
    if np.abs(array[~np.isnan(array)]).max(initial=0.0) > 1e150:
        raise DataError(f"{name} has values beyond 1e150, whose squares overflow; rescale it")


def _as_regressors(given: object, size: int, name: str) -> np.ndarray | None:
    if given is None:
        return None
    array = numbers(given, f"the regressors of {name} must be numbers")
    array = array[:, None] if array.ndim == 1 else array
    if array.ndim != 2 or len(array) != size or not array.shape[1] or not np.isfinite(array).all():
        raise DataError(f"the regressors of {name} must be finite, of shape ({size}, regressors), got {array.shape}")
    array.setflags(write=False)
    return array


def _as_noise(noise: object, shape: tuple[int, int], name: str) -> np.ndarray | None:
    if noise is None:
        return None
    size, columns = shape
    array = numbers(noise, f"the noise covariance of {name} must be numbers")
    if not np.isfinite(array).all():
        raise DataError(f"the noise covariance of {name} must be finite")
    if array.shape == (size, columns):
        array = array[:, :, None] * np.eye(columns)
    if array.shape != (size, columns, columns):
        raise DataError(
            f"the noise covariance of {name} must have shape ({size}, {columns}) or ({size}, {columns}, {columns}), "
            f"got {array.shape}"
        )
    for row, one in enumerate(array):
        if not np.allclose(one, one.T, rtol=0, atol=1e-10 * np.abs(one).max()) or not is_positive_definite(one):
            raise DataError(f"the noise covariance of {name} must be symmetric and positive definite; row {row} is not")
    array = 0.5 * (array + array.swapaxes(1, 2))
    array.setflags(write=False)
    return array
