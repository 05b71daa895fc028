"""Several Gaussians per message: exact where they are enough, closer to the exact evidence where they are not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import recbayes as rb
from recbayes.errors import DataError
from recbayes.reference.enumeration import all_derivations, derivations, exact_log_evidence
from tests.random_models import one_variable, series_for, two_variables

pytestmark = pytest.mark.slow


@settings(max_examples=60)
@given(st.data())
def test_enough_components_are_exact(data: st.DataObject) -> None:
    """With at most eight derivations in all, nothing is ever merged."""
    model = data.draw(st.one_of(one_variable(), two_variables()))
    y = data.draw(series_for(model.observed_dim, 3))
    counts = [
        len(list(derivations(model, variable.name, i, k)))
        for variable in model.variables
        for i in range(len(y))
        for k in range(i + 1, len(y) + 1)
    ]
    if max(counts) > 8 or not list(all_derivations(model, len(y))):
        return
    chart = rb.inside(model, y, components=8)
    assert chart.log_evidence == pytest.approx(exact_log_evidence(model, y), rel=1e-9, abs=1e-9)


def test_more_components_are_more_accurate() -> None:
    model = rb.GaussianRBN.create(
        dim=2, left_std=0.4, right_std=0.4, noise_std=0.2, termination=0.6, shifts={0: 0.5, 1: 0.5}, extra_observations=1.0
    )
    errors = {components: [] for components in (1, 2, 4, 8)}
    for seed in range(12):
        y = np.random.default_rng(seed).normal(size=(5, 2))
        exact = exact_log_evidence(model, y)
        for components, found in errors.items():
            found.append(abs(rb.inside(model, y, components=components).log_evidence - exact))
    means = [float(np.mean(found)) for found in errors.values()]
    assert means == sorted(means, reverse=True)
    assert means[-1] < 0.1 * means[0]


def test_one_component_is_the_plain_chart() -> None:
    model = rb.GaussianRBN.create(dim=2, shifts={0: 0.5, 1: 0.5}, extra_observations=1.0)
    y = np.random.default_rng(0).normal(size=(12, 2))
    plain, one = rb.inside(model, y), rb.inside(model, y, components=1)
    np.testing.assert_array_equal(plain.messages, one.messages)
    assert plain.log_evidence == one.log_evidence


def test_best_tree_and_message_of_a_mixture_chart() -> None:
    model = rb.GaussianRBN.create(dim=2, left_std=0.3, noise_std=0.3, shifts={0: 0.5, 1: 0.5}, extra_observations=1.0)
    y, _ = model.sample(seed=1, min_length=10, max_length=10)
    chart = rb.inside(model, y, components=4)
    assert np.isfinite(rb.log_joint(model, y, rb.best_tree(chart)))
    message, parts = chart.message(0, 10), chart.mixture(0, 10)
    assert len(parts) == 4
    masses = np.exp([part.log_coefficient for part in parts])
    assert np.exp(message.log_coefficient) == pytest.approx(masses.sum())
    mean = (masses[:, None] * [part.mean for part in parts]).sum(axis=0) / masses.sum()
    np.testing.assert_allclose(message.mean, mean)


def test_constraints_and_many_series() -> None:
    model = rb.GaussianRBN.create(dim=1, extra_observations=1.0)
    y = np.random.default_rng(0).normal(size=(8, 1))
    allowed = np.triu(np.ones((9, 9), dtype=bool), 1)
    allowed[2, 6] = False
    chart = rb.inside(model, y, components=2, allowed=allowed)
    assert chart.log_evidence < rb.inside(model, y, components=2).log_evidence
    with pytest.raises(DataError, match="no cell"):
        chart.message(2, 6)
    many = rb.inside(model, [y, y[:4]], components=2)
    assert many[1].log_evidence == rb.inside(model, y[:4], components=2).log_evidence


@pytest.mark.parametrize("components", [0, 9, 1.5, True])
def test_components_must_be_few(components: object) -> None:
    with pytest.raises(DataError, match="components must be"):
        rb.inside(rb.GaussianRBN.create(dim=1), np.zeros((2, 1)), components=components)  # type: ignore[arg-type]


def test_what_needs_one_gaussian_says_so() -> None:
    chart = rb.inside(rb.GaussianRBN.create(dim=1), np.zeros((3, 1)), components=2)
    with pytest.raises(DataError, match="components=1"):
        rb.outside(chart)
    with pytest.raises(DataError, match="components=1"):
        rb.quick_node_probability(chart)
