"""Gradients against finite differences, for every kind of parameter."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import recbayes as rb
from recbayes.errors import LengthError, ModelError
from tests.gaussian.chart.test_chains import chain, simulate
from tests.random_models import one_variable, series_for, two_variables


def finite_differences(parameters: rb.Parameters, y: object, **constraints: object) -> np.ndarray:
    """Central differences with one step of Richardson extrapolation: errors of order h^4."""
    vector = parameters.vector()
    slopes = np.zeros(len(vector))
    for number in range(len(vector)):
        estimates = []
        for step in (2e-4, 1e-4):
            move = np.zeros(len(vector))
            move[number] = step
            values = [rb.inside(parameters.with_vector(vector + s * move), y, **constraints).log_evidence for s in (1, -1)]
            estimates.append((values[0] - values[1]) / (2 * step))
        slopes[number] = (4 * estimates[1] - estimates[0]) / 3
    return slopes


def check(
    model: rb.GaussianRBN, y: object, *, noise: float = 1e-6, constraints: dict | None = None, **options: object
) -> None:
    constraints = constraints or {}
    parameters = rb.Parameters(model, **options)
    model = parameters.with_vector(parameters.vector())
    parameters = rb.Parameters(model, **options)
    found = rb.log_evidence_and_gradient(model, y, parameters=parameters, **constraints)
    expected = finite_differences(parameters, y, **constraints)
    scale = np.maximum(np.abs(expected), 1e-2 * np.abs(expected).max() + 1e-3)
    worst = np.argmax(np.abs(found.gradient - expected) / scale)
    assert np.abs(found.gradient - expected)[worst] < noise * scale[worst], (
        parameters.names[worst],
        found.gradient[worst],
        expected[worst],
    )
    assert found.log_evidence == pytest.approx(rb.inside(model, y, **constraints).log_evidence, rel=1e-12)


@settings(max_examples=15)
@given(st.data())
def test_one_variable(data: st.DataObject) -> None:
    model = data.draw(one_variable())
    check(model, data.draw(series_for(model.observed_dim)), noise=1e-5)


@pytest.mark.slow
@settings(max_examples=8)
@given(st.data())
def test_two_variables(data: st.DataObject) -> None:
    model = data.draw(two_variables())
    y = data.draw(series_for(model.observed_dim, max_length=4))
    try:
        rb.inside(model, y)
    except LengthError:
        return
    check(model, y, noise=1e-5)


@pytest.fixture(scope="module")
def paper() -> rb.GaussianRBN:
    return rb.GaussianRBN.create(
        dim=3,
        prior_mean=[0.1, 0.2, -0.3],
        left_std=0.3,
        right_std=[0.2, 0.3, 0.4],
        noise_std=np.array([[0.3, 0, 0], [0.1, 0.2, 0], [0, 0.1, 0.3]]),
        termination=0.6,
        shifts={0: 0.5, 1: 0.3, 2: 0.2},
        prior_shifts={0: 0.7, 2: 0.3},
        extra_observations=2.0,
    )


@pytest.fixture(scope="module")
def y(paper: rb.GaussianRBN) -> np.ndarray:
    return paper.sample(seed=0, min_length=12, max_length=20)[0]


@pytest.mark.parametrize("covariance", ["keep", "scalar", "diagonal", "circulant", "full"])
@pytest.mark.parametrize("tied", [False, True])
def test_structures(paper: rb.GaussianRBN, y: np.ndarray, covariance: str, tied: bool) -> None:
    check(paper, y, covariance=covariance, tied=tied)


def test_missing_entries(paper: rb.GaussianRBN, y: np.ndarray) -> None:
    holes = y.copy()
    holes[2] = np.nan
    holes[[0, 4], [1, 0]] = np.nan
    check(paper, holes)


def test_noise_per_observation(paper: rb.GaussianRBN, y: np.ndarray) -> None:
    variances = np.random.default_rng(0).uniform(0.05, 0.2, size=y.shape)
    check(paper, rb.Series(y, variances))


def test_constraints(paper: rb.GaussianRBN, y: np.ndarray) -> None:
    check(paper, y, constraints={"boundaries": [3, 4, 9]})
    allowed = np.triu(np.random.default_rng(0).random((len(y) + 1, len(y) + 1)) < 0.7)
    allowed[0, len(y)] = True
    check(paper, y, constraints={"allowed": allowed})


def test_chain() -> None:
    check(chain(), simulate(40))


def test_larger_chart() -> None:
    """Fifty observations with negligible splits, which both passes skip."""
    model = rb.GaussianRBN.create(dim=3, noise_std=0.05, termination=0.6, shifts={0: 0.5, 1: 0.5}, extra_observations=5.0)
    check(model, model.sample(seed=1, min_length=50, max_length=55)[0])


def test_many_series_add_up(paper: rb.GaussianRBN) -> None:
    many = [paper.sample(seed=seed, max_length=30)[0] for seed in range(4)]
    together = rb.log_evidence_and_gradient(paper, many)
    alone = [rb.log_evidence_and_gradient(paper, one) for one in many]
    assert together.log_evidence == pytest.approx(sum(one.log_evidence for one in alone))
    np.testing.assert_allclose(together.gradient, np.sum([one.gradient for one in alone], axis=0), rtol=1e-12)


def test_vectors_and_models_are_inverse(paper: rb.GaussianRBN) -> None:
    parameters = rb.Parameters(paper, covariance="full")
    vector = parameters.vector() + np.random.default_rng(0).normal(scale=0.1, size=parameters.size)
    np.testing.assert_allclose(parameters.vector(parameters.with_vector(vector)), vector, rtol=1e-9, atol=1e-12)
    assert len(parameters.names) == parameters.size == len(set(parameters.names))


def test_fixed_blocks(paper: rb.GaussianRBN, y: np.ndarray) -> None:
    everything = rb.Parameters(paper)
    some = rb.Parameters(paper, fixed=["prior.*", "x.rules"])
    assert 0 < some.size < everything.size
    assert not any(name.startswith("prior") for name in some.names)
    full, part = (rb.log_evidence_and_gradient(paper, y, parameters=p).gradient for p in (everything, some))
    keep = [everything.names.index(name) for name in some.names]
    np.testing.assert_allclose(part, full[keep])
    with pytest.raises(ModelError, match="no parameter matches 'nothing'"):
        rb.Parameters(paper, fixed=["nothing"])


def test_models_of_another_structure_are_refused(paper: rb.GaussianRBN, y: np.ndarray) -> None:
    with pytest.raises(ModelError, match="does not have the structure"):
        rb.log_evidence_and_gradient(paper, y, parameters=rb.Parameters(paper, covariance="scalar"))


def test_zero_probabilities_and_zero_noise_stay() -> None:
    model = rb.GaussianRBN.create(dim=2, left_std=0.0, shifts={0: 1.0, 1: 0.0}, extra_observations=1.0)
    parameters = rb.Parameters(model)
    assert not any("shifts" in name or "left_link" in name for name in parameters.names)
    check(model, np.random.default_rng(0).normal(size=(5, 2)))


def test_circulant_covariances_are_the_same_in_all_turns(paper: rb.GaussianRBN) -> None:
    parameters = rb.Parameters(paper, covariance="circulant")
    vector = parameters.vector() + np.random.default_rng(0).normal(scale=0.3, size=parameters.size)
    emit = parameters.with_vector(vector).variables[0].rules[1]
    np.testing.assert_allclose(np.roll(emit.covariance, (1, 1), axis=(0, 1)), emit.covariance, atol=1e-12)
    assert abs(emit.covariance[0, 1]) > 1e-3
    assert sum(block.size for block in parameters.blocks if block.name == "x.rules[1].covariance") == 2


def test_covariances_of_several_structures(paper: rb.GaussianRBN) -> None:
    """By name; the first pattern that matches counts, and others are as they are."""
    parameters = rb.Parameters(paper, covariance={"prior.*": "full", "*left_link*": "circulant", "*link*": "diagonal"})
    sizes = {block.name: block.size for block in parameters.blocks if block.is_covariance}
    assert sizes == {
        "prior.components[0].covariance": 6,
        "x.rules[0].left_link.covariance": 2,
        "x.rules[0].right_link.covariance": 3,
        "x.rules[1].covariance": 6,
    }
    again = pickle.loads(pickle.dumps(parameters))
    assert again.choices == parameters.choices
    with pytest.raises(ModelError, match=r"no covariance matches 'left'; there are \['prior"):
        rb.Parameters(paper, covariance={"left": "full"})
    with pytest.raises(ModelError, match="covariance of 'prior"):
        rb.Parameters(paper, covariance={"prior*": "round"})  # type: ignore[dict-item]
