"""Random Gaussian models on short hostile series: answers given a tree, and of all trees, against numbers of sixty digits.

How far an answer may be off is what the exact one does when all numbers of the model change in their last digit.
"""

import itertools

import numpy as np
import pytest

import recbayes as rb
from tests.fuzz.all_trees import derivations, given_tree, log_sum, preorder, tree_of
from tests.fuzz.hostile import attempt, finite, is_probability, seeds
from tests.fuzz.random_gaussian import LEVELS, disguised, hostile_series, random_model

MOST = 40  # derivations of which all are followed


def _case(seed: int, level: str) -> tuple:
    rng = np.random.default_rng([seed, list(LEVELS).index(level)])
    model = random_model(rng, level)
    y = hostile_series(rng, model, int(rng.integers(1, 5)), level)
    found = list(itertools.islice(derivations(model, model.prior.variable, 0, len(y)), 2000))
    return rng, model, y, found


def _close(found: float, model: rb.GaussianRBN, y: np.ndarray, one: object, what: str, factor: float = 1000.0) -> float:
    wanted = given_tree(model, y, one).log_joint
    shaken = [given_tree(model, y, one, jitter=np.random.default_rng(n)).log_joint for n in range(2)]
    room = 3e-7 + 1e-9 * abs(wanted) + factor * max(abs(wanted - other) for other in shaken)
    assert abs(found - wanted) <= room, f"{what}: {found}, exact {wanted}, room {room}"
    return wanted


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seed", seeds(60))
def test_given_a_tree(seed: int, level: str) -> None:
    """`log_joint`, `smooth` and `inside` of one allowed tree."""
    rng, model, y, found = _case(seed, level)
    if not found:
        assert not attempt(rb.inside, model, y)
        return
    one = found[int(rng.integers(len(found)))]
    tree = tree_of(one)
    given = disguised(rng, y)
    value = attempt(rb.log_joint, model, given, tree)
    if value is not False and not isinstance(value, float):
        assert level != "tame", value.text
        return
    finite(value, "log joint")
    smoothed = attempt(rb.smooth, model, given, tree)
    if smoothed:
        for node in smoothed:
            finite(node.value, "value")
            assert level == "wild" or (np.diag(node.covariance) >= 0.0).all(), node
    else:
        assert level != "tame", smoothed.text
    if level == "wild":  # rounding may matter there
        return
    _close(value, model, y, one, "log joint")
    if smoothed and len(model.prior.components) == 1:
        exact = given_tree(model, y, one)
        shaken = [given_tree(model, y, one, jitter=np.random.default_rng(n)) for n in range(2)]
        for n, node in enumerate(smoothed):
            deviations = np.sqrt(np.abs(np.diag(exact.covariances[n])))
            room = max(np.abs(other.means[n] - exact.means[n]).max() for other in shaken) * 1e3
            room = room + 1e-9 * (np.abs(exact.means[n]).max() + deviations.max())
            assert np.abs(node.value - exact.means[n]).max() <= room, (node, exact.means[n])
            room = max(np.abs(other.covariances[n] - exact.covariances[n]).max() for other in shaken) * 1e3
            room += 1e-5 * np.abs(exact.covariances[n]).max()
            assert np.abs(node.covariance - exact.covariances[n]).max() <= room, (node, exact.covariances[n])
    mask = tree.span_mask()
    same = list(itertools.islice(derivations(model, model.prior.variable, 0, len(y), mask), MOST))
    chart = attempt(rb.inside, model, given, allowed=mask)
    if not chart:
        assert level != "tame", chart.text
    elif len(same) == 1:
        _close(chart.log_evidence, model, y, one, "evidence of one tree")


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seed", seeds(40))
def test_all_trees(seed: int, level: str) -> None:
    """The evidence and node probabilities of draws, unless they say themselves that they are poor."""
    rng, model, y, found = _case(seed + 10_000, level)
    if not 1 <= len(found) <= MOST:
        return
    posterior = attempt(rb.sample_posterior, model, disguised(rng, y), draws=300, seed=seed)
    if not posterior:
        assert level != "tame", posterior.text
        return
    finite(posterior.log_evidence, "evidence")
    scores = [given_tree(model, y, one).log_joint for one in found]
    shaken = [given_tree(model, y, one, jitter=np.random.default_rng(0)).log_joint for one in found]
    wanted = log_sum(scores)
    if max(abs(a - b) for a, b in zip(scores, shaken, strict=True)) > 1e-4 or posterior.complaint or level == "wild":
        return
    error = posterior.log_evidence_error
    if abs(posterior.chart.log_evidence - wanted) > 2.0:  # a chart so far off that no draw may have met the best trees
        return
    assert abs(posterior.log_evidence - wanted) < 6 * error + 0.1, (posterior, wanted, len(found))
    probability = np.zeros((len(y) + 1, len(y) + 1))
    for score, one in zip(scores, found, strict=True):
        for span in {(node.start, node.end) for node in preorder(one)}:
            probability[span] += np.exp(score - wanted)
    is_probability(posterior.node_probability, "node probability")
    apart = np.abs(posterior.node_probability - probability)
    assert (apart < 6 * posterior.node_probability_error + 0.05).all(), (posterior.node_probability, probability)
    if len(found) == 1:
        chart = attempt(rb.inside, model, y)
        assert abs(chart.log_evidence - wanted) < 1e-6 * (1 + abs(wanted))
    best = posterior.best(3)
    trees = {tree_of(one): score for one, score in zip(found, scores, strict=True)}
    for scored in best:
        assert abs(scored.log_joint - trees[scored.tree]) < 1e-3 + 1e-6 * abs(wanted)
