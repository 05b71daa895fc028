"""Trees: structure, views, printing, equality, and clear errors for nodes that are no tree."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import recbayes as rb
from recbayes.errors import DataError
from tests.tree.random_trees import DEEP, build, flatten, nested, trees

SMALL = rb.Tree(
    [rb.Node(0, 5, "x", "split"), rb.Node(0, 2, "x", "split"), rb.Node(0, 1), rb.Node(1, 2), rb.Node(2, 5, "x", "emit")],
    [2, 2, 0, 0, 0],
)


def depth(tree: tuple) -> int:
    return 1 + max((depth(child) for child in tree[2]), default=0)


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


def test_printing_says_probabilities_where_known() -> None:
    nodes = [rb.Node(0, 2, "x", "split", probability=1.0), rb.Node(0, 1, probability=0.926), rb.Node(1, 2, "x", "emit")]
    assert str(rb.Tree(nodes, [2, 0, 0])) == "0:2 x split p=1.00\n├─ 0:1 p=0.93\n└─ 1:2 x emit"


@given(trees())
def test_every_node_prints_on_one_line(tree: rb.Tree) -> None:
    assert len(str(tree).splitlines()) == len(tree)


@pytest.mark.parametrize("tree", DEEP.values(), ids=DEEP)
def test_deep_trees_print_legibly(tree: rb.Tree) -> None:
    """Indentation is bounded, and beyond it the level is a number."""
    lines = str(tree).splitlines()
    assert len(lines) == len(tree)
    assert max(map(len, lines)) < 110
    for line, level, node in zip(lines, tree.levels, tree, strict=True):
        text = line.lstrip("│├└─ ")
        if level > 24:
            number, _, text = text.partition(" ")
            assert number == f"[{level}]"
        else:
            assert len(line) - len(text) == 3 * level
        assert text.startswith(f"{node.start}:{node.end}")


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


def test_what_is_believed_about_a_node_is_not_the_node() -> None:
    plain = rb.Node(0, 2, "x", "emit")
    believed = rb.Node(0, 2, "x", "emit", value=np.ones(2), covariance=np.eye(2), probability=0.5)
    assert plain == believed
    assert (plain.value, plain.covariance, plain.probability, plain.length) == (None, None, None, 2)


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


@given(trees())
def test_children_are_those_whose_parent_it_is(tree: rb.Tree) -> None:
    for index, node in enumerate(tree):
        children = tree.children(index)
        assert [child for child, parent in enumerate(tree.parents) if parent == index] == list(children)
        if children:
            assert [position for child in children for position in range(*tree.nodes[child].span)] == list(range(*node.span))


def recursive_cut(tree: tuple, depth: int) -> list[tuple[int, int]]:
    start, end, children = tree
    if depth == 0 or not children:
        return [(start, end)]
    return [span for child in children for span in recursive_cut(child, depth - 1)]


@given(nested(), st.integers(0, 13))
def test_cut_agrees_with_a_recursive_cut(picture: tuple, level: int) -> None:
    assert list(build(picture).cut(depth=level)) == recursive_cut(picture, level)


@given(nested())
def test_segments_refine_each_other_and_contain_every_cut(picture: tuple) -> None:
    tree = build(picture)
    possible = {}
    for count in range(1, len(tree.leaves) + 1):
        try:
            possible[count] = tree.segments(count=count)
        except DataError:
            assert max(tree.arities) > 2
    before: set[int] = {0, 12}
    for count, spans in possible.items():
        assert len(spans) == count
        assert [position for span in spans for position in range(*span)] == list(range(12))
        assert set(spans) <= set(tree.spans)
        ends = {0} | {end for _, end in spans}
        assert before <= ends
        before = ends
    for level in range(tree.depth):
        assert tree.cut(level) in possible.values()
    assert possible[len(tree.leaves)] == tuple(leaf.span for leaf in tree.leaves)


def test_segments_open_level_by_level_from_left_to_right() -> None:
    tree = rb.Tree.from_spans([(0, 8), (0, 4), (4, 8), (0, 1), (1, 4), (4, 5), (5, 8), (1, 3), (3, 4)])
    assert tree.segments(1) == ((0, 8),)
    assert tree.segments(2) == ((0, 4), (4, 8))
    assert tree.segments(3) == ((0, 1), (1, 4), (4, 8))
    assert tree.segments(4) == ((0, 1), (1, 4), (4, 5), (5, 8))
    assert tree.segments(5) == ((0, 1), (1, 3), (3, 4), (4, 5), (5, 8))


def test_segmentations_that_do_not_exist() -> None:
    for count in (0, -1, 4):
        with pytest.raises(DataError, match=f"into {count} segments; possible are 1 to 3"):
            SMALL.segments(count)
    broad = rb.Tree.from_spans([(0, 4), (0, 1), (1, 2), (2, 4), (2, 3), (3, 4)])
    with pytest.raises(
        DataError, match=r"into 2 segments; possible are 1, 3, 4 \(at most 4\), because nodes with more than"
    ):
        broad.segments(2)
    with pytest.raises(DataError, match="cut at level -1; the root is level 0"):
        SMALL.cut(-1)


def test_unary_nodes_segment_like_their_child() -> None:
    tree = rb.Tree([rb.Node(0, 2), rb.Node(0, 2), rb.Node(0, 1), rb.Node(1, 2)], [1, 2, 0, 0])
    assert [tree.cut(level) for level in range(3)] == [((0, 2),), ((0, 2),), ((0, 1), (1, 2))]
    assert tree.segments(1) == ((0, 2),)
    assert tree.segments(2) == ((0, 1), (1, 2))


@pytest.mark.parametrize("direction", ["left", "right"])
def test_chain_of_thousands_of_nodes(direction: str) -> None:
    tree = DEEP[direction]
    assert (len(tree), tree.depth, tree.length) == (4999, 2500, 2500)
    assert [leaf.start for leaf in tree.leaves] == list(range(2500))
    again = rb.Tree(list(tree), list(tree.arities))
    assert again == tree
    assert hash(again) == hash(tree)
    assert len(tree.segments(2000)) == 2000
    assert len(tree.cut(1999)) == 2000
    assert sum(len(tree.children(index)) for index in range(len(tree))) == 4998


@pytest.mark.parametrize("tree", [SMALL, *DEEP.values()], ids=["small", *DEEP])
def test_copies(tree: rb.Tree) -> None:
    tree.children(0)
    for again in (copy.copy(tree), copy.deepcopy(tree), pickle.loads(pickle.dumps(tree))):
        assert again == tree
        assert again.parents == tree.parents
        assert again.children(0) == tree.children(0)


def test_copies_keep_what_is_believed() -> None:
    tree = rb.Tree([rb.Node(0, 2, "x", "emit", np.ones(2), np.eye(2), 0.5)], [0])
    node = pickle.loads(pickle.dumps(tree)).nodes[0]
    np.testing.assert_array_equal(node.value, np.ones(2))
    np.testing.assert_array_equal(node.covariance, np.eye(2))
    assert node.probability == 0.5
