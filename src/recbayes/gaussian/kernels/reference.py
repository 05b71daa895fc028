"""Mixing potentials that are flat in different directions.

A potential that says nothing about some direction has no mean there, so moments cannot be matched. They can be matched
under a broad Gaussian reference r(x), the variable's own distribution three times as wide: multiply by r, match mass, mean
and covariance, divide r out again. In coordinates z in which r is the standard normal, let the matched covariance have
eigenvalues s: directions with s < 1 carry information, precision 1/s - 1; the others are flat.

Only cells that need it come here: series with missing entries, under rules that shift or mix dimensions.
"""

import numpy as np
from numba import njit

from recbayes.compiled.eigenvalues import diagonalise
from recbayes.compiled.factors import invert, root
from recbayes.compiled.lanes import (
    BORROWING,
    Lanes,
    get,
    lanes_exp,
    lanes_log,
    load,
    put,
    splat,
    store,
    where_greater,
)
from recbayes.compiled.layout import (
    MODE,
    lanes_room,
    lower,
    message_entries,
    packed,
    precision_from,
    precision_of,
    reference_place,
    square_entry,
    square_room,
    triangle_room,
)
from recbayes.compiled.potentials import join, join_mode
from recbayes.gaussian.kernels.cells import NEGLIGIBLE
from recbayes.gaussian.kernels.room import Room

UNINFORMED = 1.0 - 1e-9  # eigenvalues above this say nothing that the reference does not say


@njit(**BORROWING)
def start_reference(constants: np.ndarray, links: int, v: int, room: np.ndarray, at: Room, size: int) -> None:
    """Copy the variable's reference into the room and clear the moments under it, which take the place of square."""
    begin = reference_place(links, v, size)
    for entry in range(message_entries(size)):
        put(room, at.reference, entry, splat(constants[begin + entry]))
    for place in range(at.mean, at.weight):
        room[place] = 0.0
    store(room, at.weight, splat(-float("inf")))
    store(room, at.move, splat(0.0))


@njit(**BORROWING)
def weigh_under_reference(room: np.ndarray, size: int, at: Room) -> Lanes:
    """Multiply the alternative in at.product by the reference, into at.one. Returns the log of the product's mass."""
    join(room, size, at.product, at.reference, at.one, at.factor, at.pivots, at.vector, at.free)
    join_mode(room, size, at.product, at.one, at.factor, at.pivots, at.vector)
    return load(room, at.one) - splat(0.5) * load(room, at.free)


@njit(**BORROWING)
def gather_under_reference(room: np.ndarray, size: int, at: Room, gather: bool) -> None:
    """Note the largest weight of all alternatives (in at.weight); or, the second time, add up mass (in at.move), mean
    and square about the reference's mode."""
    weight = weigh_under_reference(room, size, at)
    heaviest = load(room, at.weight)
    if not gather:
        store(room, at.weight, where_greater(weight, heaviest, weight, heaviest))
        return
    share = lanes_exp(weight - heaviest)
    share = where_greater(weight, heaviest - splat(NEGLIGIBLE), share, splat(0.0))
    invert(room, size, at.factor, at.pivots, at.covariance, at.free)
    store(room, at.move, load(room, at.move) + share)
    entry = 0
    for a in range(size):
        apart = get(room, at.one, MODE + a) - get(room, at.reference, MODE + a)
        put(room, at.mean, a, get(room, at.mean, a) + share * apart)
        for b in range(a + 1):
            other = get(room, at.one, MODE + b) - get(room, at.reference, MODE + b)
            more = share * (get(room, at.covariance, entry) + apart * other)
            put(room, at.square, entry, get(room, at.square, entry) + more)
            entry += 1


@njit(**BORROWING)
def centre_moments(room: np.ndarray, size: int, at: Room) -> None:
    """Turn the gathered sums into a mean (about the reference's mode) and a covariance."""
    mass = load(room, at.move)
    for a in range(size):
        put(room, at.mean, a, get(room, at.mean, a) / mass)
    entry = 0
    for a in range(size):
        for b in range(a + 1):
            spread = get(room, at.square, entry) / mass - get(room, at.mean, a) * get(room, at.mean, b)
            put(room, at.square, entry, spread)
            entry += 1


@njit(**BORROWING)
def whiten(room: np.ndarray, size: int, at: Room, G: int, S: int, U: int, t: int, free: int) -> None:
    """Mean and covariance in the coordinates z = G' (x - mode) of the reference, whose precision is G G'.

    The covariance of z is U diag(S) U' (S is packed, its off-diagonal is rotated away) and its mean U t.
    """
    pivots, half, z = free, free + lanes_room(size), free + lanes_room(size) + square_room(size)
    root(room, size, precision_of(at.reference, size), G, pivots)
    for a in range(size):
        for b in range(size):
            value = splat(0.0)
            for c in range(b, size):
                value += get(room, at.square, packed(a, c)) * get(room, G, lower(c, b))
            put(room, half, square_entry(a, b, size), value)
    entry = 0
    for a in range(size):
        value = splat(0.0)
        for c in range(a, size):
            value += get(room, G, lower(c, a)) * get(room, at.mean, c)
        put(room, z, a, value)
        for b in range(a + 1):
            value = splat(0.0)
            for c in range(a, size):
                value += get(room, G, lower(c, a)) * get(room, half, square_entry(c, b, size))
            put(room, S, entry, value)
            entry += 1
    diagonalise(room, size, S, U)
    for a in range(size):
        value = splat(0.0)
        for b in range(size):
            value += get(room, U, square_entry(b, a, size)) * get(room, z, b)
        put(room, t, a, value)


@njit(**BORROWING)
def divide_reference(room: np.ndarray, size: int, at: Room) -> None:
    """The potential whose product with the reference has the gathered moments, into the chosen lanes of at.result."""
    height = load(room, at.weight) + lanes_log(load(room, at.move))
    centre_moments(room, size, at)
    divide_moments(room, size, height, at)


@njit(**BORROWING)
def divide_moments(room: np.ndarray, size: int, height: Lanes, at: Room) -> None:
    """Likewise, where log mass, mean (about the reference's mode, in at.mean) and covariance (at.square) are known."""
    triangle = triangle_room(size)
    G, S, U = at.free, at.free + triangle, at.free + 2 * triangle
    t = U + square_room(size)
    f, free = t + lanes_room(size), t + lanes_room(2 * size)
    zero, unit = splat(0.0), splat(1.0)
    chosen = load(room, at.chosen)
    whiten(room, size, at, G, S, U, t, free)
    for c in range(size):
        s, mean = get(room, S, packed(c, c)), get(room, t, c)
        informed = where_greater(splat(UNINFORMED), s, unit, zero)
        s = where_greater(informed, zero, s, unit)
        rest = where_greater(informed, zero, unit - s, unit)
        height += informed * (splat(0.5) * mean * mean / rest) - splat(0.5) * lanes_log(s)
        put(room, t, c, informed * mean / rest)
        put(room, f, c, unit / s - unit)
    store(room, at.result, where_greater(chosen, zero, height, load(room, at.result)))
    GU, z = free, free + square_room(size)
    for a in range(size):
        value = zero
        for b in range(size):
            value += get(room, U, square_entry(a, b, size)) * get(room, t, b)
            total = zero
            for c in range(a + 1):
                total += get(room, G, lower(a, c)) * get(room, U, square_entry(c, b, size))
            put(room, GU, square_entry(a, b, size), total)
        put(room, z, a, value)
    for a in range(size - 1, -1, -1):  # mode = reference mode + G'^-1 z
        value = get(room, z, a)
        for b in range(a + 1, size):
            value -= get(room, G, lower(b, a)) * get(room, z, b)
        put(room, z, a, value / get(room, G, packed(a, a)))
    for a in range(size):  # rounding must not turn a blank dimension into one with a little information
        total = zero
        for c in range(size):
            total += get(room, GU, square_entry(a, c, size)) * get(room, f, c) * get(room, GU, square_entry(a, c, size))
        known = where_greater(total, splat(1e-9) * get(room, at.reference, precision_from(size) + packed(a, a)), unit, zero)
        put(room, t, a, known)
        mode = known * (get(room, at.reference, MODE + a) + get(room, z, a))
        put(room, at.result, MODE + a, where_greater(chosen, zero, mode, get(room, at.result, MODE + a)))
    entry = precision_from(size)
    for a in range(size):
        for b in range(a + 1):
            total = zero
            for c in range(size):
                total += get(room, GU, square_entry(a, c, size)) * get(room, f, c) * get(room, GU, square_entry(b, c, size))
            total = total * get(room, t, a) * get(room, t, b)
            put(room, at.result, entry, where_greater(chosen, zero, total, get(room, at.result, entry)))
            entry += 1
