"""Arithmetic in lanes against numpy, number by number."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from recbayes.compiled.lanes import LANES, any_greater, count_up, lanes_exp, lanes_log, load, splat, store, where_greater


@njit
def compute(x, y, out):
    a, b = load(x, 0), load(y, 0)
    store(out, 0, lanes_log(a))
    store(out, LANES, lanes_exp(splat(0.0) - a))
    store(out, 2 * LANES, (a + b) * (a - b) / b)
    store(out, 3 * LANES, where_greater(a, b, a, b))
    store(out, 4 * LANES, count_up(2.5))
    return any_greater(a, b)


positive = st.lists(st.floats(1e-300, 1e300), min_size=LANES, max_size=LANES).map(np.array)


@given(positive, positive)
def test_lanes_agree_with_numpy(x: np.ndarray, y: np.ndarray) -> None:
    out = np.zeros((5, LANES))
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        greater = compute(x, y, out.reshape(-1))
        np.testing.assert_allclose(out[0], np.log(x), rtol=1e-15, atol=1e-17)
        near = x < 690
        np.testing.assert_allclose(out[1][near], np.exp(-x[near]), rtol=2e-15)
        assert (out[1][x > 701] == 0).all()
        expected = (x + y) * (x - y) / y
        finite = np.isfinite(expected) & (np.abs(expected) > 1e-290)
        np.testing.assert_allclose(out[2][finite], expected[finite], rtol=1e-15)
    np.testing.assert_array_equal(out[3], np.maximum(x, y))
    np.testing.assert_array_equal(out[4], 2.5 + np.arange(LANES))
    assert greater == bool((x > y).any())


def test_exp_of_minus_infinity_and_nan_is_zero() -> None:
    out = np.zeros((5, LANES))
    compute(np.full(LANES, np.inf), np.ones(LANES), out.reshape(-1))
    assert (out[1] == 0).all()
