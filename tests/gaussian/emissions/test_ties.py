"""Several observations at one time: leaves against their definition, and kernels that keep to their arrays."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import logsumexp
from scipy.stats import norm

import recbayes as rb
from recbayes.checks.series import Series, as_series
from recbayes.gaussian.emissions.nearest import Expected
from recbayes.gaussian.emissions.regression import column_potentials, span_places
from recbayes.gaussian.posterior.careful import careful_log_joint
from tests.gaussian.emissions import dense
from tests.gaussian.emissions.test_leaf import KINDS, model

MEMORY = {"coefficients": [0.7], "start_std": 0.9}
OUTLIERS = {"outlier_probability": 0.15, "outlier_std": 4.0}
STEPS = st.lists(st.sampled_from([0, 0, 0, 1, 3]), min_size=1, max_size=4)


def tied(steps: list[int], seed: int, columns: int = 1, missing: float = 0.2) -> Series:
    """Observations so far apart."""
    rng = np.random.default_rng(seed)
    y = rng.normal(size=(len(steps) + 1, columns)) * 2.0
    y[rng.random(y.shape) < missing] = np.nan
    return as_series(Series(y, times=np.cumsum([0, *steps]), unit=1), columns)


def points_of(series: Series) -> np.ndarray:
    return np.flatnonzero(np.diff(dense.ticks_of(series), prepend=-1))


@settings(max_examples=40, deadline=None)
@given(st.sampled_from([*KINDS, "observed"]), st.integers(1, 2), STEPS, st.integers(0, 10**6))
def test_every_tree_has_its_density(kind: str, columns: int, steps: list[int], seed: int) -> None:
    """Leaves begin where times do, and last from there."""
    if kind == "observed":
        one, series = model(columns, coefficients=[0.7], past="observed"), tied(steps, seed, columns)
        tree = rb.Tree([rb.Node(0, len(series), "x", "emit")], [0])  # has no past
        restarted = model(columns, coefficients=[0.7])
        assert rb.log_joint(one, series, tree) == pytest.approx(dense.log_joint(restarted, series, tree), abs=1e-9)
        return
    few = 2 if kind in ("bank", "all") else 4  # every leaf has a choice there
    one, series = model(columns, **KINDS[kind]), tied(steps[:few], seed, columns)
    points = set(points_of(series).tolist())
    trees = [tree for tree in dense.trees(one, len(series)) if {node.start for node in tree.nodes} <= points]
    for tree in trees[:: 1 + len(trees) // 6]:
        right = dense.log_joint(one, series, tree)
        assert rb.log_joint(one, series, tree) == pytest.approx(right, abs=1e-9)
        assert careful_log_joint(one, series, tree) == pytest.approx(right, abs=1e-9)


@pytest.mark.parametrize("kind", [{}, {"trend_std": 2.0}, MEMORY])
@pytest.mark.parametrize("steps", [[0, 0, 0, 0, 0], [0, 0, 0, 0, 2], [2, 0, 0, 0, 0]])
def test_outliers_are_summed_over(kind: dict, steps: list[int]) -> None:
    """The evidence of all trees and all sets of outliers, enumerated."""
    one, series = model(**kind, **OUTLIERS), tied(steps, 3, missing=0.0)
    points = set(points_of(series).tolist())
    trees = [tree for tree in dense.trees(one, len(series)) if {node.start for node in tree.nodes} <= points]
    right = logsumexp([dense.log_joint(one, series, tree) for tree in trees])
    found = rb.sample_posterior(one, series, draws=2000, seed=0)
    assert found.log_evidence == pytest.approx(right, abs=5 * found.log_evidence_error + 0.01)


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(["level", "trend", "memory"]), STEPS, st.integers(0, 10**6))
def test_the_mass_of_likely_sets_is_that_of_all(kind: str, steps: list[int], seed: int) -> None:
    """Of the first observations of a leaf, all sets are followed: where they are few, no mass is lost, nor made."""
    series, more = tied(steps[:3], seed), {"level": {}, "trend": {"trend_std": 2.0}, "memory": MEMORY}[kind]
    series = Series(series.values[:3], times=series.times[:3], unit=1) if series.times is not None else series
    leaf = rb.Leaf(1.0, 0.5, rb.Geometric(3.0), **more, **OUTLIERS).checked("leaf", 1)
    points = points_of(series)
    found = column_potentials(leaf, series, points, len(points) - 1, Expected(np.array([0.3]), np.array([2.0])))
    place = span_places(np.array([0]), np.array([len(points) - 1]), len(points) - 1)[0]
    height, mode, precision = found[:, 0, place]
    spread = 1.0 + precision * 2.0
    mass = height - 0.5 * (np.log(spread) + precision * (mode - 0.3) ** 2 / spread)
    alone = rb.GaussianRBN(
        (rb.Variable("x", 1, (leaf,)),), rb.Prior("x", (rb.Component(np.array([0.3]), np.array([[2.0]])),))
    )
    whole = rb.GaussianRBN((rb.Variable("x", 1, (rb.Split(0.0, "x", "x", *_links()), leaf)),), alone.prior)
    right = dense.log_joint(whole, series, rb.Tree([rb.Node(0, len(series), "x", "emit")], [0]))
    right -= leaf.length.log_probability(dense.ticks_of(series)[[-1]])[0]
    assert mass == pytest.approx(right, abs=1e-9)


def _links() -> tuple[rb.Link, rb.Link]:
    return rb.Link(np.eye(1)), rb.Link(np.eye(1))


@settings(max_examples=30, deadline=None)
@given(st.sampled_from([OUTLIERS, MEMORY]), st.lists(st.integers(1, 12), min_size=1, max_size=5), st.integers(0, 10**6))
def test_without_a_trend_they_are_one_tick_apart(kind: dict, sizes: list[int], seed: int) -> None:
    """As noise has it; and of white noise, likely sets of outliers do not ask for times, however many observations there
    are."""
    leaf = rb.Leaf(1.0, 0.5, rb.Geometric(3.0), **kind).checked("leaf", 1)
    points, times = np.cumsum([0, *sizes]), np.repeat(np.arange(len(sizes)), sizes)
    y = np.random.default_rng(seed).normal(size=len(times)) * 2.0
    expected = Expected(np.array([0.3]), np.array([2.0]))
    found, right = (
        column_potentials(leaf, as_series(one, 1), points, len(sizes), expected)
        for one in (Series(y, times=times, unit=1), Series(y))
    )
    np.testing.assert_allclose(found, right, rtol=1e-12, atol=1e-12)


def test_many_white_observations_at_one_time() -> None:
    """A hundred of them, by hand: given the mean they are independent, each clean or an outlier."""
    y = np.random.default_rng(2).normal(size=100)
    y[[5, 50]] += 15.0
    series = as_series(Series(y, times=np.zeros(100), unit=1), 1)
    leaf = rb.Leaf(1.0, 1.0, rb.Geometric(2.0), trend_std=3.0, outlier_probability=0.01, outlier_std=9.0).checked("leaf", 1)
    found = column_potentials(leaf, series, np.array([0, 100]), 1, Expected(np.array([0.0]), np.array([4.0])))[:, 0, 0]

    def log_density(mean: float) -> float:
        clean, broad = norm.logpdf(y, mean, 1.0) + np.log(0.99), norm.logpdf(y, mean, 9.0) + np.log(0.01)
        return float(np.logaddexp(clean, broad).sum())

    top = max(log_density(mean) for mean in np.linspace(-1, 1, 41))
    right = np.log(quad(lambda u: np.exp(log_density(u) - top) * norm.pdf(u, 0.0, 2.0), -1.5, 1.5, epsabs=0)[0]) + top
    spread = 1.0 + 4.0 * found[2]
    assert found[0] - 0.5 * (np.log(spread) + found[2] * found[1] ** 2 / spread) == pytest.approx(right, abs=0.2)
    assert found[1] == pytest.approx(y[np.abs(y) < 8].mean(), abs=0.05)
    assert found[2] == pytest.approx(98.0, rel=0.05)


KEEPS = """
import numpy as np
from recbayes import Geometric, Leaf
from recbayes.checks.series import Series, as_series
from recbayes.gaussian.emissions import regression
from recbayes.gaussian.emissions.nearest import Expected

regression.run_kernel = lambda kernel, *args: kernel(*args)

def potentials(y, times, **more):
    leaf = Leaf(1.0, 0.5, Geometric(3.0), outlier_probability=0.01, outlier_std=5.0, **more).checked("leaf", 1)
    series = as_series(Series(y, times=times, unit=1), 1)
    points = np.flatnonzero(np.diff(series.ticks, prepend=-1))
    return regression.column_potentials(leaf, series, points, len(points) - 1, Expected(np.zeros(1), np.ones(1)))

for seed in range(12):
    rng = np.random.default_rng(seed)
    times = np.cumsum(rng.choice([0, 0, 0, 0, 0, 1, 2], size=14))
    y = rng.normal(size=14)
    y[rng.random(14) < 0.1] = np.nan
    for more in ({}, {"trend_std": 1.0}, {"coefficients": [0.7], "trend_std": 1.0}):
        assert np.isfinite(potentials(y, times, **more)).all()
with np.errstate(all="ignore"):
    potentials(np.full(14, 1e150), np.arange(14), trend_std=1e160)  # masses are no numbers
"""


@pytest.mark.slow
def test_kernels_keep_to_their_arrays() -> None:
    """Not compiled, kernels are told where they do not."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", KEEPS], capture_output=True, text=True, env=environment, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
