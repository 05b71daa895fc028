"""What changed, and in which column, is told where something did and not where nothing did."""

import numpy as np
import pytest

import recbayes as rb


@pytest.fixture(scope="module")
def found() -> rb.Segmentation:
    """Of four columns one changes in level, one in noise, one in both, and one not at all."""
    rng = np.random.default_rng(0)
    y = rng.normal(size=(120, 4))
    y[60:, 0] += 4.0
    y[60:, 1] *= 3.0
    y[60:, 2] = 100.0 + 3.0 * y[60:, 2]
    return rb.segment(y, seed=0, draws=200)


def test_the_columns_that_changed_are_named(found: rb.Segmentation) -> None:
    assert found.change_points == [60]
    (told,) = found.effects
    assert {(one.column, one.quantity) for one in told} == {
        ("column 0", "level"),
        ("column 1", "noise"),
        ("column 2", "level"),
        ("column 2", "noise"),
    }
    assert (told[0].column, told[0].quantity) == ("column 2", "level")
    by_name = {(one.column, one.quantity): one for one in told}
    level = by_name["column 0", "level"]
    assert level.before == pytest.approx(0.0, abs=0.4)
    assert level.after == pytest.approx(4.0, abs=0.4)
    assert level.deviations > 10.0
    noise = by_name["column 1", "noise"]
    assert noise.after / noise.before == pytest.approx(3.0, rel=0.4)


def test_falls_are_negative() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([5.0, 0.0], 40) + rng.normal(size=80)
    ((told,),) = rb.segment(y, seed=0, draws=100).effects
    assert (told.quantity, told.deviations < -3.0) == ("level", True)


def test_without_changes_there_are_none() -> None:
    assert rb.segment(np.random.default_rng(0).normal(size=100), seed=0, draws=100).effects == ()


def test_units_change_nothing(found: rb.Segmentation) -> None:
    scaled = rb.segment(found.data.values * [1e-6, 1e3, -5.0, 1.0] + [1.0, 0.0, 0.0, 1e5], seed=0, draws=200)
    (one,), (other,) = found.effects, scaled.effects
    assert {(a.column, a.quantity) for a in one} == {(b.column, b.quantity) for b in other}


def test_slopes() -> None:
    t = np.arange(120.0)
    y = np.where(t < 60, 0.0, 0.5 * (t - 60)) + np.random.default_rng(0).normal(size=120)
    (told,) = rb.segment(y, seed=0, draws=200).effects
    (slope,) = [one for one in told if one.quantity == "slope"]
    assert slope.after == pytest.approx(0.5, abs=0.1)


def test_words_say_which_columns_changed_and_that_a_series_may_have_a_season(found: rb.Segmentation) -> None:
    lines = found.summary().splitlines()
    assert lines[2].startswith("    column 2: level ")
    assert "column 1: noise 0." in lines[2]
    assert found.likely_period is None
    season = 4.0 * np.sin(np.arange(96) / 12 * 2 * np.pi) + np.random.default_rng(0).normal(size=96)
    hinted, told = (rb.segment(season, seed=0, draws=100, periods=periods) for periods in ((), (12,)))
    assert hinted.likely_period == 12
    assert "the series seems to repeat itself every 12 observations" in hinted.summary()
    assert told.likely_period is None
