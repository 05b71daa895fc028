"""What is known of the alternatives of eight cells, as they come one after the other: the best, and the moments of all."""

import numpy as np
from numba import njit

from recbayes.compiled.factors import SINGULAR, factorise_covariance, invert
from recbayes.compiled.lanes import (
    BORROWING,
    INLINED,
    LANES,
    Lanes,
    any_greater,
    count_up,
    get,
    lanes_exp,
    lanes_log,
    load,
    put,
    splat,
    store,
    where_greater,
)
from recbayes.compiled.layout import MODE, precision_of, triangle_room
from recbayes.gaussian.kernels.cells import FLAT_MIXTURE, MIXTURE, NEGLIGIBLE, ONLY_EMISSION, ONLY_SPLIT
from recbayes.gaussian.kernels.room import Room

COUNT, PEAK, PEAK_RULE, PEAK_SPLIT, HEAVIEST, CODE, UNCOMMON, MASS = range(8)  # the state of a cell's alternatives


@njit(**BORROWING)
def clear_moments(room: np.ndarray, size: int, at: Room) -> None:
    """Forget the alternatives of the cells before."""
    for place in range(at.state, at.square + triangle_room(size)):
        room[place] = 0.0
    put(room, at.state, PEAK, splat(-np.inf))
    put(room, at.state, HEAVIEST, splat(-np.inf))


@njit(**INLINED)
def weigh(room: np.ndarray, at: Room, rule: float, split: float) -> bool:
    """Take the alternative in at.product into account. Returns whether its moments matter in some lane.

    The one with the highest peak is the paper's best; ties (to rounding) go to the one that came first. The log
    determinant and flat code of the precision are in the free room.
    """
    zero, unit, nothing = splat(0.0), splat(1.0), splat(-np.inf)
    height = load(room, at.product)
    weight = height - splat(0.5) * load(room, at.free)
    code = load(room, at.free + LANES)
    count, best = get(room, at.state, COUNT), get(room, at.state, PEAK)
    possible = where_greater(height, nothing, unit, zero)
    magnitude = where_greater(best, zero, best, zero - best)
    better = where_greater(height, best + splat(1e-10) * (unit + magnitude), unit, zero)
    better = where_greater(count, zero, better, possible)
    before = get(room, at.state, CODE)
    if any_greater(code + before, zero):  # some direction is flat
        unlike = where_greater((code - before) * (code - before), zero, unit, zero)
        unlike = where_greater(count, zero, unlike, zero)
        unlike = where_greater(code, splat(0.5 * SINGULAR), unit, unlike) * possible
        put(room, at.state, UNCOMMON, where_greater(unlike, zero, unit, get(room, at.state, UNCOMMON)))
        put(room, at.state, CODE, where_greater(possible, zero, code, before))
    put(room, at.state, COUNT, count + possible)
    put(room, at.state, PEAK, where_greater(better, zero, height, best))
    put(room, at.state, PEAK_RULE, where_greater(better, zero, splat(rule), get(room, at.state, PEAK_RULE)))
    put(room, at.state, PEAK_SPLIT, where_greater(better, zero, count_up(split), get(room, at.state, PEAK_SPLIT)))
    store(room, at.weight, weight)
    return any_greater(weight, get(room, at.state, HEAVIEST) - splat(NEGLIGIBLE))


@njit(**INLINED)
def gather(room: np.ndarray, size: int, at: Room) -> None:
    """Add the alternative (mode in at.product, covariance, weight) to the moments.

    They are sums relative to the heaviest alternative's weight and about its mode; a new heaviest one moves both.
    """
    zero, unit = splat(0.0), splat(1.0)
    weight, heaviest = load(room, at.weight), get(room, at.state, HEAVIEST)
    mass = get(room, at.state, MASS)
    if any_greater(weight, heaviest):
        heavier = where_greater(weight, heaviest, unit, zero)
        scale = where_greater(heavier, zero, lanes_exp(heaviest - weight), unit)
        heaviest = where_greater(heavier, zero, weight, heaviest)
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
        mass = mass * scale
        put(room, at.state, HEAVIEST, heaviest)
    share = lanes_exp(weight - heaviest)
    put(room, at.state, MASS, mass + share)
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
