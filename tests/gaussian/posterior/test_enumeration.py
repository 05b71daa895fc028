"""Draws, log joint probabilities and moves against enumeration of all trees.

Examples are derandomised: comparisons within Monte Carlo error fail by chance, if rarely, and a test must not.
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import recbayes as rb
from recbayes.gaussian.posterior.draws import _resample_and_move
from tests.gaussian.posterior.exact import enumerate_all
from tests.random_models import one_variable, series_for, two_variables

pytestmark = pytest.mark.slow

MODELS = st.one_of(one_variable(max_dim=2), two_variables())


def draw_problem(data: st.DataObject, max_length: int) -> tuple[rb.GaussianRBN, np.ndarray]:
    model = data.draw(MODELS)
    return model, data.draw(series_for(model.observed_dim, max_length))


@settings(max_examples=60, derandomize=True)
@given(st.data())
def test_log_joint_of_every_tree(data: st.DataObject) -> None:
    model, y = draw_problem(data, 4)
    exact = enumerate_all(model, y, most=400)
    if exact is None:
        return
    found = [rb.log_joint(model, y, tree) for tree in exact.trees]
    np.testing.assert_allclose(found, exact.log_joints, rtol=1e-9, atol=1e-9)


@settings(max_examples=25, derandomize=True)
@given(st.data(), st.sampled_from([1, 1, 3]))
def test_draws(data: st.DataObject, components: int) -> None:
    model, y = draw_problem(data, 5)
    exact = enumerate_all(model, y, most=4000)
    if exact is None:
        return
    draws = 50_000
    posterior = rb.sample_posterior(model, y, draws=draws, seed=1, components=components)
    assert abs(posterior.log_evidence - exact.log_evidence) <= 4 * posterior.log_evidence_error + 1e-9
    p = exact.node_probability
    error = np.sqrt(p * (1 - p) / posterior.effective_sample_size) + 1.0 / draws
    assert (np.abs(posterior.node_probability - p) <= 5 * error).all()
    best = posterior.best(3)
    shares = np.exp(np.sort(exact.log_joints)[::-1] - exact.log_evidence)
    for found, share, log_joint in zip(best, shares, np.sort(exact.log_joints)[::-1], strict=False):
        if share > 1e-3:  # rarer trees may not be among the draws
            assert found.log_joint == pytest.approx(log_joint, abs=1e-9)
            where = exact.trees.index(found.tree)
            assert exact.log_joints[where] == pytest.approx(found.log_joint, abs=1e-9)


def test_six_observations() -> None:
    model = rb.GaussianRBN.create(
        dim=2, left_std=0.6, right_std=0.4, noise_std=0.5, termination=0.6, shifts={0: 0.7, 1: 0.3}, extra_observations=1.0
    )
    y = np.random.default_rng(4).normal(size=(6, 2))
    exact = enumerate_all(model, y)
    assert exact is not None
    posterior = rb.sample_posterior(model, y, draws=50_000, seed=0)
    assert abs(posterior.log_evidence - exact.log_evidence) < 4 * posterior.log_evidence_error
    distance = np.abs(posterior.node_probability - exact.node_probability)
    assert (distance <= 4 * posterior.node_probability_error + 1e-4).all()
    assert posterior.best(1)[0].tree == exact.trees[int(np.argmax(exact.log_joints))]


@pytest.mark.parametrize("components", [1, 2])
@pytest.mark.parametrize("seed", [0, 1])
def test_moves_leave_the_posterior_unchanged(seed: int, components: int) -> None:
    model = rb.GaussianRBN.create(
        dim=2,
        prior_mean=[0.0, 1.0],
        left_std=0.6,
        right_std=0.6,
        noise_std=0.5,
        termination=0.6,
        shifts={0: 0.5, 1: 0.5},
        prior_shifts={0: 0.5, 1: 0.5},
        extra_observations=1.0,
    )
    y = np.random.default_rng(seed).normal(size=(5, 2))
    exact = enumerate_all(model, y)
    assert exact is not None
    draws = 20_000
    posterior = rb.sample_posterior(model, y, draws=draws, seed=seed, components=components)
    moved = _resample_and_move(posterior)
    assert moved.method == "resample-move"
    assert moved.acceptance is not None
    assert 0.5 < moved.acceptance < 1.0
    np.testing.assert_allclose(moved.weights, 1 / draws)
    p = exact.node_probability
    assert (np.abs(moved.node_probability - p) <= 4.5 * np.sqrt(p * (1 - p) / draws) + 1e-4).all()
    assert moved.log_evidence == posterior.log_evidence


def test_moves_go_from_root_to_root() -> None:
    """Two variables of different dimensions, either of which may be the root: its rules are those of that variable."""
    noise, wide = 0.5 * np.eye(1), np.array([[1.0, 0.3]])
    kinds = (
        rb.Variable("one", 1, (rb.Split(0.4, "one", "one", rb.Link(noise), rb.Link(noise)), rb.Emit(0.6, noise))),
        rb.Variable(
            "two",
            2,
            (
                rb.Split(0.5, "two", "one", rb.Link(0.3 * np.eye(2)), rb.Link(noise, wide)),
                rb.Emit(0.5, noise, map=wide),
            ),
        ),
    )
    components = (rb.Component(np.zeros(1), np.eye(1), 0.6), rb.Component(np.ones(2), np.eye(2), 0.4, variable="two"))
    model = rb.GaussianRBN(kinds, rb.Prior("one", components))
    y = np.array([[0.3], [1.4], [-0.2], [0.8]])
    exact = enumerate_all(model, y)
    assert exact is not None
    p = np.exp(
        np.logaddexp.reduce(
            [joint for tree, joint in zip(exact.trees, exact.log_joints, strict=True) if tree.nodes[0].label == "two"]
        )
        - exact.log_evidence
    )
    assert 0.1 < p < 0.9
    draws = 20_000
    moved = _resample_and_move(rb.sample_posterior(model, y, draws=draws, seed=0))
    labels = np.array([tree.nodes[0].label for tree in moved.trees])
    assert np.mean(labels == "two") == pytest.approx(p, abs=4.5 * np.sqrt(p * (1 - p) / draws))
    assert rb.best_tree(rb.inside(model, y)).nodes[0].label == ("two" if p > 0.5 else "one")
    with pytest.raises(rb.DataError, match="does not say which variable its root is"):
        rb.log_joint(model, y, rb.Tree.from_spans([(0, 4)]))


def test_moves_correct_a_wrong_start() -> None:
    """From draws of another model's posterior, moves alone must lead to the right one."""
    create = rb.GaussianRBN.create
    model = create(dim=1, left_std=0.5, right_std=0.5, noise_std=0.5, termination=0.6, extra_observations=1.0)
    wrong = create(dim=1, left_std=0.5, right_std=0.5, noise_std=0.5, termination=0.2, extra_observations=0.2)
    y = np.random.default_rng(7).normal(size=(5, 1))
    exact = enumerate_all(model, y)
    assert exact is not None
    start = rb.sample_posterior(wrong, y, draws=20_000, seed=0)
    posterior = rb.sample_posterior(model, y, draws=20_000, seed=0)
    assert np.abs(start.node_probability - exact.node_probability).max() > 0.1
    misled = type(posterior)(
        posterior.chart, start.trees, np.zeros(20_000), posterior.log_joints, posterior.prior_components, seed=3
    )
    moved = misled
    for seed in range(3):
        moved = _resample_and_move(replace(moved, seed=seed))
    p = exact.node_probability
    assert (np.abs(moved.node_probability - p) <= 5 * np.sqrt(p * (1 - p) / 20_000) + 1e-4).all()


@pytest.fixture(scope="module")
def ambiguous() -> tuple[rb.GaussianRBN, np.ndarray]:
    """Shifts of nearly the same profile under heavy noise: one Gaussian per message is far too little."""
    model = rb.GaussianRBN.create(
        dim=6,
        prior_mean=np.arange(6) * 2.0,
        prior_std=0.1,
        left_std=0.1,
        right_std=0.1,
        noise_std=2.5,
        termination=0.6,
        shifts=dict.fromkeys(range(6), 1 / 6),
        prior_shifts=dict.fromkeys(range(6), 1 / 6),
    )
    return model, model.sample(seed=11, min_length=12, max_length=14)[0]


def test_degenerate_weights_are_resampled_and_moved(ambiguous: tuple[rb.GaussianRBN, np.ndarray]) -> None:
    with pytest.warns(rb.ApproximationWarning, match="resampled and moved") as caught:
        posterior = rb.sample_posterior(*ambiguous, draws=400, seed=0, components=1)
    assert caught[0].filename == __file__
    assert posterior.method == "resample-move"
    assert "resample-move" in repr(posterior)
    better = rb.sample_posterior(*ambiguous, draws=4000, seed=0, components=6)
    assert better.efficiency > 4 * posterior.efficiency
    distance = np.abs(posterior.node_probability - better.node_probability)
    assert (distance <= 4 * posterior.node_probability_error + 0.02).all()
    assert len(posterior.trees.distinct()[0]) > 200


def test_data_far_from_the_model_are_noticed() -> None:
    """A thousand standard deviations away, the draws of a one-Gaussian chart agree, and miss the posterior."""
    model = rb.GaussianRBN.create(
        dim=2, left_std=0.6, right_std=0.5, noise_std=0.5, termination=0.6, shifts={0: 0.6, 1: 0.4}, extra_observations=1.0
    )
    y = np.random.default_rng(1).normal(size=(4, 2)) + 1e3
    with pytest.warns(rb.ApproximationWarning, match="may have missed most of the posterior"):
        rb.sample_posterior(model, y, draws=400, seed=0, components=1)
    exact = enumerate_all(model, y)
    assert exact is not None
    better = rb.sample_posterior(model, y, draws=400, seed=0)
    assert better.chart.components > 1
    assert better.log_evidence == pytest.approx(exact.log_evidence, abs=4 * better.log_evidence_error)
