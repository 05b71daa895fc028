"""`recbayes demo` finds what is known of the Nile, and leaves a picture and a page."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from recbayes.cli import app


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")


def test_demo() -> None:
    result = CliRunner().invoke(app, ["demo", "--seed", "3"])
    assert result.exit_code == 0, result.output
    assert "1 change point in 100 observations from 1871 to 1970" in result.output
    assert "  1899: probability 0.9" in result.output
    assert "├─ 0:28 1871 to 1898 level 10" in result.output
    assert "The picture is in recbayes-demo.png, and recbayes-demo.html opens in any browser" in result.output
    assert Path("recbayes-demo.png").read_bytes().startswith(b"\x89PNG")
    assert Path("recbayes-demo.html").read_text().startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("name", ["other.svg", "without"])
def test_they_are_where_they_are_said_to_be(name: str) -> None:
    result = CliRunner().invoke(app, ["demo", "--output", name, "--report", "page.html"])
    assert result.exit_code == 0, result.output
    assert {path.name for path in Path().iterdir()} == {name, "page.html"}


@pytest.mark.parametrize("arguments", [["--length", "5"], ["--seed", "-1"], ["--seed", "many"], ["--output", "x.nope"]])
def test_demo_refuses_nonsense(arguments: list[str]) -> None:
    assert CliRunner().invoke(app, ["demo", *arguments]).exit_code == 2
