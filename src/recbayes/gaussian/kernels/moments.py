"""What is known of the alternatives of eight cells, as they come one after the other: the best, and the moments of all."""

import numpy as np
from numba import njit

from recbayes.compiled.dimension import Dimension
from recbayes.compiled.factors import SINGULAR, factorise_covariance, invert
from recbayes.compiled.lanes import (
    BORROWING,
    INLINED,
    Lanes,
    any_greater,
    count_up,
    get,
    lanes_exp,
    lanes_log,
    lanes_sqrt,
    load,
    put,
    splat,
    store,
    where_greater,
)
from recbayes.compiled.layout import MODE, precision_of, triangle_entries
from recbayes.gaussian.kernels.cells import FLAT_MIXTURE, MIXTURE, ONLY_EMISSION, ONLY_SPLIT
from recbayes.gaussian.kernels.room import STATE, Room

# The state of a cell's alternatives. What does not exceed TALL in height is not the best, and what does not exceed HEAVY in
# weight is negligible (known where bounds are used, see `recbayes.gaussian.kernels.bounds`).
COUNT, PEAK, PEAK_RULE, PEAK_SPLIT, HEAVIEST, CODE, UNCOMMON, MASS, TALL, HEAVY = range(STATE)
TIE = 1e-10  # heights that differ by less, relative to one plus their size, are a tie
LOPSIDED = 60.0  # nats by which roots of determinants may differ, where masses have them as factors
RISE = 3.0  # nats by which an alternative must exceed the one about whose mode moments are taken, to take its place


@njit(**INLINED)
def clear_moments(room: np.ndarray, size: int, at: Room) -> None:
    """Forget the alternatives of the cells before."""
    for entry in range(STATE):
        put(room, at.state, entry, splat(0.0))
    for entry in (PEAK, HEAVIEST, TALL, HEAVY):
        put(room, at.state, entry, splat(-np.inf))
    for a in range(size):
        put(room, at.origin, a, splat(0.0))
        put(room, at.mean, a, splat(0.0))
    for entry in range(triangle_entries(size)):
        put(room, at.square, entry, splat(0.0))


@njit(**INLINED)
def note(room: np.ndarray, at: Room, code: Lanes, rule: float, split: float) -> None:
    """Count the alternative in at.product, whose precision has a flat code, and compare its height with the best.

    The one with the highest peak is the paper's best; ties (to rounding) go to the one that came first.
    """
    zero, unit = splat(0.0), splat(1.0)
    height, count, bar = load(room, at.product), get(room, at.state, COUNT), get(room, at.state, TALL)
    possible = where_greater(height, splat(-np.inf), unit, zero)
    before = get(room, at.state, CODE)
    if any_greater(code + before, zero):  # some direction is flat
        unlike = where_greater((code - before) * (code - before), zero, unit, zero)
        unlike = where_greater(count, zero, unlike, zero)
        unlike = where_greater(code, splat(0.5 * SINGULAR), unit, unlike) * possible
        put(room, at.state, UNCOMMON, where_greater(unlike, zero, unit, get(room, at.state, UNCOMMON)))
        put(room, at.state, CODE, where_greater(possible, zero, code, before))
    put(room, at.state, COUNT, count + possible)
    if any_greater(height, bar):
        magnitude = where_greater(height, zero, height, zero - height)
        put(room, at.state, TALL, where_greater(height, bar, height + splat(TIE) * (unit + magnitude), bar))
        put(room, at.state, PEAK, where_greater(height, bar, height, get(room, at.state, PEAK)))
        put(room, at.state, PEAK_RULE, where_greater(height, bar, splat(rule), get(room, at.state, PEAK_RULE)))
        put(room, at.state, PEAK_SPLIT, where_greater(height, bar, count_up(split), get(room, at.state, PEAK_SPLIT)))


@njit(**INLINED)
def pass_over(room: np.ndarray, at: Room, possible: Lanes) -> None:
    """Count alternatives that are neither the best nor matter in any lane."""
    put(room, at.state, COUNT, get(room, at.state, COUNT) + possible)


@njit(**INLINED)
def mass_of(
    own: np.ndarray, size: int, at: Room, dimension: Dimension, determinant: Lanes, log_taken_out: Lanes
) -> tuple[Lanes, Lanes]:
    """The mass of the alternative in at.product is the second number times the exponential of the first."""
    height = load(own, at.product)
    if len(dimension) == 0:
        return height - splat(0.5) * (log_taken_out + lanes_log(determinant)), splat(1.0)
    inverse = splat(1.0)
    for a in range(size):
        pivot = get(own, at.pivots, a)
        inverse *= where_greater(pivot, splat(0.0), pivot, splat(1.0))
    return height, lanes_sqrt(inverse)


@njit(**INLINED)
def gather(room: np.ndarray, size: int, at: Room, weight: Lanes, factor: Lanes) -> None:
    """Add the alternative (mode in at.product, covariance) to the moments; its mass is factor exp(weight).

    They are sums relative to the weight of one of the heaviest and about its mode; a heavier one moves both.
    """
    zero, unit = splat(0.0), splat(1.0)
    if any_greater(weight, get(room, at.state, HEAVIEST) + splat(RISE)):
        mass, heaviest = get(room, at.state, MASS), get(room, at.state, HEAVIEST)
        heavier = where_greater(weight, heaviest, unit, zero)
        scale = where_greater(heavier, zero, lanes_exp(heaviest - weight), unit)
        entry = 0
        for a in range(size):
            step = heavier * (get(room, at.product, MODE + a) - get(room, at.origin, a))
            put(room, at.move, a, step)
            for b in range(a + 1):
                other = get(room, at.move, b)
                cross = get(room, at.mean, a) * other + get(room, at.mean, b) * step - mass * step * other
                put(room, at.square, entry, scale * (get(room, at.square, entry) - cross))
                entry += 1
        for a in range(size):
            step = get(room, at.move, a)
            put(room, at.mean, a, scale * (get(room, at.mean, a) - mass * step))
            put(room, at.origin, a, get(room, at.origin, a) + step)
        put(room, at.state, MASS, mass * scale)
        put(room, at.state, HEAVIEST, where_greater(heavier, zero, weight, heaviest))
    share = lanes_exp(weight - get(room, at.state, HEAVIEST)) * factor
    put(room, at.state, MASS, get(room, at.state, MASS) + share)
    entry = 0
    for a in range(size):
        apart = get(room, at.product, MODE + a) - get(room, at.origin, a)
        put(room, at.move, a, apart)
        weighted = share * apart
        put(room, at.mean, a, get(room, at.mean, a) + weighted)
        for b in range(a + 1):
            more = share * get(room, at.covariance, entry) + weighted * get(room, at.move, b)
            put(room, at.square, entry, get(room, at.square, entry) + more)
            entry += 1


@njit(**BORROWING)
def find_origin(room: np.ndarray, at: Room) -> Lanes:
    """How the message of each lane comes about: the only emission or split, a mixture, or one of flat potentials."""
    count = get(room, at.state, COUNT)
    flat = where_greater(get(room, at.state, UNCOMMON), splat(0.0), splat(FLAT_MIXTURE), splat(MIXTURE))
    only = where_greater(get(room, at.state, PEAK_RULE), splat(-0.5), splat(ONLY_SPLIT), splat(ONLY_EMISSION))
    return where_greater(count, splat(1.5), flat, only)


@njit(**BORROWING)
def match_moments(room: np.ndarray, size: int, at: Room) -> None:
    """The potential with the moments of all alternatives, in at.result."""
    mass = get(room, at.state, MASS)
    entry = 0
    for a in range(size):
        centre = get(room, at.mean, a) / mass
        put(room, at.move, a, centre)
        put(room, at.result, MODE + a, get(room, at.origin, a) + centre)
        for b in range(a + 1):
            spread = get(room, at.square, entry) / mass - centre * get(room, at.move, b)
            put(room, at.covariance, entry, spread)
            entry += 1
    factorise_covariance(room, size, at.covariance, at.factor, at.pivots, at.free)
    height = get(room, at.state, HEAVIEST) + lanes_log(mass) - splat(0.5) * load(room, at.free)
    invert(room, size, at.factor, at.pivots, precision_of(at.result, size), at.free)
    store(room, at.result, height)
