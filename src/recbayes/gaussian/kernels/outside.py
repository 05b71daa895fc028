"""The compiled outside pass as in the paper: one Gaussian per cell, from long spans down to short ones.

The outside message of a node is the joint density of its value and of all observations outside its span. It comes from
every parent and sibling the node may have (equations for alpha in section Marginalisation), and the mixture is matched by
one Gaussian. Here a message is a log mass, a mean and a covariance, 1 + D + D (D + 1) / 2 entries as ever; covariances may
be singular (deterministic links).
"""

import numpy as np
from numba import njit

from recbayes.compiled.lanes import (
    BORROWING,
    KERNEL,
    LANES,
    Lanes,
    any_greater,
    get,
    lanes_exp,
    lanes_log,
    load,
    put,
    splat,
    store,
    where_greater,
)
from recbayes.compiled.layout import MODE, Row, cell_place, entry_place, lanes_room, message_entries, precision_from
from recbayes.gaussian.chart.plan import Plan
from recbayes.gaussian.chart.tables import LEFT, Tables
from recbayes.gaussian.kernels.cells import blank_impossible, overlaps, read_height, read_message, within, write_message
from recbayes.gaussian.kernels.densities import push_density, weigh_density
from recbayes.gaussian.kernels.room import Room, make_room


@njit(**KERNEL)
def fill_outside(tables: Tables, plan: Plan, messages: np.ndarray, outer: np.ndarray, nodes: np.ndarray) -> None:
    """Fill `outer` (the root's cell is given) and `nodes`: masses, means and covariances of the nodes' marginals.

    Both arrays have the layout of the inside messages of all variables.
    """
    variables, rules, links = tables.variables, tables.rules, tables.links
    rows, inside_base = plan.rows, plan.inside_base
    size, segments = tables.shifts.shape[1], len(plan.positions) - 1
    entries = message_entries(size)
    at = make_room(size)
    room = np.zeros(at.end + lanes_room(4 + 4 * size + 4 * size * size))
    for width in range(segments, 0, -1):
        for v in range(len(variables)):
            row = rows[v, width]
            for start in range(row.low, row.high + 1, LANES):
                if width < segments:
                    for sweep in range(2):  # first the largest mass, then the moments
                        if sweep == 0:
                            store(room, at.weight, splat(-np.inf))
                        else:
                            _clear(room, at)
                        for r in range(len(rules)):
                            left, right = rules[r].left, rules[r].right
                            for side in range(2):
                                link = left if side == LEFT else right
                                if links[link].child != v:
                                    continue
                                other = right if side == LEFT else left
                                parent = _parent(variables, r)
                                for wide in range(width + 1, segments + 1):
                                    sibling = wide - width
                                    above = start if side == LEFT else start - sibling
                                    beside = start + width if side == LEFT else start - sibling
                                    upper, lower = rows[parent, wide], rows[links[other].child, sibling]
                                    if overlaps(upper, above) and overlaps(lower, beside):
                                        _from_parent(
                                            tables,
                                            plan,
                                            messages,
                                            outer,
                                            r,
                                            side,
                                            upper,
                                            above,
                                            wide,
                                            parent,
                                            lower,
                                            beside,
                                            room,
                                            at,
                                        )
                                        _gather(room, size, at, sweep)
                    valid = within(start, row.low, row.high)
                    _match(room, size, at, valid, entries)
                    write_message(outer, inside_base[v], row, start, room, at.result, entries)
                _node(messages, outer, inside_base[v], row, start, room, size, at)
                write_message(nodes, inside_base[v], row, start, room, at.product, entries)


@njit(**BORROWING)
def _parent(variables: np.ndarray, r: int) -> int:
    """The variable a rule belongs to."""
    for v in range(len(variables)):
        if variables[v].first_rule <= r < variables[v].end_rule:
            return v
    return -1


@njit(**BORROWING)
def _clear(room: np.ndarray, at: Room) -> None:
    put(room, at.state, 0, splat(0.0))
    for place in range(at.origin, at.weight):
        room[place] = 0.0


@njit(**BORROWING)
def _from_parent(
    tables: Tables,
    plan: Plan,
    messages: np.ndarray,
    outer: np.ndarray,
    r: int,
    side: int,
    upper: Row,
    above: int,
    wide: int,
    parent: int,
    lower: Row,
    beside: int,
    room: np.ndarray,
    at: Room,
) -> None:
    """What one rule, parent and sibling say about eight children: a density in at.product."""
    shifts, shifts_packed, rule = tables.shifts, tables.shifts_packed, tables.rules[r]
    size = shifts.shape[1]
    link, other = (rule.left, rule.right) if side == LEFT else (rule.right, rule.left)
    own_shift, other_shift = (rule.left_shift, rule.right_shift) if side == LEFT else (rule.right_shift, rule.left_shift)
    store(room, at.one, read_height(outer, plan.inside_base[parent], upper, above))
    place = cell_place(plan.inside_base[parent], upper, above)
    read_message(outer, place, upper.length, size, shifts, shifts_packed, 0, room, at.one)
    store(room, at.two, read_height(messages, plan.link_base[other], lower, beside))
    place = cell_place(plan.link_base[other], lower, beside)
    read_message(messages, place, lower.length, size, shifts, shifts_packed, other_shift, room, at.two)
    blank_impossible(room, at.one, message_entries(size))
    blank_impossible(room, at.two, message_entries(size))
    weigh_density(room, size, at.one, at.two, at.reference, at.free)
    push_density(tables, link, own_shift, room, at.reference, at.product, at.free)
    store(room, at.product, load(room, at.product) + splat(rule.log_probability))
    if len(plan.preference):
        for lane in range(LANES):
            i = min(max(above + lane, 0), len(plan.positions) - 1 - wide)
            room[at.product + lane] += plan.preference[i, i + wide]


@njit(**BORROWING)
def _gather(room: np.ndarray, size: int, at: Room, sweep: int) -> None:
    """Note the largest mass (sweep 0), or add to mass, mean and square about the first mean seen (sweep 1)."""
    weight, heaviest = load(room, at.product), load(room, at.weight)
    if sweep == 0:
        heavier = where_greater(weight, heaviest, splat(1.0), splat(0.0))
        store(room, at.weight, where_greater(heavier, splat(0.0), weight, heaviest))
        for a in range(size):  # moments are taken about the heaviest one's mean
            put(room, at.move, a, where_greater(heavier, splat(0.0), get(room, at.product, MODE + a), get(room, at.move, a)))
        return
    share = where_greater(heaviest, splat(-np.inf), lanes_exp(weight - heaviest), splat(0.0))
    put(room, at.state, 0, get(room, at.state, 0) + share)
    entry = 0
    for a in range(size):
        apart = get(room, at.product, MODE + a) - get(room, at.move, a)
        put(room, at.mean, a, get(room, at.mean, a) + share * apart)
        for b in range(a + 1):
            other = get(room, at.product, MODE + b) - get(room, at.move, b)
            more = share * (get(room, at.product, precision_from(size) + entry) + apart * other)
            put(room, at.square, entry, get(room, at.square, entry) + more)
            entry += 1


@njit(**BORROWING)
def _match(room: np.ndarray, size: int, at: Room, valid: Lanes, entries: int) -> None:
    """One density with the gathered moments, in at.result; lanes that nothing leads to get mass zero."""
    mass = get(room, at.state, 0)
    reached = where_greater(valid * mass, splat(0.0), splat(1.0), splat(0.0))
    mass = where_greater(reached, splat(0.0), mass, splat(1.0))
    store(room, at.result, load(room, at.weight) + lanes_log(mass))
    entry = 0
    for a in range(size):
        centre = get(room, at.mean, a) / mass
        put(room, at.result, MODE + a, get(room, at.move, a) + centre)
        for b in range(a + 1):
            spread = get(room, at.square, entry) / mass - centre * get(room, at.mean, b) / mass
            put(room, at.result, precision_from(size) + entry, spread)
            entry += 1
    store(room, at.result, where_greater(reached, splat(0.0), load(room, at.result), splat(-np.inf)))
    for entry in range(MODE, entries):
        put(room, at.result, entry, where_greater(reached, splat(0.0), get(room, at.result, entry), splat(0.0)))


@njit(**BORROWING)
def _node(
    messages: np.ndarray, outer: np.ndarray, base: int, row: Row, start: int, room: np.ndarray, size: int, at: Room
) -> None:
    """The product of outside and inside messages of eight nodes, in at.product: mass, mean and covariance."""
    place = cell_place(base, row, start)
    for entry in range(message_entries(size)):
        put(room, at.one, entry, load(outer, entry_place(place, row.length, entry)))
        put(room, at.two, entry, load(messages, entry_place(place, row.length, entry)))
    weigh_density(room, size, at.one, at.two, at.product, at.free)
    impossible = load(room, at.one) + load(room, at.two)
    if not any_greater(impossible, splat(-np.inf)):
        store(room, at.product, splat(-np.inf))
