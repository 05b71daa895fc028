"""The compiled adjoint of the inside pass: derivatives of the log evidence, from long spans down to short ones.

For every number of every message it finds the derivative of the log evidence with respect to it, in an array of the same
layout, and on the way adds up the derivatives with respect to rules, links, emissions and the prior. Moment matching is
differentiated as it is computed, so the result is the gradient of the approximate evidence.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from recbayes.compiled.lanes import (
    INNER,
    KERNEL,
    LANES,
    any_greater,
    get,
    lanes_exp,
    lanes_log,
    load,
    put,
    splat,
    store,
    where_greater,
)
from recbayes.compiled.potentials import (
    backward_solve,
    copy,
    factorise,
    forward_solve,
    invert,
    join,
    join_adjoint,
    join_mode,
    mixture_adjoint,
    packed,
    sandwich,
)
from recbayes.gaussian.kernels.cells import (
    EMPTY,
    FLAT_MIXTURE,
    MIXTURE,
    NEGLIGIBLE,
    SPLIT,
    add_turned,
    blank_impossible,
    choice_place,
    emission_heights,
    left_widths,
    pair_heights,
    place_of,
    read_height,
    read_message,
    sticks_out,
)
from recbayes.gaussian.kernels.flat_mixing import (
    divide_reference_adjoint,
    gather_under_reference,
    start_reference,
    weigh_under_reference,
)
from recbayes.gaussian.kernels.inside import Split, join_children, meet_prior, read_root
from recbayes.gaussian.kernels.link_adjoint import lift_adjoint
from recbayes.gaussian.kernels.room import make_room

PLAIN, REFER, GATHER, UNDER_REFERENCE = 0, 1, 2, 3  # purposes of a visit; the last three are for flat mixtures


class Gradients(NamedTuple):
    """What the adjoint pass adds up, in the layout of the tables."""

    rules: np.ndarray  # (R,) derivatives with respect to the log probabilities of rules
    links: np.ndarray  # (K, 2 D * D + D) with respect to covariance, map and offset
    emissions: np.ndarray  # (E, N + 1) with respect to the log probability of emitting so many observations
    prior: np.ndarray  # like the prior's potentials


class Derivatives(NamedTuple):
    """Places in the room, after those of the inside pass."""

    into: int  # potential: derivatives with respect to the cell's message,
    push: int  # to one alternative,
    give: int  # to one child's message
    log_mass: int
    constant: int  # derivative with respect to the log mass, minus tr(dS S)
    covariance: int  # the cell's matched covariance
    dS: int  # derivatives with respect to it and to the mean
    dm: int
    t: int
    matrix: int
    free: int
    end: int


@njit(**INNER)
def _derivative_places(size, begin):
    vector, triangle = size * LANES, size * (size + 1) // 2 * LANES
    potential = LANES + vector + triangle
    log_mass = begin + 3 * potential
    dS = log_mass + 2 * LANES + triangle
    matrix = dS + triangle + 2 * vector
    free = matrix + size * size * LANES
    return Derivatives(
        begin,
        begin + potential,
        begin + 2 * potential,
        log_mass,
        log_mass + LANES,
        log_mass + 2 * LANES,
        dS,
        dS + triangle,
        dS + triangle + vector,
        matrix,
        free,
        free + (16 + 12 * size + 12 * size * size) * LANES,
    )


@njit(**KERNEL)
def fill_adjoint(tables, plan, length_log_probability, messages, choices, evidence, derivatives, gradients):
    """Fill `derivatives` (zeros at first) and add to `gradients`."""
    variables, links, constants = tables.variables, tables.links, tables.constants
    rows, inside_base, link_base = plan.rows, plan.inside_base, plan.link_base
    size, segments = tables.turn.shape[1], len(plan.positions) - 1
    numbers = 1 + size + size * (size + 1) // 2
    at = make_room(size)
    to = _derivative_places(size, at.end)
    room = np.zeros(to.end)
    buffer = np.zeros(LANES)
    _root_adjoint(tables, plan, messages, evidence, derivatives, gradients.prior, room, at, to)
    for width in range(segments, 0, -1):
        for v in range(len(variables)):
            row = rows[v, width]
            for start in range(row.low, row.high + 1, LANES):
                origin = load(choices, choice_place(plan.choice_base[v], row, start, numbers))
                if not any_greater(origin, splat(EMPTY)):
                    continue
                _read(messages, inside_base[v], row, start, room, at.result, numbers)
                _read(derivatives, inside_base[v], row, start, room, to.into, numbers)
                for link in range(variables[v].first_link, variables[v].end_link):
                    _read(derivatives, link_base[link], row, start, room, to.give, numbers)
                    begin = link * (2 * size * size + size)
                    lift_adjoint(room, size, links[link].kind, constants, begin, gradients.links, link, at, to)
                store(derivatives, place_of(inside_base[v], row, start), load(room, to.into))
                single = where_greater(splat(SPLIT + 0.5), origin, splat(1.0), splat(0.0))
                single = where_greater(origin, splat(EMPTY), single, splat(0.0))
                mixed = where_greater(origin, splat(MIXTURE - 0.5), splat(1.0), splat(0.0))
                mixed = where_greater(origin, splat(FLAT_MIXTURE - 0.5), splat(0.0), mixed)
                flat = where_greater(origin, splat(FLAT_MIXTURE - 0.5), splat(1.0), splat(0.0))
                _moments_adjoint(room, size, at, to)
                for purpose in range(PLAIN, UNDER_REFERENCE + 1):
                    chosen = mixed + single if purpose == PLAIN else flat
                    if not any_greater(chosen, splat(0.0)):
                        continue
                    if purpose == REFER:
                        start_reference(constants, len(links), v, room, at, size)
                    elif purpose == UNDER_REFERENCE:
                        _reference_adjoint(room, size, at, to)
                    _visit_adjoint(
                        tables,
                        plan,
                        length_log_probability,
                        messages,
                        derivatives,
                        gradients,
                        buffer,
                        purpose,
                        single,
                        mixed if purpose == PLAIN else flat,
                        v,
                        width,
                        start,
                        room,
                        at,
                        to,
                    )
        if width > 1:
            _grow_adjoint(
                messages, derivatives, plan.emit_base, plan.emit_rows, tables.turn, tables.turn_packed, width, room, at, to
            )


@njit(**INNER)
def _read(messages, base, row, start, room, out, numbers):
    """Copy eight messages into the room as they are."""
    place = place_of(base, row, start)
    for number in range(numbers):
        put(room, out, number, load(messages, place + number * row.length))


@njit(**INNER)
def _lane_sum(room, place):
    total = 0.0
    for lane in range(LANES):
        total += room[place + lane]
    return total


@njit(**INNER)
def _root_adjoint(tables, plan, messages, evidence, derivatives, prior, room, at, to):
    """Derivatives of the log evidence with respect to the root's message and the prior's potentials."""
    size, segments = tables.turn.shape[1], len(plan.positions) - 1
    numbers = 1 + size + size * (size + 1) // 2
    row = plan.rows[tables.root, segments]
    read_root(messages, plan.inside_base[tables.root], row, numbers, room, at)
    highest = -np.inf
    for c in range(len(evidence)):
        highest = max(highest, evidence[c])
    total = 0.0
    for c in range(len(evidence)):
        total += np.exp(evidence[c] - highest)
    for c in range(0, len(evidence), LANES):
        meet_prior(tables.prior, c, room, size, at)
        share = lanes_exp(load(evidence, c) - splat(highest)) / splat(total)
        invert(room, size, at.factor, at.pivots, at.covariance, at.free)
        store(room, to.push, share)
        for a in range(size):
            put(room, to.push, 1 + a, splat(0.0))
            put(room, to.t, a, splat(0.0))
        for entry in range(size * (size + 1) // 2):
            put(room, to.push, 1 + size + entry, splat(-0.5) * share * get(room, at.covariance, entry))
        join_adjoint(room, size, at.one, at.product, to.push, to.t, to.give)
        place = plan.inside_base[tables.root] + row.place
        for number in range(numbers):
            derivatives[place + number * row.length] += _lane_sum(room, to.give + number * LANES)
        join_adjoint(room, size, at.two, at.product, to.push, to.t, to.give)
        for number in range(numbers):
            for lane in range(LANES):
                prior[number, c + lane] = room[to.give + number * LANES + lane]


@njit(**INNER)
def _moments_adjoint(room, size, at, to):
    """From the derivatives with respect to a matched potential to those with respect to its moments.

    P = S^-1 and g = log mass + log det P / 2, so dS = - P (dP + dg S / 2) P.
    """
    P = at.result + (1 + size) * LANES
    factorise(room, size, P, at.factor, at.pivots, at.free)
    store(room, to.log_mass, load(room, at.result) - splat(0.5) * load(room, at.free))
    invert(room, size, at.factor, at.pivots, to.covariance, at.free)
    height = load(room, to.into)
    for entry in range(size * (size + 1) // 2):
        value = get(room, to.into, 1 + size + entry) + splat(0.5) * height * get(room, to.covariance, entry)
        put(room, to.free, entry, splat(0.0) - value)
    for a in range(size):
        put(room, to.dm, a, get(room, to.into, 1 + a))
        for b in range(size):
            put(room, to.matrix, a * size + b, get(room, P, packed(a, b)))
    sandwich(room, size, to.matrix, to.free, to.dS, to.free + size * (size + 1) // 2 * LANES)
    _subtract_trace(room, size, height, to)
    copy(room, at.result + LANES, at.origin, size)


@njit(**INNER)
def _subtract_trace(room, size, height, to):
    """The constant of `mixture_adjoint`."""
    for a in range(size):
        for b in range(size):
            height -= get(room, to.dS, packed(a, b)) * get(room, to.covariance, packed(a, b))
    store(room, to.constant, height)


@njit(**INNER)
def _reference_adjoint(room, size, at, to):
    """The same for moments that were matched under the reference and have just been gathered again."""
    store(room, to.log_mass, load(room, at.weight) + lanes_log(load(room, at.move)))
    divide_reference_adjoint(room, size, at, to.into, to.dS, to.dm, to.free)
    copy(room, at.square, to.covariance, size * (size + 1) // 2)
    for a in range(size):
        put(room, at.origin, a, get(room, at.reference, 1 + a) + get(room, at.mean, a))
    _subtract_trace(room, size, load(room, to.into), to)


@njit(**INNER)
def _push(room, size, at, to, under_reference, single, mixed):
    """Derivatives with respect to the alternative in at.product, into to.push. Returns whether any is not zero.

    Expects its factor in place; with the reference, multiplies by it first.
    """
    height = load(room, at.product)
    zero = splat(0.0)
    if under_reference:
        weight = weigh_under_reference(room, size, at)
    else:
        weight = height - splat(0.5) * load(room, at.free)
    share = where_greater(mixed, zero, weight - load(room, to.log_mass), splat(-np.inf))
    alone = where_greater(height, splat(-np.inf), single, zero)
    if not any_greater(share, splat(-NEGLIGIBLE)) and not any_greater(alone, zero):
        return False
    share = where_greater(share, splat(0.0), splat(0.0), share)  # rounding only: a share is at most one
    share = lanes_exp(share)
    invert(room, size, at.factor, at.pivots, at.covariance, at.free)
    mode = at.one if under_reference else at.product
    mixture_adjoint(
        room,
        size,
        share,
        mode + LANES,
        at.covariance,
        at.origin,
        to.dS,
        to.dm,
        to.constant,
        to.push,
        to.matrix,
    )
    if under_reference:
        _solve_mode(room, size, at, to)
        copy(room, to.push, to.give, 1 + size + size * (size + 1) // 2)
        join_adjoint(room, size, at.product, at.one, to.give, to.t, to.push)
    elif any_greater(alone, zero):
        for number in range(1 + size + size * (size + 1) // 2):
            value = get(room, to.into, number)
            put(room, to.push, number, where_greater(alone, zero, value, get(room, to.push, number)))
    return True


@njit(**INNER)
def _solve_mode(room, size, at, to):
    """t = P^+ times the derivative with respect to the mode of the product whose factor is in place."""
    for a in range(size):
        put(room, to.t, a, get(room, to.push, 1 + a))
    forward_solve(room, size, at.factor, to.t)
    backward_solve(room, size, at.factor, at.pivots, to.t)


@njit(**INNER)
def _visit_adjoint(
    tables,
    plan,
    length_log_probability,
    messages,
    derivatives,
    gradients,
    buffer,
    purpose,
    single,
    mixed,
    v,
    width,
    start,
    room,
    at,
    to,
):
    """Pass the derivatives of eight cells on to all their alternatives, or gather the moments under the reference."""
    rules, links, turn, turn_packed = tables.rules, tables.links, tables.turn, tables.turn_packed
    rows, link_base, emits, emit_rows = plan.rows, plan.link_base, tables.emits, plan.emit_rows
    size = turn.shape[1]
    under_reference = purpose == UNDER_REFERENCE
    if under_reference:
        single = splat(0.0)
    variable = tables.variables[v]
    for e in range(variable.first_emit, variable.end_emit):
        row = emit_rows[e, width]
        if row.low > row.high:
            continue
        height = read_height(messages, plan.emit_base, row, start)
        height += emission_heights(plan, length_log_probability, emits, e, width, start, row.high, buffer)
        store(room, at.product, height)
        place = place_of(plan.emit_base, row, start)
        read_message(messages, place, row.length, size, turn, turn_packed, 0, room, at.product)
        if purpose in (REFER, GATHER):
            gather_under_reference(room, size, at, purpose == GATHER)
            continue
        factorise(room, size, at.product + (1 + size) * LANES, at.factor, at.pivots, at.free)
        if _push(room, size, at, to, under_reference, single, mixed):
            add_turned(derivatives, plan.emit_base, row, start, turn, turn_packed, 0, room, to.push)
            for lane in range(min(LANES, row.high + 1 - start)):
                length = plan.positions[start + lane + width] - plan.positions[start + lane]
                gradients.emissions[e, length] += room[to.push + lane]
    last_start = start + LANES - 1  # all lanes: what is read beyond a row must not reach its neighbours as a derivative
    narrowest, widest = width, 0
    for r in range(variable.first_rule, variable.end_rule):
        first, last = left_widths(rules, links, plan.shortest, plan.longest, r, width)
        narrowest, widest = min(narrowest, first), max(widest, last)
    for left_width in range(narrowest, widest + 1):
        for r in range(variable.first_rule, variable.end_rule):
            left, right = rules[r].left, rules[r].right
            one, two = rows[links[left].child, left_width], rows[links[right].child, width - left_width]
            if not pair_heights(messages, link_base, left, one, right, two, left_width, start, room, at.one, at.two):
                continue
            split = Split(
                place_of(link_base[left], one, start),
                one.length,
                rules[r].left_turn,
                place_of(link_base[right], two, start + left_width),
                two.length,
                rules[r].right_turn,
                True,
                sticks_out(one, start, last_start) or sticks_out(two, start + left_width, last_start + left_width),
                rules[r].log_probability,
                0.0,
                0.0,
            )
            join_children(messages, turn, turn_packed, split, room, size, at)
            if purpose in (REFER, GATHER):
                gather_under_reference(room, size, at, purpose == GATHER)
                continue
            if not _push(room, size, at, to, under_reference, single, mixed):
                continue
            if under_reference:  # the product with the reference took the place of the first child and of the factor
                join_children(messages, turn, turn_packed, split, room, size, at)
            _solve_mode(room, size, at, to)
            gradients.rules[r] += _lane_sum(room, to.push)
            join_adjoint(room, size, at.one, at.product, to.push, to.t, to.give)
            add_turned(derivatives, link_base[left], one, start, turn, turn_packed, rules[r].left_turn, room, to.give)
            join_adjoint(room, size, at.two, at.product, to.push, to.t, to.give)
            add_turned(
                derivatives, link_base[right], two, start + left_width, turn, turn_packed, rules[r].right_turn, room, to.give
            )


@njit(**INNER)
def _grow_adjoint(messages, derivatives, emit_base, emit_rows, turn, turn_packed, width, room, at, to):
    """Pass the derivatives of emissions on to their first segments and to the emissions of one segment less."""
    size = turn.shape[1]
    numbers = 1 + size + size * (size + 1) // 2
    for e in range(len(emit_rows)):
        row, shorter, leaf = emit_rows[e, width], emit_rows[e, width - 1], emit_rows[e, 1]
        for start in range(row.low, row.high + 1, LANES):
            _read(derivatives, emit_base, row, start, room, to.push, numbers)
            store(room, at.one, read_height(messages, emit_base, leaf, start))
            store(room, at.two, read_height(messages, emit_base, shorter, start + 1))
            one, two = place_of(emit_base, leaf, start), place_of(emit_base, shorter, start + 1)
            read_message(messages, one, leaf.length, size, turn, turn_packed, 0, room, at.one)
            read_message(messages, two, shorter.length, size, turn, turn_packed, 0, room, at.two)
            blank_impossible(room, at.one, numbers)
            blank_impossible(room, at.two, numbers)
            join(room, size, at.one, at.two, at.product, at.factor, at.pivots, at.vector, at.free)
            join_mode(room, size, at.one, at.product, at.factor, at.pivots, at.vector)
            _solve_mode(room, size, at, to)
            join_adjoint(room, size, at.one, at.product, to.push, to.t, to.give)
            add_turned(derivatives, emit_base, leaf, start, turn, turn_packed, 0, room, to.give)
            join_adjoint(room, size, at.two, at.product, to.push, to.t, to.give)
            add_turned(derivatives, emit_base, shorter, start + 1, turn, turn_packed, 0, room, to.give)
