"""The compiled inside pass with several Gaussians per message.

A cell has as many alternatives as emissions, and (split point, rule, Gaussian of the left child, Gaussian of the right).
If they are more than may be kept, they are reduced as Runnalls (2007) does: the pair whose merging costs least, by an upper
bound on the Kullback-Leibler divergence, is merged, again and again. Only the heaviest alternatives take part in that; each
of the others is first merged into the one of these that it resembles most (by the divergence, which is Runnalls' cost for a
light partner). Moments are matched under the variable's reference, as for flat potentials (`flat_mixing`), which is divided
out again; an alternative that was merged with no other is kept exactly.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from recbayes.compiled.lanes import INNER, KERNEL, LANES, get, lanes_log, load, put, splat, store, where_greater
from recbayes.compiled.potentials import invert, join, join_mode, packed
from recbayes.gaussian.kernels.cells import MIXTURE, choice_place
from recbayes.gaussian.kernels.flat_mixing import divide_moments, start_reference
from recbayes.gaussian.kernels.inside import grow_emissions, lift, meet_prior
from recbayes.gaussian.kernels.options import group_size, list_options
from recbayes.gaussian.kernels.room import make_room

NEGLIGIBLE = 25.0  # alternatives this many nats below the heaviest are left out: 1e-11 of its mass
HEAVIEST = 3  # times as many alternatives as are kept take part in Runnalls' merging


class Reduction(NamedTuple):
    """Places in the room, after those of the inside pass."""

    weights: int  # log masses of all alternatives under the reference
    parts: int  # the parts that are left, one after the other: see `part_size`
    sums: int  # of their alternatives' distances from their first mean
    costs: int  # of merging each pair of parts
    spread: int  # a triangle
    options: int


@njit(**INNER)
def part_size(size):
    """Numbers of a part: mass, how many alternatives it has, one of them, log determinant, mean, covariance, precision."""
    return 4 + size + size * (size + 1)


@njit(**KERNEL)
def fill_mixtures(problem, most_options, choices, evidence):
    """Fill all cells of a chart with up to `problem.copies` Gaussians (at most LANES), and the log evidence.

    `problem.messages` comes with the potentials of the segments in the first layer's rows of emissions of width 1.
    """
    tables, plan, messages, kept = problem.tables, problem.plan, problem.messages, problem.copies
    size, segments = tables.turn.shape[1], len(plan.positions) - 1
    numbers = 1 + size + size * (size + 1) // 2
    layer = len(messages) // kept
    groups = (most_options + LANES - 1) // LANES
    at = make_room(size)
    parts = at.end + groups * LANES
    sums = parts + HEAVIEST * kept * part_size(size)
    costs = sums + HEAVIEST * kept * size
    spread = costs + (HEAVIEST * kept) ** 2
    options = spread + size * (size + 1) // 2
    to = Reduction(at.end, parts, sums, costs, spread, options)
    room = np.zeros(options + groups * group_size(size))
    for place in range(kept * layer):  # all heights are minus infinity until there is a message
        if place % layer < plan.emit_base:
            messages[place] = -math.inf
    for width in range(1, segments + 1):
        if width > 1:
            grow_emissions(messages, plan.emit_base, plan.emit_rows, tables.turn, tables.turn_packed, width, room, at)
        for v in range(len(tables.variables)):
            row, variable = plan.rows[v, width], tables.variables[v]
            for start in range(row.low, row.high + 1):
                if len(plan.allowed) > 0 and not plan.allowed[start, start + width]:
                    continue
                count = list_options(problem, v, start, width, room, at, to.options)
                if count == 0:
                    continue
                place = choice_place(plan.choice_base[v], row, start, numbers)
                choices[place] = MIXTURE
                _note_best(room, size, to.options, count, choices, place, row.length)
                _reduce(tables, v, room, size, count, kept, at, to)
                place = plan.inside_base[v] + row.place + start - row.low
                _write_layers(messages, place, row.length, layer, kept, room, at.result, numbers)
                for link in range(variable.first_link, variable.end_link):
                    lift(room, size, tables.links[link].kind, tables.constants, link * (2 * size * size + size), at)
                    place = plan.link_base[link] + row.place + start - row.low
                    _write_layers(messages, place, row.length, layer, kept, room, at.product, numbers)
    row = plan.rows[tables.root, segments]
    for copy in range(kept):
        place = copy * layer + plan.inside_base[tables.root] + row.place
        if messages[place] == -math.inf:
            continue
        for number in range(numbers):
            put(room, at.one, number, splat(messages[place + number * row.length]))
        for c in range(0, tables.prior.shape[1], LANES):
            meet_prior(tables.prior, c, room, size, at)
            for lane in range(LANES):
                dimension = 0.0
                for a in range(size):
                    if room[at.product + (1 + size + packed(a, a)) * LANES + lane] > 0.0:
                        dimension += 1.0
                log_mass = room[at.product + lane] - 0.5 * room[at.free + lane] + 0.5 * dimension * math.log(2.0 * math.pi)
                evidence[c + lane] = _log_add(evidence[c + lane], log_mass)


@njit(**INNER)
def _log_add(one, two):
    high, low = max(one, two), min(one, two)
    return high if low == -math.inf else high + math.log1p(math.exp(low - high))


@njit(**INNER)
def _write_layers(messages, place, length, layer, kept, room, source, numbers):
    """Copy the first lanes of a message in the room to the layers of the chart."""
    for copy in range(kept):
        for number in range(numbers):
            messages[place + copy * layer + number * length] = room[source + number * LANES + copy]


@njit(**INNER)
def _note_best(room, size, options, count, choices, place, length):
    """Keep rule and split point of the alternative with the highest peak; ties (to rounding) go to the first."""
    numbers = 1 + size + size * (size + 1) // 2
    best = -math.inf
    for option in range(count):
        group = options + option // LANES * group_size(size) + option % LANES
        height = room[group]
        if option == 0 or height > best + 1e-10 * (1.0 + abs(best)):
            best = height
            choices[place + length] = room[group + numbers * LANES]
            choices[place + 2 * length] = room[group + (numbers + 1) * LANES]


@njit(**INNER)
def _reduce(tables, v, room, size, count, kept, at, to):
    """Up to `kept` potentials that stand for all alternatives, in the lanes of at.result."""
    numbers = 1 + size + size * (size + 1) // 2
    for number in range(numbers):
        put(room, at.result, number, splat(0.0))
    store(room, at.result, splat(-math.inf))
    if count <= kept:
        for option in range(count):
            _copy_option(room, size, to.options, option, at.result + option)
        return
    start_reference(tables.constants, len(tables.links), v, room, at, size)
    heaviest = _weigh(room, size, count, at, to)
    parts = _start_parts(room, size, count, min(HEAVIEST * kept, count), heaviest, at, to)
    if parts < count:
        _add_to_parts(room, size, count, parts, heaviest, at, to)
    _finish_parts(room, size, parts, to)
    parts = _merge_parts(room, size, parts, kept, to)
    stride = part_size(size)
    store(room, at.chosen, splat(1.0))
    for lane in range(LANES):
        part = to.parts + min(lane, parts - 1) * stride
        room[at.weight + lane] = room[part]
        for a in range(size):
            room[at.mean + a * LANES + lane] = room[part + 4 + a] - room[at.reference + (1 + a) * LANES + lane]
        for entry in range(size * (size + 1) // 2):
            room[at.square + entry * LANES + lane] = room[part + 4 + size + entry]
    divide_moments(room, size, splat(heaviest) + lanes_log(load(room, at.weight)), at)
    for lane in range(LANES):
        part = to.parts + lane * stride
        if lane >= parts:
            room[at.result + lane] = -math.inf
            for number in range(1, numbers):
                room[at.result + number * LANES + lane] = 0.0
        elif room[part + 1] == 1.0:
            _copy_option(room, size, to.options, int(room[part + 2]), at.result + lane)


@njit(**INNER)
def _copy_option(room, size, options, option, out):
    """Copy the potential of an alternative to a lane."""
    source = options + option // LANES * group_size(size) + option % LANES
    for number in range(1 + size + size * (size + 1) // 2):
        room[out + number * LANES] = room[source + number * LANES]


@njit(**INNER)
def _under_reference(room, size, group, at):
    """Eight alternatives times the reference: modes in at.product, covariances in at.covariance, log det at at.free."""
    join(room, size, group, at.reference, at.product, at.factor, at.pivots, at.vector, at.free)
    join_mode(room, size, group, at.product, at.factor, at.pivots, at.vector)
    determinant = load(room, at.free)
    invert(room, size, at.factor, at.pivots, at.covariance, at.free + 2 * LANES)
    store(room, at.free, determinant)


@njit(**INNER)
def _weigh(room, size, count, at, to):
    """Log masses of all alternatives under the reference, and the largest."""
    heaviest = -math.inf
    for group in range((count + LANES - 1) // LANES):
        place = to.options + group * group_size(size)
        join(room, size, place, at.reference, at.product, at.factor, at.pivots, at.vector, at.free)
        store(room, to.weights + group * LANES, load(room, at.product) - splat(0.5) * load(room, at.free))
    for option in range(count):
        heaviest = max(heaviest, room[to.weights + option])
    return heaviest


@njit(**INNER)
def _start_parts(room, size, count, parts, heaviest, at, to):
    """Make each of the heaviest alternatives a part of its own, in which others may be gathered."""
    stride, triangle = part_size(size), size * (size + 1) // 2
    for p in range(parts):
        chosen, weight = -1, -math.inf
        for option in range(count):
            if weight < room[to.weights + option] < math.inf:
                chosen, weight = option, room[to.weights + option]
        if weight < heaviest - NEGLIGIBLE:
            return p
        room[to.weights + chosen] = math.inf  # marks it as taken
        _under_reference(room, size, to.options + chosen // LANES * group_size(size), at)
        lane, part = chosen % LANES, to.parts + p * stride
        room[part] = math.exp(weight - heaviest)
        room[part + 1] = 1.0
        room[part + 2] = chosen
        room[part + 3] = room[at.free + lane]
        for a in range(size):
            room[part + 4 + a] = room[at.product + (1 + a) * LANES + lane]
        for entry in range(triangle):
            room[part + 4 + size + entry] = room[at.covariance + entry * LANES + lane]
            room[part + 4 + size + triangle + entry] = room[at.product + (1 + size + entry) * LANES + lane]
    return parts


@njit(**INNER)
def _add_to_parts(room, size, count, parts, heaviest, at, to):
    """Merge every other alternative into the part from which it diverges least.

    The divergence from a part with mean m and precision P is tr(P C) + (x - m)' P (x - m) - log det P, up to what does not
    depend on the part. Sums of squares are taken about the part's first mean.
    """
    stride, triangle = part_size(size), size * (size + 1) // 2
    for p in range(parts):  # from covariances to sums of squares about the mean, with the mean's own sum still zero
        part = to.parts + p * stride
        for entry in range(triangle):
            room[part + 4 + size + entry] *= room[part]
    sums = to.sums
    for place in range(parts * size):
        room[sums + place] = 0.0
    for group in range((count + LANES - 1) // LANES):
        matters = False
        for option in range(group * LANES, min((group + 1) * LANES, count)):
            matters = matters or heaviest - NEGLIGIBLE <= room[to.weights + option] < math.inf
        if not matters:
            continue
        _under_reference(room, size, to.options + group * group_size(size), at)
        least, nearest = splat(math.inf), splat(0.0)
        for p in range(parts):
            part = to.parts + p * stride
            P = part + 4 + size + triangle
            divergence = splat(-room[part + 3])
            entry = 0
            for a in range(size):
                apart = get(room, at.product, 1 + a) - splat(room[part + 4 + a])
                for b in range(a + 1):
                    other = get(room, at.product, 1 + b) - splat(room[part + 4 + b])
                    twice = splat(room[P + entry] * (1.0 if a == b else 2.0))
                    divergence += twice * (get(room, at.covariance, entry) + apart * other)
                    entry += 1
            nearest = where_greater(least, divergence, splat(float(p)), nearest)
            least = where_greater(least, divergence, divergence, least)
        store(room, at.vector, nearest)
        for lane in range(min(LANES, count - group * LANES)):
            weight = room[to.weights + group * LANES + lane]
            if weight == math.inf or weight < heaviest - NEGLIGIBLE:
                continue
            p = int(room[at.vector + lane])
            part, share = to.parts + p * stride, math.exp(weight - heaviest)
            room[part] += share
            room[part + 1] += 1.0
            entry = 0
            for a in range(size):
                apart = room[at.product + (1 + a) * LANES + lane] - room[part + 4 + a]
                room[sums + p * size + a] += share * apart
                for b in range(a + 1):
                    other = room[at.product + (1 + b) * LANES + lane] - room[part + 4 + b]
                    room[part + 4 + size + entry] += share * (room[at.covariance + entry * LANES + lane] + apart * other)
                    entry += 1
    for p in range(parts):
        part = to.parts + p * stride
        entry = 0
        for a in range(size):
            for b in range(a + 1):
                moved = room[sums + p * size + a] * room[sums + p * size + b] / room[part]
                room[part + 4 + size + entry] = (room[part + 4 + size + entry] - moved) / room[part]
                entry += 1
        for a in range(size):
            room[part + 4 + a] += room[sums + p * size + a] / room[part]


@njit(**INNER)
def _log_determinant(room, size, S):
    """Of a positive definite matrix (packed, one number per place), which is overwritten by its factor."""
    total = 0.0
    for a in range(size):
        for b in range(a + 1):
            value = room[S + packed(a, b)]
            for c in range(b):
                value -= room[S + packed(a, c)] * room[S + packed(b, c)]
            if a == b:
                value = max(value, 1e-300)
                total += math.log(value)
                room[S + packed(a, a)] = math.sqrt(value)
            else:
                room[S + packed(a, b)] = value / room[S + packed(b, b)]
    return total


@njit(**INNER)
def _finish_parts(room, size, parts, to):
    """Log determinants of the parts' covariances, and the costs of merging any two."""
    stride, triangle = part_size(size), size * (size + 1) // 2
    for p in range(parts):
        part = to.parts + p * stride
        for entry in range(triangle):
            room[to.spread + entry] = room[part + 4 + size + entry]
        room[part + 3] = _log_determinant(room, size, to.spread)
    for p in range(parts):
        for q in range(p):
            room[to.costs + p * parts + q] = _cost(room, size, to.parts + p * stride, to.parts + q * stride, to.spread)


@njit(**INNER)
def _cost(room, size, one, two, spread):
    """Runnalls' bound on the divergence that merging two parts costs. Leaves the merged covariance's factor."""
    mass = room[one] + room[two]
    _merged_covariance(room, size, one, two, spread)
    merged = _log_determinant(room, size, spread)
    return 0.5 * (mass * merged - room[one] * room[one + 3] - room[two] * room[two + 3])


@njit(**INNER)
def _merged_covariance(room, size, one, two, out):
    mass = room[one] + room[two]
    first, second = room[one] / mass, room[two] / mass
    entry = 0
    for a in range(size):
        apart = room[one + 4 + a] - room[two + 4 + a]
        for b in range(a + 1):
            other = room[one + 4 + b] - room[two + 4 + b]
            within = first * room[one + 4 + size + entry] + second * room[two + 4 + size + entry]
            room[out + entry] = within + first * second * apart * other
            entry += 1


@njit(**INNER)
def _merge_parts(room, size, parts, kept, to):
    """Merge the cheapest pair until as few are left as may be kept. Returns how many are left."""
    stride, rows = part_size(size), parts
    while parts > kept:
        least, p, q = math.inf, 1, 0
        for i in range(parts):
            for j in range(i):
                if room[to.costs + i * rows + j] < least:
                    least, p, q = room[to.costs + i * rows + j], i, j
        one, two, last = to.parts + q * stride, to.parts + p * stride, to.parts + (parts - 1) * stride
        _merged_covariance(room, size, one, two, to.spread)
        share = room[two] / (room[one] + room[two])
        for a in range(size):
            room[one + 4 + a] += share * (room[two + 4 + a] - room[one + 4 + a])
        for entry in range(size * (size + 1) // 2):
            room[one + 4 + size + entry] = room[to.spread + entry]
        room[one] += room[two]
        room[one + 1] += room[two + 1]
        room[one + 3] = _log_determinant(room, size, to.spread)
        for number in range(stride):  # the last one takes the place that became free
            room[two + number] = room[last + number]
        for j in range(parts - 1):
            if j != p:
                room[to.costs + max(p, j) * rows + min(p, j)] = room[to.costs + (parts - 1) * rows + j]
        parts -= 1
        for j in range(parts):
            if j != q:
                room[to.costs + max(q, j) * rows + min(q, j)] = _cost(room, size, one, to.parts + j * stride, to.spread)
    return parts
