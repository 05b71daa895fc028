"""Drawing whole trees from the chart."""

import math

import numpy as np
from numba import njit

from recbayes.compiled.lanes import BORROWING, KERNEL
from recbayes.compiled.streams import stream, uniform
from recbayes.gaussian.kernels.contexts import density_of_prior
from recbayes.gaussian.kernels.listing import Problem
from recbayes.gaussian.kernels.places import DRAW, END, RULE, START, VARIABLE, prepare
from recbayes.gaussian.kernels.walk import log_joint, walk


@njit(**KERNEL)
def draw_trees(
    problem: Problem,
    shares: np.ndarray,
    seed: int,
    first_draw: int,
    draws: int,
    most_alternatives: int,
    kept: int,
    out: np.ndarray,
    logs: np.ndarray,
) -> int:
    """Draw trees until `draws` are done or `out` is full, and return how many.

    `out` (4, capacity) receives variables, starts, ends and rules of all nodes, tree after tree; `logs` (draws, 4) the log
    joint probability of data, tree and prior component, the log probability of the draw, the component and the size.
    `shares` are the probabilities with which the prior's Gaussians are drawn.
    """
    tables, plan, dims = problem.tables, problem.plan, problem.dims
    size, segments = tables.shifts.shape[1], len(plan.positions) - 1
    capacity = 2 * segments
    at, to, room, cache, nodes, stack, state = prepare(size, capacity, most_alternatives, kept, plan.choices_size)
    used = 0
    for draw in range(draws):
        if used + capacity > out.shape[1]:
            return draw
        state[0] = stream(seed, first_draw + draw)
        component = draw_component(shares, uniform(state))
        density_of_prior(room, size, component, tables.prior, at, to.contexts)
        root = tables.roots[component]
        nodes[VARIABLE, 0], nodes[START, 0], nodes[END, 0] = root, 0, segments
        count, log_probability = walk(problem, nodes, np.int64(0), np.int64(DRAW), stack, cache, room, at, to, state)
        logs[draw, 0] = log_joint(room, size, component, tables.prior, dims[root], to.inner, at)
        logs[draw, 1] = log_probability + math.log(shares[component])
        logs[draw, 2] = component
        logs[draw, 3] = count
        used = write_tree(nodes, count, out, used)
    return draws


@njit(**BORROWING)
def draw_component(shares: np.ndarray, threshold: float) -> int:
    """One of the prior's Gaussians in proportion to its share of the evidence."""
    component = 0
    for c in range(len(shares)):
        if shares[c] > 0.0:
            component = c
            threshold -= shares[c]
            if threshold < 0.0:
                break
    return component


@njit(**BORROWING)
def write_tree(nodes: np.ndarray, count: int, out: np.ndarray, used: int) -> int:
    """Append a tree's nodes to the output and return its new length."""
    for n in range(count):
        out[0, used + n] = nodes[VARIABLE, n]
        out[1, used + n] = nodes[START, n]
        out[2, used + n] = nodes[END, n]
        out[3, used + n] = nodes[RULE, n]
    return used + count
