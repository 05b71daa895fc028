"""Levels of trees: mir_eval and JAMS take them, and find what is known of hierarchies in closed form."""

import json
import warnings

import numpy as np
import pytest
from hypothesis import given

import recbayes as rb
from recbayes.errors import DataError, SizeError
from tests.tree.random_trees import DEEP, believed_trees, chain

TREE = rb.Tree(
    [
        rb.Node(0, 10, "A", probability=1.0),
        rb.Node(0, 4, "B", probability=0.5),
        rb.Node(4, 10, "C", "split"),
        rb.Node(4, 7, "B"),
        rb.Node(7, 10, ""),
    ],
    [2, 0, 2, 0, 0],
)


def test_levels() -> None:
    found = TREE.to_levels()
    assert [level.tolist() for level in found.intervals] == [[[0, 10]], [[0, 4], [4, 10]], [[0, 4], [4, 7], [7, 10]]]
    assert found.labels == [["A"], ["B", "C"], ["B", "B", "_"]]
    assert TREE.to_levels(distinct=True).labels[2] == ["0:4", "4:7", "7:10"]
    times = 0.5 * np.arange(11) ** 2
    assert TREE.to_levels(times).intervals[1].tolist() == [[0, 8], [8, 50]]


@given(tree=believed_trees())
def test_levels_are_the_cuts_of_a_tree(tree: rb.Tree) -> None:
    found = tree.to_levels()
    assert [[tuple(span) for span in level.astype(int)] for level in found.intervals] == [
        list(tree.cut(depth)) for depth in range(tree.depth)
    ]
    assert [len(labels) for labels in found.labels] == [len(level) for level in found.intervals]


def test_mir_eval_takes_them() -> None:
    """A tree agrees with itself fully; one that keeps the levels but for the finest one has perfect precision only."""
    hierarchy = pytest.importorskip("mir_eval").hierarchy
    y = TREE.to_levels(distinct=True)
    coarse = rb.Tree(TREE.nodes[:3], [2, 0, 0]).to_levels(distinct=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        assert hierarchy.lmeasure(*y, *y, frame_size=0.5) == pytest.approx((1, 1, 1))
        assert hierarchy.tmeasure(y.intervals, y.intervals, window=None, frame_size=0.5) == pytest.approx((1, 1, 1))
        precision, recall, _ = hierarchy.lmeasure(*y, *coarse, frame_size=0.5)
    assert precision == pytest.approx(1)
    assert recall < 0.95


def test_jams_validates() -> None:
    """The package reads the file without complaint; its own flattening gives the levels again."""
    jams = pytest.importorskip("jams")
    times = np.arange(11) / 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = jams.JAMS(**json.loads(TREE.to_jams(times, title="<a piece>")))
        assert found.validate(strict=True)
        intervals, labels = jams.eval.hierarchy_flatten(found.annotations[0])
    expected = TREE.to_levels(times)
    for mine, theirs in zip(expected.intervals, intervals, strict=True):
        np.testing.assert_allclose(mine, np.array(theirs))
    assert [list(row) for row in labels] == expected.labels


def test_jams_holds_probabilities() -> None:
    found = json.loads(TREE.to_jams(title="a piece"))
    rows = found["annotations"][0]["data"]
    assert [row["confidence"] for row in rows] == [1.0, 0.5, None, 0.5, None, None]
    assert [row["value"]["level"] for row in rows] == [0, 1, 1, 2, 2, 2]
    assert [(row["time"], row["duration"]) for row in rows[3:]] == [(0, 4), (4, 3), (7, 3)]
    assert found["file_metadata"]["title"] == "a piece"
    assert found["file_metadata"]["duration"] == 10


@pytest.mark.parametrize("times", [np.arange(10.0), np.zeros(11), -np.arange(11.0), np.zeros((11, 2)), "now", [None] * 11])
def test_times_that_do_not_fit(times: object) -> None:
    with pytest.raises(DataError, match="times must be"):
        TREE.to_levels(times)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="times must be"):
        TREE.to_jams(times)  # type: ignore[arg-type]


def test_deep_trees() -> None:
    assert len(chain(500).to_levels().intervals) == 500
    assert len(DEEP["unary"].to_levels().labels) == 5000
    with pytest.raises(SizeError, match=r"tree\.cut"):
        chain(5000).to_levels()
