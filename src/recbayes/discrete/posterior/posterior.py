"""The posterior of a discrete grammar: exact probabilities, and exact draws for what has no closed form."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from recbayes.checks.arrays import whole_number
from recbayes.compiled.compilation import run_kernel
from recbayes.discrete.chart.chart import DiscreteChart, best_gains
from recbayes.discrete.chart.trees import follow_choices, node_labels
from recbayes.discrete.kernels.draw import draw_discrete
from recbayes.discrete.kernels.layout import root_place, span_places
from recbayes.discrete.model.grammar_text import rule_names
from recbayes.discrete.posterior.k_best import k_best_trees
from recbayes.errors import DataError
from recbayes.family.decode import LABEL, Cells
from recbayes.family.posterior import Posterior, ScoredTree
from recbayes.spans.table import SpanTable
from recbayes.tree.forest import Forest
from recbayes.tree.tree import Tree

BATCH = 1 << 18  # nodes drawn in one call of the kernel


@dataclass(frozen=True, eq=False, repr=False)
class DiscretePosterior(Posterior):
    """Equally weighted draws of trees of a discrete model, and exact probabilities of nodes and rules.

    It has all that a `Posterior` has.

    Attributes:
        chart: what they were drawn from.
        trees: all draws, a sequence of `Tree`s.
        seed: of the draws.
    """

    chart: DiscreteChart
    trees: Forest
    seed: int

    @property
    def length(self) -> int:
        return self.chart.length

    @property
    def method(self) -> str:
        """Draws are exact: no weights, no approximation."""
        return "exact"

    @cached_property
    def weights(self) -> np.ndarray:
        return np.full(len(self.trees), 1.0 / len(self.trees))

    @property
    def log_evidence(self) -> float:
        return self.chart.log_evidence

    @property
    def log_evidence_error(self) -> float:
        return 0.0

    @property
    def effective_sample_size(self) -> float:
        return float(len(self.trees))

    @property
    def nodes(self) -> SpanTable:  # type: ignore[override]
        """The spans that nodes of some tree have, drawn or not, with their exact probabilities."""
        return self.chart.outside.spans

    @cached_property
    def expected_rules(self) -> dict[tuple[str, str], float]:
        """The exact expected number of uses of every (symbol, rule)."""
        grammar = self.chart.form.grammar
        counts = self.chart.outside.rules
        texts = rule_names(grammar)
        return {(grammar.nonterminals[grammar.lefts[n]], texts[n]): float(counts[n]) for n in np.flatnonzero(counts)}

    @cached_property
    def log_joint_of_trees(self) -> np.ndarray:  # type: ignore[override]
        """log p(Y, Z) of every draw's tree, exactly."""
        chart, forest = self.chart, self.trees
        logs = np.append(log_weights(chart), 0.0)[forest.rules]  # the last stands for nodes without a rule
        if len(chart.preference):
            top = forest.is_top
            places = span_numbers(chart, forest.starts[top], forest.ends[top])
            logs[top] += chart.preference[places]
        roots = forest.variables[forest.first[:-1]]
        return np.bincount(forest.owners, weights=logs, minlength=len(forest)) + np.log(chart.form.start[roots])

    @property
    def entropy_error(self) -> float:  # type: ignore[override]
        return 0.0

    @cached_property
    def _mean_log_joint(self) -> float:  # type: ignore[override]
        """Exactly, from the expected numbers of rules and nodes and from the probabilities of roots."""
        chart, outside = self.chart, self.chart.outside
        used = outside.rules > 0
        total = float(outside.rules[used] @ log_weights(chart)[used])
        roots = outside.arrivals[root_place(chart.plan)]
        there = (roots > 0) & (chart.form.start > 0)
        total += float(roots[there] @ np.log(chart.form.start[there]))
        if len(chart.preference):
            table = self.nodes
            total += float(table.probability @ chart.preference[span_numbers(chart, table.starts, table.ends)])
        return total

    def best(self, count: int) -> list[ScoredTree]:
        """The most probable trees, best first: exact, of all trees and not only the drawn ones."""
        count = whole_number(count, "count", least=1, error=DataError)
        return [
            ScoredTree(tree, score, float(np.exp(min(score - self.log_evidence, 0.0))))
            for tree, score in k_best_trees(self.chart, count)
        ]

    @cached_property
    def cells(self) -> "DiscreteCells":
        return DiscreteCells(self.chart, self.trees)

    def finish(self, tree: Forest) -> Tree:
        return tree[0]

    def dress(self, tree: Tree) -> Tree:
        return self.with_probabilities(tree)


class DiscreteCells(Cells):
    """Draws in terms of the spans of a discrete chart."""

    def __init__(self, chart: DiscreteChart, forest: Forest) -> None:
        super().__init__(forest, chart.length + 1)
        self.chart = chart
        top = forest.is_top
        self.tops = forest.variables[top], span_numbers(chart, forest.starts[top], forest.ends[top])

    def gain(self, weights: np.ndarray) -> np.ndarray:
        """For every span and visible symbol, the weight of the draws that have the span; symbols that only unpack: none."""
        chart = self.chart
        totals = np.zeros(chart.plan.spans)
        totals[span_numbers(chart, self.distinct // self.points, self.distinct % self.points)] = self.span_totals(weights)
        gain = np.where(chart.form.visible, totals[:, None], np.nan)
        np.add.at(gain, (self.tops[1], self.tops[0]), LABEL * weights[self.owners])
        return gain

    def decode(self, gain: np.ndarray, price: float) -> Forest:
        chart = self.chart
        paid = np.where(np.isnan(gain), 0.0, gain - price)
        values, choices = best_gains(chart, paid)
        root = root_place(chart.plan)
        scores = np.where(chart.form.start > 0, values[root] + paid[root], -np.inf)
        nodes = follow_choices(chart, choices, int(scores.argmax()))
        return discrete_forest(chart, nodes.astype(np.int32), np.array([nodes.shape[1]]))


def log_weights(chart: DiscreteChart) -> np.ndarray:
    """Of the rules of the grammar."""
    with np.errstate(divide="ignore"):
        return np.log(chart.form.grammar.weights)


def span_numbers(chart: DiscreteChart, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Where spans are stored."""
    return span_places(chart.plan, starts, ends - starts)


def discrete_forest(chart: DiscreteChart, columns: np.ndarray, sizes: np.ndarray) -> Forest:
    """Trees from symbols, starts, ends and rules of the binary form: without the nodes that only unpack."""
    form = chart.form
    symbols, starts, ends, numbers = columns
    shown = form.visible[symbols]
    owners = np.repeat(np.arange(len(sizes)), sizes)[shown]
    first = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=len(sizes)))])
    rules = form.rules[numbers[shown]]
    widths = np.array([len(right) for right in form.grammar.rights])
    arities = np.where(numbers[shown] < len(form.lexical.rule), 0, widths[rules])
    names = {-1: "", **dict(enumerate(rule_names(form.grammar)))}
    labels = [label or "" for label in node_labels(form)]
    positions = np.arange(chart.length + 1)
    return Forest(labels, names, positions, symbols[shown], starts[shown], ends[shown], rules, arities, first)


def draw_trees_of(chart: DiscreteChart, draws: int, seed: int) -> DiscretePosterior:
    """Independent draws from the posterior over trees."""
    form, plan = chart.form, chart.plan
    order = np.argsort(form.binary.parent, kind="stable")
    first = np.searchsorted(form.binary.parent[order], np.arange(form.symbols + 1))
    parts = (form.lexical, form.binary, form.chains, form.unary)
    nodes, sizes, done, room = [], [], 0, max(BATCH, 8 * chart.length)
    while done < draws:
        out = np.empty((4, room), dtype=np.int32)
        size = np.zeros(draws - done, dtype=np.int64)
        made = run_kernel(
            draw_discrete,
            parts,
            (first, order, form.binary.pair[order]),
            plan,
            chart.tokens,
            chart.preference,
            form.visible,
            chart.values,
            chart.scales,
            form.start,
            seed,
            done,
            draws - done,
            out,
            size,
        )
        room *= 1 if made else 2  # a tree may be longer than the room, with unary rules that lead round
        sizes.append(size[:made])
        nodes.append(out[:, : int(size[:made].sum())])
        done += made
    forest = discrete_forest(chart, np.concatenate(nodes, axis=1), np.concatenate(sizes))
    return DiscretePosterior(chart, forest, seed)
