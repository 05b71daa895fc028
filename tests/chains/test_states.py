"""Chains: hidden Markov models against hmmlearn, linear dynamical systems against statsmodels."""

from collections.abc import Callable
from itertools import pairwise, product

import numpy as np
import pytest
from hmmlearn.hmm import CategoricalHMM
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.tsa.statespace.kalman_smoother import KalmanSmoother

import recbayes as rb
from recbayes.errors import DataError, ModelError


def random_hmm(seed: int, states: int = 4, symbols: int = 5) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.ones(states)), rng.dirichlet(np.ones(states), states), rng.dirichlet(np.ones(symbols), states)


@pytest.mark.parametrize("length", [1, 2, 50, 2000])
def test_hmmlearn(length: int) -> None:
    initial, transition, emission = random_hmm(length)
    theirs = CategoricalHMM(n_components=4)
    theirs.startprob_, theirs.transmat_, theirs.emissionprob_ = initial, transition, emission
    y = np.random.default_rng(1).integers(5, size=length)
    ours = rb.HMM(initial, transition, emission)
    assert rb.inside(ours, y).log_evidence == pytest.approx(theirs.score(y[:, None]), rel=1e-10)
    np.testing.assert_allclose(rb.smoothed_states(ours, y), theirs.predict_proba(y[:, None]), atol=1e-9)
    score, path = theirs.decode(y[:, None])
    found, weight = rb.best_states(ours, y)
    assert weight == pytest.approx(score, rel=1e-10)
    np.testing.assert_array_equal(found, path)


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.lists(st.sampled_from([None, 0, 1, 2]), min_size=1, max_size=5))
def test_best_states_against_all_paths(seed: int, tokens: list) -> None:
    """Missing observations are summed over: their weight below a state is one."""
    initial, transition, emission = random_hmm(seed, states=3, symbols=3)
    weights = {}
    for path in product(range(3), repeat=len(tokens)):
        weight = initial[path[0]] * np.prod([transition[pair] for pair in pairwise(path)])
        weights[path] = weight * np.prod([emission[x, y] for x, y in zip(path, tokens, strict=True) if y is not None])
    path, score = rb.best_states(rb.HMM(initial, transition, emission), tokens)
    assert score == pytest.approx(np.log(max(weights.values())), rel=1e-10)
    assert weights[tuple(path.tolist())] == pytest.approx(max(weights.values()), rel=1e-10)


def test_a_missing_observation_is_not_chosen() -> None:
    path, score = rb.best_states(rb.HMM([0.6, 0.4], np.eye(2), [[0.5, 0.5], [1, 0]]), [None])
    assert (path.tolist(), score) == ([0], pytest.approx(np.log(0.6)))


def test_filtering_is_the_forward_recursion() -> None:
    initial, transition, emission = random_hmm(3)
    y = np.random.default_rng(2).integers(5, size=30)
    expected, forward = [], initial
    for token in y:
        forward = forward * emission[:, token]
        forward = forward / forward.sum()
        expected.append(forward)
        forward = forward @ transition
    np.testing.assert_allclose(rb.filtered_states(rb.HMM(initial, transition, emission), y), expected, atol=1e-12)


def test_termination_makes_lengths_random() -> None:
    initial, transition, emission = random_hmm(4)
    model = rb.HMM(initial, transition, emission, termination=0.2)
    assert model.is_normalised
    y = [0, 1, 2, 1]
    free = rb.inside(rb.HMM(initial, transition, emission), y).log_evidence
    assert rb.inside(model, y).log_evidence == pytest.approx(free + 3 * np.log(0.8) + np.log(0.2))
    lengths = [len(model.sample(seed=seed)[0]) for seed in range(2000)]
    assert np.mean(lengths) == pytest.approx(5.0, abs=0.5)


def test_kalman_filter_and_smoother() -> None:
    F, Q = np.array([[1.0, 0.1], [0.0, 0.95]]), np.array([[0.02, 0.01], [0.01, 0.05]])
    H, R = np.array([[1.0, 0.3]]), np.array([[0.3]])
    y = np.cumsum(np.random.default_rng(0).normal(size=60))[:, None]
    y[[5, 17, 18]] = np.nan
    peer = KalmanSmoother(k_endog=1, k_states=2)
    peer.bind(y)
    peer["design"], peer["obs_cov"], peer["transition"] = H, R, F
    peer["selection"], peer["state_cov"] = np.eye(2), Q
    peer.initialize_known(np.zeros(2), np.eye(2))
    theirs = peer.smooth()
    ours = rb.LinearDynamicalSystem(F, Q, H, R, np.zeros(2), np.eye(2), termination=0.1)
    evidence = rb.inside(ours, y).log_evidence
    assert evidence - 59 * np.log(0.9) - np.log(0.1) == pytest.approx(theirs.llf, rel=1e-9)
    smoothed, filtered = rb.smoothed_states(ours, y), rb.filtered_states(ours, y)
    np.testing.assert_allclose(smoothed.mean, theirs.smoothed_state.T, atol=1e-8)
    np.testing.assert_allclose(smoothed.covariance, theirs.smoothed_state_cov.transpose(2, 0, 1), atol=1e-8)
    np.testing.assert_allclose(filtered.mean, theirs.filtered_state.T, atol=1e-8)
    np.testing.assert_allclose(filtered.covariance, theirs.filtered_state_cov.transpose(2, 0, 1), atol=1e-8)


REGIMES: dict = {
    "initial": [0.5, 0.5],
    "switching": [[0.95, 0.05], [0.05, 0.95]],
    "transitions": [[[1.0]], [[1.0]]],
    "transition_covariances": [[[0.01]], [[4.0]]],
    "observations": [[[1.0]], [[1.0]]],
    "observation_covariances": [[[0.05]], [[0.05]]],
    "initial_mean": [0.0],
    "initial_covariance": [[1.0]],
}


def test_switching_between_regimes() -> None:
    """A calm and a wild regime: draws find when the wild one ruled."""
    model = rb.SwitchingLinearDynamicalSystem(**REGIMES)
    rng = np.random.default_rng(0)
    steps = np.concatenate([rng.normal(scale=0.1, size=15), rng.normal(scale=2.0, size=15), rng.normal(scale=0.1, size=15)])
    posterior = rb.sample_posterior(model, np.cumsum(steps)[:, None], draws=500, seed=0)
    wild = np.zeros(45)
    for tree, weight in zip(posterior.trees, posterior.weights, strict=True):
        for node in tree:
            if node.label == "state 1":
                wild[node.start] += weight
    assert wild[2:13].max() < 0.2
    assert wild[17:29].min() > 0.5
    assert wild[33:].max() < 0.3


def test_switching_with_one_sort_of_regime_is_a_linear_system() -> None:
    args = [[[0.9]], [[0.3]], [[1.0]], [[0.5]]]
    alone = rb.LinearDynamicalSystem(*args, [0.0], [[1.0]])
    both = rb.SwitchingLinearDynamicalSystem(
        [0.3, 0.7], [[0.5, 0.5], [0.2, 0.8]], *[[one, one] for one in args], [0.0], [[1.0]]
    )
    y = np.random.default_rng(0).normal(size=(12, 1))
    assert rb.inside(both, y).log_evidence == pytest.approx(rb.inside(alone, y).log_evidence, abs=1e-9)


def test_nonsense_is_refused() -> None:
    with pytest.raises(ModelError, match="shapes"):
        rb.HMM([0.5, 0.5], [[1.0]], [[1.0]])
    with pytest.raises(ModelError, match="sum to one"):
        rb.HMM([0.5, 0.5], [[0.5, 0.4], [0.5, 0.5]], [[1.0], [1.0]])
    with pytest.raises(DataError, match="HMM or LinearDynamicalSystem"):
        rb.smoothed_states(rb.GaussianRBN.create(dim=1), [1.0])  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="no discrete path"):
        rb.best_states(rb.LinearDynamicalSystem(1.0, 1.0, 1.0, 1.0, 0.0, 1.0), [1.0])  # type: ignore[arg-type]
    with pytest.raises(DataError, match="HMM or LinearDynamicalSystem"):
        rb.smoothed_states(rb.PCFG.from_string("S -> 'a' [1]"), ["a"])  # type: ignore[arg-type]


@pytest.mark.parametrize("states", [rb.filtered_states, rb.smoothed_states, rb.best_states])
@pytest.mark.parametrize("series", [[[0, 1], [1]], np.array([[0], [1]])])
def test_states_are_those_of_one_series(states: Callable, series: object) -> None:
    with pytest.raises(DataError, match="one series, got several"):
        states(rb.HMM([0.5, 0.5], np.eye(2), np.eye(2)), series)


def test_states_of_linear_systems_are_those_of_one_series() -> None:
    system = rb.LinearDynamicalSystem(1.0, 1.0, 1.0, 1.0, 0.0, 1.0)
    for states in (rb.filtered_states, rb.smoothed_states):
        with pytest.raises(DataError, match="one series, got several"):
            states(system, [np.zeros(3), np.zeros(2)])
        with pytest.raises(DataError, match=r"several regimes.*sample_posterior"):
            states(rb.SwitchingLinearDynamicalSystem(**REGIMES), [0.0, 1.0])


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"transitions": [[[1.0]]]}, "transitions must be a list with 2 entries, one for each regime of initial, got 1"),
        ({"observation_covariances": [1.0] * 3}, "observation_covariances must be a list with 2 entries.*got 3"),
        ({"observations": 1.0}, "observations must be a list with 2 entries"),
        ({"transitions": [[[1.0, 2.0], [1.0]], 1.0]}, r"transitions\[0\] must be numbers, in rows of one length"),
        ({"switching": [[1.0], [0.5, 0.5]]}, "switching must be numbers, in rows of one length"),
    ],
)
def test_regimes_must_fit_together(changes: dict, complaint: str) -> None:
    with pytest.raises(ModelError, match=complaint):
        rb.SwitchingLinearDynamicalSystem(**{**REGIMES, **changes})


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (([0.5, 0.5], [[1.0], [0.5, 0.5]], np.eye(2)), "transition must be numbers, in rows of one length"),
        (([0.5, 0.5], np.eye(2), [[1.0, 0.0], [1.0]]), "emission must be numbers, in rows of one length"),
        ((1.0, [[1.0]], [[1.0]]), "shapes"),
        (([np.nan, 1.0], np.eye(2), np.eye(2)), "initial must be finite"),
    ],
)
def test_tables_of_hidden_markov_models_must_be_regular(arguments: tuple, complaint: str) -> None:
    with pytest.raises(ModelError, match=complaint):
        rb.HMM(*arguments)
