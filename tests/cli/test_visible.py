"""Texts of others are told as texts: no terminal obeys them."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from recbayes.cli import app
from recbayes.cli.visible import visible

EVIL = "A\x1b]0;owned\x07\x1b[2J\x9b31m\u202eB"
TOLD = "A\\u001b]0;owned\\u0007\\u001b[2J\\u009b31m\\u202eB"


def test_what_is_visible() -> None:
    assert visible(EVIL) == TOLD
    assert visible("Höhe\t[red]\nß 👩‍🔬") == "Höhe\t[red]\nß 👩‍🔬"


@pytest.mark.parametrize("quiet", [[], ["--quiet"]])
def test_names_of_groups_and_columns(quiet: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [{"g": name, "t": n, EVIL: n % 3 + 9 * (n > 9)} for name in (EVIL, "b") for n in range(20)]
    Path("x.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    command = ["segment", "x.jsonl", "--by", "g", "--time", "t", "--kinds", "level", "--draws", "20", *quiet]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(done.stdout + done.stderr)
    assert TOLD in done.stdout
    done = CliRunner().invoke(app, [*command, "--columns", EVIL + "x"])
    assert done.exit_code == 1
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(done.stderr)


def test_series_that_are_left_out_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where all else is quiet."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{name},{n},{'' if name == 'b' else n % 3}" for name in "ab" for n in range(12)]
    Path("x.csv").write_text("\n".join(["g,t,v", *rows]), encoding="utf-8")
    command = ["segment", "x.csv", "--by", "g", "--kinds", "level", "--draws", "20", "--quiet", "--table", "-"]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0
    assert done.stderr.startswith("x.csv: series b is left out: ")
    assert ",b," not in done.stdout


def test_times_in_tables_are_told_to_the_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    days = [2459580.51234 + n * 1e-4 for n in range(24)]
    Path("x.csv").write_text(
        "\n".join(["t,v", *(f"{day!r},{9 * (n > 11)}" for n, day in enumerate(days))]), encoding="utf-8"
    )
    command = ["segment", "x.csv", "--time", "t", "--segments", "2", "--kinds", "level", "--draws", "20"]
    done = CliRunner().invoke(app, [*command, "--changes", "-"])
    assert done.exit_code == 0
    assert done.stdout.splitlines()[1].startswith(f"{days[12]!r},12,")


def test_a_name_with_a_comma(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.csv").write_text('"Temp, C",b\n' + "1,2\n" * 9, encoding="utf-8")
    done = CliRunner().invoke(app, ["segment", "x.csv", "--draws", "20", "--no-picture", "--columns", '"Temp, C"'])
    assert done.exit_code == 0, done.stderr
    assert "9 observations of Temp, C" in done.stdout


def test_a_terminal_without_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "0")
    Path("x.csv").write_text("v\n" + "1\n2\n" * 9, encoding="utf-8")
    done = CliRunner().invoke(app, ["segment", "x.csv", "--draws", "20"])
    assert done.exit_code == 0
    assert "no change point in 18 observations" in done.stdout
