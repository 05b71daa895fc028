"""One tree from many: the one with the highest gain, of all trees over the chart's cells."""

import numpy as np

from recbayes.compiled.compilation import run_kernel
from recbayes.family.decode import LABEL, Cells
from recbayes.general.chart.joint import Landscape
from recbayes.general.chart.layers import Layer
from recbayes.general.kernels.structures import Graph, best_structures
from recbayes.general.posterior.forest import shown_trees
from recbayes.general.surrogate.stand_in import Structures
from recbayes.tree.forest import Forest


class GeneralCells(Cells):
    """Draws in terms of the cells of a general chart; states of discrete variables do not matter."""

    def __init__(self, landscape: Landscape, forest: Forest) -> None:
        super().__init__(forest, len(landscape.cells.points))
        self.landscape = landscape
        cells, graph = landscape.cells, landscape.graph
        count = len(cells.layer)
        below = np.full_like(graph.below, -1)
        for number, edges in enumerate(cells.edges):
            rows = slice(graph.first[number, 0], graph.first[number, 0] + len(edges.parents))
            for n, child in enumerate(edges.way.children):
                if isinstance(child, Layer):
                    below[rows, n] = edges.children[:, n]
        self.graph = Graph(
            np.arange(count + 1), graph.first, below, np.arange(len(below)), np.ones_like(graph.sizes), graph.unary
        )
        self.unary = np.repeat(graph.unary, [len(edges.parents) for edges in cells.edges])
        names = list(landscape.model.parts.variables)
        self.variable = np.array([names.index(layer.variable) for layer in cells.layers.order])[cells.layer]
        self.span = cells.spans[:, 0] * self.points + cells.spans[:, 1]
        node = forest.is_top & (forest.variables < len(names))
        self.tops = forest.variables[node], forest.starts[node] * self.points + forest.ends[node], forest.owners[node]

    def gain(self, weights: np.ndarray) -> np.ndarray:
        """For every cell, the weight of the draws that have its span, and a little for its variable."""
        spans = np.zeros(self.points**2)
        spans[self.distinct] = self.span_totals(weights)
        variables, places, owners = self.tops
        labels = np.zeros((self.variable.max() + 1, self.points**2))
        np.add.at(labels, (variables, places), LABEL * weights[owners])
        return spans[self.span] + labels[self.variable, self.span]

    def decode(self, gain: np.ndarray, price: float) -> Forest:
        paid = gain - price
        children = np.where(self.graph.below >= 0, paid[self.graph.below], 0.0).sum(axis=1)
        weights = np.where(self.unary, 0.0, children)  # nodes over the same span are paid for once
        best, choice = np.empty(len(paid)), np.zeros((3, len(paid)), dtype=np.int64)
        run_kernel(best_structures, self.graph, weights, best, choice)
        nodes = self._follow(choice)
        arities = (self.graph.below >= 0).sum(axis=1)[nodes[2]]
        return shown_trees(self.landscape, Structures(nodes, arities, np.array([nodes.shape[1]]), np.zeros(1))).trees

    def _follow(self, choice: np.ndarray) -> np.ndarray:
        place, found, waiting = self.landscape.graph.place, [], [(len(self.variable) - 1, 0)]
        while waiting:
            cell, number = waiting.pop()
            way, edge, _ = choice[:, cell].tolist()
            found.append((place[cell], way, edge, 0, number))
            below = self.graph.below[edge].tolist()
            waiting += [(child, n) for n, child in reversed(list(enumerate(below))) if child >= 0]
        return np.array(found).T.copy()
