"""Observed series: checked arrays of observations, NaN for missing entries."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from recbayes.checks.arrays import is_positive_definite
from recbayes.errors import DataError


@dataclass(frozen=True, eq=False)
class Series:
    """A series with its own noise: `noise_covariance` replaces the model's emission covariance, observation by observation.

    It is (N, columns) for variances or (N, columns, columns) for covariance matrices. Wherever recbayes takes a series,
    it takes either a plain array or a `Series`.
    """

    values: np.ndarray
    noise_covariance: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.values)


def as_series(data: object, columns: int, name: str = "the series") -> Series:
    """`data` as a checked `Series` with the given number of columns; one-dimensional data is one column."""
    if isinstance(data, Series):
        values = _as_values(data.values, columns, name)
        return Series(values, _as_noise(data.noise_covariance, values.shape, name))
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
    return [as_series(one, columns, label.format(number)) for number, one in enumerate(many)]


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


def is_missing(entry: Any) -> bool:
    """None, NaN, NaT and NA: what is missing differs from itself, or cannot say."""
    try:
        return entry is None or bool(entry != entry)
    except (TypeError, ValueError):
        return True


def numbers(data: object, complaint: str) -> np.ndarray:
    """Numbers of any library as an array of our own, NaN for missing ones; the complaint begins the error."""
    if isinstance(data, str | bytes):
        raise DataError(f"{complaint}, got text; read the file first")
    try:
        if isinstance(data, np.ma.MaskedArray):
            data = np.ma.filled(data.astype(np.float64), np.nan)
        array = np.asarray(data if hasattr(data, "__array__") or not hasattr(data, "to_numpy") else data.to_numpy())
        if array.dtype.kind not in "fiub" and not (array.dtype.kind == "O" and array.ndim):
            raise TypeError(f"dtype {array.dtype}")
        if array.dtype.kind == "O":
            if any(isinstance(entry, str | bytes) for entry in array.flat):
                raise TypeError("some entries are text")
            missing = np.array([is_missing(entry) for entry in array.flat], dtype=np.bool_).reshape(array.shape)
            array = np.where(missing, np.nan, array)
        return np.array(array, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as problem:
        raise DataError(f"{complaint}, got {type(data).__name__}: {problem}") from problem
