"""The oracle on a grid, against what is known of Gaussian models by other means."""

import numpy as np
import pytest

import recbayes as rb
from recbayes.reference.enumeration import exact_log_evidence
from recbayes.reference.grid import grid_chart
from tests.gaussian.posterior.exact import enumerate_all

GRID = np.linspace(-9.0, 9.0, 721)


def gaussian(extra: float | None) -> rb.GaussianRBN:
    return rb.GaussianRBN.create(
        1, prior_std=1.5, left_std=0.6, right_std=0.9, noise_std=0.5, termination=0.6, extra_observations=extra
    )


@pytest.mark.parametrize("extra", [None, 1.5])
def test_gaussian_models(extra: float | None) -> None:
    model = gaussian(extra)
    y = np.array([[0.3], [1.4], [np.nan], [-0.8], [2.0]])
    chart = grid_chart(model.to_general(), y, GRID)
    assert chart.log_evidence == pytest.approx(exact_log_evidence(model, y), abs=1e-8)
    exact = enumerate_all(model, y)
    assert exact is not None
    np.testing.assert_allclose(chart.node_probability, exact.node_probability, atol=1e-8)


def test_draws_of_longer_series() -> None:
    """Node probabilities and values at N = 12, within errors."""
    model = gaussian(1.5)
    y, _ = model.sample(seed=2, min_length=12, max_length=12)
    chart = grid_chart(model.to_general(), y, GRID)
    posterior = rb.sample_posterior(model, y, draws=4000, seed=0)
    errors = np.maximum(posterior.node_probability_error, 1e-3)
    assert (np.abs(posterior.node_probability - chart.node_probability) < 5.0 * errors).all()
    assert posterior.log_evidence == pytest.approx(chart.log_evidence, abs=5.0 * posterior.log_evidence_error + 1e-6)
    likely = np.argwhere(chart.node_probability > 0.3)
    for start, end in likely.tolist():
        assert posterior.latent(start, end).mean[0] == pytest.approx(chart.mean[start, end], abs=0.1)


def test_what_it_is_for() -> None:
    with pytest.raises(rb.ModelError, match="one one-dimensional variable"):
        grid_chart(rb.GaussianRBN.create(2).to_general(), np.zeros((2, 2)), GRID)
