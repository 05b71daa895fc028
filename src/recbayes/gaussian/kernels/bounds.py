"""How much a split can weigh at most, found from a few numbers of its children: most splits are not worth a factor.

For children g1, m1, P1 and g2, m2, P2 the product has a height of at most g1 + g2 - d' P1 (P1 + P2)^-1 P2 d / 2 with
d = m2 - m1. If k1 and k2 are no greater than the least eigenvalues of P1 and P2, that is at most

    g1 + g2 - min(k1, k2) d'd / 4,

and as the log determinant is concave, log det (P1 + P2) >= D log 2 + (log det P1 + log det P2) / 2, so that the log mass
(but for a constant) is at most that plus e1 + e2, where e = -log det P / 4 - D log 2 / 4. Of every message that went through
a link e (its *ease*) and k (its *stiffness*) are kept while the chart is filled; one that is flat has e infinite and k = 0.
"""

import math

import numpy as np
from numba import njit

from recbayes.compiled.factors import factorise, invert
from recbayes.compiled.lanes import BORROWING, INLINED, LANES, Lanes, get, lanes_sqrt, load, put, splat, store, where_greater
from recbayes.compiled.layout import (
    EASE,
    MODE,
    STIFFNESS,
    Row,
    bound_place,
    entry_place,
    lower,
    packed,
    precision_of,
    triangle_entries,
)
from recbayes.gaussian.kernels.children import Children
from recbayes.gaussian.kernels.room import Room

CAUTION = 1.0 - 1e-9  # eigenvalues are rounded down, so that the bounds are bounds


@njit(**BORROWING)
def write_bounds(bounds: np.ndarray, base: int, row: Row, start: int, room: np.ndarray, size: int, at: Room) -> None:
    """Keep what the eight messages in at.product can add to a split.

    The greatest eigenvalue of C = P^-1 is at most (tr C^8)^(1/8), and at least 0.7 of that in 16 dimensions.
    """
    zero = splat(0.0)
    factorise(room, size, precision_of(at.product, size), at.factor, at.pivots, at.free)
    ease = splat(-0.25) * load(room, at.free) - splat(0.25 * math.log(2.0) * size)
    flat = load(room, at.free + LANES)
    invert(room, size, at.factor, at.pivots, at.covariance, at.free)
    trace, total = zero, zero
    for a in range(size):
        trace += get(room, at.covariance, lower(a, a))
    for entry in range(triangle_entries(size)):  # powers of C / tr C neither overflow nor vanish
        put(room, at.covariance, entry, get(room, at.covariance, entry) / trace)
    _square(room, size, at.covariance, at.free)
    _square(room, size, at.free, at.covariance)
    for a in range(size):
        for b in range(size):
            value = get(room, at.covariance, packed(a, b))
            total += value * value
    stiffness = splat(CAUTION) / (trace * lanes_sqrt(lanes_sqrt(lanes_sqrt(total))))
    known = where_greater(flat, zero, zero, where_greater(stiffness, zero, splat(1.0), zero))
    place = bound_place(base, row, start, size)
    store(bounds, entry_place(place, row.length, EASE), where_greater(known, zero, ease, splat(np.inf)))
    store(bounds, entry_place(place, row.length, STIFFNESS), where_greater(known, zero, stiffness, zero))


@njit(**BORROWING)
def _square(room: np.ndarray, size: int, S: int, out: int) -> None:
    """out <- S S for a symmetric S; both are packed."""
    entry = 0
    for a in range(size):
        for b in range(a + 1):
            value = splat(0.0)
            for c in range(size):
                value += get(room, S, packed(a, c)) * get(room, S, packed(c, b))
            put(room, out, entry, value)
            entry += 1


@njit(**INLINED)
def both_ease(bounds: np.ndarray, children: Children) -> Lanes:
    """e1 + e2 of eight splits."""
    left = load(bounds, entry_place(children.left_bounds, children.left_length, EASE))
    return left + load(bounds, entry_place(children.right_bounds, children.right_length, EASE))


@njit(**INLINED)
def fall(messages: np.ndarray, bounds: np.ndarray, shifts: np.ndarray, children: Children, rule: Row, size: int) -> Lanes:
    """min(k1, k2) d'd / 4 of eight splits."""
    left = load(bounds, entry_place(children.left_bounds, children.left_length, STIFFNESS))
    right = load(bounds, entry_place(children.right_bounds, children.right_length, STIFFNESS))
    squared = splat(0.0)
    for a in range(size):
        one = load(messages, entry_place(children.left, children.left_length, MODE + shifts[rule.left_shift, a]))
        two = load(messages, entry_place(children.right, children.right_length, MODE + shifts[rule.right_shift, a]))
        squared += (two - one) * (two - one)
    return splat(0.25) * where_greater(left, right, right, left) * squared
