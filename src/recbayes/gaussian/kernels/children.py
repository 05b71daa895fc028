"""The alternatives of eight cells at once: reading an emission, or both children of a split, and joining them."""

from typing import NamedTuple

import numpy as np
from numba import njit

from recbayes.compiled.lanes import BORROWING, INLINED, LANES, Lanes, any_greater, load, splat, store
from recbayes.compiled.layout import Row, bound_place, cell_place, message_entries
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
    left_bounds: int  # and where their bounds are
    right_bounds: int
    left_height: Lanes  # their log heights
    right_height: Lanes
    possible: bool  # some lane has both
    partial: bool  # some of the lanes have no message, but a cell that is to be filled


@njit(**INLINED)
def no_children() -> Children:
    """Nowhere."""
    nothing = splat(-np.inf)
    return Children(0, 0, 0, 0, 0, 0, nothing, nothing, False, False)


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
    size: int,
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
    read_message(messages, place, row.length, size, tables.shifts, tables.shifts_packed, 0, room, at.product)
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
    buffer: np.ndarray,
    cell: Cell,
    r: int,
    left_width: int,
    last_start: int,
    size: int,
) -> Children:
    """The children of eight cells by a rule and a split point. What is added for the cells themselves is added to the log
    heights of the first.

    `last_start` is that of the last lane whose cell is to be filled.
    """
    left, right = tables.rules[r].left, tables.rules[r].right
    start, middle = cell.start, cell.start + left_width
    one = plan.rows[tables.links[left].child, left_width]
    two = plan.rows[tables.links[right].child, cell.width - left_width]
    left_height = right_height = splat(-np.inf)
    if overlaps(one, start) and overlaps(two, middle):
        left_height = read_height(messages, plan.link_base[left], one, start)
        right_height = read_height(messages, plan.link_base[right], two, middle)
        if len(plan.preference):
            for lane in range(LANES):
                i = min(start + lane, last_start, len(plan.positions) - 1 - cell.width)
                buffer[lane] = plan.preference[i, i + cell.width]
            left_height += load(buffer, 0)
    partial = sticks_out(one, start, last_start) or sticks_out(two, middle, last_start + left_width)
    return Children(
        cell_place(plan.link_base[left], one, start),
        one.length,
        cell_place(plan.link_base[right], two, middle),
        two.length,
        bound_place(plan.bound_base[left], one, start, size),
        bound_place(plan.bound_base[right], two, middle, size),
        left_height,
        right_height,
        any_greater(left_height + right_height, splat(-np.inf)),
        partial,
    )


@njit(**INLINED)
def inline_join_children(
    messages: np.ndarray,
    shifts: np.ndarray,
    shifts_packed: np.ndarray,
    children: Children,
    rule: Row,
    room: np.ndarray,
    size: int,
    at: Room,
) -> None:
    """The product of the children's messages in at.product, all but its mode."""
    inline_read_children(messages, shifts, shifts_packed, children, rule, room, size, at)
    inline_join(room, size, at.one, at.two, at.product, at.factor, at.pivots, at.vector, at.free)


@njit(**INLINED)
def inline_read_children(
    messages: np.ndarray,
    shifts: np.ndarray,
    shifts_packed: np.ndarray,
    children: Children,
    rule: Row,
    room: np.ndarray,
    size: int,
    at: Room,
) -> None:
    """Copy the children's messages to at.one, where the rule's log probability is added, and at.two."""
    store(room, at.one, children.left_height + splat(rule.log_probability))
    store(room, at.two, children.right_height)
    read_message(messages, children.left, children.left_length, size, shifts, shifts_packed, rule.left_shift, room, at.one)
    read_message(
        messages, children.right, children.right_length, size, shifts, shifts_packed, rule.right_shift, room, at.two
    )
    if children.partial:
        blank_impossible(room, at.one, message_entries(size))
        blank_impossible(room, at.two, message_entries(size))


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
    inline_join_children(messages, shifts, shifts_packed, children, rule, room, size, at)
    join_mode(room, size, at.one, at.product, at.factor, at.pivots, at.vector)
