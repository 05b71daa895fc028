"""Candidates against full charts: what is lost is what is said, whatever the model."""

import warnings

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import recbayes as rb
from recbayes.checks.series import as_series
from recbayes.gaussian.candidates import find
from recbayes.gaussian.candidates.default import is_worthwhile
from recbayes.gaussian.candidates.find import BUDGET, find_candidates
from recbayes.spans.constraints import FREE, Constraints
from tests.random_models import one_variable


def paper(noise: float, **changed: object) -> rb.GaussianRBN:
    given = {"prior_std": 1.0, "noise_std": noise, "termination": 0.6, "shifts": {0: 0.5, 1: 0.5}, "extra_observations": 5.0}
    return rb.GaussianRBN.create(3, **{**given, **changed})  # type: ignore[arg-type]


@pytest.mark.parametrize("noise", [0.05, 0.1, 0.2])
@pytest.mark.parametrize("seed", range(2))
def test_little_is_lost(noise: float, seed: int) -> None:
    """Half a nat of evidence, a twentieth of any node's probability; and what is lost is what is expected to be."""
    model = paper(noise)
    y = model.sample(seed=seed, min_length=120, max_length=120, attempts=1_000_000)[0]
    full, chart = rb.inside(model, y), rb.inside(model, y, boundaries="auto")
    found = chart.candidates
    assert len(found) < 121
    lost = full.log_evidence - chart.log_evidence
    assert 0.0 < lost < 0.5
    assert lost == pytest.approx(found.left_out, abs=0.15)
    before, after = (rb.quick_node_probability(one).node_probability for one in (full, chart))
    assert np.abs(before - after).max() < 0.05


def test_as_many_others_lose_more() -> None:
    """The same number of positions at even distances loses a hundred times as much."""
    model = paper(0.05)
    y = model.sample(seed=0, min_length=120, max_length=120, attempts=1_000_000)[0]
    found = rb.inside(model, y, boundaries="auto")
    even = rb.inside(model, y, boundaries=np.linspace(0, 120, len(found.candidates)).astype(int))
    assert even.log_evidence < found.log_evidence - 50.0


def test_values_far_from_a_narrow_prior() -> None:
    """Links spread values in deep trees far more than the prior: neighbours are alike all the same."""
    y = paper(0.05).sample(seed=0, min_length=150, max_length=150, attempts=1_000_000)[0]
    narrow = paper(0.05, prior_mean=y[:20].mean(axis=0), prior_std=0.1, left_std=0.15, right_std=0.15, termination=0.5)
    full, chart = rb.inside(narrow, y), rb.inside(narrow, y, boundaries="auto")
    assert full.log_evidence - chart.log_evidence < 0.6


def test_leaves_of_a_bank() -> None:
    """Levels with noise of their own, geometric lengths, one column."""
    rng = np.random.default_rng(0)
    y = np.repeat([0.0, 4.0, -1.0], [40, 30, 50]) + rng.normal(size=120)
    leaf = rb.Leaf(0.6, np.array([1.0]), length=rb.Geometric(30.0), noise_levels=[0.3, 1.0, 3.0])
    link = rb.Link(np.eye(1))
    variable = rb.Variable("x", 1, (rb.Split(0.4, "x", "x", link, link), leaf))
    model = rb.GaussianRBN((variable,), rb.Prior("x", (rb.Component(np.zeros(1), 4.0 * np.eye(1)),)))
    full, chart = rb.inside(model, y), rb.inside(model, y, boundaries="auto")
    assert {40, 70} <= set(chart.candidates.positions)
    assert len(chart.candidates) < 100
    assert full.log_evidence - chart.log_evidence < 0.3
    before, after = (rb.quick_node_probability(one).node_probability for one in (full, chart))
    assert np.abs(before - after).max() < 0.05


@given(one_variable(), st.integers(0, 2**32 - 1), st.integers(5, 25))
@settings(max_examples=30, deadline=None)
def test_any_model(model: rb.GaussianRBN, seed: int, length: int) -> None:
    """There are always candidates, both ends among them, that leave trees; entries may be missing."""
    rng = np.random.default_rng(seed)
    y = rng.normal(size=(length, model.observed_dim))
    y[rng.random(y.shape) < 0.1] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rb.ApproximationWarning)
        found = find_candidates(model, as_series(y, model.observed_dim))
        assert found.positions[0] == 0
        assert found.positions[-1] == length
        assert 0.0 <= found.left_out <= BUDGET
        assert (np.diff(found.positions) > 0).all()
        try:
            rb.inside(model, y)
        except rb.LengthError:
            return
        assert np.isfinite(rb.inside(model, y, boundaries=found.positions).log_evidence)


def test_known_trees_keep_their_boundaries() -> None:
    model = paper(0.2)
    y, tree = model.sample(seed=3, min_length=80, max_length=100, attempts=1_000_000)
    found = find_candidates(model, as_series(y, 3), Constraints(allowed=tree.span_mask()))
    assert {leaf.start for leaf in tree.leaves} <= set(found.positions.tolist())
    assert len(found) == len(tree.leaves) + 1


def test_series_with_times() -> None:
    """Boundaries are where ticks begin: of two observations at one time, the second begins no segment."""
    model = paper(0.05)
    y = model.sample(seed=1, min_length=60, max_length=60, attempts=1_000_000)[0]
    times = np.repeat(np.arange(30), 2)
    found = find_candidates(model, as_series(rb.Series(y, times=times), 3))
    assert not (found.positions % 2).any()


def test_single_observations_are_all_leaves() -> None:
    model = rb.GaussianRBN.create(1)
    assert find_candidates(model, as_series(np.zeros(20), 1)).all


def test_from_coarse_to_fine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there are too many spans, clear changes are found by coarser looks."""
    rng = np.random.default_rng(1)
    y = np.repeat([0.0, 6.0, -6.0], [101, 57, 82]) + rng.normal(size=240)
    emit = rb.Emit(0.6, np.eye(1), length=rb.Geometric(60.0))
    link = rb.Link(9.0 * np.eye(1))
    variable = rb.Variable("x", 1, (rb.Split(0.4, "x", "x", link, link), emit))
    model = rb.GaussianRBN((variable,), rb.Prior("x", (rb.Component(np.zeros(1), 9.0 * np.eye(1)),)))
    series = as_series(y, 1)
    whole = find_candidates(model, series)
    monkeypatch.setattr(find, "POTENTIALS", 2000)
    coarse = find_candidates(model, series)
    assert whole.looks == 1 < coarse.looks
    assert {101, 158} <= set(coarse.positions.tolist())
    full = rb.inside(model, y).log_evidence
    assert full - rb.inside(model, y, boundaries=coarse.positions).log_evidence < 1.0


def test_default_is_for_long_series_and_cubic_charts() -> None:
    model = paper(0.1)
    long = as_series(np.zeros((400, 3)), 3)
    assert is_worthwhile(model, long, FREE)
    assert not is_worthwhile(model, as_series(np.zeros((300, 3)), 3), FREE)
    assert not is_worthwhile(model, long, Constraints(allowed=np.ones((401, 401), dtype=bool)))
    assert not is_worthwhile(rb.GaussianRBN.create(3, shifts={0: 0.5, 1: 0.5}), long, FREE)  # one observation per leaf
    one = np.eye(1)
    system = rb.LinearDynamicalSystem(one, one, one, one, np.zeros(1), one)
    assert not is_worthwhile(system, as_series(np.zeros(2000), 1), FREE)
