"""The compiled inside pass: fills the chart from short spans to long ones, eight spans of one width at a time.

A cell's message is the sum of its alternatives: emissions of its whole span, whose potentials are given, and the products of
its children's upward messages for every rule and split point. One alternative is kept exactly; several are matched by one
Gaussian potential of the same mass, mean and covariance (section Approximation of the paper).
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from recbayes.compiled.factors import choose, factorise, inline_invert, invert
from recbayes.compiled.lanes import (
    BORROWING,
    INLINED,
    KERNEL,
    LANES,
    MERGED,
    Lanes,
    any_greater,
    get,
    load,
    put,
    splat,
    store,
    where_greater,
)
from recbayes.compiled.layout import (
    BEST_RULE,
    BEST_SPLIT,
    MODE,
    ORIGIN,
    Row,
    cell_place,
    choice_place,
    entry_place,
    link_place,
    message_entries,
    precision_of,
)
from recbayes.compiled.potentials import inline_join_mode
from recbayes.gaussian.chart.plan import Plan
from recbayes.gaussian.chart.tables import Tables
from recbayes.gaussian.kernels.alternatives import Cell, allowed_lanes, visit_alternatives
from recbayes.gaussian.kernels.cells import EMPTY, MIXTURE, ONLY_SPLIT, write_message
from recbayes.gaussian.kernels.children import Children, find_children, inline_join_children, join_children, read_emissions
from recbayes.gaussian.kernels.links import lift
from recbayes.gaussian.kernels.moments import (
    COUNT,
    PEAK_RULE,
    PEAK_SPLIT,
    clear_moments,
    find_origin,
    gather,
    match_moments,
    weigh,
)
from recbayes.gaussian.kernels.reference import divide_reference, gather_under_reference, start_reference
from recbayes.gaussian.kernels.room import Room, make_room
from recbayes.gaussian.kernels.root import root_evidence

WEIGH, KEEP, REFER, GATHER = 0, 1, 2, 3  # purposes of a visit: find best and moments; keep the only one; flat mixing


class Work(NamedTuple):
    """What the inside pass works with."""

    length_log_probability: np.ndarray
    messages: np.ndarray
    buffer: np.ndarray
    room: np.ndarray
    at: Room


@njit(**KERNEL)
def fill_inside(
    tables: Tables,
    plan: Plan,
    length_log_probability: np.ndarray,
    messages: np.ndarray,
    choices: np.ndarray,
    evidence: np.ndarray,
) -> None:
    """Fill all cells, and the log evidence by each Gaussian of the prior.

    `messages` comes with the potentials of all emissions.
    """
    variables, links, constants = tables.variables, tables.links, tables.constants
    rows, inside_base, link_base = plan.rows, plan.inside_base, plan.link_base
    size, segments = tables.shifts.shape[1], len(plan.positions) - 1
    entries = message_entries(size)
    at = make_room(size)
    room = np.zeros(at.end)
    buffer = np.zeros(LANES)
    work = Work(length_log_probability, messages, buffer, room, at)
    for width in range(1, segments + 1):
        for v in range(len(variables)):
            row = rows[v, width]
            for start in range(row.low, row.high + 1, LANES):
                valid = allowed_lanes(plan.allowed, row, width, start, buffer)
                if not any_greater(valid, splat(0.0)):
                    _leave_empty(messages, inside_base[v], row, start)
                    for link in range(variables[v].first_link, variables[v].end_link):
                        _leave_empty(messages, link_base[link], row, start)
                    continue
                clear_moments(room, size, at)
                origin = splat(EMPTY)
                for purpose in range(WEIGH, GATHER + 1):
                    if purpose == KEEP:
                        origin = find_origin(room, at)
                        match_moments(room, size, at)
                        store(room, at.chosen, where_greater(splat(ONLY_SPLIT + 0.5), origin, splat(1.0), splat(0.0)))
                    elif purpose == REFER:
                        store(room, at.chosen, where_greater(origin, splat(MIXTURE + 0.5), splat(1.0), splat(0.0)))
                    if purpose == WEIGH or any_greater(load(room, at.chosen), splat(0.0)):
                        if purpose == REFER:
                            start_reference(constants, len(links), v, room, at, size)
                        _visit(tables, plan, work, Cell(v, width, start), purpose)
                if any_greater(load(room, at.chosen), splat(0.0)):
                    divide_reference(room, size, at)
                filled = valid * get(room, at.state, COUNT)
                _clean(room, entries, at, filled)
                place = choice_place(plan.choice_base[v], row, start, size)
                origin = where_greater(filled, splat(0.0), origin, splat(EMPTY))
                store(choices, entry_place(place, row.length, ORIGIN), origin)
                store(choices, entry_place(place, row.length, BEST_RULE), get(room, at.state, PEAK_RULE))
                store(choices, entry_place(place, row.length, BEST_SPLIT), get(room, at.state, PEAK_SPLIT))
                write_message(messages, inside_base[v], row, start, room, at.result, entries)
                for link in range(variables[v].first_link, variables[v].end_link):
                    lift(room, size, links[link].kind, constants, link_place(link, size), at)
                    write_message(messages, link_base[link], row, start, room, at.product, entries)
    root_evidence(tables, plan, messages, evidence, room, at)


@njit(**BORROWING)
def _visit(tables: Tables, plan: Plan, work: Work, cell: Cell, purpose: int) -> None:
    """Go through all alternatives of eight cells."""
    children = Children(0, 0, 0, 0, False, False)
    visit_alternatives(tables, plan, cell, _take_emission, _take_split, children, purpose, work)


@njit(**MERGED)
def _take_emission(children: Children, purpose: int, tables: Tables, plan: Plan, work: Work, cell: Cell, e: int) -> Children:
    room, at, size = work.room, work.at, tables.shifts.shape[1]
    if read_emissions(tables, plan, work.length_log_probability, work.messages, work.buffer, cell, e, room, at):
        if purpose == WEIGH:
            factorise(room, size, precision_of(at.product, size), at.factor, at.pivots, at.free)
            if weigh(room, at, -1.0 - e, float(cell.start)):
                invert(room, size, at.factor, at.pivots, at.covariance, at.free)
                gather(room, size, at)
        else:
            _use(room, size, at, purpose)
    return children


@njit(**MERGED)
def _take_split(
    children: Children, purpose: int, tables: Tables, plan: Plan, work: Work, cell: Cell, r: int, left_width: int
) -> Children:
    """The state is the children of the rule before: shifts of one split share them, and they are looked up once."""
    messages, room, at = work.messages, work.room, work.at
    rules, shifts, shifts_packed = tables.rules, tables.shifts, tables.shifts_packed
    size, first_rule = shifts.shape[1], tables.variables[cell.v].first_rule
    fresh = purpose != WEIGH or r == first_rule or rules[r].left != rules[r - 1].left or rules[r].right != rules[r - 1].right
    if fresh:
        last_start = min(cell.start + LANES - 1, plan.rows[cell.v, cell.width].high)
        children = find_children(tables, plan, messages, cell, r, left_width, last_start, room, at)
    if children.possible:
        rule, point = rules[r], float(cell.start + left_width)
        right_is_new = fresh or rule.right_shift != rules[r - 1].right_shift
        if purpose != WEIGH:
            join_children(messages, shifts, shifts_packed, children, rule, room, size, at)
            _use(room, size, at, purpose)
        elif size == 3:  # the constant lets the compiler unroll all loops; few dimensions suffer most from looping
            at3 = make_room(3)
            inline_join_children(messages, shifts, shifts_packed, children, rule, right_is_new, room, 3, at3)
            _weigh_split(room, 3, at3, float(r), point)
        else:
            inline_join_children(messages, shifts, shifts_packed, children, rule, right_is_new, room, size, at)
            _weigh_split(room, size, at, float(r), point)
    return children


@njit(**INLINED)
def _weigh_split(room: np.ndarray, size: int, at: Room, rule: float, point: float) -> None:
    """Take the split whose product is in at.product, all but its mode, into account."""
    if weigh(room, at, rule, point):
        inline_join_mode(room, size, at.one, at.product, at.factor, at.pivots, at.vector)
        inline_invert(room, size, at.factor, at.pivots, at.covariance, at.free)
        gather(room, size, at)


@njit(**BORROWING)
def _use(room: np.ndarray, size: int, at: Room, purpose: int) -> None:
    """What to do with an alternative whose message is complete in at.product."""
    if purpose == KEEP:
        possible = where_greater(load(room, at.product), splat(-np.inf), load(room, at.chosen), splat(0.0))
        choose(room, possible, at.product, at.result, message_entries(size))
    else:
        gather_under_reference(room, size, at, purpose == GATHER)


@njit(**BORROWING)
def _leave_empty(messages: np.ndarray, base: int, row: Row, start: int) -> None:
    """Mark eight cells as impossible."""
    store(messages, cell_place(base, row, start), splat(-np.inf))


@njit(**BORROWING)
def _clean(room: np.ndarray, entries: int, at: Room, filled: Lanes) -> None:
    """Lanes without a message get height minus infinity and zeros, so that no garbage is ever read."""
    store(room, at.result, where_greater(filled, splat(0.0), load(room, at.result), splat(-np.inf)))
    for entry in range(MODE, entries):
        put(room, at.result, entry, where_greater(filled, splat(0.0), get(room, at.result, entry), splat(0.0)))
