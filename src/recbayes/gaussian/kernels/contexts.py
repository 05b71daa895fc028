"""Contexts: the densities of nodes' values given everything but their own spans, one after the other in the room."""

import math

import numpy as np
from numba import njit

from recbayes.compiled.factors import factorise, invert
from recbayes.compiled.lanes import BORROWING, LANES, get, put, splat, store
from recbayes.compiled.layout import (
    MODE,
    cell_place,
    component_stride,
    in_lane,
    lanes_room,
    link_place,
    message_entries,
    nth_message,
    packed,
    precision_from,
    precision_of,
    triangle_entries,
)
from recbayes.gaussian.chart.tables import Tables
from recbayes.gaussian.kernels.cells import read_lane
from recbayes.gaussian.kernels.densities import push_density, weigh_density
from recbayes.gaussian.kernels.links import lift
from recbayes.gaussian.kernels.listing import Problem
from recbayes.gaussian.kernels.places import LEFT, RIGHT, RULE, Places
from recbayes.gaussian.kernels.room import Room


@njit(**BORROWING)
def spread(room: np.ndarray, source: int, target: int, entries: int) -> None:
    """Copy a node's potential or density into all lanes of a place."""
    for entry in range(entries):
        put(room, target, entry, splat(room[source + entry]))


@njit(**BORROWING)
def collect(room: np.ndarray, source: int, target: int, entries: int) -> None:
    """Copy the first lane back to a node."""
    for entry in range(entries):
        room[target + entry] = room[in_lane(source, entry, 0)]


@njit(**BORROWING)
def density_of_prior(room: np.ndarray, size: int, component: int, prior: np.ndarray, at: Room, out: int) -> None:
    """One Gaussian of the prior as a density of mass 1, into the context of a node."""
    entries = message_entries(size)
    for entry in range(entries):
        put(room, at.one, entry, splat(prior[entry, component]))
    factorise(room, size, precision_of(at.one, size), at.factor, at.pivots, at.free)
    invert(room, size, at.factor, at.pivots, precision_of(at.one, size), at.free + lanes_room(2))
    collect(room, at.one, out, entries)
    room[out] = 0.0


@njit(**BORROWING)
def child_context(
    tables: Tables, r: int, side: int, room: np.ndarray, parent: int, sibling: int, several: int, child: int, at: Room
) -> None:
    """The context of a child: its parent's, times its sibling's upward message (in at.two), through the link.

    The message may have several Gaussians, one a lane; then the context is the one Gaussian that matches their products.
    """
    size = tables.shifts.shape[1]
    entries = message_entries(size)
    rule = tables.rules[r]
    spread(room, parent, at.one, entries)
    weigh_density(room, size, at.one, sibling, at.product, at.free)
    if several > 0:
        _match_lanes(room, size, at.product, at.free)
    link, shift = (rule.left, rule.left_shift) if side == 0 else (rule.right, rule.right_shift)
    push_density(tables, link, shift, room, at.product, at.one, at.free)
    collect(room, at.one, child, entries)


@njit(**BORROWING)
def _match_lanes(room: np.ndarray, size: int, density: int, free: int) -> None:
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
            mean += room[density + lane] * room[in_lane(density, MODE + a, lane)]
        put(room, free, a, splat(mean))
        for lane in range(LANES):  # the means become distances from their mean
            room[in_lane(density, MODE + a, lane)] -= mean
        for b in range(a + 1):
            covariance = 0.0
            entry = precision_from(size) + packed(a, b)
            for lane in range(LANES):
                square = room[in_lane(density, MODE + a, lane)] * room[in_lane(density, MODE + b, lane)]
                covariance += room[density + lane] * (room[in_lane(density, entry, lane)] + square)
            put(room, density, entry, splat(covariance))
    for a in range(size):
        put(room, density, MODE + a, get(room, free, a))
    store(room, density, splat(heaviest + math.log(total)))


@njit(**BORROWING)
def exact_contexts(tables: Tables, nodes: np.ndarray, first: int, end: int, room: np.ndarray, at: Room, to: Places) -> None:
    """The contexts of the nodes of a subtree, given that of its first and the exact messages of all."""
    size = tables.shifts.shape[1]
    entries = message_entries(size)
    for n in range(first, end):
        if nodes[RULE, n] >= 0:
            for side in range(2):
                child, sibling = nodes[LEFT + side, n], nodes[RIGHT - side, n]
                spread(room, nth_message(to.upward, sibling, size), at.two, entries)
                place = nth_message(to.contexts, child, size)
                child_context(
                    tables, nodes[RULE, n], side, room, nth_message(to.contexts, n, size), at.two, np.int64(0), place, at
                )


@njit(**BORROWING)
def chart_message(problem: Problem, link: int, shift: int, start: int, end: int, room: np.ndarray, out: int) -> None:
    """A chart's upward message, shifted into the parent's dimensions: in all lanes, or its several Gaussians one a lane."""
    tables, messages, components = problem.tables, problem.messages, problem.components
    row = problem.plan.rows[tables.links[link].child, end - start]
    first = cell_place(problem.plan.link_base[link], row, start)
    stride = component_stride(len(messages), components)
    for lane in range(LANES):
        place = first + min(lane, components - 1) * stride
        room[out + lane] = messages[place] if components == 1 or lane < components else -math.inf
        read_lane(messages, place, row.length, tables.shifts, tables.shifts_packed, shift, room, out, lane)


@njit(**BORROWING)
def lift_to_parent(tables: Tables, r: int, side: int, room: np.ndarray, size: int, n: int, at: Room, to: Places) -> None:
    """The exact message of node n in its parent's dimensions."""
    entries = message_entries(size)
    rule = tables.rules[r]
    link, shift = (rule.left, rule.left_shift) if side == 0 else (rule.right, rule.right_shift)
    spread(room, nth_message(to.inner, n, size), at.result, entries)
    lift(room, size, tables.links[link].kind, tables.constants, link_place(link, size), at)
    target, begin = nth_message(to.upward, n, size), precision_from(size)
    room[target] = room[at.product]
    for a in range(size):
        room[target + MODE + a] = room[in_lane(at.product, MODE + tables.shifts[shift, a], 0)]
    for entry in range(triangle_entries(size)):
        room[target + begin + entry] = room[in_lane(at.product, begin + tables.shifts_packed[shift, entry], 0)]
