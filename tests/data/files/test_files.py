"""Files as people have them: what is made of each, and that every guess is said."""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

import recbayes as rb

DAYS = pd.date_range("2024-01-01", periods=12)
HOURS = pd.date_range("2024-01-01", periods=72, freq="h")
VALUES = np.arange(12) % 5 + 0.5
NUMBERS = range(12)
FRAME = pd.DataFrame({"v": VALUES}, index=DAYS)
EXTENT = ("2024-01-01", "2024-01-12")


class Seen(NamedTuple):
    """A file, and what it is: columns, time, group, first and last place of the first series, and a guess that is said."""

    content: str | bytes
    columns: tuple[str, ...]
    time: str | None
    by: str | None
    places: tuple[str, str]
    said: str


def table(names: str, *columns: Any, separator: str = ",") -> str:
    """A table whose cells are written as they are."""
    lines = [separator.join(map(str, row)) for row in zip(*columns, strict=True)]
    return "".join(f"{line}\n" for line in [names, *lines])


def packed(write: Callable[[io.BytesIO], Any]) -> bytes:
    file = io.BytesIO()
    write(file)
    return file.getvalue()


def with_commas(values: np.ndarray) -> list[str]:
    return [f"{value:.2f}".replace(".", ",") for value in values.tolist()]


EXCEL = table("Zeit;Höhe;Notiz;", DAYS.strftime("%d.%m.%y"), with_commas(VALUES), ["ok;"] * 12, separator=";") + ";;;\n"
PANEL = table("year,country,gdp", [*NUMBERS, *NUMBERS], ["FR"] * 12 + ["DE"] * 12, [*VALUES, *VALUES])
SENSORS = table("when,site,x", np.repeat(DAYS.strftime("%Y-%m-%d"), 2), [1, 2] * 12, range(24))
LINES = [{"at": f"{day:%Y-%m-%d}", "v": None if n == 3 else n, "ok": n % 2 == 0} for n, day in enumerate(DAYS)]
SECONDS = [1_700_000_000 + 60 * n for n in NUMBERS]
CASES = {
    "pandas.csv": Seen(FRAME.reset_index().to_csv(), ("v",), "index", None, EXTENT, "first column only counts"),
    "index.csv": Seen(FRAME.to_csv(), ("v",), "1", None, EXTENT, "time is column 1"),
    "pandas.parquet": Seen(packed(FRAME.to_parquet), ("v",), "index", None, EXTENT, "time is 'index'"),
    "savetxt.txt": Seen(
        packed(lambda file: np.savetxt(file, np.c_[NUMBERS, VALUES], header="t v")),
        ("v",),
        "t",
        None,
        ("0", "11"),
        "names of columns are in a comment",
    ),
    "r.txt": Seen(
        table('"v" "w"', [f'"{n}"' for n in range(1, 13)], VALUES, VALUES, separator=" "),
        ("v", "w"),
        None,
        None,
        ("row 0", "row 11"),
        "first column only counts rows",
    ),
    "excel.csv": Seen(EXCEL.encode("cp1252"), ("Höhe",), "Zeit", None, EXTENT, "empty rows are left out (1)"),
    "weather.csv": Seen(
        "Station: X\nLat 3, Lon 4\n\n" + table("date,v", DAYS.strftime("%Y-%m-%d"), VALUES),
        ("v",),
        "date",
        None,
        EXTENT,
        "the first 3 lines are no part of the table",
    ),
    "day-and-hour.csv": Seen(
        table("Date,Time,v", HOURS.strftime("%d/%m/%Y"), HOURS.strftime("%H:%M"), range(72)),
        ("v",),
        "Date",
        None,
        ("2024-01-01 00:00", "2024-01-03 23:00"),
        "the time of day is 'Time'",
    ),
    "panel.csv": Seen(PANEL, ("gdp",), "year", "country", ("0", "11"), "series are told apart by 'country'"),
    "sensors.csv": Seen(SENSORS, ("x",), "when", "site", EXTENT, "series are told apart by 'site'"),
    "epoch.csv": Seen(
        table("timestamp,v", SECONDS, VALUES),
        ("v",),
        "timestamp",
        None,
        ("2023-11-14 22:13:20", "2023-11-14 22:24:20"),
        "seconds since 1970",
    ),
    "compact.csv": Seen(
        table("date,v", DAYS.strftime("%Y%m%d"), VALUES), ("v",), "date", None, EXTENT, "such as 20240101 are dates"
    ),
    "quarters.csv": Seen(
        table("q,v", [f"{2000 + n // 4}Q{n % 4 + 1}" for n in NUMBERS], VALUES),
        ("v",),
        "q",
        None,
        ("2000-01", "2002-10"),
        "2000Q1 is a quarter",
    ),
    "american.csv": Seen(
        table("d,v", DAYS.strftime("%m/%d/%Y"), VALUES), ("v",), "d", None, EXTENT, "01/01/2024 are month/day/year"
    ),
    "zones.csv": Seen(
        table("t,v", [f"2024-01-01T{n:02}:00:00+01:00" for n in NUMBERS], VALUES),
        ("v",),
        "t",
        None,
        ("2024-01-01 00:00", "2024-01-01 11:00"),
        "time is 't'",
    ),
    "percent.csv": Seen(
        table("t,on,v", NUMBERS, ["True", "False"] * 6, ["5%"] * 12), ("on", "v"), "t", None, ("0", "11"), "'t'"
    ),
    "thousands.csv": Seen(table('t,"a"', NUMBERS, ['"1,234.5"'] * 12), ("a",), "t", None, ("0", "11"), "time is 't'"),
    "lines.jsonl": Seen("".join(json.dumps(one) + "\n" for one in LINES), ("v", "ok"), "at", None, EXTENT, "null (1)"),
    "list.json": Seen(json.dumps(LINES, indent=1), ("v", "ok"), "at", None, EXTENT, "null (1)"),
    "numbers.json": Seen("[1, 2.5, null, 4]", ("values",), None, None, ("row 0", "row 3"), "missing: null (1)"),
    "x.npz": Seen(packed(lambda file: np.savez(file, a=VALUES)), ("values",), None, None, ("row 0", "row 11"), "is 'a'"),
}


@pytest.mark.parametrize("name", CASES)
def test_guesses(name: str, tmp_path: Path) -> None:
    seen = CASES[name]
    path = tmp_path / name
    path.write_bytes(seen.content if isinstance(seen.content, bytes) else seen.content.encode())
    reading = rb.data.read_file(path)
    first = next(iter(reading))
    assert (reading.columns, reading.time, reading.by) == (seen.columns, seen.time, seen.by)
    assert (first.place(0), first.place(len(first) - 1)) == seen.places
    assert seen.said in "\n".join(reading.guessed)
    assert str(reading).startswith(f"{name}: ")
    assert all(guess in str(reading) for guess in reading.guessed)


def test_numbers_of_those(tmp_path: Path) -> None:
    """Cells that are more than digits, as they were meant."""
    for name, expected in (("percent.csv", [1.0, 5.0]), ("thousands.csv", [1234.5]), ("excel.csv", [0.5])):
        content = CASES[name].content
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        assert rb.data.read_file(tmp_path / name).table.values[0].tolist() == expected


def given(tmp_path: Path, content: str, **told: Any) -> rb.data.Reading:
    (tmp_path / "x.csv").write_text(content, encoding="utf-8")
    return rb.data.read_file(tmp_path / "x.csv", **told)


def test_what_is_told_is_not_guessed(tmp_path: Path) -> None:
    assert given(tmp_path, "a;b\n1;2\n", time=False, separator=";").guessed == ()
    assert given(tmp_path, "a,b\n1,2\n3,4\n5,5\n", header=False, time=False, columns="1", missing="a").columns == ("values",)
    assert given(tmp_path, "x\ny\n1\n2\n", skip=1).columns == ("y",)
    assert given(tmp_path, "t,v\n1,-999\n2,5\n", missing=["-999"], time="t").table.values.tolist()[1] == [5.0]
    assert np.isnan(given(tmp_path, "t,v\n1,-999.0\n2,5\n", missing=["-999"], time="t").table.values[0, 0])
    assert given(tmp_path, 'v\n"1,234"\n"2,345"\n', decimal=".").table.values[:, 0].tolist() == [1234.0, 2345.0]
    assert given(tmp_path, 'v\n"1,234"\n"2,345"\n', decimal=",").table.values[:, 0].tolist() == [1.234, 2.345]
    reading = given(tmp_path, "d,v\n03/04/2024,1\n05/04/2024,2\n", dates="%m/%d/%Y")
    assert [str(one) for one in reading.table.index] == ["2024-03-04", "2024-05-04"]
    assert given(tmp_path, "; c\na,b\n1,2\n2,5\n3,5\n", comment=";").columns == ("b",)


def test_order(tmp_path: Path) -> None:
    """Newest first is turned round; what else is out of order is sorted only if that is told; rows at one time as told."""
    lines = ["date,v", "2024-01-03,3", "2024-01-02,2", "2024-01-01,1"]
    reading = given(tmp_path, "\n".join(lines))
    assert reading.table.values[:, 0].tolist() == [1.0, 2.0, 3.0]
    assert "the newest rows come first, and are turned round" in reading.guessed
    mixed = "\n".join([lines[0], lines[2], lines[1], lines[3]])
    with pytest.raises(rb.FileError, match="line 4 goes back in time, from 2024-01-03 to 2024-01-01"):
        given(tmp_path, mixed)
    assert given(tmp_path, mixed, sort=True).table.values[:, 0].tolist() == [1.0, 2.0, 3.0]
    double = "\n".join([lines[0], lines[3], "2024-01-01,3", "2024-01-01,", lines[2]])
    with pytest.raises(rb.FileError, match="line 2 and line 3 have the same time, 2024-01-01"):
        given(tmp_path, double)
    assert len(given(tmp_path, double, duplicates="keep").table) == 4
    mean = given(tmp_path, double, duplicates="mean").table
    assert mean.values[:, 0].tolist() == [2.0, 2.0]
    assert [str(one) for one in mean.index] == ["2024-01-01", "2024-01-02"]


def test_readings_are_taken_as_series(tmp_path: Path) -> None:
    one = given(tmp_path, table("date,v", DAYS.strftime("%Y-%m-%d"), VALUES))
    assert rb.segment(one, draws=20, seed=0, kinds="level").data.place(0) == "2024-01-01"
    assert np.asarray(one).shape == (12, 1)
    (tmp_path / "two.csv").write_text(PANEL, encoding="utf-8")
    two = rb.data.read_file(tmp_path / "two.csv")
    assert [len(found.data) for found in rb.segment(two, draws=20, seed=0, kinds="level")] == [12, 12]
    with pytest.raises(rb.DataError, match=r"two\.csv has 2 series, 'FR', 'DE'; take one, as in reading\['FR'\]"):
        _ = two.table
    assert two["DE"].values[:, 0].tolist() == VALUES.tolist()
    assert two[1] is two["DE"]
    with pytest.raises(rb.DataError, match="no series 'UK'; it has 'FR', 'DE'"):
        _ = two["UK"]


def test_without_a_library_for_parquet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.parquet").write_bytes(CASES["pandas.parquet"].content)  # type: ignore[arg-type]
    for polars in (False, True):
        hidden = ("pyarrow", "pandas") if polars else ("pyarrow", "pandas", "polars")
        monkeypatch.setattr(
            "recbayes.data.files.parquet.find_spec", lambda name, gone=hidden: None if name in gone else True
        )
        if polars:
            assert rb.data.read_file(tmp_path / "x.parquet").columns == ("v",)
        else:
            with pytest.raises(rb.FileError, match="none of which is installed; pip install pyarrow"):
                rb.data.read_file(tmp_path / "x.parquet")


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"v\n1\n2\n")))
    assert str(rb.data.read_file("-")).startswith("standard input: 2 observations of v")


@pytest.mark.slow
def test_a_million_rows(tmp_path: Path) -> None:
    """Some seconds of work, not minutes; the processor's time, as others may be at work."""
    import time

    stamps = (np.datetime64("2000-01-01T00:00:00") + np.arange(1_000_000).astype("m8[s]")).astype(str)
    with open(tmp_path / "x.csv", "w", encoding="utf-8") as file:
        file.write("date,a,b\n")
        file.writelines(f"{stamp},{n % 977}.25,{n % 13}\n" for n, stamp in enumerate(stamps))
    began = time.process_time()
    reading = rb.data.read_file(tmp_path / "x.csv")
    assert time.process_time() - began < 10.0
    assert len(reading.table) == 1_000_000
    assert reading.table.values[-1].tolist() == [999_999 % 977 + 0.25, 999_999 % 13]
