"""A family of its own, ten lines a verb, to show that a new one touches no existing file.

Tosses of coins: a node splits, or is a leaf whose tosses come from one coin of its own, whose bias is Beta(a, a). Messages
are single numbers: the likelihood of a span.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import betaln

from recbayes.errors import DataError
from recbayes.family.decode import Cells
from recbayes.family.family import Around, Family, Read
from recbayes.family.posterior import Posterior, ScoredTree
from recbayes.family.saved import Saved
from recbayes.parameters.quantity import Quantity, Slopes, Values
from recbayes.spans.constraints import Constraints
from recbayes.tree.forest import Forest
from recbayes.tree.known import NO_NODE, NODE
from recbayes.tree.tree import Node, Tree

SPLIT, LEAF = 0, 1


class Coins(Saved):
    """Probabilities to split and to be a leaf, and how fair coins are."""

    format = "toy.Coins"

    def __init__(self, leaf: float, fairness: float) -> None:
        self.leaf, self.fairness = leaf, fairness

    @property
    def family(self) -> "CoinFamily":
        return COINS

    def to_data(self) -> dict[str, Any]:
        return {"leaf": self.leaf, "fairness": self.fairness}

    @classmethod
    def from_data(cls, document: dict[str, Any]) -> Self:
        return cls(document["leaf"], document["fairness"])

    def log_leaf(self, tosses: np.ndarray, start: int, end: int) -> float:
        heads = int(tosses[start:end].sum())
        pair = self.fairness + heads, self.fairness + end - start - heads
        return float(np.log(self.leaf) + betaln(*pair) - betaln(self.fairness, self.fairness))

    def sample(self, *, seed: int, min_length: int = 1, max_length: int = 12) -> tuple[np.ndarray, Tree]:
        rng, length = np.random.default_rng(seed), max_length
        cuts = [0, *sorted(rng.choice(np.arange(1, length), size=min(2, length - 1), replace=False).tolist()), length]
        tosses = np.concatenate([rng.random(b - a) < rng.beta(0.5, 0.5) for a, b in pairwise(cuts)])
        return tosses.astype(np.int64), Tree([Node(0, length, "coin", "leaf")], [0])


@dataclass(frozen=True, eq=False)
class CoinChart:
    """Likelihoods of all spans, and which of them may be nodes and leaves."""

    model: Coins
    tosses: np.ndarray
    mask: np.ndarray
    log_inside: np.ndarray

    @property
    def length(self) -> int:
        return len(self.tosses)

    @property
    def log_evidence(self) -> float:
        return float(self.log_inside[0, self.length])

    def alternatives(self, start: int, end: int) -> tuple[list[int], np.ndarray]:
        """Split points (the start itself: none, it is a leaf), and their log weights."""
        points, weights = [], []
        if self.mask[start, end] == NODE:
            points, weights = [start], [self.model.log_leaf(self.tosses, start, end)]
        for middle in range(start + 1, end):
            points.append(middle)
            weights.append(np.log1p(-self.model.leaf) + self.log_inside[start, middle] + self.log_inside[middle, end])
        return points, np.array(weights)


class CoinCells(Cells):
    """Decoding over all binary trees."""

    def gain(self, weights: np.ndarray) -> np.ndarray:
        gain = np.zeros((self.points, self.points))
        gain[self.distinct // self.points, self.distinct % self.points] = self.span_totals(weights)
        return gain

    def decode(self, gain: np.ndarray, price: float) -> Forest:
        best: dict[tuple[int, int], tuple[float, int]] = {}
        for width in range(1, self.points):
            for start in range(self.points - width):
                end = start + width
                below = [(0.0, start)] + [(best[start, m][0] + best[m, end][0], m) for m in range(start + 1, end)]
                value, middle = max(below, key=lambda one: one[0])
                best[start, end] = value + gain[start, end] - price, middle
        nodes, waiting = [], [(0, self.points - 1)]
        while waiting:
            start, end = waiting.pop()
            middle = best[start, end][1]
            nodes.append((start, end, LEAF if middle == start else SPLIT))
            waiting += [] if middle == start else [(middle, end), (start, middle)]
        return forest_of([nodes], self.points - 1)


@dataclass(frozen=True, eq=False, repr=False)
class CoinPosterior(Posterior):
    chart: CoinChart
    trees: Forest

    method = "exact"  # type: ignore[assignment]
    log_evidence_error = 0.0  # type: ignore[assignment]

    @property
    def length(self) -> int:
        return self.chart.length

    @cached_property
    def weights(self) -> np.ndarray:
        return np.full(len(self.trees), 1.0 / len(self.trees))

    @property
    def log_evidence(self) -> float:
        return self.chart.log_evidence

    @property
    def effective_sample_size(self) -> float:
        return float(len(self.trees))

    def best(self, count: int) -> list[ScoredTree]:
        trees = [self.trees[int(t)] for t in self.trees.distinct()[0]]
        scores = [COINS.log_joint(self.chart.model, self.chart.tosses, tree) for tree in trees]
        order = np.argsort(-np.array(scores), kind="stable")[:count]
        return [ScoredTree(trees[t], scores[t], float(np.exp(scores[t] - self.log_evidence))) for t in order]

    @cached_property
    def cells(self) -> Cells:
        return CoinCells(self.trees, self.length + 1)

    def finish(self, tree: Forest) -> Tree:
        return tree[0]

    def dress(self, tree: Tree) -> Tree:
        pairs = zip(tree, self._probabilities(tree), strict=True)
        return Tree([replace(node, probability=p) for node, p in pairs], tree.arities)


def forest_of(trees: Sequence[Sequence[tuple[int, int, int]]], length: int) -> Forest:
    columns = np.array([node for tree in trees for node in tree]).T
    first = np.concatenate([[0], np.cumsum([len(tree) for tree in trees])])
    arities = np.where(columns[2] == SPLIT, 2, 0)
    names = {SPLIT: "split", LEAF: "leaf"}
    return Forest(["coin"], names, np.arange(length + 1), np.zeros_like(columns[0]), *columns, arities, first)


@dataclass(frozen=True)
class CoinOutside:
    node_probability: np.ndarray


class CoinFamily(Family[CoinChart, CoinOutside, CoinPosterior]):
    name = "a coin model"
    unit = "row of tosses"
    reasons: ClassVar[Mapping[str, str]] = {"best_states": "coins have no states"}

    def read(self, model: Coins, data: Any) -> Read:
        single = not isinstance(data, list) or (len(data) > 0 and np.ndim(data[0]) == 0)
        rows = [np.asarray(one) for one in ([data] if single else data)]
        for row in rows:
            if row.ndim != 1 or not len(row) or not np.isin(row, (0, 1)).all():
                raise DataError("tosses must be a row of zeros and ones, at least one")
        return Read([row.astype(np.int64) for row in rows], single)

    def inside(self, model: Coins, sequence: np.ndarray, constraints: Constraints, components: int = 1) -> CoinChart:
        n = len(sequence)
        mask = constraints.mask(n) if constraints.allowed is not None else np.full((n + 1, n + 1), NODE)
        chart = CoinChart(model, sequence, mask, np.full((n + 1, n + 1), -np.inf))
        for width in range(1, n + 1):
            for start in range(n + 1 - width):
                if mask[start, start + width] != NO_NODE:
                    _, weights = chart.alternatives(start, start + width)
                    chart.log_inside[start, start + width] = np.logaddexp.reduce(weights, initial=-np.inf)
        return chart

    def outside(self, chart: CoinChart) -> CoinOutside:
        """Top down: a node's probability goes to its children in proportion to its alternatives."""
        n = chart.length
        p = np.zeros((n + 1, n + 1))
        p[0, n] = 1.0
        for width in range(n, 0, -1):
            for start in range(n + 1 - width):
                points, weights = chart.alternatives(start, start + width)
                for middle, weight in zip(points, weights, strict=True):
                    share = p[start, start + width] * np.exp(weight - chart.log_inside[start, start + width])
                    if middle > start and share > 0:
                        p[start, middle] += share
                        p[middle, start + width] += share
        return CoinOutside(p)

    def best_tree(self, chart: CoinChart) -> Tree:
        best = max(self.draw(chart, 200, 0).best(1), key=lambda one: one.log_joint)
        return best.tree

    def quick_node_probability(self, chart: CoinChart) -> CoinOutside:
        return self.outside(chart)

    def draw(self, chart: CoinChart, draws: int, seed: int) -> CoinPosterior:
        rng, trees = np.random.default_rng(seed), []
        for _ in range(draws):
            nodes, waiting = [], [(0, chart.length)]
            while waiting:
                start, end = waiting.pop()
                points, weights = chart.alternatives(start, end)
                middle = points[rng.choice(len(points), p=np.exp(weights - np.logaddexp.reduce(weights)))]
                nodes.append((start, end, LEAF if middle == start else SPLIT))
                waiting += [] if middle == start else [(middle, end), (start, middle)]
            trees.append(nodes)
        return CoinPosterior(chart, forest_of(trees, chart.length))

    def log_joint(self, model: Coins, sequence: np.ndarray, tree: Tree) -> float:
        if tree.nodes[0].span != (0, len(sequence)):
            raise DataError("the tree covers another row")
        leaves = sum(model.log_leaf(sequence, *node.span) for node in tree.leaves)
        return leaves + (len(tree.leaves) - 1) * float(np.log1p(-model.leaf))

    def smooth(self, model: Coins, sequence: np.ndarray, tree: Tree) -> Tree:
        a = model.fairness
        biases = [(a + sequence[n.start : n.end].sum()) / (2 * a + n.end - n.start) for n in tree]
        return Tree([replace(node, value=np.array([p])) for node, p in zip(tree, biases, strict=True)], tree.arities)

    def quantities(self, model: Coins) -> Sequence[Quantity]:
        rules = Quantity("coin.rules", "probabilities", [1.0 - model.leaf, model.leaf])
        return rules, Quantity("coin.fairness", "positive", model.fairness)

    def replaced(self, model: Coins, values: Values) -> Coins:
        rules = values.get("coin.rules", [1.0 - model.leaf, model.leaf])
        return Coins(rules[1], values.get("coin.fairness", model.fairness))

    def slopes(self, chart: CoinChart) -> Slopes:
        p, found = self.outside(chart).node_probability, 0.0
        leaves, total, step = 0.0, p.sum(), 1e-6
        high, low = (Coins(chart.model.leaf, chart.model.fairness + sign * step) for sign in (1, -1))
        for start, end in zip(*np.nonzero(p), strict=True):
            if chart.mask[start, end] == NODE:
                weight = chart.model.log_leaf(chart.tosses, start, end) - chart.log_inside[start, end]
                leaves += p[start, end] * np.exp(weight)
                apart = high.log_leaf(chart.tosses, start, end) - low.log_leaf(chart.tosses, start, end)
                found += p[start, end] * np.exp(weight) * apart / (2 * step)
        return {"coin.rules": np.array([total - leaves, leaves]), "coin.fairness": found}

    def draw_around(self, model: Coins, sequence: np.ndarray, constraints: Constraints, draws: int, seed: int) -> None:
        return None  # the chart is exact: nothing is to be drawn

    def evaluate_around(self, model: Coins, sequence: np.ndarray, constraints: Constraints, drawn: None) -> Around:
        chart = self.inside(model, sequence, constraints)
        return Around(chart.log_evidence, self.slopes(chart), 0.0, 1.0)


COINS = CoinFamily()
