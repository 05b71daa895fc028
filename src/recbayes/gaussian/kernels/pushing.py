"""Passing the derivatives of eight cells on to their alternatives. This is where gradients spend their time.

As in `recbayes.gaussian.kernels.weighing`: few dimensions stay in registers, and for many, bounds come first. What a cell's
message is worth is known here, so that the bounds show at once what is negligible.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from recbayes.compiled.adjoints import inline_join_adjoint, inline_mixture_adjoint
from recbayes.compiled.dimension import Dimension, size_of
from recbayes.compiled.factors import GUARD, inline_backward_solve, inline_forward_solve, inline_invert, inline_pivots
from recbayes.compiled.lanes import (
    BORROWING,
    INLINED,
    LANES,
    MERGED,
    Lanes,
    any_greater,
    get,
    lanes_exp,
    lanes_total,
    load,
    make_pocket,
    put,
    splat,
    store,
    where_greater,
)
from recbayes.compiled.layout import MODE, Row, message_entries, mode_of, precision_of, triangle_entries
from recbayes.compiled.potentials import inline_join_mode, inline_multiply
from recbayes.gaussian.chart.plan import Plan
from recbayes.gaussian.chart.tables import Tables
from recbayes.gaussian.kernels.alternatives import Cell, visit_alternatives
from recbayes.gaussian.kernels.bounds import both_ease, fall
from recbayes.gaussian.kernels.cells import NEGLIGIBLE, add_cells, inline_add_shifted
from recbayes.gaussian.kernels.children import Children, find_children, inline_read_children, read_emissions
from recbayes.gaussian.kernels.derivatives import Derivatives, derivative_places
from recbayes.gaussian.kernels.moments import LOPSIDED, mass_of
from recbayes.gaussian.kernels.room import Room, make_room


class Work(NamedTuple):
    """What the adjoint pass works with."""

    length_log_probability: np.ndarray
    messages: np.ndarray
    bounds: np.ndarray
    derivatives: np.ndarray
    rules: np.ndarray  # derivatives with respect to rules and lengths of emissions, see `Gradients`
    emissions: np.ndarray
    buffer: np.ndarray
    room: np.ndarray
    at: Room
    to: Derivatives
    dimension: Dimension


class Push(NamedTuple):
    """What is passed on."""

    own: Any  # the room or a pocket
    single: Lanes  # 1 in the lanes whose message is an only alternative's,
    mixed: Lanes  # in those whose message is a mixture


@njit(**BORROWING)
def push_down(tables: Tables, plan: Plan, work: Work, cell: Cell, single: Lanes, mixed: Lanes) -> None:
    """Pass the derivatives of eight cells, found in the room, on to all their alternatives."""
    size = size_of(work.dimension, tables.shifts)
    at = make_room(size)
    to = derivative_places(size, at.end)
    own, room = make_pocket(work.dimension, work.room), work.room
    if len(work.dimension) > 0:
        store(own, to.log_mass, load(room, to.log_mass))
        store(own, to.constant, load(room, to.constant))
        for a in range(size):
            put(own, at.origin, a, get(room, at.origin, a))
            put(own, to.dm, a, get(room, to.dm, a))
        for entry in range(triangle_entries(size)):
            put(own, to.dS, entry, get(room, to.dS, entry))
        for entry in range(message_entries(size)):
            put(own, to.into, entry, get(room, to.into, entry))
    visit_alternatives(tables, plan, cell, _take_emission, _take_split, 0, Push(own, single, mixed), work)


@njit(**MERGED)
def _take_emission(nothing: int, push: Push, tables: Tables, plan: Plan, work: Work, cell: Cell, e: int) -> int:
    size = size_of(work.dimension, tables.shifts)
    at = make_room(size)
    to = derivative_places(size, at.end)
    lengths, messages, own, buffer = work.length_log_probability, work.messages, push.own, work.buffer
    if read_emissions(tables, plan, lengths, messages, buffer, cell, e, own, size, at):
        P = precision_of(at.product, size)
        found = inline_pivots(own, size, P, at.factor, at.pivots, GUARD, 0.0, len(work.dimension) == 0)
        weight, factor = mass_of(own, size, at, work.dimension, found[0], found[1])
        if _push(own, size, at, to, weight, factor, push.single, push.mixed):
            row, start = plan.emit_rows[e, cell.width], cell.start
            add_cells(work.derivatives, plan.emit_base, row, start, own, to.push, message_entries(size))
            store(buffer, 0, load(own, to.push))
            for lane in range(min(LANES, row.high + 1 - start)):
                length = plan.ticks[start + lane + cell.width] - plan.ticks[start + lane]
                work.emissions[e, length] += buffer[lane]
    return nothing


@njit(**MERGED)
def _take_split(
    nothing: int, push: Push, tables: Tables, plan: Plan, work: Work, cell: Cell, r: int, left_width: int
) -> int:
    size = size_of(work.dimension, tables.shifts)
    last_start = cell.start + LANES - 1  # all lanes: what is read beyond a row must not reach its neighbours as a derivative
    children = find_children(tables, plan, work.messages, work.buffer, cell, r, left_width, last_start, size)
    if children.possible and _matters(tables.shifts, work, children, push, tables.rules[r], size):
        work.rules[r] += _push_split(tables, work, children, push, tables.rules[r], size)
    return nothing


@njit(**INLINED)
def _push_split(tables: Tables, work: Work, children: Children, push: Push, rule: Row, size: int) -> float:
    """Add to the derivatives of both children. Returns that with respect to the rule's log probability."""
    at = make_room(size)
    to = derivative_places(size, at.end)
    own, shifts, shifts_packed = push.own, tables.shifts, tables.shifts_packed
    inline_read_children(work.messages, shifts, shifts_packed, children, rule, own, size, at)
    many = len(work.dimension) == 0
    found = inline_multiply(own, size, at.one, at.two, at.product, at.factor, at.pivots, at.vector, at.free, many)
    weight, factor = mass_of(own, size, at, work.dimension, found[0], found[1])
    inline_join_mode(own, size, at.one, at.product, at.factor, at.pivots, at.vector)
    if not _push(own, size, at, to, weight, factor, push.single, push.mixed):
        return 0.0
    for a in range(size):
        put(own, to.t, a, get(own, to.push, MODE + a))
    inline_forward_solve(own, size, at.factor, to.t)
    inline_backward_solve(own, size, at.factor, at.pivots, to.t)
    inline_join_adjoint(own, size, at.one, at.product, to.push, to.t, to.give)
    place, length, shift = children.left, children.left_length, rule.left_shift
    inline_add_shifted(work.derivatives, place, length, shifts, shifts_packed, shift, own, size, to.give)
    inline_join_adjoint(own, size, at.two, at.product, to.push, to.t, to.give)
    place, length, shift = children.right, children.right_length, rule.right_shift
    inline_add_shifted(work.derivatives, place, length, shifts, shifts_packed, shift, own, size, to.give)
    return lanes_total(load(own, to.push))


@njit(**INLINED)
def _matters(shifts: np.ndarray, work: Work, children: Children, push: Push, rule: Row, size: int) -> bool:
    """Whether in some lane, for all that is known by bounds, a split is not negligible."""
    if len(work.dimension) > 0:
        return True
    zero = splat(0.0)
    height = children.left_height + children.right_height
    possible = where_greater(height, splat(-np.inf), splat(1.0), zero)
    if any_greater(push.single * possible, zero):
        return True
    lead = height + both_ease(work.bounds, children) + splat(rule.log_probability + NEGLIGIBLE)
    lead -= load(push.own, derivative_places(size, make_room(size).end).log_mass)
    near = where_greater(fall(work.messages, work.bounds, shifts, children, rule, size), lead, zero, push.mixed * possible)
    return any_greater(near, zero)


@njit(**INLINED)
def _push(
    own: np.ndarray,
    size: int,
    at: Room,
    to: Derivatives,
    weight: Lanes,
    factor: Lanes,
    single: Lanes,
    mixed: Lanes,
) -> bool:
    """Derivatives with respect to the alternative in at.product, into to.push. Returns whether any is not zero.

    Expects the factor of its precision in place; its mass is factor exp(weight).
    """
    zero, unit = splat(0.0), splat(1.0)
    share = where_greater(mixed, zero, weight - load(own, to.log_mass), splat(-np.inf))
    alone = where_greater(load(own, at.product), splat(-np.inf), single, zero)
    if not any_greater(share, splat(-NEGLIGIBLE - LOPSIDED)) and not any_greater(alone, zero):
        return False
    share = lanes_exp(share) * factor
    share = where_greater(share, unit, unit, share)  # rounding only: a share is at most one
    inline_invert(own, size, at.factor, at.pivots, at.covariance, at.free)
    mode = mode_of(at.product)
    inline_mixture_adjoint(own, size, share, mode, at.covariance, at.origin, to.dS, to.dm, to.constant, to.push, to.matrix)
    if any_greater(alone, zero):
        for entry in range(message_entries(size)):
            put(own, to.push, entry, where_greater(alone, zero, get(own, to.into, entry), get(own, to.push, entry)))
    return True
