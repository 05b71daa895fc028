"""Flat segmentations of a tree: a row of nodes that covers every observation once."""

from itertools import accumulate
from typing import TYPE_CHECKING

from recbayes.checks.arrays import whole_number
from recbayes.errors import DataError

if TYPE_CHECKING:
    from recbayes.tree.tree import Tree


def cut(tree: "Tree", depth: int) -> tuple[tuple[int, int], ...]:
    """The spans of the nodes at level `depth` and of the leaves above it, from left to right."""
    depth = whole_number(depth, "depth", error=DataError)
    if depth < 0:
        raise DataError(f"a tree cannot be cut at level {depth}; the root is level 0")
    rows = zip(tree.nodes, tree.levels, tree.arities, strict=True)
    return tuple(node.span for node, level, arity in rows if level == depth or (level < depth and arity == 0))


def segments(tree: "Tree", count: int) -> tuple[tuple[int, int], ...]:
    """The spans that remain after opening nodes level by level, left to right, until there are `count`.

    In this order a node comes after its parent, so that every prefix of it is a top of the tree that can be undone.
    """
    count = whole_number(count, "count", error=DataError)
    levels = tree.levels
    inner = [index for index, arity in enumerate(tree.arities) if arity]
    order = sorted(inner, key=lambda index: levels[index])
    counts = list(accumulate((tree.arities[index] - 1 for index in order), initial=1))
    if count not in counts:
        raise DataError(f"this tree has no segmentation into {count} segments; {_say_possible(counts)}")
    opened = set(order[: counts.index(count)])
    borders = (
        node.span
        for index, node in enumerate(tree.nodes)
        if index not in opened and (index == 0 or tree.parents[index] in opened)
    )
    return tuple(borders)


def _say_possible(counts: list[int]) -> str:
    possible = sorted(set(counts))
    if possible == list(range(1, possible[-1] + 1)):
        return f"possible are 1 to {possible[-1]}"
    listed = ", ".join(map(str, possible[:20])) + (", ..." if len(possible) > 20 else "")
    return (
        f"possible are {listed} (at most {possible[-1]}), because nodes with more than two children open all at once, "
        "level by level"
    )
