"""Compiled algebra of small matrices, eight at a time: factors, solutions, inverses and roots that may be singular.

All functions work in one array, the *room*: an argument such as P or x is the place where that quantity begins, and every
number of it takes LANES places (`recbayes.compiled.layout`). Symmetric matrices and triangles are packed, ordinary ones are
kept row by row. (One array and whole numbers compile several times faster than views of arrays do, and run without counting
references.)

Functions named inline_... are copied into their callers. Where the dimension is a constant there, the compiler unrolls all
loops, which is worth it for the one product that is computed for every split; everything else calls the plain ones.
"""

import math

import numpy as np
from numba import njit

from recbayes.compiled.lanes import (
    BORROWING,
    INLINED,
    LANES,
    Lanes,
    get,
    lanes_log,
    lanes_sqrt,
    put,
    splat,
    store,
    where_greater,
)
from recbayes.compiled.layout import lower, packed, square_entry

GUARD = 1e-10  # a pivot below this fraction of its diagonal entry may be rounding noise: the direction counts as flat
ROUNDING = 1e-14  # a pivot below this fraction of its diagonal entry is nothing but rounding
SINGULAR = 1e300  # the code of a precision that is singular in a direction which is not a coordinate axis


@njit(**INLINED)
def inline_factorise(
    room: np.ndarray, size: int, P: int, L: int, pivots: int, determinant: int, fraction: float, least: float
) -> None:
    """P = L diag(d) L' with unit lower L; `pivots` gets 1/d, and 0 where flat (or 1, if the `least` that d can be is 1).

    Flat are pivots below a fraction of their diagonal entries.

    `determinant` gets the log determinant without flat pivots, and the place after it a code: 0 if P is positive
    definite, another number for every set of blank dimensions, and SINGULAR if P is flat in a direction that is not a
    coordinate axis. A negative `determinant` means that neither is needed.
    """
    scale, log_determinant, flat = inline_pivots(room, size, P, L, pivots, fraction, least, determinant >= 0)
    if determinant >= 0:
        store(room, determinant, log_determinant + lanes_log(scale))
        store(room, determinant + LANES, flat)


@njit(**INLINED)
def inline_pivots(
    room: np.ndarray, size: int, P: int, L: int, pivots: int, fraction: float, least: float, many: bool
) -> tuple[Lanes, Lanes, Lanes]:
    """Likewise, and returns the determinant, the logarithm of what was taken out of it, and the code.

    Only if there are `many` dimensions something is taken out, before the product of pivots can overflow.
    """
    zero, unit, guard = splat(0.0), splat(1.0), splat(fraction)
    scale, log_determinant, flat = unit, zero, zero
    row = 0
    for a in range(size):
        diagonal = get(room, P, row + a)
        pivot = diagonal
        other = 0
        for b in range(a):  # row a first holds L d, and is divided by d at the end
            value = get(room, P, row + b)
            for c in range(b):
                value -= get(room, L, row + c) * get(room, L, other + c)
            put(room, L, row + b, value)
            other += b + 1
        for b in range(a):
            value = get(room, L, row + b)
            scaled = value * get(room, pivots, b)
            put(room, L, row + b, scaled)
            pivot -= value * scaled
        put(room, L, row + a, unit)
        limit = guard * diagonal + splat(least)
        put(room, pivots, a, where_greater(pivot, limit, unit / pivot, splat(least)))
        scale *= where_greater(pivot, limit, pivot, unit)
        mark = where_greater(diagonal, zero, splat(SINGULAR), splat(math.sqrt(a + 2.0)))
        flat += where_greater(pivot, limit, zero, mark)
        if a % 4 == 3 and many:
            log_determinant += lanes_log(scale)
            scale = unit
        row += a + 1
    return scale, log_determinant, flat


@njit(**BORROWING)
def factorise(room: np.ndarray, size: int, P: int, L: int, pivots: int, determinant: int) -> None:
    inline_factorise(room, size, P, L, pivots, determinant, GUARD, 0.0)


@njit(**BORROWING)
def factorise_above_one(room: np.ndarray, size: int, P: int, L: int, pivots: int, determinant: int) -> None:
    """Likewise for P = 1 + something positive semidefinite: no direction of it is flat, and no pivot below one."""
    inline_factorise(room, size, P, L, pivots, determinant, ROUNDING, 1.0)


@njit(**BORROWING)
def factorise_covariance(room: np.ndarray, size: int, P: int, L: int, pivots: int, determinant: int) -> None:
    """Likewise for a covariance: where others are nearly flat a direction may vary very little, and still does."""
    inline_factorise(room, size, P, L, pivots, determinant, ROUNDING, 0.0)


@njit(**INLINED)
def inline_forward_solve(room: np.ndarray, size: int, L: int, x: int) -> None:
    """x <- L^-1 x."""
    row = 0
    for a in range(size):
        value = get(room, x, a)
        for b in range(a):
            value -= get(room, L, row + b) * get(room, x, b)
        put(room, x, a, value)
        row += a + 1


@njit(**BORROWING)
def forward_solve(room: np.ndarray, size: int, L: int, x: int) -> None:
    inline_forward_solve(room, size, L, x)


@njit(**INLINED)
def inline_backward_solve(room: np.ndarray, size: int, L: int, pivots: int, x: int) -> None:
    """x <- L'^-1 d^-1 x, with 0 in flat pivots."""
    for a in range(size - 1, -1, -1):
        value = get(room, x, a) * get(room, pivots, a)
        for b in range(a + 1, size):
            value -= get(room, L, lower(b, a)) * get(room, x, b)
        put(room, x, a, value)


@njit(**BORROWING)
def backward_solve(room: np.ndarray, size: int, L: int, pivots: int, x: int) -> None:
    inline_backward_solve(room, size, L, pivots, x)


@njit(**INLINED)
def inline_invert(room: np.ndarray, size: int, L: int, pivots: int, C: int, free: int) -> None:
    """C <- (L diag(d) L')^+, with 0 in flat pivots. Needs D (D + 1) / 2 entries of free room."""
    row = 0
    for a in range(size):  # L^-1, row by row
        for b in range(a):
            value = get(room, L, row + b)
            for c in range(b + 1, a):
                value += get(room, L, row + c) * get(room, free, lower(c, b))
            put(room, free, row + b, splat(0.0) - value)
        put(room, free, row + a, splat(1.0))
        row += a + 1
    entry = 0
    for a in range(size):  # L^-T d^-1 L^-1
        for b in range(a + 1):
            value = splat(0.0)
            for c in range(a, size):
                row = lower(c, 0)
                value += get(room, free, row + a) * get(room, pivots, c) * get(room, free, row + b)
            put(room, C, entry, value)
            entry += 1


@njit(**BORROWING)
def invert(room: np.ndarray, size: int, L: int, pivots: int, C: int, free: int) -> None:
    inline_invert(room, size, L, pivots, C, free)


@njit(**BORROWING)
def root(room: np.ndarray, size: int, P: int, M: int, pivots: int) -> None:
    """The lower triangular M with M M' = P; flat columns are 0."""
    factorise(room, size, P, M, pivots, -1)
    zero, unit = splat(0.0), splat(1.0)
    for b in range(size):
        inverse = get(room, pivots, b)
        scale = where_greater(inverse, zero, lanes_sqrt(unit / inverse), zero)
        for a in range(b, size):
            entry = lower(a, b)
            put(room, M, entry, get(room, M, entry) * scale)


@njit(**BORROWING)
def multiply(room: np.ndarray, size: int, P: int, x: int, out: int) -> None:
    """out <- P x for a symmetric P."""
    for a in range(size):
        value = splat(0.0)
        for b in range(size):
            value += get(room, P, packed(a, b)) * get(room, x, b)
        put(room, out, a, value)


@njit(**BORROWING)
def unpack(room: np.ndarray, size: int, P: int, full: int) -> None:
    """An ordinary matrix, row by row, from a packed symmetric one."""
    for a in range(size):
        for b in range(size):
            put(room, full, square_entry(a, b, size), get(room, P, packed(a, b)))


@njit(**BORROWING)
def product(room: np.ndarray, size: int, A: int, B: int, out: int) -> None:
    """out <- A B for ordinary matrices."""
    for a in range(size):
        for b in range(size):
            value = splat(0.0)
            for c in range(size):
                value += get(room, A, square_entry(a, c, size)) * get(room, B, square_entry(c, b, size))
            put(room, out, square_entry(a, b, size), value)


@njit(**BORROWING)
def sandwich(room: np.ndarray, size: int, A: int, S: int, out: int, free: int) -> None:
    """out <- A' S A, packed, for an ordinary matrix A and a packed S. Needs D * D entries of free room."""
    for a in range(size):
        for b in range(size):
            value = splat(0.0)
            for c in range(size):
                value += get(room, S, packed(a, c)) * get(room, A, square_entry(c, b, size))
            put(room, free, square_entry(a, b, size), value)
    entry = 0
    for a in range(size):
        for b in range(a + 1):
            value = splat(0.0)
            for c in range(size):
                value += get(room, A, square_entry(c, a, size)) * get(room, free, square_entry(c, b, size))
            put(room, out, entry, value)
            entry += 1


@njit(**BORROWING)
def copy(room: np.ndarray, source: int, target: int, count: int) -> None:
    for number in range(count):
        put(room, target, number, get(room, source, number))


@njit(**BORROWING)
def choose(room: np.ndarray, chosen: Lanes, source: int, target: int, count: int) -> None:
    """target <- source in the lanes where `chosen` is positive."""
    for number in range(count):
        put(room, target, number, where_greater(chosen, splat(0.0), get(room, source, number), get(room, target, number)))
