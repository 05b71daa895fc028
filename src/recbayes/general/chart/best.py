"""The best structure of a chart at fixed values: sums become maxima."""

from typing import NamedTuple

import numpy as np

from recbayes.compiled.compilation import run_kernel
from recbayes.general.chart.joint import JointChart
from recbayes.general.chart.layers import Layer
from recbayes.general.kernels.structures import best_structures
from recbayes.general.model.parts import OBSERVED
from recbayes.tree.tree import Node, Tree


class _Seen(NamedTuple):
    """An observation that is a child beside others."""

    position: int


class _At(NamedTuple):
    """A cell, and the state of its variable."""

    cell: int
    state: int


def best_nodes(chart: JointChart) -> np.ndarray:
    """The best structure in preorder, as drawn ones are: number, way, edge, children's states, which child (5, nodes)."""
    graph = chart.landscape.graph
    best = np.empty_like(chart.inside)
    choice = np.zeros((3, len(best)), dtype=np.int64)
    run_kernel(best_structures, graph, chart.weights, best, choice)
    root = int(graph.place[-2]) + int(np.argmax(chart.prior + best[graph.place[-2] :]))
    found, waiting = [], [(root, 0)]
    while waiting:
        number, child = waiting.pop()
        way, edge, states = choice[:, number].tolist()
        found.append((number, way, edge, states, child))
        of_children = np.unravel_index(states, chart.landscape.blocks[way].sizes)
        below = graph.below[edge].tolist()
        waiting += [(below[n] + int(own), n) for n, own in reversed(list(enumerate(of_children))) if below[n] >= 0]
    return np.array(found).T.copy()


def best_tree(chart: JointChart) -> Tree:
    """From the root down, what the maximum chose; the first of equals."""
    graph = chart.landscape.graph
    best = np.empty_like(chart.inside)
    choice = np.zeros((3, len(best)), dtype=np.int64)
    run_kernel(best_structures, graph, chart.weights, best, choice)
    root = int(np.argmax(chart.prior + best[graph.place[-2] :]))
    nodes: list[Node] = []
    arities: list[int] = []
    waiting: list[_At | _Seen] = [_At(len(graph.place) - 2, root)]
    while waiting:
        here = waiting.pop()
        if isinstance(here, _Seen):
            span = here.position, here.position + 1
            nodes.append(Node(*span, "", OBSERVED, probability=chart.nodes.at(*span).probability))
            arities.append(0)
            continue
        way, edge, states = choice[:, graph.place[here.cell] + here.state].tolist()
        edges = chart.landscape.cells.edges[way]
        below = _below(chart, way, edge - int(graph.first[way, 0]), states)
        if edges.way.step is not None:  # unary ways within a ring are not told one by one
            alone = len(edges.way.children) == 1 and isinstance(edges.way.children[0], str)
            below = [] if alone else below
            nodes.append(_node(chart, here, edges.way.step))
            arities.append(len(below))
        waiting += reversed(below)
    return Tree(nodes, arities)


def _below(chart: JointChart, way: int, edge: int, states: int) -> list[_At | _Seen]:
    """The children of an edge, with states that a number counts."""
    edges = chart.landscape.cells.edges[way]
    of_children = np.unravel_index(states, chart.landscape.blocks[way].sizes)
    return [
        _At(number, int(state)) if isinstance(child, Layer) else _Seen(number)
        for child, number, state in zip(edges.way.children, edges.children[edge].tolist(), of_children, strict=True)
    ]


def _node(chart: JointChart, here: _At, step: str) -> Node:
    cells = chart.landscape.cells
    name = cells.layers.order[cells.layer[here.cell]].variable
    start, end = (int(one) for one in cells.points[cells.spans[here.cell]])
    row = int((cells.layer[: here.cell] == cells.layer[here.cell]).sum())
    discrete = chart.model.parts.variables[name].is_discrete
    value = np.array(here.state) if discrete else chart.values[name][row]
    return Node(start, end, name, step, value, probability=chart.nodes.at(start, end).probability)
