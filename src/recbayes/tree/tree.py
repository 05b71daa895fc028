"""An ordered tree over the positions of a sequence.

Nodes are kept in preorder (a parent before its children, left before right) in parallel tuples, so that walking a tree
never recurses: a chain of thousands of nodes is as good as any other tree.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Self

import numpy as np

from recbayes.checks.arguments import flag, instance, listed
from recbayes.checks.arguments import text as a_text
from recbayes.checks.arrays import whole_number
from recbayes.errors import DataError, FileError
from recbayes.tree import printing
from recbayes.tree.formats import brackets, document, graph, newick, spans, svg
from recbayes.tree.formats.levels import Levels, write_jams, write_levels
from recbayes.tree.known import OnlySpans
from recbayes.tree.node import Node
from recbayes.tree.segments import cut, segments


class Tree:
    """An immutable ordered tree over the positions of a sequence.

    Trees are equal if their spans, labels and rules are; values and probabilities do not count. Going through a tree gives
    its nodes in preorder: a parent before its children, left before right.

    Arguments:
        nodes: all `Node`s in preorder.
        arities: the number of children of each; a node's children tile its span.
    """

    __slots__ = ("_arities", "_children", "_nodes", "_parents")

    def __init__(self, nodes: Sequence[Node], arities: Sequence[int]) -> None:
        self._nodes = tuple(listed(nodes, "nodes", "Nodes"))
        given = listed(arities, "arities", "whole numbers")
        if not self._nodes or len(self._nodes) != len(given):
            raise DataError(f"a tree needs as many arities as nodes, got {len(given)} and {len(self._nodes)}")
        for node in self._nodes:
            instance(node, Node, "nodes: each of them")
        self._arities = tuple(
            arity if type(arity) is int else whole_number(arity, "arities: each of them", error=DataError) for arity in given
        )
        self._parents = _find_parents(self._nodes, self._arities)
        self._children: list[tuple[int, ...]] | None = None  # found when first asked for: many trees are only counted

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

    def children(self, index: int) -> tuple[int, ...]:
        """The positions in `nodes` of the children of a node, from left to right.

        Arguments:
            index: the position of the node.
        """
        if self._children is None:
            found: list[list[int]] = [[] for _ in self._nodes]
            for child, parent in enumerate(self._parents[1:], start=1):
                found[parent].append(child)
            self._children = [tuple(children) for children in found]
        if type(index) is not int or not 0 <= index < len(self._children):
            index = whole_number(index, "index", least=0, most=len(self._children) - 1, error=DataError)
        return self._children[index]

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
        return self._nodes[0].length

    @property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """The half-open spans of all nodes, in preorder."""
        return tuple(node.span for node in self._nodes)

    def span_mask(self) -> np.ndarray:
        """(N + 1, N + 1): what `allowed` of `inside`, `sample_posterior` and `fit` takes to know this very bracketing.

        1 for the spans of leaves, 2 for those of nodes with children (they may not be leaves), 0 for all others.
        """
        return self.only_spans().dense()

    def only_spans(self) -> OnlySpans:
        """What `span_mask` says, for series of any length: `allowed` takes it, too."""
        if self._nodes[0].start != 0:
            raise DataError(f"the mask of a series needs a tree that begins at 0, this one begins at {self._nodes[0].start}")
        return OnlySpans(self.length, self.spans, tuple(arity > 0 for arity in self._arities))

    @property
    def leaves(self) -> tuple[Node, ...]:
        """The nodes without children, from left to right."""
        return tuple(node for node, arity in zip(self._nodes, self._arities, strict=True) if arity == 0)

    @property
    def depth(self) -> int:
        """The number of nodes on the longest path from the root to a leaf."""
        return max(self.levels) + 1

    def cut(self, depth: int) -> tuple[tuple[int, int], ...]:
        """The flat segmentation at a level: spans of the nodes there and of the leaves above, left to right.

        Arguments:
            depth: the level; 0 is the root.
        """
        return cut(self, depth)

    def segments(self, count: int) -> tuple[tuple[int, int], ...]:
        """A flat segmentation into so many spans: nodes are opened level by level, in a level from left to right.

        More segments refine fewer, and every `cut` is among them. A node with three or more children adds several segments
        at once, so in trees that are not binary some counts do not exist; the error says which do.

        Arguments:
            count: how many spans.
        """
        return segments(self, count)

    def __iter__(self) -> Iterator[Node]:
        return iter(self._nodes)

    def __len__(self) -> int:
        return len(self._nodes)

    def __eq__(self, other: object) -> bool:
        """Trees are equal if their spans, labels and rules are; values and probabilities do not count."""
        return isinstance(other, Tree) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple:
        return self._arities, tuple((node.span, node.label, node.rule) for node in self._nodes)

    def __reduce__(self) -> tuple:
        return type(self), (self._nodes, self._arities)

    def __repr__(self) -> str:
        return f"Tree({self.length} observations, {len(self)} nodes, {len(self.leaves)} leaves, depth {self.depth})"

    def __str__(self) -> str:
        """The tree as indented lines, one a node."""
        return printing.draw(self)

    def to_brackets(self, tokens: Sequence[object] | None = None) -> str:
        """The tree in the bracketed form of the Penn treebank; see `recbayes.tree.formats.brackets`.

        Arguments:
            tokens: what stands for the observations: words, say. None: their positions.
        """
        return brackets.write_brackets(self, tokens)

    @classmethod
    def from_brackets(cls, text: str) -> Self:
        """The tree that `to_brackets` or anybody else wrote in brackets.

        >>> print(rb.Tree.from_brackets("(S (NP the dog) (VP (V barks)))"))
        0:3 S
        ├─ 0:2 NP
        └─ 2:3 VP
           └─ 2:3 V

        Arguments:
            text: the brackets; a damaged text is a `FileError`.
        """
        return cls(*brackets.read_brackets(a_text(text, "a tree in brackets", FileError)))

    def to_nltk(self, tokens: Sequence[object] | None = None) -> Any:
        """The tree as an `nltk.Tree`: what NLTK reads from `to_brackets(tokens)`.

        Arguments:
            tokens: what stands for the observations. None: their positions.
        """
        return brackets.write_nltk(self, tokens)

    @classmethod
    def from_nltk(cls, tree: Any) -> Self:
        """The tree of an `nltk.Tree`, read as `from_brackets` would read it.

        Arguments:
            tree: the `nltk.Tree`.
        """
        return cls(*brackets.read_nltk(tree))

    def to_newick(self, *, probabilities: bool = False) -> str:
        """The tree in Newick form, a leaf's branch length its number of observations; see `recbayes.tree.formats.newick`.

        Arguments:
            probabilities: whether nodes whose probabilities are known have them in comments, `[&posterior=0.93]`, by default
                False.
        """
        return newick.write_newick(self, flag(probabilities, "probabilities"))

    @classmethod
    def from_newick(cls, text: str) -> Self:
        """The tree of a Newick text. Comments `[&posterior=0.93]` are probabilities of nodes.

        Arguments:
            text: the tree in Newick form; a leaf without a branch length is one observation.
        """
        return cls(*newick.read_newick(a_text(text, "a tree in Newick form", FileError)))

    def to_json(self) -> str:
        """The whole tree as JSON, with values, covariances and probabilities, which read back bit for bit."""
        return document.write_json(self)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The tree that `to_json` wrote.

        Arguments:
            text: the JSON; a damaged text is a `FileError`.
        """
        return document.read_json(a_text(text, "a tree in JSON", FileError), cls)

    def to_svg(self, *, title: str = "") -> str:
        """The tree as a static picture for pages and notebooks: every node a band over its span, darker the more probable.

        SVG without scripts, style sheets or ids, in the colour of the text around it; a file of it opens in a browser. Of
        very large trees the smallest nodes are left out.

        Arguments:
            title: what it is called for those who hear it.
        """
        return svg.write_svg(self, a_text(title, "title"))

    def to_levels(self, times: Sequence[float] | np.ndarray | None = None, *, distinct: bool = False) -> Levels:
        """Segmentations from coarse to fine, as `mir_eval.hierarchy` takes them: a `Levels` of intervals and labels.

        Level 0 is the root, and every level covers all observations: leaves go on in the levels below them.

        Arguments:
            times: when each observation begins, and when the last ends. None counts observations.
            distinct: whether every segment has a label of its own, its span, by default False: its node's label. Measures
                that compare labels need that where all nodes have the same.
        """
        return write_levels(self, times, flag(distinct, "distinct"))

    def to_jams(self, times: Sequence[float] | np.ndarray | None = None, *, title: str = "") -> str:
        """The levels of the tree as the text of a JAMS file, an annotation `multi_segment` with probabilities as confidence.

        Arguments:
            times: when each observation begins, and when the last ends, in seconds. None counts observations.
            title: of what is annotated.
        """
        return write_jams(self, times, a_text(title, "title"))

    def _repr_html_(self) -> str:
        """The picture, for notebooks."""
        return svg.write_svg(self)

    def to_networkx(self) -> Any:
        """The tree as a `networkx.DiGraph` from parents to children; nodes are numbered in preorder from 0.

        Every node has `start`, `end`, `label` and `rule`, and `value`, `covariance` and `probability` where known.
        """
        return graph.write_networkx(self)

    @classmethod
    def from_networkx(cls, directed: Any) -> Self:
        """The tree of a directed graph.

        Arguments:
            directed: a `networkx.DiGraph` whose nodes, under any names, have at least `start` and `end`.
        """
        return cls(*graph.read_networkx(directed))

    def to_table(self) -> list[dict[str, Any]]:
        """One row a node, in preorder, ready for `pandas.DataFrame(tree.to_table())`."""
        return graph.write_table(self)

    @classmethod
    def from_spans(cls, pairs: Iterable[Sequence[int]], labels: Sequence[str] | None = None) -> Self:
        """The tree of nested half-open spans; a part of a node that no child covers becomes a leaf.

        >>> print(rb.Tree.from_spans([(0, 10), (0, 4)]))
        0:10
        ├─ 0:4
        └─ 4:10

        Arguments:
            pairs: the spans in any order, that of the root among them. Of equal spans the earlier is the parent.
            labels: of the nodes, in the order of the spans; leaves made for gaps have none. None: no node has one.
        """
        return cls(*spans.nest(pairs, labels))


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
