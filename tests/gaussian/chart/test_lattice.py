"""Flat segmentations on a lattice: against all pairs of points, and what is left out where starts are dropped or thinned."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import recbayes as rb
from recbayes.checks.series import Series
from recbayes.gaussian.chart.flat import boundary_probability, span_evidence
from recbayes.gaussian.chart.lattice import Flat, blocks_of, flat_pass, lattice_of, only
from recbayes.gaussian.kernels.lattice import ROOM

LOG_SHARE = -0.2


def leaf_of(columns: int, trend: bool, autoregressive: bool, each_column: bool, minimum: int) -> rb.Leaf:
    return rb.Leaf(
        1.0,
        np.linspace(0.5, 0.8, columns),
        rb.Geometric(minimum + 4.0, minimum),
        noise_levels=[0.5, 1.0, 2.0],
        coefficients=[0.0, 0.7] if autoregressive else [0.0],
        trend_std=np.full(columns, 1.5) if trend else None,
        start_std=0.8,
        each_column=each_column,
    ).checked("leaf", columns)


def by_lattice(leaf: rb.Leaf, series: Series, positions: np.ndarray, mean: np.ndarray, variance: np.ndarray) -> Flat:
    blocks = blocks_of(leaf, series, positions)
    lattice = lattice_of(blocks, series, positions, [leaf.length], LOG_SHARE, mean, variance, leaf.each_column)
    return flat_pass(lattice, leaf.length, LOG_SHARE)


@settings(max_examples=40)
@given(
    columns=st.integers(1, 2),
    trend=st.booleans(),
    autoregressive=st.booleans(),
    each_column=st.booleans(),
    minimum=st.integers(1, 3),
    offset=st.sampled_from([0.0, 1e6]),
    seed=st.integers(0, 2**32 - 1),
    data=st.data(),
)
def test_it_is_what_all_pairs_of_points_say(
    columns: int,
    trend: bool,
    autoregressive: bool,
    each_column: bool,
    minimum: int,
    offset: float,
    seed: int,
    data: st.DataObject,
) -> None:
    rng = np.random.default_rng(seed)
    length = int(rng.integers(minimum, 40))
    values = (
        rng.normal(size=(length, columns)) + offset + 3.0 * np.repeat(rng.normal(size=(4, columns)), 10, axis=0)[:length]
    )
    values[rng.random(values.shape) < 0.15] = np.nan
    times = np.cumsum(rng.integers(1, 3, size=length)) if data.draw(st.booleans()) else None
    series = Series(values) if times is None else Series(values, times=times)
    inner = np.flatnonzero(rng.random(length + 1) < 0.7)
    positions = np.unique(np.concatenate([[0, length], inner]))
    leaf = leaf_of(columns, trend, autoregressive, each_column, minimum)
    mean, variance = np.full(columns, offset + 0.3), np.full(columns, 2.0)
    _, evidence = span_evidence(leaf, series, positions, mean, variance)
    log_evidence, probability = boundary_probability(evidence, leaf.length, series, positions, LOG_SHARE)
    found = by_lattice(leaf, series, positions, mean, variance)
    if log_evidence == -np.inf:
        assert found.log_evidence == -np.inf
        return
    assert found.log_evidence == pytest.approx(log_evidence, abs=1e-6, rel=1e-9)
    np.testing.assert_allclose(found.boundaries, probability, atol=1e-6)


def test_one_member_is_the_leaf_without_others() -> None:
    rng = np.random.default_rng(0)
    series, positions = Series(rng.normal(size=(30, 1))), np.arange(31)
    leaf = leaf_of(1, True, True, False, 1)
    by_member, _ = span_evidence(leaf, series, positions, np.zeros(1), np.ones(1))
    for m in range(len(leaf.bank)):
        own = only(blocks_of(leaf, series, positions), m)
        lattice = lattice_of(own, series, positions, [leaf.length], LOG_SHARE, np.zeros(1), np.ones(1), False)
        expected, _ = boundary_probability(by_member[m], leaf.length, series, positions, LOG_SHARE)
        assert flat_pass(lattice, leaf.length, LOG_SHARE).log_evidence == pytest.approx(expected, abs=1e-8)


def test_what_is_dropped_and_thinned_hardly_matters() -> None:
    """More points than there is room for, so that starts that are long past are thinned: the evidence is bounded from below,
    the change is where it is, and probabilities of spans that end at a point are that of a boundary there."""
    rng = np.random.default_rng(0)
    length = 4 * ROOM
    y = rng.normal(size=(length, 1)) * 0.6
    y[1000:] += 1.5
    series, positions = Series(y), np.arange(length + 1)
    leaf = leaf_of(1, False, False, False, 1)
    leaf = rb.Leaf(1.0, leaf.noise_std, rb.Geometric(400.0), noise_levels=leaf.noise_levels).checked("leaf", 1)
    mean, variance = np.zeros(1), np.ones(1)
    _, evidence = span_evidence(leaf, series, positions, mean, variance)
    exact, probability = boundary_probability(evidence, leaf.length, series, positions, LOG_SHARE)
    blocks = blocks_of(leaf, series, positions)
    lattice = lattice_of(blocks, series, positions, [leaf.length], LOG_SHARE, mean, variance, False)
    found = flat_pass(lattice, leaf.length, LOG_SHARE)
    assert np.diff(lattice.first).max() <= ROOM
    assert exact - 0.1 < found.log_evidence <= exact + 1e-9
    assert np.abs(found.boundaries - probability).max() < 0.05
    by_end = np.bincount(lattice.ends, weights=np.exp(found.spans), minlength=len(positions))
    np.testing.assert_allclose(by_end[1:], found.boundaries[1:], atol=1e-9)
