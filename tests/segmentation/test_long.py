"""`rb.segment` on series of more than 900 observations: what users wish for, gaps, ties, outliers of either view."""

import warnings

import numpy as np
import pytest

import recbayes as rb
from recbayes.segmentation.points import places_of


def steps(*levels: float, each: int = 500, seed: int = 0) -> np.ndarray:
    return np.repeat(levels, each) + np.random.default_rng(seed).normal(size=each * len(levels))


def positions(y: np.ndarray, draws: int = 300, **settings: object) -> list[int]:
    return [one.position for one in rb.segment(y, seed=0, draws=draws, **settings).changes]


@pytest.mark.slow
def test_numbers_of_segments_that_are_wished_for() -> None:
    y = steps(0.0, 5.0, -5.0)
    assert positions(y, draws=50, segments=3) == [500, 1000]
    assert positions(y, draws=50, segments=(1, 4)) == [500, 1000]
    with warnings.catch_warnings():  # nobody would have drawn such trees
        warnings.simplefilter("ignore", rb.ApproximationWarning)
        assert positions(y, segments=1) == []
        (only,) = positions(y, segments=2)
        assert only in (500, 1000)
        assert len(positions(steps(0.0, 5.0, -5.0, each=305), draws=50, segments=(6, 8))) >= 5


@pytest.mark.parametrize("minimum", [400, 1000])
def test_fewest_observations(minimum: int) -> None:
    """A minimum says nothing of how many changes there are."""
    rng = np.random.default_rng(0)
    y = rng.normal(size=5000)
    y[2600:] += 1.0
    (found,) = positions(y, min_length=minimum)
    assert abs(found - 2600) <= 10


def test_fewest_observations_are_more_than_starts_that_are_kept() -> None:
    """Many leaves at once are too short as yet: none of their beginnings is lost for that."""
    rng = np.random.default_rng(0)
    y = rng.normal(size=5000)
    y[2600:] += 1.0
    fine, coarse = (rb.segment(y, seed=0, draws=100, min_length=2000, boundaries=range(0, 5001, step)) for step in (4, 40))
    assert len(fine.changes) == len(coarse.changes) == 1
    assert fine.posterior.log_evidence > coarse.posterior.log_evidence - 5.0


@pytest.mark.parametrize("seed", range(3))
def test_irregular_and_tied_times(seed: int) -> None:
    rng = np.random.default_rng(seed)
    times = np.sort(rng.uniform(0, 1000, 1500))
    found = rb.segment(steps(0.0, 5.0, -5.0, seed=seed), time=times, seed=0, draws=100)
    assert [one.position for one in found.changes] == pytest.approx([500, 1000], abs=2)


@pytest.mark.parametrize(("length", "each"), [(60, 4), (400, 4), (1200, 3)])
def test_several_observations_at_a_time(length: int, each: int) -> None:
    y = np.random.default_rng(0).normal(size=length)
    y[length // 2 :] += 6.0
    found = rb.segment(y, time=np.arange(length) // each, seed=0, draws=100)
    assert [one.position for one in found.changes] == pytest.approx([length // 2], abs=each)


def test_hardly_anything_seen() -> None:
    y = np.full(3000, np.nan)
    y[:20] = np.random.default_rng(0).normal(size=20)
    found = rb.segment(y, seed=0, draws=100)
    assert found.changes == ()
    assert len(found.points.positions) < 40


def test_places() -> None:
    y = np.array([[1.0, np.nan], [np.nan, np.nan], [np.nan, np.nan], [np.nan, 2.0], [1.0, 1.0]])
    series = rb.Series(y, times=[0, 1, 2, 3, 3])
    assert places_of(series, long=False).tolist() == [True, True, True, True, False, True]
    assert places_of(series, long=True).tolist() == [True, True, False, True, False, True]


def test_rare_ones_among_zeros_are_outliers() -> None:
    y = (np.random.default_rng(0).random(2600) < 0.01).astype(float)
    found = rb.segment(y, seed=0, draws=100)
    assert found.changes == ()
    assert found.outliers is not None
    assert found.outliers.sum() == y.sum()


def test_outliers_are_those_of_the_view() -> None:
    """What sticks out of logarithms need not stick out of the data, and the other way round."""
    rng = np.random.default_rng(0)
    y = np.exp(9.0 + np.cumsum(0.05 * rng.normal(size=2500)))
    y[[300, 900]] *= 0.2
    found = rb.segment(y, seed=0, draws=100)
    assert found.logarithms
    assert found.changes == ()
    assert found.outliers is not None
    assert {300, 900} <= set(np.flatnonzero(found.outliers).tolist())


def test_only_some_columns_stick_out() -> None:
    y = np.column_stack([steps(0.0, 5.0, each=1250), np.random.default_rng(1).normal(size=2500)])
    y[100, 1] = 30.0
    found = rb.segment(y, seed=0, draws=100)
    assert [one.position for one in found.changes] == [1250]
    assert np.argwhere(found.outliers).tolist() == [[100, 1]]


def test_outliers_of_series_that_are_not_very_long_are_those_of_segments() -> None:
    y = steps(0.0, 5.0)
    y[[100, 700]] = 30.0
    found = rb.segment(y, seed=0, draws=100)
    assert [one.position for one in found.changes] == [500]
    assert found.outliers is None
    assert found.model.variables[0].rules[1].outlier_probability > 0.0
