"""An ordered tree over the positions of a sequence.

Nodes are kept in preorder (a parent before its children, left before right) in parallel tuples, so that walking a tree
never recurses: a chain of thousands of nodes is as good as any other tree.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from recbayes.errors import DataError


@dataclass(frozen=True)
class Node:
    """One node: the half-open span it covers, and what the model says about it.

    `rule` names what the node did ("split", "split shift 1", "emit"), `label` its template variable, and `value` its
    latent value where that is known (in sampled trees); nodes are equal if all but their values are.
    """

    start: int
    end: int
    label: str = ""
    rule: str = ""
    value: np.ndarray | None = field(default=None, compare=False)

    @property
    def span(self) -> tuple[int, int]:
        return self.start, self.end


class Tree:
    """An immutable ordered tree, made of nodes in preorder and the number of children of each."""

    __slots__ = ("_arities", "_nodes", "_parents")

    def __init__(self, nodes: Sequence[Node], arities: Sequence[int]) -> None:
        if not nodes or len(nodes) != len(arities):
            raise DataError(f"a tree needs as many arities as nodes, got {len(arities)} and {len(nodes)}")
        self._nodes = tuple(nodes)
        self._arities = tuple(int(arity) for arity in arities)
        self._parents = _find_parents(self._nodes, self._arities)

    @property
    def nodes(self) -> tuple[Node, ...]:
        """All nodes in preorder."""
        return self._nodes

    @property
    def arities(self) -> tuple[int, ...]:
        """The number of children of each node, in preorder."""
        return self._arities

    @property
    def parents(self) -> tuple[int, ...]:
        """The position in `nodes` of each node's parent; -1 for the root."""
        return self._parents

    @property
    def levels(self) -> tuple[int, ...]:
        """The distance of each node from the root, in preorder."""
        levels: list[int] = []
        for parent in self._parents:
            levels.append(levels[parent] + 1 if levels else 0)
        return tuple(levels)

    @property
    def length(self) -> int:
        """The number of observations the tree covers."""
        return self._nodes[0].end - self._nodes[0].start

    @property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """The half-open spans of all nodes, in preorder."""
        return tuple(node.span for node in self._nodes)

    @property
    def leaves(self) -> tuple[Node, ...]:
        """The nodes without children, from left to right."""
        return tuple(node for node, arity in zip(self._nodes, self._arities, strict=True) if arity == 0)

    @property
    def depth(self) -> int:
        """The number of nodes on the longest path from the root to a leaf."""
        return max(self.levels) + 1

    def __iter__(self) -> Iterator[Node]:
        return iter(self._nodes)

    def __len__(self) -> int:
        return len(self._nodes)

    def __eq__(self, other: object) -> bool:
        """Trees are equal if their spans, labels and rules are; latent values do not count."""
        return isinstance(other, Tree) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple:
        return self._arities, tuple((node.span, node.label, node.rule) for node in self._nodes)

    def __repr__(self) -> str:
        return f"Tree({self.length} observations, {len(self)} nodes, {len(self.leaves)} leaves, depth {self.depth})"

    def __str__(self) -> str:
        """The tree as indented lines, one a node."""
        open_branches: list[bool] = []  # for every level, whether another sibling follows
        last_child = _last_children(self._parents)
        lines = []
        for index, (node, level) in enumerate(zip(self._nodes, self.levels, strict=True)):
            del open_branches[max(level - 1, 0) :]
            indent = "".join("│  " if branch else "   " for branch in open_branches)
            if level:
                indent += "└─ " if last_child[index] else "├─ "
                open_branches.append(not last_child[index])
            lines.append(" ".join(part for part in (f"{indent}{node.start}:{node.end}", node.label, node.rule) if part))
        return "\n".join(lines)


def _find_parents(nodes: tuple[Node, ...], arities: tuple[int, ...]) -> tuple[int, ...]:
    """The parent of each node in preorder; an error if some node's children do not tile it from left to right."""
    parents = []
    waiting: list[list[int]] = []  # for each open ancestor: its position, where its next child starts, children to come
    for index, (node, arity) in enumerate(zip(nodes, arities, strict=True)):
        while waiting and waiting[-1][2] == 0:
            waiting.pop()
        if index and not waiting:
            raise DataError(f"node {node.span} follows a tree that is already complete")
        parents.append(waiting[-1][0] if waiting else -1)
        if node.start >= node.end:
            raise DataError(f"node {node.span} covers nothing")
        if waiting:
            parent, start, missing = waiting[-1]
            end = nodes[parent].end
            if node.start != start or node.end > end or (missing == 1) != (node.end == end):
                raise DataError(f"children of {nodes[parent].span} must tile it; {node.span} does not continue at {start}")
            waiting[-1][1:] = [node.end, missing - 1]
        waiting.append([index, node.start, arity])
    if any(missing for _, _, missing in waiting):
        raise DataError("the tree ends before all announced children have come")
    return tuple(parents)


def _last_children(parents: tuple[int, ...]) -> list[bool]:
    """Whether each node is its parent's last child."""
    latest = dict(zip(parents, range(len(parents)), strict=True))
    return [latest[parent] == index for index, parent in enumerate(parents)]
