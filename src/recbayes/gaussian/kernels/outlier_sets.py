"""Likely sets of outliers of a leaf, followed observation by observation.

Each observation may be clean or an outlier, so the likelihood of a leaf is a mixture over all sets of outliers. A few of
them are followed at a time. The next observation makes two of each: where it is hardly an outlier, or hardly anything
else, only one is kept, and has the mass of both. The first few observations are taken in all ways, since what is usual is
not known yet. Masses are those where the mean of the column is expected.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from recbayes.compiled.lanes import BORROWING, INNER, KERNEL
from recbayes.gaussian.kernels.leaves import (
    BROAD,
    CLEAN,
    MISSING,
    NOISE,
    OUTLIER,
    RISE,
    Column,
    limits_of,
    reduce_form,
    residual,
)

FREE = 3  # observations that are taken in all ways: of these there are eight sets
SETS = 8  # that there is room for
KEPT = 3  # that are followed from then on
UNLIKELY = 5.0  # nats, from which on a possible outlier is none
PRUNED = 7.0  # nats below the likeliest set, from which on one is dropped


class Room(NamedTuple):
    """Two lists of sets, before and after an observation (twice `SETS`, as each set makes two): their numbers (2, sets,
    SCALE ... and the lower triangle of a form of `leaves`), and their last clean observations (-1: none). And of every
    observation seen, for each set after it, the one before it that it comes from, and whether the observation is an outlier.
    """

    sets: np.ndarray
    last: np.ndarray
    parents: np.ndarray
    taken: np.ndarray
    row: np.ndarray
    work: np.ndarray


# Of a set: its log scale; the log of what it stands for besides itself; height (without these others), mode about the
# leaf's place and precision of its potential; its log mass, others included; and from there on its form.
SCALE, OTHERS, HEIGHT, MODE, PRECISION, MASS, FORM = range(7)


class Setting(NamedTuple):
    """What is known of a leaf besides its data: whether it has a trend, variances of noise at the first tick and in the long
    run, and where its mean is expected."""

    trend: int
    first: complex
    stationary: complex
    mean: float
    variance: float
    log_next: complex  # log scale of a clean observation that follows one, and of an outlier
    log_broad: complex


@njit(**INNER)
def make_room(c: Column, numbers: np.ndarray) -> Room:
    n = 2 + (1 if numbers[RISE].real >= 0.0 else 0) + c.design.shape[1]
    kinds, count = numbers.dtype, 2 * SETS
    history = np.zeros((2, len(c.y) + 1, count), np.int8)
    sets, last = np.zeros((2, count, FORM + n * (n + 1) // 2), kinds), np.zeros((2, count), np.int64)
    return Room(sets, last, history[0], history[1], np.zeros(n), np.zeros((n, n), kinds))


@njit(**BORROWING)
def setting_of(c: Column, numbers: np.ndarray, mean: float, variance: float) -> Setting:
    first, stationary = limits_of(c.phi, numbers)
    log_next = math.log1p(-c.outliers) - 0.5 * np.log(2.0 * math.pi * numbers[NOISE] ** 2)
    log_broad = math.log(c.outliers) - 0.5 * np.log(2.0 * math.pi * numbers[BROAD] ** 2)
    return Setting(1 if numbers[RISE].real >= 0.0 else 0, first, stationary, mean, variance, log_next, log_broad)


@njit(**BORROWING)
def begin(c: Column, start: int, room: Room, side: int, s: int) -> None:
    """A set of nothing, in a leaf that begins with an observation."""
    for k in range(room.sets.shape[2]):
        room.sets[side, s, k] = 0.0
    room.last[side, s] = -1
    if c.observed_past:
        for t in range(start):
            if c.state[t] != MISSING:
                room.last[side, s] = t


@njit(**BORROWING)
def measure(room: Room, side: int, s: int, numbers: np.ndarray, known: Setting, ticks: float, y0: float) -> None:
    """The potential and the mass of a set, where the leaf is so long."""
    sets, work, k = room.sets, room.work, FORM
    for i in range(len(work)):
        for j in range(i + 1):
            work[i, j] = sets[side, s, k]
            k += 1
    height, mode, precision = reduce_form(work, numbers, known.trend, ticks)
    height = height + sets[side, s, SCALE]
    spread = 1.0 + precision * known.variance
    apart = mode - (known.mean - y0)
    sets[side, s, HEIGHT], sets[side, s, MODE], sets[side, s, PRECISION] = height, mode, precision
    mass = height - 0.5 * (np.log(spread) + precision * apart * apart / spread)
    sets[side, s, MASS] = mass + sets[side, s, OTHERS]


@njit(**BORROWING)
def _copy(room: Room, side: int, s: int, other: int, t: int) -> None:
    for k in range(room.sets.shape[2]):
        room.sets[other, t, k] = room.sets[side, s, k]
    room.last[other, t] = room.last[side, s]


@njit(**BORROWING)
def add_observation(
    c: Column,
    numbers: np.ndarray,
    known: Setting,
    room: Room,
    side: int,
    s: int,
    t: int,
    outlier: bool,
    tick0: float,
    y0: float,
) -> None:
    """One more observation of a set."""
    last, rho, variance, log_scale = room.last[side, s], 0.0, numbers[NOISE] ** 2, known.log_next
    if outlier:
        variance, log_scale = numbers[BROAD] ** 2, known.log_broad
    elif c.phi != 0.0:
        if last < 0:
            share = c.phi ** (2.0 * (c.ticks[t] - tick0)) if c.ticks[t] > tick0 else 1.0
            variance = share * known.first + (1.0 - share) * known.stationary
        else:
            rho = c.phi
            if c.ticks[t] > c.ticks[last] + 1.0:
                rho = c.phi ** (c.ticks[t] - c.ticks[last])
                variance = known.stationary * (1.0 - rho * rho)
        if last < 0 or rho != c.phi:
            log_scale = math.log1p(-c.outliers) - 0.5 * np.log(2.0 * math.pi * variance)
    if not outlier:
        room.last[side, s] = t
    row, sets, k = room.row, room.sets, FORM
    residual(c, t, last, rho, y0, tick0, known.trend, row)
    weight = 1.0 / variance
    for i in range(len(row)):
        scaled = row[i] * weight
        for j in range(i + 1):
            sets[side, s, k] += scaled * row[j]
            k += 1
    sets[side, s, SCALE] += log_scale


@njit(**BORROWING)
def follow(
    c: Column,
    numbers: np.ndarray,
    known: Setting,
    room: Room,
    old: int,
    count: int,
    t: int,
    step: int,
    tick0: float,
    y0: float,
) -> int:
    """The sets after observation t, the leaf's `step`-th that is seen, from those on side `old`, to the other side; how many
    there are."""
    sets, new, made = room.sets, 1 - old, 0
    ticks = max(c.ticks[t + 1], c.ticks[t] + 1.0) - tick0  # until the end of the tick, whatever else is observed in it
    for s in range(count):
        _copy(room, old, s, new, made)
        add_observation(c, numbers, known, room, new, made, t, False, tick0, y0)
        measure(room, new, made, numbers, known, ticks, y0)
        room.parents[step, made], room.taken[step, made] = s, 0
        above = sets[old, s, MASS] + known.log_broad - sets[new, made, MASS]  # an outlier is less likely than that
        if above.real < -UNLIKELY and (step >= FREE or c.outliers == 0.0):
            more = np.log1p(np.exp(above))
            sets[new, made, OTHERS] += more
            sets[new, made, MASS] += more
            made += 1
            continue
        made += 1
        _copy(room, old, s, new, made)
        add_observation(c, numbers, known, room, new, made, t, True, tick0, y0)
        measure(room, new, made, numbers, known, ticks, y0)
        room.parents[step, made], room.taken[step, made] = s, 1
        made += 1
    return made if step < FREE or made == 1 else _prune(room, new, made, step)


@njit(**BORROWING)
def _prune(room: Room, side: int, count: int, step: int) -> int:
    """Keep those that matter, in order, and never more than `KEPT`; the likeliest stands for the others, too. A set whose
    mass is no number is the least likely."""
    sets, best = room.sets, 0
    for s in range(1, count):
        highest = sets[side, best, MASS].real
        if sets[side, s, MASS].real > highest or math.isnan(highest):
            best = s
    top = sets[side, best, MASS]
    kept, place, lost = 0, 0, top * 0.0
    for s in range(count):
        mass, above = sets[side, s, MASS], 0
        if s != best:
            if math.isnan(mass.real):
                continue
            for other in range(count):  # compared as they are, since infinite ones have no difference
                another = sets[side, other, MASS].real
                above += another > mass.real or (another == mass.real and other < s)
            if mass.real < top.real - PRUNED or above >= KEPT:
                lost += np.exp(mass - top)
                continue
        else:
            place = kept
        if kept != s:
            _copy(room, side, s, side, kept)
            room.parents[step, kept], room.taken[step, kept] = room.parents[step, s], room.taken[step, s]
        kept += 1
    if lost.real > 0.0:
        sets[side, place, OTHERS] += np.log1p(lost)
        sets[side, place, MASS] += np.log1p(lost)
    return kept


@njit(**KERNEL)
def followed_potentials(c: Column, numbers: np.ndarray, mean: float, variance: float, widest: int, out: np.ndarray) -> None:
    """The nearest potentials of all spans of at most `widest` segments, as `leaf_potentials` has them."""
    room = make_room(c, numbers)
    known = setting_of(c, numbers, mean, variance)
    segments = len(c.positions) - 1
    for i in range(segments):
        side, step, count = 0, 0, 1
        begin(c, c.positions[i], room, side, 0)
        tick0, y0 = c.ticks[c.positions[i]], 0.0
        place = i
        for j in range(i, min(i + widest, segments)):
            for t in range(c.positions[j], c.positions[j + 1]):
                if c.state[t] == MISSING:
                    continue
                if step == 0:
                    y0 = c.y[t]
                count = follow(c, numbers, known, room, side, count, t, step, tick0, y0)
                side, step = 1 - side, step + 1
            if c.state[c.positions[j + 1] - 1] == MISSING:  # the leaf has become longer since
                for s in range(count):
                    measure(room, side, s, numbers, known, c.ticks[c.positions[j + 1]] - tick0, y0)
            _nearest(room.sets, side, count, known, y0, out, place)
            place += segments - (j - i)


@njit(**BORROWING)
def _nearest(sets: np.ndarray, side: int, count: int, known: Setting, y0: float, out: np.ndarray, place: int) -> None:
    """The potential that has the mass, mean and variance of all sets where the mean is expected."""
    if count == 1:
        precision = sets[side, 0, PRECISION]
        out[0, place] = sets[side, 0, HEIGHT] + sets[side, 0, OTHERS]
        out[1, place] = sets[side, 0, MODE] + y0 if precision.real > 0.0 else precision
        out[2, place] = precision
        return
    top = sets[side, 0, MASS].real
    for s in range(1, count):
        top = max(top, sets[side, s, MASS].real)
    zero = sets[side, 0, MASS] * 0.0
    total, centre = zero, zero
    for s in range(count):
        share = np.exp(sets[side, s, MASS] - top)
        total += share
        centre += share * _moved(sets, side, s, known, y0)
    centre /= total
    left = zero
    for s in range(count):
        share, moved = np.exp(sets[side, s, MASS] - top), _moved(sets, side, s, known, y0)
        left += share * (known.variance / (1.0 + sets[side, s, PRECISION] * known.variance) + (moved - centre) ** 2)
    left /= total
    ratio = (known.variance - left) / left
    mass = np.log(total) + top
    if ratio.real < 1e-12:  # what is seen says nothing
        out[0, place], out[1, place], out[2, place] = mass, zero, zero
        return
    apart = centre * (1.0 + ratio) / ratio
    out[0, place] = mass + 0.5 * (np.log(1.0 + ratio) + ratio / (1.0 + ratio) * apart * apart / known.variance)
    out[1, place] = known.mean + apart
    out[2, place] = ratio / known.variance


@njit(**BORROWING)
def _moved(sets: np.ndarray, side: int, s: int, known: Setting, y0: float) -> complex:
    """How far from where it is expected a set has the mean."""
    share = sets[side, s, PRECISION] * known.variance
    return share * (sets[side, s, MODE] + y0 - known.mean) / (1.0 + share)


@njit(**BORROWING)
def list_sets(
    c: Column,
    numbers: np.ndarray,
    known: Setting,
    start: int,
    end: int,
    room: Room,
    states: np.ndarray,
) -> tuple[int, int, float]:
    """The likely sets of one leaf, and that of all its observations, where there may be outliers: on which side they are,
    how many, and the place that their modes are about; into `states` (sets, N) what each takes the observations as."""
    side, step, count = 0, 0, 1
    begin(c, start, room, side, 0)
    tick0, y0 = c.ticks[start], 0.0
    for t in range(start, end):
        if c.state[t] != MISSING:
            if step == 0:
                y0 = c.y[t]
            count = follow(c, numbers, known, room, side, count, t, step, tick0, y0)
            side, step = 1 - side, step + 1
    everything = c.outliers > 0.0 and step > 0
    for s in range(count):
        at, seen = s, step
        everything = everything and room.last[side, s] >= 0
        for t in range(end - 1, start - 1, -1):
            states[s, t] = MISSING
            if c.state[t] != MISSING:
                seen -= 1
                states[s, t] = OUTLIER if room.taken[seen, at] else CLEAN
                at = room.parents[seen, at]
    if everything:
        begin(c, start, room, side, count)
        for t in range(start, end):
            states[count, t] = MISSING
            if c.state[t] != MISSING:
                states[count, t] = OUTLIER
                add_observation(c, numbers, known, room, side, count, t, True, tick0, y0)
        count += 1
    for s in range(count):
        measure(room, side, s, numbers, known, c.ticks[end] - tick0, y0)
    return side, count, y0


@njit(**KERNEL)
def likeliest_set(
    c: Column, numbers: np.ndarray, mean: float, variance: float, start: int, end: int, state: np.ndarray
) -> None:
    """What the likeliest set of a leaf takes all observations as, into `state` (N,)."""
    room, states = make_room(c, numbers), np.zeros((2 * SETS, len(c.y)), np.int8)
    side, count, _ = list_sets(c, numbers, setting_of(c, numbers, mean, variance), start, end, room, states)
    best = 0
    for s in range(1, count):
        if room.sets[side, s, MASS] > room.sets[side, best, MASS]:
            best = s
    state[start:end] = states[best, start:end]
