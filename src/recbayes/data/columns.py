"""Columns of whatever users have: arrays, lists, series and frames of any library that narwhals knows.

Libraries of frames are met through narwhals alone; none is imported but by the user. Narwhals itself waits for the first
frame.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from recbayes.checks.arrays import short
from recbayes.checks.numbers import is_missing, numbers
from recbayes.checks.series import Series
from recbayes.data.example import Example
from recbayes.data.files.reading import Reading
from recbayes.data.labels import is_dates, times_of
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
    native: bool = False  # whether dates are told as Python's own, as frames without an index do
    categories: frozenset[int] = frozenset()  # columns that are categories, whatever these are called
    splitting: str = ""  # how a frame is split into several, with a place for the name of a column

    def names(self, chosen: Iterable[int]) -> tuple[str, ...] | None:
        """What columns are called, as text."""
        return tuple(_name(self.keys[column]) for column in chosen) if self.named else None

    def what_else(self, column: int) -> str:
        """What a column holds if it is no numbers; nothing if it is."""
        return "categories" if column in self.categories else what_else(self.arrays[column])

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
        noise, native = getattr(data, "noise_covariance", None), getattr(data, "native", False)
        found = _of_array(data.values)._replace(index=data.index, noise_covariance=noise, native=native)
        return found if data.names is None else found._replace(keys=list(data.names), named=True)
    if not isinstance(data, np.ndarray | list | tuple | str | bytes | float | int | None):
        import narwhals.stable.v2 as nw
        from narwhals.exceptions import DuplicateError, NarwhalsError

        try:
            frame = nw.from_native(data, pass_through=True, allow_series=True)
            if isinstance(frame, nw.LazyFrame):
                raise DataError(f"{name} is not computed yet; collect it first")
            if isinstance(frame, nw.DataFrame):
                found = _of_frame(list(frame.iter_columns()), frame.columns, nw.maybe_get_index(frame))
                return found._replace(splitting=_splitting(data))
            if isinstance(frame, nw.Series):
                found = _of_frame([frame], [frame.name or 0], nw.maybe_get_index(frame))
                return found._replace(splitting="" if found.native else "[part for _, part in series.groupby({})]")
        except DuplicateError as problem:
            raise DataError(f"{name} has {_twice(data)}; rename them, so that each has a name of its own") from problem
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
    native, index = index is None, _without_constants(index)
    counted = getattr(index, "dtype", None) == np.int64 and np.array_equal(index, np.arange(len(index)))
    arrays = [_array_of(one) for one in series]
    named = any(type(key) is not int or key != column for column, key in enumerate(keys))
    found = Columns(keys, named, arrays, lambda column: labels_of(series[column]), None if counted else index)
    return found._replace(native=native, categories=frozenset(n for n, one in enumerate(series) if _is_category(one)))


def _is_category(series: Any) -> bool:
    import narwhals.stable.v2 as nw

    return series.dtype in (nw.Categorical, nw.Enum)


def _without_constants(index: Any) -> Any:
    """Without levels that say the same of all rows, as they do of one group of several, if what is left is a time."""
    if getattr(index, "nlevels", 1) == 1:
        return index
    same = [level for level in range(index.nlevels) if index.get_level_values(level).nunique(dropna=False) == 1]
    left = index.droplevel(same[: index.nlevels - 1])
    times = times_of(left) if left.nlevels == 1 else None
    return index if times is None or not (times[1:] >= times[:-1]).all() else left


def _splitting(frame: Any) -> str:
    if hasattr(frame, "partition_by"):
        return "frame.partition_by({})"
    return "[part for _, part in frame.groupby({})]" if hasattr(frame, "groupby") else ""


def _twice(frame: Any) -> str:
    """Which columns have the same name."""
    names = Counter(frame.column_names if hasattr(frame, "column_names") else getattr(frame, "columns", ()))
    said = [f"{count} columns called {name!r}" for name, count in names.items() if count > 1]
    return " and ".join(said[:MANY]) or "columns of the same name"


def _array_of(series: Any) -> np.ndarray:
    """Entries as numpy has them, objects where it has none; it knows no large integers, and no decimals. Categories are
    texts, whatever they are called."""
    import narwhals.stable.v2 as nw

    if _is_category(series):
        return np.array([None if is_missing(one) else str(one) for one in series.to_list()], dtype=np.object_)
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


def text_among_numbers(array: np.ndarray) -> int | None:
    """The first row that is text and no number, in a column of which most are numbers, or spell some; the first text, if
    all do."""
    texts = [row for row, entry in enumerate(array) if isinstance(entry, str | bytes)]
    others = [row for row in texts if not _spells_number(array[row])]
    present = sum(not is_missing(entry) for entry in array)
    return None if not texts or 2 * len(others) > present else (others or texts)[0]


def _spells_number(entry: Any) -> bool:
    try:
        float(entry)
    except ValueError:
        return False
    return True
