"""Exports of instruments as people have them: units, stand-ins for missing values, gaps, counts, seconds since 1970."""

import bz2
import gzip
import lzma
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import recbayes as rb
from recbayes.data.files.packed import unpacked
from recbayes.data.files.units import is_unit

STAMPS = (np.datetime64("2024-10-26T20:00") + np.arange(12) * np.timedelta64(60, "m")).astype(str)
VALUES = [20.5, 20.7, 20.1, 20.9, 20.4, 20.6, 20.2, 20.8, 20.3, 20.0, 21.0, 20.5]


def given(folder: Path, content: str | bytes, name: str = "x.csv", **told: Any) -> rb.data.Reading:
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return rb.data.read_file(folder / name, **told)


def lines(names: str, *columns: Any, separator: str = ",") -> str:
    rows = [separator.join(map(str, row)) for row in zip(*columns, strict=True)]
    return "".join(f"{row}\n" for row in [names, *rows])


def said(reading: rb.data.Reading) -> str:
    return "\n".join(reading.guessed)


def test_a_line_of_units(tmp_path: Path) -> None:
    """Below the names, with nothing above the dates; decimal commas and thousands are read all the same."""
    body = "30.12.2024 00:00;6,12;1.061,2;\n30.12.2024 01:00;6,35;1.060,0;ok\n30.12.2024 02:00;6,40;1.060,5;\n"
    reading = given(tmp_path, "Zeit;Druck;Temperatur;Notiz\n;bar;°C;\n" + body)
    assert reading.columns == ("Druck", "Temperatur")
    assert reading.table.values.tolist() == [[6.12, 1061.2], [6.35, 1060.0], [6.4, 1060.5]]
    assert "below the names is a line of units: Druck bar, Temperatur °C" in reading.guessed
    with pytest.raises(rb.FileError, match="line 4 has 'x' where column 'Druck' has numbers"):  # as the file counts them
        given(tmp_path, "Zeit;Druck;Temperatur;Notiz\n;bar;°C;\n" + body.replace("6,35", "x"))


def test_units_of_loggers(tmp_path: Path) -> None:
    """Two lines below the names, and one above them."""
    above = '"TOA5","CR1000","x","y","z"\n"TIMESTAMP","RECORD","AirTC"\n"TS","RN","Deg C"\n"","","Avg"\n'
    rows = lines("", [f'"2020-01-01 00:{n}0:00"' for n in range(5)], range(17, 22), VALUES[:5]).lstrip()
    reading = given(tmp_path, above + rows)
    assert reading.columns == ("AirTC",)
    assert "below the names is 2 lines of units: TIMESTAMP TS, RECORD RN, AirTC Deg C" in reading.guessed
    assert "'RECORD' merely counts rows, and is left out, unless chosen (columns)" in reading.guessed


def test_one_column_with_its_unit(tmp_path: Path) -> None:
    assert given(tmp_path, "T\n°C\n20.5\n20.6\n20.4\n").table.values[:, 0].tolist() == [20.5, 20.6, 20.4]


@pytest.mark.parametrize("word", ["ERR", "off", "n.a", "bad value"])
def test_words_are_no_units(word: str, tmp_path: Path) -> None:
    with pytest.raises(rb.FileError, match=f"line 2 has '{word}' where column 'v' has numbers"):
        given(tmp_path, lines("a,v", [1, 2, 3, 5], [word, 3.5, 2.5, 1.5]))


@pytest.mark.parametrize("unit", ["bar", "°C", "[kPa]", "m³/h", "l/min", "mm/s", "kWh", "%", "degC", "1/min", "m/s²", "µm"])
def test_units_that_people_know(unit: str) -> None:
    assert is_unit(unit)


@pytest.mark.parametrize("text", ["", "ERR", "Mon", "press", "M01", "abc", "1.5", "OK", "north"])
def test_what_is_no_unit(text: str) -> None:
    assert not is_unit(text)


@pytest.mark.parametrize(
    ("cells", "unit"),
    [
        ([f"{v} °C" for v in VALUES], "°C"),
        ([f"{v}bar" for v in VALUES], "bar"),
        ([f'"{v} °C"'.replace(".", ",") for v in VALUES], "°C"),
        (["", *(f"{v} parsec" for v in VALUES[1:])], "parsec"),
    ],
)
def test_units_in_cells(cells: list[str], unit: str, tmp_path: Path) -> None:
    reading = given(tmp_path, lines("time,T", STAMPS, cells))
    expected = [np.nan if not cell else value for cell, value in zip(cells, VALUES, strict=True)]
    assert np.array_equal(reading.table.values[:, 0], expected, equal_nan=True)
    assert f"numbers of 'T' are in {unit}" in reading.guessed


@pytest.mark.parametrize("cells", [["1 mV", "2 V", "3 V"], ["12a", "13a", "14a"], ["M1", "M2", "M3"]])
def test_names_are_not_measured(cells: list[str], tmp_path: Path) -> None:
    reading = given(tmp_path, lines("time,T,v", STAMPS[:3], cells, VALUES[:3]))
    assert reading.columns == ("v",)


def test_numbers_that_stand_for_missing_ones(tmp_path: Path) -> None:
    values = [*VALUES[:6], -999, -999, *VALUES[8:11], -999]
    told = said(given(tmp_path, lines("time,a", STAMPS, values)))
    assert "-999 occurs 3 times in 'a', far from all else; say so if it stands for a missing value (missing -999)" in told
    assert "occurs" not in said(given(tmp_path, lines("time,a", STAMPS, values), missing="-999"))
    near = [99 + n % 3 for n in range(12)]  # 99 is among the values
    assert "occurs" not in said(given(tmp_path, lines("time,a", STAMPS, near)))
    twice = [*VALUES[:10], 9999, 9999]
    assert "occurs" not in said(given(tmp_path, lines("time,a", STAMPS, twice)))


def test_rows_that_are_absent(tmp_path: Path) -> None:
    kept = [0, 1, 2, 3, 6, 7, 8, 11]
    reading = given(tmp_path, lines("time,v", STAMPS[kept], np.array(VALUES)[kept]))
    assert "4 rows are absent (2 gaps, the longest of 2 rows), by the steps of the times" in reading.guessed
    assert "absent" not in said(given(tmp_path, lines("time,v", STAMPS, VALUES)))
    odd = np.datetime64("2024-01-01T00:00") + np.array([0, 7, 9, 20, 31, 33, 50]).astype("m8[m]")
    assert "absent" not in said(given(tmp_path, lines("time,v", odd.astype(str), VALUES[:7])))
    two = lines("time,w,v", np.repeat(STAMPS, 2), ["A", "B"] * 12, np.repeat(VALUES, 2)).splitlines()
    reading = given(tmp_path, "\n".join([*two[:9], *two[10:]]) + "\n")
    assert "1 row is absent in 1 of 2 series, by the steps of the times" in reading.guessed


@pytest.mark.parametrize("name", ["No", "sample", "Index"])
def test_a_column_that_counts(name: str, tmp_path: Path) -> None:
    content = lines(f"time,{name},v", STAMPS, range(1, 13), VALUES)
    reading = given(tmp_path, content)
    assert reading.columns == ("v",)
    assert f"'{name}' merely counts rows, and is left out, unless chosen (columns)" in reading.guessed
    assert given(tmp_path, content, columns=[name, "v"]).columns == (name, "v")
    assert given(tmp_path, lines(f"time,{name}", STAMPS, range(1, 13))).columns == (name,)


@pytest.mark.parametrize(
    ("name", "scale"), [("ts", 1), ("unix_time", 1000), ("x", 1), ("x", 1000), ("Timestamp (ms)", 1000)]
)
def test_seconds_since_1970(name: str, scale: int, tmp_path: Path) -> None:
    stamps = [scale * (1_735_686_000 + 10 * n + (50 if n > 7 else 0)) for n in range(12)]
    reading = given(tmp_path, lines(f"{name},v", stamps, VALUES))
    assert reading.time == name
    assert reading.table.place(0) == "2024-12-31 23:00:00"
    assert "seconds since 1970" in said(reading)


def test_seconds_since_1970_if_told(tmp_path: Path) -> None:
    content = lines("v,when", VALUES, [1_735_686_000 + 10 * n for n in range(12)])
    for form in ("%s", "unix"):
        assert given(tmp_path, content, dates=form, time="when").table.place(0) == "2024-12-31 23:00:00"
    with pytest.raises(rb.FileError, match="has no seconds or milliseconds since 1970"):
        given(tmp_path, content, dates="unix", time="v")
    with pytest.raises(rb.FileError, match="no column has times in seconds or milliseconds since 1970; say which"):
        given(tmp_path, lines("a,b", VALUES, VALUES), dates="unix")
    assert given(tmp_path, lines("v,ts", VALUES, range(10**9, 10**9 + 12)), dates="unix").time == "ts"
    with pytest.raises(rb.FileError, match=r"no column has dates such as %d\.%m\.%Y says"):
        given(tmp_path, content, dates="%d.%m.%Y")


def test_large_numbers_that_are_no_stamps(tmp_path: Path) -> None:
    counter = np.cumsum([1.1e9, *(7e6 * n for n in range(1, 12))]).astype(int)
    reading = given(tmp_path, lines("meter,v", counter, VALUES))
    assert reading.time is None


@pytest.mark.parametrize(("pack", "name"), [(gzip.compress, "gzip"), (bz2.compress, "bzip2"), (lzma.compress, "xz")])
def test_compressed(pack: Any, name: str, tmp_path: Path) -> None:
    content = pack(lines("time,v", STAMPS, VALUES).encode())
    for file in ("x.csv.gz", "x", "x.CSV"):  # whatever it is called
        reading = given(tmp_path, content, name=file)
        assert reading.table.values[:, 0].tolist() == VALUES
        assert reading.guessed[0] == f"it is compressed, by {name}"
    rows = pack(b'{"v": 1}\n{"v": 2}\n')
    assert given(tmp_path, rows, name="x.jsonl.gz").columns == ("v",)
    with pytest.raises(rb.FileError, match="and damaged"):
        given(tmp_path, content[:-12])
    with pytest.raises(rb.FileError, match="unpacks to more than 1 megabytes"):
        unpacked(pack(bytes(2 << 20)), most=1 << 20)


def test_clocks_that_go_back(tmp_path: Path) -> None:
    stamps = [*STAMPS[:7], *STAMPS[6:11]]  # 2024-10-27 02:00 twice
    content = lines("time,v", stamps, VALUES)
    with pytest.raises(
        rb.FileError, match=r"have the same time, 2024-10-27 02:00, which is in a night in which clocks go back"
    ):
        given(tmp_path, content)
    assert len(given(tmp_path, content, duplicates="keep").table) == 12
    quarters = np.datetime64("2024-10-27T01:30") + np.array([0, 15, 30, 45, 60, 75, 30, 45, 60, 75, 90, 105]).astype("m8[m]")
    with pytest.raises(rb.FileError, match=r"goes back in time, from .* clocks go back.*sort the rows"):
        given(tmp_path, lines("time,v", quarters.astype(str), VALUES))


def test_rows_that_are_there_twice(tmp_path: Path) -> None:
    content = lines("time,v", STAMPS[:5], VALUES[:5]).splitlines()
    double = "\n".join([*content[:3], *content[2:]])
    with pytest.raises(rb.FileError, match=r"as all their cells are the same: a row is there twice.*\(duplicates mean\)"):
        given(tmp_path, double)
    assert len(given(tmp_path, double, duplicates="mean").table) == 5


def test_who_was_on_duty_does_not_tell_series_apart(tmp_path: Path) -> None:
    """One pair of rows at the same time, by chance with different names beside them, makes no groups."""
    stamps = np.datetime64("2024-01-01") + np.arange(60)
    stamps[31] = stamps[30]
    people = [("A", "B", "C")[n % 3] for n in range(60)]
    with pytest.raises(rb.FileError, match="have the same time, 2024-01-31"):
        given(tmp_path, lines("time,who,v", stamps, people, np.tile(VALUES, 5)))


def test_the_zone_is_said(tmp_path: Path) -> None:
    assert "its times are of UTC+01:00" in given(tmp_path, lines("t,v", [f"{s}+01:00" for s in STAMPS], VALUES)).guessed
