"""Compiled walks over trees: drawing them from the chart, or following given ones, with exact messages.

A walk visits a node, then its left subtree, then its right one. Going down, a node's *context* is the density of its value
given everything but its own span: the prior at the root, and for a child what its parent's context and its sibling say,
pushed through the link. Coming up, a node's message is exact, because its tree is known by then. A draw chooses among the
alternatives of a cell in proportion to their overlap with the context (see docs/explanations/posterior.md); the sibling to
the right is not yet drawn when the left child's context is needed, so the chart's matched message stands in for it.
"""

import math

import numpy as np
from numba import njit

from recbayes.compiled.lanes import BORROWING, put, splat
from recbayes.compiled.layout import cell_place, entry_place, message_entries, nth_message
from recbayes.compiled.potentials import join, join_mode
from recbayes.gaussian.chart.tables import Tables
from recbayes.gaussian.kernels.alternatives import preferred
from recbayes.gaussian.kernels.choosing import CHART, choose_alternative, draw_manner, in_any_manner
from recbayes.gaussian.kernels.contexts import chart_message, child_context, collect, lift_to_parent, spread
from recbayes.gaussian.kernels.listing import Problem
from recbayes.gaussian.kernels.places import DRAW, END, FOLLOW, GIVEN, LEFT, RIGHT, RULE, SPLIT, START, VARIABLE, Places
from recbayes.gaussian.kernels.room import Room

VISIT, BETWEEN, RETURN = 0, 1, 2  # stages of a node: on arrival, between its children, after them


@njit(**BORROWING)
def walk(
    problem: Problem,
    nodes: np.ndarray,
    first: int,
    mode: int,
    stack: np.ndarray,
    cache: np.ndarray,
    room: np.ndarray,
    at: Room,
    to: Places,
    state: np.ndarray,
) -> tuple[int, float]:
    """Draw, check or follow the subtree of node `first`, whose cell (and context, unless only followed) are given.

    Leaves node after node in `nodes`, in preorder, and their exact messages in the room. Returns the number after the last
    node and the log probability of drawing this subtree. When checking or following, rules and split points are given;
    following needs nothing of the chart but the potentials of emissions.
    """
    tables, plan, messages = problem.tables, problem.plan, problem.messages
    size = tables.shifts.shape[1]
    entries = message_entries(size)
    by_chart, flat, flatter = 0.0, 0.0, 0.0
    manner = draw_manner(state) if mode == DRAW else CHART
    following = first + 1
    stack[0, 0], stack[0, 1], depth = first, VISIT, 1
    while depth > 0:
        depth -= 1
        n, stage = stack[depth, 0], stack[depth, 1]
        start, end = nodes[START, n], nodes[END, n]
        own = nth_message(to.inner, n, size)
        if stage == VISIT and mode != FOLLOW:
            logs = choose_alternative(problem, nodes, n, mode, manner, cache, room, at, to, state)
            by_chart, flat, flatter = by_chart + logs[0], flat + logs[1], flatter + logs[2]
        r, split = nodes[RULE, n], nodes[SPLIT, n]
        if stage == VISIT and r < 0:
            e = -1 - r
            length = plan.ticks[end] - plan.ticks[start]
            row = plan.emit_rows[e, end - start]
            place = cell_place(plan.emit_base, row, start)
            given = nodes[GIVEN, n]
            for entry in range(entries):
                room[own + entry] = (
                    problem.given[given - 1, entry] if given > 0 else messages[entry_place(place, row.length, entry)]
                )
            room[own] += tables.emits[e].log_probability + problem.length_log_probability[e, length]
            room[own] += preferred(plan, start, end)
            continue
        side = 0 if stage == VISIT else 1
        if stage != RETURN:
            child = following
            following += 1
            link = tables.rules[r].left if side == 0 else tables.rules[r].right
            nodes[VARIABLE, child] = tables.links[link].child
            nodes[START, child] = start if side == 0 else split
            nodes[END, child] = split if side == 0 else end
            nodes[LEFT + side, n] = child
        if stage == VISIT:
            if mode != FOLLOW:
                right, shift = tables.rules[r].right, tables.rules[r].right_shift
                chart_message(problem, right, shift, split, end, room, at.two)
        else:
            lift_to_parent(tables, r, stage - BETWEEN, room, size, nodes[LEFT + stage - BETWEEN, n], at, to)
            spread(room, nth_message(to.upward, nodes[LEFT, n], size), at.two, entries)
        if stage == RETURN:
            spread(room, nth_message(to.upward, nodes[RIGHT, n], size), at.one, entries)
            join(room, size, at.two, at.one, at.product, at.factor, at.pivots, at.vector, at.free)
            join_mode(room, size, at.two, at.product, at.factor, at.pivots, at.vector)
            collect(room, at.product, own, entries)
            room[own] += tables.rules[r].log_probability + preferred(plan, start, end)
            continue
        if mode != FOLLOW:
            parent = nth_message(to.contexts, n, size)
            several = problem.components - 1 if stage == VISIT else 0
            child_context(tables, r, side, room, parent, at.two, several, nth_message(to.contexts, child, size), at)
        stack[depth, 0], stack[depth, 1] = n, stage + 1
        stack[depth + 1, 0], stack[depth + 1, 1] = child, VISIT
        depth += 2
    return following, in_any_manner(by_chart, flat, flatter)


@njit(**BORROWING)
def owner_of(tables: Tables, rule: int) -> int:
    """The variable that has a rule (negative: an emission)."""
    for v in range(len(tables.variables)):
        variable = tables.variables[v]
        if rule < 0 and variable.first_emit <= -1 - rule < variable.end_emit:
            return v
        if rule >= 0 and variable.first_rule <= rule < variable.end_rule:
            return v
    return 0


@njit(**BORROWING)
def log_joint(room: np.ndarray, size: int, component: int, prior: np.ndarray, dim: int, message: int, at: Room) -> float:
    """The log mass of the root's exact message under one Gaussian of the prior, its weight included."""
    entries = message_entries(size)
    spread(room, message, at.one, entries)
    for entry in range(entries):
        put(room, at.two, entry, splat(prior[entry, component]))
    join(room, size, at.one, at.two, at.product, at.factor, at.pivots, at.vector, at.free)
    return room[at.product] - 0.5 * room[at.free] + 0.5 * dim * math.log(2.0 * math.pi)
