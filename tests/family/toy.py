"""A family of its own, ten lines a verb, to show that a new one touches no existing file.

Tosses of coins: a node splits, or is a leaf whose tosses come from one coin of its own, whose bias is Beta(a, a). Messages
are single numbers: the likelihood of a span.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import betaln

from recbayes.errors import DataError, LengthError
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
    """The probability of being a leaf, and how fair coins are; leaves have n tosses with probability 2^-n, or one alone."""

    format = "toy.Coins"

    def __init__(self, leaf: float, fairness: float, single: bool = False) -> None:
        self.leaf, self.fairness, self.single = leaf, fairness, single

    @property
    def family(self) -> "CoinFamily":
        return COINS

    def to_data(self) -> dict[str, Any]:
        return {"leaf": self.leaf, "fairness": self.fairness, "single": self.single}

    @classmethod
    def from_data(cls, document: dict[str, Any]) -> Self:
        return cls(document["leaf"], document["fairness"], document["single"])

    def log_leaf(self, tosses: np.ndarray, start: int, end: int) -> float:
        width, heads = end - start, int(tosses[start:end].sum())
        length = (0.0 if width == 1 else -np.inf) if self.single else -width * np.log(2.0)
        pair = self.fairness + heads, self.fairness + width - heads
        return float(np.log(self.leaf) + length + betaln(*pair) - betaln(self.fairness, self.fairness))

    def sample(self, *, seed: Any, min_length: int = 1, max_length: int | None = None) -> tuple[np.ndarray, Tree]:
        rng = np.random.default_rng(seed)
        while True:
            leaves, tree = self._grow(rng, 0, max_length or 1000)
            length = sum(map(len, leaves))
            if min_length <= length <= (max_length or 1000):
                return np.concatenate(leaves), Tree([node for node, _ in tree], [arity for _, arity in tree])

    def _grow(self, rng: np.random.Generator, start: int, most: int) -> tuple[list[np.ndarray], list[tuple[Node, int]]]:
        """The tosses of all leaves below a node that begins at `start`, and the nodes with their numbers of children."""
        if start > most or rng.random() < self.leaf:
            count = 1 if self.single else int(rng.geometric(0.5))
            bias = rng.beta(self.fairness, self.fairness)
            return [(rng.random(count) < bias).astype(np.int64)], [(Node(start, start + count, "coin", "leaf"), 0)]
        left, below = self._grow(rng, start, most)
        middle = start + sum(map(len, left))
        right, beside = self._grow(rng, middle, most)
        end = middle + sum(map(len, right))
        return left + right, [(Node(start, end, "coin", "split"), 2), *below, *beside]


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

    @cached_property
    def chances(self) -> dict[tuple[int, int], tuple[list[int], np.ndarray]]:
        """Split points and their running probabilities, for every span that can be a node."""
        found = {}
        for start, end in zip(*np.nonzero(self.log_inside > -np.inf), strict=True):
            points, weights = self.alternatives(start, end)
            found[start, end] = points, np.cumsum(np.exp(weights - self.log_inside[start, end]))
        return found


class CoinCells(Cells):
    """Decoding over all binary trees."""

    def gain(self, weights: np.ndarray) -> np.ndarray:
        gain = np.zeros((self.points, self.points))
        gain[self.distinct // self.points, self.distinct % self.points] = self.span_totals(weights)
        leaves = self.forest.arities == 0
        spans = self.forest.starts[leaves], self.forest.ends[leaves]
        self.leaves = set(zip(*(column.tolist() for column in spans), strict=True))  # of the draws
        return gain

    def decode(self, gain: np.ndarray, price: float) -> Forest:
        best: dict[tuple[int, int], tuple[float, int]] = {}
        for width in range(1, self.points):
            for start in range(self.points - width):
                end = start + width
                below = [(best[start, m][0] + best[m, end][0], m) for m in range(start + 1, end)]
                below = [(0.0 if (start, end) in self.leaves else -np.inf, start), *below]
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

    method = "independent draws"  # type: ignore[assignment]
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

    @cached_property
    def log_joint_of_trees(self) -> np.ndarray:
        return np.array([COINS.log_joint(self.chart.model, self.chart.tosses, tree) for tree in self.trees])

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
        return self.with_probabilities(tree)


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
    noun = "row of tosses"
    reasons: ClassVar[Mapping[str, str]] = {"best_states": "coins have no states"}

    def read(self, model: Coins, data: Any) -> Read:
        single = not isinstance(data, list) or len(data) == 0 or np.ndim(data[0]) == 0
        rows = [np.asarray(one) for one in ([data] if single else data)]
        for row in rows:
            if row.ndim != 1 or not len(row) or not np.isin(row, (0, 1)).all():
                raise DataError("tosses must be a row of zeros and ones, not empty")
        return Read([row.astype(np.int64) for row in rows], single)

    def inside(self, model: Coins, sequence: np.ndarray, constraints: Constraints, components: int = 1) -> CoinChart:
        n = len(sequence)
        if constraints.boundaries is not None or components != 1:
            raise DataError("coins know neither boundaries nor components")
        constraints.refuse_preference("coins")
        mask = constraints.mask(n) if constraints.allowed is not None else np.full((n + 1, n + 1), NODE)
        chart = CoinChart(model, sequence, mask, np.full((n + 1, n + 1), -np.inf))
        for width in range(1, n + 1):
            for start in range(n + 1 - width):
                if mask[start, start + width] != NO_NODE:
                    _, weights = chart.alternatives(start, start + width)
                    chart.log_inside[start, start + width] = np.logaddexp.reduce(weights, initial=-np.inf)
        if chart.log_evidence == -np.inf:
            raise LengthError("no tree has such leaves")
        return chart

    def outside(self, chart: CoinChart) -> CoinOutside:
        """Top down: a node's probability goes to its children in proportion to its alternatives."""
        n = chart.length
        p = np.zeros((n + 1, n + 1))
        p[0, n] = 1.0
        for width in range(n, 0, -1):
            for start in range(n + 1 - width):
                if p[start, start + width] == 0.0:
                    continue
                points, weights = chart.alternatives(start, start + width)
                for middle, weight in zip(points, weights, strict=True):
                    share = p[start, start + width] * np.exp(weight - chart.log_inside[start, start + width])
                    if middle > start:
                        p[start, middle] += share
                        p[middle, start + width] += share
        return CoinOutside(p)

    def best_tree(self, chart: CoinChart) -> Tree:
        """The most probable tree: maxima in the place of sums."""
        best: dict[tuple[int, int], tuple[float, list]] = {}
        for width in range(1, chart.length + 1):
            for start in range(chart.length + 1 - width):
                end, found = start + width, (-np.inf, [])
                if chart.mask[start, end] == NODE:
                    found = chart.model.log_leaf(chart.tosses, start, end), [(start, end, LEAF)]
                for middle in range(start + 1, end) if chart.mask[start, end] != NO_NODE else ():
                    (one, left), (two, right) = best[start, middle], best[middle, end]
                    score = np.log1p(-chart.model.leaf) + one + two
                    if score > found[0]:
                        found = score, [(start, end, SPLIT), *left, *right]
                best[start, end] = found
        return forest_of([best[0, chart.length][1]], chart.length)[0]

    def quick_node_probability(self, chart: CoinChart) -> CoinOutside:
        return self.outside(chart)

    def draw(self, chart: CoinChart, draws: int, seed: int) -> CoinPosterior:
        rng, trees = np.random.default_rng(seed), []
        for _ in range(draws):
            nodes, waiting = [], [(0, chart.length)]
            while waiting:
                start, end = waiting.pop()
                points, sums = chart.chances[start, end]
                middle = points[int(np.searchsorted(sums, rng.random() * sums[-1], side="right"))]
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
        """The value of a node: the share of heads in its span, as a fair coin's with so many tosses before."""
        a, nodes = model.fairness, []
        for node in tree:
            mean = (a + sequence[node.start : node.end].sum()) / (2 * a + node.end - node.start)
            variance = mean * (1 - mean) / (2 * a + node.end - node.start + 1)
            nodes.append(replace(node, value=np.array([mean]), covariance=np.array([[variance]])))
        return Tree(nodes, tree.arities)

    def quantities(self, model: Coins) -> Sequence[Quantity]:
        rules = Quantity("coin.rules", "probabilities", [1.0 - model.leaf, model.leaf])
        return rules, Quantity("coin.fairness", "positive", model.fairness)

    def replaced(self, model: Coins, values: Values) -> Coins:
        rules = values.get("coin.rules", [1.0 - model.leaf, model.leaf])
        return Coins(rules[1], values.get("coin.fairness", model.fairness), model.single)

    def slopes(self, chart: CoinChart) -> Slopes:
        p, found = self.outside(chart).node_probability, 0.0
        leaves, total, step = 0.0, p.sum(), 1e-6
        leaf, fairness, single = chart.model.leaf, chart.model.fairness, chart.model.single
        high, low = (Coins(leaf, fairness + sign * step, single) for sign in (1, -1))
        for start, end in zip(*np.nonzero(p), strict=True):
            if chart.mask[start, end] == NODE and (end == start + 1 or not single):
                weight = chart.model.log_leaf(chart.tosses, start, end) - chart.log_inside[start, end]
                leaves += p[start, end] * np.exp(weight)
                apart = high.log_leaf(chart.tosses, start, end) - low.log_leaf(chart.tosses, start, end)
                found += p[start, end] * np.exp(weight) * apart / (2 * step)
        return {"coin.rules": np.array([total - leaves, leaves]), "coin.fairness": found}

    def draw_around(
        self,
        model: Coins,
        sequence: np.ndarray,
        constraints: Constraints,
        draws: int,
        seed: int,
        components: int | None = None,
    ) -> None:
        return None  # the chart is exact: nothing is to be drawn

    def evaluate_around(self, model: Coins, sequence: np.ndarray, constraints: Constraints, drawn: None) -> Around:
        chart = self.inside(model, sequence, constraints)
        return Around(chart.log_evidence, self.slopes(chart), 0.0, 1.0)


COINS = CoinFamily()
