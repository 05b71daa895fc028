"""Many trees over one series, kept as flat arrays and made into `Tree`s only when somebody looks at one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import overload

import numpy as np

from recbayes.tree.tree import Node, Tree


@dataclass(frozen=True, eq=False)
class Forest(Sequence[Tree]):
    """A sequence of trees over one series, which are made when they are looked at.

    All nodes are in flat arrays, in preorder, tree after tree.

    Attributes:
        labels: names of variables or symbols.
        rule_names: names of rules, by their numbers.
        positions: observations at which the chart's points stand.
        variables: the number of every node's variable.
        starts: the chart point at which it begins.
        ends: the chart point at which it ends.
        rules: the number of its rule.
        arities: how many children it has.
        first: tree t has the nodes from first[t] to first[t + 1].
    """

    labels: Sequence[str]
    rule_names: Mapping[int, str]
    positions: np.ndarray
    variables: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    rules: np.ndarray
    arities: np.ndarray
    first: np.ndarray

    def __len__(self) -> int:
        return len(self.first) - 1

    @overload
    def __getitem__(self, index: int) -> Tree: ...
    @overload
    def __getitem__(self, index: slice) -> list[Tree]: ...
    def __getitem__(self, index: int | slice) -> Tree | list[Tree]:
        if isinstance(index, slice):
            return [self._tree(t) for t in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"there are {len(self)} trees, no number {index}")
        return self._tree(index % len(self))

    def __iter__(self) -> Iterator[Tree]:
        return (self._tree(t) for t in range(len(self)))

    def __repr__(self) -> str:
        return f"Forest({len(self)} trees, {self.sizes.mean():.1f} nodes on average)"

    @cached_property
    def sizes(self) -> np.ndarray:
        """The number of nodes of every tree."""
        return np.diff(self.first)

    @cached_property
    def owners(self) -> np.ndarray:
        """The tree of every node."""
        return np.repeat(np.arange(len(self)), self.sizes)

    @cached_property
    def is_top(self) -> np.ndarray:
        """Whether each node is the highest of its span: all but the children of unary nodes."""
        below = np.zeros(len(self.arities), dtype=np.bool_)
        below[1:] = self.arities[:-1] == 1
        return ~below

    @cached_property
    def splits(self) -> np.ndarray:
        """The first split point of every node: where its first child, which is the next node, ends. Leaves: their start."""
        following = np.append(self.ends[1:], 0)
        return np.where(self.arities > 0, following, self.starts)

    def select(self, trees: np.ndarray) -> "Forest":
        """Some of the trees, in a new order.

        Arguments:
            trees: their numbers; repetitions are allowed.
        """
        sizes = self.sizes[trees]
        first = np.concatenate([[0], np.cumsum(sizes)])
        nodes = np.arange(first[-1]) + np.repeat(self.first[:-1][trees] - first[:-1], sizes)
        parts = {name: getattr(self, name)[nodes] for name in ("variables", "starts", "ends", "rules", "arities")}
        return replace(self, first=first, **parts)

    def distinct(self) -> tuple[np.ndarray, np.ndarray]:
        """The first tree of every kind, and the kind of every tree. Rules count, not only spans."""
        packed = np.stack([self.variables, self.ends, self.rules], axis=1).astype(np.int32)
        kinds: dict[bytes, int] = {}
        numbers = np.empty(len(self), dtype=np.int64)
        representatives = []
        for t, (begin, end) in enumerate(zip(self.first[:-1].tolist(), self.first[1:].tolist(), strict=True)):
            key = packed[begin:end].tobytes()
            if key not in kinds:
                kinds[key] = len(kinds)
                representatives.append(t)
            numbers[t] = kinds[key]
        return np.array(representatives, dtype=np.int64), numbers

    def _tree(self, t: int) -> Tree:
        nodes = slice(self.first[t], self.first[t + 1])
        starts, ends = self.positions[self.starts[nodes]].tolist(), self.positions[self.ends[nodes]].tolist()
        labels = [self.labels[v] for v in self.variables[nodes].tolist()]
        rules = [self.rule_names[rule] for rule in self.rules[nodes].tolist()]
        rows = zip(starts, ends, labels, rules, strict=True)
        return Tree([Node(*row) for row in rows], self.arities[nodes].tolist())
