"""Compiled adjoints of the algebra of potentials: products, and mixtures that are matched by their moments.

For functions named inline_... see `recbayes.compiled.factors`.
"""

import numpy as np
from numba import njit

from recbayes.compiled.lanes import BORROWING, INLINED, Lanes, get, load, put, splat, store, where_greater
from recbayes.compiled.layout import MODE, message_entries, packed, precision_from, square_entry


@njit(**INLINED)
def inline_join_adjoint(room: np.ndarray, size: int, one: int, product: int, push: int, t: int, give: int) -> None:
    """Derivatives with respect to one factor of a product of potentials, into `give`.

    `push` holds those with respect to the product (g, m, P), t = P^+ times the one of m, and `product` the product's mode.
    With a = m1 - m:  dP1 = dP + sym(t a') - dg a a' / 2,  dm1 = P1 (t - dg a),  dg1 = dg.
    """
    height = load(room, push)
    store(room, give, height)
    for a in range(size):
        value = splat(0.0)
        for b in range(size):
            apart = get(room, one, MODE + b) - get(room, product, MODE + b)
            value += get(room, one, precision_from(size) + packed(a, b)) * (get(room, t, b) - height * apart)
        put(room, give, MODE + a, value)
    half = splat(0.5)
    entry = precision_from(size)
    for a in range(size):
        mine = get(room, one, MODE + a) - get(room, product, MODE + a)
        for b in range(a + 1):
            other = get(room, one, MODE + b) - get(room, product, MODE + b)
            bend = get(room, t, a) * other + get(room, t, b) * mine - height * mine * other
            put(room, give, entry, get(room, push, entry) + half * bend)
            entry += 1


@njit(**BORROWING)
def join_adjoint(room: np.ndarray, size: int, one: int, product: int, push: int, t: int, give: int) -> None:
    inline_join_adjoint(room, size, one, product, push, t, give)


@njit(**INLINED)
def inline_mixture_adjoint(
    room: np.ndarray,
    size: int,
    share: Lanes,
    mode: int,
    C: int,
    centre: int,
    dS: int,
    dm: int,
    constant: int,
    push: int,
    T: int,
) -> None:
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
            put(room, T, square_entry(a, b, size), entry)
        total += mine * (get(room, dm, a) + value) + get(room, T, square_entry(a, a, size))
        put(room, push, MODE + a, share * (get(room, dm, a) + value + value))
    weight = share * total
    store(room, push, weight)
    entry = 0
    for a in range(size):
        for b in range(a + 1):
            value = splat(0.0)
            for c in range(size):
                value += get(room, T, square_entry(a, c, size)) * get(room, C, packed(c, b))
            put(room, push, precision_from(size) + entry, splat(-0.5) * weight * get(room, C, entry) - share * value)
            entry += 1
    for entry in range(message_entries(size)):  # lanes without a share may hold anything
        put(room, push, entry, where_greater(share, splat(0.0), get(room, push, entry), splat(0.0)))


@njit(**BORROWING)
def mixture_adjoint(
    room: np.ndarray,
    size: int,
    share: Lanes,
    mode: int,
    C: int,
    centre: int,
    dS: int,
    dm: int,
    constant: int,
    push: int,
    T: int,
) -> None:
    inline_mixture_adjoint(room, size, share, mode, C, centre, dS, dm, constant, push, T)
