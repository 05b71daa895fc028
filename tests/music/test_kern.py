"""Kern whose spines do not add up is mended; what cannot be is refused."""

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recbayes.errors import FileError
from recbayes.music.kern import mended
from tests.music.files import kern


def test_sound_kern_is_left_alone() -> None:
    text = kern(
        "!!!OTL: No title",
        "**kern **dynam **kern",
        "*M4/4 * *M4/4",
        "=1- =1- =1-",
        "* * *^",
        "2c f 8r 2r",
        "* * *v *v",  # a rest that is still there
        ". . 8e",
        ". . 4f",
        "8qd . .",
        "4.e p 4g,2b",
        ". . 4a",
        "8f . .",
        "== == ==",
        "*- *- *-",
    )
    assert mended(text, "x.krn") is text


def test_gaps_become_hidden_rests() -> None:
    """One spine is a quarter short when the other goes on, and the other is two quarters short at the barline."""
    before = ["**kern **kern", "*M4/4 *M4/4", "=1 =1", "2c 4e", ". 4f"]
    after = ["=2 =2", "1c 1e", "== ==", "*- *-"]
    text = kern(*before, ". 8.g", ". 16a", "1d 2b", *after)
    assert mended(text, "x.krn") == kern(*before, "4ryy 8.g", ". 16a", "1d 2b", ". 2ryy", *after)


def test_a_rest_begins_between_lines() -> None:
    text = kern("**kern **kern", "8.c 4e", "4d 4f", "16e .", "== ==", "*- *-")
    assert mended(text, "x.krn") == kern("**kern **kern", "8.c 4e", "16ryy .", "4d 4f", "16e 16ryy", "== ==", "*- *-")


LENGTHS = {Fraction(1, 2): "8", Fraction(1): "4", Fraction(3, 2): "4.", Fraction(1, 3): "12", Fraction(2): "2"}


@given(st.lists(st.lists(st.sampled_from(sorted(LENGTHS)), min_size=1, max_size=6), min_size=2, max_size=3))
def test_after_mending_all_spines_last_as_long(bars: list[list[Fraction]]) -> None:
    """Spines of any lengths, written as a table by their onsets."""
    onsets = [[sum(spine[:place], Fraction(0)) for place in range(len(spine))] for spine in bars]
    rows = []
    for time in sorted({one for spine in onsets for one in spine}):
        cells = [
            LENGTHS[bar[spine.index(time)]] + "c" if time in spine else "." for spine, bar in zip(onsets, bars, strict=True)
        ]
        rows.append(" ".join(cells))
    count = len(bars)
    text = kern(" ".join(["**kern"] * count), *rows, " ".join(["=2"] * count), " ".join(["*-"] * count))
    table = [line.split("\t") for line in mended(text, "x.krn").splitlines()[1:-2]]
    assert len({sum(_length(row[at]) for row in table) for at in range(count)}) == 1


def _length(cell: str) -> Fraction:
    if cell == ".":
        return Fraction(0)
    number, whole, dots = re.fullmatch(r"(\d+)(?:%(\d+))?(\.?)(?:c|ryy)", cell).groups()  # type: ignore[union-attr]
    return Fraction(4 * int(whole or 1), int(number)) * (Fraction(3, 2) if dots else 1)


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        (["hello"], r"x\.krn is no sound kern: it has no spine \*\*kern"),
        (["4c", "**kern", "*-"], "line 1 has 1 fields, and not 0"),
        (["**kern **kern", "4c", "*- *-"], "line 2 has 1 fields, and not 2"),
        (["**kern", "*^", "4c 4d", "*v *v", "4c 4d", "*-"], "line 5 has 2 fields, and not 1"),
        (["**kern **kern", "*x *", "4c 4d", "*- *-"], "line 2 exchanges 1 spines, and not two"),
        (["**kern **kern", "4c 4d", ". 4e", "* *^", "4c 4f 4g", "*- *- *-"], "disagree about the time of line 5"),
    ],
)
def test_unsound_kern(lines: list[str], complaint: str) -> None:
    with pytest.raises(FileError, match=complaint):
        mended(kern(*lines), "x.krn")
