"""The adjoint of mixing: from derivatives with respect to a cell's message to those with respect to its alternatives."""

import numpy as np
from numba import njit

from recbayes.compiled.adjoints import join_adjoint, mixture_adjoint
from recbayes.compiled.factors import backward_solve, copy, factorise, forward_solve, invert, sandwich
from recbayes.compiled.lanes import (
    BORROWING,
    Lanes,
    any_greater,
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
    message_entries,
    mode_of,
    packed,
    precision_from,
    precision_of,
    square_entry,
    triangle_entries,
    triangle_room,
)
from recbayes.gaussian.kernels.cells import NEGLIGIBLE
from recbayes.gaussian.kernels.derivatives import Derivatives
from recbayes.gaussian.kernels.reference import weigh_under_reference
from recbayes.gaussian.kernels.reference_adjoint import divide_reference_adjoint
from recbayes.gaussian.kernels.room import Room


@njit(**BORROWING)
def moments_adjoint(room: np.ndarray, size: int, at: Room, to: Derivatives) -> None:
    """From the derivatives with respect to a matched potential to those with respect to its moments.

    P = S^-1 and g = log mass + log det P / 2, so dS = - P (dP + dg S / 2) P.
    """
    P = precision_of(at.result, size)
    factorise(room, size, P, at.factor, at.pivots, at.free)
    store(room, to.log_mass, load(room, at.result) - splat(0.5) * load(room, at.free))
    invert(room, size, at.factor, at.pivots, to.covariance, at.free)
    height = load(room, to.into)
    for entry in range(triangle_entries(size)):
        value = get(room, to.into, precision_from(size) + entry) + splat(0.5) * height * get(room, to.covariance, entry)
        put(room, to.free, entry, splat(0.0) - value)
    for a in range(size):
        put(room, to.dm, a, get(room, to.into, MODE + a))
        for b in range(size):
            put(room, to.matrix, square_entry(a, b, size), get(room, P, packed(a, b)))
    sandwich(room, size, to.matrix, to.free, to.dS, to.free + triangle_room(size))
    _subtract_trace(room, size, height, to)
    copy(room, mode_of(at.result), at.origin, size)


@njit(**BORROWING)
def _subtract_trace(room: np.ndarray, size: int, height: Lanes, to: Derivatives) -> None:
    """The constant of `mixture_adjoint`."""
    for a in range(size):
        for b in range(size):
            height -= get(room, to.dS, packed(a, b)) * get(room, to.covariance, packed(a, b))
    store(room, to.constant, height)


@njit(**BORROWING)
def reference_moments_adjoint(room: np.ndarray, size: int, at: Room, to: Derivatives) -> None:
    """The same for moments that were matched under the reference and have just been gathered again."""
    store(room, to.log_mass, load(room, at.weight) + lanes_log(load(room, at.move)))
    divide_reference_adjoint(room, size, at, to.into, to.dS, to.dm, to.free)
    copy(room, at.square, to.covariance, triangle_entries(size))
    for a in range(size):
        put(room, at.origin, a, get(room, at.reference, MODE + a) + get(room, at.mean, a))
    _subtract_trace(room, size, load(room, to.into), to)


@njit(**BORROWING)
def push_alternative(room: np.ndarray, size: int, at: Room, to: Derivatives, flat: Lanes) -> bool:
    """Derivatives with respect to the alternative in at.product, one of a mixture under the reference, into to.push.
    Returns whether any is not zero."""
    weight = weigh_under_reference(room, size, at)
    share = where_greater(flat, splat(0.0), weight - load(room, to.log_mass), splat(-np.inf))
    if not any_greater(share, splat(-NEGLIGIBLE)):
        return False
    share = where_greater(share, splat(0.0), splat(0.0), share)  # rounding only: a share is at most one
    share = lanes_exp(share)
    invert(room, size, at.factor, at.pivots, at.covariance, at.free)
    mode = mode_of(at.one)
    mixture_adjoint(room, size, share, mode, at.covariance, at.origin, to.dS, to.dm, to.constant, to.push, to.matrix)
    solve_mode(room, size, at, to)
    copy(room, to.push, to.give, message_entries(size))
    join_adjoint(room, size, at.product, at.one, to.give, to.t, to.push)
    return True


@njit(**BORROWING)
def solve_mode(room: np.ndarray, size: int, at: Room, to: Derivatives) -> None:
    """t = P^+ times the derivative with respect to the mode of the product whose factor is in place."""
    for a in range(size):
        put(room, to.t, a, get(room, to.push, MODE + a))
    forward_solve(room, size, at.factor, to.t)
    backward_solve(room, size, at.factor, at.pivots, to.t)
