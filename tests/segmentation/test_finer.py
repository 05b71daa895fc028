"""Noise of segments as a first look knows it: what cannot be told apart agrees, and long series of one noise are whole."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from scipy.signal import lfilter

import recbayes as rb
from recbayes.checks.series import as_series
from recbayes.segmentation.finer import LEVELS, WORTH, finer_of, merged
from recbayes.segmentation.units import views_of


def autoregressive(rng: np.random.Generator, length: int, coefficient: float) -> np.ndarray:
    return lfilter([1.0], [1.0, -coefficient], rng.normal(size=length + 100))[100:]


@given(st.lists(st.tuples(st.floats(-5, 5), st.floats(1, 1000)), min_size=1, max_size=30), st.integers(1, 10))
@settings(max_examples=100, deadline=None)
def test_merged_values_are_means_that_are_worth_it(pairs: list[tuple[float, float]], most: int) -> None:
    values, weights = (np.array(part) for part in zip(*pairs, strict=True))
    found = merged(values, weights, most)
    assert len(found) <= max(most, 1)
    assert (np.diff(found) > 0).all() or len(found) == 1
    assert values.min() - 1e-9 <= found[0] <= found[-1] <= values.max() + 1e-9
    if len(found) == 1:
        assert found[0] == pytest.approx(np.average(values, weights=weights))


def test_values_far_apart_stay_apart() -> None:
    values, weights = np.array([1.0, 1.001, 2.0, 2.001, 3.0]), np.full(5, 100.0)
    assert merged(values, weights, 8) == pytest.approx([1.0005, 2.0005, 3.0])
    assert len(merged(values, weights, 2)) == 2
    assert weights[0] / 2 * 0.001**2 < WORTH < weights[0] / 2


def test_noise_of_segments() -> None:
    """White and autoregressive noise of two levels, two columns, a trend, a few missing."""
    rng = np.random.default_rng(0)
    y = np.concatenate([autoregressive(rng, 4000, 0.5), 5.0 + 2.0 * autoregressive(rng, 4000, 0.5)])
    y = np.column_stack([y, np.linspace(0, 9, 8000) + rng.normal(size=8000)])
    y[::97] = np.nan
    (view,) = views_of(as_series(y, 2), False)
    edges = np.array([0, 4000, 8000])
    found = finer_of(view, edges, 1, trend=True, autoregressive=True)
    assert found is not None
    scale = view.units.scale
    true = [1.0 / scale[0], 2.0 / scale[0], 1.0 / scale[1]]
    assert all(np.abs(np.log(found.levels) - np.log(one)).min() < 0.04 for one in true)
    assert all(np.abs(found.coefficients - one).min() < 0.05 for one in (0.0, 0.5))
    assert len(found.levels) <= LEVELS
    white = finer_of(view, edges, 1, trend=True, autoregressive=False)
    assert white is not None
    assert white.coefficients.tolist() == [0.0]
    assert white.common[1] * scale[1] == pytest.approx(1.0, abs=0.03)
    assert finer_of(view, np.arange(0, 8001, 5), 1, trend=False, autoregressive=False) is None  # too short to say anything


@pytest.mark.parametrize("coefficient", [0.0, 0.5, 0.72, 1.0])
def test_no_changes_where_there_are_none(coefficient: float) -> None:
    """Whatever lies between members of the first grid."""
    y = autoregressive(np.random.default_rng(1), 20_000, coefficient)
    found = rb.segment(y, seed=0, draws=200)
    assert found.change_points == []
    noise = found.table()["noise"].iloc[0]
    assert noise == pytest.approx(1.0, abs=0.03)


def test_noise_far_below_the_deviation_of_the_series() -> None:
    """Levels that wander by a hundred deviations of the noise."""
    rng = np.random.default_rng(0)
    levels = np.cumsum(rng.choice([-30.0, 30.0], 40))
    y = np.repeat(levels, 150) + rng.normal(size=6000)
    found = rb.segment(y, seed=0, draws=200)
    true = 150 * np.arange(1, 40)
    assert [one.position for one in found.changes] == true.tolist()
    assert found.table()["noise"].dropna().to_numpy() == pytest.approx(np.ones(40), abs=0.2)


def test_many_changes_are_told_in_few_words() -> None:
    rng = np.random.default_rng(0)
    found = rb.segment(np.repeat(6.0 * (np.arange(60) % 2), 40) + rng.normal(size=2400), seed=0, draws=100)
    assert len(found.changes) > 50
    assert f"and {len(found.changes) - 40} more: see changes" in found.summary()
    assert f"and {len(found.changes) - 39} more: see table()" in found.summary()
    assert len(found.summary().splitlines()) < 100
