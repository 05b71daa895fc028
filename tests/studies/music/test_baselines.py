"""Trees over given leaves: their forms by hand, random ones by how often they come."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from recbayes.studies.music.baselines import (
    BASELINES,
    RANDOM,
    balanced,
    leaf_ends,
    left_branching,
    random_merging,
    random_tree,
    right_branching,
)
from tests.studies.music.tiny import counts_of

ENDS = [1, 3, 4, 7, 8]


def test_forms() -> None:
    leaves = set(pairwise([0, *ENDS]))
    assert set(right_branching(ENDS).spans) - leaves == {(0, 8), (1, 8), (3, 8), (4, 8)}
    assert set(left_branching(ENDS).spans) - leaves == {(0, 8), (0, 7), (0, 4), (0, 3)}
    assert set(balanced(ENDS).spans) - leaves == {(0, 8), (0, 3), (3, 8), (4, 8)}
    assert right_branching([4]).spans == balanced([4]).spans == ((0, 4),)


@pytest.mark.parametrize("name", [*BASELINES, *RANDOM])
def test_all_have_the_leaves_they_were_given(name: str) -> None:
    values = np.log(counts_of(("I", "IV", "V", "I", "vi", "IV", "V", "I"), 0, 1))
    random = np.random.default_rng(0)
    for ends in (ENDS, [8], list(range(1, 9))):
        tree = RANDOM[name](ends, random) if name in RANDOM else BASELINES[name](values, ends)
        assert leaf_ends(tree) == ends
        assert set(tree.arities) <= {0, 2}


def test_clustering_knows_of_transpositions_where_it_says_so() -> None:
    """G major is C major seven semitones up: only turned it is close to what follows; the third is a little off."""
    profile = np.array([4.0, 0, 2, 0, 3, 1, 0, 4, 0, 1, 0, 1])
    values = np.array([np.roll(profile, 7), profile, profile + 0.5 * np.eye(12)[1]])
    for linkage in ("means", "ward"):
        assert (1, 3) in BASELINES[f"clustering, {linkage}"](values, [1, 2, 3]).spans
        assert (0, 2) in BASELINES[f"clustering, {linkage}, turned"](values, [1, 2, 3]).spans


def test_random_trees_are_all_as_probable() -> None:
    """Five trees have four leaves; of the one that is balanced, merging at random makes a third."""
    random = np.random.default_rng(1)
    for make, share in ((random_tree, 1 / 5), (random_merging, 1 / 3)):
        found = Counter(make([1, 2, 3, 4], random).spans for _ in range(3000))
        assert len(found) == 5
        middle = next(count for spans, count in found.items() if {(0, 2), (2, 4)} <= set(spans))
        assert middle / 3000 == pytest.approx(share, abs=0.035)  # four deviations
        others = [count / 3000 for spans, count in found.items() if not {(0, 2), (2, 4)} <= set(spans)]
        assert others == pytest.approx([(1 - share) / 4] * 4, abs=0.035)


def test_many_leaves() -> None:
    tree = random_tree(range(1, 1001), np.random.default_rng(0))
    assert len(tree) == 1999
