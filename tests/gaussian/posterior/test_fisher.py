"""The exact gradient of the log joint of data and trees, against finite differences."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import recbayes as rb
from recbayes.gaussian.chart.inside import Chart
from recbayes.gaussian.learn.quantities import slopes
from recbayes.gaussian.posterior.follow import joints_with, mean_gradient
from tests.random_models import one_variable, two_variables

pytestmark = pytest.mark.slow


def weighted_joint(chart: Chart, posterior: rb.Posterior, model: rb.GaussianRBN, weights: np.ndarray) -> float:
    other = rb.inside(model, chart.series)
    return float(weights @ joints_with(other, posterior.trees, posterior.prior_components))


@pytest.mark.filterwarnings("ignore::recbayes.errors.ApproximationWarning")  # any draws will do
@settings(max_examples=25)
@given(st.one_of(one_variable(), two_variables()), st.integers(0, 2**32 - 1), st.integers(1, 7), st.booleans())
def test_finite_differences(model: rb.GaussianRBN, seed: int, length: int, missing: bool) -> None:
    rng = np.random.default_rng(seed)
    y = rng.normal(size=(length, model.observed_dim))
    if missing:
        y[rng.random(y.shape) < 0.3] = np.nan
    parameters = rb.Parameters(model)
    model = parameters.with_vector(parameters.vector())  # references frozen
    try:
        posterior = rb.sample_posterior(model, y, draws=6, seed=0)
    except rb.LengthError:
        return
    chart = posterior.chart
    weights = rng.uniform(0.1, 1.0, size=6)
    gradient = mean_gradient(chart, posterior.trees, posterior.prior_components, weights)
    found = parameters.pull_back(model, slopes(model, gradient))
    vector = parameters.vector()
    for _ in range(3):  # directions in which every parameter moves: a slope that is wrong shows in all of them
        direction = rng.choice([-1.0, 1.0], size=len(vector)) * rng.uniform(0.5, 1.0, size=len(vector))
        high, low = (
            weighted_joint(chart, posterior, parameters.with_vector(vector + step * direction), weights)
            for step in (1e-5, -1e-5)
        )
        assert found @ direction == pytest.approx((high - low) / 2e-5, rel=1e-5, abs=1e-5 * (1 + np.abs(found).max()))
