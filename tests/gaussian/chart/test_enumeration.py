"""Compiled passes against the slow reference, and both against the exact density by enumeration of all trees."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import recbayes as rb
from recbayes.errors import ApproximationWarning, LengthError
from recbayes.reference import enumeration
from recbayes.reference import gaussian as reference
from tests.random_models import one_variable, series_for, spread, two_variables


def check_against_reference(model: rb.GaussianRBN, y: np.ndarray) -> None:
    try:
        slow = reference.inside(model, y)
    except LengthError:
        with pytest.raises(LengthError):
            rb.inside(model, y)
        return
    fast = rb.inside(model, y)
    assert fast.log_evidence == pytest.approx(slow.log_evidence, rel=1e-9, abs=1e-9)
    assert rb.best_tree(fast) == reference.best_tree(slow)
    for (name, start, end), message in slow.messages.items():
        try:
            found = fast.message(start, end, name)
        except ValueError:  # the root cannot lead there
            continue
        assert found.log_height == pytest.approx(message.log_height, rel=1e-7, abs=1e-7)
        np.testing.assert_allclose(found.precision, message.P, rtol=1e-6, atol=1e-7 * (1 + np.abs(message.P).max()))


@given(st.data())
def test_one_variable_equals_reference(data: st.DataObject) -> None:
    model = data.draw(one_variable())
    check_against_reference(model, data.draw(series_for(model.observed_dim)))


@given(st.data())
def test_two_variables_equal_reference(data: st.DataObject) -> None:
    model = data.draw(two_variables())
    check_against_reference(model, data.draw(series_for(model.observed_dim)))


@given(st.data())
def test_outside_equals_reference(data: st.DataObject) -> None:
    model = data.draw(one_variable())
    y = data.draw(series_for(model.observed_dim, missing=False))
    slow = reference.inside(model, y)
    expected = reference.outside(slow)
    found = _outside(rb.inside(model, y))
    for (name, start, end), message in expected.items():
        density = found.message(start, end, name)
        assert density.log_coefficient == pytest.approx(message.log_mass, rel=1e-8, abs=1e-8)
        np.testing.assert_allclose(density.mean, message.mean, rtol=1e-7, atol=1e-8)
        np.testing.assert_allclose(density.covariance, message.covariance, rtol=1e-7, atol=1e-8)


def _outside(chart: rb.Chart) -> rb.Outside:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ApproximationWarning)
        return rb.outside(chart)


@st.composite
def single_derivations(draw: st.DrawFn) -> tuple[rb.GaussianRBN, np.ndarray]:
    """Models in which every span has one derivation: right-linear or left-linear chains, and fixed trees."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    a, b, columns = draw(st.integers(1, 3)), draw(st.integers(1, 3)), draw(st.integers(1, 3))
    to_state = rb.Link(spread(rng, a), rng.normal(size=(a, a)), rng.normal(size=a))
    to_shown = rb.Link(spread(rng, b) * draw(st.sampled_from([0.0, 1.0])), rng.normal(size=(b, a)))
    show_state = rng.normal(size=(columns, a))
    noise = spread(rng, columns)
    if draw(st.booleans()):
        split = rb.Split(0.7, "shown", "state", to_shown, to_state)
    else:
        split = rb.Split(0.7, "state", "shown", to_state, to_shown)
    model = rb.GaussianRBN(
        (
            rb.Variable("state", a, (split, rb.Emit(0.3, noise, map=show_state))),
            rb.Variable("shown", b, (rb.Emit(1.0, noise, map=rng.normal(size=(columns, b))),)),
        ),
        rb.Prior("state", (rb.Component(rng.normal(size=a), spread(rng, a)),)),
    )
    return model, draw(series_for(columns))


@given(single_derivations())
def test_single_derivations_are_exact(case: tuple[rb.GaussianRBN, np.ndarray]) -> None:
    model, y = case
    exact = enumeration.exact_log_evidence(model, y)
    assert rb.inside(model, y).log_evidence == pytest.approx(exact, rel=1e-9, abs=1e-9)


@given(st.data())
def test_two_observations_with_one_rule_are_exact(data: st.DataObject) -> None:
    """Emission of exactly one, one split rule: only one tree has two leaves, whatever the dimension and the data."""
    drawn = data.draw(one_variable())
    split, emit = drawn.variables[0].rules[0], drawn.variables[0].rules[-1]
    rules = (
        replace(split, probability=0.3, shifts={next(iter(split.shifts)): 1.0}),
        replace(emit, probability=0.7, length=rb.ExactlyOne()),
    )
    model = rb.GaussianRBN((replace(drawn.variables[0], rules=rules),), drawn.prior)
    y = data.draw(series_for(model.observed_dim, max_length=2))
    assert rb.inside(model, y).log_evidence == pytest.approx(enumeration.exact_log_evidence(model, y), rel=1e-9, abs=1e-9)


def test_moment_matching_is_close_on_the_papers_model() -> None:
    """The distance of the moment-matched evidence to the exact one, on short series of the paper's synthetic model."""
    model = rb.GaussianRBN.create(dim=3, noise_std=0.1, termination=0.6, shifts={0: 0.5, 1: 0.5}, extra_observations=1.0)
    distances = []
    for seed in range(12):
        y, _ = model.sample(seed=seed, min_length=4, max_length=5)
        distances.append(rb.inside(model, y).log_evidence - enumeration.exact_log_evidence(model, y))
    assert np.abs(distances).max() < 0.1
    assert np.median(np.abs(distances)) < 0.01


def test_catalan_numbers() -> None:
    """Without noise to tell trees apart: all observations missing, the evidence is the probability of the length."""
    model = rb.GaussianRBN.create(dim=2, termination=0.6)
    catalan = [1, 1, 2, 5, 14, 42, 132, 429]
    for length in range(1, 9):
        y = np.full((length, 2), np.nan)
        expected = np.log(catalan[length - 1]) + length * np.log(0.6) + (length - 1) * np.log(0.4)
        assert rb.inside(model, y).log_evidence == pytest.approx(expected, rel=1e-12)
