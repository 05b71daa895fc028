"""Trees from nested spans in any order."""

from collections.abc import Iterable, Sequence
from operator import index as whole

from recbayes.checks.arguments import listed, text
from recbayes.errors import DataError
from recbayes.tree.formats.assembly import Parts
from recbayes.tree.node import Node

Span = tuple[int, int]


def check_spans(pairs: Iterable[Sequence[int]]) -> list[Span]:
    """The spans as pairs of whole numbers; an error names the first that is none."""
    spans = []
    for pair in listed(pairs, "spans", "pairs (start, end)"):
        try:
            start, end = map(whole, pair)
        except (TypeError, ValueError) as problem:
            raise DataError(f"a span is a pair of whole numbers (start, end), got {pair!r}") from problem
        if start >= end:
            raise DataError(f"span {(start, end)} covers nothing; spans are half-open, so start must be less than end")
        spans.append((start, end))
    return spans


def nest(pairs: Iterable[Sequence[int]], labels: Sequence[str] | None = None) -> Parts:
    """The nodes of the spans; every gap beside a child becomes one leaf.

    Sorted by start, and longer before shorter, spans are in preorder; the sort is stable, so of equal spans the earlier
    is the outer one.
    """
    spans = check_spans(pairs)
    if labels is not None:
        labels = [text(label, "labels: each of them") for label in listed(labels, "labels", "texts")]
    if labels is not None and len(labels) != len(spans):
        raise DataError(f"{len(labels)} labels for {len(spans)} spans; give one for each, in the same order")
    if not spans:
        raise DataError("a tree needs at least one span, that of its root")
    named = zip(spans, [""] * len(spans) if labels is None else labels, strict=True)
    ordered = sorted(named, key=lambda entry: (entry[0][0], -entry[0][1]))
    whole_sequence = (ordered[0][0][0], max(end for _, end in spans))
    if ordered[0][0] != whole_sequence:
        raise DataError(f"no span covers all others; add that of the root, {whole_sequence}")
    builder = _Builder()
    for span, label in ordered:
        builder.add(span, label)
    builder.close(up_to=whole_sequence[1])
    return builder.nodes, builder.arities


class _Builder:
    """Adds nodes in preorder below the innermost node that is still open."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.arities: list[int] = []
        self._open: list[int] = []
        self._reached: list[int] = []  # for every open node, up to where its children cover it

    def add(self, span: Span, label: str) -> None:
        self.close(up_to=span[0])
        if self._open:
            outer = self.nodes[self._open[-1]]
            if span[1] > outer.end:
                raise DataError(f"spans {outer.span} and {span} cross; in a tree, spans are nested or do not overlap")
            self._fill(up_to=span[0])
            self._append(Node(*span, label))
        else:
            self.nodes.append(Node(*span, label))
            self.arities.append(0)
        self._open.append(len(self.nodes) - 1)
        self._reached.append(span[0])

    def close(self, up_to: int) -> None:
        """Close all nodes that end here or before."""
        while self._open and self.nodes[self._open[-1]].end <= up_to:
            if self.arities[self._open[-1]]:
                self._fill(up_to=self.nodes[self._open[-1]].end)
            self._open.pop()
            self._reached.pop()

    def _fill(self, up_to: int) -> None:
        if self._reached[-1] < up_to:
            self._append(Node(self._reached[-1], up_to))

    def _append(self, node: Node) -> None:
        self.arities[self._open[-1]] += 1
        self._reached[-1] = node.end
        self.nodes.append(node)
        self.arities.append(0)
