"""Drawn structures as trees."""

from typing import NamedTuple

import numpy as np

from recbayes.compiled.compilation import run_kernel
from recbayes.general.chart.joint import Landscape
from recbayes.general.kernels.stand_in_draws import NUMBER, WAY
from recbayes.general.kernels.structures import unfold_trees
from recbayes.general.model.parts import OBSERVED
from recbayes.general.surrogate.stand_in import Structures
from recbayes.tree.forest import Forest


class Shown(NamedTuple):
    """Trees, and for every node of theirs the drawn one that it is (-1: an observation beside other children)."""

    trees: Forest
    sources: np.ndarray


def shown_trees(landscape: Landscape, drawn: Structures) -> Shown:
    cells, graph = landscape.cells, landscape.graph
    seen = np.full_like(graph.below, -1)
    for number, edges in enumerate(cells.edges):
        rows = slice(graph.first[number, 0], graph.first[number, 0] + len(edges.parents))
        for n, child in enumerate(edges.way.children):
            if isinstance(child, str):
                seen[rows, n] = np.searchsorted(cells.points, edges.children[:, n])
    ways = [edges.way for edges in cells.edges]
    hidden = np.array([way.step is None for way in ways])
    alone = np.array([len(way.children) == 1 and isinstance(way.children[0], str) for way in ways])
    most = drawn.nodes.shape[1] * max(2, graph.below.shape[1])
    sources, points, arities = (np.empty(most, dtype=np.int64) for _ in range(3))
    sizes = np.empty(len(drawn.sizes), dtype=np.int64)
    used = run_kernel(
        unfold_trees, drawn.nodes, drawn.sizes, graph.below, seen, hidden, alone, sources, points, arities, sizes
    )
    sources, points, arities = sources[:used], points[:used], arities[:used]
    cell = landscape.cells_of(drawn.nodes[NUMBER, sources])
    names = list(landscape.model.parts.variables)
    of_layer = np.array([names.index(layer.variable) for layer in cells.layers.order])
    node = sources >= 0
    spans = np.where(node[:, None], cells.spans[cell], np.stack([points, points + 1], axis=1))
    forest = Forest(
        labels=[*names, ""],
        rule_names={-1: OBSERVED, **{n: way.step or "" for n, way in enumerate(ways)}},
        positions=cells.points,
        variables=np.where(node, of_layer[cells.layer[cell]], len(names)),
        starts=spans[:, 0],
        ends=spans[:, 1],
        rules=np.where(node, drawn.nodes[WAY, sources], -1),
        arities=arities,
        first=np.concatenate([[0], np.cumsum(sizes)]),
    )
    return Shown(forest, sources)
