"""Compiled walks over trees: drawing them from the chart, or following given ones, with exact messages.

A walk visits a node, then its left subtree, then its right one. Going down, a node's *context* is the density of its value
given everything but its own span: the prior at the root, and for a child what its parent's context and its sibling say,
pushed through the link. Coming up, a node's message is exact, because its tree is known by then. A draw chooses among the
alternatives of a cell in proportion to their overlap with the context (see docs/posterior.md); the sibling to the
right is not yet drawn when the left child's context is needed, so the chart's matched message stands in for it.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from recbayes.compiled.lanes import (
    INNER,
    LANES,
    get,
    lanes_exp,
    load,
    put,
    splat,
    store,
)
from recbayes.compiled.potentials import factorise, invert, join, join_mode, packed
from recbayes.compiled.streams import uniform
from recbayes.gaussian.kernels.cells import choice_place
from recbayes.gaussian.kernels.densities import push_density, weigh_density
from recbayes.gaussian.kernels.inside import lift
from recbayes.gaussian.kernels.options import group_size, list_options

VARIABLE, START, END, RULE, SPLIT, LEFT, RIGHT = range(7)  # what is kept of a node; rule is -1 - e for emission e
FIELDS = 7
VISIT, TURN, RETURN = 0, 1, 2  # stages of a node: on arrival, between its children, after them
DRAW, CHECK, FOLLOW = 0, 1, 2  # choose alternatives; find how probable given ones were to be chosen; only follow them
DEFENCE = 0.05  # how many nodes of a tree, at most, are drawn without heed of the chart: what it deems impossible is seen
RIDGE = 1e-9  # added to a context's covariance, relative to its diagonal, where a draw needs its inverse


class Places(NamedTuple):
    """Where things are in the room, after the places of the inside pass."""

    context: int  # the current node's context, as a potential in lanes
    weights: int  # of the alternatives of the current node
    contexts: int  # for every node, one after the other: a density,
    inner: int  # its exact message,
    upward: int  # and that message in its parent's dimensions
    spare: int  # alternatives of a cell that are not kept
    kept: int  # alternatives of the cells visited so far, as long as there is room
    end: int


@njit(**INNER)
def make_places(size, begin, capacity, most_options, end):
    numbers = 1 + size + size * (size + 1) // 2
    groups = (most_options + LANES - 1) // LANES
    weights = begin + numbers * LANES
    contexts = weights + groups * LANES
    spare = contexts + 3 * capacity * numbers
    kept = spare + groups * group_size(size)
    return Places(
        begin, weights, contexts, contexts + capacity * numbers, contexts + 2 * capacity * numbers, spare, kept, end
    )


@njit(**INNER)
def spread(room, source, target, numbers):
    """Copy a node's potential or density into all lanes of a place."""
    for number in range(numbers):
        put(room, target, number, splat(room[source + number]))


@njit(**INNER)
def collect(room, source, target, numbers):
    """Copy the first lane back to a node."""
    for number in range(numbers):
        room[target + number] = room[source + number * LANES]


@njit(**INNER)
def _context_potential(tables, dims, v, room, size, context, at, out):
    """The context density as a potential in all lanes; where its covariance is singular, a slightly wider one."""
    numbers = 1 + size + size * (size + 1) // 2
    spread(room, context, at.one, numbers)
    reference = len(tables.links) * (2 * size * size + size) + v * numbers + 1 + size
    for a in range(size):
        entry = 1 + size + packed(a, a)
        variance = get(room, at.one, entry)
        if a < dims[v]:
            variance += splat(RIDGE) * variance + splat(1e-12 / tables.constants[reference + packed(a, a)])
        put(room, at.one, entry, variance)
    factorise(room, size, at.one + (1 + size) * LANES, at.factor, at.pivots, -1)
    invert(room, size, at.factor, at.pivots, out + (1 + size) * LANES, at.free)
    store(room, out, splat(0.0))
    for a in range(size):
        put(room, out, 1 + a, get(room, at.one, 1 + a))


@njit(**INNER)
def _weigh_options(room, size, at, context, options, groups, weights):
    """Log overlaps of all alternatives with the context, and the largest of them."""
    stride = group_size(size)
    heaviest = -math.inf
    for group in range(groups):
        join(room, size, context, options + group * stride, at.product, at.factor, at.pivots, at.vector, at.free)
        store(room, weights + group * LANES, load(room, at.product) - splat(0.5) * load(room, at.free))
    for option in range(groups * LANES):
        if room[weights + option] > heaviest:  # false for what is not a number
            heaviest = room[weights + option]
        elif not room[weights + option] <= heaviest:
            room[weights + option] = -math.inf
    return heaviest


@njit(**INNER)
def _choose(problem, nodes, n, mode, cache, room, at, to, state):
    """Draw an alternative for node n, given its context. Returns the log probability with which it is drawn."""
    tables, plan = problem.tables, problem.plan
    size = tables.turn.shape[1]
    numbers = 1 + size + size * (size + 1) // 2
    v, start, end = nodes[VARIABLE, n], nodes[START, n], nodes[END, n]
    row = plan.rows[v, end - start]
    cell = 2 * choice_place(plan.choice_base[v], row, start, numbers)
    if cache[cell + 1] == 0:  # not seen yet
        begin = cache[0]
        count = list_options(problem, v, start, end - start, room, at, to.spare)
        taken = (count + LANES - 1) // LANES * group_size(size)
        if begin + taken <= to.end:
            for place in range(taken):
                room[begin + place] = room[to.spare + place]
            cache[0] = begin + taken
            cache[cell], cache[cell + 1] = begin, count
            options = begin
        else:
            options = to.spare
    else:
        options, count = cache[cell], cache[cell + 1]
    _context_potential(tables, problem.dims, v, room, size, to.contexts + n * numbers, at, to.context)
    groups = (count + LANES - 1) // LANES
    heaviest = _weigh_options(room, size, at, to.context, options, groups, to.weights)
    any_of = DEFENCE / (2.0 * len(plan.positions))  # the probability to take any alternative, whatever the chart says
    total = 0.0
    for group in range(groups):
        store(room, to.weights + group * LANES, lanes_exp(load(room, to.weights + group * LANES) - splat(heaviest)))
    for option in range(count):
        total += room[to.weights + option]
    if mode == DRAW:
        threshold = uniform(state) * total
        chosen = min(int(uniform(state) * count), count - 1)
        if total > 0.0 and uniform(state) >= any_of:
            for option in range(count):
                if room[to.weights + option] > 0.0:
                    chosen = option
                    threshold -= room[to.weights + option]
                    if threshold < 0.0:
                        break
        place = _rule_place(size, options, chosen)
        nodes[RULE, n], nodes[SPLIT, n] = int(room[place]), int(room[place + LANES])
    rule, split = float(nodes[RULE, n]), float(nodes[SPLIT, n])
    share, alike = 0.0, 0.0  # several alternatives differ only in the children's Gaussians
    for option in range(count):
        place = _rule_place(size, options, option)
        if room[place] == rule and room[place + LANES] == split:
            share += room[to.weights + option]
            alike += 1.0
    if not total > 0.0:
        return math.log(alike / count)
    return math.log((1.0 - any_of) * share / total + any_of * alike / count)


@njit(**INNER)
def _rule_place(size, options, option):
    """Where the rule of an alternative stands; its split point is a group of lanes further."""
    return options + option // LANES * group_size(size) + (1 + size + size * (size + 1) // 2) * LANES + option % LANES


@njit(**INNER)
def _child_context(tables, r, side, room, parent, sibling, several, child, at):
    """The context of a child: its parent's, times its sibling's upward message (in at.two), through the link.

    The message may have several Gaussians, one a lane; then the context is the one Gaussian that matches their products.
    """
    size = tables.turn.shape[1]
    numbers = 1 + size + size * (size + 1) // 2
    rule = tables.rules[r]
    spread(room, parent, at.one, numbers)
    weigh_density(room, size, at.one, sibling, at.product, at.free)
    if several > 0:
        _match_lanes(room, size, at.product, at.free)
    link, rotation = (rule.left, rule.left_turn) if side == 0 else (rule.right, rule.right_turn)
    push_density(tables, link, rotation, room, at.product, at.one, at.free)
    collect(room, at.one, child, numbers)


@njit(**INNER)
def _match_lanes(room, size, density, free):
    """The density with the mass, mean and covariance of the sum of eight, in all lanes."""
    heaviest = -math.inf
    for lane in range(LANES):
        heaviest = max(heaviest, room[density + lane])
    total = 0.0
    for lane in range(LANES):
        total += math.exp(room[density + lane] - heaviest)
    for lane in range(LANES):
        room[density + lane] = math.exp(room[density + lane] - heaviest) / total
    for a in range(size):
        mean = 0.0
        for lane in range(LANES):
            mean += room[density + lane] * room[density + (1 + a) * LANES + lane]
        put(room, free, a, splat(mean))
        for lane in range(LANES):  # the means become distances from their mean
            room[density + (1 + a) * LANES + lane] -= mean
        for b in range(a + 1):
            covariance = 0.0
            entry = 1 + size + packed(a, b)
            for lane in range(LANES):
                square = room[density + (1 + a) * LANES + lane] * room[density + (1 + b) * LANES + lane]
                covariance += room[density + lane] * (room[density + entry * LANES + lane] + square)
            put(room, density, entry, splat(covariance))
    for a in range(size):
        put(room, density, 1 + a, get(room, free, a))
    store(room, density, splat(heaviest + math.log(total)))


@njit(**INNER)
def _chart_message(problem, link, rotation, start, end, room, out):
    """A chart's upward message, turned into the parent's dimensions: in all lanes, or its several Gaussians one a lane."""
    tables, messages, copies = problem.tables, problem.messages, problem.copies
    turn, turn_packed = tables.turn, tables.turn_packed
    size = turn.shape[1]
    row = problem.plan.rows[tables.links[link].child, end - start]
    first = problem.plan.link_base[link] + row.place + start - row.low
    for lane in range(LANES):
        place = first + min(lane, copies - 1) * (len(messages) // copies)
        room[out + lane] = messages[place] if copies == 1 or lane < copies else -math.inf
        place += row.length
        for a in range(size):
            room[out + (1 + a) * LANES + lane] = messages[place + turn[rotation, a] * row.length]
        place += size * row.length
        for entry in range(size * (size + 1) // 2):
            room[out + (1 + size + entry) * LANES + lane] = messages[place + turn_packed[rotation, entry] * row.length]


@njit(**INNER)
def _lift_to_parent(tables, r, side, room, size, n, at, to):
    """The exact message of node n in its parent's dimensions."""
    numbers = 1 + size + size * (size + 1) // 2
    rule = tables.rules[r]
    link, rotation = (rule.left, rule.left_turn) if side == 0 else (rule.right, rule.right_turn)
    spread(room, to.inner + n * numbers, at.result, numbers)
    lift(room, size, tables.links[link].kind, tables.constants, link * (2 * size * size + size), at)
    target = to.upward + n * numbers
    room[target] = room[at.product]
    for a in range(size):
        room[target + 1 + a] = room[at.product + (1 + tables.turn[rotation, a]) * LANES]
    for entry in range(size * (size + 1) // 2):
        room[target + 1 + size + entry] = room[at.product + (1 + size + tables.turn_packed[rotation, entry]) * LANES]


@njit(**INNER)
def walk(problem, nodes, first, mode, stack, cache, room, at, to, state):
    """Draw, check or follow the subtree of node `first`, whose cell (and context, unless only followed) are given.

    Leaves node after node in `nodes`, in preorder, and their exact messages in the room. Returns the number after the last
    node and the log probability of drawing this subtree. When checking or following, rules and split points are given;
    following needs nothing of the chart but the potentials of emissions.
    """
    tables, plan, messages = problem.tables, problem.plan, problem.messages
    size = tables.turn.shape[1]
    numbers = 1 + size + size * (size + 1) // 2
    log_probability = 0.0
    following = first + 1
    stack[0, 0], stack[0, 1], depth = first, VISIT, 1
    while depth > 0:
        depth -= 1
        n, stage = stack[depth, 0], stack[depth, 1]
        start, end = nodes[START, n], nodes[END, n]
        own = to.inner + n * numbers
        if stage == VISIT and mode != FOLLOW:
            log_probability += _choose(problem, nodes, n, mode, cache, room, at, to, state)
        r, split = nodes[RULE, n], nodes[SPLIT, n]
        if stage == VISIT and r < 0:
            e = -1 - r
            length = plan.positions[end] - plan.positions[start]
            row = plan.emit_rows[e, end - start]
            place = plan.emit_base + row.place + start - row.low
            for number in range(numbers):
                room[own + number] = messages[place + number * row.length]
            room[own] += tables.emits[e].log_probability + problem.length_log_probability[e, length]
            continue
        side = 0 if stage == VISIT else 1
        if stage != RETURN:
            child = following
            following += 1
            link = tables.rules[r].left if side == 0 else tables.rules[r].right
            nodes[VARIABLE, child] = tables.links[link].child
            nodes[START, child] = start if side == 0 else split
            nodes[END, child] = split if side == 0 else end
            nodes[LEFT + side, n] = child
        if stage == VISIT:
            if mode != FOLLOW:
                right, rotation = tables.rules[r].right, tables.rules[r].right_turn
                _chart_message(problem, right, rotation, split, end, room, at.two)
        else:
            _lift_to_parent(tables, r, stage - TURN, room, size, nodes[LEFT + stage - TURN, n], at, to)
            spread(room, to.upward + nodes[LEFT, n] * numbers, at.two, numbers)
        if stage == RETURN:
            spread(room, to.upward + nodes[RIGHT, n] * numbers, at.one, numbers)
            join(room, size, at.two, at.one, at.product, at.factor, at.pivots, at.vector, at.free)
            join_mode(room, size, at.two, at.product, at.factor, at.pivots, at.vector)
            collect(room, at.product, own, numbers)
            room[own] += tables.rules[r].log_probability
            continue
        if mode != FOLLOW:
            parent = to.contexts + n * numbers
            several = problem.copies - 1 if stage == VISIT else 0
            _child_context(tables, r, side, room, parent, at.two, several, to.contexts + child * numbers, at)
        stack[depth, 0], stack[depth, 1] = n, stage + 1
        stack[depth + 1, 0], stack[depth + 1, 1] = child, VISIT
        depth += 2
    return following, log_probability


@njit(**INNER)
def density_of_prior(room, size, component, prior, at, out):
    """One Gaussian of the prior as a density of mass 1, into the context of a node."""
    numbers = 1 + size + size * (size + 1) // 2
    for number in range(numbers):
        put(room, at.one, number, splat(prior[number, component]))
    factorise(room, size, at.one + (1 + size) * LANES, at.factor, at.pivots, at.free)
    invert(room, size, at.factor, at.pivots, at.one + (1 + size) * LANES, at.free + 2 * LANES)
    collect(room, at.one, out, numbers)
    room[out] = 0.0


@njit(**INNER)
def log_joint(room, size, component, prior, dim, message, at):
    """The log mass of the root's exact message under one Gaussian of the prior, its weight included."""
    numbers = 1 + size + size * (size + 1) // 2
    spread(room, message, at.one, numbers)
    for number in range(numbers):
        put(room, at.two, number, splat(prior[number, component]))
    join(room, size, at.one, at.two, at.product, at.factor, at.pivots, at.vector, at.free)
    return room[at.product] - 0.5 * room[at.free] + 0.5 * dim * math.log(2.0 * math.pi)


@njit(**INNER)
def exact_contexts(tables, nodes, first, end, room, at, to):
    """The contexts of the nodes of a subtree, given that of its first and the exact messages of all."""
    size = tables.turn.shape[1]
    numbers = 1 + size + size * (size + 1) // 2
    for n in range(first, end):
        if nodes[RULE, n] >= 0:
            for side in range(2):
                child, sibling = nodes[LEFT + side, n], nodes[RIGHT - side, n]
                spread(room, to.upward + sibling * numbers, at.two, numbers)
                place = to.contexts + child * numbers
                _child_context(tables, nodes[RULE, n], side, room, to.contexts + n * numbers, at.two, np.int64(0), place, at)
