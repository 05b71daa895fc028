"""Choosing an alternative of a cell at random, in proportion to its overlap with the node's context."""

import math

import numpy as np
from numba import njit

from recbayes.compiled.factors import factorise, invert
from recbayes.compiled.lanes import BORROWING, LANES, get, lanes_exp, load, put, splat, store
from recbayes.compiled.layout import (
    MODE,
    choice_place,
    lanes_room,
    message_entries,
    nth_message,
    packed,
    precision_from,
    precision_of,
    reference_place,
    whole_groups,
)
from recbayes.compiled.potentials import join
from recbayes.compiled.streams import uniform
from recbayes.gaussian.chart.tables import Tables
from recbayes.gaussian.kernels.contexts import spread
from recbayes.gaussian.kernels.listing import Problem, group_room, list_alternatives, rule_place
from recbayes.gaussian.kernels.places import DRAW, END, RULE, SPLIT, START, VARIABLE, Places
from recbayes.gaussian.kernels.room import Room

MOST_DEFENCE = 0.1  # the largest probability with which a node is drawn with little heed of the chart
RIDGE = 1e-9  # added to a context's covariance, relative to its diagonal, where a draw needs its inverse


@njit(**BORROWING)
def choose_alternative(
    problem: Problem,
    nodes: np.ndarray,
    n: int,
    mode: int,
    cache: np.ndarray,
    room: np.ndarray,
    at: Room,
    to: Places,
    state: np.ndarray,
) -> float:
    """Draw an alternative for node n, given its context. Returns the log probability with which it is drawn.

    Sometimes it is drawn by flattened weights, and sometimes by none at all (a defensive mixture).
    """
    tables, plan = problem.tables, problem.plan
    size = tables.shifts.shape[1]
    v, start, end = nodes[VARIABLE, n], nodes[START, n], nodes[END, n]
    row = plan.rows[v, end - start]
    cell = 2 * choice_place(plan.choice_base[v], row, start, size)
    if cache[cell + 1] == 0:  # not seen yet
        begin = cache[0]
        count = list_alternatives(problem, v, start, end - start, room, at, to.spare)
        taken = whole_groups(count) * group_room(size)
        if begin + taken <= to.end:
            for place in range(taken):
                room[begin + place] = room[to.spare + place]
            cache[0] = begin + taken
            cache[cell], cache[cell + 1] = begin, count
            alternatives = begin
        else:
            alternatives = to.spare
    else:
        alternatives, count = cache[cell], cache[cell + 1]
    _context_potential(tables, problem.dims, v, room, size, nth_message(to.contexts, n, size), at, to.context)
    groups = whole_groups(count)
    heaviest = _weigh_alternatives(room, size, at, to.context, alternatives, groups, to.weights)
    defence = _defence(len(plan.positions))
    total, flat_total = 0.0, 0.0
    for group in range(groups):
        store(room, to.weights + lanes_room(group), lanes_exp(load(room, to.weights + lanes_room(group)) - splat(heaviest)))
    for alternative in range(count):
        total += room[to.weights + alternative]
        flat_total += _flattened(room[to.weights + alternative])
    if mode == DRAW:
        threshold = uniform(state)
        chosen = min(int(uniform(state) * count), count - 1)
        manner = uniform(state)
        if total > 0.0 and manner >= 0.5 * defence:
            flat = manner < defence
            threshold *= flat_total if flat else total
            for alternative in range(count):
                weight = room[to.weights + alternative]
                if weight > 0.0:
                    chosen = alternative
                    threshold -= _flattened(weight) if flat else weight
                    if threshold < 0.0:
                        break
        place = rule_place(alternatives, chosen, size)
        nodes[RULE, n], nodes[SPLIT, n] = int(room[place]), int(room[place + LANES])
    rule, split = float(nodes[RULE, n]), float(nodes[SPLIT, n])
    share, flat_share, alike = 0.0, 0.0, 0.0  # several alternatives differ only in the children's Gaussians
    for alternative in range(count):
        place = rule_place(alternatives, alternative, size)
        if room[place] == rule and room[place + LANES] == split:
            share += room[to.weights + alternative]
            flat_share += _flattened(room[to.weights + alternative])
            alike += 1.0
    if not total > 0.0:
        return math.log(alike / count)
    any_of = 0.5 * (flat_share / flat_total + alike / count)
    return math.log((1.0 - defence) * share / total + defence * any_of)


@njit(**BORROWING)
def _defence(points: int) -> float:
    """The probability to draw a node with little heed of the chart, so that what it deems unlikely is seen.

    In short series, one node in ten; in long ones, where that would make all trees worthless, one node in six trees.
    """
    return min(MOST_DEFENCE, 3.0 / points**2 + 0.15 / points)


@njit(**BORROWING)
def _flattened(weight: float) -> float:
    """Weights a quarter as far apart in logarithms: Gaussians that stand for mixtures are wrong by nats in their tails."""
    return math.sqrt(math.sqrt(weight))


@njit(**BORROWING)
def _context_potential(
    tables: Tables, dims: np.ndarray, v: int, room: np.ndarray, size: int, context: int, at: Room, out: int
) -> None:
    """The context density as a potential in all lanes; where its covariance is singular, a slightly wider one."""
    entries = message_entries(size)
    spread(room, context, at.one, entries)
    reference = precision_from(size) + reference_place(len(tables.links), v, size)
    for a in range(size):
        entry = precision_from(size) + packed(a, a)
        variance = get(room, at.one, entry)
        if a < dims[v]:
            variance += splat(RIDGE) * variance + splat(1e-12 / tables.constants[reference + packed(a, a)])
        put(room, at.one, entry, variance)
    factorise(room, size, precision_of(at.one, size), at.factor, at.pivots, -1)
    invert(room, size, at.factor, at.pivots, precision_of(out, size), at.free)
    store(room, out, splat(0.0))
    for a in range(size):
        put(room, out, MODE + a, get(room, at.one, MODE + a))


@njit(**BORROWING)
def _weigh_alternatives(
    room: np.ndarray, size: int, at: Room, context: int, alternatives: int, groups: int, weights: int
) -> float:
    """Log overlaps of all alternatives with the context, and the largest of them."""
    stride = group_room(size)
    heaviest = -math.inf
    for group in range(groups):
        join(room, size, context, alternatives + group * stride, at.product, at.factor, at.pivots, at.vector, at.free)
        store(room, weights + lanes_room(group), load(room, at.product) - splat(0.5) * load(room, at.free))
    for alternative in range(lanes_room(groups)):
        if room[weights + alternative] > heaviest:  # false for what is not a number
            heaviest = room[weights + alternative]
        elif not room[weights + alternative] <= heaviest:
            room[weights + alternative] = -math.inf
    return heaviest
