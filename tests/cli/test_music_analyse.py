"""`recbayes music analyse`: several scores, numbers of slices, outputs, warnings."""

import warnings
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from recbayes.cli import app
from recbayes.errors import ApproximationWarning, SlowWarning
from tests.music.files import music_xml, note, written

pytest.importorskip("verovio")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "one.musicxml", music_xml(note("C", 4, 8)))
    return tmp_path


def analyse(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["music", "analyse", *arguments])


def test_a_damaged_score_does_not_stop_others(folder: Path) -> None:
    written(folder, "bad.musicxml", "Hello.")
    told = analyse("bad.musicxml", "one.musicxml")
    assert told.exit_code == 1
    assert told.stderr.count("\n") == 1
    assert told.stderr.startswith("recbayes: bad.musicxml is no sound XML")
    assert "one: 1 note, 1 bar." in told.stdout
    assert (folder / "one.html").exists()
    assert not (folder / "bad.html").exists()


@pytest.mark.parametrize("per", ["²", "foo", "0", "9" * 5000])
def test_what_is_summed_over(per: str) -> None:
    told = analyse("one.musicxml", "--per", per)
    assert told.exit_code == 1
    assert told.stderr.startswith("recbayes: per must be 'bar', 'beat' or a whole number from 1 to 1000000, got ")
    assert told.stderr.count("\n") == 1


def test_pages_without_an_ending_get_one(folder: Path) -> None:
    told = analyse("one.musicxml", "-o", "page")
    assert told.exit_code == 0, told.output
    assert "page.html" in told.stdout
    assert (folder / "page.html").exists()
    assert not (folder / "page").exists()


def test_what_cannot_be_written_is_found_before_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recbayes.music.analysis.analyse", None)

    def full(*others: Any, **settings: Any) -> None:
        raise OSError(30, "Read-only file system", "page.html.0123.part")

    monkeypatch.setattr(Path, "touch", full)
    told = analyse("one.musicxml", "-o", "page.html")
    assert told.exit_code == 1
    assert told.stderr == "recbayes: page.html: Read-only file system\n"


def test_only_approximations_are_to_be_taken_with_care(monkeypatch: pytest.MonkeyPatch) -> None:
    from recbayes.music import analysis

    usual = analysis.analyse

    def warns(*arguments: Any, **settings: Any) -> Any:
        warnings.warn("rough", ApproximationWarning, stacklevel=2)
        warnings.warn("old", SlowWarning, stacklevel=2)
        return usual(*arguments, **settings)

    monkeypatch.setattr(analysis, "analyse", warns)
    told = analyse("one.musicxml")
    assert "Take probabilities with care: rough" in told.output
    assert "care: old" not in told.output
    assert "note: old" in told.stderr


def test_numbers_in_tables_have_six_digits(folder: Path) -> None:
    written(folder, "two.musicxml", music_xml(note("C", 4, 8), note("G", 4, 4) + note("E", 4, 4)))
    assert analyse("two.musicxml", "--table", "two.csv").exit_code == 0
    rows = (folder / "two.csv").read_text(encoding="utf-8").splitlines()
    assert max(len(cell.partition(".")[2]) for row in rows[1:] for cell in row.split(",") if not cell.isalpha()) <= 8
