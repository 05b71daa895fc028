"""Sums and maxima over all structures of a chart whose edges have weights, in logarithms.

A cell has one number for each state of its variable (one, if that is continuous: its value is fixed). With w(e, p, q) the
log weight of an edge e from state p of the parent to the states q of the children,

    inside(c, p) = log sum over edges e of c and q of exp(w(e, p, q) + sum over children of inside(child, q)),

and the derivatives of the root's are the probabilities of edges and cells: the outside pass.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from recbayes.compiled.lanes import BORROWING, KERNEL


class Graph(NamedTuple):
    """Cells in the order in which they are computed, and their edges, way by way."""

    place: np.ndarray  # (C + 1,) where the numbers of a cell stand
    first: np.ndarray  # (ways, C + 1) edges of a cell: from here to that of the next
    below: np.ndarray  # (E, most children) where the numbers of children stand; -1: none, it is observed
    weight: np.ndarray  # (E,) where its weights stand, by states of the parent and then of the children
    sizes: np.ndarray  # (ways, most children) states of the children; 1 for those that are continuous or observed
    unary: np.ndarray  # (ways,) whether children have the span of their parent


@njit(**BORROWING)
def sum_under(graph: Graph, way: int, e: int, q: int, inside: np.ndarray) -> float:
    """The sum of the children's numbers, for states that q counts."""
    total = 0.0
    for n in range(graph.below.shape[1] - 1, -1, -1):
        size = graph.sizes[way, n]
        if graph.below[e, n] >= 0:
            total += inside[graph.below[e, n] + q % size]
        q //= size
    return total


@njit(**BORROWING)
def combinations(graph: Graph, way: int) -> int:
    count = 1
    for n in range(graph.sizes.shape[1]):
        count *= graph.sizes[way, n]
    return count


@njit(**KERNEL)
def sum_structures(graph: Graph, weights: np.ndarray, inside: np.ndarray) -> None:
    """Fill `inside`, all numbers of all cells."""
    for c in range(len(graph.place) - 1):
        states = graph.place[c + 1] - graph.place[c]
        for p in range(states):
            highest = -math.inf
            total = 0.0
            for way in range(len(graph.first)):
                begin, end = graph.first[way, c], graph.first[way, c + 1]
                if begin == end:
                    continue
                count = combinations(graph, way)
                for e in range(begin, end):
                    for q in range(count):
                        value = weights[graph.weight[e] + p * count + q]
                        if value == -math.inf:
                            continue
                        value += sum_under(graph, way, e, q, inside)
                        if value <= highest:
                            if value > -math.inf:
                                total += math.exp(value - highest)
                        else:
                            total = total * math.exp(highest - value) + 1.0
                            highest = value
            inside[graph.place[c] + p] = highest + math.log(total) if total > 0.0 else -math.inf


@njit(**KERNEL)
def share_structures(
    graph: Graph, weights: np.ndarray, inside: np.ndarray, outside: np.ndarray, entered: np.ndarray, shares: np.ndarray
) -> None:
    """The probabilities of all cells' states (`outside`, in which the root's are given), of entering them from another span
    (`entered`) and of all edges (`shares`, which are added to, as weights may be shared)."""
    for c in range(len(graph.place) - 2, -1, -1):
        states = graph.place[c + 1] - graph.place[c]
        for p in range(states):
            own, here = inside[graph.place[c] + p], outside[graph.place[c] + p]
            if not here > 0.0:
                continue
            for way in range(len(graph.first)):
                begin, end = graph.first[way, c], graph.first[way, c + 1]
                if begin == end:
                    continue
                count = combinations(graph, way)
                for e in range(begin, end):
                    for q in range(count):
                        place = graph.weight[e] + p * count + q
                        if weights[place] == -math.inf:
                            continue
                        share = here * math.exp(weights[place] + sum_under(graph, way, e, q, inside) - own)
                        if not share > 0.0:
                            continue
                        shares[place] += share
                        rest = q
                        for n in range(graph.below.shape[1] - 1, -1, -1):
                            size = graph.sizes[way, n]
                            if graph.below[e, n] >= 0:
                                outside[graph.below[e, n] + rest % size] += share
                                if not graph.unary[way]:
                                    entered[graph.below[e, n] + rest % size] += share
                            rest //= size


@njit(**KERNEL)
def best_structures(graph: Graph, weights: np.ndarray, best: np.ndarray, choice: np.ndarray) -> None:
    """For every cell and state the highest log weight of a structure below it (`best`), and how it begins (`choice`): way,
    edge and states of the children. The first of equals."""
    for c in range(len(graph.place) - 1):
        for p in range(graph.place[c + 1] - graph.place[c]):
            here = graph.place[c] + p
            best[here] = -math.inf
            for way in range(len(graph.first)):
                begin, end = graph.first[way, c], graph.first[way, c + 1]
                if begin == end:
                    continue
                count = combinations(graph, way)
                for e in range(begin, end):
                    for q in range(count):
                        value = weights[graph.weight[e] + p * count + q]
                        if value > -math.inf:
                            value += sum_under(graph, way, e, q, best)
                        if value > best[here]:
                            best[here] = value
                            choice[0, here], choice[1, here], choice[2, here] = way, e, q


@njit(**KERNEL)
def find_parents(arities: np.ndarray, sizes: np.ndarray, parents: np.ndarray) -> None:
    """The parent of every node, of trees in preorder one after the other; -1 for roots."""
    begin = 0
    left = np.empty(len(arities), dtype=np.int64)
    open_nodes = np.empty(len(arities), dtype=np.int64)
    for size in sizes:
        height = 0
        for i in range(begin, begin + size):
            parents[i] = open_nodes[height - 1] if height > 0 else -1
            if height > 0:
                left[height - 1] -= 1
                if left[height - 1] == 0:
                    height -= 1
            if arities[i] > 0:
                open_nodes[height], left[height] = i, arities[i]
                height += 1
        begin += size


@njit(**KERNEL)
def unfold_trees(
    nodes: np.ndarray, sizes: np.ndarray, below: np.ndarray, seen: np.ndarray, hidden: np.ndarray, alone: np.ndarray,
    sources: np.ndarray, points: np.ndarray, arities: np.ndarray, shown: np.ndarray,
) -> int:  # fmt: skip
    """Drawn nodes (number, way, edge, ...), in preorder, as nodes of trees that have observations beside children, too.

    `below` and `seen` have the children of edges: cells, and points of observations (-1: not one); `hidden` are ways that
    are not told, `alone` those to observations alone, which are no nodes. `sources` gets the drawn node of every node (-1:
    an observation), `points` where an observation stands, and `shown` the numbers of nodes of trees. How many there are.
    """
    stack = np.empty(8 * (nodes.shape[1] + 1), dtype=np.int64)
    used, i = 0, 0
    for t in range(len(sizes)):
        height, begin = 1, used
        stack[0] = -1
        while height > 0:
            height -= 1
            if stack[height] >= 0:
                sources[used], points[used], arities[used] = -1, stack[height], 0
                used += 1
                continue
            way, e = nodes[1, i], nodes[2, i]
            count = 0
            if not alone[way]:
                for n in range(below.shape[1] - 1, -1, -1):
                    if below[e, n] >= 0 or seen[e, n] >= 0:
                        stack[height] = -1 if below[e, n] >= 0 else seen[e, n]
                        height += 1
                        count += 1
            if not hidden[way]:
                sources[used], points[used], arities[used] = i, -1, count
                used += 1
            i += 1
        shown[t] = used - begin
    return used
