"""Columns of whatever users have: arrays, lists, series and frames of any library that narwhals knows.

Libraries of frames are met through narwhals alone; none is imported but by the user. Narwhals itself waits for the first
frame.
"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from recbayes.checks.arrays import short
from recbayes.checks.numbers import is_missing, numbers
from recbayes.checks.series import Series
from recbayes.data.example import Example
from recbayes.data.files.reading import Reading
from recbayes.data.labels import is_dates
from recbayes.data.table import Table
from recbayes.errors import DataError

MANY = 8  # columns that a message can list
KINDS = {"M": "dates", "m": "durations", "U": "text", "S": "text", "c": "complex numbers"}


class Columns(NamedTuple):
    """All columns of some data, numbers or not."""

    keys: list[Any]  # what they are called there; positions if they have no names
    named: bool
    arrays: list[np.ndarray]
    as_labels: Callable[[int], Any]  # a column as labels of rows, in its own terms
    index: Any = None  # labels of rows that came with the data
    noise_covariance: Any = None

    def names(self, chosen: Iterable[int]) -> tuple[str, ...] | None:
        """What columns are called, as text."""
        return tuple(_name(self.keys[column]) for column in chosen) if self.named else None

    def is_key(self, value: Any) -> bool:
        """Whether something can only be the name, or position, of a column."""
        return isinstance(value, str | int | np.integer) or (isinstance(value, tuple) and value in self.keys)

    def position(self, key: Any, name: str) -> int:
        """Where a column is."""
        for column, other in enumerate(self.keys):
            if not isinstance(key, bool | np.ndarray) and (key == other or (self.named and key == _name(other))):
                return column
        raise DataError(f"{name} has no column {short(key)}; it has {self.listed(range(len(self.keys)))}")

    def listed(self, columns: Iterable[int]) -> str:
        """Columns in a sentence."""
        keys = [repr(self.keys[column]) for column in columns]
        return ", ".join(keys[:MANY]) + (f" and {len(keys) - MANY} more" if len(keys) > MANY else "")


def _name(key: Any) -> str:
    return ", ".join(map(str, key)) if isinstance(key, tuple) else str(key)


def columns_of(data: Any, name: str) -> Columns:
    """The columns of any data."""
    if isinstance(data, Series):
        return columns_of(data.values, name)._replace(noise_covariance=data.noise_covariance)
    if isinstance(data, Reading):
        data = data.table
    if isinstance(data, Table | Example):
        found = _of_array(data.values)._replace(index=data.index, noise_covariance=getattr(data, "noise_covariance", None))
        return found if data.names is None else found._replace(keys=list(data.names), named=True)
    if not isinstance(data, np.ndarray | list | tuple | str | bytes | float | int | None):
        import narwhals.stable.v2 as nw
        from narwhals.exceptions import NarwhalsError

        try:
            frame = nw.from_native(data, pass_through=True, allow_series=True)
            if isinstance(frame, nw.LazyFrame):
                raise DataError(f"{name} is not computed yet; collect it first")
            if isinstance(frame, nw.DataFrame):
                return _of_frame(list(frame.iter_columns()), frame.columns, nw.maybe_get_index(frame))
            if isinstance(frame, nw.Series):
                return _of_frame([frame], [frame.name or 0], nw.maybe_get_index(frame))
        except NarwhalsError as problem:
            raise DataError(f"{name} cannot be read: {problem}") from problem
    array = numbers(data, f"{name} must be numbers (NaN for missing ones)")
    if array.ndim not in (1, 2):
        raise DataError(f"{name} must have shape (observations, columns), got {array.shape}")
    return _of_array(array[:, None] if array.ndim == 1 else array)


def _of_array(array: np.ndarray) -> Columns:
    arrays = list(array.T)
    return Columns(list(range(len(arrays))), False, arrays, arrays.__getitem__)


def _of_frame(series: list[Any], keys: list[Any], index: Any) -> Columns:
    """What pandas calls 0, 1 and so on has no names; nor do rows that it counts from 0."""
    counted = getattr(index, "dtype", None) == np.int64 and np.array_equal(index, np.arange(len(index)))
    arrays = [_array_of(one) for one in series]
    named = any(type(key) is not int or key != column for column, key in enumerate(keys))
    return Columns(keys, named, arrays, lambda column: labels_of(series[column]), None if counted else index)


def _array_of(series: Any) -> np.ndarray:
    """Entries as numpy has them, objects where it has none; it knows no large integers, and no decimals."""
    import narwhals.stable.v2 as nw

    wide = series.dtype in (nw.Int128, nw.UInt128, nw.Decimal)
    return (series.cast(nw.Float64) if wide else series).to_numpy()


def labels_of(given: Any) -> Any:
    """A column as labels of rows (see `labels`): what users give as time, or name as such."""
    if isinstance(given, np.ma.MaskedArray):
        given = given.tolist()
    if not isinstance(given, np.ndarray | list | tuple):
        import narwhals.stable.v2 as nw

        series = nw.from_native(given, pass_through=True, series_only=True)
        if isinstance(series, nw.Series):
            if nw.maybe_get_index(series) is not None:
                native = series.to_native()
                return nw.get_native_namespace(series).Index(native, dtype=native.dtype)  # objects stay what they are
            zone = getattr(series.dtype, "time_zone", None)
            return _array_of(series) if zone is None else np.array(series.to_list(), dtype=np.object_)
        if hasattr(given, "get_indexer"):  # an index of pandas
            return given
    return np.asarray(given)


def what_else(array: np.ndarray) -> str:
    """What a column holds if it is no numbers; nothing if it is."""
    if array.ndim > 1:
        return "several entries in each"
    if array.dtype.kind == "O":
        present = [entry for entry in array if not is_missing(entry)]
        if any(isinstance(entry, str | bytes) for entry in present):
            return "text"
        if present and all(map(is_dates, present)):
            return "dates"
        try:
            numbers(array, "")
        except DataError:
            return type(present[0]).__name__
        return ""
    return KINDS.get(array.dtype.kind, "" if array.dtype.kind in "fiub" else str(array.dtype))
