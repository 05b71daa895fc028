"""The adjoint of mixing under a reference."""

import numpy as np
from numba import njit

from recbayes.compiled.factors import sandwich
from recbayes.compiled.lanes import BORROWING, get, load, put, splat, where_greater
from recbayes.compiled.layout import (
    MODE,
    lanes_room,
    lower,
    packed,
    precision_from,
    precision_of,
    square_entry,
    square_room,
    triangle_room,
)
from recbayes.gaussian.kernels.reference import UNINFORMED, centre_moments, whiten
from recbayes.gaussian.kernels.room import Room


@njit(**BORROWING)
def divide_reference_adjoint(room: np.ndarray, size: int, at: Room, into: int, dS: int, dm: int, free: int) -> None:
    """Derivatives with respect to the matched covariance and mean under the reference, from those of the potential.

    `into` holds the derivatives with respect to the potential (g, m, P). The potential's precision, mode and height are
    functions of the matrix S of the whitened covariance: f(S) = 1/S - 1 and phi(S) = 1/(1 - S) where informed. Their
    derivatives use divided differences of f and phi in the eigenbasis (Daleckii and Krein).
    """
    triangle = triangle_room(size)
    square = square_room(size)
    G, S, U = free, free + triangle, free + 2 * triangle
    t = U + square
    GU, D, X = t + lanes_room(size), t + lanes_room(size) + square, t + lanes_room(size) + 2 * square
    z, rest = X + triangle, X + triangle + lanes_room(size)
    zero, unit, half = splat(0.0), splat(1.0), splat(0.5)
    centre_moments(room, size, at)
    whiten(room, size, at, G, S, U, t, rest)
    for a in range(size):
        for b in range(size):
            total = zero
            for c in range(a + 1):
                total += get(room, G, lower(a, c)) * get(room, U, square_entry(c, b, size))
            put(room, GU, square_entry(a, b, size), total)
    for a in range(size):  # dimensions that were left blank pass nothing on
        total = zero
        for c in range(size):
            s = get(room, S, packed(c, c))
            f = where_greater(splat(UNINFORMED), s, unit / s - unit, zero)
            total += get(room, GU, square_entry(a, c, size)) * f * get(room, GU, square_entry(a, c, size))
        known = where_greater(total, splat(1e-9) * get(room, at.reference, precision_from(size) + packed(a, a)), unit, zero)
        put(room, into, MODE + a, known * get(room, into, MODE + a))
        for b in range(size):
            entry = precision_from(size) + packed(a, b)
            put(room, into, entry, known * get(room, into, entry))
    for a in range(size):  # z <- U' G^-1 dm
        value = get(room, into, MODE + a)
        for b in range(a):
            value -= get(room, G, lower(a, b)) * get(room, D, b)
        put(room, D, a, value / get(room, G, packed(a, a)))
    for a in range(size):
        value = zero
        for b in range(size):
            value += get(room, U, square_entry(b, a, size)) * get(room, D, b)
        put(room, z, a, value)
    sandwich(room, size, GU, precision_of(into, size), X, rest)
    height = load(room, into)
    for a in range(size):
        s, mine = get(room, S, packed(a, a)), get(room, t, a)
        informed = where_greater(splat(UNINFORMED), s, unit, zero)
        for b in range(a + 1):
            other = get(room, S, packed(b, b))
            both = where_greater(splat(UNINFORMED), other, informed, zero)
            none = where_greater(informed, zero, zero, where_greater(splat(UNINFORMED), other, zero, unit))
            f_a = informed * (unit / s - unit)
            p_a = where_greater(informed, zero, unit / (unit - s), zero)
            f_b = where_greater(splat(UNINFORMED), other, unit / other - unit, zero)
            p_b = where_greater(splat(UNINFORMED), other, unit / (unit - other), zero)
            gap = s - other
            f_slope = where_greater(both, zero, zero - unit / (s * other), (f_a - f_b) / gap)
            p_slope = where_greater(both, zero, p_a * p_b, (p_a - p_b) / gap)
            f_slope, p_slope = where_greater(none, zero, zero, f_slope), where_greater(none, zero, zero, p_slope)
            mean = get(room, t, b)
            moved = half * (get(room, z, a) * mean + get(room, z, b) * mine + height * mine * mean)
            value = get(room, X, packed(a, b)) * f_slope + moved * p_slope
            if a == b:
                value -= where_greater(informed, zero, half * height / s, zero)
            put(room, X, packed(a, b), value)
    for a in range(size):  # back to the mean of x
        s = get(room, S, packed(a, a))
        p = where_greater(splat(UNINFORMED), s, unit / (unit - s), zero)
        put(room, z, a, p * (get(room, z, a) + height * get(room, t, a)))
    for a in range(size):
        value = zero
        for b in range(size):
            value += get(room, GU, square_entry(a, b, size)) * get(room, z, b)
            put(room, D, square_entry(b, a, size), get(room, GU, square_entry(a, b, size)))
        put(room, dm, a, value)
    sandwich(room, size, D, X, dS, rest)
