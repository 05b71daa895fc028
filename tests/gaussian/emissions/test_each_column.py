"""Leaves whose columns have members of the bank of their own, against sums over all of them."""

import warnings
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import logsumexp

import recbayes as rb
from recbayes.checks.series import as_series
from recbayes.gaussian.emissions.nearest import Expected, nearest
from recbayes.gaussian.emissions.one_leaf import one_column
from recbayes.gaussian.posterior.leaves import belief, leaf_parts
from tests.gaussian.emissions import dense
from tests.gaussian.emissions.test_leaf import model, series

BANK = {"noise_levels": [0.5, 2.0], "coefficients": [0.0, 0.8], "weights": [[0.1, 0.2], [0.3, 0.4]], "each_column": True}
KINDS = {
    "level": BANK,
    "trend": {**BANK, "trend_std": 2.0},
    "season": {"noise_levels": [0.5, 2.0], "periods": [3.0], "season_std": 1.5, "harmonics": 1, "each_column": True},
    "outliers": {
        "noise_levels": [0.5, 2.0],
        "coefficients": [0.6],
        "outlier_probability": 0.2,
        "outlier_std": 5.0,
        "each_column": True,
    },
}


@pytest.mark.parametrize("kind", KINDS)
def test_draws_have_the_exact_probabilities(kind: str) -> None:
    length = 3 if kind != "outliers" else 2
    one, y = model(2, **KINDS[kind]), series(length, 2, 5, kind != "outliers")
    trees = dense.trees(one, length)
    joints = np.array([dense.log_joint(one, as_series(y, 2), tree) for tree in trees])
    found = rb.sample_posterior(one, y, draws=6000, seed=1)
    assert found.log_evidence == pytest.approx(logsumexp(joints), abs=5 * found.log_evidence_error)
    assert found.log_evidence_error < 0.03
    drawn = dict.fromkeys(trees, 0.0)
    for tree, weight in zip(found.trees, found.weights, strict=True):
        drawn[tree] += weight
    for tree, share in zip(trees, np.exp(joints - logsumexp(joints)), strict=True):
        assert drawn[tree] == pytest.approx(share, abs=5 * np.sqrt(share / found.effective_sample_size) + 1e-3)


def test_members_have_the_exact_probabilities() -> None:
    """Of a tree with one leaf: the posterior of each column's member, and the level, by enumeration."""
    leaf = rb.Leaf(1.0, [0.5, 0.8], rb.LengthTable([0, 0, 1.0]), noise_levels=[0.3, 1.0, 4.0], each_column=True)
    prior = rb.Prior("x", (rb.Component(np.array([0.3, -0.2]), np.diag([2.0, 0.5])),))
    one = rb.GaussianRBN((rb.Variable("x", 2, (leaf,)),), prior)
    y = np.array([[0.1, 3.0], [0.3, -2.0], [0.2, 1.0]])
    posterior = rb.sample_posterior(one, y, draws=8000, seed=0)
    found = belief(leaf_parts(posterior, posterior.weights)[0, 3])
    for d in range(2):
        alone = rb.Prior(
            "x", (rb.Component(prior.components[0].mean[d : d + 1], prior.components[0].covariance[d : d + 1, d : d + 1]),)
        )
        checked = one.variables[0].rules[0]
        logs, means = [], []
        for member in checked.bank:
            plain = rb.GaussianRBN((rb.Variable("x", 1, (one_column(member.emission, d),)),), alone)
            tree = rb.Tree([rb.Node(0, 3)], [0])
            logs.append(rb.log_joint(plain, y[:, d : d + 1], tree))
            means.append(rb.smooth(plain, y[:, d : d + 1], tree).nodes[0].value[0])
        shares = np.exp(np.array(logs) - logsumexp(logs))
        levels = np.array([0.3, 1.0, 4.0]) * checked.noise_std[d]
        assert found.noise.mean[d] == pytest.approx(shares @ levels, rel=0.03)
        assert found.level.mean[d] == pytest.approx(shares @ np.array(means), abs=0.03)


@settings(max_examples=50)
@given(st.integers(1, 6), st.integers(0, 10**6))
def test_the_nearest_potential_has_the_moments_of_the_mixture(count: int, seed: int) -> None:
    """Against integrals by quadrature."""
    rng = np.random.default_rng(seed)
    potentials = np.stack([rng.normal(size=count), rng.normal(size=count), rng.uniform(0.5, 4.0, count)], axis=1)
    weights = rng.dirichlet(np.ones(count))
    centre, variance = rng.normal(), rng.uniform(0.5, 9.0)
    expected = Expected(np.array([centre]), np.array([variance]))
    height, mode, precision = nearest(potentials[:, :, None, None], weights, expected)[:, 0, 0]

    def moments(potential: Callable[[float], float]) -> np.ndarray:
        """Of a function times the density of what is expected: mass, mean and variance."""

        def weighed(u: float, power: int) -> float:
            return float(u**power * potential(u) * np.exp(-0.5 * (u - centre) ** 2 / variance))

        mass, first, second = (quad(weighed, -25, 25, args=(power,), limit=200)[0] for power in range(3))
        return np.array([mass, first / mass, second / mass - (first / mass) ** 2])

    right = moments(lambda u: weights @ np.exp(potentials[:, 0] - 0.5 * potentials[:, 2] * (u - potentials[:, 1]) ** 2))
    found = moments(lambda u: np.exp(height - 0.5 * precision * (u - mode) ** 2))
    np.testing.assert_allclose(found, right, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("kind", ["level", "trend", "season"])
def test_gradients(kind: str) -> None:
    one, y = model(2, **KINDS[kind]), series(6, 2, 3, True)
    _, gradient = rb.log_evidence_and_gradient(one, y)[:2]
    parameters = rb.Parameters(one)
    vector = parameters.vector()
    assert any("weights" in name for name in parameters.names)
    for n in range(len(vector)):
        step = np.zeros_like(vector)
        step[n] = 1e-5
        up, down = (rb.inside(parameters.with_vector(vector + sign * step), y).log_evidence for sign in (1, -1))
        assert gradient[n] == pytest.approx((up - down) / 2e-5, rel=1e-5, abs=1e-6), parameters.names[n]


def test_samples_say_what_each_column_took(tmp_path) -> None:
    one = model(2, rb.OnePlusPoisson(4.0), **KINDS["trend"])
    _, tree = one.sample(seed=3, min_length=20)
    own = [leaf.own for leaf in tree.leaves]
    assert {tuple(leaf["noise"] / one.variables[0].rules[1].noise_std) for leaf in own} <= {
        (a, b) for a in (0.5, 2.0) for b in (0.5, 2.0)
    }
    assert any(leaf["coefficient"][0] != leaf["coefficient"][1] for leaf in own)
    assert "member" not in own[0]
    one.save(tmp_path / "model.json")
    assert rb.load(tmp_path / "model.json").to_data() == one.to_data()
    assert not model(1, **BANK).variables[0].rules[1].each_column  # one column has nothing to share


def test_columns_that_nobody_has_seen() -> None:
    y = np.stack([np.arange(4.0), np.full(4, np.nan)], axis=1)
    both, alone = model(2, **BANK), model(1, **{**BANK, "each_column": False})
    one, two = rb.sample_posterior(both, y, draws=4000, seed=0), rb.sample_posterior(alone, y[:, :1], draws=4000, seed=0)
    error = 5 * np.hypot(one.log_evidence_error, two.log_evidence_error)
    assert one.log_evidence == pytest.approx(two.log_evidence, abs=error + 1e-6)


@st.composite
def not_gaussian(draw: st.DrawFn) -> tuple[rb.GaussianRBN, np.ndarray]:
    """Small models whose leaves have outliers, or columns with members of their own, and data that are far from expected."""
    columns, rng = draw(st.integers(1, 2)), np.random.default_rng(draw(st.integers(0, 10**6)))
    length = draw(st.integers(1, 5 - columns))
    kind: dict[str, object] = {"trend_std": rng.uniform(0.5, 3.0)} if draw(st.booleans()) else {}
    if draw(st.booleans()):
        kind |= {"coefficients": [rng.uniform(0.2, 0.9)], "start_std": 1.0}
    if draw(st.booleans()):
        kind |= {"noise_levels": [0.4, 1.5], "each_column": draw(st.booleans())}
    kind |= {"outlier_probability": draw(st.sampled_from([0.01, 0.05, 0.2])), "outlier_std": rng.uniform(2.0, 6.0)}
    y = 2.0 * rng.normal(size=(length, columns)) * rng.choice([1, 1, 4], size=(length, 1))
    y[rng.random(y.shape) < 0.1] = np.nan
    y[0, 0] = rng.normal()
    return model(columns, **kind), y


@pytest.mark.slow
@settings(max_examples=60)
@given(not_gaussian())
def test_draws_do_not_miss(problem: tuple[rb.GaussianRBN, np.ndarray]) -> None:
    """Within five stated errors of the sums over all trees, members and outliers, or there is a warning."""
    one, y = problem
    trees = dense.trees(one, len(y))
    joints = np.array([dense.log_joint(one, as_series(y, y.shape[1]), tree) for tree in trees])
    shares = np.exp(joints - logsumexp(joints))
    right = np.zeros((len(y) + 1, len(y) + 1))
    for tree, share in zip(trees, shares, strict=True):
        for span in tree.spans:
            right[span] += share
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rb.ApproximationWarning)
        found = rb.sample_posterior(one, y, draws=2000, seed=0)
    if found.complaint:
        return
    assert found.log_evidence == pytest.approx(logsumexp(joints), abs=5 * found.log_evidence_error + 1e-3)
    assert (np.abs(found.node_probability - right) <= 5 * np.maximum(found.node_probability_error, 1e-3)).all()
    best = int(joints.argmax())
    assert rb.log_joint(one, y, trees[best]) == pytest.approx(joints[best], abs=0.15)
