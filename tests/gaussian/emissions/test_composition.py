"""Shares and counts: evidence by all trees of their logarithms, slopes, learning, and the noise of Dirichlet likelihoods."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

import recbayes as rb
from recbayes.checks.series import Series, as_series
from recbayes.gaussian.emissions.composition import shares_of
from recbayes.gaussian.posterior.careful import careful_log_joint
from recbayes.reference.enumeration import exact_log_evidence

RESOLUTION = 0.02


def model(
    columns: int = 3,
    pseudo_count: float = 0.1,
    noise: float = 0.5,
    length: rb.OnePlusPoisson | None = None,
    own: np.ndarray | None = None,
) -> rb.GaussianRBN:
    covariance = noise**2 * (0.7 * np.eye(columns) + 0.3)
    length = length or rb.OnePlusPoisson(1.0)
    emit = rb.Composition(0.55, covariance, pseudo_count, length, RESOLUTION, own_covariance=own)
    shifts = {(0, 0): 0.7, (1, 0): 0.3} if columns > 1 else {(0, 0): 1.0}
    split = rb.Split(0.45, "x", "x", rb.Link(0.3 * np.eye(columns)), rb.Link(0.1 * np.eye(columns)), shifts)
    mean = np.log(np.linspace(0.5, 0.1, columns))
    return rb.GaussianRBN(
        (rb.Variable("x", columns, (split, emit)),), rb.Prior("x", (rb.Component(mean, 0.5 * np.eye(columns)),))
    )


def shares(length: int, columns: int, seed: int, missing: bool = True) -> np.ndarray:
    rng = np.random.default_rng(seed)
    y = rng.dirichlet(np.full(columns, 0.7), size=length)
    y[rng.random(y.shape) < 0.2] = 0.0
    if missing:
        y[rng.random(y.shape) < 0.2] = np.nan
    return y


def in_logarithms(of: rb.GaussianRBN) -> rb.GaussianRBN:
    split, emit = of.variables[0].rules
    plain = rb.Emit(emit.probability, emit.covariance, emit.length)
    return rb.GaussianRBN((rb.Variable("x", of.variables[0].dim, (split, plain)),), of.prior)


@settings(max_examples=15)
@given(st.integers(1, 3), st.integers(1, 4), st.integers(0, 10**6), st.floats(0.01, 2.0))
def test_evidence_is_that_of_logarithms_and_of_steps(columns: int, length: int, seed: int, pseudo_count: float) -> None:
    """Of the middles of steps, with the variance of a uniform number in each; densities by the steps' widths."""
    one, y = model(columns, pseudo_count), shares(length, columns, seed)
    low, high = (np.log(y + pseudo_count + steps * RESOLUTION) for steps in (1.0, 2.0))
    uniform = np.nan_to_num((high - low) ** 2 / 12.0, nan=1.0)
    noise = one.variables[0].rules[1].covariance + uniform[:, :, None] * np.eye(columns)
    plain, logs = in_logarithms(one), Series((low + high) / 2.0, noise)
    densities = np.nansum(np.log((high - low) / RESOLUTION))
    right = exact_log_evidence(plain, logs) + densities
    drawn = rb.sample_posterior(one, y, draws=50, seed=0)
    assert drawn.log_evidence == pytest.approx(right, abs=max(1e-8, 6.0 * drawn.log_evidence_error))
    tree = drawn.tree()
    assert rb.log_joint(one, y, tree) == pytest.approx(rb.log_joint(plain, logs, tree) + densities)
    assert careful_log_joint(one, as_series(y, columns), tree) == pytest.approx(rb.log_joint(one, y, tree), abs=1e-8)


@pytest.mark.parametrize(("pseudo_count", "at"), [(0.05, 0.0), (0.05, 0.3), (1.0, 0.0)])
def test_a_step_has_its_probability(pseudo_count: float, at: float) -> None:
    """Against the probability that a normal number lies in it, summed over all values."""
    one = model(1, pseudo_count, noise=0.2)
    emit = one.variables[0].rules[1]
    x = np.linspace(-8.0, 4.0, 4001)
    low, high = (np.log(at + pseudo_count + steps * RESOLUTION) for steps in (1.0, 2.0))
    right = norm.cdf((high - x) / 0.2) - norm.cdf((low - x) / 0.2)
    height, mode, precision = emit.observe(as_series([[at]], 1), 1)
    found = RESOLUTION * np.exp(height[0] - 0.5 * precision[0, 0, 0] * (x - mode[0, 0]) ** 2)
    assert found.sum() == pytest.approx(right.sum(), rel=1e-6)
    np.testing.assert_allclose(found, right, atol=0.02 * right.max())


@settings(max_examples=25)
@given(st.integers(1, 3), st.integers(2, 6), st.integers(0, 10**6), st.booleans())
def test_leaves_with_values_of_their_own(columns: int, length: int, seed: int, singular: bool) -> None:
    """As good as links that have the leaves' covariance as well: y = x + b + e, whoever b belongs to."""
    rng = np.random.default_rng(seed)
    own = random_covariance(rng, columns, columns - 1 if singular else columns)
    links = [random_covariance(rng, columns, columns) for _ in range(3)]
    emit = model(columns).variables[0].rules[1]

    def of(extra: np.ndarray, own: np.ndarray | None) -> rb.GaussianRBN:
        """One leaf, or two."""
        leaf = replace(emit, probability=1.0, own_covariance=own)
        two = rb.Split(1.0, "leaf", "leaf", rb.Link(links[0] + extra), rb.Link(links[1] + extra))
        parts = rb.Variable("two", columns, (two,)), rb.Variable("leaf", columns, (leaf,))
        roots = [rb.Component(np.full(columns, -1.0), links[2] + more, 0.5, {0: 1.0}, name) for name, more in of_root(extra)]
        return rb.GaussianRBN(parts, rb.Prior("two", tuple(roots)))

    def of_root(extra: np.ndarray) -> list[tuple[str, np.ndarray]]:
        return [("two", np.zeros((columns, columns))), ("leaf", extra)]

    y = shares(length, columns, seed)
    apart, together = of(np.zeros((columns, columns)), own), of(own, None)
    found, right = (rb.sample_posterior(one, y, draws=100, seed=0) for one in (apart, together))
    assert found.log_evidence == pytest.approx(right.log_evidence, abs=1e-8)
    np.testing.assert_allclose(found.node_probability, right.node_probability, atol=1e-8)
    assert rb.inside(apart, y).log_evidence == pytest.approx(rb.inside(together, y).log_evidence, abs=1e-8)
    tree = found.tree()
    assert rb.log_joint(apart, y, tree) == pytest.approx(rb.log_joint(together, y, tree), abs=1e-8)
    assert careful_log_joint(apart, as_series(y, columns), tree) == pytest.approx(rb.log_joint(apart, y, tree), abs=1e-8)


def random_covariance(rng: np.random.Generator, size: int, rank: int) -> np.ndarray:
    factor = rng.normal(size=(size, rank))
    return 0.3 * factor @ factor.T


def test_leaves_of_a_sample_share_what_is_theirs() -> None:
    """Variances between leaves and within them are those that were asked for."""
    one = model(1, pseudo_count=1.0, noise=0.05, length=rb.LengthTable((0.0, 1.0)), own=np.array([[0.09]]))
    emit = one.variables[0].rules[1]
    rng = np.random.default_rng(0)
    leaves = np.array([emit.sample(rng, np.array([5.0]), 2, np.empty((0, 1))).rows[:, 0] for _ in range(4000)])
    logs = np.log(leaves + 1.0)
    assert logs.mean(axis=1).var() == pytest.approx(0.09 + 0.05**2 / 2, rel=0.1)
    assert logs.var(axis=1, ddof=1).mean() == pytest.approx(0.05**2, rel=0.1)


@pytest.mark.parametrize("own", [None, 0.3 * np.eye(3) + 0.1])
def test_slopes(own: np.ndarray | None) -> None:
    one = model(own=own)
    y = [shares(5, 3, seed) for seed in range(2)]
    parameters = rb.Parameters(one, covariance="full")
    found = rb.log_evidence_and_gradient(one, y, parameters=parameters)
    vector = parameters.vector()
    for n in range(len(vector)):
        step = np.zeros(len(vector))
        step[n] = 1e-5
        up, down = (
            sum(chart.log_evidence for chart in rb.inside(parameters.with_vector(vector + sign * step), y))
            for sign in (1.0, -1.0)
        )
        assert found.gradient[n] == pytest.approx((up - down) / 2e-5, abs=1e-6, rel=1e-6)


@pytest.mark.slow
def test_the_pseudo_count_is_learnt() -> None:
    """Where few are zero: those are taken to lie in the first step, though all that would be less is recorded there."""
    split, emit = model(pseudo_count=0.5, noise=0.2, length=rb.OnePlusPoisson(3.0)).variables[0].rules
    prior = rb.Prior("x", (rb.Component(np.log([4.0, 3.0, 2.0]), 0.1 * np.eye(3)),))
    truth = rb.GaussianRBN((rb.Variable("x", 3, (split, emit)),), prior)
    series = [truth.sample(seed=seed, min_length=5, max_length=20)[0] for seed in range(20)]
    for begin in (0.05, 5.0):
        start = rb.GaussianRBN((rb.Variable("x", 3, (split, replace(emit, pseudo_count=begin))),), truth.prior)
        found = rb.fit(start, series, restarts=0, covariance="scalar", exact=None, fixed=["prior.*", "*shifts"])
        row = next(row for row in found.table if row.name.endswith("pseudo_count"))
        assert abs(row.estimate - 0.5) < 3.0 * row.standard_error < 0.5


@pytest.mark.parametrize("own", [None, 0.3 * np.eye(3) + 0.1])
def test_saving_sampling_and_shares(tmp_path: Path, own: np.ndarray | None) -> None:
    one = model(own=own)
    one.save(tmp_path / "model.json")
    again = rb.load(tmp_path / "model.json")
    y, tree = one.sample(seed=1, min_length=3, max_length=9)
    assert (y >= 0.0).all()
    assert rb.log_joint(again, y, tree) == rb.log_joint(one, y, tree)
    emit = one.variables[0].rules[1]
    right = np.array([[0.7, 0.2, 0.1], [0.0, 0.5, 0.5]])
    np.testing.assert_allclose(shares_of(emit, np.log(right + emit.pseudo_count + RESOLUTION)), right, atol=1e-12)
    np.testing.assert_allclose(shares_of(emit, np.full(3, -50.0)), 1.0 / 3.0)


def test_what_is_no_composition() -> None:
    with pytest.raises(rb.DataError, match=r"row 1, column 2 is -0\.1"):
        rb.inside(model(), [[0.1, 0.2, 0.7], [0.5, 0.6, -0.1]])
    with pytest.raises(rb.DataError, match="noise of its own"):
        rb.inside(model(), Series(np.ones((2, 3)), np.ones((2, 3))))
    with pytest.raises(rb.ModelError, match="pseudo_count"):
        model(pseudo_count=0.0)


@settings(max_examples=15)
@given(st.integers(1, 2), st.integers(1, 4), st.integers(0, 10**6), st.floats(0.1, 5.0))
def test_noise_of_a_series_is_multiplied_and_added_to(columns: int, length: int, seed: int, factor: float) -> None:
    """The same as a series that has this noise."""
    rng = np.random.default_rng(seed)
    y = rng.normal(size=(length, columns))
    y[rng.random(y.shape) < 0.2] = np.nan
    noise = rng.uniform(0.2, 2.0, size=(length, columns))
    both = in_logarithms(model(columns))
    split, emit = both.variables[0].rules
    with_factor = rb.GaussianRBN((rb.Variable("x", columns, (split, replace(emit, noise_factor=factor))),), both.prior)
    summed = factor * noise[:, :, None] * np.eye(columns) + emit.covariance
    right = rb.inside(both, Series(y, summed))
    assert rb.inside(with_factor, Series(y, noise)).log_evidence == pytest.approx(right.log_evidence, abs=1e-9)
    tree = rb.best_tree(right)
    assert careful_log_joint(with_factor, as_series(Series(y, noise), columns), tree) == pytest.approx(
        rb.log_joint(both, Series(y, summed), tree), abs=1e-8
    )


def test_slopes_of_the_factor() -> None:
    rng = np.random.default_rng(0)
    series = Series(rng.normal(size=(5, 2)), rng.uniform(0.2, 2.0, size=(5, 2)))
    split, emit = in_logarithms(model(2)).variables[0].rules
    one = rb.GaussianRBN((rb.Variable("x", 2, (split, replace(emit, noise_factor=0.7))),), in_logarithms(model(2)).prior)
    parameters = rb.Parameters(one, covariance="full")
    found, vector = rb.log_evidence_and_gradient(one, series, parameters=parameters), parameters.vector()
    names = [block.name for block in parameters.blocks]
    assert any(name.endswith("noise_factor") for name in names)
    for n in range(len(vector)):
        step = np.zeros(len(vector))
        step[n] = 1e-5
        up, down = (rb.inside(parameters.with_vector(vector + sign * step), series).log_evidence for sign in (1.0, -1.0))
        assert found.gradient[n] == pytest.approx((up - down) / 2e-5, abs=1e-6, rel=1e-6)


def test_dirichlet_noise_is_that_of_gamma_variables() -> None:
    """Mean and variance of the log-normal distribution are those of the Gamma distribution (Milios et al.)."""
    counts = np.array([[3.0, 1.0, 0.0], [0.0, 2.0, 2.0], [np.nan, np.nan, np.nan]])
    found = rb.data.dirichlet_series(counts, pseudo_count=1.0, concentration=5.0)
    a = 5.0 * (counts[:2] + 1.0) / (counts[:2] + 1.0).sum(axis=1, keepdims=True)
    mu, s = found.values[:2], found.noise_covariance[:2]
    np.testing.assert_allclose(np.exp(mu + s / 2), a)
    np.testing.assert_allclose(np.expm1(s) * np.exp(2 * mu + s), a)
    assert np.isnan(found.values[2]).all()
    with pytest.raises(rb.DataError, match="pseudo_count"):
        rb.data.dirichlet_series(counts, pseudo_count=0.0)


def test_maps_that_are_not_square() -> None:
    """Leaves' own values have the dimensions of the node's, whatever the columns."""
    emit = rb.Composition(0.6, 0.2 * np.eye(3), 0.1, map=np.eye(3)[:, :2], own_covariance=0.3 * np.eye(2))
    split = rb.Split(0.4, "x", "x", rb.Link(0.1 * np.eye(2)), rb.Link(0.1 * np.eye(2)))
    prior = rb.Prior("x", (rb.Component(np.zeros(2), np.eye(2)),))
    one = rb.GaussianRBN((rb.Variable("x", 2, (split, emit)),), prior)
    for structure in ("keep", "diagonal", "full"):
        fit = rb.fit(one, [shares(6, 3, 0), shares(5, 3, 1)], covariance=structure, max_evaluations=3, restarts=0)
        assert np.isfinite(fit.log_likelihood)
