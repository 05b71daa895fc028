"""Compiled derivatives of the exact log joint probability of data and given trees.

Given the tree, the derivative of the log joint is the posterior mean of that of the complete log density (Fisher's
identity), which needs the values of nodes and, along each link, how a child's value varies with its parent's. Messages come
up as in every walk; going down, a child with message N(mu, 1 / L) and link x_c = F u + f + N(0, Q) has, given u,

    x_c = z + K (mu - z) + N(0, (1 - K) Q),    z = F u + f,    K = Q B,    B = (1 + L Q)^-1 L,

and all derivatives follow from B, without an inverse of Q: links without noise are as good as any.
"""

import numpy as np
from numba import njit

from recbayes.compiled.lanes import INNER, KERNEL
from recbayes.compiled.layout import (
    MODE,
    cell_place,
    entry_place,
    link_place,
    lower,
    map_from,
    nth_message,
    offset_from,
    precision_from,
    square_entry,
)
from recbayes.gaussian.chart.plan import Plan
from recbayes.gaussian.chart.tables import Tables
from recbayes.gaussian.kernels.derivatives import Gradients
from recbayes.gaussian.kernels.listing import Problem
from recbayes.gaussian.kernels.places import END, FOLLOW, LEFT, RULE, SPLIT, START, VARIABLE, prepare
from recbayes.gaussian.kernels.walk import walk


@njit(**INNER)
def _unpack(array: np.ndarray, place: int, length: int, size: int, dim: int) -> tuple[np.ndarray, np.ndarray]:
    """Mode and precision of a potential, in the first `dim` dimensions."""
    mode, precision = np.empty(dim), np.empty((dim, dim))
    for a in range(dim):
        mode[a] = array[entry_place(place, length, MODE + a)]
        for b in range(a + 1):
            entry = precision_from(size) + lower(a, b)
            precision[a, b] = precision[b, a] = array[entry_place(place, length, entry)]
    return mode, precision


@njit(**INNER)
def _add_slopes(
    array: np.ndarray,
    place: int,
    length: int,
    size: int,
    weight: float,
    mode: np.ndarray,
    precision: np.ndarray,
    mean: np.ndarray,
    covariance: np.ndarray,
) -> None:
    """Add the derivatives with respect to a potential whose variable has the given mean and covariance."""
    apart = mean - mode
    pull = precision @ apart
    array[place] += weight
    for a in range(len(mean)):
        array[entry_place(place, length, MODE + a)] += weight * pull[a]
        for b in range(a + 1):
            entry = precision_from(size) + lower(a, b)
            array[entry_place(place, length, entry)] -= 0.5 * weight * (covariance[a, b] + apart[a] * apart[b])


@njit(**KERNEL)
def gather_slopes(
    problem: Problem,
    trees: np.ndarray,
    sizes: np.ndarray,
    components: np.ndarray,
    weights: np.ndarray,
    derivatives: np.ndarray,
    gradients: Gradients,
) -> None:
    """Add the derivatives of all trees' log joints, times their weights.

    `trees` are as in `follow_trees`. The potentials of leaves, whose spans may be wide, have their derivatives in
    `derivatives`, laid out as the chart's messages; rules, links, lengths of emissions and the prior's Gaussians in
    `gradients`, as in `fill_adjoint`.
    """
    tables, plan, dims, messages = problem.tables, problem.plan, problem.dims, problem.messages
    size, segments = tables.shifts.shape[1], len(plan.positions) - 1
    nothing = np.int64(0)
    capacity = sizes.max() + 1
    at, to, room, cache, nodes, stack, state = prepare(size, capacity, nothing, nothing, np.int64(1))
    means, covariances = np.zeros((capacity, size)), np.zeros((capacity, size, size))
    first = 0
    for t in range(len(sizes)):
        weight = weights[t]
        root = tables.roots[components[t]]
        nodes[VARIABLE, 0], nodes[START, 0], nodes[END, 0] = root, 0, segments
        for n in range(sizes[t]):
            nodes[RULE, n], nodes[SPLIT, n] = trees[0, first + n], trees[1, first + n]
        first += sizes[t]
        if weight == 0.0:
            continue
        count, _ = walk(problem, nodes, np.int64(0), np.int64(FOLLOW), stack, cache, room, at, to, state)
        dim = dims[root]
        columns = tables.prior.shape[1]
        prior_mode, prior_precision = _unpack(tables.prior.ravel(), components[t], columns, size, dim)
        mode, precision = _unpack(room, to.inner, 1, size, dim)
        covariance = np.linalg.inv(prior_precision + precision)
        mean = prior_mode + covariance @ (precision @ (mode - prior_mode))
        means[0, :dim], covariances[0, :dim, :dim] = mean, covariance
        slopes = gradients.prior.ravel()
        _add_slopes(slopes, components[t], columns, size, weight, prior_mode, prior_precision, mean, covariance)
        for n in range(count):
            r = nodes[RULE, n]
            if r < 0:
                _leaf(plan, messages, derivatives, gradients, dims, nodes, n, weight, means, covariances, size)
                continue
            gradients.rules[r] += weight
            for side in range(2):
                child = nodes[LEFT + side, n]
                mode, precision = _unpack(room, nth_message(to.inner, child, size), 1, size, dims[nodes[VARIABLE, child]])
                _link(tables, gradients, dims, nodes, n, side, weight, mode, precision, means, covariances)


@njit(**INNER)
def _leaf(
    plan: Plan,
    messages: np.ndarray,
    derivatives: np.ndarray,
    gradients: Gradients,
    dims: np.ndarray,
    nodes: np.ndarray,
    n: int,
    weight: float,
    means: np.ndarray,
    covariances: np.ndarray,
    size: int,
) -> None:
    """What a leaf's value says about the potential of its span and about its length."""
    e, start, end = -1 - nodes[RULE, n], nodes[START, n], nodes[END, n]
    dim = dims[nodes[VARIABLE, n]]
    gradients.emissions[e, plan.ticks[end] - plan.ticks[start]] += weight
    row = plan.emit_rows[e, end - start]
    place = cell_place(plan.emit_base, row, start)
    mode, precision = _unpack(messages, place, row.length, size, dim)
    mean, covariance = means[n, :dim], covariances[n, :dim, :dim]
    _add_slopes(derivatives, place, row.length, size, weight, mode, precision, mean, covariance)


@njit(**INNER)
def _link(
    tables: Tables,
    gradients: Gradients,
    dims: np.ndarray,
    nodes: np.ndarray,
    n: int,
    side: int,
    weight: float,
    mode: np.ndarray,
    precision: np.ndarray,
    means: np.ndarray,
    covariances: np.ndarray,
) -> None:
    """The value of a child given its message, and the derivatives with respect to the link from its parent."""
    size = tables.shifts.shape[1]
    rule = tables.rules[nodes[RULE, n]]
    link, shift = (rule.left, rule.left_shift) if side == 0 else (rule.right, rule.right_shift)
    child = nodes[LEFT + side, n]
    above, below = dims[nodes[VARIABLE, n]], dims[nodes[VARIABLE, child]]
    u, U = np.empty(above), np.empty((above, above))
    for a in range(above):
        u[tables.shifts[shift, a]] = means[n, a]
        for b in range(above):
            U[tables.shifts[shift, a], tables.shifts[shift, b]] = covariances[n, a, b]
    Q, F, f = np.empty((below, below)), np.empty((below, above)), np.empty(below)
    place = link_place(link, size)
    for a in range(below):
        f[a] = tables.constants[place + offset_from(size) + a]
        for b in range(below):
            Q[a, b] = tables.constants[place + square_entry(a, b, size)]
        for b in range(above):
            F[a, b] = tables.constants[place + map_from(size) + square_entry(a, b, size)]
    B = np.linalg.solve(np.eye(below) + precision @ Q, precision)
    B = 0.5 * (B + B.T)
    z, FU = F @ u + f, F @ U
    pull = B @ (mode - z)
    rest = np.eye(below) - Q @ B
    spread = FU @ F.T
    means[child, :below] = z + Q @ pull
    covariances[child, :below, :below] = rest @ spread @ rest.T + rest @ Q
    by_covariance = B @ spread @ B
    by_map = B @ FU
    slopes = gradients.links[link]
    for a in range(below):
        slopes[offset_from(size) + a] += weight * pull[a]
        for b in range(below):
            slopes[square_entry(a, b, size)] += 0.5 * weight * (by_covariance[a, b] + pull[a] * pull[b] - B[a, b])
        for b in range(above):
            slopes[map_from(size) + square_entry(a, b, size)] += weight * (pull[a] * u[b] - by_map[a, b])
