"""Deviations against theory, change points against a search through all of them."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recbayes.studies.real.penalised import (
    BINSEG,
    PELT,
    binseg,
    binseg_noise,
    noise_deviation,
    overall_deviation,
    pelt,
    pelt_noise,
    penalised,
)
from tests.studies.series import jumping_series


def test_deviations() -> None:
    """Noise with a trend and some jumps: only the differences show its deviation; missing values change little."""
    random = np.random.default_rng(1)
    values = random.normal(0.0, [0.5, 3.0], (20_000, 2))
    np.testing.assert_allclose(overall_deviation(values), [0.5, 3.0], rtol=0.02)
    values += np.linspace(0.0, 100.0, 20_000)[:, None] + 50.0 * (np.arange(20_000) % 1000 < 500)[:, None]
    values[random.uniform(size=values.shape) < 0.1] = np.nan
    np.testing.assert_allclose(noise_deviation(values), [0.5, 3.0], rtol=0.03)
    assert (overall_deviation(values) > 20.0).all()


def test_deviations_of_columns_that_hardly_vary() -> None:
    steady = np.zeros((8, 3))
    steady[4:, 1] = 2.0
    steady[1:, 2] = np.nan
    assert noise_deviation(steady).tolist() == pytest.approx([1.0, 2.0 / 7 / 1.128, 1.0])
    assert overall_deviation(steady).tolist() == [1.0, 1.0, 1.0]
    for method in (pelt, binseg, pelt_noise, binseg_noise):
        assert method(np.full((5, 2), 7.0), 0) == []


def all_segmentations(values: np.ndarray) -> list[int]:
    """The change points of the smallest sum of squares plus penalty, of all there are."""
    length, columns = values.shape

    def cost(points: tuple[int, ...]) -> float:
        parts = np.split(values, points)
        return sum(((part - part.mean(axis=0)) ** 2).sum() for part in parts) + len(points) * (columns + 1) * np.log(length)

    return list(min((points for k in range(length) for points in combinations(range(1, length), k)), key=cost))


@given(jumping_series(6, 10, 2))
@settings(max_examples=15, deadline=None)
def test_the_best_of_all(values: np.ndarray) -> None:
    assert penalised(PELT, values / 0.2) == all_segmentations(values / 0.2)


@given(jumping_series(12, 40), st.sampled_from([pelt, binseg, pelt_noise, binseg_noise]))
@settings(max_examples=40, deadline=None)
def test_units_and_origins_do_not_matter(values: np.ndarray, method: object) -> None:
    assert callable(method)
    assert method(values * [1.0, 1000.0, 0.25] + [5.0, 0.0, -3.0], 0) == method(values, 0)


def test_missing_values() -> None:
    """A step is found where it can be, and a gap in it is bridged."""
    values = np.where(np.arange(40) < 20, 0.0, 10.0)[:, None] + np.random.default_rng(2).normal(0.0, 0.5, (40, 1))
    for candidate in (PELT, BINSEG):
        assert penalised(candidate, values) == [20]
        holes = values.copy()
        holes[[0, 3, 4, 25, 39]] = np.nan
        assert penalised(candidate, holes) == [20]
