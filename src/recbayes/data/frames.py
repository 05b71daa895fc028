"""Reading: whatever users have becomes numbers with the labels of their rows and columns."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from recbayes.checks.arguments import listed
from recbayes.checks.arrays import short
from recbayes.checks.series import Series, as_series, check_finite, is_many, numbers
from recbayes.data.apart import told_apart, told_by_index
from recbayes.data.columns import MANY, Columns, columns_of, labels_of, text_among_numbers, what_else
from recbayes.data.files.reading import Reading
from recbayes.data.labels import check_times, dates_in, plain, times_of
from recbayes.data.table import Table
from recbayes.errors import DataError

IF_NO_TIME = ", or drop its index, as by reset_index(drop=True), if that is no time"


def read_table(data: Any, *, time: Any = None, columns: Any = None, name: str = "the data") -> Table:
    """One series: an array, a list, a `Series`, an example, or a series or frame of pandas, polars, pyarrow and others.

    `time` is a column's name, or a stamp for every row: numbers, dates, or texts that spell dates as 2008-10-01. Without it
    time is an index of dates, else the only column of dates, else an index of numbers that does not just count from 0.
    `columns` chooses columns, by their names, or positions if they have none. Rows out of order are an error, not sorted:
    what else belongs to them, such as known trees, would be left behind.
    """
    raw = columns_of(data, name)
    rows = len(raw.arrays[0]) if raw.arrays else 0
    if not rows:
        raise DataError(f"{name} is empty; at least one observation is needed")
    column, labels, times = _implied_time(raw, name) if time is None else _given_time(raw, time, rows, name)
    others = [other for other in range(len(raw.keys)) if other != column]
    chosen = others if columns is None else _chosen(raw, columns, column, name)
    _check_kinds(raw, chosen, name, times, column)
    values = np.column_stack([numbers(raw.arrays[one], f"{name} must be numbers") for one in chosen])
    noise = as_series(Series(np.zeros((rows, len(others))), raw.noise_covariance), len(others), name).noise_covariance
    if noise is not None:
        within = [others.index(one) for one in chosen]
        noise = noise[:, within][:, :, within]
        noise.setflags(write=False)
    values.setflags(write=False)
    table = Table(values, raw.names(chosen), labels, times, noise, raw.native)
    check_finite(values, name, lambda row, which: f"{table.place(row)}, column {raw.keys[chosen[which]]!r}")
    return table


def read_tables(data: Any, *, time: Any = None, columns: Any = None, name: str = "the data") -> tuple[list[Table], bool]:
    """One series or a list of them (or a 3-d array), and whether it was only one, not in a list.

    Several have the same columns; if these have names, all are put into the order of the first. `time` is one for all, or a
    list with one for each.
    """
    if isinstance(data, list | tuple | np.ndarray) and len(data) == 0:
        raise DataError("there are no series")
    if isinstance(data, Reading) and len(data) > 1:
        data = list(data)
    if not is_many(data):
        return [read_table(data, time=time, columns=columns, name=name)], True
    stamps = _time_of_each(time, len(data))
    read = [
        read_table(one, time=stamp, columns=columns, name=f"series {number}")
        for number, (one, stamp) in enumerate(zip(data, stamps, strict=True))
    ]
    return [read[0], *(_alike(table, read[0], f"series {number}") for number, table in enumerate(read[1:], 1))], False


def _time_of_each(time: Any, count: int) -> Sequence[Any]:
    single = not isinstance(time, list | tuple | np.ndarray) or all(np.ndim(one) == 0 for one in time)
    if single:
        return [time] * count
    if len(time) != count:
        raise DataError(f"time must be one for all {count} series or a list of {count}, got {len(time)}")
    return time


def _alike(table: Table, first: Table, name: str) -> Table:
    """The table with its columns in the order of the first; names of single columns may differ."""
    width, expected = table.values.shape[1], first.values.shape[1]
    if width != expected:
        raise DataError(f"{name} has {width} columns, series 0 has {expected}; choose the same by columns=[...]")
    if width == 1 or None in (table.names, first.names) or table.names == first.names:
        return table
    if set(table.names or ()) != set(first.names or ()):
        raise DataError(
            f"{name} has the columns {table.names}, series 0 has {first.names}; choose the same by columns=[...]"
        )
    return read_table(table, columns=first.names, name=name)


def _chosen(raw: Columns, columns: Any, time: int | None, name: str) -> list[int]:
    keys = [columns] if raw.is_key(columns) else listed(columns, "columns", "names of columns")
    chosen = [raw.position(key, name) for key in keys]
    if not chosen or len(set(chosen)) < len(chosen):
        raise DataError(f"columns must name at least one column of {name}, and each once, got {short(columns)}")
    if time is not None and time in chosen:
        raise DataError(f"column {raw.keys[time]!r} of {name} is its time, not one of its columns")
    return chosen


def _check_kinds(raw: Columns, chosen: list[int], name: str, times: np.ndarray | None, time: int | None) -> None:
    """Complains of columns that are no numbers, all at once."""
    strange = {one: kind for one in chosen if (kind := raw.what_else(one))}
    if strange and times is not None and (times[1:] == times[:-1]).any():
        apart = told_apart(raw, times, time, strictly=True)
        if apart:
            raise DataError(f"{name} has several rows at one time; {apart}")
    for one, kind in strange.items():
        if kind == "text" and (row := text_among_numbers(raw.arrays[one])) is not None:
            found = f"{short(plain(raw.arrays[one][row]))} at row {row}"
            raise DataError(
                f"column {raw.keys[one]!r} of {name} has text among its numbers, {found}; {_as_numbers(raw, one)}"
            )
    if strange:
        found = ", ".join(f"{raw.keys[one]!r} ({kind})" for one, kind in list(strange.items())[:MANY])
        good = raw.listed(one for one in chosen if one not in strange)
        advice = f"choose others by columns=[{good}]" if good else "convert them first"
        raise DataError(
            f"{name} has columns that are no numbers: {found}; {advice}, or say by time= if one of them is the time"
        )
    if not chosen:
        raise DataError(f"{name} has no columns but its time; at least one column of numbers is needed")


def _as_numbers(raw: Columns, column: int) -> str:
    """How texts are made numbers, or missing."""
    one = "series" if "series." in raw.splitting or not raw.splitting else f"frame[{raw.keys[column]!r}]"
    if "partition" in raw.splitting:
        return f"{one}.cast(pl.Float64, strict=False) makes numbers of it, and of other texts missing values"
    if raw.native or not raw.splitting:
        return "make numbers of it first, and of other texts missing values"
    return f'pd.to_numeric({one}, errors="coerce") makes numbers of it, and of other texts missing values'


def _given_time(raw: Columns, time: Any, rows: int, name: str) -> tuple[int | None, Any, np.ndarray]:
    """The time that users say: its column, if it is one, its labels and stamps."""
    column = raw.position(time, name) if raw.is_key(time) else None
    try:
        labels = labels_of(time) if column is None else raw.as_labels(column)
    except ValueError as problem:
        raise DataError(f"time must be one stamp for every row of {name}, got {short(time)}") from problem
    if np.ndim(labels) != 1 or len(labels) != rows:
        raise DataError(
            f"time must be a column's name, or one stamp for each of the {rows} rows of {name}, got {short(time)}"
        )
    times = times_of(labels)
    if times is None and (dates := dates_in(labels)) is not None:
        labels, times = dates, times_of(dates)
    if times is None:
        raise DataError(
            f"the time of {name} must be numbers, dates or texts like 2008-10-01, got {short(labels[0])}; convert it first"
        )
    elsewhere = "" if column is not None else ", and time by the name of its column"

    def instead() -> str:
        apart = told_apart(raw, times, column)
        return apart and apart + elsewhere

    check_times(times, labels, name, instead=instead)
    return column, labels, times


def _implied_time(raw: Columns, name: str) -> tuple[int | None, Any, np.ndarray | None]:
    """The time of data that come with one."""
    times = None if raw.index is None else times_of(raw.index)
    if times is None or times.dtype.kind != "M":
        dated = [column for column, array in enumerate(raw.arrays) if what_else(array) == "dates"]
        if len(dated) > 1:
            raise DataError(f"{name} has several columns of dates, {raw.listed(dated)}; say which is the time by time=")
        if dated:
            return _given_time(raw, raw.keys[dated[0]], len(raw.arrays[0]), name)
    if times is not None:
        stamps = times
        check_times(stamps, raw.index, name, IF_NO_TIME, lambda: told_apart(raw, stamps, None))
    elif apart := told_by_index(raw):
        raise DataError(f"the index of {name} says one time more than once; {apart}")
    return None, raw.index, times
