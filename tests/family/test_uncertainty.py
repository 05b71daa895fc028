"""The entropy of trees and credible sets of them, where enumeration does not reach (see `conformance` for where it does)."""

import math

import numpy as np
import pytest

import recbayes as rb
from recbayes.errors import DataError, ModelError
from recbayes.family.export import equal_draws
from recbayes.family.posterior import ScoredTree
from recbayes.family.uncertainty import copies_together, credible_trees

TREE = rb.Tree([rb.Node(0, 5)], [0])


def scored(probabilities: list[float]) -> list[ScoredTree]:
    return [ScoredTree(TREE, math.log(p), p) for p in probabilities]


@pytest.mark.parametrize(
    ("level", "most", "size", "held"),
    [(0.5, 9, 1, 0.5), (0.51, 9, 2, 0.8), (0.8, 9, 2, 0.8), (0.95, 9, 4, 0.96), (1.0, 9, 5, 0.97), (0.95, 3, 3, 0.9)],
)
def test_the_smallest_set(level: float, most: int, size: int, held: float) -> None:
    known = scored([0.5, 0.3, 0.1, 0.06, 0.01])
    found = credible_trees(lambda count: known[:count], level, most)
    assert found.trees == tuple(known[:size])
    assert found.probability == pytest.approx(held)
    assert found.reached == (held >= level)


def test_many_trees_are_looked_at_only_where_few_do_not_do() -> None:
    asked: list[int] = []

    def best(count: int) -> list[ScoredTree]:
        asked.append(count)
        return scored([1 / 1000] * min(count, 1000))

    assert len(credible_trees(best, 0.01, 5000).trees) == 10
    assert asked == [16]
    assert len(credible_trees(best, 0.95, 5000).trees) == 950
    assert asked[-1] >= 950
    few = credible_trees(best, 0.95, 500)
    assert (len(few.trees), few.reached) == (500, False)
    assert str(few) == "500 trees hold 0.5 of the posterior, less than the 0.95 asked for: the rest is in trees not listed"
    assert str(credible_trees(lambda count: scored([1.0]), 0.95, 10)) == "1 tree holds 1 of the posterior"


@pytest.mark.parametrize(("level", "most"), [(0.0, 10), (1.1, 10), (-1, 10), (0.5, 0), (0.5, 2.5)])
def test_what_makes_no_sense(level: float, most: int) -> None:
    with pytest.raises(DataError):
        credible_trees(lambda count: scored([1.0]), level, most)
    with pytest.raises(ModelError, match="level"):
        credible_trees(lambda count: scored([1.0]), "much", most)


def test_copies_are_averaged_as_probabilities() -> None:
    found = copies_together(np.array([-1000.0, -1000.0 + math.log(3), 5.0, 5.0]), np.array([0, 0, 1, 1]))
    np.testing.assert_allclose(found, [-1000 + math.log(2), 5.0], rtol=1e-14)


def test_equal_draws() -> None:
    """Each as often as its weight says, but for one; what has no weight is not there; equal ones stay as they are."""
    weights = np.array([0.0, 0.5, 0.05, 0.25, 0.2, 0.0])
    counts = np.bincount(equal_draws(weights), minlength=6)
    assert (np.abs(counts - 6 * weights) < 1).all()
    assert counts[0] == counts[5] == 0
    np.testing.assert_array_equal(equal_draws(np.full(7, 1 / 7)), np.arange(7))


def test_equally_probable_trees() -> None:
    """A grammar of all binary trees over n leaves: the entropy is the log of Catalan's number, whatever is drawn."""
    grammar = rb.PCFG.from_string("S -> S S [0.4] | 'a' [0.6]")
    for length in (1, 2, 10, 60):
        posterior = rb.sample_posterior(grammar, ["a"] * length, draws=5, seed=0)
        n = length - 1
        assert posterior.entropy == pytest.approx(math.lgamma(2 * n + 1) - math.lgamma(n + 1) - math.lgamma(n + 2), abs=1e-8)
        assert posterior.entropy_error == 0.0


def test_missing_tokens_and_unary_rules() -> None:
    """The exact entropy is the mean over exact draws of minus their log probabilities."""
    grammar = rb.PCFG.from_string("S -> S S [0.2] | A [0.5] | 'a' [0.3]\nA -> 'b' [0.3] | S [0.1] | 'a' [0.6]")
    posterior = rb.sample_posterior(grammar, ["a", None, "b", None, "a"], draws=4000, seed=0)
    logs = posterior.log_joint_of_trees - posterior.log_evidence
    assert posterior.entropy == pytest.approx(-logs.mean(), abs=5 * logs.std() / np.sqrt(4000))
    assert posterior.entropy > 1


def test_weighted_draws_agree_with_exact_ones() -> None:
    """A chain's draws are exact, and its series too long for enumeration: two seeds agree within their errors."""
    model = rb.GaussianRBN.create(1, extra_observations=2.0, noise_std=0.5, left_std=0.5, right_std=0.5)
    y, _ = model.sample(seed=1, min_length=25, max_length=30)
    one, two = (rb.sample_posterior(model, y, draws=draws, seed=seed) for draws, seed in ((200, 1), (800, 2)))
    assert 0 < two.entropy_error < one.entropy_error < 0.5
    assert abs(one.entropy - two.entropy) < 4 * math.hypot(one.entropy_error, two.entropy_error)
    set_of_all = two.credible_trees(1.0, most=10_000)
    assert set_of_all.probability < 1
    assert not set_of_all.reached
    assert math.isinf(rb.sample_posterior(model, y, draws=1, seed=0).entropy_error)


def test_errors_of_the_entropy_are_right() -> None:
    """The spread over seeds is what the errors say."""
    model = rb.GaussianRBN.create(2, extra_observations=1.0, noise_std=0.3, shifts={0: 0.5, 1: 0.5})
    y, _ = model.sample(seed=4, min_length=14, max_length=18)
    runs = [rb.sample_posterior(model, y, draws=100, seed=seed) for seed in range(40)]
    spread = np.std([run.entropy for run in runs], ddof=1)
    stated = np.mean([run.entropy_error for run in runs])
    assert 0.6 < spread / stated < 1.6


def test_an_average_over_models() -> None:
    """Of pairs of a tree and a model: finite, shown, exported, and the best pairs are in the set."""
    found = rb.segment(rb.data.nile(), draws=100, seed=0)
    posterior = found.posterior
    assert 0 < posterior.entropy < 20
    assert 0 < posterior.entropy_error < 1
    few = posterior.credible_trees(0.3)
    assert [one.log_joint for one in few.trees] == [one.log_joint for one in posterior.best(len(few.trees))]
    pytest.importorskip("xarray")
    shown = posterior.to_xarray(least=0.3)
    np.testing.assert_allclose(shown.exists.mean(("chain", "draw")), shown.probability, atol=0.02)
