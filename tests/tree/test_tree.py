"""Trees: structure, views, printing, equality, and clear errors for nodes that are no tree."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import recbayes as rb
from recbayes.errors import DataError

SMALL = rb.Tree(
    [rb.Node(0, 5, "x", "split"), rb.Node(0, 2, "x", "split"), rb.Node(0, 1), rb.Node(1, 2), rb.Node(2, 5, "x", "emit")],
    [2, 2, 0, 0, 0],
)


@st.composite
def nested(draw: st.DrawFn, start: int = 0, end: int = 12) -> tuple:
    """A random tree as nested tuples (start, end, children): an independent, recursive picture of a tree."""
    inner = list(range(start + 1, end))
    cuts = sorted(draw(st.sets(st.sampled_from(inner), max_size=3))) if inner else []
    if not cuts:
        return (start, end, ())
    points = [start, *cuts, end]
    return (start, end, tuple(draw(nested(a, b)) for a, b in pairwise(points)))


def flatten(tree: tuple) -> list[tuple[tuple[int, int], int]]:
    start, end, children = tree
    return [((start, end), len(children)), *(entry for child in children for entry in flatten(child))]


def depth(tree: tuple) -> int:
    return 1 + max((depth(child) for child in tree[2]), default=0)


def build(tree: tuple) -> rb.Tree:
    entries = flatten(tree)
    return rb.Tree([rb.Node(*span) for span, _ in entries], [arity for _, arity in entries])


@given(nested())
def test_views_agree_with_a_recursive_tree(picture: tuple) -> None:
    tree = build(picture)
    entries = flatten(picture)
    assert list(tree.spans) == [span for span, _ in entries]
    assert list(tree.arities) == [arity for _, arity in entries]
    assert [leaf.span for leaf in tree.leaves] == [span for span, arity in entries if arity == 0]
    assert tree.depth == depth(picture)
    assert tree.length == 12
    assert len(tree) == len(list(tree)) == len(entries)
    for index, parent in enumerate(tree.parents):
        if index:
            assert tree.nodes[parent].start <= tree.nodes[index].start
            assert tree.nodes[parent].end >= tree.nodes[index].end
            assert tree.levels[index] == tree.levels[parent] + 1
    assert (tree.parents[0], tree.levels[0]) == (-1, 0)


@given(nested())
def test_printed_tree_can_be_read_back(picture: tuple) -> None:
    """Indentation and spans alone determine the tree."""
    tree = build(picture)
    lines = str(tree).splitlines()
    levels, spans = [], []
    for line in lines:
        text = line.lstrip("│├└─ ")
        levels.append((len(line) - len(text)) // 3)
        start, end = text.split(":")
        spans.append((int(start), int(end)))
    assert tuple(levels) == tree.levels
    assert tuple(spans) == tree.spans


def test_printing() -> None:
    assert str(SMALL) == "0:5 x split\n├─ 0:2 x split\n│  ├─ 0:1\n│  └─ 1:2\n└─ 2:5 x emit"
    assert repr(SMALL) == "Tree(5 observations, 5 nodes, 3 leaves, depth 3)"
    assert str(rb.Tree([rb.Node(0, 1)], [0])) == "0:1"


def test_equality_and_hash_ignore_latent_values() -> None:
    one = rb.Tree([rb.Node(0, 2, "x", "emit", np.zeros(2))], [0])
    other = rb.Tree([rb.Node(0, 2, "x", "emit", np.ones(2))], [0])
    assert one == other
    assert hash(one) == hash(other)
    assert one.nodes[0] == other.nodes[0]
    assert hash(one.nodes[0]) == hash(other.nodes[0])
    assert one != rb.Tree([rb.Node(0, 2, "x", "split", np.zeros(2))], [0])
    assert one != rb.Tree([rb.Node(0, 2, "z", "emit", np.zeros(2))], [0])
    assert one != rb.Tree([rb.Node(0, 3, "x", "emit", np.zeros(2))], [0])
    assert one != "a tree"


def test_equality_sees_the_shape_behind_equal_spans() -> None:
    """A unary chain of three equal spans, and a root with the same spans in another order of nesting."""
    nodes = [rb.Node(0, 2), rb.Node(0, 2), rb.Node(0, 1), rb.Node(1, 2)]
    assert rb.Tree(nodes, [1, 2, 0, 0]) == rb.Tree(nodes, [1, 2, 0, 0])
    with pytest.raises(DataError):
        rb.Tree(nodes, [2, 1, 0, 0])


def test_nodes_are_immutable() -> None:
    with pytest.raises(AttributeError):
        SMALL.nodes[0].start = 1  # type: ignore[misc]
    with pytest.raises(AttributeError):
        SMALL.nodes = ()  # type: ignore[misc]


@pytest.mark.parametrize(
    ("spans", "arities", "complaint"),
    [
        ([], [], "as many arities as nodes"),
        ([(0, 1)], [0, 0], "as many arities as nodes"),
        ([(0, 3), (0, 1), (2, 3)], [2, 0, 0], r"\(0, 3\) must tile it; \(2, 3\) does not continue at 1"),
        ([(0, 3), (0, 2), (1, 3)], [2, 0, 0], "does not continue at 2"),
        ([(0, 3), (1, 3)], [1, 0], "does not continue at 0"),
        ([(0, 3), (0, 1), (1, 2)], [2, 0, 0], "must tile"),
        ([(0, 3), (0, 1), (1, 4)], [2, 0, 0], "must tile"),
        ([(0, 3), (0, 3), (3, 4)], [2, 0, 0], "must tile"),
        ([(0, 2), (1, 2), (0, 1)], [2, 0, 0], "does not continue at 0"),
        ([(0, 2), (0, 1)], [2, 0], "ends before all announced children"),
        ([(0, 1), (0, 1)], [0, 0], "already complete"),
        ([(0, 2), (0, 1), (1, 2), (2, 3)], [2, 0, 0, 0], "already complete"),
        ([(2, 2)], [0], r"\(2, 2\) covers nothing"),
        ([(3, 2)], [0], r"\(3, 2\) covers nothing"),
        ([(0, 1)], [-1], "ends before"),
    ],
)
def test_nodes_that_are_no_tree(spans: list, arities: list, complaint: str) -> None:
    with pytest.raises(DataError, match=complaint):
        rb.Tree([rb.Node(*span) for span in spans], arities)


@pytest.mark.parametrize("direction", ["left", "right"])
def test_chain_of_thousands_of_nodes(direction: str) -> None:
    leaves = 2500
    nodes, arities = [], []
    if direction == "right":
        for start in range(leaves - 1):
            nodes += [rb.Node(start, leaves), rb.Node(start, start + 1)]
            arities += [2, 0]
        nodes.append(rb.Node(leaves - 1, leaves))
        arities.append(0)
    else:
        nodes = [rb.Node(0, end) for end in range(leaves, 0, -1)] + [rb.Node(end - 1, end) for end in range(2, leaves + 1)]
        arities = [2] * (leaves - 1) + [0] * leaves
    tree = rb.Tree(nodes, arities)
    assert (len(tree), tree.depth, tree.length) == (4999, leaves, leaves)
    assert [leaf.start for leaf in tree.leaves] == list(range(leaves))
    assert str(tree).count("\n") == 4998
    assert hash(tree) == hash(rb.Tree(nodes, arities))
