"""Compiled work on whole trees: drawing them, moving them, and following given ones."""

import math

import numpy as np
from numba import njit

from recbayes.compiled.lanes import INNER, KERNEL, LANES
from recbayes.compiled.streams import stream, uniform
from recbayes.gaussian.kernels.densities import weigh_density
from recbayes.gaussian.kernels.room import make_room
from recbayes.gaussian.kernels.walk import (
    CHECK,
    DRAW,
    END,
    FIELDS,
    FOLLOW,
    RULE,
    SPLIT,
    START,
    VARIABLE,
    density_of_prior,
    exact_contexts,
    log_joint,
    make_places,
    spread,
    walk,
)


@njit(**INNER)
def prepare(size, capacity, most_options, kept, cells):
    """Room for trees of up to `capacity` nodes, and for `kept` numbers of the alternatives of cells that were visited."""
    at = make_room(size)
    end = make_places(size, at.end, capacity, most_options, np.int64(0)).kept + kept
    to = make_places(size, at.end, capacity, most_options, end)
    cache = np.zeros(2 * cells, dtype=np.int64)
    cache[0] = to.kept
    nodes = np.zeros((FIELDS, capacity), dtype=np.int64)
    stack = np.zeros((capacity + 2, 2), dtype=np.int64)
    return at, to, np.zeros(end), cache, nodes, stack, np.zeros(1, dtype=np.uint64)


@njit(**INNER)
def _write(nodes, count, out, used):
    """Append a tree's nodes to the output and return its new length."""
    for n in range(count):
        out[0, used + n] = nodes[VARIABLE, n]
        out[1, used + n] = nodes[START, n]
        out[2, used + n] = nodes[END, n]
        out[3, used + n] = nodes[RULE, n]
    return used + count


@njit(**INNER)
def _overlap(room, size, context, message, at):
    """The log mass of a node's exact message under its context."""
    numbers = 1 + size + size * (size + 1) // 2
    spread(room, context, at.one, numbers)
    spread(room, message, at.two, numbers)
    weigh_density(room, size, at.one, at.two, at.product, at.free)
    return room[at.product]


@njit(**INNER)
def _draw_component(shares, threshold):
    """One of the prior's Gaussians in proportion to its share of the evidence."""
    component = 0
    for c in range(len(shares)):
        if shares[c] > 0.0:
            component = c
            threshold -= shares[c]
            if threshold < 0.0:
                break
    return component


@njit(**KERNEL)
def draw_trees(problem, shares, seed, first_draw, draws, most_options, kept, out, logs):
    """Draw trees until `draws` are done or `out` is full, and return how many.

    `out` (4, capacity) receives variables, starts, ends and rules of all nodes, tree after tree; `logs` (draws, 4) the log
    joint probability of data, tree and prior component, the log probability of the draw, the component and the size.
    `shares` are the probabilities with which the prior's Gaussians are drawn.
    """
    tables, plan, dims = problem.tables, problem.plan, problem.dims
    size, segments = tables.turn.shape[1], len(plan.positions) - 1
    capacity = 2 * segments
    at, to, room, cache, nodes, stack, state = prepare(size, capacity, most_options, kept, plan.choices_size)
    used = 0
    for draw in range(draws):
        if used + capacity > out.shape[1]:
            return draw
        state[0] = stream(seed, first_draw + draw)
        component = _draw_component(shares, uniform(state))
        density_of_prior(room, size, component, tables.prior, at, to.contexts)
        nodes[VARIABLE, 0], nodes[START, 0], nodes[END, 0] = tables.root, 0, segments
        count, log_probability = walk(problem, nodes, np.int64(0), np.int64(DRAW), stack, cache, room, at, to, state)
        logs[draw, 0] = log_joint(room, size, component, tables.prior, dims[tables.root], to.inner, at)
        logs[draw, 1] = log_probability + math.log(shares[component])
        logs[draw, 2] = component
        logs[draw, 3] = count
        used = _write(nodes, count, out, used)
    return draws


@njit(**KERNEL)
def move_trees(problem, shares, seed, trees, sizes, components, moves, most_options, kept, out, logs):
    """Give every tree some moves that leave the posterior unchanged, and return how many were accepted.

    A move picks a node at random, draws its subtree anew given everything else, and accepts the new one with the
    probability of Metropolis and Hastings: what the draw got wrong (overlap of the exact message with the exact context,
    divided by the probability of the draw) against the same for the old subtree, and one over the number of nodes that
    could have been picked. At the root, the prior's Gaussian is drawn anew as well. `trees`, `out` and `logs` are as in
    `follow_trees` and `draw_trees`.
    """
    tables, plan, dims = problem.tables, problem.plan, problem.dims
    size, segments = tables.turn.shape[1], len(plan.positions) - 1
    numbers = 1 + size + size * (size + 1) // 2
    capacity = 6 * segments  # a tree, a new subtree, and what follows it once more
    at, to, room, cache, nodes, stack, state = prepare(size, capacity, most_options, kept, plan.choices_size)
    first, used, accepted = 0, 0, 0
    for t in range(len(sizes)):
        state[0] = stream(seed, t)
        count, component = sizes[t], components[t]
        nodes[VARIABLE, 0], nodes[START, 0], nodes[END, 0] = tables.root, 0, segments
        for n in range(count):
            nodes[RULE, n], nodes[SPLIT, n] = trees[0, first + n], trees[1, first + n]
        first += count
        changed = True
        for _ in range(moves):
            if changed:
                walk(problem, nodes, np.int64(0), np.int64(FOLLOW), stack, cache, room, at, to, state)
                density_of_prior(room, size, component, tables.prior, at, to.contexts)
                exact_contexts(tables, nodes, np.int64(0), count, room, at, to)
                changed = False
            n = min(int(uniform(state) * count), count - 1)
            proposed = component
            for number in range(numbers):
                room[to.contexts + count * numbers + number] = room[to.contexts + n * numbers + number]
            for field in range(START + 2):
                nodes[field, count] = nodes[field, n]
            if n == 0:
                proposed = _draw_component(shares, uniform(state))
                density_of_prior(room, size, proposed, tables.prior, at, to.contexts + count * numbers)
            old_end, old = walk(problem, nodes, n, np.int64(CHECK), stack, cache, room, at, to, state)
            new_end, new = walk(problem, nodes, count, np.int64(DRAW), stack, cache, room, at, to, state)
            if n == 0:
                old_weight = log_joint(room, size, component, tables.prior, dims[tables.root], to.inner, at)
                place = to.inner + count * numbers
                new_weight = log_joint(room, size, proposed, tables.prior, dims[tables.root], place, at)
                old, new = old + math.log(shares[component]), new + math.log(shares[proposed])
            else:
                context = to.contexts + n * numbers
                old_weight = _overlap(room, size, context, to.inner + n * numbers, at)
                new_weight = _overlap(room, size, context, to.inner + count * numbers, at)
            old_size, new_size = old_end - n, new_end - count
            log_ratio = (new_weight - new) - (old_weight - old) + math.log(count / (count - old_size + new_size))
            if math.log(max(uniform(state), 1e-300)) < log_ratio:
                accepted += 1
                changed = proposed != component or not _same(nodes, n, old_size, count, new_size)
                component = proposed
            if changed:
                _replace(nodes, n, old_size, count, new_size)
                count += new_size - old_size
            else:
                exact_contexts(tables, nodes, n, old_end, room, at, to)  # checking has put others in their place
        walk(problem, nodes, np.int64(0), np.int64(FOLLOW), stack, cache, room, at, to, state)
        logs[t, 0] = log_joint(room, size, component, tables.prior, dims[tables.root], to.inner, at)
        logs[t, 1] = 0.0
        logs[t, 2] = component
        logs[t, 3] = count
        used = _write(nodes, count, out, used)
    return accepted


@njit(**INNER)
def _same(nodes, n, old_size, m, new_size):
    """Whether two subtrees of the same cell are equal."""
    if old_size != new_size:
        return False
    for number in range(old_size):
        if nodes[RULE, n + number] != nodes[RULE, m + number] or nodes[SPLIT, n + number] != nodes[SPLIT, m + number]:
            return False
    return True


@njit(**INNER)
def _replace(nodes, n, old_size, count, new_size):
    """Put the subtree that was drawn after the tree, at `count`, into the place of the one at n."""
    tail = count - n - old_size
    spare = count + new_size
    for field in (RULE, SPLIT):
        for number in range(tail):
            nodes[field, spare + number] = nodes[field, n + old_size + number]
        for number in range(new_size + tail):
            nodes[field, n + number] = nodes[field, count + number]


@njit(**KERNEL)
def follow_trees(problem, trees, sizes, components, joints, values):
    """For given trees, log joint probabilities with each Gaussian of the prior; and the values of all nodes.

    `trees` (2, nodes) has rules and split points of all nodes in preorder, tree after tree. If `values` (nodes,
    numbers) has as many rows, it receives a density of each node's value given the data, the tree and the component.
    """
    tables, plan, dims = problem.tables, problem.plan, problem.dims
    size, segments = tables.turn.shape[1], len(plan.positions) - 1
    numbers = 1 + size + size * (size + 1) // 2
    capacity = sizes.max() + 1
    nothing = np.int64(0)
    at, to, room, cache, nodes, stack, state = prepare(size, capacity, nothing, nothing, np.int64(1))
    first = 0
    for t in range(len(sizes)):
        nodes[VARIABLE, 0], nodes[START, 0], nodes[END, 0] = tables.root, 0, segments
        for n in range(sizes[t]):
            nodes[RULE, n], nodes[SPLIT, n] = trees[0, first + n], trees[1, first + n]
        count, _ = walk(problem, nodes, np.int64(0), np.int64(FOLLOW), stack, cache, room, at, to, state)
        for c in range(joints.shape[1]):
            joints[t, c] = log_joint(room, size, c, tables.prior, dims[tables.root], to.inner, at)
        if len(values):
            density_of_prior(room, size, components[t], tables.prior, at, to.contexts)
            exact_contexts(tables, nodes, np.int64(0), count, room, at, to)
            for n in range(count):
                spread(room, to.contexts + n * numbers, at.one, numbers)
                spread(room, to.inner + n * numbers, at.two, numbers)
                weigh_density(room, size, at.one, at.two, at.product, at.free)
                for number in range(numbers):
                    values[first + n, number] = room[at.product + number * LANES]
        first += sizes[t]
