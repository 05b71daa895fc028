"""Choosing an alternative of a cell at random, in proportion to its overlap with the node's context."""

import math

import numpy as np
from numba import njit

from recbayes.compiled.factors import factorise, invert
from recbayes.compiled.lanes import BORROWING, LANES, Lanes, get, lanes_exp, lanes_sqrt, load, put, splat, store
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

# Three manners of drawing a tree. Gaussians that stand for mixtures are wrong by nats in their tails, and what a chart deems
# impossible at a span, it deems impossible at all spans around it: so some trees are drawn with little heed of the chart at
# all their nodes, which costs no more than their share, however long the series is.
CHART, FLAT, FLATTER = 0, 1, 2  # by the chart's weights; by their square roots; by the square roots of these
SHARES = 0.9, 0.05, 0.05  # of the trees
ANY = 0.05, 0.1, 0.5  # which share of the nodes, at most, takes any alternative
RIDGE = 1e-9  # added to a context's covariance, relative to its diagonal, where a draw needs its inverse


@njit(**BORROWING)
def choose_alternative(
    problem: Problem,
    nodes: np.ndarray,
    n: int,
    mode: int,
    manner: int,
    cache: np.ndarray,
    room: np.ndarray,
    at: Room,
    to: Places,
    state: np.ndarray,
) -> tuple[float, float, float]:
    """Draw an alternative for node n, given its context. Returns the log probabilities with which each manner draws it."""
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
    sums = splat(0.0), splat(0.0), splat(0.0)
    for group in range(groups):  # lanes beyond the last alternative weigh nothing
        weight = lanes_exp(load(room, to.weights + lanes_room(group)) - splat(heaviest))
        store(room, to.weights + lanes_room(group), weight)
        root = lanes_sqrt(weight)
        sums = sums[0] + weight, sums[1] + root, sums[2] + lanes_sqrt(root)
    total, flat_total, flatter_total = _sum(room, at, sums[0]), _sum(room, at, sums[1]), _sum(room, at, sums[2])
    any_by_chart = min(ANY[CHART], 1.5 / len(plan.positions) ** 2 + 0.05 / len(plan.positions))  # a twentieth of a long tree
    if mode == DRAW:
        threshold, among_all = uniform(state), uniform(state)
        chosen = min(int(uniform(state) * count), count - 1)
        anyone = any_by_chart if manner == CHART else ANY[FLAT] if manner == FLAT else ANY[FLATTER]
        if total > 0.0 and among_all >= anyone:
            threshold *= total if manner == CHART else flat_total if manner == FLAT else flatter_total
            for alternative in range(count):
                weight = room[to.weights + alternative]
                if weight > 0.0:
                    chosen = alternative
                    if manner != CHART:
                        weight = math.sqrt(weight) if manner == FLAT else math.sqrt(math.sqrt(weight))
                    threshold -= weight
                    if threshold < 0.0:
                        break
        place = rule_place(alternatives, chosen, size)
        nodes[RULE, n], nodes[SPLIT, n] = int(room[place]), int(room[place + LANES])
    rule, split = float(nodes[RULE, n]), float(nodes[SPLIT, n])
    share, flat, flatter, alike = 0.0, 0.0, 0.0, 0.0  # several alternatives differ only in the children's Gaussians
    for alternative in range(count):
        place = rule_place(alternatives, alternative, size)
        if room[place] == rule and room[place + LANES] == split:
            weight = room[to.weights + alternative]
            share += weight
            flat += math.sqrt(weight)
            flatter += math.sqrt(math.sqrt(weight))
            alike += 1.0
    alike /= count
    if not total > 0.0:
        return math.log(alike), math.log(alike), math.log(alike)
    return (
        math.log((1.0 - any_by_chart) * share / total + any_by_chart * alike),
        math.log((1.0 - ANY[FLAT]) * flat / flat_total + ANY[FLAT] * alike),
        math.log((1.0 - ANY[FLATTER]) * flatter / flatter_total + ANY[FLATTER] * alike),
    )


@njit(**BORROWING)
def _sum(room: np.ndarray, at: Room, values: Lanes) -> float:
    store(room, at.free, values)
    total = 0.0
    for lane in range(LANES):
        total += room[at.free + lane]
    return total


@njit(**BORROWING)
def draw_manner(state: np.ndarray) -> int:
    threshold = uniform(state)
    return CHART if threshold < SHARES[CHART] else FLAT if threshold < SHARES[CHART] + SHARES[FLAT] else FLATTER


@njit(**BORROWING)
def in_any_manner(chart: float, flat: float, flatter: float) -> float:
    """The log probability of drawing a tree, from those of drawing it in each manner."""
    chart += math.log(SHARES[CHART])
    flat += math.log(SHARES[FLAT])
    flatter += math.log(SHARES[FLATTER])
    highest = max(chart, flat, flatter)
    return highest + math.log(math.exp(chart - highest) + math.exp(flat - highest) + math.exp(flatter - highest))


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
