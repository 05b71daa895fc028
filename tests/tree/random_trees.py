"""Random trees as nested tuples: an independent, recursive picture of what a tree is."""

from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

import recbayes as rb


@st.composite
def nested(draw: st.DrawFn, start: int = 0, end: int = 12) -> tuple:
    """A random tree as nested tuples (start, end, children)."""
    inner = list(range(start + 1, end))
    cuts = sorted(draw(st.sets(st.sampled_from(inner), max_size=3))) if inner else []
    if not cuts:
        return (start, end, ())
    points = [start, *cuts, end]
    return (start, end, tuple(draw(nested(a, b)) for a, b in pairwise(points)))


def flatten(tree: tuple) -> list[tuple[tuple[int, int], int]]:
    start, end, children = tree
    return [((start, end), len(children)), *(entry for child in children for entry in flatten(child))]


def build(tree: tuple) -> rb.Tree:
    entries = flatten(tree)
    return rb.Tree([rb.Node(*span) for span, _ in entries], [arity for _, arity in entries])


NASTY = [*"()[]{}:;,'\"\\_~-&= \n\t\r\x00\x1c\x85\xa0\u2028\ud800é中🌲xuUe0", "-LRB-", "-RSB-", "\\u0041", "split shift 1"]

names = st.one_of(
    st.sampled_from(["", "x", "emit", *NASTY]), st.lists(st.sampled_from(NASTY), max_size=6).map("".join), st.text()
)


@st.composite
def trees(draw: st.DrawFn, names: st.SearchStrategy[str] = names, first: st.SearchStrategy[int] | None = None) -> rb.Tree:
    """Trees with unary chains, nasty labels and rules, and a start other than 0."""
    start = draw(st.integers(-3, 9) if first is None else first)
    picture = draw(nested(start, start + draw(st.integers(1, 9))))
    nodes, arities = [], []
    for span, arity in flatten(picture):
        copies = draw(st.sampled_from([1, 1, 1, 2, 3]))
        nodes += [rb.Node(*span, draw(names), draw(names)) for _ in range(copies)]
        arities += [1] * (copies - 1) + [arity]
    return rb.Tree(nodes, arities)


@st.composite
def believed_trees(draw: st.DrawFn) -> rb.Tree:
    """Trees whose nodes may have values, covariances and probabilities."""
    tree = draw(trees())
    numbers = st.floats(allow_nan=False, allow_infinity=False)
    nodes = []
    for node in tree:
        dim = draw(st.integers(1, 3))
        value = draw(st.none() | st.lists(numbers, min_size=dim, max_size=dim).map(np.array))
        square = st.lists(numbers, min_size=dim * dim, max_size=dim * dim)
        covariance = draw(st.none() | square.map(lambda entries, dim=dim: np.array(entries).reshape(dim, dim)))
        nodes.append(rb.Node(*node.span, node.label, node.rule, value, covariance, draw(st.none() | st.floats(0, 1))))
    return rb.Tree(nodes, tree.arities)


def chain(leaves: int = 2500, direction: str = "right") -> rb.Tree:
    """A tree as deep as it can be: each split separates one observation, the last on the left, the first on the right."""
    nodes: list[rb.Node] = []
    if direction == "right":
        for start in range(leaves - 1):
            nodes += [rb.Node(start, leaves, "x", "split"), rb.Node(start, start + 1, "x", "emit")]
        nodes.append(rb.Node(leaves - 1, leaves, "x", "emit"))
        return rb.Tree(nodes, [2, 0] * (leaves - 1) + [0])
    nodes = [rb.Node(0, end, "x", "split") for end in range(leaves, 1, -1)]
    nodes += [rb.Node(end - 1, end, "x", "emit") for end in range(1, leaves + 1)]
    return rb.Tree(nodes, [2] * (leaves - 1) + [0] * leaves)


def unary_chain(levels: int = 5000) -> rb.Tree:
    return rb.Tree([rb.Node(0, 2, str(level)) for level in range(levels)], [1] * (levels - 1) + [0])


DEEP = {"right": chain(), "left": chain(direction="left"), "unary": unary_chain()}
