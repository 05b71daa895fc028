"""Slices of scores: sounding time by pitch class, checked by counting moments."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recbayes.errors import DataError
from recbayes.music.meter import Meter
from recbayes.music.notes import Note, score_of
from recbayes.music.score import Score
from recbayes.music.slices import slice_score


def score(*notes: tuple[float, float, int], bars: int = 2) -> Score:
    made = [Note(Fraction(onset), pitch, Fraction(offset)) for onset, offset, pitch in notes]
    starts = [Fraction(4 * bar) for bar in range(bars)]
    end = max(note.offset for note in made)
    return score_of("x", made, [*starts, end], [str(bar + 1) for bar in range(bars)], [Meter(4, 4)] * bars)


SMALL = score((0, 4, 60), (1, 3, 60), (2, 6, 72), (4, 8, 67), (7, 8, 59))


def test_by_bar() -> None:
    found = slice_score(SMALL)
    assert found.edges.tolist() == [0, 4, 8]
    expected = np.zeros((2, 12))
    expected[0, 0] = 4 + 2  # the unison counts once, the octave again
    expected[1, [0, 7, 11]] = 2, 4, 1
    np.testing.assert_array_equal(found.counts, expected)
    assert found.bar.tolist() == [0, 1]
    assert found.beat.tolist() == [0, 0]
    assert found.seconds.tolist() == [0, 3]
    assert len(found) == 2


def test_by_beat() -> None:
    found = slice_score(SMALL, "beat")
    assert found.edges.tolist() == list(range(9))
    assert found.bar.tolist() == [0] * 4 + [1] * 4
    assert found.beat.tolist() == [0, 1, 2, 3] * 2
    np.testing.assert_allclose(found.counts.sum(0), slice_score(SMALL, "bar").counts.sum(0))


def test_by_number() -> None:
    found = slice_score(SMALL, np.int64(3))
    np.testing.assert_allclose(found.edges, [0, 8 / 3, 16 / 3, 8])
    assert found.bar.tolist() == [0, 0, 1]
    np.testing.assert_allclose(found.beat, [0, 8 / 3, 4 / 3])
    np.testing.assert_allclose(found.counts[0, 0], 8 / 3 + 2 / 3)


def test_silence_is_zero() -> None:
    assert not slice_score(score((0, 1, 60), (7, 8, 60)), 8).counts[1:7].any()


def test_results_are_read_only() -> None:
    found = slice_score(SMALL)
    for array in (found.edges, found.counts, found.bar, found.beat, found.seconds):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


NOTES = st.lists(
    st.tuples(st.integers(0, 15), st.integers(1, 16), st.integers(58, 74)).map(
        lambda one: (one[0] / 2, min(8, one[0] / 2 + one[1] / 2), one[2])
    ),
    min_size=1,
    max_size=25,
)


@given(NOTES, st.integers(1, 9))
def test_counting_moments(notes: list[tuple[float, float, int]], number: int) -> None:
    """Half quarters are whole moments here, so that pitches can be counted one by one."""
    whole = score(*notes, (7.5, 8, 20))
    by_moment = np.zeros((16, 12))
    for moment in range(16):
        for pitch in {pitch for onset, offset, pitch in [*notes, (7.5, 8, 20)] if onset <= moment / 2 < offset}:
            by_moment[moment, pitch % 12] += 0.5
    np.testing.assert_allclose(slice_score(whole, 16).counts, by_moment, atol=1e-12)
    np.testing.assert_allclose(slice_score(whole, number).counts.sum(0), by_moment.sum(0), atol=1e-12)
    np.testing.assert_allclose(slice_score(whole, "bar").counts, by_moment.reshape(2, 8, 12).sum(1), atol=1e-12)


@pytest.mark.parametrize("per", ["measure", 0, -3, 2.5, None, True, 10**9, [4]])
def test_wrong_slices(per: object) -> None:
    with pytest.raises(DataError, match=r"per must be 'bar', 'beat' or a whole number from 1 to 1000000, got "):
        slice_score(SMALL, per)  # type: ignore[arg-type]


def test_only_scores_are_sliced() -> None:
    with pytest.raises(DataError, match=r"score must be a Score, got 'bwv846\.krn'; read_score gives one"):
        slice_score("bwv846.krn")  # type: ignore[arg-type]
