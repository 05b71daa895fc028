"""Large trees, neighbouring leaves and the chain of a model, against counting, drawn trees and the evidence itself."""

import numpy as np
import pytest

import recbayes as rb
from recbayes.gaussian.candidates.chain import chain_of, cut
from recbayes.gaussian.candidates.find import boundary_probability
from recbayes.gaussian.candidates.large_trees import large_trees
from recbayes.gaussian.candidates.neighbours import pairs_of


def two_variables() -> rb.GaussianRBN:
    """Phrases of phrases and notes; notes emit, and so do phrases, seldom."""
    link = rb.Link(0.1 * np.eye(1))
    phrase = (
        rb.Split(0.3, "phrase", "phrase", link, link),
        rb.Split(0.3, "note", "phrase", link, link),
        rb.Emit(0.4, np.eye(1), length=rb.OnePlusPoisson(2.0)),
    )
    note = (rb.Emit(1.0, 0.1 * np.eye(1), length=rb.OnePlusPoisson(1.0)),)
    prior = rb.Prior("phrase", (rb.Component(np.zeros(1), np.eye(1)),))
    return rb.GaussianRBN((rb.Variable("phrase", 1, phrase), rb.Variable("note", 1, note)), prior)


def weights_by_leaves(model: rb.GaussianRBN, most: int) -> np.ndarray:
    """The probabilities of trees with 0, 1, 2, ... leaves, of every variable: counted leaf by leaf."""
    names = [variable.name for variable in model.variables]
    found = np.zeros((len(names), most + 1))
    for leaves in range(1, most + 1):
        for v, variable in enumerate(model.variables):
            for rule in variable.rules:
                if isinstance(rule, rb.Split):
                    left, right = found[names.index(rule.left)], found[names.index(rule.right)]
                    found[v, leaves] += rule.probability * (left[1:leaves] @ right[leaves - 1 : 0 : -1])
                elif leaves == 1:
                    found[v, leaves] += rule.probability
    return found


@pytest.mark.parametrize(
    "model", [two_variables(), rb.GaussianRBN.create(1, termination=0.6), rb.GaussianRBN.create(1, termination=0.35)]
)
def test_growth_is_that_of_counted_trees(model: rb.GaussianRBN) -> None:
    """The weight of trees with m leaves goes like m^-3/2 growth^m."""
    counted = weights_by_leaves(model, 400)[0]
    growth = counted[400] / counted[399] * (400 / 399) ** 1.5
    assert large_trees(model).growth == pytest.approx(growth, rel=2e-3)


def test_nodes_of_large_trees_are_leaves_as_often_as_not() -> None:
    """A binary tree with m leaves has m - 1 other nodes."""
    for termination in (0.3, 0.5, 0.8):
        (rules,), _, growth = large_trees(rb.GaussianRBN.create(1, termination=termination))
        assert rules == pytest.approx([0.5, 0.5], abs=0.02)
        assert growth == pytest.approx(4 * termination * (1 - termination), rel=2e-3)


def test_trees_that_cannot_grow() -> None:
    link = rb.Link(np.eye(1))
    pair = rb.Variable("pair", 1, (rb.Split(1.0, "leaf", "leaf", link, link),))
    leaf = rb.Variable("leaf", 1, (rb.Emit(1.0, np.eye(1), length=rb.OnePlusPoisson(3.0)),))
    model = rb.GaussianRBN((pair, leaf), rb.Prior("pair", (rb.Component(np.zeros(1), np.eye(1)),)))
    (splits, emits), _, growth = large_trees(model)
    assert splits == pytest.approx([1.0])
    assert emits == pytest.approx([1.0])
    assert growth == 1.0


@pytest.mark.parametrize("shifts", [None, {0: 0.7, 1: 0.3}])
def test_neighbours_differ_as_in_drawn_trees(shifts: dict[int, float] | None) -> None:
    """The mean square of the difference of neighbouring leaves, in trees that happened to grow."""
    model = rb.GaussianRBN.create(2, prior_std=2.0, left_std=0.5, right_std=0.3, termination=0.55, shifts=shifts)
    squares = []
    for seed in range(60):
        _, tree = model.sample(seed=seed, min_length=30, max_length=60, attempts=1_000_000)
        values = np.array([leaf.value for leaf in tree.leaves])
        squares += ((values[1:] - values[:-1]) ** 2).sum(axis=1).tolist()
    pairs = pairs_of(model, large_trees(model), 40.0)
    assert sum(pair.weight for pair in pairs) == pytest.approx(1.0)
    first = np.array([leaf for seed in range(60) for leaf in _leaves(model, seed)])
    expected = 0.0
    for pair in pairs:
        second = first @ pair.link.map.T + pair.link.offset
        expected += pair.weight * float(((second - first) ** 2).sum(axis=1).mean() + np.trace(pair.link.covariance))
    error = np.std(squares) / np.sqrt(len(squares) / 10)  # those of one tree hang together
    assert np.mean(squares) == pytest.approx(expected, abs=4 * error, rel=0.15)


def _leaves(model: rb.GaussianRBN, seed: int) -> list[np.ndarray]:
    _, tree = model.sample(seed=seed, min_length=30, max_length=60, attempts=1_000_000)
    return [leaf.value for leaf in tree.leaves[:-1]]


@pytest.mark.parametrize("seed", range(3))
def test_boundary_probabilities_are_shares_of_the_evidence(seed: int) -> None:
    """Without a point there is only the evidence of segmentations that have no boundary there."""
    model = two_variables()
    y = model.sample(seed=seed, min_length=12, max_length=12)[0]
    chain = chain_of(model, len(y))
    chart = rb.inside(chain, y)
    points, probability = boundary_probability(chart)
    assert points.tolist() == list(range(13))
    for point in range(1, 12):
        without = rb.inside(chain, y, boundaries=[one for one in range(13) if one != point], components=8)
        share = np.exp(without.log_evidence - rb.inside(chain, y, components=8).log_evidence)
        assert probability[point] == pytest.approx(1.0 - share, abs=0.02)


def test_lengths_are_cut_where_they_do_not_matter() -> None:
    poisson = rb.OnePlusPoisson(5.0)
    short = cut(poisson, 1000)
    assert 20 < short.longest < 40
    lengths = np.arange(1, short.longest + 1)
    assert short.log_probability(lengths) == pytest.approx(poisson.log_probability(lengths), abs=1e-8)
    assert cut(poisson, 10) is poisson
    assert cut(rb.ExactlyOne(), 1000) == rb.ExactlyOne()
