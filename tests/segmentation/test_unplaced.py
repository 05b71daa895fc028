"""Changes that are more probable than not while their places are not: counted again by draws, and in series with some."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import recbayes as rb
from recbayes.report.data import report_data
from recbayes.segmentation.decide import ChangePoint, decide
from recbayes.segmentation.unplaced import UnplacedChange, unplaced
from tests.segmentation.series import jump
from tests.segmentation.test_decide import boundaries_of

LENGTH, TOLERANCE = 400, 5


def found(draws: list[list[int]], weights: list[float] | None = None) -> tuple[list[ChangePoint], list[UnplacedChange]]:
    known = boundaries_of(draws, weights)
    told = decide(known, LENGTH, TOLERANCE, (0, LENGTH))
    return told, list(unplaced(known, tuple(told), LENGTH, TOLERANCE))


def test_a_change_that_is_spread_out_is_said_to_be_there() -> None:
    told, rest = found([[200 + 2 * n] for n in range(45)] + [[]] * 5)
    assert told == []
    (one,) = rest
    assert one.probability == pytest.approx(0.9)
    assert abs(one.low - 208) <= 4
    assert abs(one.high - 280) <= 4


def test_it_is_told_with_the_tolerance_that_is_said() -> None:
    draws = boundaries_of([[200 + 2 * n] for n in range(45)] + [[]] * 6)
    (one,) = unplaced(draws, (), LENGTH, TOLERANCE)
    assert one.tolerance == 13  # 26 of 51 draws lie within 25 of a place, and a place is looked for within twice as much
    assert decide(draws, LENGTH, one.tolerance - 1, (0, LENGTH)) == []
    assert len(decide(draws, LENGTH, one.tolerance, (0, LENGTH))) == 1


def test_what_belongs_to_a_change_that_is_told_is_no_other() -> None:
    """Boundaries of one change beyond its window; and two of one draw near it."""
    told, rest = found([[100 + n % 8] for n in range(60)] + [[118]] * 20 + [[102, 106]] * 20)
    assert len(told) == 1
    assert rest == []


def test_others_beside_what_is_told() -> None:
    told, rest = found([[100, 200 + n] for n in range(100)])
    assert [one.position for one in told] == [100]
    assert [one.probability for one in rest] == [pytest.approx(1.0)]
    assert 205 <= rest[0].low <= rest[0].high <= 295


def test_two_in_one_segment() -> None:
    """Each has its own part of the segment, and neither borrows from the other."""
    told, rest = found([[50 + n] * (n % 10 > 0) + [250 + (7 * n) % 100] * (n % 10 > 1) for n in range(100)])
    assert told == []
    assert [one.probability for one in rest] == [pytest.approx(0.9), pytest.approx(0.8)]
    assert rest[0].high < 200 < rest[1].low


def test_what_half_of_the_draws_lack_is_not_told() -> None:
    assert found([[n] for n in range(10, 390, 4)] + [[]] * 97) == ([], [])


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(1, LENGTH - 1), max_size=4, unique=True), min_size=1, max_size=12))
def test_probabilities_are_those_of_the_draws(draws: list[list[int]]) -> None:
    """Inside a segment without anything told, there is one exactly where more than half of the draws have a boundary."""
    told, rest = found(draws)
    for one in rest:
        assert 0.5 < one.probability <= 1.0
        assert one.low <= one.high
    if not told:
        inside = [any(TOLERANCE < p < LENGTH - TOLERANCE for p in draw) for draw in draws]
        assert bool(rest) == (np.mean(inside) > 0.5)
        if len(rest) == 1:
            assert rest[0].probability == pytest.approx(np.mean(inside))


def test_nothing_is_said_where_all_is_told() -> None:
    assert jump().unplaced == ()
    assert "somewhere" not in jump().summary()


@pytest.fixture(scope="module")
def small() -> rb.Segmentation:
    """A jump of a third of the noise."""
    noise = np.random.default_rng(2).normal(size=800)
    return rb.segment(noise + np.repeat([0.0, 0.35], 400), kinds="level", draws=300, seed=0)


def test_it_is_said_everywhere(small: rb.Segmentation) -> None:
    assert small.changes == ()
    (one,) = small.unplaced
    assert one.probability == pytest.approx(1.0 - small.posterior.segment_count_probability[1], abs=0.05)
    assert one.low <= 400 <= one.high
    text = small.summary()
    assert f"  somewhere between row {one.low} and row {one.high}: probability {one.probability:.2f}, its place too" in text
    assert "    what is said of row 0 to 799 is an average over it" in text
    document = report_data(small)
    assert document["unplaced"]["changes"] == [one._asdict()]
    assert document["unplaced"]["texts"][0].startswith(f"A change somewhere between row {one.low} and row {one.high}")


def test_it_is_told_with_a_larger_tolerance(small: rb.Segmentation) -> None:
    (one,) = small.unplaced
    again = rb.segment(small.data, kinds="level", draws=300, seed=0, tolerance=one.tolerance)
    (change,) = again.changes
    assert one.low <= change.position <= one.high
    assert again.unplaced == ()
