"""Compiled algebra of Gaussian potentials, eight at a time and safe for flat directions.

A potential is a function x -> exp(g - (x - m)' P (x - m) / 2): its log height g, a mode m and a precision P that may be
singular. Where P is flat the mode is arbitrary; by convention it is 0 in a *blank* dimension (one whose row of P is zero).
Keeping the mode, rather than P m as in the information form, means that only differences of modes are ever squared:
data with an offset of a million keeps all its digits.

All functions work in one array, the *room*: an argument such as P or m is the place where that quantity begins, and every
number of it takes LANES places, one for each of eight potentials. Symmetric matrices and triangles are packed: the lower
triangle row by row, D (D + 1) / 2 numbers. A potential is 1 + D + D (D + 1) / 2 numbers: g, m, P. (One array and whole
numbers compile several times faster than views of arrays do, and run without counting references.)

Functions named inline_... are copied into their callers. Where the dimension is a constant there, the compiler unrolls all
loops, which is worth it for the one product that is computed for every split; everything else calls the plain ones.
"""

import math

from numba import njit

from recbayes.compiled.lanes import (
    INLINED,
    INNER,
    LANES,
    get,
    lanes_log,
    lanes_sqrt,
    load,
    put,
    splat,
    store,
    where_greater,
)

GUARD = 1e-10  # a pivot below this fraction of its diagonal entry may be rounding noise: the direction counts as flat
SINGULAR = 1e300  # the code of a precision that is singular in a direction which is not a coordinate axis


@njit(**INLINED)
def packed(row, column):
    """The position of an entry of a packed symmetric matrix."""
    return row * (row + 1) // 2 + column if row >= column else column * (column + 1) // 2 + row


@njit(**INLINED)
def inline_factorise(room, size, P, L, pivots, determinant):
    """P = L diag(d) L' with unit lower L; `pivots` gets 1/d, and 0 where flat.

    `determinant` gets the log determinant without flat pivots, and the place after it a code: 0 if P is positive
    definite, another number for every set of blank dimensions, and SINGULAR if P is flat in a direction that is not a
    coordinate axis. A negative `determinant` means that neither is needed.
    """
    zero, unit, guard = splat(0.0), splat(1.0), splat(GUARD)
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
        limit = guard * diagonal
        put(room, pivots, a, where_greater(pivot, limit, unit / pivot, zero))
        scale *= where_greater(pivot, limit, pivot, unit)
        mark = where_greater(diagonal, zero, splat(SINGULAR), splat(math.sqrt(a + 2.0)))
        flat += where_greater(pivot, limit, zero, mark)
        if a % 4 == 3 and determinant >= 0:  # before the product of pivots can overflow
            log_determinant += lanes_log(scale)
            scale = unit
        row += a + 1
    if determinant >= 0:
        store(room, determinant, log_determinant + lanes_log(scale))
        store(room, determinant + LANES, flat)


@njit(**INNER)
def factorise(room, size, P, L, pivots, determinant):
    inline_factorise(room, size, P, L, pivots, determinant)


@njit(**INLINED)
def inline_forward_solve(room, size, L, x):
    """x <- L^-1 x."""
    row = 0
    for a in range(size):
        value = get(room, x, a)
        for b in range(a):
            value -= get(room, L, row + b) * get(room, x, b)
        put(room, x, a, value)
        row += a + 1


@njit(**INNER)
def forward_solve(room, size, L, x):
    inline_forward_solve(room, size, L, x)


@njit(**INLINED)
def inline_backward_solve(room, size, L, pivots, x):
    """x <- L'^-1 d^-1 x, with 0 in flat pivots."""
    for a in range(size - 1, -1, -1):
        value = get(room, x, a) * get(room, pivots, a)
        for b in range(a + 1, size):
            value -= get(room, L, b * (b + 1) // 2 + a) * get(room, x, b)
        put(room, x, a, value)


@njit(**INNER)
def backward_solve(room, size, L, pivots, x):
    inline_backward_solve(room, size, L, pivots, x)


@njit(**INLINED)
def inline_invert(room, size, L, pivots, C, free):
    """C <- (L diag(d) L')^+, with 0 in flat pivots. Needs D (D + 1) / 2 numbers of free room."""
    row = 0
    for a in range(size):  # L^-1, row by row
        for b in range(a):
            value = get(room, L, row + b)
            for c in range(b + 1, a):
                value += get(room, L, row + c) * get(room, free, c * (c + 1) // 2 + b)
            put(room, free, row + b, splat(0.0) - value)
        put(room, free, row + a, splat(1.0))
        row += a + 1
    entry = 0
    for a in range(size):  # L^-T d^-1 L^-1
        for b in range(a + 1):
            value = splat(0.0)
            for c in range(a, size):
                row = c * (c + 1) // 2
                value += get(room, free, row + a) * get(room, pivots, c) * get(room, free, row + b)
            put(room, C, entry, value)
            entry += 1


@njit(**INNER)
def invert(room, size, L, pivots, C, free):
    inline_invert(room, size, L, pivots, C, free)


@njit(**INNER)
def multiply(room, size, P, x, out):
    """out <- P x for a symmetric P."""
    for a in range(size):
        value = splat(0.0)
        for b in range(size):
            value += get(room, P, packed(a, b)) * get(room, x, b)
        put(room, out, a, value)


@njit(**INNER)
def copy(room, source, target, count):
    for number in range(count):
        put(room, target, number, get(room, source, number))


@njit(**INNER)
def choose(room, chosen, source, target, count):
    """target <- source in the lanes where `chosen` is positive."""
    for number in range(count):
        put(room, target, number, where_greater(chosen, splat(0.0), get(room, source, number), get(room, target, number)))


@njit(**INLINED)
def inline_join(room, size, one, two, out, L, pivots, v, free):
    """The product of two potentials, all but its mode. Leaves log det and flat code of its precision at `free`.

    With P = P1 + P2 and d = m2 - m1 the height falls by d' P1 P^+ P2 d / 2. The factor of P (in L and pivots) and
    L^-1 P2 d (in v) are what `join_mode` needs. The free room takes 2 + 2 D numbers.
    """
    determinant, difference, u = free, free + 2 * LANES, free + (2 + size) * LANES
    P1, P2, P = one + (1 + size) * LANES, two + (1 + size) * LANES, out + (1 + size) * LANES
    for a in range(size):
        put(room, difference, a, get(room, two, 1 + a) - get(room, one, 1 + a))
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
    inline_factorise(room, size, P, L, pivots, determinant)
    inline_forward_solve(room, size, L, u)
    inline_forward_solve(room, size, L, v)
    quadratic = splat(0.0)
    for a in range(size):
        quadratic += get(room, u, a) * get(room, v, a) * get(room, pivots, a)
    store(room, out, load(room, one) + load(room, two) - splat(0.5) * quadratic)


@njit(**INNER)
def join(room, size, one, two, out, L, pivots, v, free):
    inline_join(room, size, one, two, out, L, pivots, v, free)


@njit(**INLINED)
def inline_join_mode(room, size, one, out, L, pivots, v):
    """The mode of the product that `join` left: m1 + P^+ P2 (m2 - m1)."""
    inline_backward_solve(room, size, L, pivots, v)
    for a in range(size):
        put(room, out, 1 + a, get(room, one, 1 + a) + get(room, v, a))


@njit(**INNER)
def join_mode(room, size, one, out, L, pivots, v):
    inline_join_mode(room, size, one, out, L, pivots, v)


@njit(**INNER)
def root(room, size, P, M, pivots):
    """The lower triangular M with M M' = P; flat columns are 0."""
    factorise(room, size, P, M, pivots, -1)
    zero, unit = splat(0.0), splat(1.0)
    for b in range(size):
        inverse = get(room, pivots, b)
        scale = where_greater(inverse, zero, lanes_sqrt(unit / inverse), zero)
        for a in range(b, size):
            entry = a * (a + 1) // 2 + b
            put(room, M, entry, get(room, M, entry) * scale)


@njit(**INNER)
def blur(room, size, P, constants, Q, out, free):
    """The precision after convolution with N(0, Q): (P^-1 + Q)^-1. Leaves what the log height gains (<= 0) at `free`.

    With P = M M' it is M (1 + M' Q M)^-1 M': no inverse of P or Q is needed and nothing cancels. Q is an ordinary
    matrix among the constants. Free room: 2 + D + D * D + 3 D (D + 1) / 2 numbers.
    """
    triangle = size * (size + 1) // 2 * LANES
    gain, pivots, QM = free, free + 2 * LANES, free + (2 + size) * LANES
    M, K, N = QM + size * size * LANES, QM + size * size * LANES + triangle, QM + size * size * LANES + 2 * triangle
    root(room, size, P, M, pivots)
    for a in range(size):
        for b in range(size):
            value = splat(0.0)
            for c in range(b, size):
                value += splat(constants[Q + a * size + c]) * get(room, M, c * (c + 1) // 2 + b)
            put(room, QM, a * size + b, value)
    entry = 0
    for a in range(size):
        for b in range(a + 1):
            value = splat(1.0 if a == b else 0.0)
            for c in range(a, size):
                value += get(room, M, c * (c + 1) // 2 + a) * get(room, QM, c * size + b)
            put(room, K, entry, value)
            entry += 1
    factorise(room, size, K, N, pivots, gain)
    X = QM  # column a of N^-1 M', as row a
    for a in range(size):
        for b in range(size):
            value = get(room, M, a * (a + 1) // 2 + b) if b <= a else splat(0.0)
            for c in range(b):
                value -= get(room, N, b * (b + 1) // 2 + c) * get(room, X, a * size + c)
            put(room, X, a * size + b, value)
    entry = 0
    for a in range(size):
        for b in range(a + 1):
            value = splat(0.0)
            for c in range(size):
                value += get(room, X, a * size + c) * get(room, pivots, c) * get(room, X, b * size + c)
            put(room, out, entry, value)
            entry += 1
    store(room, gain, splat(-0.5) * load(room, gain))


@njit(**INNER)
def pull_back(room, size, constants, F, P, out, free):
    """The potential of z = F x as one of x. `out` holds the mode of z, and receives that of x; P is the precision of z.

    P_out = F' P F, P_out m = F' P z, and what F cannot reach is lost: with rest = z - F m the log height gains
    -rest' P rest / 2, which is left at `free`. One step of iterative refinement cleans the solution. Leaves the factor of
    P_out after its 2 + 4 D numbers: L, then pivots. Free room: 2 + 5 D + D * D + D (D + 1) / 2 numbers.
    """
    gain, target, rest = free, free + 2 * LANES, free + (2 + size) * LANES
    step, reached, L = rest + size * LANES, rest + 2 * size * LANES, rest + 3 * size * LANES
    pivots = L + size * (size + 1) // 2 * LANES
    PF = pivots + size * LANES
    P_out = out + (1 + size) * LANES
    for a in range(size):
        for b in range(size):
            value = splat(0.0)
            for c in range(size):
                value += get(room, P, packed(a, c)) * splat(constants[F + c * size + b])
            put(room, PF, a * size + b, value)
    entry = 0
    for a in range(size):
        for b in range(a + 1):
            value = splat(0.0)
            for c in range(size):
                value += splat(constants[F + c * size + a]) * get(room, PF, c * size + b)
            put(room, P_out, entry, value)
            entry += 1
    factorise(room, size, P_out, L, pivots, -1)
    copy(room, out + LANES, target, size)
    copy(room, out + LANES, rest, size)
    for a in range(size):
        put(room, out, 1 + a, splat(0.0))
    for _ in range(2):
        for a in range(size):
            value = splat(0.0)
            for b in range(size):
                value += get(room, PF, b * size + a) * get(room, rest, b)
            put(room, step, a, value)
        forward_solve(room, size, L, step)
        backward_solve(room, size, L, pivots, step)
        for a in range(size):
            put(room, out, 1 + a, get(room, out, 1 + a) + get(room, step, a))
        for a in range(size):
            value = get(room, target, a)
            for b in range(size):
                value -= splat(constants[F + a * size + b]) * get(room, out, 1 + b)
            put(room, rest, a, value)
    multiply(room, size, P, rest, reached)
    value = splat(0.0)
    for a in range(size):
        value -= splat(0.5) * get(room, rest, a) * get(room, reached, a)
    store(room, gain, value)


@njit(**INNER)
def unpack(room, size, P, full):
    """An ordinary matrix, row by row, from a packed symmetric one."""
    for a in range(size):
        for b in range(size):
            put(room, full, a * size + b, get(room, P, packed(a, b)))


@njit(**INNER)
def product(room, size, A, B, out):
    """out <- A B for ordinary matrices."""
    for a in range(size):
        for b in range(size):
            value = splat(0.0)
            for c in range(size):
                value += get(room, A, a * size + c) * get(room, B, c * size + b)
            put(room, out, a * size + b, value)


@njit(**INNER)
def sandwich(room, size, A, S, out, free):
    """out <- A' S A, packed, for an ordinary matrix A and a packed S. Needs D * D numbers of free room."""
    for a in range(size):
        for b in range(size):
            value = splat(0.0)
            for c in range(size):
                value += get(room, S, packed(a, c)) * get(room, A, c * size + b)
            put(room, free, a * size + b, value)
    entry = 0
    for a in range(size):
        for b in range(a + 1):
            value = splat(0.0)
            for c in range(size):
                value += get(room, A, c * size + a) * get(room, free, c * size + b)
            put(room, out, entry, value)
            entry += 1


@njit(**INNER)
def join_adjoint(room, size, one, product, push, t, give):
    """Derivatives with respect to one factor of a product of potentials, into `give`.

    `push` holds those with respect to the product (g, m, P), t = P^+ times the one of m, and `product` the product's mode.
    With a = m1 - m:  dP1 = dP + sym(t a') - dg a a' / 2,  dm1 = P1 (t - dg a),  dg1 = dg.
    """
    height = load(room, push)
    store(room, give, height)
    for a in range(size):
        value = splat(0.0)
        for b in range(size):
            apart = get(room, one, 1 + b) - get(room, product, 1 + b)
            value += get(room, one, 1 + size + packed(a, b)) * (get(room, t, b) - height * apart)
        put(room, give, 1 + a, value)
    half = splat(0.5)
    entry = 1 + size
    for a in range(size):
        mine = get(room, one, 1 + a) - get(room, product, 1 + a)
        for b in range(a + 1):
            other = get(room, one, 1 + b) - get(room, product, 1 + b)
            bend = get(room, t, a) * other + get(room, t, b) * mine - height * mine * other
            put(room, give, entry, get(room, push, entry) + half * bend)
            entry += 1


@njit(**INNER)
def mixture_adjoint(room, size, share, mode, C, centre, dS, dm, constant, push, T):
    """Derivatives with respect to one alternative of a mixture that was matched by its moments, into `push`.

    The mixture has mean `centre` and covariance S; dm and dS are the derivatives with respect to them, and `constant` is
    that with respect to the log mass minus tr(dS S). With d = mode - centre, the alternative's weight w receives
    share (constant + dm'd + tr(dS C) + d'dS d), its mode share (dm + 2 dS d), its precision - share C dS C - dw C / 2.
    """
    total = load(room, constant)
    for a in range(size):
        mine = get(room, mode, a) - get(room, centre, a)
        value = splat(0.0)
        for b in range(size):
            other = get(room, mode, b) - get(room, centre, b)
            value += get(room, dS, packed(a, b)) * other
            entry = splat(0.0)
            for c in range(size):
                entry += get(room, C, packed(a, c)) * get(room, dS, packed(c, b))
            put(room, T, a * size + b, entry)
        total += mine * (get(room, dm, a) + value) + get(room, T, a * size + a)
        put(room, push, 1 + a, share * (get(room, dm, a) + value + value))
    weight = share * total
    store(room, push, weight)
    entry = 0
    for a in range(size):
        for b in range(a + 1):
            value = splat(0.0)
            for c in range(size):
                value += get(room, T, a * size + c) * get(room, C, packed(c, b))
            put(room, push, 1 + size + entry, splat(-0.5) * weight * get(room, C, entry) - share * value)
            entry += 1
    for number in range(1 + size + size * (size + 1) // 2):  # lanes without a share may hold anything
        put(room, push, number, where_greater(share, splat(0.0), get(room, push, number), splat(0.0)))
