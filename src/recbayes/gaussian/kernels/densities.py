"""Compiled algebra of densities: a log mass, a mean and a covariance S that may be singular (deterministic links).

What comes from above a node, its context, is a density; what comes from below is a potential. Layout and conventions are
those of `recbayes.compiled.potentials`.
"""

from numba import njit

from recbayes.compiled.lanes import INNER, LANES, get, load, put, splat, store
from recbayes.compiled.potentials import backward_solve, factorise, forward_solve, packed, root
from recbayes.gaussian.chart.tables import GENERAL


@njit(**INNER)
def weigh_density(room, size, density, message, out, free):
    """The product of a density (log mass, mean, covariance S) with a potential (g, m, P), as a density.

    With P = M M' and K = 1 + M' S M: covariance S - S M K^-1 M' S, mean + S M K^-1 M' (m - mean), and the log mass gains
    g - log det K / 2 - (m - mean)' M K^-1 M' (m - mean) / 2. No inverse of S or P is needed.
    """
    triangle = size * (size + 1) // 2 * LANES
    determinant, pivots, apart = free, free + 2 * LANES, free + (2 + size) * LANES
    M, K = apart + size * LANES, apart + size * LANES + triangle
    N, SM = K + triangle, K + 2 * triangle
    S = density + (1 + size) * LANES
    root(room, size, message + (1 + size) * LANES, M, pivots)
    for a in range(size):
        for b in range(size):
            value = splat(0.0)
            for c in range(b, size):
                value += get(room, S, packed(a, c)) * get(room, M, c * (c + 1) // 2 + b)
            put(room, SM, a * size + b, value)
    entry = 0
    for a in range(size):
        value = splat(0.0)
        for c in range(a, size):
            value += get(room, M, c * (c + 1) // 2 + a) * (get(room, message, 1 + c) - get(room, density, 1 + c))
        put(room, apart, a, value)
        for b in range(a + 1):
            value = splat(1.0 if a == b else 0.0)
            for c in range(a, size):
                value += get(room, M, c * (c + 1) // 2 + a) * get(room, SM, c * size + b)
            put(room, K, entry, value)
            entry += 1
    factorise(room, size, K, N, pivots, determinant)
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
        value = get(room, density, 1 + a)
        for b in range(size):
            value += get(room, SM, a * size + b) * get(room, apart, b)
        put(room, out, 1 + a, value)
    for a in range(size):  # rows of S M become rows of S M N'^-1
        for b in range(size):
            value = get(room, SM, a * size + b)
            for c in range(b):
                value -= get(room, N, b * (b + 1) // 2 + c) * get(room, SM, a * size + c)
            put(room, SM, a * size + b, value)
    entry = 0
    for a in range(size):
        for b in range(a + 1):
            value = get(room, S, entry)
            for c in range(size):
                value -= get(room, SM, a * size + c) * get(room, pivots, c) * get(room, SM, b * size + c)
            put(room, out, 1 + size + entry, value)
            entry += 1


@njit(**INNER)
def push_density(tables, link, rotation, room, density, out, free):
    """A parent's density as the child's: through the link's map, offset and noise, or a rotation. Keeps the log mass."""
    turn, constants = tables.turn, tables.constants
    size = turn.shape[1]
    begin = link * (2 * size * size + size)
    F, offset = begin + size * size, begin + 2 * size * size
    S = density + (1 + size) * LANES
    store(room, out, load(room, density))
    if tables.links[link].kind == GENERAL:
        FS = free
        for a in range(size):
            value = splat(constants[offset + a])
            for b in range(size):
                value += splat(constants[F + a * size + b]) * get(room, density, 1 + b)
                total = splat(0.0)
                for c in range(size):
                    total += splat(constants[F + a * size + c]) * get(room, S, packed(c, b))
                put(room, FS, a * size + b, total)
            put(room, out, 1 + a, value)
        entry = 1 + size
        for a in range(size):
            for b in range(a + 1):
                total = splat(constants[begin + a * size + b])
                for c in range(size):
                    total += get(room, FS, a * size + c) * splat(constants[F + b * size + c])
                put(room, out, entry, total)
                entry += 1
    else:  # the child's dimension turn[a] is the parent's a
        for a in range(size):
            moved = turn[rotation, a]
            put(room, out, 1 + moved, get(room, density, 1 + a) + splat(constants[offset + moved]))
            for b in range(a + 1):
                other_moved = turn[rotation, b]
                noise = splat(constants[begin + moved * size + other_moved])
                put(room, out, 1 + size + packed(moved, other_moved), get(room, S, packed(a, b)) + noise)
