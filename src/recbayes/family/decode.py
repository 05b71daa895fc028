"""From node probabilities to one tree: the tree with the highest expected score.

For a price t, the tree with the largest sum of (p - t) over its nodes is found exactly, over all trees the model can
generate; it trades expected true positives against the number of nodes. The expected F1 of a tree T under draws Z with
weights w is sum w 2 |T and Z| / (|T| + |Z|). Prices are swept, and the tree with the highest expected F1 is kept; finer
sweeps around its price replace p by the nodes' exact contributions to F1 for trees of the size found,
E[2 1(node in Z) / (|T| + |Z|)].
"""

from abc import ABC, abstractmethod

import numpy as np

from recbayes.tree.forest import Forest

PRICES = np.linspace(0.05, 0.85, 9)
LABEL = 1e-6  # of a label's own probability is added to its gain, so that labels are chosen where spans are equal


class Cells(ABC):
    """Draws in terms of their spans, and trees found from gains of cells."""

    def __init__(self, forest: Forest, points: int) -> None:
        top = forest.is_top
        spans = forest.starts[top].astype(np.int64) * points + forest.ends[top]
        self.forest, self.points = forest, points
        self.owners = forest.owners[top]
        self.distinct, self.span_of_node = np.unique(spans, return_inverse=True)
        self.span_of_node = self.span_of_node.reshape(-1)
        self.span_counts = np.bincount(self.owners, minlength=len(forest))

    @abstractmethod
    def gain(self, weights: np.ndarray) -> np.ndarray:
        """For every cell, the total weight of the draws with a node there, whatever its label."""

    @abstractmethod
    def decode(self, gain: np.ndarray, price: float) -> Forest:
        """The tree with the largest sum of gain minus price over its nodes, as a forest of one."""

    def span_totals(self, weights: np.ndarray) -> np.ndarray:
        """For every distinct span, the total weight of the draws that have it."""
        return np.bincount(self.span_of_node, weights=weights[self.owners], minlength=len(self.distinct))

    def expected_f1(self, tree: Forest, weights: np.ndarray) -> float:
        """The mean over draws of F1, when a draw is the truth."""
        top = tree.is_top
        found = np.isin(self.distinct, tree.starts[top].astype(np.int64) * self.points + tree.ends[top])
        shared = np.bincount(self.owners, weights=found[self.span_of_node], minlength=len(self.forest))
        return float(weights @ (2.0 * shared / (top.sum() + self.span_counts)))


def expected_f1_tree(cells: Cells, weights: np.ndarray) -> tuple[Forest, float]:
    """The tree of highest expected F1 among those found, as a forest of one, and its expected F1."""
    best, found, highest = None, 0.0, -1.0
    gains, prices = weights, PRICES
    for step in (PRICES[1] - PRICES[0]) / np.array([2, 4, 8]):
        gain = cells.gain(gains)
        for price in prices:
            candidate = cells.decode(gain, price)
            score = cells.expected_f1(candidate, weights)
            if score > highest + 1e-12:
                best, found, highest = candidate, price, score
        assert best is not None
        shares = weights / (best.is_top.sum() + cells.span_counts)
        gains, prices = shares / shares.sum(), np.array([found - step, found, found + step])
    return best, highest  # type: ignore[return-value]
