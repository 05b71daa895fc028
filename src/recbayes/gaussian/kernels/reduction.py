"""Reducing the alternatives of a cell to a few Gaussians.

Alternatives are reduced as Runnalls (2007) does: the pair whose merging costs least, by an upper bound on the
Kullback-Leibler divergence, is merged, again and again (`merging`). Only the heaviest alternatives take part in that; each
of the others is first merged into the one of these that it resembles most (by the divergence, which is Runnalls' cost for a
light partner). Moments are matched under the variable's reference, as for flat potentials (`reference`), which is divided
out again; an alternative that was merged with no other is kept exactly.
"""

import math

import numpy as np
from numba import njit

from recbayes.compiled.factors import invert
from recbayes.compiled.lanes import BORROWING, LANES, get, lanes_log, load, put, splat, store, where_greater
from recbayes.compiled.layout import (
    MODE,
    in_lane,
    lanes_room,
    message_entries,
    precision_from,
    square_entry,
    triangle_entries,
    whole_groups,
)
from recbayes.compiled.potentials import join, join_mode
from recbayes.gaussian.chart.tables import Tables
from recbayes.gaussian.kernels.listing import alternative_place, group_place, group_room
from recbayes.gaussian.kernels.merging import (
    PART_COUNT,
    PART_DETERMINANT,
    PART_MEAN,
    PART_ONE,
    Reduction,
    finish_parts,
    merge_parts,
    part_covariance,
    part_entries,
    part_precision,
)
from recbayes.gaussian.kernels.reference import divide_moments, start_reference
from recbayes.gaussian.kernels.room import Room

LEFT_OUT = 25.0  # alternatives this many nats below the heaviest are left out: 1e-11 of its mass
CONTENDERS = 3  # times as many alternatives as are kept take part in Runnalls' merging


@njit(**BORROWING)
def reduction_places(size: int, begin: int, components: int, most_alternatives: int) -> Reduction:
    """Places after those of the inside pass."""
    groups, contenders = whole_groups(most_alternatives), CONTENDERS * components
    parts = begin + lanes_room(groups)
    sums = parts + contenders * part_entries(size)
    costs = sums + contenders * size
    spread = costs + contenders**2
    alternatives = spread + triangle_entries(size)
    return Reduction(begin, parts, sums, costs, spread, alternatives, alternatives + groups * group_room(size))


@njit(**BORROWING)
def reduce_alternatives(
    tables: Tables, v: int, room: np.ndarray, size: int, count: int, components: int, at: Room, to: Reduction
) -> None:
    """Up to `components` potentials that stand for all alternatives, in the lanes of at.result."""
    entries = message_entries(size)
    for entry in range(entries):
        put(room, at.result, entry, splat(0.0))
    store(room, at.result, splat(-math.inf))
    if count <= components:
        for alternative in range(count):
            _copy_alternative(room, size, to.alternatives, alternative, at.result + alternative)
        return
    start_reference(tables.constants, len(tables.links), v, room, at, size)
    heaviest = _weigh(room, size, count, at, to)
    parts = _start_parts(room, size, count, min(CONTENDERS * components, count), heaviest, at, to)
    if parts < count:
        _add_to_parts(room, size, count, parts, heaviest, at, to)
    finish_parts(room, size, parts, to)
    parts = merge_parts(room, size, parts, components, to)
    stride = part_entries(size)
    store(room, at.chosen, splat(1.0))
    for lane in range(LANES):
        part = to.parts + min(lane, parts - 1) * stride
        room[at.weight + lane] = room[part]
        for a in range(size):
            room[in_lane(at.mean, a, lane)] = room[part + PART_MEAN + a] - room[in_lane(at.reference, MODE + a, lane)]
        for entry in range(triangle_entries(size)):
            room[in_lane(at.square, entry, lane)] = room[part_covariance(part, size) + entry]
    divide_moments(room, size, splat(heaviest) + lanes_log(load(room, at.weight)), at)
    for lane in range(LANES):
        part = to.parts + lane * stride
        if lane >= parts:
            room[at.result + lane] = -math.inf
            for entry in range(MODE, entries):
                room[in_lane(at.result, entry, lane)] = 0.0
        elif room[part + PART_COUNT] == 1.0:
            _copy_alternative(room, size, to.alternatives, int(room[part + PART_ONE]), at.result + lane)


@njit(**BORROWING)
def _copy_alternative(room: np.ndarray, size: int, alternatives: int, alternative: int, out: int) -> None:
    """Copy the potential of an alternative to a lane."""
    source = alternative_place(alternatives, alternative, size)
    for entry in range(message_entries(size)):
        room[in_lane(out, entry, 0)] = room[in_lane(source, entry, 0)]


@njit(**BORROWING)
def _under_reference(room: np.ndarray, size: int, group: int, at: Room) -> None:
    """Eight alternatives times the reference: modes in at.product, covariances in at.covariance, log det at at.free."""
    join(room, size, group, at.reference, at.product, at.factor, at.pivots, at.vector, at.free)
    join_mode(room, size, group, at.product, at.factor, at.pivots, at.vector)
    determinant = load(room, at.free)
    invert(room, size, at.factor, at.pivots, at.covariance, at.free + lanes_room(2))
    store(room, at.free, determinant)


@njit(**BORROWING)
def _weigh(room: np.ndarray, size: int, count: int, at: Room, to: Reduction) -> float:
    """Log masses of all alternatives under the reference, and the largest."""
    heaviest = -math.inf
    for group in range(whole_groups(count)):
        place = to.alternatives + group * group_room(size)
        join(room, size, place, at.reference, at.product, at.factor, at.pivots, at.vector, at.free)
        store(room, to.weights + lanes_room(group), load(room, at.product) - splat(0.5) * load(room, at.free))
    for alternative in range(count):
        heaviest = max(heaviest, room[to.weights + alternative])
    return heaviest


@njit(**BORROWING)
def _start_parts(room: np.ndarray, size: int, count: int, parts: int, heaviest: float, at: Room, to: Reduction) -> int:
    """Make each of the heaviest alternatives a part of its own, in which others may be gathered."""
    stride, triangle = part_entries(size), triangle_entries(size)
    for p in range(parts):
        chosen, weight = -1, -math.inf
        for alternative in range(count):
            if weight < room[to.weights + alternative] < math.inf:
                chosen, weight = alternative, room[to.weights + alternative]
        if weight < heaviest - LEFT_OUT:
            return p
        room[to.weights + chosen] = math.inf  # marks it as taken
        _under_reference(room, size, group_place(to.alternatives, chosen, size), at)
        lane, part = chosen % LANES, to.parts + p * stride
        room[part] = math.exp(weight - heaviest)
        room[part + PART_COUNT] = 1.0
        room[part + PART_ONE] = chosen
        room[part + PART_DETERMINANT] = room[at.free + lane]
        for a in range(size):
            room[part + PART_MEAN + a] = room[in_lane(at.product, MODE + a, lane)]
        for entry in range(triangle):
            room[part_covariance(part, size) + entry] = room[in_lane(at.covariance, entry, lane)]
            room[part_precision(part, size) + entry] = room[in_lane(at.product, precision_from(size) + entry, lane)]
    return parts


@njit(**BORROWING)
def _add_to_parts(room: np.ndarray, size: int, count: int, parts: int, heaviest: float, at: Room, to: Reduction) -> None:
    """Merge every other alternative into the part from which it diverges least.

    The divergence from a part with mean m and precision P is tr(P C) + (x - m)' P (x - m) - log det P, up to what does not
    depend on the part. Sums of squares are taken about the part's first mean.
    """
    stride, triangle = part_entries(size), triangle_entries(size)
    for p in range(parts):  # from covariances to sums of squares about the mean, with the mean's own sum still zero
        part = to.parts + p * stride
        for entry in range(triangle):
            room[part_covariance(part, size) + entry] *= room[part]
    sums = to.sums
    for place in range(parts * size):
        room[sums + place] = 0.0
    for group in range(whole_groups(count)):
        matters = False
        for alternative in range(lanes_room(group), min(lanes_room(group + 1), count)):
            matters = matters or heaviest - LEFT_OUT <= room[to.weights + alternative] < math.inf
        if not matters:
            continue
        _under_reference(room, size, to.alternatives + group * group_room(size), at)
        least, nearest = splat(math.inf), splat(0.0)
        for p in range(parts):
            part = to.parts + p * stride
            P = part_precision(part, size)
            divergence = splat(-room[part + PART_DETERMINANT])
            entry = 0
            for a in range(size):
                apart = get(room, at.product, MODE + a) - splat(room[part + PART_MEAN + a])
                for b in range(a + 1):
                    other = get(room, at.product, MODE + b) - splat(room[part + PART_MEAN + b])
                    twice = splat(room[P + entry] * (1.0 if a == b else 2.0))
                    divergence += twice * (get(room, at.covariance, entry) + apart * other)
                    entry += 1
            nearest = where_greater(least, divergence, splat(float(p)), nearest)
            least = where_greater(least, divergence, divergence, least)
        store(room, at.vector, nearest)
        for lane in range(min(LANES, count - lanes_room(group))):
            weight = room[to.weights + lanes_room(group) + lane]
            if weight == math.inf or weight < heaviest - LEFT_OUT:
                continue
            p = int(room[at.vector + lane])
            part, share = to.parts + p * stride, math.exp(weight - heaviest)
            room[part] += share
            room[part + PART_COUNT] += 1.0
            entry = 0
            for a in range(size):
                apart = room[in_lane(at.product, MODE + a, lane)] - room[part + PART_MEAN + a]
                room[sums + square_entry(p, a, size)] += share * apart
                for b in range(a + 1):
                    other = room[in_lane(at.product, MODE + b, lane)] - room[part + PART_MEAN + b]
                    room[part_covariance(part, size) + entry] += share * (
                        room[in_lane(at.covariance, entry, lane)] + apart * other
                    )
                    entry += 1
    for p in range(parts):
        part = to.parts + p * stride
        entry = 0
        for a in range(size):
            for b in range(a + 1):
                moved = room[sums + square_entry(p, a, size)] * room[sums + square_entry(p, b, size)] / room[part]
                room[part_covariance(part, size) + entry] = (room[part_covariance(part, size) + entry] - moved) / room[part]
                entry += 1
        for a in range(size):
            room[part + PART_MEAN + a] += room[sums + square_entry(p, a, size)] / room[part]
