"""What the density of a tree with values is made of: factors of one kind are rows of one table.

A factor depends on the value of one node, on those of its children, and on what was observed. Of leaves of several
observations, every observation is a row.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from recbayes.compiled.compilation import run_kernel
from recbayes.general.chart.cells import Edges
from recbayes.general.chart.joint import Landscape
from recbayes.general.chart.layers import Layers, Way
from recbayes.general.chart.weights import closure, safe_observations
from recbayes.general.kernels.stand_in_draws import CHILD, EDGE, NUMBER, STATES, WAY
from recbayes.general.kernels.structures import find_parents
from recbayes.general.model.coordinates import from_coordinates, log_stretch, width
from recbayes.general.model.densities import called, log_density, log_prob, log_structure
from recbayes.general.model.parts import Parts
from recbayes.general.surrogate.stand_in import Structures


class Table(NamedTuple):
    """Rows of one kind: of every row the node, its children with coordinates (in the order of the step's), and all else that
    the factor depends on (arrays). `factor(given, u, children, rest)` is the logarithm of one row, in JAX."""

    name: Any
    factor: Any
    nodes: np.ndarray
    children: tuple[np.ndarray, ...]
    rest: Any

    def __len__(self) -> int:
        return len(self.nodes)


class Known(NamedTuple):
    """What is known of drawn nodes: the state of each, and its children among the nodes (-1: none)."""

    state: np.ndarray
    layer: np.ndarray
    below: np.ndarray


def tables_of(landscape: Landscape, trees: Structures) -> Iterator[Table]:
    """All factors of the density of trees, values and observations, in coordinates; those that no tree has are left out."""
    parts, known = landscape.model.parts, known_of(landscape, trees)
    shown = [safe_observations(values) for values in landscape.observed.values]
    factors, top = Factors(parts, landscape.cells.layers), trees.first[:-1]
    yield Table("prior", factors.prior, top, (), known.state[top])
    for number, layer in enumerate(landscape.cells.layers.order):
        chosen = np.flatnonzero(known.layer == number)
        if len(chosen) and not parts.variables[layer.variable].is_discrete:
            yield Table(("stretch", layer), partial(factors.stretch, layer.variable), chosen, (), ())
    for number, edges in enumerate(landscape.cells.edges):
        chosen = np.flatnonzero(trees.nodes[WAY] == number)
        if len(chosen):
            edge = trees.nodes[EDGE, chosen] - landscape.graph.first[number, 0]
            states = known.state[chosen], trees.nodes[STATES, chosen]
            yield from _tables_of_way(landscape, factors, edges, chosen, edge, states, known, shown)


def known_of(landscape: Landscape, trees: Structures) -> Known:
    nodes, place = trees.nodes, landscape.graph.place
    cells = landscape.cells_of(nodes[NUMBER])
    parents = np.empty(nodes.shape[1], dtype=np.int64)
    run_kernel(find_parents, trees.arities, trees.sizes, parents)
    below = np.full((nodes.shape[1], landscape.graph.below.shape[1]), -1)
    inner = np.flatnonzero(parents >= 0)
    below[parents[inner], nodes[CHILD, inner]] = inner
    return Known(nodes[NUMBER] - place[cells], landscape.cells.layer[cells], below)


def _tables_of_way(
    landscape: Landscape,
    factors: "Factors",
    edges: Edges,
    chosen: np.ndarray,
    edge: np.ndarray,
    states: tuple[np.ndarray, np.ndarray],
    known: Known,
    shown: list[tuple[np.ndarray, np.ndarray]],
) -> Iterator[Table]:
    parts, way = landscape.model.parts, edges.way
    if way.step is None:
        yield Table(way, partial(factors.ring, way), chosen, (), states)
        return
    step = parts.steps[way.layer.variable][way.step]
    if step.length is not None:
        starts, ends = landscape.cells.points[landscape.cells.spans[edges.parents[edge]]].T
        lengths = ends - starts
        rest = states[0], step.length.log_probability(lengths)
        yield Table((way, "leaf"), partial(factors.leaf, way), chosen, (), rest)
        position = np.concatenate([np.arange(a, b) for a, b in zip(starts, ends, strict=True)])
        safe, seen = shown[parts.terminals.index(step.children[0])]
        own = np.repeat(states[0], lengths), safe[position], seen[position]
        yield Table((way, "observations"), partial(factors.observed, way), np.repeat(chosen, lengths), (), own)
        return
    continuous, others = [], []
    for n, child in enumerate(step.children):
        if child in parts.terminals:
            safe, seen = shown[parts.terminals.index(child)]
            others.append((safe[edges.children[edge, n]], seen[edges.children[edge, n]]))
        elif parts.variables[child].is_discrete:
            others.append(known.state[known.below[chosen, n]])
        else:
            continuous.append(known.below[chosen, n])
    yield Table(way, partial(factors.edge, way), chosen, tuple(continuous), (states[0], tuple(others)))


@dataclass(frozen=True)
class Factors:
    """Logarithms of one row each, in JAX; values come in coordinates."""

    parts: Parts
    layers: Layers

    def value(self, variable: str, u: Any, state: Any) -> Any:
        support = self.parts.variables[variable]
        return state if support.is_discrete else from_coordinates(support, u[: width(support)])

    def prior(self, given: Any, u: Any, children: Any, rest: Any) -> Any:
        root = self.parts.root
        density = called("the prior", self.parts.prior, given)
        return log_prob(density, self.value(root, u, rest), None, "the prior", self.parts.variables[root].size)

    def stretch(self, variable: str, given: Any, u: Any, children: Any, rest: Any) -> Any:
        support = self.parts.variables[variable]
        return log_stretch(support, u[: width(support)])

    def ring(self, way: Way, given: Any, u: Any, children: Any, rest: Any) -> Any:
        return closure(self.parts, self.layers.rings, given, way)[rest]

    def leaf(self, way: Way, given: Any, u: Any, children: Any, rest: Any) -> Any:
        state, log_length = rest
        x = self.value(way.layer.variable, u, state)
        return log_structure(self.parts, given, way.layer.variable, x)[way.step or ""] + log_length

    def observed(self, way: Way, given: Any, u: Any, children: Any, rest: Any) -> Any:
        variable, step_name = way.layer.variable, way.step or ""
        state, y, seen = rest
        step, name = self.parts.steps[variable][step_name], f"step {step_name!r} of {variable!r}"
        density = called(name, step.density, given, self.value(variable, u, state))
        return log_density(self.parts, density, step.children, [(y, seen)], name)

    def edge(self, way: Way, given: Any, u: Any, children: Any, rest: Any) -> Any:
        variable, step_name = way.layer.variable, way.step or ""
        state, others = rest
        step, name = self.parts.steps[variable][step_name], f"step {step_name!r} of {variable!r}"
        x = self.value(variable, u, state)
        left, known = iter(children), iter(others)
        below = [
            next(known) if child in self.parts.terminals or self.parts.variables[child].is_discrete
            else self.value(child, next(left), None)
            for child in step.children
        ]  # fmt: skip
        chance = log_structure(self.parts, given, variable, x)[step_name]
        return chance + log_density(self.parts, called(name, step.density, given, x), step.children, below, name)
