"""Moving trees about the posterior: subtrees drawn anew, accepted or not."""

import math

import numpy as np
from numba import njit

from recbayes.compiled.lanes import BORROWING, KERNEL
from recbayes.compiled.layout import message_entries, nth_message
from recbayes.compiled.streams import stream, uniform
from recbayes.gaussian.kernels.contexts import density_of_prior, exact_contexts, spread
from recbayes.gaussian.kernels.densities import weigh_density
from recbayes.gaussian.kernels.draw import draw_component, write_tree
from recbayes.gaussian.kernels.listing import Problem
from recbayes.gaussian.kernels.places import CHECK, DRAW, END, FOLLOW, RULE, SPLIT, START, VARIABLE, prepare
from recbayes.gaussian.kernels.room import Room
from recbayes.gaussian.kernels.walk import log_joint, walk


@njit(**KERNEL)
def move_trees(
    problem: Problem,
    shares: np.ndarray,
    seed: int,
    trees: np.ndarray,
    sizes: np.ndarray,
    components: np.ndarray,
    moves: int,
    most_alternatives: int,
    kept: int,
    out: np.ndarray,
    logs: np.ndarray,
) -> int:
    """Give every tree some moves that leave the posterior unchanged, and return how many were accepted.

    A move picks a node at random, draws its subtree anew given everything else, and accepts the new one with the
    probability of Metropolis and Hastings: what the draw got wrong (overlap of the exact message with the exact context,
    divided by the probability of the draw) against the same for the old subtree, and one over the number of nodes that
    could have been picked. At the root, the prior's Gaussian is drawn anew as well. `trees`, `out` and `logs` are as in
    `follow_trees` and `draw_trees`.
    """
    tables, plan, dims = problem.tables, problem.plan, problem.dims
    size, segments = tables.shifts.shape[1], len(plan.positions) - 1
    entries = message_entries(size)
    capacity = 6 * segments  # a tree, a new subtree, and what follows it once more
    at, to, room, cache, nodes, stack, state = prepare(size, capacity, most_alternatives, kept, plan.choices_size)
    first, used, accepted = 0, 0, 0
    for t in range(len(sizes)):
        state[0] = stream(seed, t)
        count, component = sizes[t], components[t]
        nodes[VARIABLE, 0], nodes[START, 0], nodes[END, 0] = tables.roots[component], 0, segments
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
            for entry in range(entries):
                room[nth_message(to.contexts, count, size) + entry] = room[nth_message(to.contexts, n, size) + entry]
            for field in range(START + 2):
                nodes[field, count] = nodes[field, n]
            if n == 0:
                proposed = draw_component(shares, uniform(state))
                nodes[VARIABLE, count] = tables.roots[proposed]
                density_of_prior(room, size, proposed, tables.prior, at, nth_message(to.contexts, count, size))
            old_end, old = walk(problem, nodes, n, np.int64(CHECK), stack, cache, room, at, to, state)
            new_end, new = walk(problem, nodes, count, np.int64(DRAW), stack, cache, room, at, to, state)
            if n == 0:
                root, other = tables.roots[component], tables.roots[proposed]
                old_weight = log_joint(room, size, component, tables.prior, dims[root], to.inner, at)
                place = nth_message(to.inner, count, size)
                new_weight = log_joint(room, size, proposed, tables.prior, dims[other], place, at)
                old, new = old + math.log(shares[component]), new + math.log(shares[proposed])
            else:
                context = nth_message(to.contexts, n, size)
                old_weight = _overlap(room, size, context, nth_message(to.inner, n, size), at)
                new_weight = _overlap(room, size, context, nth_message(to.inner, count, size), at)
            old_size, new_size = old_end - n, new_end - count
            log_ratio = (new_weight - new) - (old_weight - old) + math.log(count / (count - old_size + new_size))
            if math.log(max(uniform(state), 1e-300)) < log_ratio:
                accepted += 1
                changed = proposed != component or not _same(nodes, n, old_size, count, new_size)
                component = proposed
                nodes[VARIABLE, 0] = tables.roots[component]
            if changed:
                _replace(nodes, n, old_size, count, new_size)
                count += new_size - old_size
            else:
                exact_contexts(tables, nodes, n, old_end, room, at, to)  # checking has put others in their place
        walk(problem, nodes, np.int64(0), np.int64(FOLLOW), stack, cache, room, at, to, state)
        logs[t, 0] = log_joint(room, size, component, tables.prior, dims[tables.roots[component]], to.inner, at)
        logs[t, 1] = 0.0
        logs[t, 2] = component
        logs[t, 3] = count
        used = write_tree(nodes, count, out, used)
    return accepted


@njit(**BORROWING)
def _overlap(room: np.ndarray, size: int, context: int, message: int, at: Room) -> float:
    """The log mass of a node's exact message under its context."""
    entries = message_entries(size)
    spread(room, context, at.one, entries)
    spread(room, message, at.two, entries)
    weigh_density(room, size, at.one, at.two, at.product, at.free)
    return room[at.product]


@njit(**BORROWING)
def _same(nodes: np.ndarray, n: int, old_size: int, m: int, new_size: int) -> bool:
    """Whether two subtrees of the same cell are equal."""
    if old_size != new_size:
        return False
    for number in range(old_size):
        if nodes[RULE, n + number] != nodes[RULE, m + number] or nodes[SPLIT, n + number] != nodes[SPLIT, m + number]:
            return False
    return True


@njit(**BORROWING)
def _replace(nodes: np.ndarray, n: int, old_size: int, count: int, new_size: int) -> None:
    """Put the subtree that was drawn after the tree, at `count`, into the place of the one at n."""
    tail = count - n - old_size
    spare = count + new_size
    for field in (RULE, SPLIT):
        for number in range(tail):
            nodes[field, spare + number] = nodes[field, n + old_size + number]
        for number in range(new_size + tail):
            nodes[field, n + number] = nodes[field, count + number]
