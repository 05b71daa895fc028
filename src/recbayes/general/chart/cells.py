"""Which cells a chart has, and the edges between them.

Cells are a layer and a span between chart points; edges lead from a cell to its children: one for every step, and every way
to divide the span among them. Only cells from which the observations can be generated, and to which the root leads, are
there. A step with m children has of the order of N^(m + 1) / (m + 1)! edges.
"""

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from recbayes.errors import LengthError
from recbayes.general.chart.layers import Layer, Layers, Way, layers_of
from recbayes.general.model.parts import Parts
from recbayes.spans.constraints import Constraints
from recbayes.tree.known import NO_NODE, NODE


class Edges(NamedTuple):
    """All edges of one way, by parents in the order of cells: cells of the parent, and for every child its cells or, for a
    terminal, positions of observations."""

    way: Way
    parents: np.ndarray  # (E,)
    children: np.ndarray  # (E, children)


class Cells(NamedTuple):
    """Cells in an order in which children come first: number of their layer, and points where their spans begin and end."""

    layers: Layers
    points: np.ndarray  # positions of observations
    layer: np.ndarray  # (C,)
    spans: np.ndarray  # (C, 2)
    edges: tuple[Edges, ...]

    def of(self, layer: Layer) -> np.ndarray:
        """Numbers of the cells of a layer."""
        return np.flatnonzero(self.layer == self.layers.order.index(layer))

    @property
    def length(self) -> int:
        return int(self.points[-1])


def make_cells(parts: Parts, kinds: np.ndarray, constraints: Constraints) -> Cells:
    """Of a sequence whose observations are of terminals with these numbers."""
    constraints.refuse_preference("models of your own densities")
    layers, points = layers_of(parts), constraints.points(len(kinds))
    mask = constraints.mask_between(points, len(kinds))
    listing = _Listing(parts, layers, points, mask, kinds)
    listing.find_possible()
    root = Layer(parts.root), 0, len(points) - 1
    if not listing.possible[root[0]][root[1:]]:
        note = " under what is known of its trees" if constraints.any else ""
        raise LengthError(f"the model cannot generate {len(kinds)} such observations{note}")
    return listing.cells_below(root)


Cell = tuple[Layer, int, int]


class _Listing:
    def __init__(self, parts: Parts, layers: Layers, points: np.ndarray, mask: np.ndarray, kinds: np.ndarray) -> None:
        self.parts, self.layers, self.points, self.mask = parts, layers, points, mask
        count = len(points)
        self.possible: dict[Any, np.ndarray] = {layer: np.zeros((count, count), dtype=np.bool_) for layer in layers.order}
        single = points[None, :] - points[:, None] == 1
        if len(mask):
            single &= mask != NO_NODE
        for number, name in enumerate(parts.terminals):
            here = np.append(kinds == number, False)[points]
            self.possible[name] = single & here[:, None]
        self.same = [_runs(kinds == number) for number in range(len(parts.terminals))]
        self.ways = {layer: [way for way in layers.ways if way.layer == layer] for layer in layers.order}

    def find_possible(self) -> None:
        """Cells from which their observations can be generated, from short to long spans."""
        for width in range(1, len(self.points)):
            for layer in self.layers.order:
                for start in range(len(self.points) - width):
                    span = start, start + width
                    allowed = not len(self.mask) or self.mask[span] != NO_NODE
                    self.possible[layer][span] = allowed and any(
                        len(self._divisions(way, *span)) for way in self.ways[layer]
                    )

    def cells_below(self, root: Cell) -> Cells:
        """All cells that the root leads to, and their edges."""
        reached = {layer: np.zeros_like(self.possible[layer]) for layer in self.layers.order}
        reached[root[0]][root[1:]] = True
        found: list[tuple[Cell, list[tuple[Way, np.ndarray]]]] = []
        for width in range(len(self.points) - 1, 0, -1):
            for layer in reversed(self.layers.order):
                for start in np.flatnonzero(np.diagonal(reached[layer], width))[::-1].tolist():
                    here = start, start + width
                    below = [(way, self._divisions(way, *here)) for way in self.ways[layer]]
                    for way, divisions in below:
                        for child, (left, right) in zip(way.children, _sides(divisions), strict=True):
                            if isinstance(child, Layer):
                                reached[child][left, right] = True
                    found.append(((layer, *here), below))
        found.reverse()
        return self._numbered(found)

    def _numbered(self, found: list[tuple[Cell, list[tuple[Way, np.ndarray]]]]) -> Cells:
        numbers = {layer: np.full_like(self.possible[layer], -1, dtype=np.int64) for layer in self.layers.order}
        for number, ((layer, start, end), _) in enumerate(found):
            numbers[layer][start, end] = number
        parents: dict[Way, list[np.ndarray]] = {way: [] for way in self.layers.ways}
        divided: dict[Way, list[np.ndarray]] = {way: [] for way in self.layers.ways}
        for number, (_, below) in enumerate(found):
            for way, divisions in below:
                parents[way].append(np.full(len(divisions), number))
                divided[way].append(divisions)
        edges = []
        for way in self.layers.ways:
            if sum(map(len, parents[way])):
                divisions = np.concatenate(divided[way])
                columns = [
                    numbers[child][sides] if isinstance(child, Layer) else self.points[sides[0]]
                    for child, sides in zip(way.children, _sides(divisions), strict=True)
                ]
                edges.append(Edges(way, np.concatenate(parents[way]), np.stack(columns, axis=1)))
        order = {layer: number for number, layer in enumerate(self.layers.order)}
        owners = np.array([order[layer] for (layer, _, _), _ in found])
        spans = np.array([span for (_, *span), _ in found])
        return Cells(self.layers, self.points, owners, spans, tuple(edges))

    def _divisions(self, way: Way, start: int, end: int) -> np.ndarray:
        """All ways to divide a span among the children, as points (divisions, children + 1)."""
        terminals_only = all(isinstance(child, str) for child in way.children)
        if terminals_only and len(self.mask) and self.mask[start, end] != NODE:
            return np.empty((0, len(way.children) + 1), dtype=np.int64)
        step = None if way.step is None else self.parts.steps[way.layer.variable][way.step]
        if step is not None and step.length is not None:
            return np.array([[start, end]])[: int(self._may_be_leaf(way, start, end))]
        inner = _between(start, end, len(way.children) - 1)
        edges = np.full((len(inner), 1), start), inner, np.full((len(inner), 1), end)
        divisions = np.concatenate(edges, axis=1)
        fits = np.ones(len(divisions), dtype=np.bool_)
        for child, sides in zip(way.children, _sides(divisions), strict=True):
            fits &= self.possible[child][sides]
        return divisions[fits]

    def _may_be_leaf(self, way: Way, start: int, end: int) -> bool:
        """Whether all observations of a span are of the way's terminal, and as many as its leaves can have."""
        (name,) = way.children
        first, last = self.points[start], self.points[end]
        length = self.parts.steps[way.layer.variable][way.step or ""].length
        assert length is not None
        assert isinstance(name, str)
        alike = self.same[self.parts.terminals.index(name)][first] >= last - first
        return bool(alike) and float(length.log_probability(np.array([last - first]))[0]) > -np.inf


def _between(start: int, end: int, count: int) -> np.ndarray:
    """All ways to choose so many points between two."""
    if count == 0:
        return np.empty((1, 0), dtype=np.int64)
    if count == 1:
        return np.arange(start + 1, end)[:, None]
    return np.array(list(combinations(range(start + 1, end), count)), dtype=np.int64).reshape(-1, count)


def _sides(divisions: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """For every child, where its spans begin and end."""
    return [(divisions[:, n], divisions[:, n + 1]) for n in range(divisions.shape[1] - 1)]


def _runs(alike: np.ndarray) -> np.ndarray:
    """How many observations from each position on are alike."""
    found = np.zeros(len(alike) + 1, dtype=np.int64)
    for t in range(len(alike) - 1, -1, -1):
        found[t] = found[t + 1] + 1 if alike[t] else 0
    return found
