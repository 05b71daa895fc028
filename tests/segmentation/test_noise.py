"""The noise that is told of segments: intervals hold it, also between the levels of the bank."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import chi2

import recbayes as rb
from recbayes.gaussian.emissions.leaf import Leaf
from recbayes.segmentation.noise import OPEN, Cell, Residuals, residuals, within
from tests.segmentation.series import quick

SHARES = (0.1, 0.5, 0.9)


def leaf(**settings: object) -> Leaf:
    return Leaf(0.6, np.ones(1), noise_levels=(1.0,), start_std=np.ones(1), **settings).checked("leaf", 1)  # type: ignore[arg-type]


def test_intervals_of_noise_are_those_of_chi_square() -> None:
    """Of one level in white noise; some of its observations may be outliers, so that noise is told a little less."""
    y = np.random.default_rng(0).normal(5.0, 2.0, size=400)
    (row,) = quick(y, segments=1, logarithms=False).rows()
    squares = ((y - y.mean()) ** 2).sum()
    expected = [np.sqrt(squares / chi2.ppf(1.0 - share, 399)) for share in (0.1, 0.9)]
    assert [row["noise_low"], row["noise_high"]] == pytest.approx(expected, rel=0.03)
    assert row["noise_low"] < row["noise"] < row["noise_high"]


def test_noise_that_is_less_than_any_of_the_bank_is_told() -> None:
    y = np.random.default_rng(0).normal(size=200)
    y[100:] = 10.0 + 0.01 * y[100:]
    first, second = quick(y).rows(groups=False)
    assert first["noise_low"] < 1.0 < first["noise_high"]
    assert second["noise_low"] <= 0.01 * np.std(y[:100]) * 1.2
    assert second["noise_high"] < 0.015


def test_two_observations_say_nothing_within_a_cell() -> None:
    levels = within(2.0, Cell(0.8, 1.25, False, False), Residuals(0.0, 0.0))
    assert np.log(np.quantile(levels, SHARES) / 2.0) == pytest.approx(np.log(1.25) * np.array([-0.8, 0.0, 0.8]), abs=0.02)


@pytest.mark.parametrize(("freedom", "spread"), [(3.0, 1.0), (50.0, 1.0), (50.0, 3.0), (50.0, 0.2), (1e5, 1.0), (1e5, 9.0)])
def test_levels_stay_in_their_cell(freedom: float, spread: float) -> None:
    """Whatever residuals say; and as chi-square has it there, by counting draws."""
    levels = within(1.0, Cell(0.8, 1.25, False, False), Residuals(freedom * spread**2, freedom))
    assert (levels >= 0.8).all()
    assert (levels <= 1.25).all()
    assert (np.diff(levels) >= 0).all()
    drawn = np.sqrt(freedom * spread**2 / np.random.default_rng(0).chisquare(freedom, size=200_000))
    inside = drawn[(drawn > 0.8) & (drawn < 1.25)]
    if len(inside) > 5000:
        assert np.quantile(levels, SHARES) == pytest.approx(np.quantile(inside, SHARES), rel=0.02)
    free = within(1.0, Cell(0.8, 1.25, True, True), Residuals(freedom * spread**2, freedom))
    if freedom > 8:
        assert 1.0 / OPEN < np.median(free) == pytest.approx(spread, rel=0.05)


@pytest.mark.parametrize(
    "made",
    [
        lambda rng, t: (leaf(), rng.normal(size=len(t))),
        lambda rng, t: (leaf(trend_std=np.ones(1)), 0.5 * t + rng.normal(size=len(t))),
        lambda rng, t: (leaf(coefficients=(0.8,)), _memory(rng, len(t))),
        lambda rng, t: (
            leaf(periods=(12,), season_std=np.ones(1)),
            3.0 * np.sin(t * np.pi / 6.0 + 1.0) + rng.normal(size=len(t)),
        ),
        lambda rng, t: (
            leaf(outlier_probability=0.01, outlier_std=np.array([9.0])),
            rng.normal(size=len(t)) + 20.0 * (t % 97 == 5),
        ),
    ],
    ids=["level", "trend", "memory", "season", "outliers"],
)
def test_residuals(made: Callable[..., tuple[Leaf, np.ndarray]]) -> None:
    """Their variance is that of the noise, with observations missing, and what lies around the span does not matter."""
    t = np.arange(3000.0)
    one, y = made(np.random.default_rng(0), t)
    y[::7] = np.nan
    y[:100] = y[2900:] = 1e3
    found = residuals(one, 0, rb.Series(y[:, None]), 100, 2900)
    assert found.squares / found.freedom == pytest.approx(1.0, abs=0.08)
    assert found.freedom == pytest.approx(2400, abs=45)


def _memory(rng: np.random.Generator, count: int) -> np.ndarray:
    noise = rng.normal(size=count)
    for n in range(1, count):
        noise[n] += 0.8 * noise[n - 1]
    return noise


@pytest.mark.slow
def test_eighty_percent_of_intervals_hold_noise_between_the_levels() -> None:
    rng, held = np.random.default_rng(0), []
    for _ in range(60):
        truth = np.exp(rng.uniform(np.log(0.15), np.log(1.0), size=2))
        y = np.concatenate([rng.normal(0.0, truth[0], 30), rng.normal(3.0, truth[1], 30)])
        rows = quick(y, boundaries=[0, 30, 60], segments=2, logarithms=False).rows(groups=False)
        held += [row["noise_low"] <= one <= row["noise_high"] for row, one in zip(rows, truth, strict=True)]
    assert 0.7 < np.mean(held) < 0.9


def test_slopes_of_nothing_are_nothing() -> None:
    rows = rb.segment(np.random.default_rng(0).normal(size=60), draws=200, seed=0).rows(groups=False)
    slopes = [row[name] for row in rows for name in ("slope_low", "slope_high", "slope")]
    assert all(value == 0.0 or abs(value) > 1e-12 for value in slopes)
