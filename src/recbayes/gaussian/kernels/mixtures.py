"""The compiled inside pass with several Gaussians per message.

A cell has as many alternatives as emissions, and (split point, rule, Gaussian of the left child, Gaussian of the right).
If they are more than may be kept, they are reduced (`reduction`). Each Gaussian of a message has a chart of its own; the
potentials of emissions are in the first.
"""

import math

import numpy as np
from numba import njit

from recbayes.compiled.lanes import BORROWING, KERNEL, LANES
from recbayes.compiled.layout import (
    BEST_RULE,
    BEST_SPLIT,
    ORIGIN,
    cell_place,
    choice_place,
    component_stride,
    entry_place,
    in_lane,
    link_place,
    lower,
    message_entries,
    precision_from,
)
from recbayes.gaussian.chart.plan import Plan
from recbayes.gaussian.chart.tables import Tables
from recbayes.gaussian.kernels.cells import MIXTURE
from recbayes.gaussian.kernels.links import lift
from recbayes.gaussian.kernels.listing import Problem, alternative_place, list_alternatives, rule_place
from recbayes.gaussian.kernels.reduction import reduce_alternatives, reduction_places
from recbayes.gaussian.kernels.room import Room, make_room
from recbayes.gaussian.kernels.root import meet_prior


@njit(**KERNEL)
def fill_mixtures(problem: Problem, most_alternatives: int, choices: np.ndarray, evidence: np.ndarray) -> None:
    """Fill all cells of a chart with up to `problem.components` Gaussians (at most LANES), and the log evidence.

    `problem.messages` comes with the potentials of all emissions.
    """
    tables, plan, messages, components = problem.tables, problem.plan, problem.messages, problem.components
    size, segments = tables.shifts.shape[1], len(plan.positions) - 1
    entries, stride = message_entries(size), component_stride(len(messages), components)
    at = make_room(size)
    to = reduction_places(size, at.end, components, most_alternatives)
    room = np.zeros(to.end)
    for place in range(components * stride):  # all heights are minus infinity until there is a message
        if place % stride < plan.emit_base:
            messages[place] = -math.inf
    for width in range(1, segments + 1):
        for v in range(len(tables.variables)):
            row, variable = plan.rows[v, width], tables.variables[v]
            for start in range(row.low, row.high + 1):
                if len(plan.allowed) > 0 and not plan.allowed[start, start + width]:
                    continue
                count = list_alternatives(problem, v, start, width, room, at, to.alternatives)
                if count == 0:
                    continue
                place = choice_place(plan.choice_base[v], row, start, size)
                choices[entry_place(place, row.length, ORIGIN)] = MIXTURE
                _note_best(room, size, to.alternatives, count, choices, place, row.length)
                reduce_alternatives(tables, v, room, size, count, components, at, to)
                place = cell_place(plan.inside_base[v], row, start)
                _write_components(messages, place, row.length, stride, components, room, at.result, entries)
                for link in range(variable.first_link, variable.end_link):
                    lift(room, size, tables.links[link].kind, tables.constants, link_place(link, size), at)
                    place = cell_place(plan.link_base[link], row, start)
                    _write_components(messages, place, row.length, stride, components, room, at.product, entries)
    for component in range(components):
        _add_evidence(tables, plan, messages, component * stride, evidence, room, size, at)


@njit(**BORROWING)
def _add_evidence(
    tables: Tables,
    plan: Plan,
    messages: np.ndarray,
    first: int,
    evidence: np.ndarray,
    room: np.ndarray,
    size: int,
    at: Room,
) -> None:
    """Add the mass of one Gaussian of the roots' messages, whose chart begins at `first`, to the log evidence by each
    Gaussian of the prior."""
    for c in range(0, tables.prior.shape[1], LANES):
        meet_prior(tables, plan, messages, first, c, room, size, at)
        for lane in range(LANES):
            dimension = 0.0
            for a in range(size):
                if room[in_lane(at.product, precision_from(size) + lower(a, a), lane)] > 0.0:
                    dimension += 1.0
            log_mass = room[at.product + lane] - 0.5 * room[at.free + lane] + 0.5 * dimension * math.log(2.0 * math.pi)
            evidence[c + lane] = _log_add(evidence[c + lane], log_mass)


@njit(**BORROWING)
def _log_add(one: float, two: float) -> float:
    high, low = max(one, two), min(one, two)
    return high if low == -math.inf else high + math.log1p(math.exp(low - high))


@njit(**BORROWING)
def _write_components(
    messages: np.ndarray, place: int, length: int, stride: int, components: int, room: np.ndarray, source: int, entries: int
) -> None:
    """Copy the first lanes of a message in the room to the charts of its components."""
    for component in range(components):
        for entry in range(entries):
            target = entry_place(place + component * stride, length, entry)
            messages[target] = room[in_lane(source, entry, component)]


@njit(**BORROWING)
def _note_best(
    room: np.ndarray, size: int, alternatives: int, count: int, choices: np.ndarray, place: int, length: int
) -> None:
    """Keep rule and split point of the alternative with the highest peak; ties (to rounding) go to the first."""
    best = -math.inf
    for alternative in range(count):
        height = room[alternative_place(alternatives, alternative, size)]
        if alternative == 0 or height > best + 1e-10 * (1.0 + abs(best)):
            best = height
            rule = rule_place(alternatives, alternative, size)
            choices[entry_place(place, length, BEST_RULE)] = room[rule]
            choices[entry_place(place, length, BEST_SPLIT)] = room[rule + LANES]
