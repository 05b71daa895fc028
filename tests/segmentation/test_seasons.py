"""Seasons that nobody told of are hinted at, and noise is not taken for one."""

import numpy as np
import pytest
from scipy.signal import lfilter

import recbayes as rb
from recbayes.segmentation.seasons import likely_period


def series(seed: int, length: int, period: float, memory: float = 0.0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    noise = lfilter([np.sqrt(1.0 - memory**2)], [1.0, -memory], rng.normal(size=length))
    return (2.0 * np.sin(2.0 * np.pi * np.arange(length) / period) + noise)[:, None]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("period", [4, 7, 12, 24])
def test_seasons_are_seen(period: int, seed: int) -> None:
    assert likely_period(series(seed, 20 * period, period), ()) == period


def test_seasons_are_seen_beside_changes_gaps_spikes_and_other_columns() -> None:
    y = series(0, 240, 12)
    y[100:] += 10.0
    assert likely_period(y, (100,)) == 12
    y[50] = 1e6
    y[60:75] = np.nan
    assert likely_period(y, (100,)) == 12
    other = np.random.default_rng(0).normal(size=(240, 1))
    assert likely_period(np.hstack([other, y]), (100,)) == 12


@pytest.mark.parametrize("memory", [0.0, 0.5, 0.9])
def test_noise_has_none(memory: float) -> None:
    found = [likely_period(series(seed, 200, 1e9, memory), ()) for seed in range(200)]
    assert sum(one is not None for one in found) <= 4


@pytest.mark.parametrize("y", [np.ones((50, 1)), np.full((50, 2), np.nan), np.arange(50.0)[:, None], np.ones((5, 1))])
def test_nothing_repeats_in(y: np.ndarray) -> None:
    assert likely_period(y, ()) is None


def test_real_series() -> None:
    assert likely_period(rb.data.el_nino().values, ()) == 12
    assert likely_period(rb.data.nile().values, ()) is None
    assert likely_period(rb.data.us_growth().values, ()) is None


def test_short_series_have_room_for_multiples_alone() -> None:
    """A lag beside the best one may be too long to come three times."""
    rng = np.random.default_rng(0)
    series = [np.array([4.87, 5.23, 5, 4.99, 5.49, 4.71, 8.67, 8.94, 9.05, 8.87, 9.23, 9.06])]
    series += [rng.normal(size=length) for length in range(12, 40) for _ in range(100)]
    for y in series:
        for changes in ((), (6,)):
            period = likely_period(y[:, None], changes)
            assert period is None or 2 <= period <= len(y) // 3
