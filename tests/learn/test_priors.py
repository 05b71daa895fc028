"""Priors of parameters: their densities, what they do for one series and for many, and starts that differ in kind."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import dirichlet, lognorm, norm

import recbayes as rb
from recbayes.checks.series import Series
from recbayes.errors import ModelError
from recbayes.gaussian.learn.starts import variation
from recbayes.gaussian.learn.units import units_of
from recbayes.learn.priors import log_prior, priors_of
from recbayes.learn.starts import broken_up
from tests.learn.sampled import samples
from tests.random_models import one_variable, two_variables

CHART = {"exact": None, "standard_errors": False}


def prepared(model: rb.GaussianRBN) -> tuple[rb.Parameters, object]:
    return rb.Parameters(model), units_of(model, [Series(np.random.default_rng(0).normal(size=(5, model.observed_dim)))])


@settings(max_examples=30)
@given(st.one_of(one_variable(), two_variables()))
def test_gradients(model: rb.GaussianRBN) -> None:
    parameters, units = prepared(model)
    priors = priors_of("weak", parameters, units)
    assert set(priors) == {block.name for block in parameters.blocks}
    vector = parameters.vector() + 0.1
    _, slope = log_prior(parameters, vector, priors)
    for number in range(len(vector)):
        step = 1e-6 * np.eye(len(vector))[number]
        high, low = (log_prior(parameters, vector + sign * step, priors)[0] for sign in (1, -1))
        assert slope[number] == pytest.approx((high - low) / 2e-6, rel=1e-5, abs=1e-6)


def test_densities_are_those_of_scipy() -> None:
    """Differences of log densities; log-normal ones are of the logarithms."""
    model = rb.GaussianRBN.create(dim=2, noise_std=0.1, termination=0.6, extra_observations=3.0)
    parameters, units = prepared(model)
    given_priors = {
        "x.rules[1].std": rb.LogNormal(0.2, 0.7),
        "x.rules": rb.Dirichlet(1.5),
        "prior.components[0].mean": rb.Normal([0.5, 1.0], 2.0),
    }
    priors = priors_of({**given_priors, "*link*": None, "*length*": None, "prior.*.std": None}, parameters, units)
    first, second = parameters.vector(), parameters.vector() + 0.3
    found = log_prior(parameters, second, priors)[0] - log_prior(parameters, first, priors)[0]

    def right(vector: np.ndarray) -> float:
        one = parameters.with_vector(vector)
        std = np.sqrt(one.variables[0].rules[1].covariance[0, 0])
        chances = [rule.probability for rule in one.variables[0].rules]
        total = lognorm(s=0.7, scale=0.2).logpdf(std) + np.log(std)
        total += dirichlet([2.5, 2.5]).logpdf(chances)
        return total + norm([0.5, 1.0], 2.0).logpdf(one.prior.components[0].mean).sum()

    assert found == pytest.approx(right(second) - right(first), abs=1e-9)


def test_wrong_priors() -> None:
    model, series = rb.GaussianRBN.create(dim=2, noise_std=0.1), [np.zeros((3, 2))]
    for priors, words in (
        ("strong", '"weak", None'),
        ({"nobody": None}, "no parameter matches"),
        ({"x.rules": rb.Normal(0.0, 1.0)}, "must be a Dirichlet"),
        ({"prior.*.mean": rb.Normal([0.0] * 3, 1.0)}, "one number, or 2"),
    ):
        with pytest.raises(ModelError, match=words):
            rb.fit(model, series, priors=priors)  # type: ignore[arg-type]
    for make in (lambda: rb.LogNormal(-1.0, 1.0), lambda: rb.Normal(0.0, 0.0), lambda: rb.Dirichlet(-1.0)):
        with pytest.raises(ModelError):
            make()


@pytest.mark.slow
def test_many_series_hardly_notice() -> None:
    series = samples(60)
    start = rb.GaussianRBN.guess(series, shifts={0: 0.5, 1: 0.5})
    plain = rb.fit(start, series, covariance="scalar", priors=None, restarts=0, exact=None)
    weak = rb.fit(start, series, covariance="scalar", restarts=0, exact=None)
    moved = [abs(a.estimate - b.estimate) / a.standard_error for a, b in zip(plain.table, weak.table, strict=True)]
    assert max(moved) < 0.1


@pytest.mark.slow
def test_one_series_has_a_stable_estimate() -> None:
    """The change of the Nile is found from any seed, and no deviation collapses."""
    y = rb.data.nile().values[:-1]
    found = [rb.fit(None, y, covariance="diagonal", seed=seed, **CHART) for seed in range(2)]
    assert found[0].log_likelihood == pytest.approx(found[1].log_likelihood, abs=0.1)
    for one in found:
        assert len(rb.sample_posterior(one.model, y, draws=200, seed=0).tree().leaves) == 2
        assert min(row.estimate for row in one.table if row.name.endswith("std")) > 0.1 * np.std(y)
    plain = rb.fit(None, y, covariance="diagonal", priors=None, **CHART)
    assert plain.log_likelihood > -633.5  # restarts around one start once ended there, or at -651 without them


def test_starts_differ_in_kind() -> None:
    model = rb.GaussianRBN.create(dim=3, noise_std=0.1, shifts={0: 0.5, 1: 0.3, 2: 0.2}, extra_observations=4.0)
    found = [variation(model, number, np.random.default_rng(number)) for number in range(12)]

    def of(one: rb.GaussianRBN) -> tuple[float, float, float]:
        split, emit = one.variables[0].rules
        links = np.sqrt(split.left_link.covariance[0, 0] / split.right_link.covariance[0, 0])
        return links, emit.length.rate, max(split.shifts.values())

    links, rates, largest = np.array([of(one) for one in found]).T
    assert links.min() < 0.2
    assert links.max() > 5.0
    assert rates.min() < 2.0
    assert rates.max() > 8.0
    assert largest.max() > 0.8
    assert largest.min() == 0.5


def test_flat_means_are_broken_up() -> None:
    """Where all dimensions are rotated into each other, a flat mean has equal slopes, and stays flat for ever."""
    shifts = {step: 0.25 for step in range(4)}
    model = rb.GaussianRBN.create(dim=4, noise_std=0.3, prior_mean=0.0, prior_std=0.5, shifts=shifts)
    parameters = rb.Parameters(model)
    slope = np.ones(parameters.size)
    moved = parameters.with_vector(broken_up(parameters, parameters.vector(), slope, np.ones(parameters.size), 0))
    assert np.ptp(moved.prior.components[0].mean) > 0.05
    slope[-1] = 2.0
    kept = parameters.with_vector(broken_up(parameters, parameters.vector(), slope, np.ones(parameters.size), 0))
    assert kept.to_data() == parameters.with_vector(parameters.vector()).to_data()


def test_noise_that_series_bring_is_not_learnt() -> None:
    model = rb.GaussianRBN.create(dim=1, noise_std=0.1)
    values = np.random.default_rng(0).normal(size=(6, 1))
    series = [Series(values, noise_covariance=np.full((6, 1, 1), 0.04))]
    found = rb.fit(model, series, max_evaluations=4, **CHART)
    assert "x.rules[1].std" not in [row.name for row in found.table]
    assert "x.rules[1].std" in [row.name for row in rb.fit(model, [values], max_evaluations=4, **CHART).table]
