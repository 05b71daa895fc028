"""Metrics: the paper's definitions by brute force, ruptures, and what a distance must satisfy."""

import dataclasses
from itertools import combinations, pairwise

import numpy as np
import pytest
import ruptures.metrics
from hypothesis import assume, given
from hypothesis import strategies as st

import recbayes as rb
from recbayes.errors import DataError
from tests.tree.random_trees import DEEP, build, nested, trees

TRUE = rb.Tree.from_spans([(0, 4), (0, 2), (2, 4), (0, 1), (1, 2)])
GUESS = rb.Tree.from_spans([(0, 4), (0, 2), (2, 4), (2, 3), (3, 4)])
LEAF = rb.Tree([rb.Node(0, 4)], [0])

tree_strategy = nested().map(build)


def table_of(*found: rb.Tree) -> np.ndarray:
    """Frequencies of spans in trees over 12 observations."""
    table = np.zeros((13, 13))
    for tree in found:
        for span in set(tree.spans):
            table[span] += 1 / len(found)
    return table


def ratios(scores: rb.Scores) -> tuple[float, float, float]:
    return scores.precision, scores.recall, scores.f1


def test_node_scores_by_hand() -> None:
    scores = rb.node_scores(TRUE, rb.Tree.from_spans([(0, 4), (0, 2), (2, 4)]))
    assert ratios(scores) == (1.0, 0.6, 0.75)
    assert (scores.shared, scores.predicted, scores.true) == (3, 3, 5)
    assert ratios(rb.node_scores(TRUE, GUESS)) == (0.6, 0.6, 0.6)
    assert ratios(rb.node_scores(TRUE, TRUE)) == (1.0, 1.0, 1.0)
    assert ratios(rb.node_scores(TRUE, LEAF)) == pytest.approx((1.0, 0.2, 1 / 3))
    assert ratios(rb.node_scores(LEAF, LEAF)) == (1.0, 1.0, 1.0)
    with pytest.raises(dataclasses.FrozenInstanceError):
        scores.f1 = 1.0  # type: ignore[misc]


@given(tree_strategy, tree_strategy)
def test_node_scores_are_the_papers(true: rb.Tree, predicted: rb.Tree) -> None:
    """Every possible node is asked for, one by one."""
    outcomes = [(span in true.spans, span in predicted.spans) for span in combinations(range(13), 2)]
    hits, misses, false_alarms = (outcomes.count(kind) for kind in ((True, True), (True, False), (False, True)))
    precision, recall = hits / (hits + false_alarms), hits / (hits + misses)
    scores = rb.node_scores(true, predicted)
    assert ratios(scores) == pytest.approx((precision, recall, 2 * precision * recall / (precision + recall)))
    assert rb.node_scores(list(true.spans), predicted) == rb.node_scores(true, iter(predicted.spans)) == scores
    assert rb.node_scores(list(true.spans)[::-1], set(predicted.spans)) == scores


def test_unary_chains_count_once_unless_labelled() -> None:
    chain = rb.Tree([rb.Node(0, 2, "S"), rb.Node(0, 2, "NP"), rb.Node(0, 1, "D"), rb.Node(1, 2, "N")], [1, 2, 0, 0])
    plain = rb.Tree([rb.Node(0, 2, "S"), rb.Node(0, 1, "D"), rb.Node(1, 2, "V")], [2, 0, 0])
    assert ratios(rb.node_scores(chain, plain)) == (1.0, 1.0, 1.0)
    scores = rb.node_scores(chain, plain, labelled=True)
    assert (scores.shared, scores.predicted, scores.true) == (2, 3, 4)
    assert ratios(scores) == pytest.approx((2 / 3, 2 / 4, 4 / 7))
    with pytest.raises(DataError, match="bare spans have no labels"):
        rb.node_scores(chain, plain.spans, labelled=True)


def test_a_prediction_of_nothing_finds_nothing() -> None:
    assert ratios(rb.node_scores(TRUE, [])) == (0.0, 0.0, 0.0)
    assert ratios(rb.node_scores(TRUE, [(1, 3)])) == (0.0, 0.0, 0.0)
    assert ratios(rb.node_scores([], [])) == (1.0, 1.0, 1.0)


@given(tree_strategy, tree_strategy)
def test_certain_probabilities_score_like_their_tree(true: rb.Tree, predicted: rb.Tree) -> None:
    assert rb.probabilistic_node_scores(true, table_of(predicted)) == rb.node_scores(true, predicted)


@given(tree_strategy, st.lists(tree_strategy, min_size=1, max_size=5))
def test_probabilities_of_draws_score_like_the_average_draw(true: rb.Tree, drawn: list[rb.Tree]) -> None:
    """Counts are linear in the probabilities: they are the mean counts over the trees the probabilities come from."""
    scores = rb.probabilistic_node_scores(true, table_of(*drawn))
    each = [rb.node_scores(true, tree) for tree in drawn]
    shared, predicted = np.mean([one.shared for one in each]), np.mean([one.predicted for one in each])
    assert (scores.shared, scores.predicted, scores.true) == pytest.approx((shared, predicted, len(true)))
    precision, recall = shared / predicted, shared / len(true)
    assert ratios(scores) == pytest.approx((precision, recall, 2 * precision * recall / (precision + recall)))
    assert scores.precision <= 1.0
    assert rb.probabilistic_node_scores(true.spans, table_of(*drawn)) == scores


def test_probabilistic_node_scores_use_the_upper_triangle_and_any_sum() -> None:
    table = np.full((5, 5), np.nan)
    table[np.triu_indices(5, 1)] = 3.0
    scores = rb.probabilistic_node_scores(TRUE, table)
    assert (scores.shared, scores.predicted, scores.true) == (15.0, 30.0, 5)
    assert (scores.precision, scores.recall) == (0.5, 3.0)
    table[np.triu_indices(5, 1)] = 0.0
    assert ratios(rb.probabilistic_node_scores(TRUE, table)) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        (np.zeros((4, 5)), r"\(N\+1, N\+1\) array, got shape \(4, 5\)"),
        (np.zeros(5), "got shape"),
        (np.zeros((1, 1)), "got shape"),
        (np.zeros((4, 4)), "must cover the same observations"),
        (np.zeros((7, 7)), "must cover the same observations"),
        (np.full((5, 5), np.nan), "finite and not negative"),
        (np.full((5, 5), -0.1), "finite and not negative"),
        (np.full((5, 5), np.inf), "finite and not negative"),
    ],
)
def test_tables_that_do_not_fit(table: np.ndarray, complaint: str) -> None:
    with pytest.raises(DataError, match=complaint):
        rb.probabilistic_node_scores(TRUE, table)


boundary_sets = st.sets(st.integers(1, 29), min_size=1)


def segmentation(boundaries: set[int]) -> list[tuple[int, int]]:
    points = [0, *sorted(boundaries), 30]
    return list(pairwise(points))


@given(boundary_sets, boundary_sets, st.integers(0, 6))
def test_boundary_scores_are_those_of_ruptures(true: set[int], predicted: set[int], tolerance: int) -> None:
    precision, recall = ruptures.metrics.precision_recall(
        sorted(true) + [30], sorted(predicted) + [30], margin=tolerance + 1
    )
    scores = rb.boundary_scores(segmentation(true), segmentation(predicted), tolerance)
    assert (scores.precision, scores.recall) == (precision, recall)
    assert (scores.predicted, scores.true) == (len(predicted), len(true))
    one, other = (rb.Tree.from_spans([(0, 30), *segmentation(boundaries)]) for boundaries in (true, predicted))
    assert rb.boundary_scores(one, other, tolerance) == scores


@given(tree_strategy, tree_strategy)
def test_exact_boundaries_are_the_ends_of_leaves(true: rb.Tree, predicted: rb.Tree) -> None:
    inner = [{leaf.end for leaf in tree.leaves} - {12} for tree in (true, predicted)]
    assume(all(inner))
    scores = rb.boundary_scores(true, predicted)
    assert scores.shared == len(inner[0] & inner[1])
    assert (scores.true, scores.predicted) == (len(inner[0]), len(inner[1]))
    assert ratios(rb.boundary_scores(true, true)) == (1.0, 1.0, 1.0)


def test_boundary_scores_at_the_tolerance_and_without_boundaries() -> None:
    one, other = [(0, 5), (5, 10)], [(0, 7), (7, 10)]
    assert [rb.boundary_scores(one, other, tolerance).f1 for tolerance in (0, 1, 2, 3)] == [0.0, 0.0, 1.0, 1.0]
    assert ratios(rb.boundary_scores([(0, 10)], [(0, 10)])) == (1.0, 1.0, 1.0)
    assert ratios(rb.boundary_scores(one, [(0, 10)])) == (0.0, 0.0, 0.0)
    assert ratios(rb.boundary_scores([(0, 10)], one)) == (0.0, 0.0, 0.0)


def test_robinson_foulds_by_hand() -> None:
    left = rb.Tree.from_brackets("(r (a (b 0 1) 2) 3)")
    right = rb.Tree.from_brackets("(r 0 (a 1 (b 2 3)))")
    assert rb.robinson_foulds(left, right) == 4  # 0:2 and 0:3 against 2:4 and 1:4
    assert rb.robinson_foulds(left, right, normalised=True) == 1.0
    assert rb.robinson_foulds(TRUE, GUESS) == 0  # they differ in single observations alone
    assert rb.robinson_foulds(TRUE, LEAF) == 2
    assert rb.robinson_foulds(TRUE, left) == 2  # 2:4 against 0:3
    assert rb.robinson_foulds(TRUE, left, normalised=True) == 0.5
    assert rb.robinson_foulds(LEAF, LEAF, normalised=True) == 0.0
    assert rb.robinson_foulds([], []) == 0


@given(tree_strategy, tree_strategy, tree_strategy)
def test_robinson_foulds_is_a_distance(one: rb.Tree, two: rb.Tree, three: rb.Tree) -> None:
    distance = rb.robinson_foulds(one, two)
    assert distance == rb.robinson_foulds(two.spans, one)
    assert rb.robinson_foulds(one, one) == 0
    assert distance <= rb.robinson_foulds(one, three) + rb.robinson_foulds(three, two)
    assert 0 <= rb.robinson_foulds(one, two, normalised=True) <= 1
    grouped = [{(a, b) for a, b in tree.spans if (a, b) != (0, 12) and b > a + 1} for tree in (one, two)]
    assert (distance == 0) == (grouped[0] == grouped[1])
    scores = rb.node_scores(grouped[0], grouped[1])
    assert distance == scores.true + scores.predicted - 2 * scores.shared


@given(trees())
def test_a_tree_agrees_with_itself(tree: rb.Tree) -> None:
    assert ratios(rb.node_scores(tree, tree, labelled=True)) == (1.0, 1.0, 1.0)
    assert ratios(rb.boundary_scores(tree, tree)) == (1.0, 1.0, 1.0)
    assert rb.robinson_foulds(tree, tree, normalised=True) == 0


def test_trees_over_different_observations_are_not_compared() -> None:
    longer = rb.Tree([rb.Node(0, 5)], [0])
    for compare in (rb.node_scores, rb.robinson_foulds):
        with pytest.raises(DataError, match=r"one tree covers \(0, 4\) and the other \(0, 5\)"):
            compare(TRUE, longer)
        with pytest.raises(DataError, match=r"span \(0, 5\) is not inside \(0, 4\)"):
            compare(longer.spans, TRUE)
        with pytest.raises(DataError, match=r"span \(3, 3\) covers nothing"):
            compare(TRUE, [(3, 3)])
    with pytest.raises(DataError, match="the truth covers 0:4 and the prediction 0:5"):
        rb.boundary_scores(TRUE, longer)
    with pytest.raises(DataError, match="there are no spans"):
        rb.boundary_scores(TRUE, [])
    with pytest.raises(DataError, match="tolerance must be a whole number of at least 0"):
        rb.boundary_scores(TRUE, TRUE, -1)


def test_deep_trees() -> None:
    scores = rb.node_scores(DEEP["left"], DEEP["right"])
    assert (scores.shared, scores.predicted, scores.true) == (2501, 4999, 4999)
    assert rb.robinson_foulds(DEEP["left"], DEEP["right"]) == 2 * 2498
    assert rb.boundary_scores(DEEP["left"], DEEP["right"]).f1 == 1.0
