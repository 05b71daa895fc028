"""Values of all nodes of given trees, drawn jointly given the data: from the root down, eight draws at a time.

Given its parent's value, a node's value is the link's normal distribution times the node's exact message from below.
"""

import numpy as np
from numba import njit

from recbayes.compiled.factors import root
from recbayes.compiled.lanes import BORROWING, KERNEL, LANES, get, put, splat, store
from recbayes.compiled.layout import (
    MODE,
    in_lane,
    lower,
    message_entries,
    nth_message,
    precision_from,
    precision_of,
)
from recbayes.gaussian.chart.tables import Tables
from recbayes.gaussian.kernels.contexts import density_of_prior, spread
from recbayes.gaussian.kernels.densities import push_density, weigh_density
from recbayes.gaussian.kernels.listing import Problem
from recbayes.gaussian.kernels.places import END, FOLLOW, GIVEN, LEFT, RIGHT, RULE, SPLIT, START, VARIABLE, prepare
from recbayes.gaussian.kernels.room import Room
from recbayes.gaussian.kernels.walk import walk


@njit(**KERNEL)
def draw_values(
    problem: Problem, trees: np.ndarray, sizes: np.ndarray, components: np.ndarray, normals: np.ndarray, values: np.ndarray
) -> None:
    """Into `values` (nodes, dimensions, LANES), from as many standard normal numbers."""
    tables, plan = problem.tables, problem.plan
    size, segments = tables.shifts.shape[1], len(plan.positions) - 1
    entries = message_entries(size)
    nothing = np.int64(0)
    at, to, room, cache, nodes, stack, state = prepare(size, sizes.max() + 1, nothing, nothing, np.int64(1))
    above = np.zeros((2, sizes.max() + 1), dtype=np.int64)  # the parent of each node, and on which side it is
    first = 0
    for t in range(len(sizes)):
        nodes[VARIABLE, 0], nodes[START, 0], nodes[END, 0] = tables.roots[components[t]], 0, segments
        for n in range(sizes[t]):
            nodes[RULE, n], nodes[SPLIT, n], nodes[GIVEN, n] = trees[0, first + n], trees[1, first + n], trees[2, first + n]
        count, _ = walk(problem, nodes, np.int64(0), np.int64(FOLLOW), stack, cache, room, at, to, state)
        for n in range(count):
            if nodes[RULE, n] >= 0:
                above[0, nodes[LEFT, n]], above[1, nodes[LEFT, n]] = n, 0
                above[0, nodes[RIGHT, n]], above[1, nodes[RIGHT, n]] = n, 1
        for n in range(count):
            if n == 0:
                density_of_prior(room, size, components[t], tables.prior, at, to.contexts)
                spread(room, to.contexts, at.one, entries)
            else:
                parent = above[0, n]
                _from_parent(tables, nodes[RULE, parent], above[1, n], values[first + parent], room, size, at)
            spread(room, nth_message(to.inner, n, size), at.two, entries)
            weigh_density(room, size, at.one, at.two, at.product, at.free)
            _draw(room, size, at, normals[first + n], values[first + n])
        first += sizes[t]


@njit(**BORROWING)
def _from_parent(tables: Tables, r: int, side: int, value: np.ndarray, room: np.ndarray, size: int, at: Room) -> None:
    """The density of a child given its parent's value, in at.one."""
    rule = tables.rules[r]
    link, shift = (rule.left, rule.left_shift) if side == 0 else (rule.right, rule.right_shift)
    store(room, at.product, splat(0.0))
    for entry in range(precision_from(size), message_entries(size)):
        put(room, at.product, entry, splat(0.0))
    for a in range(size):
        for lane in range(LANES):
            room[in_lane(at.product, MODE + a, lane)] = value[a, lane]
    push_density(tables, link, shift, room, at.product, at.one, at.free)


@njit(**BORROWING)
def _draw(room: np.ndarray, size: int, at: Room, normals: np.ndarray, value: np.ndarray) -> None:
    """Eight values from the density in at.product."""
    root(room, size, precision_of(at.product, size), at.factor, at.pivots)
    for a in range(size):
        total = get(room, at.product, MODE + a)
        put(room, at.vector, a, total)
    for a in range(size):
        for lane in range(LANES):
            total = room[in_lane(at.vector, a, lane)]
            for b in range(a + 1):
                total += room[in_lane(at.factor, lower(a, b), lane)] * normals[b, lane]
            value[a, lane] = total
