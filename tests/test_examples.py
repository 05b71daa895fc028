"""The examples run."""

import runpy
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parents[1] / "examples"


def test_accuracy(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLES / "accuracy.py"))["main"](4)
    rows = capsys.readouterr().out.splitlines()[2:]
    assert len(rows) == 12
    assert all(float(row.split("|")[-2]) < 0.5 for row in rows)


def test_calibration(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A small run of the study: spans exist as often as they should, within binomial error."""
    rows = runpy.run_path(str(EXAMPLES / "calibration.py"))["main"](240, 500, tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 10_000
    assert (np.abs(rows[:, 4]) < 4.5).all()
    assert "| 240 |" in capsys.readouterr().out


def test_segment_calibration(capsys: pytest.CaptureFixture[str]) -> None:
    """A few series from the default model: intervals hold about as much as they claim."""
    outcomes = runpy.run_path(str(EXAMPLES / "segment_calibration.py"), run_name="examples")["outcome"]
    found = [outcomes(seed, 100) for seed in range(6)]
    claims, holds = np.array([pair for one in found for pairs in one.intervals.values() for pair in pairs]).T
    assert holds.mean() > claims.mean() - 0.25
    assert all(np.isclose(one.kinds[:, 0].sum(), 1.0) and one.kinds[:, 1].sum() <= 1 for one in found)
    assert all(one.spans[:, 1].sum() > 0 or len(one.intervals["level"]) == 1 for one in found)


@pytest.mark.filterwarnings("ignore::recbayes.errors.ApproximationWarning")
def test_components(capsys: pytest.CaptureFixture[str]) -> None:
    shares = runpy.run_path(str(EXAMPLES / "components.py"))["main"](1, 200)
    assert len(shares) == 12
    assert all(shares[name, 8] > shares[name, 1] - 0.05 for name, _ in shares)
    assert len(capsys.readouterr().out.splitlines()) == 14


def test_treebank(capsys: pytest.CaptureFixture[str]) -> None:
    best, expected = runpy.run_path(str(EXAMPLES / "treebank.py"))["main"](300, 15)
    assert best > 0.4
    assert expected > 0.4
    assert "labelled F1" in capsys.readouterr().out


def test_learning(capsys: pytest.CaptureFixture[str]) -> None:
    bounded, free = runpy.run_path(str(EXAMPLES / "learning.py"))["main"](3, 10, 0)
    assert len(bounded) == 6
    for level in [*bounded.values(), *free.values()]:
        assert level.found.log_likelihood > level.at_truth
    assert capsys.readouterr().out.count("Within three standard errors") == 2


def test_overview(tmp_path: Path) -> None:
    runpy.run_path(str(EXAMPLES / "overview.py"))["main"](tmp_path / "overview.png", 50)
    assert (tmp_path / "overview.png").stat().st_size > 20_000


def test_nile(tmp_path: Path) -> None:
    runpy.run_path(str(EXAMPLES / "nile.py"))["main"](tmp_path / "nile.png", 50)
    assert (tmp_path / "nile.png").stat().st_size > 20_000


def test_gallery(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two of the models; the picture is drawn."""
    found = runpy.run_path(str(EXAMPLES / "gallery.py"))["main"](
        ["counts", "discrete and continuous"], tmp_path / "g.png", 200
    )
    assert all(one.posterior.efficiency > 0.3 for one in found.values())
    assert (tmp_path / "g.png").stat().st_size > 10_000


@pytest.mark.filterwarnings("ignore::recbayes.errors.ApproximationWarning")
def test_encoder(capsys: pytest.CaptureFixture[str]) -> None:
    without, learnt = runpy.run_path(str(EXAMPLES / "encoder.py"))["main"](2, 25)
    assert learnt > without
