"""Which changes are told, from draws that are written down: probabilities are counted again draw by draw."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recbayes.segmentation.decide import WIDE, WINDOWS, Boundaries, decide

LENGTH, TOLERANCE = 100, 5


def boundaries_of(draws: list[list[int]], weights: list[float] | None = None) -> Boundaries:
    owners = [n for n, draw in enumerate(draws) for _ in draw]
    positions = [position for draw in draws for position in sorted(draw)]
    shares = np.full(len(draws), 1.0) if weights is None else np.array(weights)
    return Boundaries(np.array(positions, dtype=np.int64), np.array(owners, dtype=np.int64), shares / shares.sum())


def near(draws: list[list[int]], weights: np.ndarray, centre: int, window: int) -> float:
    return float(sum(w for draw, w in zip(draws, weights, strict=True) if any(abs(p - centre) <= window for p in draw)))


def test_a_change_whose_place_is_known_is_told_there() -> None:
    (told,) = decide(boundaries_of([[50], [51], [50], []]), LENGTH, TOLERANCE, (0, 99))
    assert (told.position, told.within) == (50, TOLERANCE)
    assert told.probability == pytest.approx(0.75)


@pytest.mark.parametrize(("spread", "within"), [(2, 5), (22, 10), (30, 10)])
def test_a_change_whose_place_is_uncertain_is_told_with_a_wider_window(spread: int, within: int) -> None:
    draws = [[30 + n] for n in range(spread)] + [[]] * (spread // 9)
    (told,) = decide(boundaries_of(draws), LENGTH, TOLERANCE, (0, 99))
    assert told.within == within
    assert told.low <= 30 + spread // 2 <= told.high
    assert abs(told.position - (30 + spread / 2)) <= 2
    best = max(near(draws, np.full(len(draws), 1 / len(draws)), centre, within) for centre in range(LENGTH))
    assert told.probability == pytest.approx(best)


def test_what_is_spread_over_everything_is_not_told() -> None:
    assert decide(boundaries_of([[n] for n in range(1, LENGTH)]), LENGTH, TOLERANCE, (0, 99)) == []


def test_draws_without_weight_are_not_told_even_where_more_is_wished_for() -> None:
    """All that has weight is one change; a second is wished for, and only a draw that counts for nothing has it."""
    found = boundaries_of([[50], [20, 80]], [1.0, 0.0])
    assert [one.position for one in decide(found, LENGTH, TOLERANCE, (0, 99))] == [50]
    assert 50 in [one.position for one in decide(found, LENGTH, TOLERANCE, (2, 99))]


def test_changes_nearer_than_the_tolerance_are_two_if_nearly_all_draws_have_both() -> None:
    """A run of few observations far from the others: one change alone would have its level go on."""
    told = decide(boundaries_of([[40, 44]] * 19 + [[40]]), LENGTH, TOLERANCE, (0, 99))
    assert [(one.position, one.low, one.high) for one in told] == [(40, 40, 40), (44, 44, 44)]
    assert min(one.probability for one in told) >= 0.95
    for doubtful in ([[40, 44], [40], [41], [42]], [[40, 44]] * 8 + [[40]] * 2):
        assert len(decide(boundaries_of(doubtful), LENGTH, TOLERANCE, (0, 99))) == 1
    assert len(decide(boundaries_of([[40, 44]] * 20), LENGTH, TOLERANCE, (0, 99), minimum=5)) == 1


def test_exact_places_are_wanted_where_the_tolerance_is_nothing() -> None:
    assert decide(boundaries_of([[50], [51], [52]]), LENGTH, 0, (0, 99)) == []


@settings(max_examples=200)
@given(
    st.lists(st.tuples(st.lists(st.integers(1, LENGTH - 1), max_size=4, unique=True), st.floats(0.1, 1.0)), min_size=1),
    st.integers(0, 6),
    st.integers(1, 8),
)
def test_what_is_told_is_probable(drawn: list[tuple[list[int], float]], tolerance: int, minimum: int) -> None:
    kept = [one for one in drawn if (np.diff([0, *sorted(one[0]), LENGTH]) >= minimum).all()] or [([], 1.0)]
    draws = [draw for draw, _ in kept]
    found = boundaries_of(draws, [weight for _, weight in kept])
    told = decide(found, LENGTH, tolerance, (0, LENGTH - 1), minimum)
    positions = [one.position for one in told]
    assert (np.diff([0, *positions, LENGTH]) >= minimum).all()
    for one in told:
        assert one.within in [factor * tolerance for factor in WINDOWS]
        reach = range(one.position - WIDE * max(tolerance, 1) - one.within, one.position + 5 * one.within + 5)
        most = max(near(draws, found.weights, centre, one.within) for centre in reach)
        assert one.probability <= most + 1e-9
        assert one.low <= one.position <= one.high
