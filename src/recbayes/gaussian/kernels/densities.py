"""Compiled algebra of densities: a log mass, a mean and a covariance S that may be singular (deterministic links).

What comes from above a node, its context, is a density; what comes from below is a potential. Layout and conventions are
those of `recbayes.compiled.potentials`.
"""

import numpy as np
from numba import njit

from recbayes.compiled.factors import backward_solve, factorise_above_one, forward_solve, root
from recbayes.compiled.lanes import BORROWING, get, load, put, splat, store
from recbayes.compiled.layout import (
    MODE,
    lanes_room,
    link_place,
    lower,
    map_from,
    offset_from,
    packed,
    precision_from,
    precision_of,
    square_entry,
    square_room,
    triangle_room,
)
from recbayes.gaussian.chart.tables import GENERAL, Tables


@njit(**BORROWING)
def weigh_density(room: np.ndarray, size: int, density: int, message: int, out: int, free: int) -> None:
    """The product of a density (log mass, mean, covariance S) with a potential (g, m, P), as a density.

    With P = M M', K = 1 + M' S M and G = S M K^-1: mean + G M' (m - mean), covariance S - G M' S, and the log mass gains
    g - log det K / 2 - (m - mean)' M K^-1 M' (m - mean) / 2. No inverse of S or P is needed. The covariance is computed as
    (1 - G M') S (1 - G M')' + G G' (Joseph's form): a difference would have no digit left, and perhaps a negative sign,
    where the potential is sharper than the density by more than 1e16.
    """
    triangle = triangle_room(size)
    determinant, pivots, apart = free, free + lanes_room(2), free + lanes_room(2 + size)
    M, K = apart + lanes_room(size), apart + lanes_room(size) + triangle
    N, SM = K + triangle, K + 2 * triangle
    S = precision_of(density, size)
    root(room, size, precision_of(message, size), M, pivots)
    for a in range(size):
        for b in range(size):
            value = splat(0.0)
            for c in range(b, size):
                value += get(room, S, packed(a, c)) * get(room, M, lower(c, b))
            put(room, SM, square_entry(a, b, size), value)
    entry = 0
    for a in range(size):
        value = splat(0.0)
        for c in range(a, size):
            value += get(room, M, lower(c, a)) * (get(room, message, MODE + c) - get(room, density, MODE + c))
        put(room, apart, a, value)
        for b in range(a + 1):
            value = splat(1.0 if a == b else 0.0)
            for c in range(a, size):
                value += get(room, M, lower(c, a)) * get(room, SM, square_entry(c, b, size))
            put(room, K, entry, value)
            entry += 1
    factorise_above_one(room, size, K, N, pivots, determinant)
    forward_solve(room, size, N, apart)
    quadratic = splat(0.0)
    for a in range(size):
        quadratic += get(room, apart, a) * get(room, apart, a) * get(room, pivots, a)
    store(
        room,
        out,
        load(room, density) + load(room, message) - splat(0.5) * (load(room, determinant) + quadratic),
    )
    backward_solve(room, size, N, pivots, apart)
    for a in range(size):
        value = get(room, density, MODE + a)
        for b in range(size):
            value += get(room, SM, square_entry(a, b, size)) * get(room, apart, b)
        put(room, out, MODE + a, value)
    G, A, AS = SM, SM + square_room(size), SM + 2 * square_room(size)
    for a in range(size):  # rows of S M become rows of G
        for b in range(size):
            put(room, apart, b, get(room, SM, square_entry(a, b, size)))
        forward_solve(room, size, N, apart)
        backward_solve(room, size, N, pivots, apart)
        for b in range(size):
            put(room, G, square_entry(a, b, size), get(room, apart, b))
    for a in range(size):  # A = 1 - G M'
        for b in range(size):
            value = splat(1.0 if a == b else 0.0)
            for c in range(b + 1):
                value -= get(room, G, square_entry(a, c, size)) * get(room, M, lower(b, c))
            put(room, A, square_entry(a, b, size), value)
    for a in range(size):
        for b in range(size):
            value = splat(0.0)
            for c in range(size):
                value += get(room, A, square_entry(a, c, size)) * get(room, S, packed(c, b))
            put(room, AS, square_entry(a, b, size), value)
    entry = precision_from(size)
    for a in range(size):
        for b in range(a + 1):
            value = splat(0.0)
            for c in range(size):
                value += get(room, AS, square_entry(a, c, size)) * get(room, A, square_entry(b, c, size))
                value += get(room, G, square_entry(a, c, size)) * get(room, G, square_entry(b, c, size))
            put(room, out, entry, value)
            entry += 1


@njit(**BORROWING)
def push_density(tables: Tables, link: int, shift: int, room: np.ndarray, density: int, out: int, free: int) -> None:
    """A parent's density as the child's: through the link's map, offset and noise, or a shift. Keeps the log mass."""
    shifts, constants = tables.shifts, tables.constants
    size = shifts.shape[1]
    begin = link_place(link, size)
    F, offset = begin + map_from(size), begin + offset_from(size)
    S = precision_of(density, size)
    store(room, out, load(room, density))
    if tables.links[link].kind == GENERAL:
        FS = free
        for a in range(size):
            value = splat(constants[offset + a])
            for b in range(size):
                value += splat(constants[F + square_entry(a, b, size)]) * get(room, density, MODE + b)
                total = splat(0.0)
                for c in range(size):
                    total += splat(constants[F + square_entry(a, c, size)]) * get(room, S, packed(c, b))
                put(room, FS, square_entry(a, b, size), total)
            put(room, out, MODE + a, value)
        entry = precision_from(size)
        for a in range(size):
            for b in range(a + 1):
                total = splat(constants[begin + square_entry(a, b, size)])
                for c in range(size):
                    total += get(room, FS, square_entry(a, c, size)) * splat(constants[F + square_entry(b, c, size)])
                put(room, out, entry, total)
                entry += 1
    else:  # the child's dimension shifts[a] is the parent's a
        for a in range(size):
            moved = shifts[shift, a]
            put(room, out, MODE + moved, get(room, density, MODE + a) + splat(constants[offset + moved]))
            for b in range(a + 1):
                other_moved = shifts[shift, b]
                noise = splat(constants[begin + square_entry(moved, other_moved, size)])
                put(room, out, precision_from(size) + packed(moved, other_moved), get(room, S, packed(a, b)) + noise)
