"""Structures drawn at fixed values, exactly: from the root down, each edge by its share of the sum."""

import math

import numpy as np
from numba import njit

from recbayes.compiled.lanes import KERNEL
from recbayes.compiled.streams import stream, uniform
from recbayes.general.kernels.structures import Graph, combinations, sum_under


@njit(**KERNEL)
def draw_structure(
    graph: Graph, weights: np.ndarray, inside: np.ndarray, root: np.ndarray, seed: int, number: int, out: np.ndarray
) -> int:
    """Fill `out` with the nodes of one tree in preorder: number, way, edge, states of the children together, and which child
    each is. `root` has log probabilities of the root's states; `seed` and `number` say which draw it is. How many nodes
    there are."""
    state = np.empty(1, dtype=np.uint64)
    state[0] = stream(seed, number)
    stack = np.empty((out.shape[1], 2), dtype=np.int64)
    cell = len(graph.place) - 2
    limit, chosen, total = uniform(state), -1, 0.0
    for p in range(len(root)):
        if root[p] > -math.inf and total <= limit:
            total += math.exp(root[p])
            chosen = p
    stack[0, 0], stack[0, 1] = graph.place[cell] + chosen, 0
    waiting, size = 1, 0
    while waiting > 0:
        waiting -= 1
        here = stack[waiting, 0]
        cell = np.searchsorted(graph.place, here, side="right") - 1
        p = here - graph.place[cell]
        out[0, size], out[4, size] = here, stack[waiting, 1]
        limit, total = uniform(state), 0.0
        for way in range(len(graph.first)):
            count = combinations(graph, way)
            for e in range(graph.first[way, cell], graph.first[way, cell + 1]):
                for q in range(count):
                    value = weights[graph.weight[e] + p * count + q]
                    if value > -math.inf and total <= limit:
                        share = math.exp(value + sum_under(graph, way, e, q, inside) - inside[here])
                        if share > 0.0:
                            total += share
                            out[1, size], out[2, size], out[3, size] = way, e, q
        way, e, rest = out[1, size], out[2, size], out[3, size]
        size += 1
        for n in range(graph.below.shape[1] - 1, -1, -1):
            own = rest % graph.sizes[way, n]
            rest //= graph.sizes[way, n]
            if graph.below[e, n] >= 0:
                stack[waiting, 0], stack[waiting, 1] = graph.below[e, n] + own, n
                waiting += 1
    return size
