"""Bounds are bounds: no split weighs more than what its children's ease and stiffness allow."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from recbayes.compiled.lanes import LANES
from recbayes.compiled.layout import (
    BOUNDS,
    EASE,
    STIFFNESS,
    lay_out_rows,
    message_entries,
    pack_messages,
    row_block,
    sizes_beside,
)
from recbayes.gaussian.kernels.bounds import write_bounds
from recbayes.gaussian.kernels.cells import read_cells
from recbayes.gaussian.kernels.room import make_room


@njit
def find_bounds(messages, rows, bounds, size):
    at = make_room(size)
    room = np.zeros(at.end)
    read_cells(messages, 0, rows[0, 0], 0, room, at.product, message_entries(size))
    write_bounds(bounds, 0, rows[0, 0], 0, room, size, at)


def bounds_of(precisions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ease and stiffness of eight messages."""
    size = precisions.shape[1]
    rows, sizes = lay_out_rows(np.zeros((1, 1), np.int64), np.full((1, 1), LANES - 1), size)
    messages, bounds = np.zeros(sizes[0]), np.zeros(sizes_beside(sizes, size, BOUNDS)[0])
    row_block(messages, 0, rows[0, 0], size)[:] = pack_messages(np.zeros(LANES), np.zeros((LANES, size)), precisions).T
    find_bounds(messages, rows, bounds, size)
    found = bounds[LANES : LANES + BOUNDS * LANES].reshape(BOUNDS, LANES)
    return found[EASE], found[STIFFNESS]


def precisions(rng: np.random.Generator, size: int, spread: float) -> np.ndarray:
    turns = np.linalg.qr(rng.normal(size=(LANES, size, size)))[0]
    scales = np.exp(rng.normal(scale=spread, size=(LANES, size)))
    return (turns * scales[:, None]) @ turns.swapaxes(1, 2)


@given(st.integers(1, 12), st.floats(0.0, 3.0), st.integers(0, 2**32 - 1))
def test_no_split_exceeds_its_bounds(size: int, spread: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, two = precisions(rng, size, spread), precisions(rng, size, spread)
    (e1, k1), (e2, k2) = bounds_of(one), bounds_of(two)
    d = rng.normal(size=(LANES, size))
    d[0] = np.linalg.eigh(one[0] @ np.linalg.solve(one[0] + two[0], two[0]))[1][:, 0]  # the softest direction
    between = one @ np.linalg.solve(one + two, two)
    height = -0.5 * np.einsum("na,nab,nb->n", d, between, d)
    weight = height - 0.5 * np.linalg.slogdet(one + two)[1]
    bound = -0.25 * np.minimum(k1, k2) * (d * d).sum(1)
    slack = 1e-9 * (1.0 + np.abs(weight))
    assert (height <= bound + slack).all()
    assert (weight <= bound + e1 + e2 + slack).all()
    least = np.linalg.eigvalsh(one)[:, 0]
    assert (k1 <= least * (1 + 1e-7)).all()
    assert (k1 >= 0.7 * least).all()


def test_flat_messages_are_never_passed_over() -> None:
    flat = np.zeros((LANES, 3, 3))
    flat[:, 0, 0] = 2.0
    ease, stiffness = bounds_of(flat)
    assert (ease == np.inf).all()
    assert (stiffness == 0.0).all()
