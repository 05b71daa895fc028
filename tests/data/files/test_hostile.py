"""Files that promise more than they hold, times that no clock shows, and settings for files without text."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import recbayes as rb


def given(folder: Path, content: str | bytes, name: str = "x.csv", **told: Any) -> rb.data.Reading:
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return rb.data.read_file(folder / name, **told)


def header_of(count: int) -> bytes:
    """An array that says how many numbers it has, and has none."""
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": (count,)})
    return file.getvalue()


def test_arrays_that_promise_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(rb.FileError, match="more than 0; is it damaged"):
        given(tmp_path, header_of(10**15), "x.npy")
    file = io.BytesIO()
    np.savez_compressed(file, a=np.zeros(300_000))
    assert given(tmp_path, file.getvalue(), "x.npz").table.values.shape == (300_000, 1)
    monkeypatch.setattr("recbayes.data.files.arrays.MOST", 1 << 20)
    with pytest.raises(rb.FileError, match="2 megabytes of numbers, more than 1"):
        given(tmp_path, file.getvalue(), "x.npz")


def test_stand_ins_in_arrays_and_parquet(tmp_path: Path) -> None:
    file = io.BytesIO()
    np.save(file, np.array([1.0, -999.0, 3.0]))
    reading = given(tmp_path, file.getvalue(), "x.npy", missing="-999")
    assert np.isnan(reading.table.values[:, 0]).tolist() == [False, True, False]
    assert reading.guessed == ("missing: -999 (1)",)
    frame = pd.DataFrame({"d": ["01/02/2024", "-", "14/03/2024"], "v": [1.0, -999.0, 2.0]})
    frame[::2].to_parquet(tmp_path / "x.parquet")
    reading = rb.data.read_file(tmp_path / "x.parquet", dates="%d/%m/%Y", missing="-999")
    assert [str(one) for one in reading.table.index] == ["2024-02-01", "2024-03-14"]


def test_a_row_without_a_time(tmp_path: Path) -> None:
    """What is called a time and goes on is one, also where a cell is empty; blank rows are no rows."""
    for name, first in (("time", 0), ("timestamp", 1_700_000_000)):
        rows = [f"{first + n},{n / 10}" for n in range(9)]
        with pytest.raises(rb.FileError, match=f"line 5 has no time in column '{name}'"):
            given(tmp_path, "\n".join([f"{name},v", *rows[:3], ",7", *rows[3:]]))
        reading = given(tmp_path, "\n".join([f"{name},v", *rows[:3], ",", *rows[3:]]))
        assert (reading.time, len(reading.table)) == (name, 9)
    values = "\n".join(f"{n % 5 if n != 4 else ''},{n}" for n in range(9))
    assert given(tmp_path, f"t,v\n{values}").columns == ("t", "v")  # temperatures do not go on


def test_a_group_of_blank_rows(tmp_path: Path) -> None:
    content = "g,t,v\na,1,1\na,2,2\nb,,\nb,,\na,3,3\n"
    for how in ("error", "mean"):
        reading = given(tmp_path, content, time="t", by="g", duplicates=how)
        assert list(reading.series) == ["a"]
        assert "series 'b' has empty rows only, and is left out" in reading.guessed
    with pytest.raises(rb.FileError, match="no rows in it but empty ones"):
        given(tmp_path, "g,t,v\nb,,\nb,,\n", time="t", by="g", columns="v")


@pytest.mark.parametrize("time", ["25:75", "24:01", "12:60", "12:00:60", "13:00 PM", "0:10 AM"])
def test_times_that_no_clock_shows(time: str, tmp_path: Path) -> None:
    rows = [f"{day:02}.01.2024 10:00,{day}" for day in range(1, 9)]
    for place in (0, 4):
        with pytest.raises(rb.FileError, match=f"line {place + 2} has '09.01.2024 {time}' where column 'time' has dates"):
            given(tmp_path, "\n".join(["time,v", *rows[:place], f"09.01.2024 {time},0", *rows[place:]]))


def test_midnight_may_be_the_end_of_a_day(tmp_path: Path) -> None:
    rows = "\n".join(f"{day:02}.01.2024 24:00,{day}" for day in range(1, 9))
    assert given(tmp_path, f"time,v\n{rows}").table.place(0) == "2024-01-02"


def test_ends_of_lines(tmp_path: Path) -> None:
    assert given(tmp_path, b"x,y\r" + b"1,2\r" * 30).table.values.shape == (30, 2)
    with pytest.raises(rb.FileError, match="line 2 has 2 cells, the line of names has 3"):
        given(tmp_path, b"x,y,z\nt,v\n" + b"1,2,3\n" * 300 + b"5,6\r7,8\n")
    wide = '"' + "a" * 140_000 + '",1\n'
    with pytest.raises(rb.FileError, match="cannot be read"):
        given(tmp_path, "x,y,z\nt,v\n" + "1,2\n" * 50 + wide)


def test_json_over_several_lines(tmp_path: Path) -> None:
    assert given(tmp_path, "[\n 1,\n 2.5\n]", "x.json").table.values[:, 0].tolist() == [1.0, 2.5]
    assert given(tmp_path, "[1, 2]\n[3, 4]\n", "x.jsonl").table.values.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_lines_above_are_skipped_at_once(tmp_path: Path) -> None:
    """Many of them take no longer than the file is."""
    content = "noise\n" * 200_000 + "a,b\n1,2\n3,5\n"
    assert given(tmp_path, content, skip=200_000).table.values.tolist() == [[1.0, 2.0], [3.0, 5.0]]
    with pytest.raises(rb.FileError, match="it is empty"):
        given(tmp_path, "a,b\n1,2\n", skip=9)


@pytest.mark.parametrize(
    ("cells", "expected", "said"),
    [
        (['"954"', '"1,031"', '"998"', '"12,774"'], [954.0, 1031.0, 998.0, 12774.0], "such as 1,031 have thousands"),
        (['"12,774"', '"11,031"', '"12,998"'], [12.774, 11.031, 12.998], "told the decimal sign . they are thousands"),
        (['"0,774"', '"1,031"', '"2"', '"3"'], [0.774, 1.031, 2.0, 3.0], "numbers have decimal commas"),
    ],
)
def test_thousands_or_decimals(cells: list[str], expected: list[float], said: str, tmp_path: Path) -> None:
    reading = given(tmp_path, "\n".join(["W", *cells]))
    assert reading.table.values[:, 0].tolist() == expected
    assert any(said in guess for guess in reading.guessed)


def test_thousands_between_commas_and_points_between_semicolons(tmp_path: Path) -> None:
    reading = given(tmp_path, 'a,b\n1,"12,774"\n5,"11,031"\n3,"12,998"\n')
    assert reading.table.values[:, 1].tolist() == [12774.0, 11031.0, 12998.0]
    reading = given(tmp_path, "a;b\n1;12.774\n5;11.031\n3;12.998\n")
    assert reading.table.values[:, 1].tolist() == [12.774, 11.031, 12.998]
    assert "numbers such as 12.774 have decimal points (told the decimal sign , they are thousands)" in reading.guessed


def test_columns_that_never_change(tmp_path: Path) -> None:
    rows = "".join(f"{n * n % 7},1,{n % 3},5\n" for n in range(20))
    said = "'const', 'five' never change, and may hide or feign changes of others without noise; choose columns without them"
    assert f"{said} (columns)" in given(tmp_path, "v,const,w,five\n" + rows).guessed
    assert not any("never change" in one for one in given(tmp_path, "a,b\n" + "1,2\n" * 9).guessed)


def test_columns_of_one_name(tmp_path: Path) -> None:
    """They have numbers, also where there are many of them, and where some have such names already."""
    reading = given(tmp_path, "a,a (2),a,b,a\n1,2,3,4,5\n2,1,5,3,4\n", time=False)
    assert reading.columns == ("a", "a (2)", "a (3)", "b", "a (4)")
    names = ",".join(["a"] * 20_000)
    numbers = ",".join(map(str, range(20_000)))
    with pytest.raises(rb.FileError, match=r"there is no column 'c'"):
        given(tmp_path, f"{names}\n{numbers}\n{numbers}\n", columns="c")
