"""The compiled inside pass: fills the chart from short spans to long ones, eight spans of one width at a time.

A cell's message is the sum of its alternatives: emissions of its whole span, and the products of its children's upward
messages for every rule and split point. One alternative is kept exactly; several are matched by one Gaussian potential of
the same mass, mean and covariance (section Approximation of the paper).
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from recbayes.compiled.lanes import (
    INLINED,
    INNER,
    KERNEL,
    LANES,
    any_greater,
    count_up,
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
    SINGULAR,
    blur,
    choose,
    copy,
    factorise,
    inline_invert,
    inline_join,
    inline_join_mode,
    invert,
    join,
    join_mode,
    pull_back,
)
from recbayes.gaussian.chart.tables import GENERAL, IDENTITY
from recbayes.gaussian.kernels.cells import (
    EMISSION,
    EMPTY,
    FLAT_MIXTURE,
    MIXTURE,
    NEGLIGIBLE,
    SPLIT,
    blank_impossible,
    choice_place,
    emission_heights,
    left_widths,
    pair_heights,
    place_of,
    read_height,
    read_message,
    sticks_out,
    within,
    write_message,
)
from recbayes.gaussian.kernels.flat_mixing import divide_reference, gather_under_reference, start_reference
from recbayes.gaussian.kernels.room import make_room

COUNT, BEST, BEST_RULE, BEST_SPLIT, HEAVIEST, CODE, UNCOMMON, MASS = range(8)  # what is known of a cell's alternatives
WEIGH, KEEP, REFER, GATHER = 0, 1, 2, 3  # purposes of a visit: find best and moments; keep the only one; flat mixing


@njit(**KERNEL)
def fill_inside(tables, plan, length_log_probability, messages, choices, evidence):
    """Fill all cells, and the log evidence by each Gaussian of the prior.

    `messages` comes with the potentials of the segments in the rows of emissions of width 1.
    """
    variables, links, constants = tables.variables, tables.links, tables.constants
    rows, allowed, inside_base, link_base, choice_base = (
        plan.rows,
        plan.allowed,
        plan.inside_base,
        plan.link_base,
        plan.choice_base,
    )
    size, segments = tables.turn.shape[1], len(plan.positions) - 1
    numbers = 1 + size + size * (size + 1) // 2
    at = make_room(size)
    room = np.zeros(at.end)
    buffer = np.zeros(LANES)
    for width in range(1, segments + 1):
        if width > 1:
            grow_emissions(messages, plan.emit_base, plan.emit_rows, tables.turn, tables.turn_packed, width, room, at)
        for v in range(len(variables)):
            row = rows[v, width]
            for start in range(row.low, row.high + 1, LANES):
                valid = allowed_lanes(allowed, row, width, start, buffer)
                if not any_greater(valid, splat(0.0)):
                    _leave_empty(messages, inside_base[v], row, start)
                    for link in range(variables[v].first_link, variables[v].end_link):
                        _leave_empty(messages, link_base[link], row, start)
                    continue
                _clear(room, size, at)
                origin = splat(EMPTY)
                for purpose in range(WEIGH, GATHER + 1):
                    if purpose == KEEP:
                        origin = find_origin(room, at)
                        _match(room, size, at)
                        store(room, at.chosen, where_greater(splat(SPLIT + 0.5), origin, splat(1.0), splat(0.0)))
                    elif purpose == REFER:
                        store(room, at.chosen, where_greater(origin, splat(MIXTURE + 0.5), splat(1.0), splat(0.0)))
                    if purpose == WEIGH or any_greater(load(room, at.chosen), splat(0.0)):
                        if purpose == REFER:
                            start_reference(constants, len(links), v, room, at, size)
                        visit(tables, plan, length_log_probability, messages, buffer, purpose, v, width, start, room, at)
                if any_greater(load(room, at.chosen), splat(0.0)):
                    divide_reference(room, size, at)
                filled = valid * get(room, at.state, COUNT)
                _clean(room, numbers, at, filled)
                place = choice_place(choice_base[v], row, start, numbers)
                store(choices, place, where_greater(filled, splat(0.0), origin, splat(EMPTY)))
                store(choices, place + row.length, get(room, at.state, BEST_RULE))
                store(choices, place + 2 * row.length, get(room, at.state, BEST_SPLIT))
                write_message(messages, inside_base[v], row, start, room, at.result, numbers)
                for link in range(variables[v].first_link, variables[v].end_link):
                    lift(room, size, links[link].kind, constants, link * (2 * size * size + size), at)
                    write_message(messages, link_base[link], row, start, room, at.product, numbers)
    read_root(messages, inside_base[tables.root], rows[tables.root, segments], numbers, room, at)
    for c in range(0, tables.prior.shape[1], LANES):
        meet_prior(tables.prior, c, room, size, at)
        dimension = splat(0.0)
        for a in range(size):
            known = get(room, at.product, 1 + size + a * (a + 1) // 2 + a)
            dimension += where_greater(known, splat(0.0), splat(1.0), splat(0.0))
        log_mass = load(room, at.product) - splat(0.5) * load(room, at.free)
        store(evidence, c, log_mass + dimension * splat(0.5 * math.log(2.0 * math.pi)))


@njit(**INNER)
def read_root(messages, base, row, numbers, room, at):
    """Copy the message of the whole series into all lanes of at.one."""
    for number in range(numbers):
        put(room, at.one, number, splat(messages[base + row.place + number * row.length]))


@njit(**INNER)
def meet_prior(prior, c, room, size, at):
    """The products of the root's message with eight Gaussians of the prior, in at.product."""
    columns = prior.shape[1]
    for number in range(prior.shape[0]):
        for lane in range(LANES):
            room[at.two + number * LANES + lane] = prior[number, min(c + lane, columns - 1)]
    join(room, size, at.one, at.two, at.product, at.factor, at.pivots, at.vector, at.free)
    join_mode(room, size, at.one, at.product, at.factor, at.pivots, at.vector)


@njit(**INNER)
def visit(tables, plan, length_log_probability, messages, buffer, purpose, v, width, start, room, at):
    """Go through all alternatives of eight cells, in the order that settles ties: emissions, split points, rules."""
    rules, links, turn, turn_packed = tables.rules, tables.links, tables.turn, tables.turn_packed
    rows, link_base, emits, emit_rows = plan.rows, plan.link_base, tables.emits, plan.emit_rows
    size = turn.shape[1]
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
        if purpose == WEIGH:
            factorise(room, size, at.product + (1 + size) * LANES, at.factor, at.pivots, at.free)
            if _weigh(room, at, -1.0 - e, float(start)):
                invert(room, size, at.factor, at.pivots, at.covariance, at.free)
                _gather(room, size, at)
        else:
            _use(room, size, at, purpose)
    last_start = min(start + LANES - 1, rows[v, width].high)
    narrowest, widest = width, 0
    for r in range(variable.first_rule, variable.end_rule):
        first, last = left_widths(rules, links, plan.shortest, plan.longest, r, width)
        narrowest, widest = min(narrowest, first), max(widest, last)
    left_place, left_length, right_place, right_length = 0, 0, 0, 0
    possible, partial = False, False
    for left_width in range(narrowest, widest + 1):
        for r in range(variable.first_rule, variable.end_rule):
            left, right = rules[r].left, rules[r].right
            # Shifts of one split share its children's messages, which are looked up once.
            fresh = purpose != WEIGH or r == variable.first_rule or left != rules[r - 1].left or right != rules[r - 1].right
            if fresh:
                one, two = rows[links[left].child, left_width], rows[links[right].child, width - left_width]
                possible = pair_heights(messages, link_base, left, one, right, two, left_width, start, room, at.one, at.two)
                partial = sticks_out(one, start, last_start) or sticks_out(two, start + left_width, last_start + left_width)
                left_place, left_length = place_of(link_base[left], one, start), one.length
                right_place, right_length = place_of(link_base[right], two, start + left_width), two.length
            if not possible:
                continue
            split = Split(
                left_place,
                left_length,
                rules[r].left_turn,
                right_place,
                right_length,
                rules[r].right_turn,
                fresh or rules[r].right_turn != rules[r - 1].right_turn,
                partial,
                rules[r].log_probability,
                float(r),
                float(start + left_width),
            )
            if purpose != WEIGH:
                join_children(messages, turn, turn_packed, split, room, size, at)
                _use(room, size, at, purpose)
            elif size == 3:  # the constant lets the compiler unroll all loops; few dimensions suffer most from looping
                _weigh_split(messages, turn, turn_packed, split, room, 3, make_room(3))
            else:
                _weigh_split(messages, turn, turn_packed, split, room, size, at)


class Split(NamedTuple):
    """One rule and split point: where eight messages of either child are, and what is to be noted of it."""

    left: int
    left_length: int
    left_turn: int
    right: int
    right_length: int
    right_turn: int
    right_is_new: bool  # the right child's message is not yet in the room
    partial: bool  # some of the lanes have no message, but a cell that is to be filled
    log_probability: float
    rule: float
    point: float


@njit(**INNER)
def join_children(messages, turn, turn_packed, split, room, size, at):
    """The product of the children's messages in at.product."""
    _join_children(messages, turn, turn_packed, split, room, size, at)
    join_mode(room, size, at.one, at.product, at.factor, at.pivots, at.vector)


@njit(**INLINED)
def _join_children(messages, turn, turn_packed, split, room, size, at):
    """The product of the children's messages in at.product, all but its mode."""
    read_message(messages, split.left, split.left_length, size, turn, turn_packed, split.left_turn, room, at.one)
    if split.right_is_new:
        read_message(messages, split.right, split.right_length, size, turn, turn_packed, split.right_turn, room, at.two)
    if split.partial:
        blank_impossible(room, at.one, 1 + size + size * (size + 1) // 2)
        blank_impossible(room, at.two, 1 + size + size * (size + 1) // 2)
    inline_join(room, size, at.one, at.two, at.product, at.factor, at.pivots, at.vector, at.free)
    store(room, at.product, load(room, at.product) + splat(split.log_probability))


@njit(**INLINED)
def _weigh_split(messages, turn, turn_packed, split, room, size, at):
    """Take a split into account."""
    _join_children(messages, turn, turn_packed, split, room, size, at)
    if _weigh(room, at, split.rule, split.point):
        inline_join_mode(room, size, at.one, at.product, at.factor, at.pivots, at.vector)
        inline_invert(room, size, at.factor, at.pivots, at.covariance, at.free)
        _gather(room, size, at)


@njit(**INNER)
def allowed_lanes(allowed, row, width, start, buffer):
    """1 in the lanes whose cells are in the row and allowed by the user."""
    valid = within(start, row.low, row.high)
    if len(allowed):
        for lane in range(LANES):
            i = start + lane
            buffer[lane] = 1.0 if i <= row.high and allowed[i, i + width] else 0.0
        valid = valid * load(buffer, 0)
    return valid


@njit(**INNER)
def _leave_empty(messages, base, row, start):
    """Mark eight cells as impossible."""
    store(messages, base + row.place + start - row.low, splat(-np.inf))


@njit(**INNER)
def grow_emissions(messages, emit_base, emit_rows, turn, turn_packed, width, room, at):
    """Potentials of emissions of one more segment: the segment after i times the emission from i + 1."""
    size = turn.shape[1]
    for e in range(len(emit_rows)):
        row, shorter, leaf = emit_rows[e, width], emit_rows[e, width - 1], emit_rows[e, 1]
        for start in range(row.low, row.high + 1, LANES):
            store(room, at.one, read_height(messages, emit_base, leaf, start))
            store(room, at.two, read_height(messages, emit_base, shorter, start + 1))
            one, two = place_of(emit_base, leaf, start), place_of(emit_base, shorter, start + 1)
            read_message(messages, one, leaf.length, size, turn, turn_packed, 0, room, at.one)
            read_message(messages, two, shorter.length, size, turn, turn_packed, 0, room, at.two)
            join(room, size, at.one, at.two, at.product, at.factor, at.pivots, at.vector, at.free)
            join_mode(room, size, at.one, at.product, at.factor, at.pivots, at.vector)
            write_message(messages, emit_base, row, start, room, at.product, 1 + size + size * (size + 1) // 2)


@njit(**INNER)
def _clear(room, size, at):
    """Forget the alternatives of the cells before."""
    for place in range(at.state, at.square + size * (size + 1) // 2 * LANES):
        room[place] = 0.0
    put(room, at.state, BEST, splat(-np.inf))
    put(room, at.state, HEAVIEST, splat(-np.inf))


@njit(**INLINED)
def _weigh(room, at, rule, split):
    """Take the alternative in at.product into account. Returns whether its moments matter in some lane.

    The one with the highest peak is the paper's best; ties (to rounding) go to the one that came first. The log
    determinant and flat code of the precision are in the free room.
    """
    zero, unit, nothing = splat(0.0), splat(1.0), splat(-np.inf)
    height = load(room, at.product)
    weight = height - splat(0.5) * load(room, at.free)
    code = load(room, at.free + LANES)
    count, best = get(room, at.state, COUNT), get(room, at.state, BEST)
    possible = where_greater(height, nothing, unit, zero)
    magnitude = where_greater(best, zero, best, zero - best)
    better = where_greater(height, best + splat(1e-10) * (unit + magnitude), unit, zero)
    better = where_greater(count, zero, better, possible)
    before = get(room, at.state, CODE)
    if any_greater(code + before, zero):  # some direction is flat
        unlike = where_greater((code - before) * (code - before), zero, unit, zero)
        unlike = where_greater(count, zero, unlike, zero)
        unlike = where_greater(code, splat(0.5 * SINGULAR), unit, unlike) * possible
        put(room, at.state, UNCOMMON, where_greater(unlike, zero, unit, get(room, at.state, UNCOMMON)))
        put(room, at.state, CODE, where_greater(possible, zero, code, before))
    put(room, at.state, COUNT, count + possible)
    put(room, at.state, BEST, where_greater(better, zero, height, best))
    put(room, at.state, BEST_RULE, where_greater(better, zero, splat(rule), get(room, at.state, BEST_RULE)))
    put(room, at.state, BEST_SPLIT, where_greater(better, zero, count_up(split), get(room, at.state, BEST_SPLIT)))
    store(room, at.weight, weight)
    return any_greater(weight, get(room, at.state, HEAVIEST) - splat(NEGLIGIBLE))


@njit(**INLINED)
def _gather(room, size, at):
    """Add the alternative (mode in at.product, covariance, weight) to the moments.

    They are sums relative to the heaviest alternative's weight and about its mode; a new heaviest one moves both.
    """
    zero, unit = splat(0.0), splat(1.0)
    weight, heaviest = load(room, at.weight), get(room, at.state, HEAVIEST)
    mass = get(room, at.state, MASS)
    if any_greater(weight, heaviest):
        heavier = where_greater(weight, heaviest, unit, zero)
        scale = where_greater(heavier, zero, lanes_exp(heaviest - weight), unit)
        heaviest = where_greater(heavier, zero, weight, heaviest)
        entry = 0
        for a in range(size):
            shift = heavier * (get(room, at.product, 1 + a) - get(room, at.origin, a))
            put(room, at.move, a, shift)
            for b in range(a + 1):
                other = get(room, at.move, b)
                cross = get(room, at.mean, a) * other + get(room, at.mean, b) * shift - mass * shift * other
                put(room, at.square, entry, scale * (get(room, at.square, entry) - cross))
                entry += 1
        for a in range(size):
            shift = get(room, at.move, a)
            put(room, at.mean, a, scale * (get(room, at.mean, a) - mass * shift))
            put(room, at.origin, a, get(room, at.origin, a) + shift)
        mass = mass * scale
        put(room, at.state, HEAVIEST, heaviest)
    share = lanes_exp(weight - heaviest)
    put(room, at.state, MASS, mass + share)
    entry = 0
    for a in range(size):
        apart = get(room, at.product, 1 + a) - get(room, at.origin, a)
        put(room, at.move, a, apart)
        weighted = share * apart
        put(room, at.mean, a, get(room, at.mean, a) + weighted)
        for b in range(a + 1):
            more = share * get(room, at.covariance, entry) + weighted * get(room, at.move, b)
            put(room, at.square, entry, get(room, at.square, entry) + more)
            entry += 1


@njit(**INNER)
def _use(room, size, at, purpose):
    """What to do with an alternative whose message is complete in at.product."""
    if purpose == KEEP:
        possible = where_greater(load(room, at.product), splat(-np.inf), load(room, at.chosen), splat(0.0))
        choose(room, possible, at.product, at.result, 1 + size + size * (size + 1) // 2)
    else:
        gather_under_reference(room, size, at, purpose == GATHER)


@njit(**INNER)
def find_origin(room, at):
    """How the message of each lane comes about: the only emission or split, a mixture, or one of flat potentials."""
    count = get(room, at.state, COUNT)
    flat = where_greater(get(room, at.state, UNCOMMON), splat(0.0), splat(FLAT_MIXTURE), splat(MIXTURE))
    only = where_greater(get(room, at.state, BEST_RULE), splat(-0.5), splat(SPLIT), splat(EMISSION))
    return where_greater(count, splat(1.5), flat, only)


@njit(**INNER)
def _match(room, size, at):
    """The potential with the moments of all alternatives, in at.result."""
    mass = get(room, at.state, MASS)
    entry = 0
    for a in range(size):
        centre = get(room, at.mean, a) / mass
        put(room, at.move, a, centre)
        put(room, at.result, 1 + a, get(room, at.origin, a) + centre)
        for b in range(a + 1):
            spread = get(room, at.square, entry) / mass - centre * get(room, at.move, b)
            put(room, at.covariance, entry, spread)
            entry += 1
    factorise(room, size, at.covariance, at.factor, at.pivots, at.free)
    height = get(room, at.state, HEAVIEST) + lanes_log(mass) - splat(0.5) * load(room, at.free)
    invert(room, size, at.factor, at.pivots, at.result + (1 + size) * LANES, at.free)
    store(room, at.result, height)


@njit(**INNER)
def _clean(room, numbers, at, filled):
    """Lanes without a message get height minus infinity and zeros, so that no garbage is ever read."""
    store(room, at.result, where_greater(filled, splat(0.0), load(room, at.result), splat(-np.inf)))
    for number in range(1, numbers):
        put(room, at.result, number, where_greater(filled, splat(0.0), get(room, at.result, number), splat(0.0)))


@njit(**INNER)
def lift(room, size, kind, constants, link, at):
    """The message in at.result as one of a parent, in at.product: blurred by the link's noise, pulled back by its map."""
    Q, F, offset = link, link + size * size, link + 2 * size * size
    out = at.product
    P = out + (1 + size) * LANES
    blur(room, size, at.result + (1 + size) * LANES, constants, Q, P, at.free)
    store(room, out, load(room, at.result) + load(room, at.free))
    for a in range(size):
        put(room, out, 1 + a, get(room, at.result, 1 + a))
    if kind != IDENTITY:
        for a in range(size):
            put(room, out, 1 + a, get(room, out, 1 + a) - splat(constants[offset + a]))
    if kind == GENERAL:
        copy(room, P, at.covariance, size * (size + 1) // 2)
        pull_back(room, size, constants, F, at.covariance, out, at.free)
        store(room, out, load(room, out) + load(room, at.free))
    for a in range(size):
        known = get(room, P, a * (a + 1) // 2 + a)
        put(room, out, 1 + a, where_greater(known, splat(0.0), get(room, out, 1 + a), splat(0.0)))
