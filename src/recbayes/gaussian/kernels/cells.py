"""Reading and writing eight neighbouring cells of a row, or one."""

import numpy as np
from numba import njit

from recbayes.compiled.lanes import (
    BORROWING,
    INLINED,
    LANES,
    Lanes,
    count_up,
    get,
    load,
    put,
    splat,
    store,
    where_greater,
)
from recbayes.compiled.layout import MODE, Row, cell_place, entry_place, in_lane, precision_from, triangle_entries

NEGLIGIBLE = 40.0  # alternatives this many nats below the best one cannot be seen in float64
EMPTY, ONLY_EMISSION, ONLY_SPLIT, MIXTURE, FLAT_MIXTURE = 0.0, 1.0, 2.0, 3.0, 4.0  # how a cell's message came about


@njit(**INLINED)
def within(start: int, low: int, high: int) -> Lanes:
    """1 in the lanes whose start lies between low and high, 0 elsewhere."""
    here = count_up(float(start))
    above = where_greater(here, splat(low - 0.5), splat(1.0), splat(0.0))
    return where_greater(splat(high + 0.5), here, above, splat(0.0))


@njit(**INLINED)
def overlaps(row: Row, start: int) -> bool:
    """Whether some of eight starts lie in the row."""
    return start <= row.high and start + LANES - 1 >= row.low


@njit(**INLINED)
def sticks_out(row: Row, first: int, last: int) -> bool:
    """Whether some start from first to last lies outside the row."""
    return first < row.low or last > row.high


@njit(**INLINED)
def read_height(messages: np.ndarray, base: int, row: Row, start: int) -> Lanes:
    """Log heights of the messages of eight starts; minus infinity outside the row."""
    height = load(messages, cell_place(base, row, start))
    if start < row.low or start + LANES - 1 > row.high:
        height = where_greater(within(start, row.low, row.high), splat(0.0), height, splat(-float("inf")))
    return height


@njit(**INLINED)
def read_message(
    messages: np.ndarray,
    place: int,
    length: int,
    size: int,
    shifts: np.ndarray,
    shifts_packed: np.ndarray,
    shift: int,
    room: np.ndarray,
    out: int,
) -> None:
    """Copy modes and precisions of eight messages into the room, shifted into the parent's dimensions."""
    for a in range(size):
        put(room, out, MODE + a, load(messages, entry_place(place, length, MODE + shifts[shift, a])))
    begin = precision_from(size)
    for entry in range(triangle_entries(size)):
        put(room, out, begin + entry, load(messages, entry_place(place, length, begin + shifts_packed[shift, entry])))


@njit(**BORROWING)
def read_lane(
    messages: np.ndarray,
    place: int,
    length: int,
    shifts: np.ndarray,
    shifts_packed: np.ndarray,
    shift: int,
    room: np.ndarray,
    out: int,
    lane: int,
) -> None:
    """Likewise for one message and one lane."""
    size = shifts.shape[1]
    for a in range(size):
        room[in_lane(out, MODE + a, lane)] = messages[entry_place(place, length, MODE + shifts[shift, a])]
    begin = precision_from(size)
    for entry in range(triangle_entries(size)):
        source = entry_place(place, length, begin + shifts_packed[shift, entry])
        room[in_lane(out, begin + entry, lane)] = messages[source]


@njit(**BORROWING)
def read_cells(messages: np.ndarray, base: int, row: Row, start: int, room: np.ndarray, out: int, entries: int) -> None:
    """Copy eight messages into the room as they are."""
    place = cell_place(base, row, start)
    for entry in range(entries):
        put(room, out, entry, load(messages, entry_place(place, row.length, entry)))


@njit(**BORROWING)
def write_message(
    messages: np.ndarray, base: int, row: Row, start: int, room: np.ndarray, message: int, entries: int
) -> None:
    """Copy eight messages from the room to their row."""
    place = cell_place(base, row, start)
    for entry in range(entries):
        store(messages, entry_place(place, row.length, entry), get(room, message, entry))


@njit(**INLINED)
def add_cells(
    messages: np.ndarray, base: int, row: Row, start: int, room: np.ndarray, derivatives: int, entries: int
) -> None:
    """Add eight messages' derivatives to those in their row."""
    place = cell_place(base, row, start)
    for entry in range(entries):
        at = entry_place(place, row.length, entry)
        store(messages, at, load(messages, at) + get(room, derivatives, entry))


@njit(**INLINED)
def inline_add_shifted(
    messages: np.ndarray,
    place: int,
    length: int,
    shifts: np.ndarray,
    shifts_packed: np.ndarray,
    shift: int,
    room: np.ndarray,
    size: int,
    derivatives: int,
) -> None:
    """Add eight messages' derivatives, given in the parent's dimensions, to those kept for the child."""
    store(messages, place, load(messages, place) + load(room, derivatives))
    for a in range(size):
        at = entry_place(place, length, MODE + shifts[shift, a])
        store(messages, at, load(messages, at) + get(room, derivatives, MODE + a))
    begin = precision_from(size)
    for entry in range(triangle_entries(size)):
        at = entry_place(place, length, begin + shifts_packed[shift, entry])
        store(messages, at, load(messages, at) + get(room, derivatives, begin + entry))


@njit(**BORROWING)
def add_shifted(
    messages: np.ndarray,
    place: int,
    length: int,
    shifts: np.ndarray,
    shifts_packed: np.ndarray,
    shift: int,
    room: np.ndarray,
    derivatives: int,
) -> None:
    inline_add_shifted(messages, place, length, shifts, shifts_packed, shift, room, shifts.shape[1], derivatives)


@njit(**INLINED)
def blank_impossible(room: np.ndarray, message: int, entries: int) -> None:
    """Zeros in the lanes whose height is minus infinity: what was read there may be anything."""
    height = load(room, message)
    for entry in range(MODE, entries):
        value = where_greater(height, splat(-float("inf")), get(room, message, entry), splat(0.0))
        put(room, message, entry, value)


@njit(**BORROWING)
def lane_sum(room: np.ndarray, place: int) -> float:
    """The sum of all lanes."""
    total = 0.0
    for lane in range(LANES):
        total += room[place + lane]
    return total
