"""Agreement with regions: by hand, by brute force, and by mir_eval."""

import warnings

import numpy as np
import pytest
from mir_eval import hierarchy

from recbayes.studies.music import regions as module
from recbayes.studies.music.annotations import Region
from recbayes.studies.music.baselines import balanced, left_branching, random_merging, random_tree, right_branching
from recbayes.studies.music.regions import best_nodes, boundary_rank, frames_of, tree_frames, triplets
from recbayes.tree.tree import Tree

EDGES = np.arange(9) * 2.0
KEYS = (Region(0.0, 8.0, "C major"), Region(8.0, 12.0, "G major"), Region(12.0, 16.0, "C major"))


def test_best_nodes() -> None:
    """Balanced, all regions are nodes. Right-branching, the first is best met by everything: 2 * 8 / (16 + 8)."""
    ends = range(1, 9)
    assert best_nodes(balanced(ends), EDGES, KEYS) == 1.0
    right = [2 * 8 / 24, 2 * 4 / (8 + 4), 1.0]
    assert best_nodes(right_branching(ends), EDGES, KEYS) == pytest.approx(np.average(right, weights=[8, 4, 4]))
    halfway = (Region(0.0, 3.0, "x"), Region(3.0, 16.0, "y"))  # between edges
    assert best_nodes(Tree.from_spans([(0, 8), (0, 2), (2, 8)]), EDGES, halfway) == pytest.approx(
        np.average([2 * 3 / 7, 2 * 12 / 25], weights=[3, 13])
    )
    assert best_nodes(balanced(ends), EDGES, (Region(0.0, 16.0, "C major"),)) == 1.0


def test_boundary_rank() -> None:
    """Boundaries at 4 and 6. In a balanced tree 4 is higher than all five others, 6 than all but 2, which is equal."""
    assert boundary_rank(balanced(range(1, 9)), EDGES, KEYS) == pytest.approx((1.0 + 0.9) / 2)
    assert boundary_rank(right_branching(range(1, 9)), EDGES, KEYS) == pytest.approx((2 / 5 + 1 / 5) / 2)
    assert boundary_rank(left_branching(range(1, 9)), EDGES, KEYS) == pytest.approx((3 / 5 + 4 / 5) / 2)
    flat = Tree.from_spans([(0, 8)])
    assert boundary_rank(flat, EDGES, KEYS) == 0.5
    assert boundary_rank(balanced(range(1, 9)), EDGES, KEYS[:1]) == 0.5
    moved = (Region(0.0, 8.9, "x"), Region(8.9, 16.0, "y"))  # to the nearest position
    assert boundary_rank(balanced(range(1, 9)), EDGES, moved) == 1.0


def reference(end: float) -> list[list[Region]]:
    chords = [Region(float(place), float(place + 5), f"{place % 3}") for place in range(0, int(end), 5)]
    keys = [Region(0.0, 30.0, "a"), Region(30.0, 65.0, "b"), Region(65.0, end, "a")]
    return [[Region(0.0, end, "")], keys, chords]


@pytest.mark.parametrize("seed", range(4))
def test_triplets_against_mir_eval(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Frames of one quarter, and all edges at whole ones; labels and segments."""
    monkeypatch.setattr(module, "FRAMES", 80)
    random = np.random.default_rng(seed)
    inner = np.sort(random.choice(np.arange(1, 80), 20, replace=False))
    edges = np.array([0.0, *inner, 80.0])
    tree = (random_merging, random_tree)[seed % 2](range(1, 22), random)
    labels = {span: f"{random.integers(4)}" for span in tree.spans}
    levels = reference(80.0)
    intervals = [np.array([region[:2] for region in regions]) for regions in levels]
    names = [[region.label for region in regions] for regions in levels]
    cuts = [tree.cut(depth) for depth in range(tree.depth)]
    estimate = [np.array([[edges[start], edges[end]] for start, end in cut]) for cut in cuts]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        segments = hierarchy.tmeasure(intervals, estimate, transitive=True, window=None, frame_size=1.0)
        labelled = hierarchy.lmeasure(
            intervals, names, estimate, [[labels[span] for span in cut] for cut in cuts], frame_size=1.0
        )
    assert triplets(frames_of(levels, 80.0, False), tree_frames(tree, edges)) == pytest.approx(segments)
    assert triplets(frames_of(levels, 80.0, True), tree_frames(tree, edges, labels)) == pytest.approx(labelled)


def test_triplets_at_their_ends() -> None:
    """The same hierarchy is right throughout, and one without any structure orders nothing."""
    levels = reference(80.0)
    same = frames_of(levels, 80.0, False)
    assert triplets(same, same) == (1.0, 1.0, 1.0)
    assert triplets(same, same[:1]) == (0.0, 0.0, 0.0)
