"""Where numbers lie in memory: the one file that knows.

A *message* in D dimensions has 1 + D + D (D + 1) / 2 entries: its log height (or log mass), its mode (or mean), and the
lower triangle of its precision (or covariance), row by row. Variables of fewer dimensions leave the last ones blank.

- In the *chart* a row holds the messages of one variable and width, entry after entry, of all starts from `low` to `high`:
  the starts are neighbours, so that a kernel can read eight at once.
- In the *room* of a kernel every entry takes LANES places, one for each of eight messages.
- In *lists* (of nodes, of references) messages follow one another, entry by entry.

Formulas (`recbayes.compiled.formulas`) are plain Python, which kernels contain as they stand and everybody else evaluates,
on arrays of whole numbers too. Where the two name a row's fields differently, there are two faces of the same formula.
"""

from typing import Any

import numpy as np
from numba import njit

from recbayes.compiled.formulas import formula
from recbayes.compiled.lanes import INLINED, LANES

ROW = np.dtype([(name, np.int64) for name in ("low", "high", "place", "length")], align=True)
Row = Any  # what annotations call one of a structured array: a row of the chart, a rule, a link
HEIGHT, MODE = 0, 1  # entries of a message; the precision begins at `precision_from`
CHOICES = 3  # kept of every cell: how its message came about, and its best alternative
ORIGIN, BEST_RULE, BEST_SPLIT = range(CHOICES)
BOUNDS = 2  # kept of every message that went through a link while charts are filled: how much it can add to a split
EASE, STIFFNESS = range(BOUNDS)


# Messages


@formula
def triangle_entries(size: int) -> int:
    """Entries of a packed symmetric matrix: its lower triangle, row by row."""
    return size * (size + 1) // 2


@formula
def lower(row: int, column: int) -> int:
    """Where an entry of a packed symmetric matrix stands, for row >= column."""
    return triangle_entries(row) + column


@njit(**INLINED)
def packed(row: int, column: int) -> int:
    """Where an entry of a packed symmetric matrix stands, in whichever order it is named."""
    return lower(row, column) if row >= column else lower(column, row)


@formula
def square_entry(row: int, column: int, size: int) -> int:
    """Where an entry of an ordinary matrix stands: row by row."""
    return row * size + column


@formula
def precision_from(size: int) -> int:
    """The entry at which a message's precision begins."""
    return MODE + size


@formula
def message_entries(size: int) -> int:
    """Entries of a message."""
    return precision_from(size) + triangle_entries(size)


@formula
def nth_message(first: int, n: int, size: int) -> int:
    """Where message n of a list stands."""
    return first + n * message_entries(size)


# The room of a kernel


@formula
def lanes_room(count: int) -> int:
    """Places that so many numbers take, each in all lanes."""
    return count * LANES


@formula
def square_room(size: int) -> int:
    """Places of an ordinary matrix in the room."""
    return lanes_room(size * size)


@formula
def whole_groups(count: int) -> int:
    """Groups of lanes that so many things take, one a lane."""
    return (count + LANES - 1) // LANES


@formula
def in_lane(place: int, entry: int, lane: int) -> int:
    """The place of one lane of an entry of what begins at a place."""
    return place + lanes_room(entry) + lane


@formula
def triangle_room(size: int) -> int:
    """Places of a packed symmetric matrix."""
    return lanes_room(triangle_entries(size))


@formula
def message_room(size: int) -> int:
    """Places of a message."""
    return lanes_room(message_entries(size))


@formula
def mode_of(message: int) -> int:
    """The place of a message's mode."""
    return message + lanes_room(MODE)


@formula
def precision_of(message: int, size: int) -> int:
    """The place of a message's precision."""
    return message + lanes_room(precision_from(size))


# The chart


@formula
def _cell(base: int, place: int, low: int, start: int) -> int:
    return base + place + start - low


@njit(**INLINED)
def cell_place(base: int, row: Row, start: int) -> int:
    """Where the message of a cell begins; those of the following starts are its neighbours."""
    return _cell(base, row.place, row.low, start)


def cell_places(base: np.ndarray | int, rows: np.ndarray | np.void, starts: np.ndarray | int) -> np.ndarray:
    """`cell_place` of one cell or many."""
    return _cell(base, rows["place"], rows["low"], starts)


@formula
def entry_place(place: int, length: int, entry: int) -> int:
    """Where an entry of a message stands that begins at a place of a row of that length."""
    return place + entry * length


@formula
def _beside(base: int, place: int, low: int, start: int, size: int, entries: int) -> int:
    # A store begins with room for a group of lanes; after it, rows have so many entries where messages have theirs.
    return base + LANES + entries * ((place - LANES) // message_entries(size)) + start - low


@njit(**INLINED)
def choice_place(base: int, row: Row, start: int, size: int) -> int:
    """Where the choices of a cell begin; their entries, too, are a row's length apart."""
    return _beside(base, row.place, row.low, start, size, CHOICES)


def choice_places(base: np.ndarray | int, rows: np.ndarray | np.void, starts: np.ndarray | int, size: int) -> np.ndarray:
    """`choice_place` of one cell or many."""
    return _beside(base, rows["place"], rows["low"], starts, size, CHOICES)


@njit(**INLINED)
def bound_place(base: int, row: Row, start: int, size: int) -> int:
    """Likewise for the bounds of a cell's message that went through a link."""
    return _beside(base, row.place, row.low, start, size, BOUNDS)


@formula
def component_stride(places: int, components: int) -> int:
    """How far apart the Gaussians of a message are in an array of so many places: each has a whole chart of its own."""
    return places // components


def lay_out_rows(low: np.ndarray, high: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows (stores, widths) for the given intervals of starts, and the size of each store.

    A store has its rows, of whole groups of lanes, one after the other, and room for a group of lanes at either end.
    """
    rows = np.zeros(low.shape, dtype=ROW)
    count = np.maximum(high - low + 1, 0)
    rows["low"], rows["high"] = low, high
    rows["length"] = lanes_room(whole_groups(count))
    ends = LANES + np.cumsum(message_entries(size) * rows["length"], axis=1)
    rows["place"] = ends - message_entries(size) * rows["length"]
    return rows, ends[:, -1] + LANES


def put_end_to_end(rows: np.ndarray, sizes: np.ndarray) -> None:
    """Let the rows of several stores have places in one array, store after store."""
    rows["place"] += (np.cumsum(sizes) - sizes)[:, None]


def sizes_beside(sizes: np.ndarray, size: int, entries: int) -> np.ndarray:
    """The sizes of what goes with stores of messages of the given sizes, CHOICES or BOUNDS entries for each."""
    return entries * (sizes // message_entries(size)) + 2 * LANES


def row_block(array: np.ndarray, base: int, row: np.void, size: int) -> np.ndarray:
    """A row of the chart as a view: one line per entry, one column per start."""
    first, entries, length = base + row["place"], message_entries(size), row["length"]
    return array[first : first + entries * length].reshape(entries, length)


def read_cell(array: np.ndarray, base: int, row: np.void, start: int, size: int) -> np.ndarray:
    """The entries of a cell's message: (..., places) to (..., entries)."""
    return np.take(array, _entries_of_cell(base, row, start, size), axis=-1)


def write_cell(array: np.ndarray, base: int, row: np.void, start: int, size: int, message: np.ndarray) -> None:
    """Put a message into its cell."""
    array[_entries_of_cell(base, row, start, size)] = message


def _entries_of_cell(base: int, row: np.void, start: int, size: int) -> np.ndarray:
    return entry_place(cell_places(base, row, start), row["length"], np.arange(message_entries(size)))


# The constants of a model: covariance, map and offset of every link, then a reference (a message) for every variable


@formula
def map_from(size: int) -> int:
    """Where a link's map begins among its constants; its covariance comes first."""
    return size * size


@formula
def offset_from(size: int) -> int:
    """Where a link's offset begins among its constants."""
    return 2 * size * size


@formula
def link_entries(size: int) -> int:
    """Constants of a link."""
    return offset_from(size) + size


@formula
def link_place(link: int, size: int) -> int:
    """Where the constants of a link begin."""
    return link * link_entries(size)


@formula
def reference_place(links: int, v: int, size: int) -> int:
    """Where the reference of variable v begins, after so many links."""
    return link_place(links, size) + v * message_entries(size)


# Arrays of messages, the entries along the last axis


def pack_symmetric(matrices: np.ndarray) -> np.ndarray:
    """Packed lower triangles of symmetric matrices: (..., D, D) to (..., D (D + 1) / 2)."""
    return matrices[(..., *np.tril_indices(matrices.shape[-1]))]


def unpack_symmetric(triangles: np.ndarray, size: int) -> np.ndarray:
    """Symmetric matrices from their packed lower triangles."""
    rows, columns = np.tril_indices(size)
    matrices = np.zeros((*triangles.shape[:-1], size, size))
    matrices[..., rows, columns] = matrices[..., columns, rows] = triangles
    return matrices


def pack_messages(height: np.ndarray | float, mode: np.ndarray, precision: np.ndarray) -> np.ndarray:
    """Messages from their parts: (...), (..., D), (..., D, D) to (..., entries)."""
    return np.concatenate([np.asarray(height)[..., None], mode, pack_symmetric(precision)], axis=-1)


def unpack_messages(messages: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Heights, modes and precisions of messages."""
    begin = precision_from(size)
    return messages[..., HEIGHT], messages[..., MODE:begin], unpack_symmetric(messages[..., begin:], size)


def link_blocks(links: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Covariances, maps and offsets among the constants of links: views of (..., link entries)."""
    shape = (*links.shape[:-1], size, size)
    covariance, map_, offset = np.split(links, [map_from(size), offset_from(size)], axis=-1)
    return covariance.reshape(shape), map_.reshape(shape), offset
