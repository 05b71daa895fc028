"""Leaves of all kinds against their definition: densities of all trees, evidence, gradient, draws, values."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

import recbayes as rb
from recbayes.checks.series import Series, as_series
from recbayes.gaussian.posterior.careful import careful_log_joint
from tests.gaussian.emissions import dense

KINDS = {
    "level": {},
    "trend": {"trend_std": 2.0},
    "season": {"periods": [3.0], "season_std": 1.5, "harmonics": 1},
    "autoregressive": {"coefficients": [0.7], "start_std": 0.9},
    "bank": {"noise_levels": [0.5, 2.0], "coefficients": [0.0, 0.8], "weights": [[0.1, 0.2], [0.3, 0.4]]},
    "all": {"trend_std": 1.0, "periods": [4.0], "season_std": 0.7, "coefficients": [0.0, 0.5], "noise_levels": [0.6, 1.0]},
}


def model(columns: int = 1, length: rb.OnePlusPoisson | None = None, **kind: object) -> rb.GaussianRBN:
    leaf = rb.Leaf(0.6, np.linspace(0.5, 0.8, columns), length or rb.OnePlusPoisson(1.5), **kind)
    split = rb.Split(0.4, "x", "x", rb.Link(np.eye(columns) * 0.5), rb.Link(np.eye(columns) * 1.2))
    prior = rb.Prior("x", (rb.Component(np.full(columns, 0.3), 2.0 * np.eye(columns)),))
    return rb.GaussianRBN((rb.Variable("x", columns, (split, leaf)),), prior)


def series(length: int, columns: int, seed: int, missing: bool) -> np.ndarray:
    rng = np.random.default_rng(seed)
    y = rng.normal(size=(length, columns)) * 2.0
    y[rng.random(y.shape) < 0.25 * missing] = np.nan
    return y


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("columns", [1, 2])
def test_every_tree_has_its_density(kind: str, columns: int) -> None:
    for seed in range(2):
        given_model, y = model(columns, **KINDS[kind]), series(4, columns, seed, seed > 0)
        trees = dense.trees(given_model, 4)
        for tree in trees[:: 1 + len(trees) // 20]:
            right = dense.log_joint(given_model, as_series(y, columns), tree)
            assert rb.log_joint(given_model, y, tree) == pytest.approx(right, abs=1e-9)
            assert careful_log_joint(given_model, as_series(y, columns), tree) == pytest.approx(right, abs=1e-9)


@settings(max_examples=25)
@given(st.sampled_from(sorted(KINDS)), st.integers(1, 2), st.integers(1, 6), st.integers(0, 10**6), st.floats(-1e6, 1e6))
def test_a_leaf_has_its_density_wherever_it_is(kind: str, columns: int, length: int, seed: int, offset: float) -> None:
    """Also where the data are far away."""
    y = series(length, columns, seed, True)
    one = model(columns, **KINDS[kind])
    far = rb.GaussianRBN(
        one.variables, rb.Prior("x", (rb.Component(one.prior.components[0].mean + offset, 2.0 * np.eye(columns)),))
    )
    for member in one.variables[0].rules[1].members:
        tree = rb.Tree([rb.Node(0, length, "x", f"emit {member.name}".strip())], [0])
        right = dense.log_joint(one, as_series(y, columns), tree)
        assert rb.log_joint(far, y + offset, tree) == pytest.approx(right, abs=1e-8 + 1e-9 * abs(offset))


@pytest.mark.parametrize("kind", KINDS)
def test_draws_have_the_exact_probabilities(kind: str) -> None:
    length = 4 if kind != "bank" and kind != "all" else 3
    one, y = model(**KINDS[kind]), series(length, 1, 5, True)
    trees = dense.trees(one, length)
    joints = np.array([dense.log_joint(one, as_series(y, 1), tree) for tree in trees])
    found = rb.sample_posterior(one, y, draws=4000, seed=1)
    assert found.log_evidence == pytest.approx(logsumexp(joints), abs=4 * found.log_evidence_error + 1e-9)
    shares = np.exp(joints - logsumexp(joints))
    drawn = dict.fromkeys(trees, 0.0)
    for tree, weight in zip(found.trees, found.weights, strict=True):
        drawn[tree] += weight
    for tree, share in zip(trees, shares, strict=True):
        assert drawn[tree] == pytest.approx(share, abs=5 * np.sqrt(share / 3000) + 1e-3)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("columns", [1, 2])
def test_gradients(kind: str, columns: int) -> None:
    one, y = model(columns, **KINDS[kind]), series(7, columns, 3, True)
    value, gradient = rb.log_evidence_and_gradient(one, y)[:2]
    parameters = rb.Parameters(one)
    vector = parameters.vector()
    for n in range(len(vector)):
        step = np.zeros_like(vector)
        step[n] = 1e-5
        up, down = (rb.inside(parameters.with_vector(vector + sign * step), y).log_evidence for sign in (1, -1))
        assert gradient[n] == pytest.approx((up - down) / 2e-5, rel=1e-5, abs=1e-6), parameters.names[n]
    assert np.isfinite(value)


def test_values_through_a_map() -> None:
    """A leaf that shows a linear function of the value, by hand: two numbers of which the column shows the sum."""
    leaf = rb.Leaf(1.0, 0.5, rb.OnePlusPoisson(2.0), trend_std=1.0, coefficients=[0.6], map=[[1.0, 1.0]], offset=[0.2])
    prior = rb.Prior("x", (rb.Component(np.array([0.1, 0.4]), np.diag([1.0, 2.0])),))
    one = rb.GaussianRBN((rb.Variable("x", 2, (leaf,)),), prior)
    plain = rb.Leaf(1.0, 0.5, rb.OnePlusPoisson(2.0), trend_std=1.0, coefficients=[0.6])
    sums = rb.Prior("x", (rb.Component(np.array([0.7]), np.array([[3.0]])),))
    other = rb.GaussianRBN((rb.Variable("x", 1, (plain,)),), sums)
    y = series(5, 1, 0, False)
    assert rb.inside(one, y).log_evidence == pytest.approx(rb.inside(other, y).log_evidence, abs=1e-10)
    parameters = rb.Parameters(one)
    vector, (_, gradient) = parameters.vector(), rb.log_evidence_and_gradient(one, y)[:2]
    for n in range(len(vector)):
        step = np.zeros_like(vector)
        step[n] = 1e-5
        up, down = (rb.inside(parameters.with_vector(vector + sign * step), y).log_evidence for sign in (1, -1))
        assert gradient[n] == pytest.approx((up - down) / 2e-5, rel=1e-5, abs=1e-6), parameters.names[n]


def test_the_observed_past() -> None:
    """Given the past, an autoregressive leaf is a regression on the observation before: its density by hand."""
    phi, s = 0.6, 0.5
    leaf = rb.Leaf(0.5, s, rb.OnePlusPoisson(1.0), coefficients=[phi], past="observed")
    split = rb.Split(0.5, "x", "x", rb.Link(np.zeros((1, 1))), rb.Link(np.zeros((1, 1))))  # all leaves have one value
    prior = rb.Prior("x", (rb.Component(np.array([1.0]), np.eye(1) * 1e-12),))
    one = rb.GaussianRBN((rb.Variable("x", 1, (split, leaf)),), prior)
    y = series(3, 1, 2, False)
    tree = rb.Tree.from_spans([(0, 3), (0, 1), (1, 3)])
    from scipy.stats import norm

    right = norm.logpdf(y[0, 0], 1.0, s / np.sqrt(1 - phi**2))
    right += norm.logpdf(y[1:, 0], 1.0 + phi * (y[:-1, 0] - 1.0), s).sum()
    lengths = sum(rb.OnePlusPoisson(1.0).log_probability(np.array([1, 2])))
    assert rb.log_joint(one, y, tree) == pytest.approx(right + 3 * np.log(0.5) + lengths, abs=1e-6)


def test_files_and_copies(tmp_path) -> None:
    one = model(2, **KINDS["all"])
    one.save(tmp_path / "model.json")
    y = series(6, 2, 1, True)
    assert rb.load(tmp_path / "model.json").to_data() == one.to_data()
    assert rb.inside(rb.load(tmp_path / "model.json"), y).log_evidence == rb.inside(one, y).log_evidence


def test_samples_have_the_moments_of_the_definition() -> None:
    kind = {"trend_std": 2.0, "coefficients": [0.6], "start_std": 0.7, "periods": [5.0], "season_std": 0.8}
    leaf = rb.Leaf(1.0, 0.5, rb.LengthTable([0, 0, 0, 1.0]), **kind).checked("leaf", 1)
    rng = np.random.default_rng(0)
    rows = np.array([leaf.sample(rng, np.array([1.5]), 4, np.zeros((7, 1))).rows[:, 0] for _ in range(20_000)])
    right = dense._own(leaf, Series(np.zeros((11, 1))), 0, 7, 11, np.zeros(4, dtype=bool))
    np.testing.assert_allclose(rows.mean(axis=0), 1.5, atol=0.08)
    np.testing.assert_allclose(np.cov(rows.T), right, atol=0.15)


OUTLIERS = {"outlier_probability": 0.15, "outlier_std": 4.0}


@pytest.mark.parametrize(
    "kind", [{}, {"trend_std": 2.0}, {"coefficients": [0.7], "start_std": 0.9}, {"trend_std": 1.0, "coefficients": [0.8]}]
)
def test_outliers_are_summed_over(kind: dict) -> None:
    """All trees and all sets of outliers, enumerated: evidence, probabilities of nodes, and of whole trees."""
    one = model(**kind, **OUTLIERS)
    y = np.array([[0.3], [7.0], [0.1], [-1.0]])
    y[2] = np.nan if "trend_std" in kind else y[2]
    trees = dense.trees(one, 4)
    joints = np.array([dense.log_joint(one, as_series(y, 1), tree) for tree in trees])
    shares = np.exp(joints - logsumexp(joints))
    right = np.zeros((5, 5))
    for tree, share in zip(trees, shares, strict=True):
        for span in tree.spans:
            right[span] += share
    found = rb.sample_posterior(one, y, draws=4000, seed=0)
    assert found.log_evidence == pytest.approx(logsumexp(joints), abs=5 * found.log_evidence_error + 0.01)
    assert np.abs(found.node_probability - right).max() < 0.03
    assert found.chart.log_evidence == pytest.approx(logsumexp(joints), abs=0.25)  # sets are followed: it is not far off


def test_values_are_drawn_jointly() -> None:
    """Given the tree, values of nodes drawn from the root down have the means and covariances of smoothing."""
    from recbayes.compiled.compilation import run_kernel
    from recbayes.compiled.lanes import LANES
    from recbayes.gaussian.kernels.values import draw_values
    from recbayes.gaussian.posterior.follow import problem_of

    one, y = model(2, trend_std=1.0), series(6, 2, 4, True)
    posterior = rb.sample_posterior(one, y, draws=1, seed=3)
    forest = posterior.trees.select(np.zeros(2000, dtype=np.int64))
    normals = np.random.default_rng(0).standard_normal((len(forest.rules), 2, LANES))
    values = np.empty_like(normals)
    rows = np.stack([forest.rules, forest.splits, np.zeros_like(forest.rules)]).astype(np.int64)
    run_kernel(draw_values, problem_of(posterior.chart), rows, forest.sizes, np.zeros(2000, dtype=np.int64), normals, values)
    tree = rb.smooth(one, y, posterior.trees[0])
    drawn = values.reshape(2000, len(tree), 2, LANES).swapaxes(2, 3)
    for n, node in enumerate(tree.nodes):
        sample = drawn[:, n].reshape(-1, 2)
        np.testing.assert_allclose(sample.mean(axis=0), node.value, atol=6 * np.sqrt(np.diag(node.covariance).max() / 16000))
        np.testing.assert_allclose(np.cov(sample.T), node.covariance, rtol=0.08, atol=0.02)


@pytest.mark.parametrize("columns", [1, 2])
def test_regressors(columns: int) -> None:
    """Coefficients of the user's own columns: densities of all trees, and the gradient with respect to their deviations."""
    deviations = np.linspace(0.5, 1.5, 2 * columns).reshape(2, columns)
    one = model(columns, regressor_std=deviations, trend_std=1.0, coefficients=[0.5])
    y = Series(series(4, columns, 3, True), regressors=np.random.default_rng(0).normal(size=(4, 2)))
    for tree in dense.trees(one, 4):
        assert rb.log_joint(one, y, tree) == pytest.approx(dense.log_joint(one, y, tree), abs=1e-9)
    parameters = rb.Parameters(one)
    vector, (_, gradient) = parameters.vector(), rb.log_evidence_and_gradient(one, y)[:2]
    assert any("regressor_std" in name for name in parameters.names)
    for n in range(len(vector)):
        step = np.zeros_like(vector)
        step[n] = 1e-5
        up, down = (rb.inside(parameters.with_vector(vector + sign * step), y).log_evidence for sign in (1, -1))
        assert gradient[n] == pytest.approx((up - down) / 2e-5, rel=1e-5, abs=1e-6), parameters.names[n]
