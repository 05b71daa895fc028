"""Members of banks, drawn for leaves: from sums over segments, and from all observations."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import recbayes as rb
from recbayes.checks.series import Series, as_series
from recbayes.compiled.compilation import run_kernel
from recbayes.gaussian.emissions.nearest import Expected
from recbayes.gaussian.kernels.outlier_draws import Drawn, draw_sets
from recbayes.gaussian.posterior.leaves import leaf_parts
from recbayes.gaussian.posterior.members import _banks, _draw_members

KINDS = [
    {},
    {"trend_std": 1.5, "coefficients": [0.0, 0.7], "start_std": 0.8},
    {"coefficients": [0.5], "past": "observed"},
    {"periods": [3.0], "season_std": 1.0, "harmonics": 1, "trend_std": 0.5},
]


class _Chart:
    """What is needed of one."""

    def __init__(self, series: Series, positions: np.ndarray) -> None:
        self.series = series
        self.plan = self
        self.positions = positions


def drawn_of(spans: np.ndarray, least: np.ndarray) -> Drawn:
    count = len(spans)
    members, sets = np.zeros((2, count), dtype=np.int64)
    return Drawn(spans, least, members, sets, np.empty(count), np.empty((count, 3)), np.empty((count, 2)))


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(KINDS), st.integers(0, 10**6), st.booleans())
def test_both_ways_draw_the_same(kind: dict, seed: int, timed: bool) -> None:
    """Also where values are missing, several observations have one time, and leaves are far away."""
    rng = np.random.default_rng(seed)
    y = rng.normal(size=(40, 2)) * 2.0 + rng.choice([0.0, 1e4])
    y[rng.random(y.shape) < 0.3] = np.nan
    times = np.cumsum(rng.choice([0, 1, 1, 3], size=40)) if timed else np.arange(40)
    series = as_series(Series(y, times=times, unit=1), 2)
    begins = np.flatnonzero(np.diff(times, prepend=-1))
    positions = np.array([0, *sorted(rng.choice(begins[1:], size=6, replace=False)), 40])
    leaf = rb.Leaf(1.0, 0.6, rb.Geometric(3.0), noise_levels=[0.5, 1.0, 3.0], each_column=True, **kind).checked("leaf", 2)
    places = np.sort(rng.integers(0, 8, size=(60, 2)), axis=1)
    places = places[places[:, 0] < places[:, 1]]
    spans = positions[places[np.lexsort([places[:, 1], places[:, 0]])]].astype(np.int64)
    expected = Expected(np.zeros(2), np.full(2, 3.0))
    for column, bank in _banks(leaf, expected, _Chart(series, positions)):  # type: ignore[arg-type]
        uniforms, least = rng.random(len(spans)), rng.choice([0.0, 0.05], size=len(spans))
        found, right = drawn_of(spans, least), drawn_of(spans, least)
        _draw_members(column, bank, uniforms, found)
        run_kernel(draw_sets, column, bank, uniforms, right)
        np.testing.assert_array_equal(found.members, right.members)
        for name in ("logs", "potentials", "totals"):
            one, other = getattr(found, name), getattr(right, name)
            np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-6, err_msg=name)


def test_what_was_drawn_is_kept() -> None:
    """Who asks for some leaves and then for others has nothing drawn again."""
    leaf = rb.Leaf(0.6, 0.5, rb.Geometric(3.0), noise_levels=[0.5, 2.0], each_column=True)
    split = rb.Split(0.4, "x", "x", rb.Link(np.eye(2)), rb.Link(np.eye(2)))
    prior = rb.Prior("x", (rb.Component(np.zeros(2), np.eye(2)),))
    model = rb.GaussianRBN((rb.Variable("x", 2, (split, leaf)),), prior)
    posterior = rb.sample_posterior(model, np.random.default_rng(0).normal(size=(8, 2)), draws=50, seed=0)
    every = leaf_parts(posterior, posterior.weights)
    kept = posterior.corrected
    (span, *_) = every
    (again,) = leaf_parts(posterior, posterior.weights, {span}).values()
    assert posterior.corrected is kept
    assert [one.level.tolist() for one in again] == [one.level.tolist() for one in every[span]]
