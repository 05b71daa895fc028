"""All alternatives of one cell, side by side: emissions of its span, and (split point, rule) products of its children.

Where the inside pass runs over eight cells at once and forgets each alternative, drawing a tree needs the alternatives of
one cell. They are put into groups of eight lanes: a potential for each lane, then its rule (negative: -1 - emission) and its
split point. With several Gaussians per message, every pair of the children's Gaussians is an alternative of its own.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from recbayes.compiled.lanes import INNER, LANES
from recbayes.compiled.potentials import join, join_mode
from recbayes.gaussian.chart.plan import Plan
from recbayes.gaussian.chart.tables import Tables
from recbayes.gaussian.kernels.cells import left_widths, may_be_leaf


class Problem(NamedTuple):
    """What a walk reads: the model, the plan and the messages of a chart (`copies` layers, see `list_options`)."""

    tables: Tables
    plan: Plan
    dims: np.ndarray  # (V,) dimensions of the variables
    length_log_probability: np.ndarray  # (E, N + 1)
    messages: np.ndarray
    copies: int


def most_options(tables: Tables, plan: Plan, copies: int) -> int:
    """An upper bound on the number of alternatives of a cell."""
    return len(tables.emits) + len(tables.rules) * (len(plan.positions) - 1) * copies**2


@njit(**INNER)
def group_size(size):
    """How many places a group of eight alternatives takes."""
    return (1 + size + size * (size + 1) // 2 + 2) * LANES


@njit(**INNER)
def list_options(problem, v, start, width, room, at, begin):
    """Write the alternatives of a cell to the room, from `begin` on, and return their number.

    Messages are in `copies` layers, one for each Gaussian of a message; emissions are in the first only.
    """
    tables, plan, messages, copies = problem.tables, problem.plan, problem.messages, problem.copies
    rules, links, turn, turn_packed = tables.rules, tables.links, tables.turn, tables.turn_packed
    size = turn.shape[1]
    layer = len(messages) // copies
    variable = tables.variables[v]
    count = 0
    for e in range(variable.first_emit, variable.end_emit):
        row = plan.emit_rows[e, width]
        if row.low <= start <= row.high and may_be_leaf(plan.allowed, start, start + width):
            place = plan.emit_base + row.place + start - row.low
            length = plan.positions[start + width] - plan.positions[start]
            height = messages[place] + tables.emits[e].log_probability + problem.length_log_probability[e, length]
            if height > -math.inf:
                lane = _open_lane(room, size, at, begin, count, -1.0 - e, float(start))
                room[at.one + lane] = height
                _read_lane(messages, place, row.length, turn, turn_packed, 0, room, at.one + lane)
                count = _close_lane(room, size, at, begin, count)
    narrowest, widest = width, 0
    for r in range(variable.first_rule, variable.end_rule):
        first, last = left_widths(rules, links, plan.shortest, plan.longest, r, width)
        narrowest, widest = min(narrowest, first), max(widest, last)
    for left_width in range(narrowest, widest + 1):
        middle = start + left_width
        for r in range(variable.first_rule, variable.end_rule):
            left, right = rules[r].left, rules[r].right
            one, two = plan.rows[links[left].child, left_width], plan.rows[links[right].child, width - left_width]
            if not (one.low <= start <= one.high and two.low <= middle <= two.high):
                continue
            left_place = plan.link_base[left] + one.place + start - one.low
            right_place = plan.link_base[right] + two.place + middle - two.low
            for pair in range(copies * copies):
                left_copy = left_place + pair // copies * layer
                right_copy = right_place + pair % copies * layer
                left_height, right_height = messages[left_copy], messages[right_copy]
                if left_height > -math.inf and right_height > -math.inf:
                    lane = _open_lane(room, size, at, begin, count, float(r), float(middle))
                    room[at.one + lane] = left_height + rules[r].log_probability
                    room[at.two + lane] = right_height
                    _read_lane(messages, left_copy, one.length, turn, turn_packed, rules[r].left_turn, room, at.one + lane)
                    _read_lane(messages, right_copy, two.length, turn, turn_packed, rules[r].right_turn, room, at.two + lane)
                    count = _close_lane(room, size, at, begin, count)
    if count % LANES:
        _join_group(room, size, at, begin + count // LANES * group_size(size))
    return count


@njit(**INNER)
def _open_lane(room, size, at, begin, count, rule, split):
    """The lane of the next alternative. The first of a group clears the others: impossible, and flat where not filled."""
    numbers = 1 + size + size * (size + 1) // 2
    lane = count % LANES
    if lane == 0:
        for place in range(numbers * LANES):
            room[at.one + place] = 0.0
            room[at.two + place] = 0.0
        for other in range(LANES):
            room[at.one + other] = -math.inf
    meta = begin + count // LANES * group_size(size) + numbers * LANES + lane
    room[meta], room[meta + LANES] = rule, split
    return lane


@njit(**INNER)
def _read_lane(messages, place, length, turn, turn_packed, rotation, room, out):
    """Copy the mode and precision of one message into one lane, turned into the parent's dimensions."""
    size = turn.shape[1]
    place += length
    for a in range(size):
        room[out + (1 + a) * LANES] = messages[place + turn[rotation, a] * length]
    place += size * length
    for entry in range(size * (size + 1) // 2):
        room[out + (1 + size + entry) * LANES] = messages[place + turn_packed[rotation, entry] * length]


@njit(**INNER)
def _close_lane(room, size, at, begin, count):
    """Join the children of a group once it is full. Returns the number of alternatives so far."""
    if count % LANES == LANES - 1:
        _join_group(room, size, at, begin + count // LANES * group_size(size))
    return count + 1


@njit(**INNER)
def _join_group(room, size, at, out):
    join(room, size, at.one, at.two, out, at.factor, at.pivots, at.vector, at.free)
    join_mode(room, size, at.one, out, at.factor, at.pivots, at.vector)
