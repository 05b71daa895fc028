"""Wide spans end at strong points: their number, and that all boundaries can still be had together."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recbayes.spans.wide import strong_ends
from recbayes.tree.known import INNER, NO_NODE


@given(points=st.integers(2, 200), narrow=st.integers(2, 16), seed=st.integers(0, 2**32 - 1))
def test_every_point_can_be_a_boundary_of_one_tree(points: int, narrow: int, seed: int) -> None:
    """A node splits, wherever it may, down to single segments."""
    mask = strong_ends(np.random.default_rng(seed).random(points), 4 * narrow)
    waiting = [(0, points - 1)]
    while waiting:
        start, end = waiting.pop()
        assert mask[start, end] == INNER
        if end - start == 1:
            continue
        splits = [k for k in range(start + 1, end) if mask[start, k] == INNER and mask[k, end] == INNER]
        assert splits, (start, end)
        middle = min(splits, key=lambda k: abs(2 * k - start - end))
        waiting += [(start, middle), (middle, end)]


def test_narrow_spans_end_anywhere_and_wide_ones_do_not() -> None:
    mask = strong_ends(np.random.default_rng(0).random(100), 16)
    starts, ends = np.triu_indices(100, 1)
    assert (mask[starts, ends][ends - starts <= 16] == INNER).all()
    assert (mask[starts, ends][ends - starts > 16] == NO_NODE).mean() > 0.5
    assert (mask[np.tril_indices(100)] == NO_NODE).all()


def test_the_stronger_of_two_neighbours_stays() -> None:
    strength = np.tile([0.1, 0.9], 32)
    mask = strong_ends(np.concatenate([[1.0], strength, [1.0]]), 8)
    assert (mask[1, 10:] == NO_NODE).all()
    assert mask[2, 12] == INNER


@pytest.mark.parametrize("points", [1000, 2000])
def test_their_number_grows_hardly_faster_than_the_points(points: int) -> None:
    count = (strong_ends(np.random.default_rng(1).random(points)) == INNER).sum()
    assert count < 25 * points * np.log2(points)
