"""Learning by draws: gradients of the exact evidence, and climbs on it, against sums over all trees."""

import numpy as np
import pytest

import recbayes as rb
from recbayes.errors import ModelError
from recbayes.reference import enumeration
from tests.learn.sampled import samples


def model_of(prior_mean: float = 0.3) -> rb.GaussianRBN:
    return rb.GaussianRBN.create(
        dim=2, prior_mean=prior_mean, noise_std=0.5, left_std=0.9, right_std=0.4, termination=0.55, shifts={0: 0.6, 1: 0.4}
    )


@pytest.mark.parametrize("components", [None, 1, 2])
def test_gradients_by_draws_are_those_of_the_exact_evidence(components: int | None) -> None:
    model, rng = model_of(), np.random.default_rng(5)
    series = [rng.normal(size=(length, 2)) for length in (3, 4)]
    parameters = rb.Parameters(model, covariance="scalar")

    def exact(vector: np.ndarray) -> float:
        one = parameters.with_vector(vector)
        return sum(enumeration.exact_log_evidence(one, y) for y in series)

    vector = parameters.vector()
    slopes = [(exact(vector + step) - exact(vector - step)) / 2e-4 for step in 1e-4 * np.eye(len(vector))]
    settings = {"parameters": parameters, "draws": 2000, "components": components}
    found = [rb.log_evidence_and_gradient(model, series, seed=seed, **settings) for seed in range(8)]  # type: ignore[arg-type]
    gradients = np.array([one.gradient for one in found])
    error = gradients.std(axis=0, ddof=1) / np.sqrt(len(found))
    np.testing.assert_array_less(np.abs(gradients.mean(axis=0) - slopes), 5.0 * error + 1e-3)
    assert error.max() < 0.05
    for one in found:
        assert one.log_evidence == pytest.approx(exact(vector), abs=5 * one.log_evidence_error + 1e-8)


def test_gradients_of_charts_and_draws_agree_where_charts_are_right() -> None:
    y = samples(1)[0][:12]
    model = rb.GaussianRBN.create(dim=2, noise_std=0.05, termination=0.6, extra_observations=3.0)
    chart, drawn = rb.log_evidence_and_gradient(model, y), rb.log_evidence_and_gradient(model, y, draws=2000)
    np.testing.assert_allclose(drawn.gradient, chart.gradient, atol=0.1 + 0.02 * np.abs(chart.gradient).max())
    assert chart.log_evidence_error == 0.0


def test_components_need_draws() -> None:
    with pytest.raises(ModelError, match="draws"):
        rb.log_evidence_and_gradient(model_of(), np.zeros((3, 2)), components=2)


@pytest.mark.slow
@pytest.mark.parametrize("climb", [rb.QuasiNewton(), rb.Adam(batch=3)], ids=["quasi-newton", "adam"])
def test_climbs_on_draws_reach_the_top_of_the_exact_evidence(climb: rb.QuasiNewton | rb.Adam) -> None:
    from scipy.optimize import minimize_scalar

    truth = rb.GaussianRBN.create(
        dim=3, prior_mean=[1.5, 0.0, -1.5], prior_std=0.3, left_std=0.3, right_std=0.3, noise_std=0.7, termination=0.55,
        shifts={0: 0.4, 1: 0.3, 2: 0.3},
    )  # fmt: skip
    series = [truth.sample(seed=seed, min_length=4, max_length=4)[0] for seed in range(5)]
    free = "x.rules[1].covariance"
    names = [block.name for block in rb.Parameters(truth, covariance="scalar").blocks]
    fixed = [name for name in names if name != free]
    settings = {"covariance": "scalar", "fixed": fixed, "priors": None, "standard_errors": False, "climb": climb}
    found = rb.fit(truth, series, exact=500, **settings)  # type: ignore[arg-type]
    parameters = rb.Parameters(truth, covariance="scalar", fixed=fixed)
    assert parameters.size == 1

    def loss(number: float) -> float:
        one = parameters.with_vector(np.array([number]))
        return -sum(enumeration.exact_log_evidence(one, y) for y in series)

    start = parameters.vector()[0]
    best = minimize_scalar(loss, bounds=(start - 2, start + 2), method="bounded", options={"xatol": 1e-2})
    assert -loss(parameters.vector(found.model)[0]) > -best.fun - 0.05
    assert found.log_likelihood == pytest.approx(-best.fun, abs=0.05 + 5 * found.log_likelihood_error)
    assert found.converged


def test_a_climb_on_draws_that_is_cut_short_keeps_what_it_has_reached() -> None:
    truth = model_of(1.0)
    series = [truth.sample(seed=seed, min_length=6, max_length=6)[0] for seed in range(3)]
    start = rb.GaussianRBN.create(dim=2, noise_std=2.0, termination=0.5, shifts={0: 0.5, 1: 0.5})
    settings = {"covariance": "scalar", "standard_errors": False, "restarts": 0, "tolerance": 1.0}
    whole = rb.fit(start, series, exact=100, **settings)  # type: ignore[arg-type]
    charts = rb.fit(start, series, exact=None, **settings)  # type: ignore[arg-type]
    most = len(charts.history) + (len(whole.history) - len(charts.history)) // 2
    found = rb.fit(start, series, exact=100, max_evaluations=most, **settings)  # type: ignore[arg-type]
    assert not found.converged
    assert "evaluations used" in found.reason
    assert found.gap is not None
    assert found.log_likelihood == pytest.approx(float(found.gap.drawn.sum()))
    assert np.abs(found.vector - charts.vector).max() > 1e-6  # type: ignore[operator]
