"""Segmentations without a tree: evidence of spans by two ways, and boundaries against all segmentations."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

import recbayes as rb
from recbayes.checks.series import Series
from recbayes.gaussian.chart.flat import boundary_probability, span_evidence

MEAN, VARIANCE = np.array([0.3]), np.array([2.0])


def bank(**more: object) -> rb.Leaf:
    kinds = {"noise_levels": [0.5, 2.0], "coefficients": [0.0, 0.7], "trend_std": 1.5, "start_std": 0.8}
    return rb.Leaf(1.0, 0.6, rb.Geometric(3.0), **{**kinds, **more}).checked("leaf", 1)


def data(length: int) -> Series:
    rng = np.random.default_rng(4)
    y = rng.normal(size=(length, 1)) * 2
    y[[0, 5]] = np.nan
    y[8] += 9.0
    return Series(y)


@pytest.mark.parametrize("more", [{}, {"trend_std": None}, {"outlier_probability": 0.02, "outlier_std": 4.0}])
def test_all_members_at_once_are_what_they_are_one_by_one(more: dict) -> None:
    """The kernel for banks against the general one, of which season makes use: harmonics of no size change nothing."""
    series, positions = data(17), np.arange(18)
    fast, total = span_evidence(bank(**more), series, positions, MEAN, VARIANCE)
    general = bank(**more, periods=[7.0], season_std=1e-9, harmonics=1)
    slow, other = span_evidence(general, series, positions, MEAN, VARIANCE)
    if "outlier_probability" not in more:  # there a leaf chooses between outliers and none, and the fast kernel does not
        np.testing.assert_allclose(fast, slow, atol=1e-8)
        np.testing.assert_allclose(total, other, atol=1e-8)
    weights = np.log([member.weight for member in bank(**more).members])
    np.testing.assert_allclose(total, logsumexp(fast + weights[:, None], axis=0), atol=1e-9)


def test_boundaries_of_all_segmentations() -> None:
    y = np.random.default_rng(1).normal(size=(6, 1))
    leaf = rb.Leaf(1.0, 0.6, rb.Geometric(2.5)).checked("leaf", 1)
    _, evidence = span_evidence(leaf, Series(y), np.arange(7), MEAN, VARIANCE)
    log_share = -0.4
    logs, cuts = [], []
    for count in range(6):
        for inner in combinations(range(1, 6), count):
            edges = [0, *inner, 6]
            total = 0.0
            for start, end in pairwise(edges):
                n = end - start
                S = 0.36 * np.eye(n) + VARIANCE[0]
                total += multivariate_normal.logpdf(y[start:end, 0], np.full(n, MEAN[0]), S) + log_share
                total += leaf.length.log_probability(np.array([n]))[0]
            logs.append(total)
            cuts.append(np.isin(np.arange(7), edges))
    found, probability = boundary_probability(evidence, leaf.length, Series(y), np.arange(7), log_share)
    assert found == pytest.approx(logsumexp(logs), abs=1e-10)
    np.testing.assert_allclose(probability, np.exp(np.array(logs) - logsumexp(logs)) @ np.array(cuts), atol=1e-10)
