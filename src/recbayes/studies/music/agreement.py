"""How well trees, or probabilities of nodes, agree with the tree of an analyst, level by level.

Trees over the same pieces share much for little reason: all have a root and leaves, and leaves that are bars make more than
half of the nodes. So there are three numbers: all nodes; those above the level of bars, the root left out; and where leaves
begin and end.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from recbayes.errors import StudyError
from recbayes.tree.metrics import Scores, boundary_scores, node_scores, probabilistic_node_scores
from recbayes.tree.tree import Tree

Span = tuple[int, int]

ALL = "all nodes"
ABOVE = "above bars"
BOUNDARIES = "boundaries"
LEVELS = (ALL, ABOVE, BOUNDARIES)

CLOSE = 1e-6  # quarters


class Percentile(NamedTuple):
    """The share of other trees that are less probable (of equals, half), and by how many nats it is above their mean."""

    share: float
    above_mean: float
    value: float
    others: int


def above_bars(spans: Iterable[Span], edges: np.ndarray, bars: np.ndarray) -> list[Span]:
    """Spans of two or more observations that are longer than the bar they begin in, but for the whole piece.

    `edges` are those of observations and `bars` those of bars, both in quarters.
    """
    lengths = np.diff(bars)
    if len(lengths) > 1:  # a piece may end before its last bar does
        lengths[-1] = max(lengths[-1], lengths[-2])
    whole = (0, len(edges) - 1)
    found = []
    for start, end in spans:
        bar = min(int(np.searchsorted(bars, edges[start] + CLOSE, side="right")) - 1, len(lengths) - 1)
        if end - start > 1 and (start, end) != whole and edges[end] - edges[start] > lengths[bar] + CLOSE:
            found.append((start, end))
    return found


def tree_agreement(expert: Tree, found: Tree, edges: np.ndarray, bars: np.ndarray) -> dict[str, Scores]:
    """By level, for a tree over the same observations."""
    wide = [above_bars(tree.spans, edges, bars) for tree in (expert, found)]
    return {
        ALL: node_scores(expert, found),
        ABOVE: node_scores(*wide),
        BOUNDARIES: boundary_scores(expert, found),
    }


def probability_agreement(
    expert: Tree, node: np.ndarray, boundary: np.ndarray, edges: np.ndarray, bars: np.ndarray
) -> dict[str, Scores]:
    """Likewise for probabilities, of which sums take the place of counts.

    `node` (N + 1, N + 1) is by start and end, `boundary` (N + 1,) that a leaf begins or ends at a position.
    """
    size = len(node) - 1
    spans = [(start, end) for start in range(size) for end in range(start + 1, size + 1)]
    wide = np.zeros_like(node)
    for span in above_bars(spans, edges, bars):
        wide[span] = node[span]
    true = sorted({position for span in expert.spans for position in span} - {0, size})
    return {
        ALL: probabilistic_node_scores(expert, node),
        ABOVE: probabilistic_node_scores(above_bars(expert.spans, edges, bars), wide),
        BOUNDARIES: _scores(float(boundary[true].sum()), float(boundary[1:-1].sum()), len(true)),
    }


def mean_scores(many: Sequence[Scores]) -> Scores:
    """Of several trees of one kind: means of all numbers."""
    if not many:
        raise StudyError("there are no scores to take the mean of")
    return Scores(*(float(np.mean([getattr(one, name) for one in many])) for name in Scores.__dataclass_fields__))


def percentile(log_probability: Callable[[Tree], float], tree: Tree, others: Iterable[Tree]) -> Percentile:
    """Where a tree stands among others, by a function that gives log p of the observations and of a tree's spans."""
    value = log_probability(tree)
    rest = np.array([log_probability(other) for other in others])
    if not len(rest):
        raise StudyError("a percentile needs other trees to compare with")
    known = rest[np.isfinite(rest)]  # those that the model cannot have are below all others
    share = float((np.sum(rest < value) + 0.5 * np.sum(rest == value)) / len(rest))
    return Percentile(share, float(value - known.mean()) if len(known) else np.inf, value, len(rest))


def _scores(shared: float, predicted: float, true: float) -> Scores:
    if not predicted and not true:
        return Scores(1.0, 1.0, 1.0, 0, 0, 0)
    precision = shared / predicted if predicted else 0.0
    recall = shared / true if true else 0.0
    return Scores(precision, recall, 2 * shared / (predicted + true), shared, predicted, true)
