"""Time stamps as ticks: the grid that they lie on, or else a median; and errors that say what came instead."""

import datetime
import math
import pickle

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import recbayes as rb
from recbayes.checks.series import Series, all_series, as_series
from recbayes.errors import DataError


def ticks(times: object, unit: object = None) -> list[int]:
    """Of checked series, and of what users write, which are the same."""
    values = np.zeros((len(times), 1))  # type: ignore[arg-type]
    found = as_series(Series(values, None, times, unit), 1).ticks  # type: ignore[arg-type]
    assert found is not None
    assert found.dtype == np.int64
    np.testing.assert_array_equal(Series(values, None, times, unit).ticks, found)  # type: ignore[arg-type]
    return found.tolist()


gaps = st.lists(st.integers(0, 12), min_size=1, max_size=30).filter(any)


@given(gaps, st.floats(1e-6, 1e6), st.floats(-1e6, 1e6))
def test_stamps_on_a_grid(steps: list[int], step: float, begin: float) -> None:
    """Their step is found, whatever the clock's unit and beginning, and however many stamps are left out."""
    assume(abs(begin) < 1e8 * step)  # else rounding is too coarse to tell
    multiple = math.gcd(*steps)
    numbers = np.cumsum([0, *steps]) // multiple
    assert ticks(begin + step * multiple * numbers) == [*numbers, numbers[-1] + 1]
    assert ticks(begin + step * multiple * numbers, step) == [*numbers * multiple, numbers[-1] * multiple + 1]


@given(st.integers(2, 200), st.integers(0, 2**32 - 1))
def test_stamps_that_jitter(count: int, seed: int) -> None:
    """A clock that is late by up to a tenth of its step, and misses some: errors do not add up."""
    rng = np.random.default_rng(seed)
    numbers = np.cumsum([0, *np.where(rng.random(count) < 0.2, 2, 1)])
    times = 7.0 * numbers + rng.uniform(0.0, 0.7, size=count + 1)
    assume(np.median(np.diff(numbers)) == 1)
    found = np.array(ticks(times)) / 1.0
    assert np.abs(found[:-1] - numbers).max() <= 1 + 0.02 * count
    assert np.abs(np.diff(found[:-1]) - np.diff(numbers)).max() <= 1


def test_months_are_months() -> None:
    """Days on no grid of a month: the median is 31 days, of which ten years would be 118 months."""
    months = np.arange("2010-01", "2020-01", dtype="datetime64[M]")
    assert ticks(months) == list(range(121))
    assert ticks(months.astype("datetime64[D]")) == list(range(121))
    assert ticks(months, np.timedelta64(1, "Y"))[:-1:12] == list(range(10))


@pytest.mark.parametrize("resolution", ["D", "h", "s", "ms", "us", "ns"])
def test_dates(resolution: str) -> None:
    days = np.array(["2024-02-26", "2024-02-27", "2024-03-01", "2024-03-01", "2024-03-04"], dtype="datetime64[D]")
    dates = days.astype(f"datetime64[{resolution}]")
    assert ticks(dates) == [0, 1, 4, 4, 7, 8]
    assert ticks(list(dates)) == [0, 1, 4, 4, 7, 8]
    assert ticks(dates - dates[0]) == [0, 1, 4, 4, 7, 8]
    assert ticks(dates, np.timedelta64(12, "h")) == [0, 2, 8, 8, 14, 15]
    assert ticks(dates, datetime.timedelta(days=7)) == [0, 0, 1, 1, 1, 2]


def test_frames_of_dates() -> None:
    pandas = pytest.importorskip("pandas")
    index = pandas.date_range("2024-01-01", periods=9, freq="2h").delete([3, 4])
    assert ticks(index) == [0, 1, 2, 5, 6, 7, 8, 9]
    assert ticks(pandas.Series(index)) == [0, 1, 2, 5, 6, 7, 8, 9]
    with pytest.raises(DataError, match=r"must be numbers, or dates of numpy \(datetime64\)"):
        ticks(index.tz_localize("CET").astype(object))


def test_whole_numbers_are_exact() -> None:
    """Nanoseconds since 1970, which floating-point numbers would round to hundreds."""
    assert ticks(1_700_000_000_000_000_000 + np.array([0, 10, 30])) == [0, 1, 3, 4]
    assert ticks(np.array([3, 4, 6], dtype=np.uint64)) == [0, 1, 3, 4]


def test_what_has_no_steps() -> None:
    assert ticks([5.0]) == [0, 1]
    assert ticks([5.0, 5.0]) == [0, 0, 1]
    assert ticks([5, 5], 10.0) == [0, 0, 1]
    assert ticks([0.0, 2.0, 2.0 + 1e-9, 4.0]) == [0, 1, 1, 2, 3]  # nearly equal stamps are no grid


def test_grids_much_finer_than_the_steps_are_chance() -> None:
    """Milliseconds between visits some minutes apart say nothing: a tick is the median, about."""
    times = np.cumsum([0, 60_001, 59_993, 120_017, 60_007])
    assert ticks(times) == [0, 1, 2, 4, 5, 6]


def test_without_times() -> None:
    assert as_series(np.zeros((3, 1)), 1).ticks is None
    assert Series(np.zeros((3, 1))).ticks is None


def test_parts_keep_noise_and_times() -> None:
    series = as_series(Series(np.arange(4.0), np.arange(1.0, 5.0)[:, None], [0, 1, 2, 40]), 1)  # type: ignore[arg-type]
    part = series.part(1, 4)
    assert part.ticks is not None
    assert part.noise_covariance is not None
    assert part.ticks.tolist() == [0, 1, 39, 40]
    assert part.values.ravel().tolist() == [1.0, 2.0, 3.0]
    assert part.noise_covariance.ravel().tolist() == [2.0, 3.0, 4.0]
    bare = as_series(np.zeros((3, 1)), 1).part(1, 2)
    assert (bare.noise_covariance, bare.times, len(bare)) == (None, None, 1)


def test_checked_series_are_checked_series() -> None:
    one = as_series(Series(np.zeros(3), None, np.array([2, 4, 5], dtype="datetime64[h]")), 1)
    two = as_series(one, 1)
    assert one.unit == two.unit == 3600.0
    np.testing.assert_array_equal(one.ticks, two.ticks)
    three = pickle.loads(pickle.dumps(one))
    np.testing.assert_array_equal(one.ticks, three.ticks)
    assert one.times is not None
    with pytest.raises(ValueError, match="read-only"):
        one.times[0] = 1.0


@pytest.mark.parametrize(
    ("times", "complaint"),
    [
        ([1.0, 2.0], r"shape \(3,\), one for each observation, got \(2,\)"),
        (np.zeros((3, 1)), r"got \(3, 1\)"),
        (5.0, r"got \(\)"),
        ([1.0, 0.5, 2.0], "must not decrease, got 0.5 after 1.0 at row 1; sort"),
        (np.array(["2020-01-02", "2020-01-03", "2020-01-01"], dtype="datetime64"), "2020-01-01 after 2020-01-03 at row 2"),
        ([0.0, np.nan, 2.0], "known and finite, got nan at row 1; leave that row out"),
        ([0.0, None, 2.0], "known and finite, got nan at row 1"),
        ([0.0, 1.0, np.inf], "known and finite, got inf at row 2"),
        (np.array(["2020-01-02", "NaT", "2020-01-03"], dtype="datetime64[D]"), "got NaT at row 1"),
        (np.ma.array([1, 2, 3], mask=[False, True, False]), "got nan at row 1"),
        (["a", "b", "c"], r"must be numbers, or dates of numpy \(datetime64\), got list"),
        ("noon", "got text"),
        ([[1.0], [2.0, 3.0], [4.0]], "must be numbers"),
        ([1j, 2j, 3j], "must be numbers"),
        ([datetime.date(2020, 1, day) for day in (1, 2, 3)], "dates of numpy"),
        ([-1e308, 0.0, 1e308], r"lie too far apart, from -1e\+308 to 1e\+308; give coarser ones"),
        (np.array([-(2**63), 0, 2**63 - 1]), "lie too far apart"),
    ],
)
def test_impossible_times(times: object, complaint: str) -> None:
    with pytest.raises(DataError, match=f"the times of series 7.*{complaint}"):
        as_series(Series(np.zeros((3, 1)), None, times), 1, "series 7")  # type: ignore[arg-type]


def test_too_many_ticks() -> None:
    """Lengths have tables with an entry for each."""
    times = np.array([0.0, 1.0, 2.0, 3e7])
    with pytest.raises(DataError, match=r"span 3e\+07 ticks of 1, where 10000000 are possible; give a longer tick, as in"):
        ticks(times)
    assert ticks(times, 10.0) == [0, 0, 0, 3_000_000, 3_000_001]
    with pytest.raises(DataError, match="ticks of"):
        ticks([0.0, 5e-324, 1e-323, 1e308])


@pytest.mark.parametrize("unit", [0.0, -1.0, np.nan, np.inf, "s", [1.0], [1.0, 2.0], np.timedelta64(1, "s"), object()])
def test_impossible_units(unit: object) -> None:
    with pytest.raises(DataError, match="the unit of the times of series 7 must be a positive number"):
        as_series(Series(np.zeros((2, 1)), None, [0.0, 1.0], unit), 1, "series 7")  # type: ignore[arg-type]


@pytest.mark.parametrize("unit", [1.0, 1, np.timedelta64(-1, "s"), np.timedelta64("NaT"), np.timedelta64(1, "M"), "s"])
def test_impossible_units_of_dates(unit: object) -> None:
    dates = np.array([1, 2], dtype="datetime64[s]")
    with pytest.raises(DataError, match=r"the unit of the times of series 7 must be .* or for dates a timedelta64"):
        as_series(Series(np.zeros((2, 1)), None, dates, unit), 1, "series 7")  # type: ignore[arg-type]


def test_a_unit_of_nothing() -> None:
    with pytest.raises(DataError, match="series 7 has a unit, but no times"):
        as_series(Series(np.zeros((2, 1)), unit=1.0), 1, "series 7")


def test_series_of_different_clocks_need_a_unit() -> None:
    """One model is for all of them; what each would find for itself must agree."""
    y = np.zeros((3, 1))
    fast, slow, single = Series(y, None, np.arange(3)), Series(y, None, 2.0 * np.arange(3)), Series(y[:1], None, [4.0])  # type: ignore[arg-type]
    with pytest.raises(DataError, match="1 long in the times of series 0 and 2 in those of series 2; give all"):
        all_series([fast, y, slow])
    assert [one.ticks is None for one in all_series([fast, single, y, fast])] == [False, False, True, False]
    again = all_series([Series(y, None, one.times, 0.5) for one in (fast, slow)])
    assert [one.ticks[-1] for one in again if one.ticks is not None] == [5, 9]
    apart = all_series([Series(y, None, fast.times, 1.0), Series(y, None, slow.times, 2.0)])  # on purpose
    assert [one.ticks[-1] for one in apart if one.ticks is not None] == [3, 3]
    model = rb.GaussianRBN.create(1, extra_observations=1.0)
    with pytest.raises(DataError, match="series 0 and 2 in those of series 1"):
        rb.inside(model, [fast, slow])
