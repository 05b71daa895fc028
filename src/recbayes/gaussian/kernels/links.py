"""Passing a message upwards through a link, and the adjoint: derivatives with respect to the message and the link."""

import numpy as np
from numba import njit

from recbayes.compiled.factors import backward_solve, copy, forward_solve, product, sandwich, unpack
from recbayes.compiled.lanes import BORROWING, get, load, put, splat, store, where_greater
from recbayes.compiled.layout import (
    MODE,
    in_lane,
    lanes_room,
    lower,
    map_from,
    message_room,
    offset_from,
    packed,
    precision_from,
    precision_of,
    square_entry,
    square_room,
    triangle_entries,
    triangle_room,
)
from recbayes.compiled.potentials import blur, pull_back
from recbayes.gaussian.chart.tables import GENERAL, IDENTITY
from recbayes.gaussian.kernels.cells import lane_sum
from recbayes.gaussian.kernels.derivatives import Derivatives
from recbayes.gaussian.kernels.room import Room


@njit(**BORROWING)
def lift(room: np.ndarray, size: int, kind: int, constants: np.ndarray, link: int, at: Room) -> None:
    """The message in at.result as one of a parent, in at.product: blurred by the link's noise, pulled back by its map."""
    Q, F, offset = link, link + map_from(size), link + offset_from(size)
    out = at.product
    P = precision_of(out, size)
    blur(room, size, precision_of(at.result, size), constants, Q, P, at.free)
    store(room, out, load(room, at.result) + load(room, at.free))
    for a in range(size):
        put(room, out, MODE + a, get(room, at.result, MODE + a))
    if kind != IDENTITY:
        for a in range(size):
            put(room, out, MODE + a, get(room, out, MODE + a) - splat(constants[offset + a]))
    if kind == GENERAL:
        copy(room, P, at.covariance, triangle_entries(size))
        pull_back(room, size, constants, F, at.covariance, out, at.free)
        store(room, out, load(room, out) + load(room, at.free))
    for a in range(size):
        known = get(room, P, lower(a, a))
        put(room, out, MODE + a, where_greater(known, splat(0.0), get(room, out, MODE + a), splat(0.0)))


@njit(**BORROWING)
def lift_adjoint(
    room: np.ndarray,
    size: int,
    kind: int,
    constants: np.ndarray,
    begin: int,
    slopes: np.ndarray,
    link: int,
    at: Room,
    to: Derivatives,
) -> None:
    """Add to to.into the derivatives with respect to the child's message (at.result), given those of the parent's in
    to.give, and to row `link` of the slopes those with respect to covariance, map and offset.

    Blurring: with B = 1 - P~ Q the derivatives of P~ = (P^-1 + Q)^-1 and of -log det(1 + Q P) / 2 give
    dP = B' dP~ B - dg (Q - Q P~ Q) / 2  and  dQ = - P~ dP~ P~ - dg P~ / 2.
    """
    square, triangle = square_room(size), triangle_room(size)
    blurred, dP = to.free, to.free + triangle
    A, B, C, free = dP + triangle, dP + triangle + square, dP + triangle + 2 * square, dP + triangle + 3 * square
    Q, F, offset = begin, begin + map_from(size), begin + offset_from(size)
    blur(room, size, precision_of(at.result, size), constants, Q, blurred, free)
    copy(room, precision_of(to.give, size), dP, triangle_entries(size))
    if kind == GENERAL:
        _pull_back_adjoint(room, size, constants, F, offset, slopes, link, blurred, dP, A, at, to)
    if kind != IDENTITY:
        for a in range(size):
            slopes[link, offset_from(size) + a] -= lane_sum(room, in_lane(to.give, MODE + a, 0))
    height = load(room, to.give)
    store(room, to.into, load(room, to.into) + height)
    for a in range(size):
        put(room, to.into, MODE + a, get(room, to.into, MODE + a) + get(room, to.give, MODE + a))
    unpack(room, size, blurred, A)
    for a in range(size):
        for b in range(size):
            put(room, C, square_entry(a, b, size), splat(constants[Q + square_entry(a, b, size)]))
    product(room, size, A, C, B)  # P~ Q
    half = splat(0.5)
    for a in range(size):
        for b in range(a + 1):
            value = get(room, C, square_entry(a, b, size))
            for c in range(size):
                value -= get(room, C, square_entry(a, c, size)) * get(room, B, square_entry(c, b, size))
            entry = precision_from(size) + packed(a, b)
            put(room, to.into, entry, get(room, to.into, entry) - half * height * value)
    sandwich(room, size, A, dP, C, free)
    for a in range(size):
        for b in range(size):
            put(room, to.matrix, 0, get(room, C, packed(a, b)) + half * height * get(room, blurred, packed(a, b)))
            slopes[link, square_entry(a, b, size)] -= lane_sum(room, to.matrix)
    for a in range(size):
        for b in range(size):
            put(room, B, square_entry(a, b, size), splat(1.0 if a == b else 0.0) - get(room, B, square_entry(a, b, size)))
    sandwich(room, size, B, dP, C, free)
    for entry in range(triangle_entries(size)):
        put(
            room,
            to.into,
            precision_from(size) + entry,
            get(room, to.into, precision_from(size) + entry) + get(room, C, entry),
        )


@njit(**BORROWING)
def _pull_back_adjoint(
    room: np.ndarray,
    size: int,
    constants: np.ndarray,
    F: int,
    offset: int,
    slopes: np.ndarray,
    link: int,
    P: int,
    dP: int,
    free: int,
    at: Room,
    to: Derivatives,
) -> None:
    """Turn the derivatives in to.give and dP from the parent's dimensions to the child's; add those of the map.

    With e the child's mode minus the offset, m the parent's, rest = e - F m and t = (F'PF)^+ dm:
    dP~ = sym(F t rest') - dg rest rest' / 2 + F dP F',  de = P F t - dg P rest,
    dF = P rest t' - P F t m' + dg P rest m' + 2 P F dP.
    """
    parent, spare = free, free + message_room(size)
    for a in range(size):
        put(room, parent, MODE + a, get(room, at.result, MODE + a) - splat(constants[offset + a]))
    pull_back(room, size, constants, F, P, parent, spare)
    rest = spare + lanes_room(2 + size)
    L = rest + lanes_room(3 * size)
    pivots = L + triangle_room(size)
    PF = pivots + lanes_room(size)
    for a in range(size):
        put(room, to.t, a, get(room, to.give, MODE + a))
    forward_solve(room, size, L, to.t)
    backward_solve(room, size, L, pivots, to.t)
    Ft, PFt, Pr, D = PF + square_room(size), at.vector, at.move, PF + square_room(size) + lanes_room(size)
    height = load(room, to.give)
    for a in range(size):
        value = splat(0.0)
        for b in range(size):
            value += splat(constants[F + square_entry(a, b, size)]) * get(room, to.t, b)
        put(room, Ft, a, value)
    for a in range(size):
        one, two = splat(0.0), splat(0.0)
        for b in range(size):
            one += get(room, P, packed(a, b)) * get(room, Ft, b)
            two += get(room, P, packed(a, b)) * get(room, rest, b)
        put(room, PFt, a, one)
        put(room, Pr, a, two)
    for a in range(size):
        for b in range(size):
            value = get(room, Pr, a) * (get(room, to.t, b) + height * get(room, parent, MODE + b))
            value -= get(room, PFt, a) * get(room, parent, MODE + b)
            for c in range(size):
                value += splat(2.0) * get(room, PF, square_entry(a, c, size)) * get(room, dP, packed(c, b))
            put(room, to.matrix, 0, value)
            slopes[link, map_from(size) + square_entry(a, b, size)] += lane_sum(room, to.matrix)
    for a in range(size):
        put(room, to.give, MODE + a, get(room, PFt, a) - height * get(room, Pr, a))
        for b in range(size):
            put(room, to.matrix, square_entry(b, a, size), splat(constants[F + square_entry(a, b, size)]))
    sandwich(room, size, to.matrix, dP, D, D + triangle_room(size))
    half = splat(0.5)
    entry = 0
    for a in range(size):
        for b in range(a + 1):
            mine, other = get(room, rest, a), get(room, rest, b)
            bend = get(room, Ft, a) * other + get(room, Ft, b) * mine - height * mine * other
            put(room, dP, entry, get(room, D, entry) + half * bend)
            entry += 1
