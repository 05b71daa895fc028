"""What changed, and in which column, is told where something did and not where nothing did."""

import numpy as np
import pytest

import recbayes as rb
from recbayes.segmentation.effects import effects_of


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
    (told,) = effects_of(found)
    assert {(one.column, one.quantity) for one in told} == {("0", "level"), ("1", "noise"), ("2", "level"), ("2", "noise")}
    assert (told[0].column, told[0].quantity) == ("2", "level")
    by_name = {(one.column, one.quantity): one for one in told}
    level = by_name["0", "level"]
    assert level.before == pytest.approx(0.0, abs=0.4)
    assert level.after == pytest.approx(4.0, abs=0.4)
    assert level.deviations > 10.0
    noise = by_name["1", "noise"]
    assert noise.after / noise.before == pytest.approx(3.0, rel=0.4)


def test_falls_are_negative() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([5.0, 0.0], 40) + rng.normal(size=80)
    ((told,),) = effects_of(rb.segment(y, seed=0, draws=100))
    assert (told.quantity, told.deviations < -3.0) == ("level", True)


def test_without_changes_there_are_none() -> None:
    assert effects_of(rb.segment(np.random.default_rng(0).normal(size=100), seed=0, draws=100)) == ()


def test_units_change_nothing(found: rb.Segmentation) -> None:
    scaled = rb.segment(found.data.values * [1e-6, 1e3, -5.0, 1.0] + [1.0, 0.0, 0.0, 1e5], seed=0, draws=200)
    (one,), (other,) = effects_of(found), effects_of(scaled)
    assert {(a.column, a.quantity) for a in one} == {(b.column, b.quantity) for b in other}


def test_slopes() -> None:
    t = np.arange(120.0)
    y = np.where(t < 60, 0.0, 0.5 * (t - 60)) + np.random.default_rng(0).normal(size=120)
    (told,) = effects_of(rb.segment(y, seed=0, draws=200))
    (slope,) = [one for one in told if one.quantity == "slope"]
    assert slope.after == pytest.approx(0.5, abs=0.1)
