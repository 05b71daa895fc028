"""The alternatives of eight cells at once: reading an emission, or both children of a split, and joining them."""

from typing import NamedTuple

import numpy as np
from numba import njit

from recbayes.compiled.lanes import BORROWING, INLINED, LANES, Lanes, any_greater, load, splat, store
from recbayes.compiled.layout import Row, cell_place, message_entries
from recbayes.compiled.potentials import inline_join, join_mode
from recbayes.gaussian.chart.plan import Plan
from recbayes.gaussian.chart.tables import Tables
from recbayes.gaussian.kernels.alternatives import Cell, may_be_leaf, preferred
from recbayes.gaussian.kernels.cells import blank_impossible, overlaps, read_height, read_message, sticks_out
from recbayes.gaussian.kernels.room import Room


class Children(NamedTuple):
    """Where eight messages of either child of a split are."""

    left: int
    left_length: int
    right: int
    right_length: int
    possible: bool  # some lane has both
    partial: bool  # some of the lanes have no message, but a cell that is to be filled


@njit(**INLINED)
def read_emissions(
    tables: Tables,
    plan: Plan,
    length_log_probability: np.ndarray,
    messages: np.ndarray,
    buffer: np.ndarray,
    cell: Cell,
    e: int,
    room: np.ndarray,
    at: Room,
) -> bool:
    """Copy the potentials of an emission of eight spans to at.product. Returns whether there are any."""
    row = plan.emit_rows[e, cell.width]
    if row.low > row.high:
        return False
    height = read_height(messages, plan.emit_base, row, cell.start)
    height += _emission_heights(plan, length_log_probability, tables.emits, e, cell.width, cell.start, row.high, buffer)
    store(room, at.product, height)
    place = cell_place(plan.emit_base, row, cell.start)
    read_message(
        messages, place, row.length, tables.shifts.shape[1], tables.shifts, tables.shifts_packed, 0, room, at.product
    )
    return True


@njit(**BORROWING)
def _emission_heights(
    plan: Plan,
    length_log_probability: np.ndarray,
    emits: np.ndarray,
    e: int,
    width: int,
    start: int,
    last: int,
    buffer: np.ndarray,
) -> Lanes:
    """The log probability of emission e for the spans of eight starts (the last of them is `last`), into a buffer."""
    for lane in range(LANES):
        i = min(start + lane, last)
        length = plan.ticks[i + width] - plan.ticks[i]
        buffer[lane] = emits[e].log_probability + length_log_probability[e, length] + preferred(plan, i, i + width)
        if not may_be_leaf(plan.allowed, i, i + width):
            buffer[lane] = -np.inf
    return load(buffer, 0)


@njit(**INLINED)
def find_children(
    tables: Tables,
    plan: Plan,
    messages: np.ndarray,
    cell: Cell,
    r: int,
    left_width: int,
    last_start: int,
    room: np.ndarray,
    at: Room,
) -> Children:
    """The children of eight cells by a rule and a split point. Copies the log heights of their messages to the room; what is
    added for the cells themselves is added to the first.

    `last_start` is that of the last lane whose cell is to be filled.
    """
    left, right = tables.rules[r].left, tables.rules[r].right
    start, middle = cell.start, cell.start + left_width
    one = plan.rows[tables.links[left].child, left_width]
    two = plan.rows[tables.links[right].child, cell.width - left_width]
    possible = _pair_heights(messages, plan.link_base, left, one, right, two, left_width, start, room, at.one, at.two)
    if possible and len(plan.preference):
        for lane in range(LANES):
            i = min(start + lane, last_start, len(plan.positions) - 1 - cell.width)
            room[at.one + lane] += plan.preference[i, i + cell.width]
    partial = sticks_out(one, start, last_start) or sticks_out(two, middle, last_start + left_width)
    return Children(
        cell_place(plan.link_base[left], one, start),
        one.length,
        cell_place(plan.link_base[right], two, middle),
        two.length,
        possible,
        partial,
    )


@njit(**INLINED)
def _pair_heights(
    messages: np.ndarray,
    link_base: np.ndarray,
    left: int,
    left_row: Row,
    right: int,
    right_row: Row,
    left_width: int,
    start: int,
    room: np.ndarray,
    one: int,
    two: int,
) -> bool:
    """Copy the log heights of both children's messages into the room. Returns whether some lane has both."""
    if not overlaps(left_row, start) or not overlaps(right_row, start + left_width):
        return False
    left_height = read_height(messages, link_base[left], left_row, start)
    right_height = read_height(messages, link_base[right], right_row, start + left_width)
    store(room, one, left_height)
    store(room, two, right_height)
    return any_greater(left_height + right_height, splat(-float("inf")))


@njit(**INLINED)
def inline_join_children(
    messages: np.ndarray,
    shifts: np.ndarray,
    shifts_packed: np.ndarray,
    children: Children,
    rule: Row,
    right_is_new: bool,
    room: np.ndarray,
    size: int,
    at: Room,
) -> None:
    """The product of the children's messages in at.product, all but its mode.

    Shifts of one split share its right child's message: if it is not new, it is in the room already.
    """
    read_message(messages, children.left, children.left_length, size, shifts, shifts_packed, rule.left_shift, room, at.one)
    if right_is_new:
        place, length = children.right, children.right_length
        read_message(messages, place, length, size, shifts, shifts_packed, rule.right_shift, room, at.two)
    if children.partial:
        blank_impossible(room, at.one, message_entries(size))
        blank_impossible(room, at.two, message_entries(size))
    inline_join(room, size, at.one, at.two, at.product, at.factor, at.pivots, at.vector, at.free)
    store(room, at.product, load(room, at.product) + splat(rule.log_probability))


@njit(**BORROWING)
def join_children(
    messages: np.ndarray,
    shifts: np.ndarray,
    shifts_packed: np.ndarray,
    children: Children,
    rule: Row,
    room: np.ndarray,
    size: int,
    at: Room,
) -> None:
    """The product of the children's messages in at.product."""
    inline_join_children(messages, shifts, shifts_packed, children, rule, True, room, size, at)
    join_mode(room, size, at.one, at.product, at.factor, at.pivots, at.vector)
