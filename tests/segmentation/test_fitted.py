"""What is expected of the observations of a segment, where times leave gaps."""

import numpy as np
import pytest

import recbayes as rb
from recbayes.report.data import report_data
from recbayes.segmentation.fitted import credible, fitted

GAP = np.r_[0:60, 160:220]


def noise(count: int, seed: int = 0) -> np.ndarray:
    return 0.2 * np.random.default_rng(seed).normal(size=count)


def test_trends_go_by_times() -> None:
    y = 0.1 * GAP + noise(120)
    found = rb.segment(y, time=GAP, kinds="trend", segments=1, draws=50, seed=0)
    (node,) = found.tree.leaves
    fit = fitted(found, node)
    assert np.abs(fit.mean[:, 0] - 0.1 * GAP).max() < 0.2
    low, high = credible(found, node, 0)
    assert ((low < fit.mean[:, 0]) & (fit.mean[:, 0] < high)).all()
    (line,) = report_data(found)["lines"]
    drawn = np.interp(np.arange(120) + 0.5, line["at"], line["columns"][0]["mean"])
    assert np.abs(drawn - 0.1 * GAP).max() < 0.2


def test_seasons_go_by_times() -> None:
    times = np.r_[0:60, 66:126]
    wave = 3.0 * np.sin(2 * np.pi * times / 12)
    found = rb.segment(wave + noise(120), time=times, periods=12, kinds="level", segments=1, draws=50, seed=0)
    assert np.abs(fitted(found, found.tree.leaves[0]).mean[:, 0] - wave).max() < 0.5


def test_trends_meet_at_times() -> None:
    """The place of a kink is the row at its time."""
    times = np.r_[0:40, 80:160]
    line = np.where(times < 120, 0.1 * times, 12.0 - 0.1 * (times - 120))
    found = rb.segment(line + 3.0 * noise(120), time=times, kinds="trend", draws=200, seed=0)
    assert [times[one.position] for one in found.changes] == pytest.approx([120], abs=4)


def test_seasons_of_logarithms_are_drawn_at_every_row() -> None:
    months = np.arange(300)
    y = np.exp(1.0 + np.sin(2 * np.pi * months / 12) + noise(300) / 4)
    found = rb.segment(y, periods=12, kinds="level", segments=1, logarithms=True, draws=20, seed=0)
    line = report_data(found)["lines"][0]
    drawn = np.interp(months + 0.5, line["at"], line["columns"][0]["mean"])
    np.testing.assert_allclose(drawn, fitted(found, found.tree.leaves[0]).mean[:, 0], rtol=1e-3)


def test_small_levels_beside_large_ones() -> None:
    """A page tells all numbers with as many digits as anybody can see who looks closely."""
    y = np.r_[np.full(60, 1e6), np.full(60, 3.2)] + noise(120)
    found = rb.segment(y, draws=50, seed=0, logarithms=False, segments=2)
    data = report_data(found)
    np.testing.assert_allclose(data["series"]["columns"][0]["values"], y, rtol=1e-4)
    told = [node["level"][0] for node in data["nodes"] if not node["arity"]]
    rows = [row for row in found.rows() if row["kind"] != "group"]
    for numbers, row in zip(told, rows, strict=True):
        np.testing.assert_allclose(numbers, [row["level"], row["level_low"], row["level_high"]], rtol=1e-4)
