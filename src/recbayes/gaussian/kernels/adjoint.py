"""The compiled adjoint of the inside pass: derivatives of the log evidence, from long spans down to short ones.

For every entry of every message it finds the derivative of the log evidence with respect to it, in an array of the same
layout, and on the way adds up the derivatives with respect to rules, links, lengths of emissions and the prior. Moment
matching is differentiated as it is computed, so the result is the gradient of the approximate evidence.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from recbayes.compiled.adjoints import join_adjoint
from recbayes.compiled.dimension import Dimension
from recbayes.compiled.lanes import (
    BORROWING,
    KERNEL,
    LANES,
    MERGED,
    Lanes,
    any_greater,
    load,
    splat,
    store,
    where_greater,
)
from recbayes.compiled.layout import cell_place, choice_place, link_place, message_entries
from recbayes.gaussian.chart.plan import Plan
from recbayes.gaussian.chart.tables import Tables
from recbayes.gaussian.kernels.alternatives import Cell, visit_alternatives
from recbayes.gaussian.kernels.bounds import write_bounds
from recbayes.gaussian.kernels.cells import (
    EMPTY,
    FLAT_MIXTURE,
    MIXTURE,
    ONLY_SPLIT,
    add_cells,
    add_shifted,
    lane_sum,
    read_cells,
)
from recbayes.gaussian.kernels.children import find_children, join_children, read_emissions
from recbayes.gaussian.kernels.derivatives import Gradients, derivative_places
from recbayes.gaussian.kernels.links import lift_adjoint
from recbayes.gaussian.kernels.moments_adjoint import (
    moments_adjoint,
    push_alternative,
    reference_moments_adjoint,
    solve_mode,
)
from recbayes.gaussian.kernels.pushing import Work, push_down
from recbayes.gaussian.kernels.reference import gather_under_reference, start_reference
from recbayes.gaussian.kernels.room import Room, make_room
from recbayes.gaussian.kernels.root import root_adjoint

REFER, GATHER, UNDER_REFERENCE = range(3)  # purposes of a visit, for flat mixtures


class Task(NamedTuple):
    """What is done with the alternatives of eight cells."""

    purpose: int
    flat: Lanes  # 1 in the lanes whose message is a mixture of flat ones


@njit(**KERNEL)
def fill_adjoint(
    dimension: Dimension,
    tables: Tables,
    plan: Plan,
    length_log_probability: np.ndarray,
    messages: np.ndarray,
    bounds: np.ndarray,
    choices: np.ndarray,
    evidence: np.ndarray,
    derivatives: np.ndarray,
    gradients: Gradients,
) -> None:
    """Fill `derivatives` (zeros at first) and add to `gradients`."""
    variables, links, constants = tables.variables, tables.links, tables.constants
    rows, inside_base, link_base = plan.rows, plan.inside_base, plan.link_base
    size, segments = tables.shifts.shape[1], len(plan.positions) - 1
    entries = message_entries(size)
    at = make_room(size)
    to = derivative_places(size, at.end)
    room = np.zeros(to.end)
    buffer = np.zeros(LANES)
    sums = gradients.rules, gradients.emissions
    work = Work(length_log_probability, messages, bounds, derivatives, *sums, buffer, room, at, to, dimension)
    if len(dimension) == 0:
        _find_bounds(tables, plan, messages, bounds, room, size, at)
    root_adjoint(tables, plan, messages, evidence, derivatives, gradients.prior, room, at, to)
    for width in range(segments, 0, -1):
        for v in range(len(variables)):
            row = rows[v, width]
            for start in range(row.low, row.high + 1, LANES):
                origin = load(choices, choice_place(plan.choice_base[v], row, start, size))
                if not any_greater(origin, splat(EMPTY)):
                    continue
                read_cells(messages, inside_base[v], row, start, room, at.result, entries)
                read_cells(derivatives, inside_base[v], row, start, room, to.into, entries)
                for link in range(variables[v].first_link, variables[v].end_link):
                    read_cells(derivatives, link_base[link], row, start, room, to.give, entries)
                    begin = link_place(link, size)
                    lift_adjoint(room, size, links[link].kind, constants, begin, gradients.links, link, at, to)
                store(derivatives, cell_place(inside_base[v], row, start), load(room, to.into))
                single = where_greater(splat(ONLY_SPLIT + 0.5), origin, splat(1.0), splat(0.0))
                single = where_greater(origin, splat(EMPTY), single, splat(0.0))
                mixed = where_greater(origin, splat(MIXTURE - 0.5), splat(1.0), splat(0.0))
                mixed = where_greater(origin, splat(FLAT_MIXTURE - 0.5), splat(0.0), mixed)
                flat = where_greater(origin, splat(FLAT_MIXTURE - 0.5), splat(1.0), splat(0.0))
                moments_adjoint(room, size, at, to)
                if any_greater(mixed + single, splat(0.0)):
                    push_down(tables, plan, work, Cell(v, width, start), single, mixed)
                if any_greater(flat, splat(0.0)):
                    for purpose in range(UNDER_REFERENCE + 1):
                        if purpose == REFER:
                            start_reference(constants, len(links), v, room, at, size)
                        elif purpose == UNDER_REFERENCE:
                            reference_moments_adjoint(room, size, at, to)
                        _visit(tables, plan, work, Cell(v, width, start), Task(purpose, flat))


@njit(**BORROWING)
def _find_bounds(
    tables: Tables, plan: Plan, messages: np.ndarray, bounds: np.ndarray, room: np.ndarray, size: int, at: Room
) -> None:
    """Bounds of all messages that went through a link."""
    for link in range(len(tables.links)):
        for width in range(1, len(plan.positions)):
            row = plan.rows[tables.links[link].child, width]
            for start in range(row.low, row.high + 1, LANES):
                read_cells(messages, plan.link_base[link], row, start, room, at.product, message_entries(size))
                write_bounds(bounds, plan.bound_base[link], row, start, room, size, at)


@njit(**BORROWING)
def _visit(tables: Tables, plan: Plan, work: Work, cell: Cell, task: Task) -> None:
    """Gather the moments of the alternatives of eight cells under the reference, or pass derivatives on to them."""
    visit_alternatives(tables, plan, cell, _take_emission, _take_split, 0, task, work)


@njit(**MERGED)
def _take_emission(nothing: int, task: Task, tables: Tables, plan: Plan, work: Work, cell: Cell, e: int) -> int:
    room, at, to, size = work.room, work.at, work.to, tables.shifts.shape[1]
    if read_emissions(tables, plan, work.length_log_probability, work.messages, work.buffer, cell, e, room, size, at):
        if task.purpose == REFER or task.purpose == GATHER:
            gather_under_reference(room, size, at, task.purpose == GATHER)
        else:
            if push_alternative(room, size, at, to, task.flat):
                row, start = plan.emit_rows[e, cell.width], cell.start
                add_cells(work.derivatives, plan.emit_base, row, start, room, to.push, message_entries(size))
                for lane in range(min(LANES, row.high + 1 - start)):
                    length = plan.ticks[start + lane + cell.width] - plan.ticks[start + lane]
                    work.emissions[e, length] += room[to.push + lane]
    return nothing


@njit(**MERGED)
def _take_split(
    nothing: int, task: Task, tables: Tables, plan: Plan, work: Work, cell: Cell, r: int, left_width: int
) -> int:
    messages, derivatives, room, at, to = work.messages, work.derivatives, work.room, work.at, work.to
    shifts, shifts_packed, rule = tables.shifts, tables.shifts_packed, tables.rules[r]
    size = shifts.shape[1]
    last_start = cell.start + LANES - 1  # all lanes: what is read beyond a row must not reach its neighbours as a derivative
    children = find_children(tables, plan, messages, work.buffer, cell, r, left_width, last_start, size)
    if children.possible:
        join_children(messages, shifts, shifts_packed, children, rule, room, size, at)
        if task.purpose == REFER or task.purpose == GATHER:
            gather_under_reference(room, size, at, task.purpose == GATHER)
        elif push_alternative(room, size, at, to, task.flat):  # its product took the place of the first child and factor
            join_children(messages, shifts, shifts_packed, children, rule, room, size, at)
            solve_mode(room, size, at, to)
            work.rules[r] += lane_sum(room, to.push)
            join_adjoint(room, size, at.one, at.product, to.push, to.t, to.give)
            place, length, shift = children.left, children.left_length, rule.left_shift
            add_shifted(derivatives, place, length, shifts, shifts_packed, shift, room, to.give)
            join_adjoint(room, size, at.two, at.product, to.push, to.t, to.give)
            place, length, shift = children.right, children.right_length, rule.right_shift
            add_shifted(derivatives, place, length, shifts, shifts_packed, shift, room, to.give)
    return nothing
