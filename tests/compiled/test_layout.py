"""Both faces of the layout agree: what kernels compute, and what NumPy does with the same formulas."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from recbayes.compiled import layout
from recbayes.compiled.lanes import LANES

sizes = st.integers(1, 16)


@njit
def message_formulas(size, row, column):
    return (
        layout.triangle_entries(size),
        layout.lower(max(row, column), min(row, column)),
        layout.packed(row, column),
        layout.precision_from(size),
        layout.message_entries(size),
        layout.nth_message(row, column, size),
        layout.lanes_room(size),
        layout.whole_groups(size),
        layout.in_lane(row, column, 3),
        layout.triangle_room(size),
        layout.message_room(size),
        layout.mode_of(row),
        layout.precision_of(row, size),
        layout.map_from(size),
        layout.offset_from(size),
        layout.link_entries(size),
        layout.link_place(row, size),
        layout.reference_place(row, column, size),
        layout.component_stride(row * 8, 8),
    )


@njit
def cell_formulas(base, rows, start, size, entry):
    row = rows[0, 1]
    place = layout.cell_place(base, row, start)
    return place, layout.entry_place(place, row.length, entry), layout.choice_place(base, row, start, size)


@given(sizes, st.integers(0, 100), st.integers(0, 100))
def test_kernels_contain_the_formulas(size: int, row: int, column: int) -> None:
    high, low = max(row, column), min(row, column)
    assert message_formulas(size, row, column) == (
        layout.triangle_entries(size),
        layout.lower(high, low),
        layout.lower(high, low),
        layout.precision_from(size),
        layout.message_entries(size),
        layout.nth_message(row, column, size),
        layout.lanes_room(size),
        layout.whole_groups(size),
        layout.in_lane(row, column, 3),
        layout.triangle_room(size),
        layout.message_room(size),
        layout.mode_of(row),
        layout.precision_of(row, size),
        layout.map_from(size),
        layout.offset_from(size),
        layout.link_entries(size),
        layout.link_place(row, size),
        layout.reference_place(row, column, size),
        layout.component_stride(row * 8, 8),
    )


@st.composite
def laid_out(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, int]:
    """Rows of some stores and widths with any intervals of starts, some of them empty."""
    shape = draw(st.tuples(st.integers(1, 3), st.integers(2, 5)))
    numbers = st.integers(0, 20)
    low = np.array(draw(st.lists(numbers, min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]))).reshape(shape)
    count = np.array(draw(st.lists(numbers, min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]))).reshape(shape)
    size = draw(sizes)
    return *layout.lay_out_rows(low, low + count - 1, size), size


@given(laid_out(), st.integers(0, 1000), st.integers(0, 50))
def test_places_of_cells(stores: tuple[np.ndarray, np.ndarray, int], base: int, start: int) -> None:
    rows, _, size = stores
    row = rows[0, 1]
    entry = layout.message_entries(size) - 1
    place = layout.cell_places(base, row, start)
    expected = place, layout.entry_place(place, row["length"], entry), layout.choice_places(base, row, start, size)
    assert cell_formulas(base, rows, start, size, entry) == expected
    starts = np.arange(5)
    chosen = rows[np.zeros(5, dtype=int), np.ones(5, dtype=int)]
    assert layout.cell_places(base, chosen, starts).tolist() == [layout.cell_places(base, row, one) for one in range(5)]


@given(laid_out())
def test_rows_neither_overlap_nor_leave_their_store(stores: tuple[np.ndarray, np.ndarray, int]) -> None:
    rows, store_sizes, size = stores
    layout.put_end_to_end(rows, store_sizes)
    array = np.full(store_sizes.sum(), np.nan)
    for number, row in enumerate(rows.ravel()):
        block = layout.row_block(array, 0, row, size)
        assert np.isnan(block).all()
        assert block.shape[1] % LANES == 0
        assert block.shape[1] >= row["high"] + 1 - row["low"]
        block[:] = number
    assert np.isnan(array[:LANES]).all()
    assert np.isnan(array[-LANES:]).all()


@given(laid_out())
def test_choices_of_different_cells_are_different(stores: tuple[np.ndarray, np.ndarray, int]) -> None:
    rows, store_sizes, size = stores
    seen: set[int] = set()
    room = layout.sizes_beside(store_sizes, size, layout.CHOICES)[0]
    for row in rows[0]:
        for start in range(row["low"], row["high"] + 1):
            first = layout.choice_places(0, row, start, size)
            places = {int(layout.entry_place(first, row["length"], entry)) for entry in range(layout.CHOICES)}
            assert len(places) == layout.CHOICES
            assert not places & seen
            assert max(places) < room
            seen |= places


@given(sizes, st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_packing_and_unpacking(size: int, count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    roots = rng.normal(size=(count, size, size))
    height, mode, precision = rng.normal(size=count), rng.normal(size=(count, size)), roots + roots.swapaxes(1, 2)
    messages = layout.pack_messages(height, mode, precision)
    assert messages.shape == (count, layout.message_entries(size))
    for a in range(size):
        np.testing.assert_array_equal(messages[:, layout.MODE + a], mode[:, a])
        for b in range(a + 1):
            entry = layout.precision_from(size) + layout.lower(a, b)
            np.testing.assert_array_equal(messages[:, entry], precision[:, a, b])
    for found, given_part in zip(layout.unpack_messages(messages, size), (height, mode, precision), strict=True):
        np.testing.assert_array_equal(found, given_part)


@given(laid_out(), st.integers(0, 2**32 - 1))
def test_writing_and_reading_a_cell(stores: tuple[np.ndarray, np.ndarray, int], seed: int) -> None:
    rows, store_sizes, size = stores
    array = np.zeros(store_sizes[0])
    message = np.random.default_rng(seed).normal(size=layout.message_entries(size))
    for row in rows[0]:
        if row["low"] <= row["high"]:
            layout.write_cell(array, 0, row, row["high"], size, message)
            np.testing.assert_array_equal(layout.read_cell(array, 0, row, row["high"], size), message)
            np.testing.assert_array_equal(layout.row_block(array, 0, row, size)[:, row["high"] - row["low"]], message)


@given(sizes)
def test_constants_of_a_link(size: int) -> None:
    constants = np.arange(float(layout.link_entries(size)))
    covariance, map_, offset = layout.link_blocks(constants, size)
    assert (covariance[0, 0], map_[0, 0], offset[0]) == (0.0, layout.map_from(size), layout.offset_from(size))
    assert covariance.shape == map_.shape == (size, size)
    assert offset.shape == (size,)
