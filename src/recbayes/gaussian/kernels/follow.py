"""Following given trees."""

import math

import numpy as np
from numba import njit

from recbayes.compiled.lanes import KERNEL
from recbayes.compiled.layout import in_lane, message_entries, nth_message
from recbayes.gaussian.kernels.contexts import density_of_prior, exact_contexts, spread
from recbayes.gaussian.kernels.densities import weigh_density
from recbayes.gaussian.kernels.listing import Problem
from recbayes.gaussian.kernels.places import END, FOLLOW, GIVEN, RULE, SPLIT, START, VARIABLE, prepare
from recbayes.gaussian.kernels.walk import log_joint, owner_of, walk


@njit(**KERNEL)
def follow_trees(
    problem: Problem, trees: np.ndarray, sizes: np.ndarray, components: np.ndarray, joints: np.ndarray, values: np.ndarray
) -> None:
    """For given trees, log joint probabilities with each Gaussian of the prior; and the values of all nodes.

    `trees` (3, nodes) has rules, split points and numbers of given potentials of all nodes in preorder, tree after tree. If
    `values` (nodes, entries) has as many rows, it receives a density of each node's value given the data, the tree
    and the component.
    """
    tables, plan, dims = problem.tables, problem.plan, problem.dims
    size, segments = tables.shifts.shape[1], len(plan.positions) - 1
    entries = message_entries(size)
    capacity = sizes.max() + 1
    nothing = np.int64(0)
    at, to, room, cache, nodes, stack, state = prepare(size, capacity, nothing, nothing, np.int64(1))
    first = 0
    for t in range(len(sizes)):
        root = owner_of(tables, trees[0, first])
        nodes[VARIABLE, 0], nodes[START, 0], nodes[END, 0] = root, 0, segments
        for n in range(sizes[t]):
            nodes[RULE, n], nodes[SPLIT, n], nodes[GIVEN, n] = trees[0, first + n], trees[1, first + n], trees[2, first + n]
        count, _ = walk(problem, nodes, np.int64(0), np.int64(FOLLOW), stack, cache, room, at, to, state)
        for c in range(joints.shape[1]):
            joints[t, c] = -math.inf
            if tables.roots[c] == root:
                joints[t, c] = log_joint(room, size, c, tables.prior, dims[root], to.inner, at)
        if len(values):
            density_of_prior(room, size, components[t], tables.prior, at, to.contexts)
            exact_contexts(tables, nodes, np.int64(0), count, room, at, to)
            for n in range(count):
                spread(room, nth_message(to.contexts, n, size), at.one, entries)
                spread(room, nth_message(to.inner, n, size), at.two, entries)
                weigh_density(room, size, at.one, at.two, at.product, at.free)
                for entry in range(entries):
                    values[first + n, entry] = room[in_lane(at.product, entry, 0)]
        first += sizes[t]
