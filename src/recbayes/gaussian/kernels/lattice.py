"""Flat segmentations of long series: leaves that begin at a few points at a time, eight of them at once.

From point to point every leaf that has begun grows by a block. Of the points at which the present leaf may have begun those
are dropped that are too improbable ever to matter, and of neighbours that are long past the likelier one stays: so there are
never more than some hundreds, however long the series is. What is left is a lattice of spans, whose sums over segmentations
are exact. It bounds the evidence of all segmentations from below.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from recbayes.compiled.lanes import (
    BORROWING,
    INLINED,
    KERNEL,
    LANES,
    Lanes,
    count_up,
    lanes_exp,
    lanes_log,
    load,
    splat,
    store,
    where_greater,
)
from recbayes.gaussian.kernels.blocks import (
    CROSS,
    FIRST_LOG,
    FIRST_WEIGHT,
    LAST_TICK,
    LAST_VALUE,
    LEAN,
    LEVEL,
    LOG,
    NEXT_LOG,
    NEXT_WEIGHT,
    PULL,
    RHO,
    SEEN,
    SLOPE,
    SQUARE,
    SUMS,
    TICK,
    VALUE,
    Blocks,
)

ROOM = 384  # starts at a time, a multiple of LANES
RECENT = 128  # the newest of them, which all stay
KEPT = 25.0  # nats below all spans with the same end, from which on a span does not matter
SLACK = 20.0  # nats that a leaf may fall below a leaf that begins now, and still win


class Starts(NamedTuple):
    """The leaves that have begun, in order. Quantities of members and columns follow one another, each of all starts."""

    sums: np.ndarray  # (members * columns * SUMS * ROOM,)
    origin: np.ndarray  # (columns * ROOM,): the first value that is seen, NaN before
    ticks: np.ndarray  # (ROOM,): when each began
    points: np.ndarray  # (ROOM,)
    values: np.ndarray  # (ROOM,): log evidence up to now
    terms: np.ndarray  # (ROOM,): with all that comes before
    heights: np.ndarray  # (members * ROOM,)


@njit(**KERNEL)
def find_lattice(
    blocks: Blocks, ticks: np.ndarray, lengths: np.ndarray, mean: np.ndarray, variance: np.ndarray, each_column: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Spans that matter, by their ends: where those of each end begin in the list, their starts, their log evidence.

    `lengths` are log probabilities of a leaf to last 0, 1, ... ticks; values are normal and independent. With `each_column`
    every column has a member of its own.
    """
    members, columns, count = blocks.entries.shape[0], blocks.entries.shape[1], blocks.entries.shape[2]
    starts = Starts(
        np.zeros(members * columns * SUMS * ROOM),
        np.full(columns * ROOM, np.nan),
        np.zeros(ROOM),
        np.zeros(ROOM, np.int64),
        np.zeros(ROOM),
        np.zeros(ROOM),
        np.zeros(members * ROOM),
    )
    before = np.full(count + 1, -math.inf)
    before[0] = 0.0
    first = np.zeros(count + 2, np.int64)
    begin, evidence = np.empty(16 * (count + 1), np.int32), np.empty(16 * (count + 1))
    active, listed, usual = 0, 0, lengths.max()
    for block in range(count):
        if active == ROOM:
            active = _thin(starts, active, members * columns, columns, before)
        if before[block] > -math.inf:
            _begin(starts, active, block, ticks[block], members * columns, columns)
            active += 1
        first[block + 1] = listed
        if active == 0:
            continue
        _grow(blocks, block, starts, active)
        _weigh(blocks, ticks[block + 1], starts, active, mean, variance, each_column)
        highest = -math.inf
        for a in range(active):
            length = ticks[block + 1] - int(starts.ticks[a])
            starts.terms[a] = before[starts.points[a]] + starts.values[a] + lengths[length]
            highest = max(highest, starts.terms[a])
        if highest > -math.inf:
            total = 0.0
            for a in range(active):
                total += math.exp(starts.terms[a] - highest)
            before[block + 1] = highest + math.log(total)
        if listed + active > len(begin):
            begin = np.concatenate((begin, np.empty(len(begin), np.int32)))
            evidence = np.concatenate((evidence, np.empty(len(evidence))))
        for a in range(active):
            if starts.terms[a] > before[block + 1] - KEPT:
                begin[listed], evidence[listed] = starts.points[a], starts.values[a]
                listed += 1
        if active >= RECENT // 2 and (block % LANES == 0 or active == ROOM):
            active = _drop(starts, active, before[block + 1] + usual - SLACK, members * columns, columns)
    first[count + 1] = listed
    return first, begin[:listed].copy(), evidence[:listed].copy()


@njit(**BORROWING)
def _begin(starts: Starts, a: int, point: int, tick: float, quantities: int, columns: int) -> None:
    """A leaf in which nothing is yet."""
    starts.points[a], starts.ticks[a] = point, tick
    for q in range(quantities * SUMS):
        starts.sums[q * ROOM + a] = 0.0
    for d in range(columns):
        starts.origin[d * ROOM + a] = np.nan


@njit(**BORROWING)
def _grow(blocks: Blocks, block: int, starts: Starts, active: int) -> None:
    """One more block of all leaves that have begun."""
    members, columns = blocks.entries.shape[0], blocks.entries.shape[1]
    for d in range(columns):
        if blocks.entries[0, d, block, SEEN] == 0.0:
            continue
        fresh = active  # leaves from here on see their first observation in this block: they are the newest ones
        while fresh > 0 and math.isnan(starts.origin[d * ROOM + fresh - 1]):
            fresh -= 1
            starts.origin[d * ROOM + fresh] = blocks.entries[0, d, block, VALUE]
        for m in range(members):
            entries, sums = blocks.entries[m, d, block], (m * columns + d) * SUMS * ROOM
            for a in range(fresh, active):
                _add_first(starts, sums, a, entries, blocks.phi[m], blocks.ratio[m, d])
            for a in range(0, active, LANES):
                _add_block(starts, sums, d * ROOM, a, entries, fresh)


@njit(**BORROWING)
def _add_first(starts: Starts, sums: int, a: int, entries: np.ndarray, phi: float, ratio: float) -> None:
    """The first observation of a leaf, which its origin is."""
    weight, log_scale, slope = entries[FIRST_WEIGHT], entries[FIRST_LOG], entries[TICK] - starts.ticks[a]
    if phi != 0.0 and slope > 0.0:  # the noise began at the leaf's first tick
        share = phi ** (2.0 * slope)
        more = share + (1.0 - share) * ratio
        weight /= more
        log_scale -= 0.5 * math.log(more)
    starts.sums[sums + LEVEL * ROOM + a] += weight
    starts.sums[sums + CROSS * ROOM + a] += weight * slope
    starts.sums[sums + SLOPE * ROOM + a] += weight * slope * slope
    starts.sums[sums + LOG * ROOM + a] += log_scale


@njit(**BORROWING)
def _add_block(starts: Starts, sums: int, origin: int, a: int, e: np.ndarray, fresh: int) -> None:
    """A block of eight leaves, and its first observation as a next one of those before `fresh`.

    A leaf's origin is `up` below the block's, and its first tick that much earlier, so that a residual target - level x -
    slope z of the block is (target + level up) - level x - (slope + level later) z of the leaf.
    """
    tick0, y0 = load(starts.ticks, a), load(starts.origin, origin + a)
    up, later = splat(e[VALUE]) - y0, splat(e[TICK]) - tick0
    level = splat(1.0 - e[RHO])
    slope = later - splat(e[RHO]) * (splat(e[LAST_TICK]) - tick0)
    target = up - splat(e[RHO]) * (splat(e[LAST_VALUE]) - y0)
    old = splat(1.0) if a + LANES <= fresh else where_greater(splat(fresh - a - 0.5), count_up(0.0), splat(1.0), splat(0.0))
    weight = old * splat(e[NEXT_WEIGHT])
    P, cross, pull = splat(e[LEVEL]), splat(e[CROSS]), splat(e[PULL])
    _more(starts.sums, sums + LEVEL * ROOM + a, P + weight * level * level)
    _more(starts.sums, sums + CROSS * ROOM + a, cross + later * P + weight * level * slope)
    twice = splat(2.0)
    square = splat(e[SLOPE]) + later * (twice * cross + later * P)
    _more(starts.sums, sums + SLOPE * ROOM + a, square + weight * slope * slope)
    _more(starts.sums, sums + PULL * ROOM + a, pull + up * P + weight * level * target)
    lean = splat(e[LEAN]) + up * cross + later * (pull + up * P)
    _more(starts.sums, sums + LEAN * ROOM + a, lean + weight * slope * target)
    square = splat(e[SQUARE]) + up * (twice * pull + up * P)
    _more(starts.sums, sums + SQUARE * ROOM + a, square + weight * target * target)
    _more(starts.sums, sums + LOG * ROOM + a, splat(e[LOG]) + old * splat(e[NEXT_LOG]))


@njit(**INLINED)
def _more(array: np.ndarray, place: int, value: Lanes) -> None:
    store(array, place, load(array, place) + value)


@njit(**BORROWING)
def _weigh(
    blocks: Blocks, tick: float, starts: Starts, active: int, mean: np.ndarray, variance: np.ndarray, each_column: bool
) -> None:
    """The log evidence of all leaves, if they end at this tick: sums over members of products over columns, or the other way
    round."""
    members, columns = blocks.entries.shape[0], blocks.entries.shape[1]
    for a in range(0, active, LANES):
        total = splat(0.0)
        for d in range(columns):
            for m in range(members):
                place = (m * columns + d) * SUMS * ROOM + a
                height = _log_evidence(starts, place, d * ROOM, a, tick, blocks.rise[d], mean[d], variance[d])
                if d > 0 and not each_column:
                    height += load(starts.heights, m * ROOM + a)
                store(starts.heights, m * ROOM + a, height)
            if each_column or d == columns - 1:
                total += _summed(blocks.weights, starts.heights, a)
        store(starts.values, a, total)


@njit(**BORROWING)
def _summed(weights: np.ndarray, heights: np.ndarray, a: int) -> Lanes:
    """The logarithm of a weighted sum of exponentials."""
    if len(weights) == 1:
        return load(heights, a)
    highest = load(heights, a)
    for m in range(1, len(weights)):
        height = load(heights, m * ROOM + a)
        highest = where_greater(height, highest, height, highest)
    total = splat(0.0)
    for m in range(len(weights)):
        total += splat(weights[m]) * lanes_exp(load(heights, m * ROOM + a) - highest)
    return highest + lanes_log(total)


@njit(**BORROWING)
def _log_evidence(
    starts: Starts, sums: int, origin: int, a: int, tick: float, rise: float, mean: float, variance: float
) -> Lanes:
    """The logarithm of the integral of eight leaves over trend and level, by one member and column."""
    P, h = load(starts.sums, sums + LEVEL * ROOM), load(starts.sums, sums + PULL * ROOM)
    rest, pivot = load(starts.sums, sums + SQUARE * ROOM), splat(1.0)
    if rise >= 0.0:
        length = splat(tick) - load(starts.ticks, a)
        back, scale = splat(-0.5) * (length - splat(1.0)), splat(rise) / length
        cross = load(starts.sums, sums + CROSS * ROOM)
        moved = cross + back * P
        pivot += scale * scale * (load(starts.sums, sums + SLOPE * ROOM) + back * (cross + moved))
        pull = scale * (load(starts.sums, sums + LEAN * ROOM) + back * h)
        cross = scale * moved
        P -= cross * cross / pivot
        h -= cross * pull / pivot
        rest -= pull * pull / pivot
    V, apart = splat(variance), splat(mean) - load(starts.origin, origin + a)
    spread = splat(1.0) + P * V
    known = (V * h * h + splat(2.0) * apart * h - P * apart * apart) / spread - rest
    known = where_greater(P, splat(0.0), known, splat(0.0))  # nothing is seen yet, and there is no origin
    return load(starts.sums, sums + LOG * ROOM) + splat(0.5) * (known - lanes_log(pivot * spread))


@njit(**BORROWING)
def _move(starts: Starts, a: int, to: int, quantities: int, columns: int) -> None:
    """Put a start at another place."""
    if a == to:
        return
    for q in range(quantities * SUMS):
        starts.sums[q * ROOM + to] = starts.sums[q * ROOM + a]
    for d in range(columns):
        starts.origin[d * ROOM + to] = starts.origin[d * ROOM + a]
    starts.ticks[to], starts.points[to], starts.terms[to] = starts.ticks[a], starts.points[a], starts.terms[a]


@njit(**BORROWING)
def _drop(starts: Starts, active: int, least: float, quantities: int, columns: int) -> int:
    """Without the starts that are too improbable, but with those of leaves that are still too short; how many are left."""
    left = 0
    for a in range(active):
        if starts.terms[a] >= least or starts.terms[a] == -math.inf:
            _move(starts, a, left, quantities, columns)
            left += 1
    return left


@njit(**BORROWING)
def _thin(starts: Starts, active: int, quantities: int, columns: int, before: np.ndarray) -> int:
    """Of neighbours that are not recent, the likelier one; how many are left. Leaves that are too short as yet may grow."""
    left, a = 0, 0
    while a < active:
        if a + 1 < active - RECENT:
            first, second = starts.terms[a], starts.terms[a + 1]
            if first == -math.inf and second == -math.inf:
                first = before[starts.points[a]] + starts.values[a]
                second = before[starts.points[a + 1]] + starts.values[a + 1]
            _move(starts, a if first >= second else a + 1, left, quantities, columns)
            a += 2
        else:
            _move(starts, a, left, quantities, columns)
            a += 1
        left += 1
    return left


@njit(**KERNEL)
def lattice_pass(
    first: np.ndarray,
    begin: np.ndarray,
    evidence: np.ndarray,
    lengths: np.ndarray,
    ticks: np.ndarray,
    boundaries: np.ndarray,
    spans: np.ndarray,
) -> float:
    """The log evidence of all segmentations of a lattice; log probabilities of boundaries at points, and of its spans."""
    count = len(ticks) - 1
    before, highest, total = np.full(count + 1, -math.inf), np.full(count + 1, -math.inf), np.zeros(count + 1)
    before[0] = 0.0
    for end in range(1, count + 1):
        high = -math.inf
        for n in range(first[end], first[end + 1]):
            spans[n] = evidence[n] + lengths[ticks[end] - ticks[begin[n]]]
            high = max(high, before[begin[n]] + spans[n])
        if high > -math.inf:
            part = 0.0
            for n in range(first[end], first[end + 1]):
                part += math.exp(before[begin[n]] + spans[n] - high)
            before[end] = high + math.log(part)
    highest[count], total[count] = 0.0, 1.0  # after[point] = highest + log total
    for end in range(count, 0, -1):
        after = highest[end] + math.log(total[end]) if total[end] > 0.0 else -math.inf
        boundaries[end] = before[end] + after - before[count]
        for n in range(first[end], first[end + 1]):
            start, value = begin[n], spans[n] + after
            spans[n] = before[start] + value - before[count]
            if value > highest[start]:
                total[start] = total[start] * math.exp(highest[start] - value) + 1.0
                highest[start] = value
            elif value > -math.inf:
                total[start] += math.exp(value - highest[start])
    boundaries[0] = 0.0
    return before[count]
