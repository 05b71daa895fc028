"""From node probabilities to one tree: the tree with the highest expected score.

For a price t, the tree with the largest sum of (p - t) over its nodes is found exactly, over all trees the model can
generate; it trades expected true positives against the number of nodes. The expected F1 of a tree T under draws Z with
weights w is sum w 2 |T and Z| / (|T| + |Z|). Prices are swept, and the tree with the highest expected F1 is kept; finer
sweeps around its price replace p by the nodes' exact contributions to F1 for trees of the size found,
E[2 1(node in Z) / (|T| + |Z|)].
"""

import numpy as np

from recbayes.chart.inside import Chart
from recbayes.chart.plan import CHOICES, potential_numbers
from recbayes.chart.tables import tables_of
from recbayes.numerics.compilation import run_kernel
from recbayes.numerics.lanes import LANES
from recbayes.posterior.decode_kernel import best_tree_by_gain
from recbayes.posterior.forest import Forest
from recbayes.posterior.given_tree import constants_of

PRICES = np.linspace(0.05, 0.85, 9)
LABEL = 1e-6  # of a variable's own probability is added to its gain, so that labels are chosen where spans are equal


def expected_f1_tree(chart: Chart, forest: Forest, weights: np.ndarray) -> tuple[Forest, float]:
    """The tree of highest expected F1 among those found, as a forest of one, and its expected F1."""
    cells = Cells(chart, forest)
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
        shares = weights / (len(best.starts) + cells.span_counts)
        gains, prices = shares / shares.sum(), np.array([found - step, found, found + step])
    return best, highest  # type: ignore[return-value]


def priced_tree(chart: Chart, forest: Forest, weights: np.ndarray, price: float) -> Forest:
    """The tree with the largest sum of node probabilities minus the price, as a forest of one."""
    cells = Cells(chart, forest)
    return cells.decode(cells.gain(weights), price)


class Cells:
    """Draws in terms of the chart's cells: which spans they have, and trees found from gains of cells."""

    def __init__(self, chart: Chart, forest: Forest) -> None:
        self.chart, self.forest = chart, forest
        self.tables, origins = tables_of(chart.model)
        _, self.length_log_probability = constants_of(chart.model, origins, chart.length)
        points = len(chart.plan.positions)
        self.spans = forest.starts.astype(np.int64) * points + forest.ends
        self.distinct, self.span_of_node = np.unique(self.spans, return_inverse=True)
        self.keys = cell_keys(chart, forest.variables, forest.starts, forest.ends)

    @property
    def span_counts(self) -> np.ndarray:
        """The number of nodes of every drawn tree. (Two nodes of a tree never have the same span: all splits are binary.)"""
        return self.forest.sizes

    def gain(self, weights: np.ndarray) -> np.ndarray:
        """For every cell, the total weight of the draws with a node there, whatever its label."""
        of_node = weights[self.forest.owners]
        totals = np.bincount(self.span_of_node, weights=of_node, minlength=len(self.distinct))
        gain = np.zeros(self.chart.plan.choices_size)
        points = len(self.chart.plan.positions)
        starts, ends = self.distinct // points, self.distinct % points
        for v in range(len(self.chart.model.variables)):
            row = self.chart.plan.rows[v, ends - starts]
            there = (row["low"] <= starts) & (starts <= row["high"])
            gain[cell_keys(self.chart, np.full(there.sum(), v), starts[there], ends[there])] = totals[there]
        np.add.at(gain, self.keys, LABEL * of_node)
        return gain

    def decode(self, gain: np.ndarray, price: float) -> Forest:
        """The best tree for given gains, as a forest of one."""
        plan = self.chart.plan
        value = np.full(plan.choices_size, -np.inf)
        choice = np.zeros((2, plan.choices_size), dtype=np.int64)
        out = np.zeros((4, 2 * len(plan.positions)), dtype=np.int32)
        arguments = self.length_log_probability, gain, float(price), value, choice, out
        count = run_kernel(best_tree_by_gain, self.tables, plan, *arguments)
        variables, starts, ends, rules = out[:, :count]
        return Forest(self.chart.model, plan.positions, variables, starts, ends, rules, np.array([0, count]))

    def expected_f1(self, tree: Forest, weights: np.ndarray) -> float:
        """The mean over draws of F1, when a draw is the truth."""
        points = len(self.chart.plan.positions)
        found = np.isin(self.distinct, tree.starts.astype(np.int64) * points + tree.ends)
        shared = np.add.reduceat(found[self.span_of_node].astype(np.float64), self.forest.first[:-1])
        return float(weights @ (2.0 * shared / (len(tree.starts) + self.span_counts)))


def cell_keys(chart: Chart, variables: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """`choice_place` of many cells at once."""
    row = chart.plan.rows[variables, ends - starts]
    numbers = potential_numbers(max(variable.dim for variable in chart.model.variables))
    first = chart.plan.choice_base[variables] + LANES + CHOICES * ((row["place"] - LANES) // numbers)
    return first + starts - row["low"]
