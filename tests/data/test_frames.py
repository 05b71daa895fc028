"""Reading data: the same numbers, labels and stamps from whatever holds them, and errors that say what to do."""

import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import recbayes as rb
from recbayes.data.example import Example
from recbayes.data.frames import read_table, read_tables
from recbayes.data.table import Table

NAN = float("nan")
VALUES = np.array([[1.0, 2.0], [NAN, 4.0], [5.0, NAN]])
COLUMNS = {"a": [1, None, 5], "b": [2.0, 4.0, None]}
NAMED: dict[str, Any] = {
    "pandas": pd.DataFrame(COLUMNS),
    "pandas, nullable": pd.DataFrame(COLUMNS).astype({"a": "Int64", "b": "Float64"}),
    "pandas, objects": pd.DataFrame({"a": [1, pd.NA, 5], "b": [Decimal(2), 4, None]}, dtype=object),
    "pandas, arrow": pd.DataFrame(COLUMNS).astype({"a": "int64[pyarrow]", "b": "double[pyarrow]"}),
    "pandas, sparse": pd.DataFrame(COLUMNS).astype(pd.SparseDtype("float", NAN)),
    "pandas, two levels of columns": pd.DataFrame(VALUES, columns=pd.MultiIndex.from_tuples([("x", "a"), ("x", "b")])),
    "polars": pl.DataFrame(COLUMNS),
    "polars, decimals": pl.DataFrame(COLUMNS).with_columns(pl.col("b").cast(pl.Decimal(10, 2))),
    "polars, wide": pl.DataFrame(COLUMNS).with_columns(pl.col("a").cast(pl.Int128)),
    "pyarrow": pa.table(COLUMNS),
    "an example": Example("", VALUES, np.arange(3), ("a", "b"), "", None, "", ""),
    "a table": Table(VALUES, ("a", "b")),
    "a series": rb.Series(pl.DataFrame(COLUMNS)),  # type: ignore[arg-type]
}
UNNAMED: dict[str, Any] = {
    "array": VALUES,
    "float32": VALUES.astype(np.float32),
    "list": VALUES.tolist(),
    "tuples": ((1, 2), (None, 4), (5, None)),
    "objects": np.array([[1, 2], [None, 4], [5, NAN]], dtype=object),
    "masked": np.ma.array([[1, 2], [3, 4], [5, 6]], mask=[[0, 0], [1, 0], [0, 1]]),
    "pandas": pd.DataFrame(VALUES),
    "series": rb.Series(VALUES),
}


@pytest.mark.parametrize("data", NAMED.values(), ids=NAMED)
def test_columns_with_names(data: Any) -> None:
    table = read_table(data)
    np.testing.assert_array_equal(table.values, VALUES)
    assert table.values.dtype == np.float64
    assert not table.values.flags.writeable
    assert table.names in [("a", "b"), ("x, a", "x, b")]
    assert table.noise_covariance is None
    turned = read_table(data, columns=table.names[::-1])
    np.testing.assert_array_equal(turned.values, VALUES[:, ::-1])
    assert turned.names == table.names[::-1]
    np.testing.assert_array_equal(read_table(data, columns=table.names[1]).values, VALUES[:, [1]])


@pytest.mark.parametrize("data", UNNAMED.values(), ids=UNNAMED)
def test_columns_without_names(data: Any) -> None:
    table = read_table(data)
    np.testing.assert_array_equal(table.values, VALUES)
    assert (table.names, table.index, table.times) == (None, None, None)
    np.testing.assert_array_equal(read_table(data, columns=[1]).values, VALUES[:, [1]])
    np.testing.assert_array_equal(read_table(data, columns=1).values, VALUES[:, [1]])
    assert [table.label(position) for position in range(4)] == [0, 1, 2, "end"]
    assert [table.place(position) for position in range(4)] == ["row 0", "row 1", "row 2", "the end"]


@pytest.mark.parametrize(
    ("data", "name"),
    [
        ([1, None, 3], None),
        (np.array([1.0, NAN, 3.0]), None),
        (np.ma.array([1, 2, 3], mask=[False, True, False]), None),
        (pd.Series([1, None, 3]), None),
        (pd.Series([1, None, 3], name="y", dtype="Int64"), "y"),
        (pd.Series([1, None, 3], name=0), None),
        (pl.Series([1, None, 3]), None),
        (pl.Series("y", [1, None, 3]), "y"),
        (pa.chunked_array([[1, None], [3]]), None),
        (pa.array([1, None, 3]), None),
        (rb.Series(np.array([1.0, NAN, 3.0])), None),
    ],
    ids=str,
)
def test_one_column(data: Any, name: str | None) -> None:
    table = read_table(data)
    np.testing.assert_array_equal(table.values, [[1.0], [NAN], [3.0]])
    assert table.names == (None if name is None else (name,))
    assert len(table) == 3


@pytest.mark.parametrize("make", [np.array, list, pd.Series, pl.Series, pa.array], ids=lambda make: make.__name__)
def test_truth_values_and_integers(make: Callable[[Any], Any]) -> None:
    np.testing.assert_array_equal(read_table(make([True, False])).values, [[1.0], [0.0]])
    np.testing.assert_array_equal(read_table(make([2**40, -7])).values, [[2.0**40], [-7.0]])


def test_truth_values_may_be_missing() -> None:
    for data in (pd.Series([True, None], dtype="boolean"), pl.Series([True, None]), pa.chunked_array([[True, None]])):
        np.testing.assert_array_equal(read_table(data).values, [[1.0], [NAN]])


def test_a_column_may_be_missing_altogether() -> None:
    for data in (pd.DataFrame({"a": [1, 2], "b": [None, None]}), pl.DataFrame({"a": [1, 2], "b": [None, None]})):
        np.testing.assert_array_equal(read_table(data).values, [[1, NAN], [2, NAN]])


def test_noise_goes_with_its_columns() -> None:
    noise = np.array([[[4.0, 1.0], [1.0, 9.0]]] * 3)
    frame = pl.DataFrame({"day": [date(2020, 1, day) for day in (1, 2, 5)], **COLUMNS})
    table = read_table(rb.Series(frame, noise))  # type: ignore[arg-type]
    np.testing.assert_array_equal(table.noise_covariance, noise)
    assert table.times is not None
    turned = read_table(table, columns=["b", "a"])
    np.testing.assert_array_equal(turned.noise_covariance, [[[9.0, 1.0], [1.0, 4.0]]] * 3)
    assert not turned.noise_covariance.flags.writeable  # type: ignore[union-attr]
    single = read_table(rb.Series(VALUES, np.array([[1.0, 2.0]] * 3)), columns=1)
    np.testing.assert_array_equal(single.noise_covariance, [[[2.0]]] * 3)
    with pytest.raises(rb.DataError, match=r"noise covariance of the data must have shape \(3, 2\)"):
        read_table(rb.Series(VALUES, np.ones((3, 3))))


# Time

DAYS = [date(2020, 1, 1), date(2020, 1, 2), date(2020, 1, 5)]
MIDNIGHTS = [datetime(day.year, day.month, day.day) for day in DAYS]
ISO = ["2020-01-01", "2020-01-02", "2020-01-05"]
STAMPS = np.array(ISO, dtype="datetime64[D]")
DATED: dict[str, tuple[Any, Any]] = {  # data, and what is said of its time
    "index of dates": (pd.DataFrame(COLUMNS, index=pd.DatetimeIndex(ISO)), None),
    "index of periods": (pd.DataFrame(COLUMNS, index=pd.PeriodIndex(ISO, freq="D")), None),
    "index of Python's dates": (pd.DataFrame(COLUMNS, index=DAYS), None),
    "index of arrow's dates": (pd.DataFrame(COLUMNS, index=pd.Index(DAYS, dtype="date32[pyarrow]")), None),
    "index of categories": (pd.DataFrame(COLUMNS, index=pd.CategoricalIndex(MIDNIGHTS)), None),
    "pandas, a column": (pd.DataFrame({"day": MIDNIGHTS, **COLUMNS}), None),
    "pandas, a column of dates": (pd.DataFrame({"day": DAYS, **COLUMNS}), None),
    "pandas, a column of periods": (pd.DataFrame({**COLUMNS, "day": pd.PeriodIndex(ISO, freq="D")}), None),
    "pandas, a column and an index of numbers": (pd.DataFrame({"day": MIDNIGHTS, **COLUMNS}, index=[3, 1, 2]), None),
    "pandas, a column of texts": (pd.DataFrame({"day": ISO, **COLUMNS}), "day"),
    "polars, a column": (pl.DataFrame({**COLUMNS, "day": MIDNIGHTS}), None),
    "polars, a column of dates": (pl.DataFrame({"day": DAYS, **COLUMNS}), "day"),
    "polars, a column of texts": (pl.DataFrame({"day": ISO, **COLUMNS}), "day"),
    "pyarrow, a column": (pa.table({"day": DAYS, **COLUMNS}), None),
    "pyarrow, a column of texts": (pa.table({"day": ISO, **COLUMNS}), "day"),
    **{
        f"beside: {name}": (pl.DataFrame(COLUMNS), time)
        for name, time in {
            "texts": ISO,
            "dates": DAYS,
            "tuple": tuple(MIDNIGHTS),
            "Timestamps": list(pd.DatetimeIndex(ISO)),
            "array": STAMPS,
            "masked": np.ma.array(STAMPS),
            "array of nanoseconds": STAMPS.astype("datetime64[ns]"),
            "array of periods": pd.PeriodIndex(ISO, freq="D").to_numpy(),
            "index": pd.DatetimeIndex(ISO),
            "periods": pd.PeriodIndex(ISO, freq="D"),
            "series of pandas": pd.Series(MIDNIGHTS, index=[7, 8, 9]),
            "series of polars": pl.Series(DAYS),
            "arrow": pa.chunked_array([DAYS]),
            "array of arrow": pa.array(MIDNIGHTS),
            "table": pa.table({"day": DAYS})["day"],
        }.items()
    },
}


@pytest.mark.parametrize(("data", "time"), DATED.values(), ids=DATED)
def test_dates(data: Any, time: Any) -> None:
    table = read_table(data, time=time)
    np.testing.assert_array_equal(table.values, VALUES)
    assert table.names == ("a", "b")
    assert table.times is not None
    assert table.times.dtype.kind == "M"
    np.testing.assert_array_equal(table.times, STAMPS)
    assert [table.place(position) for position in range(4)] == [*ISO, "the end"]
    first = table.label(0)
    assert isinstance(first, pd.Timestamp | pd.Period | np.datetime64 | date)
    assert str(first).startswith("2020-01-01")
    assert table.label(3) == "end"


NUMBERED: dict[str, tuple[Any, Any]] = {
    "index": (pd.DataFrame(COLUMNS, index=[2000, 2001, 2004]), None),
    "nullable index": (pd.DataFrame(COLUMNS, index=pd.Index([2000, 2001, 2004], dtype="Int64")), None),
    "pandas, a column": (pd.DataFrame({"year": [2000, 2001, 2004], **COLUMNS}), "year"),
    "polars, a column": (pl.DataFrame({**COLUMNS, "year": [2000, 2001, 2004]}), "year"),
    "pyarrow, a column": (pa.table({"year": [2000, 2001, 2004], **COLUMNS}), "year"),
    "beside": (pd.DataFrame(COLUMNS, index=["x", "y", "z"]), [2000, 2001, 2004]),
    "beside, objects": (pa.table(COLUMNS), np.array([2000, 2001, 2004], dtype=object)),
    "beside, arrow": (pa.table(COLUMNS), pa.array([2000, 2001, 2004])),
}


@pytest.mark.parametrize(("data", "time"), NUMBERED.values(), ids=NUMBERED)
def test_years(data: Any, time: Any) -> None:
    table = read_table(data, time=time)
    np.testing.assert_array_equal(table.values, VALUES)
    assert table.names == ("a", "b")
    np.testing.assert_array_equal(table.times, [2000.0, 2001.0, 2004.0])
    assert table.times is not None
    assert table.times.dtype == np.float64
    labels = [table.label(position) for position in range(4)]
    assert labels == [2000, 2001, 2004, "end"]
    assert type(labels[0]) is int
    assert table.place(2) == "2004"


def test_a_column_of_an_array_may_be_time() -> None:
    table = read_table([[0.5, 1.0, 2.0], [0.75, NAN, 4.0], [3.0, 5.0, NAN]], time=0)
    np.testing.assert_array_equal(table.values, VALUES)
    np.testing.assert_array_equal(table.times, [0.5, 0.75, 3.0])
    assert [table.place(row) for row in range(3)] == ["0.5", "0.75", "3"]
    assert table.label(1) == 0.75


@pytest.mark.parametrize(
    ("times", "places"),
    [
        ([1.2101415672192695, 2.0, 3.5], ["1.21", "2", "3.5"]),
        ([0.1, 0.2, 0.30000000000000004], ["0.1", "0.2", "0.3"]),
        ([1000.25, 2000.5, 4000.0], ["1000", "2000", "4000"]),
        ([0.0, 1e-9, 1.0, 2.0], ["0", "1e-09", "1", "2"]),  # rounded, two would be one
        ([1.5, 1.5, 1.5], ["1.5", "1.5", "1.5"]),
    ],
)
def test_how_numbers_are_said(times: list[float], places: list[str]) -> None:
    table = read_table(np.zeros(len(times)), time=times)
    assert [table.place(row) for row in range(len(times))] == places
    assert [table.label(row) for row in range(len(times))] == times


def test_an_index_that_is_no_time_still_names_rows() -> None:
    table = read_table(pd.DataFrame(COLUMNS, index=["z", "y", "x"]))
    assert table.times is None
    assert [table.label(row) for row in range(3)] == ["z", "y", "x"]
    assert table.place(1) == "y"
    levels = read_table(pd.DataFrame(COLUMNS, index=pd.MultiIndex.from_product([["u"], [3, 2, 1]])))
    assert (levels.times, levels.label(1), levels.place(1)) == (None, ("u", 2), "u, 2")


def test_rows_that_are_merely_counted_have_no_labels() -> None:
    for index in (None, [0, 1], np.arange(2), pd.Index([0, 1])):
        assert read_table(pd.Series([1.0, 2.0], index=index)).index is None
    later = read_table(pd.Series(np.arange(10.0)).iloc[5:])
    assert (later.label(0), later.place(0)) == (5, "5")
    years = read_table(pd.Series([1.0, 2.0], index=range(1871, 1873)))
    np.testing.assert_array_equal(years.times, [1871.0, 1872.0])


def test_an_index_of_dates_goes_before_columns_of_dates() -> None:
    frame = pd.DataFrame({"a": [1, 2, 3], "changed": MIDNIGHTS[::-1]}, index=pd.DatetimeIndex(ISO))
    np.testing.assert_array_equal(read_table(frame, columns=["a"]).times, STAMPS)
    with pytest.raises(rb.DataError, match=r"no numbers: 'changed' \(dates\); choose others by columns=\['a'\]"):
        read_table(frame)


def test_labels_are_those_of_the_index() -> None:
    stamps = pd.Series([1.0, 2.0], index=pd.DatetimeIndex(["2008-10-01", "2008-11-01"]))
    assert read_table(stamps).label(1) == pd.Timestamp("2008-11-01")
    quarters = read_table(pd.Series([1.0, 2.0], index=pd.period_range("2008Q3", periods=2, freq="Q")))
    assert (quarters.label(1), quarters.place(1)) == (pd.Period("2008Q4"), "2008Q4")
    np.testing.assert_array_equal(quarters.times, np.array(["2008-07-01", "2008-10-01"], dtype="datetime64[D]"))
    month = read_table([1.0, 2.0], time=np.array(["2008-10", "2008-11"], dtype="datetime64[M]"))
    assert (month.label(1), month.place(1)) == (np.datetime64("2008-11"), "2008-11")
    np.testing.assert_array_equal(np.diff(month.times), np.timedelta64(31, "D"))
    texts = read_table([1.0, 2.0], time=["2008-10", "2008-11"])
    assert (texts.label(1), texts.place(1)) == (np.datetime64("2008-11"), "2008-11")
    np.testing.assert_array_equal(texts.times, month.times)
    with pytest.raises(rb.DataError, match="texts like 2008-10-01"):
        read_table([1.0, 2.0], time=["2008-10", "2008-13"])


@pytest.mark.parametrize(
    ("stamps", "place"),
    [
        (["2008-10-01 00:00", "2008-10-01 06:30"], "2008-10-01 06:30"),
        (["2008-10-01 00:00", "2008-10-01 06:30:15"], "2008-10-01 06:30:15"),
        (["2008-10-01 00:00", "2008-10-01 00:00:00.25"], "2008-10-01 00:00:00.250"),
        (["2008-10-01 00:00", "2008-10-02 00:00:00"], "2008-10-02"),
        (["1600-01-01", "1600-01-02"], "1600-01-02"),
    ],
)
def test_how_dates_are_said(stamps: list[str], place: str) -> None:
    array = np.array(stamps, dtype="datetime64[us]")
    for table in (
        read_table([1, 2], time=array),
        read_table([1, 2], time=stamps),
        read_table([1, 2], time=pl.Series(array)),
        read_table(pd.Series([1, 2], index=pd.DatetimeIndex(array))),
    ):
        assert table.place(1) == place
        np.testing.assert_array_equal(table.times, array)


def test_nanoseconds_are_kept() -> None:
    array = np.array(["2008-10-01T00:00:00.000000001", "2008-10-01T00:00:00.000000002"], dtype="datetime64[ns]")
    for time in (array, pd.DatetimeIndex(array), pl.Series(array), pa.array(array)):
        table = read_table([1, 2], time=time)
        np.testing.assert_array_equal(table.times, array)
        assert table.place(1) == "2008-10-01 00:00:00.000000002"


def berlin() -> dict[str, tuple[Any, Any]]:
    """The night in which summer ends: clocks go back, time does not."""
    index = pd.date_range("2020-10-25 00:00", periods=4, freq="h", tz="UTC").tz_convert("Europe/Berlin")
    utc = np.array(index.tz_convert(None), dtype="datetime64[us]")
    column = pl.Series("t", utc).dt.replace_time_zone("UTC").dt.convert_time_zone("Europe/Berlin")
    values = [1.0, 2.0, 3.0, 4.0]
    return {
        "index": (pd.Series(values, index=index), None),
        "pandas": (pd.DataFrame({"a": values, "t": index}), None),
        "polars": (pl.DataFrame({"a": values, "t": column}), None),
        "pyarrow": (pl.DataFrame({"a": values, "t": column}).to_arrow(), "t"),
        "datetimes": (values, index.to_pydatetime().tolist()),
        "texts": (values, [stamp.isoformat() for stamp in index]),
        "series": (values, column),
    }


@pytest.mark.parametrize(("data", "time"), berlin().values(), ids=berlin())
def test_time_zones(data: Any, time: Any) -> None:
    table = read_table(data, time=time)
    np.testing.assert_array_equal(
        table.times, np.arange("2020-10-25T00", "2020-10-25T04", dtype="datetime64[h]").astype("datetime64[us]")
    )
    places = ["2020-10-25 02:00 +0200", "2020-10-25 02:00 +0100", "2020-10-25 03:00 +0100", "2020-10-25 04:00 +0100"]
    assert [table.place(row) for row in range(4)] == places
    first = table.label(0)
    assert first.astimezone(UTC) == datetime(2020, 10, 25, tzinfo=UTC)
    assert first.utcoffset() == timedelta(hours=2)
    assert isinstance(first, pd.Timestamp) == isinstance(data, pd.Series | pd.DataFrame)


def test_midnights_of_a_time_zone() -> None:
    days = pd.date_range("2020-03-28", periods=3, tz="Europe/Berlin")
    table = read_table(pd.Series([1, 2, 3], index=days))
    assert [table.place(row) for row in range(3)] == ["2020-03-28", "2020-03-29", "2020-03-30"]
    assert table.times is not None
    np.testing.assert_array_equal(np.diff(table.times) / np.timedelta64(1, "h"), [24.0, 23.0])
    fixed = timezone(timedelta(hours=9))
    assert read_table([1], time=[datetime(2020, 1, 1, tzinfo=fixed)]).place(0) == "2020-01-01"


def test_durations_are_seconds() -> None:
    steps = [timedelta(0), timedelta(seconds=90), timedelta(days=1)]
    for data, time in (
        (pd.Series([1, 2, 3], index=pd.TimedeltaIndex(steps)), None),
        ([1, 2, 3], np.array(steps, dtype="timedelta64[s]")),
        (pl.DataFrame({"a": [1, 2, 3], "t": steps}), "t"),
        (pa.table({"a": [1, 2, 3], "t": steps}), "t"),
    ):
        np.testing.assert_array_equal(read_table(data, time=time).times, [0.0, 90.0, 86400.0])


def test_several_rows_may_share_a_time() -> None:
    np.testing.assert_array_equal(read_table([1, 2, 3], time=[0, 0, 1]).times, [0.0, 0.0, 1.0])


@st.composite
def columns_and_stamps(draw: st.DrawFn) -> tuple[dict[str, list[Any]], list[Any]]:
    rows = draw(st.integers(1, 6))
    kinds = [st.booleans(), st.integers(-(2**53), 2**53), st.floats(-1e100, 1e100)]
    entries = [
        draw(st.sampled_from([kind, kind | st.none()])) for kind in draw(st.lists(st.sampled_from(kinds), min_size=1))
    ]
    columns = {f"c{one}": draw(st.lists(kind, min_size=rows, max_size=rows)) for one, kind in enumerate(entries)}
    moments = st.datetimes(datetime(1950, 1, 1), datetime(2037, 1, 1))  # later, libraries disagree about summers to come
    stamps = draw(st.sampled_from([st.integers(-(10**6), 10**6), st.floats(-1e9, 1e9), st.dates(), moments]))
    times = sorted(draw(st.lists(stamps, min_size=rows, max_size=rows)))
    if stamps is moments and draw(st.booleans()):
        zone = draw(st.sampled_from([ZoneInfo("Europe/Berlin"), ZoneInfo("Asia/Kathmandu"), ZoneInfo("UTC")]))
        times = [time.replace(tzinfo=UTC).astimezone(zone) for time in times]
    return columns, times


@given(columns_and_stamps(), st.integers(0, 3))
def test_all_libraries_give_the_same(drawn: tuple[dict[str, list[Any]], list[Any]], at: int) -> None:
    """Whatever the columns are, wherever time stands; the oracle is Python's own list of rows."""
    columns, stamps = drawn
    assume(stamps != list(range(len(stamps))))  # an index that counts from 0 is none
    expected = np.array(
        [[NAN if entry is None else float(entry) for entry in row] for row in zip(*columns.values(), strict=True)]
    )
    zone = getattr(stamps[0], "tzinfo", None)
    items = list(columns.items())
    items.insert(at, ("t", stamps))
    schema = {"t": pl.Datetime("us", str(zone))} if zone is not None else None
    frame = pl.DataFrame(dict(items), schema_overrides=schema, strict=False)
    objects = pd.DataFrame({name: pd.Series(entries, dtype=object) for name, entries in items})
    tables = [
        read_table(frame, time="t"),
        read_table(frame.to_arrow(), time="t"),
        read_table(objects, time="t"),
        read_table(objects.drop(columns="t").set_index(pd.Index(stamps))),
        read_table(expected, time=stamps),
        read_table(frame.drop("t"), time=frame["t"]),
    ]
    tables += [read_table(table) for table in tables]
    for table in tables:
        np.testing.assert_array_equal(table.values, expected)
        assert table.times is not None
        np.testing.assert_array_equal(table.times, tables[0].times)
        for row, stamp in enumerate(stamps):
            assert table.label(row) == stamp
            assert table.place(row) == tables[0].place(row)
    assert tables[0].names == tuple(columns)
    if isinstance(stamps[0], int | float):
        np.testing.assert_array_equal(tables[0].times, np.array(stamps, dtype=np.float64))
    else:
        utc = [stamp.astimezone(UTC).replace(tzinfo=None) if zone is not None else stamp for stamp in stamps]
        np.testing.assert_array_equal(tables[0].times, np.array(utc, dtype="datetime64[us]"))


# What cannot be read

BACK = pd.DatetimeIndex(["2020-01-02", "2020-01-01", "2020-01-03"])


@pytest.mark.parametrize(
    ("data", "settings", "complaint"),
    [
        ([], {}, "the data is empty; at least one"),
        (np.zeros((0, 2)), {}, "is empty"),
        (np.zeros((2, 0)), {}, "is empty"),
        (pd.DataFrame(), {}, "is empty"),
        (pd.DataFrame({"a": []}), {}, "is empty"),
        (pl.DataFrame({"a": []}), {}, "is empty"),
        (pa.table({"a": pa.array([], pa.float64())}), {}, "is empty"),
        (None, {}, "must be numbers.*NoneType"),
        ("data.csv", {}, "got text; read the file first"),
        (3.0, {}, r"must have shape \(observations, columns\), got \(\)"),
        (np.zeros((2, 2, 2)), {}, r"got \(2, 2, 2\)"),
        ([[1, 2], [3]], {}, r"rows of different lengths; several series are a list of arrays, such as \[np\.array"),
        ({"a": [1]}, {}, "must be numbers.*dict"),
        (pd.Series([1j, 2j]), {}, "complex numbers"),
        (pl.LazyFrame({"a": [1]}), {}, "collect it first"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), {}, "the data has 2 columns called 'a'; rename them"),
        (pd.Series(["x", "y"]), {}, r"no numbers: 0 \(text\); convert them first"),
        (pd.Series([1, "y"]), {}, r"column 0 of the data has text among its numbers, 'y' at row 1; pd.to_numeric\(series"),
        (pd.DataFrame({"a": [1, 2, "n/a"]}), {}, r"'n/a' at row 2; pd.to_numeric\(frame\['a'\], errors=\"coerce\"\)"),
        (pd.DataFrame({"a": ["1", "2"]}), {}, "text among its numbers, '1' at row 0"),
        (pl.DataFrame({"a": ["1", "n/a"]}), {}, r"'n/a' at row 1; frame\['a'\].cast\(pl.Float64, strict=False\)"),
        ([[1, 2], [3, "n/a"]], {}, "'n/a' at row 1, column 1 is text; convert it"),
        (pl.Series("s", ["x", "y"]), {}, r"no numbers: 's' \(text\)"),
        (pd.Series(["x", "y"], dtype="category"), {}, "categories"),
        (pd.Series([1, 2], dtype="category"), {}, r"no numbers: 0 \(categories\); convert them first"),
        (pl.DataFrame({"a": [[1], [2]]}), {}, r"'a' \(ndarray\)"),
        (pl.DataFrame({"a": [{"b": 1}]}), {}, r"'a' \(several entries in each\)"),
        (
            pl.DataFrame({"a": [1], "b": [[1, 2]]}, schema_overrides={"b": pl.Array(pl.Int64, 2)}),
            {},
            r"'b' \(several entries",
        ),
        (
            pd.DataFrame({"a": [1], "city": "x", "land": "y"}),
            {},
            r"'city' \(text\), 'land' \(text\); choose .*columns=\['a'\]",
        ),
        (pl.DataFrame({"a": [1], "city": "x", "wait": timedelta(1)}), {}, r"'city' \(text\), 'wait' \(durations\)"),
        (pa.table({"a": [1], "city": ["x"]}), {"name": "series 7"}, r"series 7 has columns that are no numbers: 'city'"),
        (pd.DataFrame({"a": [1], "city": "x"}), {"columns": ["a", "town"]}, "no column 'town'; it has 'a', 'city'"),
        (pd.DataFrame({f"c{one}": [1] for one in range(20)}), {"columns": "x"}, "'c7' and 12 more"),
        (VALUES, {"columns": 2}, "no column 2; it has 0, 1"),
        (VALUES, {"columns": True}, "no column True"),
        (VALUES, {"columns": "a"}, "no column 'a'"),
        (VALUES, {"columns": []}, "at least one column"),
        (VALUES, {"columns": [0, 0]}, "each once"),
        (VALUES, {"columns": 1.5}, "columns must be a list of names of columns"),
        (VALUES, {"columns": {"a": 1}}, "columns must be a list"),
        (pd.DataFrame({"a": MIDNIGHTS}), {}, "no columns but its time"),
        (pd.DataFrame({"a": [1], "t": [2]}), {"time": "t", "columns": ["t"]}, "'t' of the data is its time"),
        (
            pd.DataFrame({"a": [1], "t": MIDNIGHTS[:1], "u": MIDNIGHTS[:1]}),
            {},
            "several columns of dates, 't', 'u'; .*time=",
        ),
        (pd.DataFrame({"a": [1]}), {"time": "t"}, "no column 't'; it has 'a'"),
        (VALUES, {"time": [1, 2]}, "one stamp for each of the 3 rows"),
        (VALUES, {"time": VALUES}, "one stamp for each of the 3 rows"),
        (VALUES, {"time": pl.DataFrame({"t": [1, 2, 3]})}, "one stamp for each of the 3 rows"),
        (VALUES, {"time": 1.5}, "one stamp for each of the 3 rows"),
        (VALUES, {"time": object()}, "one stamp for each of the 3 rows"),
        (VALUES, {"time": [[1], [2, 3], 4]}, "one stamp for every row"),
        (VALUES, {"time": ["x", "y", "z"]}, "numbers, dates or texts like 2008-10-01, got.*x"),
        (VALUES, {"time": ["1.2.2020", "2.2.2020", "3.2.2020"]}, "texts like 2008-10-01"),
        (VALUES, {"time": [True, False, True]}, "must be numbers, dates"),
        (VALUES, {"time": [1j, 2j, 3j]}, "must be numbers, dates"),
        (VALUES, {"time": [1, NAN, 3]}, "time of the data is missing at row 1; leave"),
        (VALUES, {"time": [1, None, 3]}, "missing at row 1"),
        (VALUES, {"time": [1, 2, np.inf]}, "missing at row 2"),
        (VALUES, {"time": ["2020-01-01", None, "2020-01-02"]}, "missing at row 1"),
        (VALUES, {"time": np.array(["2020-01-01", "2020-01-02", "NaT"], dtype="datetime64[D]")}, "missing at row 2"),
        (VALUES, {"time": [3, 2, 1]}, "goes back in time at row 1, from 3 to 2; sort its rows by time first$"),
        (pd.DataFrame({"t": BACK, "a": 1}), {}, "row 1, from 2020-01-02 to 2020-01-01; sort its rows by time first$"),
        (pd.DataFrame({"a": [1, 2, 3]}, index=BACK), {}, r"sort its rows by time first, or drop its index"),
        (pd.concat([pd.Series([1, 2])] * 2), {}, r"from 1 to 0; sort.*reset_index\(drop=True\)"),
        (pd.Series([1, 2], index=[1, None]), {}, "missing at row 1.*, or drop its index"),
        (pd.Series([1.0, np.inf], index=pd.DatetimeIndex(ISO[:2])), {}, "infinite at 2020-01-02, column 0; use NaN"),
        (pl.DataFrame({"a": [1.0, 2.0], "b": [-np.inf, 0]}), {}, "infinite at row 0, column 'b'"),
        ([1.0, 1e200], {}, "beyond 1e150"),
    ],
)
def test_what_cannot_be_read(data: Any, settings: dict[str, Any], complaint: str) -> None:
    with pytest.raises(rb.DataError, match=complaint) as caught:
        read_table(data, **settings)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("position", [-1, 4, 1.5, None, True])
def test_positions_are_checked(position: Any) -> None:
    table = read_table(VALUES)
    for ask in (table.label, table.place):
        with pytest.raises(rb.DataError, match="position must be a whole number from 0 to 3"):
            ask(position)


# Several series


@pytest.mark.parametrize(
    "data", [*NAMED.values(), *UNNAMED.values()], ids=[*NAMED, *(f"{name}, no names" for name in UNNAMED)]
)
def test_one_or_many(data: Any) -> None:
    tables, single = read_tables(data)
    assert single
    np.testing.assert_array_equal(tables[0].values, VALUES)
    if isinstance(data, tuple | Table):
        return
    tables, single = read_tables([data, data])
    assert not single
    assert len(tables) == 2
    np.testing.assert_array_equal([table.values for table in tables], [VALUES, VALUES])


def test_lists_of_numbers_and_arrays_of_three_dimensions() -> None:
    assert read_tables([1, 2, 3])[1]
    tables, single = read_tables(np.stack([VALUES, 2 * VALUES]), time=[1, 2, 4])
    assert not single
    np.testing.assert_array_equal(tables[1].values, 2 * VALUES)
    np.testing.assert_array_equal([table.times for table in tables], [[1.0, 2.0, 4.0]] * 2)


def test_each_series_may_have_its_own_time() -> None:
    frames = [pl.DataFrame({"t": [0, 1], "a": [1, 2]}), pl.DataFrame({"a": [1, 2, 3], "t": [5, 6, 9]})]
    tables, _ = read_tables(frames, time="t")
    assert [table.times.tolist() for table in tables if table.times is not None] == [[0, 1], [5, 6, 9]]
    apart, _ = read_tables([frame.drop("t") for frame in frames], time=[frame["t"] for frame in frames])
    assert [table.times.tolist() for table in apart if table.times is not None] == [[0, 1], [5, 6, 9]]
    with pytest.raises(rb.DataError, match="one for all 2 series or a list of 2, got 3"):
        read_tables(frames, time=[[1, 2]] * 3)
    with pytest.raises(rb.DataError, match="series 1"):
        read_tables(frames, time=[0, 1], columns="a")


def test_series_are_put_into_the_order_of_the_first() -> None:
    first = pd.DataFrame(COLUMNS, index=["x", "y", "z"])
    tables, _ = read_tables([first, pl.DataFrame(COLUMNS).select("b", "a"), first[["b", "a"]], VALUES])
    assert [table.names for table in tables] == [("a", "b")] * 3 + [None]
    np.testing.assert_array_equal([table.values for table in tables], [VALUES] * 4)
    assert tables[2].label(2) == "z"
    single, _ = read_tables([pd.Series([1], name="here"), pd.Series([2], name="there")])
    assert [table.names for table in single] == [("here",), ("there",)]


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        ([], "there are no series"),
        ((), "there are no series"),
        ([VALUES, VALUES[:, :1]], "series 1 has 1 columns, series 0 has 2"),
        ([pd.DataFrame(COLUMNS), pd.DataFrame({"a": [1], "c": [2]})], "series 1 has the columns.*'c'.*columns="),
        ([pd.Series([1]), pd.Series([np.inf])], "series 1 is infinite"),
        ([VALUES, None], "series 1 must be numbers"),
    ],
)
def test_series_that_do_not_go_together(data: Any, complaint: str) -> None:
    with pytest.raises(rb.DataError, match=complaint):
        read_tables(data)


# Several series in one frame


def long_format(count: int = 4) -> pd.DataFrame:
    days = pd.date_range("2024-01-01", periods=count)
    index = pd.MultiIndex.from_product([["b", "a", "c"], days], names=["sensor", "ts"])
    return pd.DataFrame({"value": np.arange(3.0 * count)}, index=index)


LONG = long_format()
ROWS = LONG.reset_index()
PARTS = r"give a list of them, \[part for _, part in frame.groupby\({}\)\]"


@pytest.mark.parametrize(
    ("data", "settings", "complaint"),
    [
        (LONG, {}, "index of the data says one time more than once; 'sensor' tells.*" + PARTS.format("level='sensor'")),
        (LONG.swaplevel().sort_index(), {}, PARTS.format("level='sensor'")),
        (LONG.set_axis(pd.MultiIndex.from_product([["b", "a", "c"], range(4)])), {}, PARTS.format("level=0")),
        (LONG.reset_index("ts"), {"time": "ts"}, PARTS.format("level='sensor'")),
        (
            ROWS,
            {},
            "back in time at row 4, .*; 'sensor' tells.*" + PARTS.format("'sensor'") + r", with columns=\['value'\]$",
        ),
        (ROWS, {"time": "ts", "columns": "value"}, PARTS.format("'sensor'")),
        (ROWS, {"time": ROWS["ts"], "columns": "value"}, "with columns=.*, and time by the name of its column"),
        (ROWS.set_index("ts"), {}, PARTS.format("'sensor'")),
        (ROWS.sort_values("ts"), {}, "has several rows at one time; 'sensor' tells"),
        (ROWS.assign(sensor=np.repeat([7, 8, 9], 4)), {}, PARTS.format("'sensor'") + r", with columns=\['value'\]"),
        (ROWS.astype({"sensor": "category"}), {}, PARTS.format("'sensor'")),
        (pl.from_pandas(ROWS), {}, r"give a list of them, frame.partition_by\('sensor'\), with columns=\['value'\]"),
        (
            ROWS.iloc[[*range(8), *range(4)]].assign(site=np.repeat(["u", "v"], [8, 4])),
            {},
            r"'sensor' and 'site' tell several series apart.*groupby\(\['sensor', 'site'\]\)",
        ),
        (ROWS.iloc[[1, 0, 2]], {}, "sort its rows by time first$"),
    ],
)
def test_series_that_a_column_or_a_level_tells_apart(data: Any, settings: dict[str, Any], complaint: str) -> None:
    with pytest.raises(rb.DataError, match=complaint):
        read_table(data, **settings)


def test_what_is_advised_works() -> None:
    for parts in ([part for _, part in LONG.groupby(level="sensor")], [part for _, part in ROWS.groupby("sensor")]):
        tables, _ = read_tables(parts, columns=["value"])
        assert [len(table) for table in tables] == [4, 4, 4]
        assert tables[0].values[:, 0].tolist() == [4.0, 5.0, 6.0, 7.0]
        assert [table.label(0) for table in tables] == [pd.Timestamp("2024-01-01")] * 3
    tables, _ = read_tables(pl.from_pandas(ROWS).partition_by("sensor"), columns=["value"])
    assert [table.label(1) for table in tables] == [datetime(2024, 1, 2)] * 3


def test_levels_that_are_one_time_together() -> None:
    months = pd.MultiIndex.from_product([[2020, 2021], range(1, 13)])
    table = read_table(pd.DataFrame({"a": range(24)}, index=months))
    assert (table.label(13), table.place(13)) == ((2021, 2), "2021, 2")


# What tables say


def test_dates_of_frames_without_an_index_are_python_s() -> None:
    for frame in (
        pl.DataFrame({"t": [datetime(2024, 1, 1, 7)], "a": [1]}),
        pl.DataFrame({"t": [date(2024, 1, 1)], "a": [1]}),
    ):
        for data in (frame, frame.to_arrow()):
            table = read_table(data)
            assert type(table.label(0)) is type(frame["t"][0])
            assert table.label(0) == read_table(table).label(0) == frame["t"][0]
    fine = pl.DataFrame({"t": [datetime(2024, 1, 1)], "a": [1]}).with_columns(pl.col("t").cast(pl.Datetime("ns")))
    assert isinstance(read_table(fine).label(0), np.datetime64)  # Python has no nanoseconds
    assert isinstance(read_table([1.0], time=["2024-01-01"]).label(0), np.datetime64)


def test_tables_are_told_shortly() -> None:
    assert repr(read_table(np.zeros((1000, 3)))) == "Table(1000 observations, 3 columns)"
    assert repr(read_table([1.0, 2.0], time=["2024-01-01", "2024-01-02"])) == (
        "Table(2 observations, 1 column, from 2024-01-01 to 2024-01-02)"
    )
    wide = pd.DataFrame(np.zeros((2, 6)), columns=list("abcdef"))
    assert repr(read_table(wide)) == "Table(2 observations of 'a', 'b', 'c', 'd' and 2 more)"


# What is imported


def modules_after(statement: str) -> set[str]:
    code = f"import sys; {statement}; print(*sys.modules)"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


def test_libraries_are_imported_by_their_users_alone() -> None:
    libraries = {"narwhals", "pandas", "polars", "pyarrow"}
    read = "from recbayes.data.frames import read_table; read_table([1, 2], time=[1, 2])"
    assert modules_after(read) & libraries == set()
    frame = "import polars; read_table(polars.DataFrame({'a': [1]}), time=polars.Series([1]))"
    assert modules_after(f"{read}; {frame}") & libraries == {"narwhals", "polars"}


@pytest.mark.parametrize(
    ("first", "step", "said"),
    [
        ("2024-10-21T15:37:53.403534828", "5904624424242", ["2024-10-21 15:37:53", "2024-10-21 17:16:18"]),
        ("2024-10-21T15:37:53.403534828", "12183673", ["2024-10-21 15:37:53.403", "2024-10-21 15:37:53.415"]),
        ("2024-10-21T15:37:53.403534828", "7", ["2024-10-21 15:37:53.403534828", "2024-10-21 15:37:53.403534835"]),
        ("2024-10-21T15:37:53.000000000", "1000000000", ["2024-10-21 15:37:53", "2024-10-21 15:37:54"]),
    ],
)
def test_fractions_of_seconds_have_no_idle_digits(first: str, step: str, said: list[str]) -> None:
    times = np.datetime64(first) + np.arange(2) * np.timedelta64(int(step), "ns")
    table = read_table(pd.Series([1.0, 2.0], index=times))
    assert [table.place(row) for row in range(2)] == said
