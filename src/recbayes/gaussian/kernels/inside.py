"""The compiled inside pass: fills the chart from short spans to long ones, eight spans of one width at a time.

A cell's message is the sum of its alternatives: emissions of its whole span, whose potentials are given, and the products of
its children's upward messages for every rule and split point. One alternative is kept exactly; several are matched by one
Gaussian potential of the same mass, mean and covariance (section Approximation of the paper).
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from recbayes.compiled.dimension import Dimension
from recbayes.compiled.factors import choose
from recbayes.compiled.lanes import (
    BORROWING,
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
)
from recbayes.gaussian.chart.plan import Plan
from recbayes.gaussian.chart.tables import Tables
from recbayes.gaussian.kernels.alternatives import Cell, allowed_lanes, visit_alternatives
from recbayes.gaussian.kernels.bounds import write_bounds
from recbayes.gaussian.kernels.cells import EMPTY, MIXTURE, ONLY_SPLIT, write_message
from recbayes.gaussian.kernels.children import find_children, join_children, read_emissions
from recbayes.gaussian.kernels.links import lift
from recbayes.gaussian.kernels.moments import (
    COUNT,
    PEAK_RULE,
    PEAK_SPLIT,
    find_origin,
    match_moments,
)
from recbayes.gaussian.kernels.reference import divide_reference, gather_under_reference, start_reference
from recbayes.gaussian.kernels.room import Room, make_room
from recbayes.gaussian.kernels.root import root_evidence
from recbayes.gaussian.kernels.weighing import Work, weigh_alternatives

KEEP, REFER, GATHER = range(3)  # purposes of a second visit: keep the only alternative; mix under a reference


class Tile(NamedTuple):
    """Starts and widths of cells that are filled in one go, from the first up to the end, which is not included.

    The narrower cells of the same starts, and the cells of all later starts that are no wider, must have been filled. Rows
    are filled eight starts at a time from their lowest: one that begins inside a row must begin with such a group.
    """

    start: int
    end_start: int
    width: int
    end_width: int


@njit(**KERNEL)
def fill_inside(
    dimension: Dimension,
    tile: Tile,
    tables: Tables,
    plan: Plan,
    length_log_probability: np.ndarray,
    messages: np.ndarray,
    bounds: np.ndarray,
    choices: np.ndarray,
    evidence: np.ndarray,
) -> None:
    """Fill the cells of a tile; with that of the whole series, the log evidence by each Gaussian of the prior.

    `messages` comes with the potentials of all emissions.
    """
    variables, links, constants = tables.variables, tables.links, tables.constants
    rows, inside_base, link_base = plan.rows, plan.inside_base, plan.link_base
    size, segments = tables.shifts.shape[1], len(plan.positions) - 1
    entries = message_entries(size)
    at = make_room(size)
    room = np.zeros(at.end)
    buffer = np.zeros(LANES)
    work = Work(length_log_probability, messages, bounds, choices, buffer, room, at, dimension)
    for width in range(tile.width, min(tile.end_width, segments + 1)):
        for v in range(len(variables)):
            row = rows[v, width]
            for start in range(max(row.low, tile.start), min(row.high + 1, tile.end_start), LANES):
                valid = allowed_lanes(plan.allowed, row, width, start, buffer)
                if not any_greater(valid, splat(0.0)):
                    _leave_empty(messages, inside_base[v], row, start)
                    for link in range(variables[v].first_link, variables[v].end_link):
                        _leave_empty(messages, link_base[link], row, start)
                    continue
                weigh_alternatives(tables, plan, work, Cell(v, width, start))
                origin = find_origin(room, at)
                match_moments(room, size, at)
                for purpose in range(KEEP, GATHER + 1):
                    if purpose == KEEP:
                        store(room, at.chosen, where_greater(splat(ONLY_SPLIT + 0.5), origin, splat(1.0), splat(0.0)))
                    elif purpose == REFER:
                        store(room, at.chosen, where_greater(origin, splat(MIXTURE + 0.5), splat(1.0), splat(0.0)))
                    if any_greater(load(room, at.chosen), splat(0.0)):
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
                    if len(dimension) == 0:
                        write_bounds(bounds, plan.bound_base[link], row, start, room, size, at)
    if tile.start == 0 and tile.end_width > segments:
        root_evidence(tables, plan, messages, evidence, room, at)


@njit(**BORROWING)
def _visit(tables: Tables, plan: Plan, work: Work, cell: Cell, purpose: int) -> None:
    """Go through all alternatives of eight cells once more."""
    visit_alternatives(tables, plan, cell, _take_emission, _take_split, 0, purpose, work)


@njit(**MERGED)
def _take_emission(nothing: int, purpose: int, tables: Tables, plan: Plan, work: Work, cell: Cell, e: int) -> int:
    room, at, size = work.room, work.at, tables.shifts.shape[1]
    if read_emissions(tables, plan, work.length_log_probability, work.messages, work.buffer, cell, e, room, size, at):
        _use(room, size, at, purpose)
    return nothing


@njit(**MERGED)
def _take_split(
    nothing: int, purpose: int, tables: Tables, plan: Plan, work: Work, cell: Cell, r: int, left_width: int
) -> int:
    room, at, size = work.room, work.at, tables.shifts.shape[1]
    last_start = min(cell.start + LANES - 1, plan.rows[cell.v, cell.width].high)
    children = find_children(tables, plan, work.messages, work.buffer, cell, r, left_width, last_start, size)
    if children.possible:
        join_children(work.messages, tables.shifts, tables.shifts_packed, children, tables.rules[r], room, size, at)
        _use(room, size, at, purpose)
    return nothing


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
