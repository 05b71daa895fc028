"""Agreement with an analyst's tree, by hand, and probabilities against trees that are certain."""

import numpy as np
import pytest

from recbayes.errors import StudyError
from recbayes.studies.music.agreement import (
    ABOVE,
    ALL,
    BOUNDARIES,
    LEVELS,
    above_bars,
    mean_scores,
    percentile,
    probability_agreement,
    tree_agreement,
)
from recbayes.studies.music.baselines import balanced, left_branching, random_merging, right_branching
from recbayes.tree.metrics import Scores
from recbayes.tree.tree import Tree

BARS = np.array([0.0, 4.0, 8.0, 12.0, 16.0])
HALVES = np.linspace(0.0, 16.0, 9)
EXPERT = balanced([2, 4, 6, 8])  # over bars, each of two slices


def test_what_is_above_bars() -> None:
    """Longer than a bar, and not everything."""
    spans = [(0, 8), (0, 2), (1, 3), (1, 4), (0, 4), (4, 8), (7, 8)]
    assert above_bars(spans, HALVES, BARS) == [(1, 4), (0, 4), (4, 8)]
    assert above_bars(EXPERT.spans, HALVES, BARS) == [(0, 4), (4, 8)]
    uneven = np.array([0.0, 4.0, 10.0, 12.0])  # bars of 4, 6 and 2 quarters, of which the last is cut off
    assert above_bars([(0, 2), (2, 5), (3, 6), (2, 6)], np.linspace(0.0, 12.0, 7), uneven) == [(2, 6)]
    coarse = np.array([0.0, 6.0, 12.0, 16.0])  # single observations are leaves, however long they are
    assert above_bars([(0, 1), (0, 2)], coarse, BARS) == [(0, 2)]


def test_levels() -> None:
    """A right-branching tree over slices has 15 nodes: of the analyst's 7 all but 0:2, 0:4 and 2:4."""
    found = tree_agreement(EXPERT, right_branching(range(1, 9)), HALVES, BARS)
    assert (found[ALL].shared, found[ALL].predicted, found[ALL].true) == (3, 15, 7)
    assert (found[ABOVE].shared, found[ABOVE].predicted, found[ABOVE].true) == (1, 5, 2)  # 4:8 of 1:8 to 5:8
    assert (found[BOUNDARIES].precision, found[BOUNDARIES].recall) == (3 / 7, 1.0)
    perfect = tree_agreement(EXPERT, EXPERT, HALVES, BARS)
    assert [perfect[level].f1 for level in LEVELS] == [1.0, 1.0, 1.0]


def test_certain_probabilities_are_trees() -> None:
    """And probabilities of one half for each of two trees are in the middle of their counts."""
    trees = [right_branching(range(1, 9)), left_branching([2, 3, 8])]
    node, boundary = np.zeros((9, 9)), np.zeros(9)
    counts = dict.fromkeys(LEVELS, (0.0, 0.0))
    for tree in trees:
        alone_node, alone_boundary = np.zeros((9, 9)), np.zeros(9)
        for span in tree.spans:
            alone_node[span] = 1.0
        alone_boundary[[0, *(leaf.end for leaf in tree.leaves)]] = 1.0
        expected = tree_agreement(EXPERT, tree, HALVES, BARS)
        found = probability_agreement(EXPERT, alone_node, alone_boundary, HALVES, BARS)
        for level in LEVELS:
            assert found[level] == expected[level]
            counts[level] = (counts[level][0] + found[level].shared / 2, counts[level][1] + found[level].predicted / 2)
        node, boundary = node + alone_node / 2, boundary + alone_boundary / 2
    both = probability_agreement(EXPERT, node, boundary, HALVES, BARS)
    assert {level: (one.shared, one.predicted) for level, one in both.items()} == counts


def test_means() -> None:
    scores = [Scores(1.0, 0.5, 0.6, 1, 1, 2), Scores(0.0, 0.5, 0.2, 0, 3, 2)]
    assert mean_scores(scores) == Scores(0.5, 0.5, pytest.approx(0.4), 0.5, 2, 2)
    with pytest.raises(StudyError, match="no scores"):
        mean_scores([])


def test_percentiles() -> None:
    """By a made-up probability: how many nodes are wide."""
    expert, random = balanced(range(1, 9)), np.random.default_rng(0)

    def log_probability(tree: Tree) -> float:
        widths = [end - start for start, end in tree.spans]
        return -np.inf if 7 in widths else float(widths.count(4))

    others = [random_merging(range(1, 9), random) for _ in range(50)]
    found = percentile(log_probability, expert, others)
    values = [log_probability(tree) for tree in others]
    assert found.value == 2.0
    assert found.others == 50
    assert found.share == pytest.approx(np.mean([(one < 2.0) + 0.5 * (one == 2.0) for one in values]))
    assert found.above_mean == pytest.approx(2.0 - np.mean([one for one in values if one > -np.inf]))
    assert percentile(log_probability, expert, [right_branching(range(1, 9))]).share == 1.0
    with pytest.raises(StudyError, match="other trees"):
        percentile(log_probability, expert, [])
