"""What the compiled passes share: reading and writing eight cells of a row, and splits."""

import numpy as np
from numba import njit

from recbayes.compiled.lanes import (
    INLINED,
    INNER,
    LANES,
    any_greater,
    count_up,
    get,
    load,
    put,
    splat,
    store,
    where_greater,
)
from recbayes.gaussian.chart.plan import CHOICES
from recbayes.tree.known import NODE

NEGLIGIBLE = 40.0  # alternatives this many nats below the best one cannot be seen in float64
EMPTY, EMISSION, SPLIT, MIXTURE, FLAT_MIXTURE = 0.0, 1.0, 2.0, 3.0, 4.0  # how a cell's message came about


@njit(**INLINED)
def within(start, low, high):
    """1 in the lanes whose start lies between low and high, 0 elsewhere."""
    here = count_up(float(start))
    above = where_greater(here, splat(low - 0.5), splat(1.0), splat(0.0))
    return where_greater(splat(high + 0.5), here, above, splat(0.0))


@njit(**INLINED)
def read_height(messages, base, row, start):
    """Log heights of the messages of eight starts; minus infinity outside the row."""
    height = load(messages, base + row.place + start - row.low)
    if start < row.low or start + LANES - 1 > row.high:
        height = where_greater(within(start, row.low, row.high), splat(0.0), height, splat(-float("inf")))
    return height


@njit(**INLINED)
def place_of(base, row, start):
    """Where the messages of eight starts begin."""
    return base + row.place + start - row.low


@njit(**INLINED)
def read_message(messages, place, length, size, turn, turn_packed, rotation, room, out):
    """Copy modes and precisions of eight messages into the room, turned into the parent's dimensions."""
    place += length
    for a in range(size):
        put(room, out, 1 + a, load(messages, place + turn[rotation, a] * length))
    place += size * length
    for entry in range(size * (size + 1) // 2):
        put(room, out, 1 + size + entry, load(messages, place + turn_packed[rotation, entry] * length))


@njit(**INNER)
def write_message(messages, base, row, start, room, message, numbers):
    """Copy eight messages from the room to their row."""
    at = base + row.place + start - row.low
    for number in range(numbers):
        store(messages, at + number * row.length, get(room, message, number))


@njit(**INNER)
def add_turned(messages, base, row, start, turn, turn_packed, rotation, room, derivatives):
    """Add eight messages' derivatives, given in the parent's dimensions, to those kept for the child."""
    size = turn.shape[1]
    at = base + row.place + start - row.low
    store(messages, at, load(messages, at) + load(room, derivatives))
    at += row.length
    for a in range(size):
        place = at + turn[rotation, a] * row.length
        store(messages, place, load(messages, place) + get(room, derivatives, 1 + a))
    at += size * row.length
    for entry in range(size * (size + 1) // 2):
        place = at + turn_packed[rotation, entry] * row.length
        store(messages, place, load(messages, place) + get(room, derivatives, 1 + size + entry))


@njit(**INLINED)
def overlaps(row, start):
    """Whether some of eight starts lie in the row."""
    return start <= row.high and start + LANES - 1 >= row.low


@njit(**INNER)
def blank_impossible(room, message, numbers):
    """Zeros in the lanes whose height is minus infinity: what was read there may be anything."""
    height = load(room, message)
    for number in range(1, numbers):
        value = where_greater(height, splat(-float("inf")), get(room, message, number), splat(0.0))
        put(room, message, number, value)


@njit(**INLINED)
def pair_heights(messages, link_base, left, left_row, right, right_row, left_width, start, room, one, two):
    """Copy the log heights of both children's messages into the room. Returns whether some lane has both."""
    if not overlaps(left_row, start) or not overlaps(right_row, start + left_width):
        return False
    left_height = read_height(messages, link_base[left], left_row, start)
    right_height = read_height(messages, link_base[right], right_row, start + left_width)
    store(room, one, left_height)
    store(room, two, right_height)
    return any_greater(left_height + right_height, splat(-float("inf")))


@njit(**INLINED)
def sticks_out(row, first, last):
    """Whether some start from first to last lies outside the row."""
    return first < row.low or last > row.high


@njit(**INNER)
def left_widths(rules, links, shortest, longest, r, width):
    """The smallest and largest width of the left child when rule r divides a span."""
    b, c = links[rules[r].left].child, links[rules[r].right].child
    return max(shortest[b], width - longest[c]), min(longest[b], width - shortest[c])


@njit(**INNER)
def emission_heights(plan, length_log_probability, emits, e, width, start, last, buffer):
    """The log probability of emission e for the spans of eight starts (the last of them is `last`), into a buffer."""
    for lane in range(LANES):
        i = min(start + lane, last)
        length = plan.positions[i + width] - plan.positions[i]
        buffer[lane] = emits[e].log_probability + length_log_probability[e, length]
        if not may_be_leaf(plan.allowed, i, i + width):
            buffer[lane] = -np.inf
    return load(buffer, 0)


@njit(**INNER)
def may_be_leaf(allowed, start, end):
    """Whether the user lets a span be a leaf."""
    return len(allowed) == 0 or allowed[start, end] == NODE


@njit(**INNER)
def choice_place(base, row, start, numbers):
    """Where the first number about the cell of a start is kept in `choices`; the others follow at the row's length."""
    return base + LANES + CHOICES * ((row.place - LANES) // numbers) + start - row.low
