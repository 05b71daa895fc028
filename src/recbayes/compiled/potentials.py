"""Compiled algebra of Gaussian potentials, eight at a time and safe for flat directions.

A potential is a function x -> exp(g - (x - m)' P (x - m) / 2): its log height g, a mode m and a precision P that may be
singular. Where P is flat the mode is arbitrary; by convention it is 0 in a *blank* dimension (one whose row of P is zero).
Keeping the mode, rather than P m as in the information form, means that only differences of modes are ever squared:
data with an offset of a million keeps all its digits.

Potentials are messages in the room (`recbayes.compiled.layout`), and arguments the places where they begin; for functions
named inline_... see `recbayes.compiled.factors`.
"""

import numpy as np
from numba import njit

from recbayes.compiled.factors import (
    GUARD,
    backward_solve,
    copy,
    factorise,
    factorise_above_one,
    forward_solve,
    inline_backward_solve,
    inline_forward_solve,
    inline_pivots,
    multiply,
    root,
)
from recbayes.compiled.lanes import BORROWING, INLINED, Lanes, get, lanes_log, load, put, splat, store
from recbayes.compiled.layout import (
    MODE,
    lanes_room,
    lower,
    mode_of,
    packed,
    precision_of,
    square_entry,
    square_room,
    triangle_room,
)


@njit(**INLINED)
def inline_join(room: np.ndarray, size: int, one: int, two: int, out: int, L: int, pivots: int, v: int, free: int) -> None:
    """The product of two potentials, all but its mode. Leaves log det and flat code of its precision at `free`.

    With P = P1 + P2 and d = m2 - m1 the height falls by d' P1 P^+ P2 d / 2. The factor of P (in L and pivots) and
    L^-1 P2 d (in v) are what `join_mode` needs. The free room takes 2 + 2 D entries.
    """
    scale, log_determinant, flat = inline_multiply(room, size, one, two, out, L, pivots, v, free, True)
    store(room, free, log_determinant + lanes_log(scale))
    store(room, free + lanes_room(1), flat)


@njit(**INLINED)
def inline_multiply(
    room: np.ndarray, size: int, one: int, two: int, out: int, L: int, pivots: int, v: int, free: int, many: bool
) -> tuple[Lanes, Lanes, Lanes]:
    """Likewise, but returns what `inline_pivots` does."""
    difference, u = free + lanes_room(2), free + lanes_room(2 + size)
    P1, P2, P = precision_of(one, size), precision_of(two, size), precision_of(out, size)
    for a in range(size):
        put(room, difference, a, get(room, two, MODE + a) - get(room, one, MODE + a))
    row = 0
    for a in range(size):
        left, right = splat(0.0), splat(0.0)
        mine = get(room, difference, a)
        for b in range(a):
            x, y = get(room, P1, row + b), get(room, P2, row + b)
            put(room, P, row + b, x + y)
            other = get(room, difference, b)
            left += x * other
            right += y * other
            put(room, u, b, get(room, u, b) + x * mine)
            put(room, v, b, get(room, v, b) + y * mine)
        x, y = get(room, P1, row + a), get(room, P2, row + a)
        put(room, P, row + a, x + y)
        put(room, u, a, left + x * mine)
        put(room, v, a, right + y * mine)
        row += a + 1
    found = inline_pivots(room, size, P, L, pivots, GUARD, 0.0, many)
    inline_forward_solve(room, size, L, u)
    inline_forward_solve(room, size, L, v)
    quadratic = splat(0.0)
    for a in range(size):
        quadratic += get(room, u, a) * get(room, v, a) * get(room, pivots, a)
    store(room, out, load(room, one) + load(room, two) - splat(0.5) * quadratic)
    return found


@njit(**BORROWING)
def join(room: np.ndarray, size: int, one: int, two: int, out: int, L: int, pivots: int, v: int, free: int) -> None:
    inline_join(room, size, one, two, out, L, pivots, v, free)


@njit(**INLINED)
def inline_join_mode(room: np.ndarray, size: int, one: int, out: int, L: int, pivots: int, v: int) -> None:
    """The mode of the product that `join` left: m1 + P^+ P2 (m2 - m1)."""
    inline_backward_solve(room, size, L, pivots, v)
    for a in range(size):
        put(room, out, MODE + a, get(room, one, MODE + a) + get(room, v, a))


@njit(**BORROWING)
def join_mode(room: np.ndarray, size: int, one: int, out: int, L: int, pivots: int, v: int) -> None:
    inline_join_mode(room, size, one, out, L, pivots, v)


@njit(**BORROWING)
def blur(room: np.ndarray, size: int, P: int, constants: np.ndarray, Q: int, out: int, free: int) -> None:
    """The precision after convolution with N(0, Q): (P^-1 + Q)^-1. Leaves what the log height gains (<= 0) at `free`.

    With P = M M' it is M (1 + M' Q M)^-1 M': no inverse of P or Q is needed and nothing cancels. Q is an ordinary
    matrix among the constants. Free room: 2 + D + D * D + 3 D (D + 1) / 2 entries.
    """
    triangle = triangle_room(size)
    gain, pivots, QM = free, free + lanes_room(2), free + lanes_room(2 + size)
    M, K, N = (
        QM + square_room(size),
        QM + square_room(size) + triangle,
        QM + square_room(size) + 2 * triangle,
    )
    root(room, size, P, M, pivots)
    for a in range(size):
        for b in range(size):
            value = splat(0.0)
            for c in range(b, size):
                value += splat(constants[Q + square_entry(a, c, size)]) * get(room, M, lower(c, b))
            put(room, QM, square_entry(a, b, size), value)
    entry = 0
    for a in range(size):
        for b in range(a + 1):
            value = splat(1.0 if a == b else 0.0)
            for c in range(a, size):
                value += get(room, M, lower(c, a)) * get(room, QM, square_entry(c, b, size))
            put(room, K, entry, value)
            entry += 1
    factorise_above_one(room, size, K, N, pivots, gain)
    X = QM  # column a of N^-1 M', as row a
    for a in range(size):
        for b in range(size):
            value = get(room, M, lower(a, b)) if b <= a else splat(0.0)
            for c in range(b):
                value -= get(room, N, lower(b, c)) * get(room, X, square_entry(a, c, size))
            put(room, X, square_entry(a, b, size), value)
    entry = 0
    for a in range(size):
        for b in range(a + 1):
            value = splat(0.0)
            for c in range(size):
                value += (
                    get(room, X, square_entry(a, c, size)) * get(room, pivots, c) * get(room, X, square_entry(b, c, size))
                )
            put(room, out, entry, value)
            entry += 1
    store(room, gain, splat(-0.5) * load(room, gain))


@njit(**BORROWING)
def pull_back(room: np.ndarray, size: int, constants: np.ndarray, F: int, P: int, out: int, free: int) -> None:
    """The potential of z = F x as one of x. `out` holds the mode of z, and receives that of x; P is the precision of z.

    P_out = F' P F, P_out m = F' P z, and what F cannot reach is lost: with rest = z - F m the log height gains
    -rest' P rest / 2, which is left at `free`. One step of iterative refinement cleans the solution. Leaves the factor of
    P_out after its 2 + 4 D entries: L, then pivots. Free room: 2 + 5 D + D * D + D (D + 1) / 2 entries.
    """
    gain, target, rest = free, free + lanes_room(2), free + lanes_room(2 + size)
    step, reached, L = rest + lanes_room(size), rest + lanes_room(2 * size), rest + lanes_room(3 * size)
    pivots = L + triangle_room(size)
    PF = pivots + lanes_room(size)
    P_out = precision_of(out, size)
    for a in range(size):
        for b in range(size):
            value = splat(0.0)
            for c in range(size):
                value += get(room, P, packed(a, c)) * splat(constants[F + square_entry(c, b, size)])
            put(room, PF, square_entry(a, b, size), value)
    entry = 0
    for a in range(size):
        for b in range(a + 1):
            value = splat(0.0)
            for c in range(size):
                value += splat(constants[F + square_entry(c, a, size)]) * get(room, PF, square_entry(c, b, size))
            put(room, P_out, entry, value)
            entry += 1
    factorise(room, size, P_out, L, pivots, -1)
    copy(room, mode_of(out), target, size)
    copy(room, mode_of(out), rest, size)
    for a in range(size):
        put(room, out, MODE + a, splat(0.0))
    for _ in range(2):
        for a in range(size):
            value = splat(0.0)
            for b in range(size):
                value += get(room, PF, square_entry(b, a, size)) * get(room, rest, b)
            put(room, step, a, value)
        forward_solve(room, size, L, step)
        backward_solve(room, size, L, pivots, step)
        for a in range(size):
            put(room, out, MODE + a, get(room, out, MODE + a) + get(room, step, a))
        for a in range(size):
            value = get(room, target, a)
            for b in range(size):
                value -= splat(constants[F + square_entry(a, b, size)]) * get(room, out, MODE + b)
            put(room, rest, a, value)
    multiply(room, size, P, rest, reached)
    value = splat(0.0)
    for a in range(size):
        value -= splat(0.5) * get(room, rest, a) * get(room, reached, a)
    store(room, gain, value)
