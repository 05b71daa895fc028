"""Intervals against theory."""

import numpy as np
import pytest
from scipy.stats import binomtest

from recbayes.studies.bootstrap import bootstrap_mean, resampling_weights
from recbayes.studies.calibration import calibration, count_by_probability
from recbayes.tree.tree import Tree


def test_the_interval_of_a_mean() -> None:
    values = np.random.default_rng(0).normal(3.0, 2.0, 400)
    mean, low, high = bootstrap_mean(values, 1)
    assert mean == values.mean()
    half = 1.96 * values.std() / np.sqrt(400)
    assert (mean - low, high - mean) == (pytest.approx(half, rel=0.08), pytest.approx(half, rel=0.08))
    assert bootstrap_mean(values, 1) == (mean, low, high)
    assert (resampling_weights(400, 1).sum(axis=1) == 400).all()


def test_how_often_the_interval_holds_the_mean() -> None:
    random = np.random.default_rng(2)
    held = 0
    for number in range(200):
        _, low, high = bootstrap_mean(random.exponential(1.0, 200), number)
        held += low <= 1.0 <= high
    assert binomtest(held, 200, 0.94).pvalue > 1e-4


def test_counting_spans() -> None:
    tree = Tree.from_spans([(0, 3), (0, 1), (1, 3)])
    probability = np.zeros((4, 4))
    probability[0, 3], probability[0, 1], probability[1, 3], probability[0, 2] = 1.0, 0.95, 4.0, 0.31
    counts = np.array(count_by_probability(probability, tree))
    assert counts.shape == (10, 3)
    np.testing.assert_allclose(counts[9], [2, 1.95, 2])  # what is above 1 counts as 1
    np.testing.assert_allclose(counts[3], [1, 0.31, 0])
    assert counts.sum(axis=0)[0] == 3  # the root and what has no probability are left out


def test_honest_and_dishonest_probabilities() -> None:
    """Spans that exist as often as they should lie in the interval, those of a claim twice as high do not."""
    random = np.random.default_rng(3)
    honest, boastful = [], []
    for _ in range(300):
        p = np.triu(random.uniform(0.0, 0.5, (12, 12)), 1)
        exists = random.uniform(size=p.shape) < p
        tree = Tree.from_spans([(0, 11)])
        for table, claimed in ((honest, p), (boastful, 2 * p)):
            counts = np.array(count_by_probability(claimed, tree))
            inner = (claimed > 0) & (np.indices(p.shape).sum(axis=0) >= 0)
            inner[0, 11] = False
            counts[:, 2] = np.bincount((claimed[inner] * 10).astype(int), weights=exists[inner], minlength=10)
            table.append(counts.tolist())
    bins = calibration(honest, 0)
    assert len(bins) == 5
    assert sum(one.share_low <= one.probability <= one.share_high for one in bins) >= 4
    assert all(not one.share_low <= one.probability <= one.share_high for one in calibration(boastful, 0)[1:])
