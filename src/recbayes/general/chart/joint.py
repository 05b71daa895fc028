"""`rb.joint_inside`: the joint density of values and observations, all structures summed out.

With all values fixed, every edge of the chart has a weight, and sums over structures are those over edges: joint inside and
outside probabilities (paper, appendix "Joint Inside and Outside Probabilities"). Discrete variables are summed over.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from recbayes.checks.arguments import choice
from recbayes.checks.arrays import short
from recbayes.compiled.compilation import run_kernel
from recbayes.errors import DataError
from recbayes.general.chart.cells import Cells, make_cells
from recbayes.general.chart.layers import Layer
from recbayes.general.chart.weights import Block, blocks_of, check_weights, rows_of_values, weight_function
from recbayes.general.data import Observations
from recbayes.general.extra import in_doubles, jax_module
from recbayes.general.kernels.structures import Graph, share_structures, sum_structures
from recbayes.general.model.densities import in_arrays
from recbayes.general.model.rbn import RBN
from recbayes.spans.constraints import FREE, Constraints
from recbayes.spans.table import SpanTable
from recbayes.tree.tree import Tree


class Slopes(NamedTuple):
    """Derivatives of log p(X, Y).

    Attributes:
        values: with respect to the values of all cells, by variable.
        parameters: with respect to the parameters, in their form.
    """

    values: dict[str, np.ndarray]
    parameters: Any


class Landscape:
    """log p(X, Y) of one sequence as a function of values and parameters: cells and edges are made once, and densities
    compiled once."""

    def __init__(self, model: RBN, observed: Observations, constraints: Constraints = FREE) -> None:
        self.model, self.observed = model, observed
        self.cells = make_cells(model.parts, observed.kinds, constraints)
        self.blocks = blocks_of(model.parts, self.cells)
        self.graph = _graph(model, self.cells, self.blocks)
        jax = jax_module()
        weights = self.weight_function = weight_function(model, self.cells, observed)

        def pulled(values: Any, parameters: Any, shares: Any) -> Any:
            return jax.vjp(weights, values, parameters)[1](shares)

        self._weights, self._pulled = jax.jit(weights), jax.jit(pulled)

    @cached_property
    def rows(self) -> np.ndarray:
        """For every cell, its row among the values of its variable."""
        return rows_of_values(self.cells)

    def cells_of(self, numbers: np.ndarray) -> np.ndarray:
        """The cells that places of the graph are of."""
        return np.searchsorted(self.graph.place, numbers, side="right") - 1

    @property
    def most_nodes(self) -> int:
        """More than any tree has: a span is a node of each layer at most once, and there are fewer than 2 N spans."""
        return 2 * self.cells.length * len(self.cells.layers.order) + 1

    @property
    def continuous(self) -> list[str]:
        """Variables with values."""
        return [name for name, support in self.model.parts.variables.items() if not support.is_discrete]

    def spans(self, variable: str) -> np.ndarray:
        """Spans of the cells that a variable has, in the order of its values: (cells, 2) of positions."""
        return np.asarray(self.cells.points[self.cells.spans[self.cells.of(Layer(variable))]])

    def weights(self, values: Mapping[str, np.ndarray], parameters: Any) -> np.ndarray:
        with in_doubles():
            found = np.asarray(self._weights(dict(values), in_arrays(parameters)), dtype=np.float64)
        check_weights(self.model.parts, self.cells, self.blocks, found)
        return found

    def pull_back(self, values: Mapping[str, np.ndarray], parameters: Any, shares: np.ndarray) -> Slopes:
        """Derivatives of what has these derivatives with respect to the weights."""
        jax = jax_module()
        with in_doubles():
            of_values, of_parameters = self._pulled(dict(values), in_arrays(parameters), shares)
            slopes = {name: np.asarray(one) for name, one in of_values.items()}
            return Slopes(slopes, jax.tree_util.tree_map(np.asarray, of_parameters))

    def at(self, values: Mapping[str, np.ndarray], parameters: Any = None) -> "JointChart":
        """The chart at values and parameters (None: the model's)."""
        given = self.model.parameters if parameters is None else parameters
        weights = self.weights(values, given)
        inside = np.empty(self.graph.place[-1])
        run_kernel(sum_structures, self.graph, weights, inside)
        return JointChart(self, dict(values), given, weights, inside)


@dataclass(frozen=True, eq=False)
class JointChart:
    """All structures at fixed values.

    Values of spans that are no nodes of it do not matter to a structure.

    Attributes:
        landscape: which cells and edges there are.
        values: of all cells, by variable.
        parameters: those of the model.
        weights: log densities of all that structures are made of.
        inside: their sums, from below.
    """

    landscape: Landscape
    values: Mapping[str, np.ndarray]
    parameters: Any
    weights: np.ndarray
    inside: np.ndarray

    @property
    def model(self) -> RBN:
        """The model."""
        return self.landscape.model

    @property
    def length(self) -> int:
        """The number of observations."""
        return len(self.landscape.observed)

    @property
    def prior(self) -> np.ndarray:
        """Log probabilities of the root's states by the prior; its log density, if it is continuous."""
        place = self.landscape.graph.place
        return self.weights[len(self.weights) - (place[-1] - place[-2]) :]

    @cached_property
    def _root(self) -> np.ndarray:
        """Log probabilities of the root's states, with all below them."""
        return self.prior + self.inside[self.landscape.graph.place[-2] :]

    @property
    def log_joint(self) -> float:
        """log p(X, Y): the density of nodes' values and of the observations, summed over structures."""
        return float(np.logaddexp.reduce(self._root))

    @cached_property
    def _shares(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Probabilities of cells' states, of entering them from other spans, and of weights being used."""
        if self.log_joint == -np.inf:
            raise DataError("at these values the observations have no density, so that nothing is probable")
        graph = self.landscape.graph
        outside, shares = np.zeros_like(self.inside), np.zeros_like(self.weights)
        root = np.exp(self._root - self.log_joint)
        outside[graph.place[-2] :], shares[len(shares) - len(root) :] = root, root
        entered = outside.copy()
        run_kernel(share_structures, graph, self.weights, self.inside, outside, entered, shares)
        return outside, entered, shares

    def probability(self, variable: str) -> np.ndarray:
        """(N + 1, N + 1): how probable it is, at these values, that each span is a node of a variable.

        Discrete variables that lead back to themselves by unary steps count once.

        Arguments:
            variable: its name.
        """
        choice(variable, self.model.parts.variables, "variable")
        return SpanTable.summed(self.landscape.cells.points, *self._by_span(self._shares[0], [Layer(variable)])).dense()

    @cached_property
    def nodes(self) -> SpanTable:
        """How probable it is, at these values, that spans are nodes of any variable, or an observation that is a child
        beside others."""
        cells = self.landscape.cells
        parts = [self._by_span(self._shares[1], list(cells.layers.order))]
        first = 0
        for edges, block in zip(cells.edges, self.landscape.blocks, strict=True):
            count = int(np.prod(block.shape))
            beside = [n for n, child in enumerate(edges.way.children) if isinstance(child, str)]
            if beside and len(edges.way.children) > 1:
                shares = self._shares[2][first : first + count].reshape(block.edges, -1).sum(axis=1)
                parts += [(edges.children[:, n], edges.children[:, n] + 1, shares) for n in beside]
            first += count
        return SpanTable.summed(cells.points, *map(np.concatenate, zip(*parts, strict=True)))

    @cached_property
    def node_probability(self) -> np.ndarray:
        """(N + 1, N + 1): the probabilities of `nodes`, by start and end."""
        return self.nodes.dense()

    def _by_span(self, numbers: np.ndarray, layers: list[Layer]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Starts and ends (observations) of the cells of some layers, and their totals."""
        cells, graph = self.landscape.cells, self.landscape.graph
        totals = np.add.reduceat(numbers, graph.place[:-1])
        chosen = np.concatenate([cells.of(layer) for layer in layers])
        starts, ends = cells.points[cells.spans[chosen]].T
        return starts, ends, totals[chosen]

    def gradient(self) -> Slopes:
        """Derivatives of log p(X, Y) with respect to values and parameters."""
        return self.landscape.pull_back(self.values, self.parameters, self._shares[2])

    def best_tree(self) -> Tree:
        """The structure that is the most probable at these values, and the states of discrete nodes with it."""
        from recbayes.general.chart.best import best_tree

        return best_tree(self)


def values_of(landscape: Landscape, values: Any) -> dict[str, np.ndarray]:
    """By variable and cell: from arrays (N + 1, N + 1, numbers) with a value for every span, or (cells, numbers) in
    the order of `spans`; of a model with one continuous variable, the array itself."""
    names = landscape.continuous
    if not isinstance(values, Mapping):
        if len(names) != 1:
            raise DataError(f"values must map the variables {names} to arrays, got {short(values)}")
        values = {names[0]: values}
    if set(values) != set(names):
        raise DataError(f"values must be of the continuous variables {names}, got {sorted(map(str, values))}")
    found = {}
    for name in names:
        support, spans = landscape.model.parts.variables[name], landscape.spans(name)
        given = _array(values[name], name)
        count = len(landscape.observed) + 1
        if given.shape == (count, count, support.size) or (given.shape == (count, count) and support.size == 1):
            given = given.reshape(count, count, support.size)[spans[:, 0], spans[:, 1]]
        if given.shape != (len(spans), support.size):
            raise DataError(
                f"values of {name!r} must have the shape {(count, count, support.size)}, one for every span, or "
                f"{(len(spans), support.size)}, got {given.shape}"
            )
        outside = np.flatnonzero(~support.holds(given))
        if len(outside):
            start, end = spans[outside[0]]
            raise DataError(f"the value of {name!r} at {start}:{end}, {given[outside[0]]}, is not in {support}")
        found[name] = given
    return found


def _array(values: Any, name: str) -> np.ndarray:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"values of {name!r} must be an array of numbers, got {short(values)}") from None


def _graph(model: RBN, cells: Cells, blocks: list[Block]) -> Graph:
    parts, order = model.parts, cells.layers.order
    states = np.array([parts.variables[layer.variable].states for layer in order])[cells.layer]
    place = np.concatenate([[0], np.cumsum(states)])
    most = max(len(edges.way.children) for edges in cells.edges)
    first = np.zeros((len(blocks), len(states) + 1), dtype=np.int64)
    below, weight = [], []
    sizes = np.ones((len(blocks), most), dtype=np.int64)
    unary = np.zeros(len(blocks), dtype=np.bool_)
    edge, begin = 0, 0
    for n, (edges, block) in enumerate(zip(cells.edges, blocks, strict=True)):
        first[n] = edge + np.searchsorted(edges.parents, np.arange(len(states) + 1))
        columns = np.full((len(edges.parents), most), -1)
        for m, child in enumerate(edges.way.children):
            if isinstance(child, Layer):
                columns[:, m] = place[edges.children[:, m]]
            sizes[n, m] = block.sizes[m]
        one = int(np.prod(block.shape[1:]))
        below.append(columns)
        weight.append(begin + one * (np.arange(len(columns)) if block.edges > 1 else np.zeros(len(columns), dtype=np.int64)))
        unary[n] = len(edges.way.children) == 1
        edge += len(columns)
        begin += one * block.edges
    return Graph(place, first, np.concatenate(below), np.concatenate(weight), sizes, unary)
