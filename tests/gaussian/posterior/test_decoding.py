"""Trees decided by expected gain, against a search through all trees."""

import numpy as np
import pytest

import recbayes as rb
from recbayes.errors import DataError
from tests.gaussian.posterior.exact import enumerate_all


def short_model(**changes: object) -> rb.GaussianRBN:
    settings = {
        "dim": 1,
        "left_std": 0.5,
        "right_std": 0.5,
        "noise_std": 0.4,
        "termination": 0.6,
        "extra_observations": 1.0,
    }
    return rb.GaussianRBN.create(**{**settings, **changes})  # type: ignore[arg-type]


def posterior_and_trees(seed: int, length: int = 5, **changes: object) -> tuple[rb.Posterior, list[rb.Tree]]:
    model = short_model(**changes)
    y = np.random.default_rng(seed).normal(size=(length, model.observed_dim))
    exact = enumerate_all(model, y)
    assert exact is not None
    return rb.sample_posterior(model, y, draws=400, seed=seed), exact.trees


def expected_f1(tree: rb.Tree, posterior: rb.Posterior) -> float:
    mine = set(tree.spans)
    drawn = [set(other.spans) for other in posterior.trees]
    return float(np.dot(posterior.weights, [2 * len(mine & other) / (len(mine) + len(other)) for other in drawn]))


@pytest.mark.parametrize("seed", range(6))
def test_expected_f1_is_as_high_as_any_trees(seed: int) -> None:
    posterior, trees = posterior_and_trees(seed)
    found = posterior.tree()
    best = max(expected_f1(tree, posterior) for tree in trees)
    assert posterior.expected_f1 == pytest.approx(expected_f1(found, posterior), abs=1e-12)
    assert posterior.expected_f1 >= best - 0.005  # prices find all trees but those inside the convex hull
    assert found in trees


@pytest.mark.parametrize("threshold", [0.0, 0.1, 0.3, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_threshold_trees_maximise_the_sum_of_probabilities_minus_the_threshold(seed: int, threshold: float) -> None:
    posterior, trees = posterior_and_trees(seed)
    p = posterior.node_probability

    def gain(tree: rb.Tree) -> float:
        return sum(p[span] - threshold for span in tree.spans)

    found = posterior.tree("threshold", threshold=threshold)
    assert gain(found) == pytest.approx(max(map(gain, trees)), abs=1e-4)


def test_low_thresholds_find_more_nodes_than_high_ones() -> None:
    posterior, _ = posterior_and_trees(0)
    sizes = [len(posterior.tree("threshold", threshold=threshold)) for threshold in (0.05, 0.5, 0.95)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1]


@pytest.mark.parametrize("seed", range(3))
def test_rules_of_decoded_trees_are_the_best_there_are(seed: int) -> None:
    """No single change of a rule makes the tree more probable, and the tree's spans stay as they were decoded."""
    posterior, trees = posterior_and_trees(seed, length=4, dim=2, shifts={0: 0.4, 1: 0.6})
    model, y = posterior.chart.model, posterior.chart.series
    found = posterior.tree()
    score = rb.log_joint(model, y, found)
    for other in trees:
        different = sum(one.rule != two.rule for one, two in zip(found, other, strict=False))
        if other.spans == found.spans and different == 1:
            assert rb.log_joint(model, y, other) <= score + 1e-9


def test_nodes_carry_probabilities_and_values() -> None:
    posterior, _ = posterior_and_trees(1)
    for objective in ("f1", "threshold", "map"):
        for node in posterior.tree(objective):
            assert node.probability == pytest.approx(posterior.node_probability[node.span], abs=1e-12)
            assert node.value is not None
            assert node.covariance is not None
            assert (np.linalg.eigvalsh(node.covariance) > 0).all()


def test_two_variables_give_valid_labels() -> None:
    link = rb.Link(np.eye(1) * 0.2)
    model = rb.GaussianRBN(
        (
            rb.Variable("phrase", 1, (rb.Split(0.4, "note", "phrase", link, link), rb.Emit(0.6, np.eye(1) * 0.1))),
            rb.Variable(
                "note",
                1,
                (rb.Emit(0.7, np.eye(1) * 0.1, rb.OnePlusPoisson(1.0)), rb.Split(0.3, "phrase", "note", link, link)),
            ),
        ),
        rb.Prior("phrase", (rb.Component(np.zeros(1), np.eye(1)),)),
    )
    y = np.random.default_rng(0).normal(size=(9, 1))
    posterior = rb.sample_posterior(model, y, draws=500, seed=0)
    for objective in ("f1", "threshold", "map"):
        assert np.isfinite(rb.log_joint(model, y, posterior.tree(objective)))
    assert sum(posterior.expected_rules.values()) == pytest.approx(posterior.node_probability.sum())


def test_k_best_trees() -> None:
    posterior, trees = posterior_and_trees(2)
    model, y = posterior.chart.model, posterior.chart.series
    best = posterior.best(20)
    assert len({one.tree for one in best}) == 20
    assert [one.log_joint for one in best] == sorted((one.log_joint for one in best), reverse=True)
    for one in best:
        assert one.log_joint == pytest.approx(rb.log_joint(model, y, one.tree), abs=1e-9)
        assert one.probability == pytest.approx(np.exp(one.log_joint - posterior.log_evidence))
    assert len(posterior.best(10**6)) <= len(trees)


def test_nonsense_is_refused() -> None:
    posterior, _ = posterior_and_trees(0)
    with pytest.raises(DataError, match="objective must be"):
        posterior.tree("best")
    with pytest.raises(DataError, match="between 0 and 1"):
        posterior.tree("threshold", threshold=1.5)
    with pytest.raises(DataError, match="at least 1"):
        posterior.best(0)
