"""Regions in quarters, by hand, and trees of files."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from recbayes.errors import FileError
from recbayes.studies.music.annotations import Region, over_observations, read_annotations, regions_of
from recbayes.studies.music.pieces import Observed, Piece
from recbayes.studies.music.roman import read_roman
from recbayes.tree.tree import Tree
from tests.studies.music.tiny import TREE, tiny_piece, write_annotations


def with_bars(bars: list[float], names: tuple[str, ...] | None = None) -> Piece:
    piece = tiny_piece("x")
    numbers = names or tuple(str(place + 1) for place in range(len(bars) - 1))
    return replace(piece, by_bars=Observed(np.ones((len(bars) - 1, 12)), np.array(bars)), bar_names=numbers)


def test_all_of_a_piece(tmp_path: Path) -> None:
    piece = tiny_piece("one")
    known = read_annotations(write_annotations(tmp_path / "deep" / "er", "one").parent, piece)
    assert known.tree == Tree.from_spans(TREE, ["x"] * len(TREE))
    assert known.keys == (Region(0.0, 12.0, "C major"), Region(12.0, 24.0, "G major"), Region(24.0, 32.0, "C major"))
    assert [chord[:2] for chord in known.chords] == [
        (0, 4),
        (4, 6),
        (6, 8),
        (8, 12),
        (12, 14),
        (14, 16),
        (16, 20),
        (20, 24),
        (24, 28),
        (28, 32),
    ]
    assert [chord.label for chord in known.chords][-3:] == ["G major: IV", "C major: V", "C major: I"]
    other = read_annotations(tmp_path, tiny_piece("other"))
    assert (other.tree, other.keys, other.chords, other.phrases) == (None, (), (), ())
    assert read_annotations(None, piece).tree is None


def test_bars_are_those_of_the_piece() -> None:
    """Whatever the analyst's own time signature; a chord that is said twice is one."""
    roman = read_roman("Time Signature: 4/4\nm1 C: I b3 I\nm2 V b3 G: I\nm3 || V")
    keys, chords, phrases = regions_of(roman, with_bars([0.0, 6.0, 12.0, 18.0]))
    assert keys == (Region(0.0, 9.0, "C major"), Region(9.0, 18.0, "G major"))
    assert [chord[:2] for chord in chords] == [(0.0, 6.0), (6.0, 9.0), (9.0, 12.0), (12.0, 18.0)]
    assert phrases == (12.0,)


def test_a_last_bar_may_end_early() -> None:
    roman = read_roman("m1 C: I\nm2 V b3 G: I b4 V")
    keys, chords, _ = regions_of(roman, with_bars([0.0, 4.0, 7.0]))
    assert keys[1] == (6.0, 7.0, "G major")
    assert chords[-1] == (6.0, 7.0, "G major: I")


def test_bars_that_a_file_counts_wrongly() -> None:
    """Three bars of 24/16 are taken for two of six quarters: the analyst's own count ends where the piece does."""
    roman = read_roman("Time Signature: 4/4\nm1 C: I\nm2 V\nm3 b3 G: I")
    keys, _, _ = regions_of(roman, with_bars([0.0, 6.0, 12.0]))
    assert keys == (Region(0.0, 10.0, "C major"), Region(10.0, 12.0, "G major"))
    with pytest.raises(FileError, match="bar 3, and the piece has bars 1 to 2"):
        regions_of(roman, with_bars([0.0, 6.0, 13.0]))


def test_bars_go_by_their_names() -> None:
    """A pickup is bar 0, and a bar with a name that is no number is nobody's."""
    roman = read_roman("m0 b3 C: V\nm1 I\nm2 G: I")
    keys, chords, _ = regions_of(roman, with_bars([0.0, 2.0, 6.0, 8.0, 12.0], ("0", "1", "1a", "2")))
    assert keys == (Region(0.0, 8.0, "C major"), Region(8.0, 12.0, "G major"))
    assert chords[1].start == 2.0


def test_trees_over_observations() -> None:
    """Slices that are halves of bars have all edges of bars; with few slices, bars vanish."""
    tree = Tree.from_spans([(0, 3), (0, 2), (0, 1), (1, 2), (2, 3)])
    bars = np.array([0.0, 4.0, 8.0, 12.0])
    assert set(over_observations(tree, bars, np.linspace(0.0, 12.0, 7)).spans) == {(0, 6), (0, 4), (0, 2), (2, 4), (4, 6)}
    assert set(over_observations(tree, bars, np.array([0.0, 7.5, 12.0])).spans) == {(0, 2), (0, 1), (1, 2)}


def test_errors_say_what_to_do(tmp_path: Path) -> None:
    piece = tiny_piece("one")
    with pytest.raises(FileError, match="is no folder"):
        read_annotations(tmp_path / "nowhere", piece)
    path = tmp_path / "one_tree.csv"
    for text, complaint in (
        ("a,b\n1,2\n", "start_bar and end_bar"),
        ("start_bar,end_bar\n0,x\n", "start_bar and end_bar"),
        ("start_bar,end_bar\n0,8\n0,5\n3,8\n", "no spans of a tree"),
        ("start_bar,end_bar\n0,7\n0,5\n5,7\n", "has 7 bars, and the piece 8"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(FileError, match=complaint):
            read_annotations(tmp_path, piece)
    path.unlink()
    (tmp_path / "one_analysis.rntxt").write_text("m1 I\n", encoding="utf-8")
    with pytest.raises(FileError, match=r"one_analysis\.rntxt: bar 1 has a chord before any key"):
        read_annotations(tmp_path, piece)
    (tmp_path / "one_analysis.rntxt").write_text("m9 C: I\n", encoding="utf-8")
    with pytest.raises(FileError, match="the analysis of one: it speaks of bar 9"):
        read_annotations(tmp_path, piece)
    (tmp_path / "again").mkdir()
    (tmp_path / "again" / "one_analysis.rntxt").write_text("m1 C: I\n", encoding="utf-8")
    with pytest.raises(FileError, match="keep one of them"):
        read_annotations(tmp_path, piece)
