"""A first look at eight cells: the split that was best for a neighbour is tried before all others.

Where spans differ by one observation, the best split is mostly the same. What it weighs here shows of most other splits, by
their bounds alone, that they are negligible.
"""

import numpy as np
from numba import njit

from recbayes.compiled.lanes import BORROWING, LANES, load, put, splat
from recbayes.compiled.layout import (
    BEST_RULE,
    BEST_SPLIT,
    HEIGHT,
    ORIGIN,
    cell_place,
    choice_place,
    entry_place,
    in_lane,
    message_entries,
)
from recbayes.compiled.potentials import join
from recbayes.gaussian.chart.plan import Plan
from recbayes.gaussian.chart.tables import Tables
from recbayes.gaussian.kernels.alternatives import Cell, preferred
from recbayes.gaussian.kernels.cells import EMPTY, NEGLIGIBLE, read_lane
from recbayes.gaussian.kernels.moments import HEAVY, TALL, TIE
from recbayes.gaussian.kernels.room import Room

WORTH_IT = 8  # widths from which on there are enough splits


@njit(**BORROWING)
def look_ahead(
    tables: Tables, plan: Plan, messages: np.ndarray, choices: np.ndarray, cell: Cell, room: np.ndarray, at: Room
) -> None:
    """Find for eight cells a height and a weight that one of their alternatives reaches, for the state.

    The height is a little less, since ties go to the alternative that comes first.
    """
    if cell.width < WORTH_IT:
        return
    size = tables.shifts.shape[1]
    for lane in range(LANES):
        if not _try_neighbour(tables, plan, messages, choices, cell, lane, 0, room, at) and not _try_neighbour(
            tables, plan, messages, choices, cell, lane, 1, room, at
        ):
            for entry in range(message_entries(size)):
                room[in_lane(at.one, entry, lane)] = 0.0
                room[in_lane(at.two, entry, lane)] = 0.0
            room[in_lane(at.one, HEIGHT, lane)] = -np.inf
    join(room, size, at.one, at.two, at.product, at.factor, at.pivots, at.vector, at.free)
    height = load(room, at.product)
    put(room, at.state, HEAVY, height - splat(0.5) * load(room, at.free) - splat(NEGLIGIBLE))
    for lane in range(LANES):
        tall = room[at.product + lane]
        room[in_lane(at.state, TALL, lane)] = tall - 2.0 * TIE * (1.0 + abs(tall)) if tall > -np.inf else -np.inf


@njit(**BORROWING)
def _try_neighbour(
    tables: Tables,
    plan: Plan,
    messages: np.ndarray,
    choices: np.ndarray,
    cell: Cell,
    lane: int,
    later: int,
    room: np.ndarray,
    at: Room,
) -> bool:
    """Read the children of the best split of a cell one narrower, beginning 0 or 1 later. Returns whether there is one."""
    size = tables.shifts.shape[1]
    start, end = cell.start + lane, cell.start + lane + cell.width
    row = plan.rows[cell.v, cell.width - 1]
    if start + later < row.low or start + later > row.high:
        return False
    place = choice_place(plan.choice_base[cell.v], row, start + later, size)
    r = int(choices[entry_place(place, row.length, BEST_RULE)])
    if choices[entry_place(place, row.length, ORIGIN)] == EMPTY or r < 0:
        return False
    rule, middle = tables.rules[r], int(choices[entry_place(place, row.length, BEST_SPLIT)])
    one = plan.rows[tables.links[rule.left].child, middle - start]
    two = plan.rows[tables.links[rule.right].child, end - middle]
    if start < one.low or start > one.high or middle < two.low or middle > two.high:
        return False
    left, right = cell_place(plan.link_base[rule.left], one, start), cell_place(plan.link_base[rule.right], two, middle)
    height = messages[left] + messages[right]
    if height == -np.inf:
        return False
    room[at.one + lane] = height + rule.log_probability + preferred(plan, start, end)
    room[at.two + lane] = 0.0
    shifts, packed = tables.shifts, tables.shifts_packed
    read_lane(messages, left, one.length, shifts, packed, rule.left_shift, room, at.one, lane)
    read_lane(messages, right, two.length, shifts, packed, rule.right_shift, room, at.two, lane)
    return True
