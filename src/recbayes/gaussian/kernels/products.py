"""Potentials of emissions as products: from the segments between neighbouring points to all spans, and the adjoint of that.

Observations of one leaf are independent given its value, so that the potential of a span is the product of its segments'. It
is built up one segment at a time, by width; derivatives go back the same way, from the widest spans down.
"""

import numpy as np
from numba import njit

from recbayes.compiled.adjoints import join_adjoint
from recbayes.compiled.lanes import BORROWING, INNER, KERNEL, LANES, store
from recbayes.compiled.layout import Row, cell_place, entry_place, message_entries
from recbayes.compiled.potentials import join, join_mode
from recbayes.gaussian.kernels.cells import add_cells, blank_impossible, read_cells, read_height, write_message
from recbayes.gaussian.kernels.derivatives import derivative_places
from recbayes.gaussian.kernels.moments_adjoint import solve_mode
from recbayes.gaussian.kernels.room import Room, make_room


@njit(**KERNEL)
def fill_products(messages: np.ndarray, emit_base: int, emit_rows: np.ndarray, size: int) -> None:
    """Fill the rows of all widths, from the potentials of the segments in the rows of width 1."""
    at = make_room(size)
    room = np.zeros(at.end)
    entries = message_entries(size)
    for width in range(2, emit_rows.shape[1]):
        for e in range(len(emit_rows)):
            row, shorter, segment = emit_rows[e, width], emit_rows[e, width - 1], emit_rows[e, 1]
            for start in range(row.low, row.high + 1, LANES):
                _read_factors(messages, emit_base, segment, shorter, start, room, at, entries)
                join(room, size, at.one, at.two, at.product, at.factor, at.pivots, at.vector, at.free)
                join_mode(room, size, at.one, at.product, at.factor, at.pivots, at.vector)
                write_message(messages, emit_base, row, start, room, at.product, entries)


@njit(**BORROWING)
def _read_factors(
    messages: np.ndarray, emit_base: int, segment: Row, shorter: Row, start: int, room: np.ndarray, at: Room, entries: int
) -> None:
    """The segment after the start, and the emission of one segment less that follows it."""
    read_cells(messages, emit_base, segment, start, room, at.one, entries)
    read_cells(messages, emit_base, shorter, start + 1, room, at.two, entries)
    store(room, at.one, read_height(messages, emit_base, segment, start))
    store(room, at.two, read_height(messages, emit_base, shorter, start + 1))


@njit(**KERNEL)
def fold_products(messages: np.ndarray, derivatives: np.ndarray, emit_base: int, emit_rows: np.ndarray, size: int) -> None:
    """Fold the derivatives of all widths into those of the segments, in the rows of width 1.

    The segments' own come last, after all that is folded into them, from the widest span to the narrowest.
    """
    at = make_room(size)
    to = derivative_places(size, at.end)
    room = np.zeros(to.end)
    entries = message_entries(size)
    own = _take_segments(derivatives, emit_base, emit_rows, entries)
    for width in range(emit_rows.shape[1] - 1, 1, -1):
        for e in range(len(emit_rows)):
            row, shorter, segment = emit_rows[e, width], emit_rows[e, width - 1], emit_rows[e, 1]
            for start in range(row.low, row.high + 1, LANES):
                read_cells(derivatives, emit_base, row, start, room, to.push, entries)
                _read_factors(messages, emit_base, segment, shorter, start, room, at, entries)
                blank_impossible(room, at.one, entries)
                blank_impossible(room, at.two, entries)
                join(room, size, at.one, at.two, at.product, at.factor, at.pivots, at.vector, at.free)
                join_mode(room, size, at.one, at.product, at.factor, at.pivots, at.vector)
                solve_mode(room, size, at, to)
                join_adjoint(room, size, at.one, at.product, to.push, to.t, to.give)
                add_cells(derivatives, emit_base, segment, start, room, to.give, entries)
                join_adjoint(room, size, at.two, at.product, to.push, to.t, to.give)
                add_cells(derivatives, emit_base, shorter, start + 1, room, to.give, entries)
    for e in range(len(emit_rows)):
        begin, end = _segments(emit_base, emit_rows[e, 1], entries)
        for place in range(begin, end):
            derivatives[place] += own[e, place - begin]


@njit(**BORROWING)
def _segments(emit_base: int, row: Row, entries: int) -> tuple[int, int]:
    """Where a row begins and ends."""
    return cell_place(emit_base, row, row.low), entry_place(cell_place(emit_base, row, row.low), row.length, entries)


@njit(**INNER)
def _take_segments(derivatives: np.ndarray, emit_base: int, emit_rows: np.ndarray, entries: int) -> np.ndarray:
    """The derivatives in the rows of width 1, which are left zero."""
    longest = 0
    for e in range(len(emit_rows)):
        longest = max(longest, emit_rows[e, 1].length)
    own = np.zeros((len(emit_rows), entries * longest))
    for e in range(len(emit_rows)):
        begin, end = _segments(emit_base, emit_rows[e, 1], entries)
        for place in range(begin, end):
            own[e, place - begin] = derivatives[place]
            derivatives[place] = 0.0
    return own
