"""The adjoint of passing a message upwards through a link: derivatives with respect to the message and the link."""

from numba import njit

from recbayes.compiled.lanes import (
    INNER,
    LANES,
    get,
    load,
    put,
    splat,
    store,
)
from recbayes.compiled.potentials import (
    backward_solve,
    blur,
    copy,
    forward_solve,
    packed,
    product,
    pull_back,
    sandwich,
    unpack,
)
from recbayes.gaussian.chart.tables import GENERAL, IDENTITY


@njit(**INNER)
def lift_adjoint(room, size, kind, constants, begin, gradients, link, at, to):
    """Add to to.into the derivatives with respect to the child's message (at.result), given those of the parent's in
    to.give, and to row `link` of the gradients those with respect to covariance, map and offset.

    Blurring: with B = 1 - P~ Q the derivatives of P~ = (P^-1 + Q)^-1 and of -log det(1 + Q P) / 2 give
    dP = B' dP~ B - dg (Q - Q P~ Q) / 2  and  dQ = - P~ dP~ P~ - dg P~ / 2.
    """
    square, triangle = size * size * LANES, size * (size + 1) // 2 * LANES
    blurred, dP = to.free, to.free + triangle
    A, B, C, free = dP + triangle, dP + triangle + square, dP + triangle + 2 * square, dP + triangle + 3 * square
    Q, F, offset = begin, begin + size * size, begin + 2 * size * size
    blur(room, size, at.result + (1 + size) * LANES, constants, Q, blurred, free)
    copy(room, to.give + (1 + size) * LANES, dP, size * (size + 1) // 2)
    if kind == GENERAL:
        _pull_back_adjoint(room, size, constants, F, offset, gradients, link, blurred, dP, A, at, to)
    if kind != IDENTITY:
        for a in range(size):
            gradients[link, 2 * size * size + a] -= _sum(room, to.give + (1 + a) * LANES)
    height = load(room, to.give)
    store(room, to.into, load(room, to.into) + height)
    for a in range(size):
        put(room, to.into, 1 + a, get(room, to.into, 1 + a) + get(room, to.give, 1 + a))
    unpack(room, size, blurred, A)
    for a in range(size):
        for b in range(size):
            put(room, C, a * size + b, splat(constants[Q + a * size + b]))
    product(room, size, A, C, B)  # P~ Q
    half = splat(0.5)
    for a in range(size):
        for b in range(a + 1):
            value = get(room, C, a * size + b)
            for c in range(size):
                value -= get(room, C, a * size + c) * get(room, B, c * size + b)
            entry = 1 + size + packed(a, b)
            put(room, to.into, entry, get(room, to.into, entry) - half * height * value)
    sandwich(room, size, A, dP, C, free)
    for a in range(size):
        for b in range(size):
            put(room, to.matrix, 0, get(room, C, packed(a, b)) + half * height * get(room, blurred, packed(a, b)))
            gradients[link, a * size + b] -= _sum(room, to.matrix)
    for a in range(size):
        for b in range(size):
            put(room, B, a * size + b, splat(1.0 if a == b else 0.0) - get(room, B, a * size + b))
    sandwich(room, size, B, dP, C, free)
    for entry in range(size * (size + 1) // 2):
        put(room, to.into, 1 + size + entry, get(room, to.into, 1 + size + entry) + get(room, C, entry))


@njit(**INNER)
def _pull_back_adjoint(room, size, constants, F, offset, gradients, link, P, dP, free, at, to):
    """Turn the derivatives in to.give and dP from the parent's dimensions to the child's; add those of the map.

    With e the child's mode minus the offset, m the parent's, rest = e - F m and t = (F'PF)^+ dm:
    dP~ = sym(F t rest') - dg rest rest' / 2 + F dP F',  de = P F t - dg P rest,
    dF = P rest t' - P F t m' + dg P rest m' + 2 P F dP.
    """
    parent, spare = free, free + (1 + size + size * (size + 1) // 2) * LANES
    for a in range(size):
        put(room, parent, 1 + a, get(room, at.result, 1 + a) - splat(constants[offset + a]))
    pull_back(room, size, constants, F, P, parent, spare)
    rest = spare + (2 + size) * LANES
    L = rest + 3 * size * LANES
    pivots = L + size * (size + 1) // 2 * LANES
    PF = pivots + size * LANES
    for a in range(size):
        put(room, to.t, a, get(room, to.give, 1 + a))
    forward_solve(room, size, L, to.t)
    backward_solve(room, size, L, pivots, to.t)
    Ft, PFt, Pr, D = PF + size * size * LANES, at.vector, at.move, PF + (size * size + size) * LANES
    height = load(room, to.give)
    for a in range(size):
        value = splat(0.0)
        for b in range(size):
            value += splat(constants[F + a * size + b]) * get(room, to.t, b)
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
            value = get(room, Pr, a) * (get(room, to.t, b) + height * get(room, parent, 1 + b))
            value -= get(room, PFt, a) * get(room, parent, 1 + b)
            for c in range(size):
                value += splat(2.0) * get(room, PF, a * size + c) * get(room, dP, packed(c, b))
            put(room, to.matrix, 0, value)
            gradients[link, size * size + a * size + b] += _sum(room, to.matrix)
    for a in range(size):
        put(room, to.give, 1 + a, get(room, PFt, a) - height * get(room, Pr, a))
        for b in range(size):
            put(room, to.matrix, b * size + a, splat(constants[F + a * size + b]))
    sandwich(room, size, to.matrix, dP, D, D + size * (size + 1) // 2 * LANES)
    half = splat(0.5)
    entry = 0
    for a in range(size):
        for b in range(a + 1):
            mine, other = get(room, rest, a), get(room, rest, b)
            bend = get(room, Ft, a) * other + get(room, Ft, b) * mine - height * mine * other
            put(room, dP, entry, get(room, D, entry) + half * bend)
            entry += 1


@njit(**INNER)
def _sum(room, place):
    total = 0.0
    for lane in range(LANES):
        total += room[place + lane]
    return total
