"""Outputs that would replace what is read, or each other; tables of changes; forms of dates; kinds of pictures."""

import csv
import io
import json
import os
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from recbayes.cli import app
from tests.cli.files import DAYS, GOOD, JUMP, TWO, write

LITTLE = ["--kinds", "level", "--draws", "40", "--no-picture"]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"x.csv": GOOD, "two.csv": TWO})


def run(*command: str) -> Result:
    return CliRunner().invoke(app, [*command, *LITTLE])


@pytest.mark.parametrize("link", ["symlink", "link"])
def test_links_to_the_data_are_the_data(link: str) -> None:
    getattr(os, link)("x.csv", "other.csv")
    for command in (["segment", "x.csv", "--table", "other.csv"], ["segment", "other.csv", "--table", "x.csv"]):
        result = run(*command)
        assert result.exit_code == 2
        assert "is a file that is read" in result.stderr
    assert Path("x.csv").read_text(encoding="utf-8") == GOOD


def test_outputs_of_series_that_meet_others(tmp_path: Path) -> None:
    """The name of a picture is known only when the file has been read."""
    before = {path.name for path in tmp_path.iterdir()}
    result = run("segment", "two.csv", "--plot", "p.svg", "--table", "p-A.svg")
    assert result.exit_code == 2
    assert "has the name of another output" in result.stderr
    assert {path.name for path in tmp_path.iterdir()} == before


def test_changes() -> None:
    printed = run("segment", "two.csv", "--changes", "-", "-q")
    assert printed.exit_code == 0, printed.output
    rows = list(csv.DictReader(io.StringIO(printed.stdout)))
    assert list(rows[0]) == ["machine", "time", "position", "probability", "low", "high", "within"]
    assert [(row["machine"], row["time"], row["position"]) for row in rows] == [("A", DAYS[20], "20"), ("B", DAYS[20], "20")]
    assert all(0.5 < float(row["probability"]) <= 1.0 for row in rows)
    assert run("segment", "two.csv", "--changes", "c.csv", "-q").exit_code == 0
    assert Path("c.csv").read_text(encoding="utf-8") == printed.stdout


def test_no_changes(tmp_path: Path) -> None:
    write(tmp_path, {"flat.csv": "v\n" + "".join(f"{n % 2}\n" for n in range(20))})
    printed = run("segment", "flat.csv", "--changes", "-", "-q")
    assert printed.stdout == "time,position,probability,low,high,within\n"


def test_number_of_segments() -> None:
    told = json.loads(run("segment", "x.csv", "--json").stdout)["series"][0]["number_of_segments"]
    assert max(told, key=told.get) == "2"
    assert sum(told.values()) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("first", "step", "expected"),
    [
        ("2024-01-01", "6h", {"2024-01-01T00:00:00", "2024-01-05T18:00:00", "2024-01-06T00:00:00", "2024-01-10T18:00:00"}),
        ("2024-01-01", "24h", {"2024-01-01", "2024-01-20", "2024-01-21", "2024-02-09"}),
    ],
)
def test_dates_have_one_form(first: str, step: str, expected: set[str], tmp_path: Path) -> None:
    stamps = np.datetime64(first, "s") + np.arange(40) * np.timedelta64(int(step[:-1]), "h")
    lines = [f"{stamp},{value}\n" for stamp, value in zip(stamps.astype(str), JUMP, strict=True)]
    write(tmp_path, {"t.csv": "date,v\n" + "".join(lines)})
    rows = list(csv.DictReader(io.StringIO(run("segment", "t.csv", "--table", "-", "-q").stdout)))
    assert {row[end] for row in rows for end in ("start", "end")} == expected
    nodes = json.loads(run("segment", "t.csv", "--json").stdout)["series"][0]["nodes"]
    assert {row[end] for row in nodes for end in ("start", "end")} == expected


def test_dates_with_a_zone_have_one_form(tmp_path: Path) -> None:
    lines = [f"2024-03-{1 + n // 24:02}T{n % 24:02}:00:00+01:00,{value}\n" for n, value in enumerate(JUMP)]
    write(tmp_path, {"t.csv": "date,v\n" + "".join(lines)})
    rows = list(csv.DictReader(io.StringIO(run("segment", "t.csv", "--table", "-", "-q").stdout)))
    assert (rows[0]["start"], rows[0]["end"]) == ("2024-03-01T00:00:00+01:00", "2024-03-02T15:00:00+01:00")


def test_pictures_of_other_kinds() -> None:
    assert run("segment", "x.csv", "--plot", "p.jpg").exit_code == 0
    assert Path("p.jpg").read_bytes().startswith(b"\xff\xd8\xff")
