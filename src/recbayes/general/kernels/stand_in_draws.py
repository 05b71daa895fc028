"""Draws from the Gaussian stand-in of a general model: trees from the root down, and values given a tree.

On the way down a node has a *context*: the Gaussian of its value given all that was chosen above it, where branches that are
not followed yet have their messages. Edges are chosen by their integrals under it. Given the tree everything is
Gaussian, so that values are drawn exactly.
"""

import math

import numpy as np
from numba import njit

from recbayes.compiled.lanes import BORROWING, KERNEL
from recbayes.compiled.streams import stream, uniform
from recbayes.general.kernels.small import factor, invert, normal, solve, solve_upper
from recbayes.general.kernels.stand_in import Messages, Room, StandIn, gather, lead_back, under
from recbayes.general.kernels.structures import combinations

NUMBER, WAY, EDGE, STATES, CHILD = range(5)  # rows of drawn nodes: which child of its parent a node is, comes last


@njit(**KERNEL)
def draw_structures(
    model: StandIn,
    messages: Messages,
    seed: int,
    first: int,
    sizes: np.ndarray,
    out: np.ndarray,
    log_q: np.ndarray,
    logits: np.ndarray,
    stack: np.ndarray,
    contexts: np.ndarray,
    room: Room,
) -> int:
    """Fill `out` with nodes of trees in preorder, `sizes` with their numbers of nodes and `log_q` with the probability of
    each tree; `first` is the number of the first. How many trees there was room for."""
    state = np.empty(1, dtype=np.uint64)
    used = 0
    for t in range(len(sizes)):
        if used + len(stack) > out.shape[1]:
            return t
        state[0] = stream(seed, first + t)
        size, log = _draw_one(model, messages, state, out[:, used:], logits, stack, contexts, room)
        sizes[t], log_q[t] = size, log
        used += size
    return len(sizes)


@njit(**BORROWING)
def _draw_one(
    model: StandIn,
    messages: Messages,
    state: np.ndarray,
    out: np.ndarray,
    logits: np.ndarray,
    stack: np.ndarray,
    contexts: np.ndarray,
    room: Room,
) -> tuple[int, float]:
    graph = model.graph
    D = model.centre.shape[1]
    J, L, C, P = room.matrices[3], room.matrices[4], room.matrices[5], room.matrices[6]
    h, eta, x, mean = room.vectors[2], room.vectors[3], room.vectors[4], room.vectors[7]
    cell = len(graph.place) - 2
    log_q = 0.0
    root = graph.place[cell]
    if model.dim[root] == 0:
        states = graph.place[cell + 1] - root
        for p in range(states):
            logits[p] = model.root_log[p] + messages.g[root + p]
        p = _choose(logits, states, state)
        log_q += logits[p]
        root += p
    else:
        for i in range(D):
            contexts[0, D, i] = model.root_mean[i]
            for j in range(D):
                contexts[0, i, j] = model.root_precision[i, j]
    stack[0, 0], stack[0, 1], stack[0, 2] = root, cell, 0
    waiting, size = 1, 0
    while waiting > 0:
        waiting -= 1
        number, cell = stack[waiting, 0], stack[waiting, 1]
        out[NUMBER, size], out[CHILD, size] = number, stack[waiting, 2]
        d, p = model.dim[number], number - graph.place[cell]
        for i in range(d):  # the place of the context is given to the children
            mean[i] = contexts[waiting, D, i]
            for j in range(d):
                P[i, j] = contexts[waiting, i, j]
        total = 0
        for way in range(len(graph.first)):
            count = combinations(graph, way)
            for e in range(graph.first[way, cell], graph.first[way, cell + 1]):
                for q in range(count):
                    g = gather(model, messages, way, e, p, q, -1, d, J, h)
                    logits[total] = g if d == 0 else g + under(J, h, mean, P, d, L, eta, x)
                    total += 1
        chosen = _choose(logits, total, state)
        log_q += logits[chosen]
        way = 0
        while True:
            count = combinations(graph, way)
            edges = graph.first[way, cell + 1] - graph.first[way, cell]
            if chosen < edges * count:
                break
            chosen -= edges * count
            way += 1
        e, q = graph.first[way, cell] + chosen // count, chosen % count
        out[WAY, size], out[EDGE, size], out[STATES, size] = way, e, q
        size += 1
        rest = q
        for n in range(graph.below.shape[1] - 1, -1, -1):  # the last child first: the first is on top
            child = graph.below[e, n]
            own = rest % graph.sizes[way, n]
            rest //= graph.sizes[way, n]
            if child < 0:
                continue
            stack[waiting, 0], stack[waiting, 1], stack[waiting, 2] = child + own, _cell_of(graph.place, child), n
            link = model.link[way, n, p]
            if link >= 0:
                gather(model, messages, way, e, p, q, n, d, J, h)
                under(J, h, mean, P, d, L, eta, x)
                invert(L, d, C)
                _push(model, link, d, model.dim[child], x, C, contexts[waiting], room)
            waiting += 1
    return size, log_q


@njit(**BORROWING)
def _push(
    model: StandIn, link: int, parent: int, child: int, x: np.ndarray, C: np.ndarray, context: np.ndarray, room: Room
) -> None:
    """The context of a child: its parent's belief led through the link, as precision and mean (the last row)."""
    V, L = room.matrices[0], room.matrices[1]
    for a in range(child):
        context[len(context) - 1, a] = model.b[link, a]
        for i in range(parent):
            context[len(context) - 1, a] += model.A[link, a, i] * x[i]
        for c in range(child):
            V[a, c] = model.Q[link, a, c]
            for i in range(parent):
                for j in range(parent):
                    V[a, c] += model.A[link, a, i] * C[i, j] * model.A[link, c, j]
    factor(V, child, L)
    invert(L, child, V)
    for a in range(child):
        for c in range(child):
            context[a, c] = V[a, c]


@njit(**BORROWING)
def _choose(logits: np.ndarray, count: int, state: np.ndarray) -> int:
    """One of them by its probability; `logits` become log probabilities."""
    highest = -math.inf
    for n in range(count):
        if logits[n] > highest:
            highest = logits[n]
    total = 0.0
    for n in range(count):
        if logits[n] > -math.inf:
            total += math.exp(logits[n] - highest)
        else:
            logits[n] = -math.inf
    limit, found = uniform(state) * total, -1
    log, total = highest + math.log(total), 0.0
    for n in range(count):
        if logits[n] > -math.inf and total <= limit:
            total += math.exp(logits[n] - highest)
            found = n
    for n in range(count):
        logits[n] -= log
    return found


@njit(**KERNEL)
def draw_values(
    model: StandIn,
    nodes: np.ndarray,
    sizes: np.ndarray,
    arities: np.ndarray,
    seed: int,
    values: np.ndarray,
    log_q: np.ndarray,
    room: Room,
) -> None:
    """Values (nodes, K, D) of all trees, and their log density given the tree (trees, K)."""
    graph = model.graph
    D, K = model.centre.shape[1], values.shape[1]
    most = 0
    for size in sizes:
        most = max(most, size)
    up_J, up_h = np.zeros((most, D, D)), np.zeros((most, D))
    links, parents, stack = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    state = np.empty(1, dtype=np.uint64)
    J, L, P = room.matrices[3], room.matrices[4], room.matrices[5]
    h, eta, z = room.vectors[2], room.vectors[3], room.vectors[4]
    begin = 0
    for t in range(len(sizes)):
        height = 0
        for i in range(sizes[t] - 1, -1, -1):
            number, way, e, q = (
                nodes[NUMBER, begin + i],
                nodes[WAY, begin + i],
                nodes[EDGE, begin + i],
                nodes[STATES, begin + i],
            )
            d = model.dim[number]
            p = number - graph.place[_cell_of(graph.place, number)]
            place = model.site[e] + p * combinations(graph, way) + q
            for a in range(d):
                up_h[i, a] = model.site_h[place, a]
                for c in range(d):
                    up_J[i, a, c] = model.site_J[place, a, c]
            for _ in range(arities[begin + i]):
                height -= 1
                child = stack[height]
                link = model.link[way, nodes[CHILD, begin + child], p]
                links[child], parents[child] = link, i
                if link >= 0 and d > 0:
                    lead_back(
                        model, link, up_J[child], up_h[child], 0.0, d, model.dim[nodes[NUMBER, begin + child]], room, J, h
                    )
                    for a in range(d):
                        up_h[i, a] += h[a]
                        for c in range(d):
                            up_J[i, a, c] += J[a, c]
            stack[height] = i
            height += 1
        for k in range(K):
            log_q[t, k] = 0.0
        state[0] = stream(seed, t)
        for i in range(sizes[t]):
            d = model.dim[nodes[NUMBER, begin + i]]
            if d == 0:
                continue
            for a in range(d):
                for c in range(d):
                    above = model.root_precision[a, c] if i == 0 else model.Q_inverse[links[i], a, c]
                    P[a, c] = up_J[i, a, c] + above
            log = factor(P, d, L)
            for k in range(K):
                for a in range(d):
                    if i == 0:
                        h[a] = model.root_mean[a]
                    else:
                        h[a] = model.b[links[i], a]
                        for c in range(model.dim[nodes[NUMBER, begin + parents[i]]]):
                            h[a] += model.A[links[i], a, c] * values[begin + parents[i], k, c]
                for a in range(d):
                    eta[a] = up_h[i, a]
                    for c in range(d):
                        eta[a] += (model.root_precision[a, c] if i == 0 else model.Q_inverse[links[i], a, c]) * h[c]
                solve(L, d, eta, h)
                total = 0.5 * log - 0.5 * d * math.log(2.0 * math.pi)
                for a in range(d):
                    z[a] = normal(state)
                    total -= 0.5 * z[a] ** 2
                solve_upper(L, d, z, z)
                for a in range(d):
                    values[begin + i, k, a] = h[a] + z[a]
                log_q[t, k] += total
        begin += sizes[t]


@njit(**BORROWING)
def _cell_of(place: np.ndarray, number: int) -> int:
    """The cell that a number is of."""
    low, high = 0, len(place) - 2
    while low < high:
        middle = (low + high + 1) // 2
        if place[middle] <= number:
            low = middle
        else:
            high = middle - 1
    return low
