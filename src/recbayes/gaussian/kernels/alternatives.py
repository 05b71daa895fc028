"""The alternatives of a cell, enumerated in one place: emissions of its whole span, then split points, and rules at each.

This is the order that settles ties. What is done with an alternative is for the caller to say: a kernel passes two compiled
functions, and the walk is compiled for each pair of them. The inside pass and its adjoint take eight starts at once, a list
of alternatives one; the enumeration is the same.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from recbayes.compiled.lanes import BORROWING, LANES, MERGED, Lanes, load
from recbayes.compiled.layout import Row
from recbayes.gaussian.chart.plan import Plan
from recbayes.gaussian.chart.tables import Tables
from recbayes.gaussian.kernels.cells import within
from recbayes.tree.known import NODE


class Cell(NamedTuple):
    """A variable and a span; for kernels that take eight starts at once, the first of them."""

    v: int
    width: int
    start: int


@njit(**MERGED)
def visit_alternatives(
    tables: Tables, plan: Plan, cell: Cell, on_emission: Callable, on_split: Callable, state: Any, task: Any, work: Any
) -> Any:
    """Go through all alternatives of a cell, and return the last state.

    Calls state = on_emission(state, task, tables, plan, work, cell, e) for every emission e of the cell's variable, and
    state = on_split(state, task, tables, plan, work, cell, r, left_width) for every width of the left child and rule r. What
    is possible is for them to find out: some of these spans may have no cell, or no message.
    """
    variable = tables.variables[cell.v]
    for e in range(variable.first_emit, variable.end_emit):
        state = on_emission(state, task, tables, plan, work, cell, e)
    narrowest, widest = cell.width, 0
    for r in range(variable.first_rule, variable.end_rule):
        first, last = left_widths(tables.rules, tables.links, plan.shortest, plan.longest, r, cell.width)
        narrowest, widest = min(narrowest, first), max(widest, last)
    for left_width in range(narrowest, widest + 1):
        for r in range(variable.first_rule, variable.end_rule):
            state = on_split(state, task, tables, plan, work, cell, r, left_width)
    return state


@njit(**BORROWING)
def left_widths(
    rules: np.ndarray, links: np.ndarray, shortest: np.ndarray, longest: np.ndarray, r: int, width: int
) -> tuple[int, int]:
    """The smallest and largest width of the left child when rule r divides a span."""
    b, c = links[rules[r].left].child, links[rules[r].right].child
    return max(shortest[b], width - longest[c]), min(longest[b], width - shortest[c])


@njit(**BORROWING)
def may_be_leaf(allowed: np.ndarray, start: int, end: int) -> bool:
    """Whether the user lets a span be a leaf."""
    return len(allowed) == 0 or allowed[start, end] == NODE


@njit(**BORROWING)
def preferred(plan: Plan, start: int, end: int) -> float:
    """What the user adds to the log probability of trees with this node."""
    return plan.preference[start, end] if len(plan.preference) else 0.0


@njit(**BORROWING)
def allowed_lanes(allowed: np.ndarray, row: Row, width: int, start: int, buffer: np.ndarray) -> Lanes:
    """1 in the lanes whose cells are in the row and allowed by the user."""
    valid = within(start, row.low, row.high)
    if len(allowed):
        for lane in range(LANES):
            i = start + lane
            buffer[lane] = 1.0 if i <= row.high and allowed[i, i + width] else 0.0
        valid = valid * load(buffer, 0)
    return valid
