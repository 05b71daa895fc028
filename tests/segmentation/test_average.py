"""What averages over lengths rest on: counts of trees, and weights of draws by one length for those by several."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import logsumexp

import recbayes as rb
from recbayes.checks.series import Series
from recbayes.segmentation.average import leaf_counts
from recbayes.segmentation.defaults import TERMINATION, default_models
from recbayes.segmentation.infer import Task, draw_average
from recbayes.segmentation.lengths import log_count_probability
from recbayes.segmentation.units import views_of
from recbayes.spans.constraints import Constraints
from tests.gaussian.emissions.dense import bare_trees


@pytest.mark.parametrize("length", [rb.Geometric(2.5), rb.Geometric(4.0, 2)])
def test_counts_of_all_trees(length: rb.Geometric) -> None:
    right = np.full(7, -np.inf)
    for tree in bare_trees(0, 6):
        leaves = [end - start for start, end, split in tree if not split]
        log = length.log_probability(np.array(leaves)).sum() + len(leaves) * np.log(TERMINATION)
        log += (len(leaves) - 1) * np.log1p(-TERMINATION)
        right[len(leaves)] = np.logaddexp(right[len(leaves)], log)
    found = log_count_probability(length, TERMINATION, 6)
    np.testing.assert_allclose(found, right[: len(found)], atol=1e-10)
    assert (right[len(found) :] == -np.inf).all()


def test_draws_by_one_length_stand_for_all_lengths() -> None:
    """Weighed, they have the evidence and the boundaries of the lengths' own draws, averaged by hand."""
    y = np.random.default_rng(2).normal(size=(20, 1))
    y[11:] += 2.0
    (one, *_) = default_models(views_of(Series(y), False), kinds=["level"], expected=(1.5, 4.0))
    task = Task(Constraints(), 6000, 3, (1, 20))
    found = draw_average([one], np.ones(1), task)
    apart = [draw_average([replace(one, lengths=(length,), shares=(1.0,))], np.ones(1), task) for length in one.lengths]
    logs = np.array([part.log_evidences[0] for part in apart]) + np.log(one.shares)
    assert found.log_evidences[0] == pytest.approx(logsumexp(logs), abs=0.05)
    shares = np.exp(logs - logsumexp(logs))
    right = sum(share * part.boundary_probability for share, part in zip(shares, apart, strict=True))
    np.testing.assert_allclose(found.boundary_probability, right, atol=0.03)


def test_numbers_of_segments() -> None:
    y = np.random.default_rng(5).normal(size=(24, 1))
    y[12:] += 3.0
    (one, *_) = default_models(views_of(Series(y), False), kinds=["level"])
    free = draw_average([one], np.ones(1), Task(Constraints(), 8000, 1, (1, 24)))
    two = draw_average([one], np.ones(1), Task(Constraints(), 8000, 2, (2, 3)))
    counts = np.concatenate([leaf_counts(part) for part in free.parts])
    within = (counts >= 2) & (counts <= 3)
    owners = free.trees.owners
    inner = (free.trees.arities == 0) & (free.trees.positions[free.trees.ends] < 24)
    totals = np.bincount(
        free.trees.positions[free.trees.ends[inner]], weights=(free.weights * within)[owners[inner]], minlength=25
    )
    right = totals / (free.weights * within).sum()
    np.testing.assert_allclose(two.boundary_probability[1:-1], right[1:-1], atol=0.04)
