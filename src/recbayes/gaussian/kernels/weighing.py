"""Weighing the alternatives of eight cells: the best of them, and the moments of all. Inference spends its time here.

Where there are few dimensions, all that is known of the cells stays in registers, and a mass is an exponential and a root of
the determinant. Where there are many, masses are logarithms, and bounds show of most splits that they do not matter.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from recbayes.compiled.dimension import Dimension, size_of
from recbayes.compiled.factors import GUARD, inline_invert, inline_pivots
from recbayes.compiled.lanes import (
    BORROWING,
    INLINED,
    LANES,
    MERGED,
    Lanes,
    any_greater,
    get,
    make_pocket,
    put,
    splat,
    where_greater,
)
from recbayes.compiled.layout import Row, precision_of, triangle_entries
from recbayes.compiled.potentials import inline_join_mode, inline_multiply
from recbayes.gaussian.chart.plan import Plan
from recbayes.gaussian.chart.tables import Tables
from recbayes.gaussian.kernels.alternatives import Cell, visit_alternatives
from recbayes.gaussian.kernels.bounds import both_ease, fall
from recbayes.gaussian.kernels.cells import NEGLIGIBLE
from recbayes.gaussian.kernels.children import Children, find_children, inline_read_children, no_children, read_emissions
from recbayes.gaussian.kernels.moments import (
    HEAVIEST,
    HEAVY,
    LOPSIDED,
    TALL,
    clear_moments,
    gather,
    mass_of,
    note,
    pass_over,
)
from recbayes.gaussian.kernels.promise import look_ahead
from recbayes.gaussian.kernels.room import STATE, Room, make_room


class Work(NamedTuple):
    """What the inside pass works with."""

    length_log_probability: np.ndarray
    messages: np.ndarray
    bounds: np.ndarray
    choices: np.ndarray
    buffer: np.ndarray
    room: np.ndarray
    at: Room
    dimension: Dimension


class Pair(NamedTuple):
    """The children of eight splits."""

    children: Children
    possible: Lanes  # 1 where there are both
    lead: Lanes  # by how much they may exceed what is negligible and not the best, modes aside


@njit(**BORROWING)
def weigh_alternatives(tables: Tables, plan: Plan, work: Work, cell: Cell) -> None:
    """Find the state and the moments of the alternatives of eight cells."""
    size, few = size_of(work.dimension, tables.shifts), len(work.dimension) > 0
    at = make_room(size)
    own = make_pocket(work.dimension, work.room)
    clear_moments(own, size, at)
    if not few:
        look_ahead(tables, plan, work.messages, work.choices, cell, work.room, at)
    pair = Pair(no_children(), splat(0.0), splat(0.0))
    visit_alternatives(tables, plan, cell, _take_emission, _take_split, pair, own, work)
    if few:
        for entry in range(STATE):
            put(work.room, at.state, entry, get(own, at.state, entry))
        for a in range(size):
            put(work.room, at.origin, a, get(own, at.origin, a))
            put(work.room, at.mean, a, get(own, at.mean, a))
        for entry in range(triangle_entries(size)):
            put(work.room, at.square, entry, get(own, at.square, entry))


@njit(**MERGED)
def _take_emission(pair: Pair, own: np.ndarray, tables: Tables, plan: Plan, work: Work, cell: Cell, e: int) -> Pair:
    size = size_of(work.dimension, tables.shifts)
    at = make_room(size)
    if read_emissions(tables, plan, work.length_log_probability, work.messages, work.buffer, cell, e, own, size, at):
        P = precision_of(at.product, size)
        found = inline_pivots(own, size, P, at.factor, at.pivots, GUARD, 0.0, len(work.dimension) == 0)
        weight, factor = mass_of(own, size, at, work.dimension, found[0], found[1])
        note(own, at, found[2], -1.0 - e, float(cell.start))
        if _is_heavy(own, at, weight, work.dimension):
            inline_invert(own, size, at.factor, at.pivots, at.covariance, at.free)
            gather(own, size, at, weight, factor)
    return pair


@njit(**MERGED)
def _take_split(
    pair: Pair, own: np.ndarray, tables: Tables, plan: Plan, work: Work, cell: Cell, r: int, left_width: int
) -> Pair:
    """The state is the children of the rule before: shifts of one split share them, and they are looked up once."""
    rules, shifts = tables.rules, tables.shifts
    size, first_rule = size_of(work.dimension, shifts), tables.variables[cell.v].first_rule
    at = make_room(size)
    if r == first_rule or rules[r].left != rules[r - 1].left or rules[r].right != rules[r - 1].right:
        last_start = min(cell.start + LANES - 1, plan.rows[cell.v, cell.width].high)
        children = find_children(tables, plan, work.messages, work.buffer, cell, r, left_width, last_start, size)
        pair = _lead(work, children, own, at)
    if pair.children.possible:
        if _matters(shifts, work, pair, rules[r], size):
            _weigh_split(tables, work, pair.children, own, size, at, rules[r], float(r), float(cell.start + left_width))
        else:
            pass_over(own, at, pair.possible)
    return pair


@njit(**INLINED)
def _weigh_split(
    tables: Tables, work: Work, children: Children, own: np.ndarray, size: int, at: Room, rule: Row, r: float, point: float
) -> None:
    inline_read_children(work.messages, tables.shifts, tables.shifts_packed, children, rule, own, size, at)
    many = len(work.dimension) == 0
    found = inline_multiply(own, size, at.one, at.two, at.product, at.factor, at.pivots, at.vector, at.free, many)
    weight, factor = mass_of(own, size, at, work.dimension, found[0], found[1])
    note(own, at, found[2], r, point)
    if _is_heavy(own, at, weight, work.dimension):
        inline_join_mode(own, size, at.one, at.product, at.factor, at.pivots, at.vector)
        inline_invert(own, size, at.factor, at.pivots, at.covariance, at.free)
        gather(own, size, at, weight, factor)


@njit(**INLINED)
def _is_heavy(own: np.ndarray, at: Room, weight: Lanes, dimension: Dimension) -> bool:
    """Whether an alternative matters in some lane, now that its weight is known."""
    if len(dimension) > 0:
        return any_greater(weight, get(own, at.state, HEAVIEST) - splat(NEGLIGIBLE + LOPSIDED))
    least, heavy = weight - splat(NEGLIGIBLE), get(own, at.state, HEAVY)
    put(own, at.state, HEAVY, where_greater(least, heavy, least, heavy))
    return any_greater(weight, heavy)


@njit(**INLINED)
def _lead(work: Work, children: Children, own: np.ndarray, at: Room) -> Pair:
    """By how much splits, rules and modes aside, can exceed what is negligible and not the best."""
    height, nothing = children.left_height + children.right_height, splat(-np.inf)
    if len(work.dimension) > 0 or not children.possible:
        return Pair(children, nothing, nothing)
    tall, heavy = get(own, at.state, TALL), get(own, at.state, HEAVY) - both_ease(work.bounds, children)
    possible = where_greater(height, nothing, splat(1.0), splat(0.0))
    return Pair(children, possible, height - where_greater(tall, heavy, heavy, tall))


@njit(**INLINED)
def _matters(shifts: np.ndarray, work: Work, pair: Pair, rule: Row, size: int) -> bool:
    """Whether in some lane, for all that is known by bounds, a split is the best or not negligible."""
    if len(work.dimension) > 0:
        return True
    zero, lead = splat(0.0), pair.lead + splat(rule.log_probability)
    near = where_greater(zero, lead, zero, pair.possible)
    if not any_greater(near, zero):
        return False
    falls = fall(work.messages, work.bounds, shifts, pair.children, rule, size)
    return any_greater(where_greater(falls, lead, zero, near), zero)
