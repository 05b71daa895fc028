"""Tables in any dialect read back as they were written; plain ones as pandas reads them."""

import csv
import io
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import recbayes as rb

FORMS = {  # of dates, and the finest unit that each can say
    "%Y-%m-%d": "D",
    "%Y-%m-%dT%H:%M:%S": "s",
    "%Y-%m-%d %H:%M:%S": "s",
    "%d.%m.%Y": "D",
    "%d.%m.%Y %H:%M": "m",
    "%m/%d/%Y": "D",
    "%Y/%m/%d": "D",
    "%d %b %Y": "D",
    "%Y%m%d": "D",
    "%Y-%m": "M",
}
MISSING = ["", "NA", "nan", "null", "-", "N/A"]


class Dialect(NamedTuple):
    """How a table is written."""

    separator: str
    decimal: str
    form: str | None  # of dates; None: there are none
    encoding: str
    comment: bool
    quoted: bool
    newline: str
    back: bool  # newest first


class Written(NamedTuple):
    """What was written."""

    content: bytes
    values: np.ndarray
    times: np.ndarray | None
    groups: list[str] | None
    names: list[str]


@st.composite
def dialects(draw: Any) -> Dialect:
    separator = draw(st.sampled_from([",", ";", "\t", "|", " "]))
    form = draw(st.sampled_from([*FORMS, None]))
    if separator == " " and form is not None and " " in form:
        form = "%Y-%m-%d"
    return Dialect(
        separator,
        draw(st.sampled_from(",." if separator != "," else ".")),
        form,
        draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"])),
        draw(st.booleans()),
        draw(st.booleans()),
        draw(st.sampled_from(["\n", "\r\n"])),
        draw(st.booleans()) and form is not None,
    )


@st.composite
def tables(draw: Any, dialect: Dialect) -> Written:
    count, width = draw(st.integers(14, 30)), draw(st.integers(1, 3))
    grouped = dialect.form is not None and draw(st.booleans())
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    values = np.round(rng.normal(scale=10.0 ** draw(st.integers(0, 4)), size=(count, width)), 4)
    gone = rng.random((count, width)) < 0.2
    gone[:3] = False
    values[gone] = np.nan
    times = None
    if dialect.form is not None:
        unit = FORMS[dialect.form]
        step = draw(st.integers(1, 40)) if unit in "Dm" else draw(st.integers(1, 3))
        times = np.datetime64("2019-11-20", unit) + np.arange(count) * step
    names = ["höhe", "b c", "x"][:width]
    groups = [("A", "Bö", "C 3")[n % 3] for n in range(count)] if grouped else None
    word = "NA" if dialect.separator == " " else draw(st.sampled_from(MISSING))
    lines = [_head(names, times is not None, grouped)]
    for row in range(count):
        cells = [] if times is None else [_date(times[row], str(dialect.form))]
        cells += [] if groups is None else [groups[row]]
        cells += [word if np.isnan(one) else repr(one).replace(".", dialect.decimal) for one in values[row].tolist()]
        lines.append(cells)
    if dialect.back:
        lines[1:] = lines[:0:-1]
    file = io.StringIO()
    if dialect.comment:
        file.write(f"# of a meter{dialect.newline}# and more{dialect.newline}")
    quoting = csv.QUOTE_ALL if dialect.quoted else csv.QUOTE_MINIMAL
    csv.writer(file, delimiter=dialect.separator, quoting=quoting, lineterminator=dialect.newline).writerows(lines)
    return Written(file.getvalue().encode(dialect.encoding), values, times, groups, names)


def _head(names: list[str], timed: bool, grouped: bool) -> list[str]:
    return [*(["when"] if timed else []), *(["who"] if grouped else []), *names]


def _date(stamp: np.datetime64, form: str) -> str:
    return stamp.astype("datetime64[s]").astype(datetime).strftime(form)


@given(st.data())
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, data: Any) -> None:
    dialect = data.draw(dialects())
    written = data.draw(tables(dialect))
    path = tmp_path_factory.getbasetemp() / "table.csv"
    path.write_bytes(written.content)
    told: dict[str, Any] = {"by": "who" if written.groups else False}
    if written.times is None:  # a column of numbers may look like a time
        told["time"] = False
    reading = rb.data.read_file(path, **told)
    order = np.arange(len(written.values))
    groups = written.groups or [""] * len(order)
    assert sorted(reading.series) == sorted(set(groups))
    assert list(reading.columns) == written.names
    for name, table in reading.series.items():
        rows = [row for row in order if groups[row] == name]
        assert np.array_equal(table.values, written.values[rows], equal_nan=True)
        if written.times is not None:
            assert table.times is not None
            assert table.times.tolist() == written.times[rows].astype(table.times.dtype).tolist()
        else:
            assert table.index is None


@given(
    st.lists(st.tuples(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9)), min_size=3, max_size=20),
    st.sampled_from([",", ";", "\t"]),
    st.booleans(),
)
def test_as_pandas_reads_it(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[float, float]], separator: str, index: bool
) -> None:
    """Whatever pandas writes of numbers, with the index that it likes to add, and reads again."""
    path = tmp_path_factory.getbasetemp() / "pandas.csv"
    frame = pd.DataFrame(rows, columns=["a", "b"])
    frame.iloc[1, 0] = np.nan
    frame.to_csv(path, sep=separator, index=index)
    expected = pd.read_csv(path, sep=separator, index_col=0 if index else None)
    reading = rb.data.read_file(path, time=False)
    assert reading.columns == ("a", "b")
    assert np.array_equal(reading.table.values, expected.to_numpy(), equal_nan=True)


def problem_of(path: Path) -> str | None:
    """What is wrong with a file, if an error of ours says so."""
    try:
        rb.data.read_file(path)
    except (rb.FileError, rb.DataError) as problem:
        return str(problem)
    return None


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0\r\n"), max_size=30), max_size=8))
def test_any_text_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, lines: list[str]) -> None:
    """Never anything but a reading, or an error of ours in one line that names the file."""
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    problem = problem_of(path)
    assert problem is None or (problem.startswith(str(path)) and "\n" not in problem)


@given(st.binary(max_size=200), st.sampled_from(["csv", "npy", "npz", "parquet", "jsonl"]))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, content: bytes, ending: str) -> None:
    path = tmp_path_factory.getbasetemp() / f"any.{ending}"
    path.write_bytes(content)
    problem = problem_of(path)
    assert problem is None or "\n" not in problem


def test_a_folder_elsewhere(tmp_path: Path) -> None:
    with pytest.raises(rb.FileError, match="is a folder"):
        rb.data.read_file(tmp_path)
