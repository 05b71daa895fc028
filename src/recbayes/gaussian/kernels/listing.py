"""All alternatives of one cell, side by side: emissions of its span, and (split point, rule) products of its children.

Where the inside pass runs over eight cells at once and forgets each alternative, drawing a tree needs the alternatives of
one cell. They are put into groups of eight lanes: a potential for each lane, then its rule (negative: -1 - emission) and its
split point. With several Gaussians per message, every pair of the children's Gaussians is an alternative of its own.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from recbayes.compiled.lanes import BORROWING, LANES, MERGED
from recbayes.compiled.layout import cell_place, component_stride, formula, lanes_room, message_entries, message_room
from recbayes.compiled.potentials import join, join_mode
from recbayes.gaussian.chart.plan import Plan
from recbayes.gaussian.chart.tables import Tables
from recbayes.gaussian.kernels.alternatives import Cell, may_be_leaf, preferred, visit_alternatives
from recbayes.gaussian.kernels.cells import read_lane
from recbayes.gaussian.kernels.room import Room


class Problem(NamedTuple):
    """What a list of alternatives is made from: the model, the plan and the messages of a chart."""

    tables: Tables
    plan: Plan
    dims: np.ndarray  # (V,) dimensions of the variables
    length_log_probability: np.ndarray  # (E, T + 1), by ticks
    messages: np.ndarray
    components: int  # Gaussians per message, at most
    given: np.ndarray  # (leaves, entries) potentials that some leaves of followed trees have, instead of the chart's


def nothing_given(size: int) -> np.ndarray:
    """Of trees that are followed with the chart's potentials."""
    return np.empty((0, message_entries(size)))


class Listing(NamedTuple):
    """What a list is made from besides tables and plan, and where in the room it is written."""

    length_log_probability: np.ndarray
    messages: np.ndarray
    components: int
    room: np.ndarray
    at: Room
    begin: int


def most_alternatives(tables: Tables, plan: Plan, components: int) -> int:
    """An upper bound on the number of alternatives of a cell."""
    return len(tables.emits) + len(tables.rules) * (len(plan.positions) - 1) * components**2


@formula
def group_room(size: int) -> int:
    """How many places a group of eight alternatives takes."""
    return lanes_room(message_entries(size) + 2)


@formula
def group_place(begin: int, alternative: int, size: int) -> int:
    """Where the group of an alternative begins."""
    return begin + alternative // LANES * group_room(size)


@formula
def alternative_place(begin: int, alternative: int, size: int) -> int:
    """Where the potential of an alternative stands in a list: its lane of the group's potential."""
    return group_place(begin, alternative, size) + alternative % LANES


@formula
def rule_place(begin: int, alternative: int, size: int) -> int:
    """Where the rule of an alternative stands; its split point is a group of lanes further."""
    return alternative_place(begin, alternative, size) + message_room(size)


@njit(**BORROWING)
def list_alternatives(problem: Problem, v: int, start: int, width: int, room: np.ndarray, at: Room, begin: int) -> int:
    """Write the alternatives of a cell to the room, from `begin` on, and return their number.

    Messages have `components` Gaussians; the potentials of emissions have one.
    """
    tables, plan, size = problem.tables, problem.plan, problem.tables.shifts.shape[1]
    work = Listing(problem.length_log_probability, problem.messages, problem.components, room, at, begin)
    count = visit_alternatives(tables, plan, Cell(v, width, start), _list_emission, _list_split, 0, 0, work)
    if count % LANES:
        _join_group(room, size, at, group_place(begin, count, size))
    return count


@njit(**MERGED)
def _list_emission(count: int, nothing: int, tables: Tables, plan: Plan, work: Listing, cell: Cell, e: int) -> int:
    messages, room, at, size = work.messages, work.room, work.at, tables.shifts.shape[1]
    row, end = plan.emit_rows[e, cell.width], cell.start + cell.width
    if row.low <= cell.start <= row.high and may_be_leaf(plan.allowed, cell.start, end):
        place = cell_place(plan.emit_base, row, cell.start)
        length = plan.ticks[end] - plan.ticks[cell.start]
        height = messages[place] + tables.emits[e].log_probability + work.length_log_probability[e, length]
        height += preferred(plan, cell.start, end)
        if height > -math.inf:
            lane = _open_lane(room, size, at, work.begin, count, -1.0 - e, float(cell.start))
            room[at.one + lane] = height
            read_lane(messages, place, row.length, tables.shifts, tables.shifts_packed, 0, room, at.one, lane)
            count = _close_lane(room, size, at, work.begin, count)
    return count


@njit(**MERGED)
def _list_split(
    count: int, nothing: int, tables: Tables, plan: Plan, work: Listing, cell: Cell, r: int, left_width: int
) -> int:
    messages, components, room, at, begin = work.messages, work.components, work.room, work.at, work.begin
    rule, shifts, shifts_packed = tables.rules[r], tables.shifts, tables.shifts_packed
    size, start, middle = shifts.shape[1], cell.start, cell.start + left_width
    one = plan.rows[tables.links[rule.left].child, left_width]
    two = plan.rows[tables.links[rule.right].child, cell.width - left_width]
    if one.low <= start <= one.high and two.low <= middle <= two.high:
        left_place = cell_place(plan.link_base[rule.left], one, start)
        right_place = cell_place(plan.link_base[rule.right], two, middle)
        stride = component_stride(len(messages), components)
        for pair in range(components * components):
            left, right = left_place + pair // components * stride, right_place + pair % components * stride
            if messages[left] > -math.inf and messages[right] > -math.inf:
                lane = _open_lane(room, size, at, begin, count, float(r), float(middle))
                room[at.one + lane] = messages[left] + rule.log_probability + preferred(plan, start, start + cell.width)
                room[at.two + lane] = messages[right]
                read_lane(messages, left, one.length, shifts, shifts_packed, rule.left_shift, room, at.one, lane)
                read_lane(messages, right, two.length, shifts, shifts_packed, rule.right_shift, room, at.two, lane)
                count = _close_lane(room, size, at, begin, count)
    return count


@njit(**BORROWING)
def _open_lane(room: np.ndarray, size: int, at: Room, begin: int, count: int, rule: float, split: float) -> int:
    """The lane of the next alternative. The first of a group clears the others: impossible, and flat where not filled."""
    lane = count % LANES
    if lane == 0:
        for place in range(message_room(size)):
            room[at.one + place] = 0.0
            room[at.two + place] = 0.0
        for other in range(LANES):
            room[at.one + other] = -math.inf
    place = rule_place(begin, count, size)
    room[place], room[place + LANES] = rule, split
    return lane


@njit(**BORROWING)
def _close_lane(room: np.ndarray, size: int, at: Room, begin: int, count: int) -> int:
    """Join the children of a group once it is full. Returns the number of alternatives so far."""
    if count % LANES == LANES - 1:
        _join_group(room, size, at, group_place(begin, count, size))
    return count + 1


@njit(**BORROWING)
def _join_group(room: np.ndarray, size: int, at: Room, out: int) -> None:
    join(room, size, at.one, at.two, out, at.factor, at.pivots, at.vector, at.free)
    join_mode(room, size, at.one, out, at.factor, at.pivots, at.vector)
