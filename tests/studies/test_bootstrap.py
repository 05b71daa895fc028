"""Intervals against theory."""

import numpy as np
import pytest
from scipy.stats import binomtest

from recbayes.studies.bootstrap import bootstrap_levels, bootstrap_mean, bootstrap_ratio, resampling_weights
from recbayes.studies.calibration import calibration, count_by_probability
from recbayes.tree.tree import Tree

pytestmark = pytest.mark.slow


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


def test_levels_are_resampled_by_themselves() -> None:
    """Two levels far apart: what lies between them is no part of the error."""
    random = np.random.default_rng(4)
    levels = [random.normal(mean, 1.0, 300) for mean in (0.0, 50.0)]
    mean, low, high = bootstrap_levels(levels, 0)
    assert mean == pytest.approx(np.mean(np.concatenate(levels)))
    half = 1.96 * np.sqrt(sum(values.var() / 300 for values in levels)) / 2
    assert (high - low) / 2 == pytest.approx(half, rel=0.1)


def test_the_interval_of_a_ratio() -> None:
    """By linearisation: the deviations of the upper from ratio times the lower."""
    random = np.random.default_rng(5)
    lower = random.uniform(5.0, 15.0, 500)
    upper = 0.8 * lower + random.normal(0.0, 0.3, 500)
    ratio, low, high = bootstrap_ratio(upper, lower, 0)
    assert ratio == pytest.approx(upper.sum() / lower.sum())
    half = 1.96 * (upper - ratio * lower).std() / np.sqrt(500) / lower.mean()
    assert (high - low) / 2 == pytest.approx(half, rel=0.1)


def test_counting_spans() -> None:
    tree = Tree.from_spans([(0, 3), (0, 1), (1, 3)])
    probability = np.zeros((4, 4))
    probability[0, 3], probability[0, 1], probability[1, 3], probability[0, 2] = 1.0, 0.95, 4.0, 0.31
    counts = np.array(count_by_probability(probability, tree))
    assert counts.shape == (10, 3)
    np.testing.assert_allclose(counts[9], [2, 1.95, 2])  # what is above 1 counts as 1
    np.testing.assert_allclose(counts[3], [1, 0.31, 0])
    np.testing.assert_allclose(counts[0], [2, 0.0, 0])
    assert counts.sum(axis=0)[0] == 5  # all but the root


def test_honest_and_boastful_probabilities() -> None:
    """Spans that exist as often as they should lie in the interval, those of a claim twice as high do not."""
    random = np.random.default_rng(3)
    honest, boastful = np.zeros((2, 150, 10, 3)), np.zeros((2, 150, 10, 3))
    for place in np.ndindex(2, 150):
        p = random.uniform(0.0, 0.5, 60)
        exists = random.uniform(size=60) < p
        for table, claimed in ((honest, p), (boastful, 2 * p)):
            np.add.at(table[place], (claimed * 10).astype(int), np.stack([np.ones(60), claimed, exists], axis=1))
    bins = calibration(honest.tolist(), 0)
    assert [one.low for one in bins] == [0.0, 0.1, 0.2, 0.3, 0.4]
    assert sum(one.spans for one in bins) == 2 * 150 * 60
    assert sum(one.share_low <= one.probability <= one.share_high for one in bins) >= 4
    assert not any(one.share_low <= one.probability <= one.share_high for one in calibration(boastful.tolist(), 0)[1:])
