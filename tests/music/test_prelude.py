"""The prelude in the box: what is known of the piece, and what verovio reads from its drawing."""

import hashlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from recbayes.music.prelude import prelude
from recbayes.music.reading import read_score
from recbayes.music.slices import slice_score
from tests.music.files import sounding, written

# Of all onsets and offsets (in sixteenths) and pitches, in the kern file of humdrum-tools/bach-wtc
EDITION = "73e389b5f38ca626d22bdbb761e530799222563fa69cd034f0d915f4f01cfb59"
PIECE = prelude()
BARS = slice_score(PIECE).counts
CLASSES = dict(zip(["C", "C#", "D", "Eb", "E", "F", "F#", "G", "Ab", "A", "Bb", "B"], range(12), strict=True))


def in_bar(number: int) -> set[int]:
    """The pitches that begin in a bar."""
    return set(PIECE.pitches[(PIECE.onsets // 4).astype(int) == number - 1].tolist())


def test_every_note_is_that_of_the_edition() -> None:
    table = np.column_stack([4 * PIECE.onsets, 4 * PIECE.offsets, PIECE.pitches]).astype("<i4")
    assert hashlib.sha256(table.tobytes()).hexdigest() == EDITION


def test_size() -> None:
    assert len(PIECE) == 549
    assert PIECE.names == tuple(str(number) for number in range(1, 36))
    assert PIECE.bars.tolist() == list(range(0, 141, 4))
    assert PIECE.beats.tolist() == list(range(141))
    assert PIECE.title == "Prelude in C major, BWV 846"
    assert repr(PIECE) == "Score('Prelude in C major, BWV 846': 549 notes, 35 bars, 140 quarters)"


def test_the_pattern() -> None:
    """In 32 bars sixteen sixteenths are five pitches, of which the lower two are held."""
    for bar in range(32):
        here = [(onset - 4 * bar, offset - 4 * bar, pitch) for onset, offset, pitch in sounding(PIECE) if onset // 4 == bar]
        low, middle, *high = sorted({pitch for _, _, pitch in here})
        assert len(high) == 3
        half = [(0, 2, low), (0.25, 2, middle), *((0.5 + at / 4, 0.75 + at / 4, (high * 2)[at]) for at in range(6))]
        assert here == [*half, *((onset + 2, offset + 2, pitch) for onset, offset, pitch in half)]
    np.testing.assert_allclose(BARS[:32].sum(1), 4 + 3.5 + 3)


def test_harmony() -> None:
    assert in_bar(1) == in_bar(4) == {60, 64, 67, 72, 76}  # the tonic
    assert in_bar(35) == {36, 48, 64, 67, 72}  # and again
    assert {pitch % 12 for pitch in in_bar(12)} == {CLASSES[name] for name in ("C#", "E", "G", "Bb")}  # diminished
    assert all(min(in_bar(number)) == 43 for number in range(24, 32))  # the dominant is held
    assert all(min(in_bar(number)) == 36 for number in range(32, 36))  # and the tonic
    assert (PIECE.pitches.min(), PIECE.pitches.max()) == (36, 81)
    assert (BARS.sum(0) > 0).all()  # all twelve


def test_the_key_is_c_major() -> None:
    """By the profiles of Krumhansl and Kessler (1982)."""
    major = np.array([6.35, 2.23, 3.48, 2.33, 4.38, 4.09, 2.52, 5.19, 2.39, 3.66, 2.29, 2.88])
    minor = np.array([6.33, 2.68, 3.52, 5.38, 2.60, 3.53, 2.54, 4.75, 3.98, 2.69, 3.34, 3.17])
    heard = BARS.sum(0)
    keys = {
        (mode, tonic): np.corrcoef(heard, np.roll(profile, tonic))[0, 1]
        for mode, profile in {"major": major, "minor": minor}.items()
        for tonic in range(12)
    }
    assert max(keys, key=lambda key: keys[key]) == ("major", 0)


def test_names_of_notes() -> None:
    assert len(set(PIECE.ids)) == 549
    assert all(f'xml:id="{name}"' in str(PIECE.drawing) for name in PIECE.ids)


def test_it_needs_no_verovio() -> None:
    code = "import sys; sys.modules['verovio'] = None; from recbayes.music.prelude import prelude; print(len(prelude()))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "549\n"


def test_verovio_reads_the_same(tmp_path: Path) -> None:
    pytest.importorskip("verovio", reason="the drawing is read by verovio")
    found = read_score(written(tmp_path, "prelude.mei", str(PIECE.drawing)))
    assert sounding(found) == sounding(PIECE)
    assert found.ids == PIECE.ids
    assert found.names == PIECE.names
    assert (found.title, found.seconds, found.bars.tolist()) == (PIECE.title, PIECE.seconds, PIECE.bars.tolist())
    np.testing.assert_array_equal(found.beats, PIECE.beats)


def test_signs_are_drawn_where_they_are_new() -> None:
    """The sharp of bar 6 is seen once, and heard four times."""
    bar = str(PIECE.drawing).split('xml:id="bar6"')[1].split("</measure>")[0]
    assert bar.count(' accid="s"') == 1
    assert bar.count(' accid.ges="s"') == 3
