"""Bayesian change points against the sum over all segmentations."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp
from scipy.stats import multivariate_normal, poisson

from recbayes.studies.bayesian_change_points import SegmentModel, fit_segment_model, segment_ends
from tests.studies.series import jumping_series


def enumerate_segmentations(model: SegmentModel, values: np.ndarray) -> tuple[float, np.ndarray]:
    """The log evidence and boundary probabilities, segment by segment from the joint density of its observations."""
    length = len(values)
    logs, places = [], []
    for count in range(length):
        for inner in combinations(range(1, length), count):
            edges = [0, *inner, length]
            total = 0.0
            for start, end in pairwise(edges):
                n = end - start
                covariance = model.noise**2 * np.eye(n) + model.spread**2
                total += model.eagerness + poisson.logpmf(n - 1, model.rate)
                for column, mean in enumerate(model.mean):
                    total += multivariate_normal.logpdf(values[start:end, column], np.full(n, mean), covariance)
            logs.append(total)
            places.append(np.isin(np.arange(length + 1), edges))
    evidence = float(logsumexp(logs))
    return evidence, np.exp(np.array(logs) - evidence) @ np.array(places, dtype=float)


@given(
    jumping_series(2, 8, columns=2),
    st.floats(0.1, 3.0),
    st.floats(0.05, 1.0),
    st.floats(0.5, 6.0),
    st.sampled_from([0.0, 2.0, -1.0]),
)
@settings(max_examples=30, deadline=None)
def test_all_segmentations(values: np.ndarray, spread: float, noise: float, rate: float, eagerness: float) -> None:
    model = SegmentModel(np.array([0.3, -0.2]), spread, noise, rate, eagerness)
    evidence, boundaries = enumerate_segmentations(model, values)
    assert model.log_evidence(values) == pytest.approx(evidence, rel=1e-9, abs=1e-8)
    np.testing.assert_allclose(model.boundary_probability(values), boundaries, atol=1e-8)


def test_parameters_are_found() -> None:
    random = np.random.default_rng(1)
    series = []
    for _ in range(60):
        sizes = 1 + random.poisson(4.0, 8)
        levels = random.normal([1.0, -1.0], 1.5, (8, 2))
        series.append(np.repeat(levels, sizes, axis=0) + random.normal(0.0, 0.2, (sizes.sum(), 2)))
    found = fit_segment_model(series)
    assert found.noise == pytest.approx(0.2, rel=0.03)
    assert found.spread == pytest.approx(1.5, rel=0.1)
    assert found.rate == pytest.approx(4.0, rel=0.1)
    np.testing.assert_allclose(found.mean, [1.0, -1.0], atol=0.3)


def test_ends() -> None:
    assert segment_ends(np.array([1.0, 0.2, 0.5, 0.49, 1.0]), 0.5) == [2, 4]
    assert segment_ends(np.array([1.0, 1.0]), 0.5) == [1]
