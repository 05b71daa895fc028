"""How well one tree agrees with another.

Wherever a tree is expected, any iterable of half-open spans will do: a flat segmentation, say, or somebody else's tree.
Nodes are compared by their spans, and a span counts once however many nodes of a unary chain have it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import fsum

import numpy as np

from recbayes.checks.arguments import flag
from recbayes.checks.arrays import whole_number
from recbayes.checks.numbers import numbers
from recbayes.errors import DataError
from recbayes.tree.formats.spans import Span, check_spans
from recbayes.tree.tree import Tree

TreeOrSpans = Tree | Iterable[Sequence[int]]


@dataclass(frozen=True)
class Scores:
    """Precision, recall and their harmonic mean F1, and the counts they come from.

    Counts of several series add up; ratios do not. If nothing is true and nothing predicted, all is right: 1. If only one of
    the two is empty: 0.

    Attributes:
        precision: the share of what is predicted that is true.
        recall: the share of what is true that is predicted.
        f1: 2 precision recall / (precision + recall).
        shared: how much is both true and predicted.
        predicted: how much is predicted.
        true: how much is true.
    """

    precision: float
    recall: float
    f1: float
    shared: float
    predicted: float
    true: float


def node_scores(true: TreeOrSpans, predicted: TreeOrSpans, *, labelled: bool = False) -> Scores:
    """Compare two trees node by node, as the paper's evaluation does.

    With TP the number of nodes in both, FP in the prediction alone, FN in the truth alone: precision TP / (TP + FP), recall
    TP / (TP + FN), F1 = 2PR / (P + R). A span counts once, however many nodes of a unary chain have it.

    >>> true = [(0, 4), (0, 2), (2, 4)]
    >>> rb.node_scores(true, [(0, 4), (0, 2), (2, 4), (2, 3), (3, 4)]).precision
    0.6

    Arguments:
        true: the true `Tree`, or its half-open spans.
        predicted: the other, likewise.
        labelled: whether a node is found only if its label is right too; nodes of a unary chain then count once per label.
    """
    true, predicted = _comparable(true, predicted)
    if flag(labelled, "labelled"):
        return _score_sets(_labelled(true), _labelled(predicted))
    return _score_sets(_spans(true), _spans(predicted))


def probabilistic_node_scores(true: TreeOrSpans, node_probability: np.ndarray) -> Scores:
    """Compare the true tree with probabilities of all nodes, as the paper's evaluation does.

    TP is the sum over the true tree's nodes, TP + FP the sum over all possible nodes, TP + FN the number of nodes in the
    true tree. Sums may be anything the probabilities add up to, so that marginals that are not calibrated show as such.

    Arguments:
        true: the true `Tree`, or its half-open spans.
        node_probability: (N + 1, N + 1): entry (i, k) belongs to the node with span (i, k); only entries above the diagonal
            count.
    """
    table = numbers(node_probability, "node probabilities must be numbers")
    if table.ndim != 2 or table.shape[0] != table.shape[1] or len(table) < 2:
        raise DataError(f"node probabilities must be an (N+1, N+1) array, got shape {table.shape}")
    size = len(table) - 1
    true, _ = _comparable(true, Tree.from_spans([(0, size)]))
    possible = table[np.triu_indices(size + 1, k=1)]
    if not np.isfinite(possible).all() or (possible < 0).any():
        raise DataError("node probabilities above the diagonal must be finite and not negative")
    spans = _spans(true)
    return _score(fsum(table[span] for span in spans), fsum(possible), len(spans))  # exact sums: no precision above 1


def boundary_scores(true: TreeOrSpans, predicted: TreeOrSpans, tolerance: int = 0) -> Scores:
    """Compare where leaves begin and end, which is all that matters for a flat segmentation.

    The ends of the sequence are no boundaries. A true boundary uses up all predictions near it. These are the numbers of
    `ruptures.metrics.precision_recall` with `margin=tolerance + 1`, which has none (an error, or 0) for sequences without
    boundaries. Mind that true boundaries no further apart than the tolerance compete for predictions, so that there not even
    the truth itself has perfect scores.

    Arguments:
        true: the true `Tree`, or its half-open spans, such as those of a flat segmentation.
        predicted: the other, likewise.
        tolerance: a true boundary is found if a predicted one is at most so many positions away and has not been used for an
            earlier one.
    """
    tolerance = whole_number(tolerance, "tolerance", least=0, error=DataError)
    true_positions, predicted_positions = _boundaries(true), _boundaries(predicted)
    if true_positions[:1] + true_positions[-1:] != predicted_positions[:1] + predicted_positions[-1:]:
        raise DataError(
            f"the truth covers {true_positions[0]}:{true_positions[-1]} and the prediction "
            f"{predicted_positions[0]}:{predicted_positions[-1]}; they must be about the same observations"
        )
    inner = np.array(predicted_positions[1:-1])
    free = np.ones(len(inner), dtype=bool)
    found = 0
    for position in true_positions[1:-1]:
        near = free & (np.abs(inner - position) <= tolerance)
        found += bool(near.any())
        free &= ~near
    return _score(found, len(inner), len(true_positions) - 2)


def robinson_foulds(one: TreeOrSpans, two: TreeOrSpans, *, normalised: bool = False) -> float:
    """The Robinson-Foulds distance: the number of non-trivial spans that only one of the trees has.

    Trivial are the span of the whole sequence and those of single observations, which say nothing about the grouping.

    Arguments:
        one: a `Tree`, or its half-open spans.
        two: another one.
        normalised: whether to divide by the number of non-trivial spans in both, so that 0 is agreement (also of two trees
            without any) and 1 is no span in common.
    """
    one, two = _comparable(one, two)
    spans = _spans(one) | _spans(two)
    whole = (min((start for start, _ in spans), default=0), max((end for _, end in spans), default=0))
    trivial = {span for span in spans if span == whole or span[1] - span[0] == 1}
    first, second = _spans(one) - trivial, _spans(two) - trivial
    different = len(first ^ second)
    if not flag(normalised, "normalised"):
        return different
    return different / (len(first) + len(second)) if different else 0.0


def _score(shared: float, predicted: float, true: float) -> Scores:
    if not predicted and not true:
        return Scores(1.0, 1.0, 1.0, 0, 0, 0)
    precision = shared / predicted if predicted else 0.0
    recall = shared / true if true else 0.0
    return Scores(precision, recall, 2 * shared / (predicted + true), shared, predicted, true)


def _score_sets(true: set, predicted: set) -> Scores:
    return _score(len(true & predicted), len(predicted), len(true))


def _spans(tree: Tree | list[Span]) -> set[Span]:
    return set(tree.spans if isinstance(tree, Tree) else tree)


def _labelled(tree: Tree | list[Span]) -> set[tuple[int, int, str]]:
    if not isinstance(tree, Tree):
        raise DataError("bare spans have no labels; give trees (see Tree.from_spans), or leave labelled=True out")
    return {(*node.span, node.label) for node in tree}


def _boundaries(tree: TreeOrSpans) -> list[int]:
    """Where some span begins or ends, in order; children tile their parents, so these are the borders of the leaves."""
    spans = tree.spans if isinstance(tree, Tree) else check_spans(tree)
    if not spans:
        raise DataError("there are no spans; the boundaries of an unsegmented sequence are those of one span that covers it")
    return sorted({position for span in spans for position in span})


def _comparable(one: TreeOrSpans, two: TreeOrSpans) -> tuple[Tree | list[Span], Tree | list[Span]]:
    """Both, spans as a list; an error if they cannot be about the same observations.

    Trees must cover the same. Bare spans do not say what they are a part of, so they only must not stick out of a tree.
    """
    pair = tuple(given if isinstance(given, Tree) else check_spans(given) for given in (one, two))
    for tree, other in (pair, pair[::-1]):
        if not isinstance(tree, Tree):
            continue
        root = tree.spans[0]
        if isinstance(other, Tree) and other.spans[0] != root:
            raise DataError(f"one tree covers {root} and the other {other.spans[0]}; they must cover the same observations")
        outside = [span for span in _spans(other) if span[0] < root[0] or span[1] > root[1]]
        if outside:
            raise DataError(f"span {min(outside)} is not inside {root}, which the other tree covers")
    return pair  # type: ignore[return-value]
