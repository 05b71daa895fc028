"""Pieces of a folder, from MIDI files made here."""

from pathlib import Path

import numpy as np
import pytest

from recbayes.errors import FileError
from recbayes.studies.music.pieces import checksum, read_pieces
from tests.studies.music.tiny import CHORDS, SONG, write_midi


def test_counts_and_bars(tmp_path: Path) -> None:
    """Every note of a chord sounds the whole bar; the one that two tracks have counts once."""
    (tmp_path / "deeper").mkdir()
    write_midi(tmp_path / "one.mid", tonic=2)
    write_midi(tmp_path / "deeper" / "two.mid", SONG[:3], meter=(6, 8))
    one, two = read_pieces(tmp_path, 16)
    assert (one.name, two.name) == ("one", "two")
    assert one.bars.tolist() == [4.0 * bar for bar in range(9)]
    assert one.bar_names == ("1", "2", "3", "4", "5", "6", "7", "8")
    assert two.bars.tolist() == [0.0, 3.0, 6.0, 9.0]
    for bar, name in enumerate(SONG):
        expected = np.zeros(12)
        expected[[(2 + step) % 12 for step in CHORDS[name]]] = 4.0
        assert one.by_bars.counts[bar] == pytest.approx(expected)
        assert one.slices.counts[2 * bar] == pytest.approx(expected / 2)
    assert two.slices.counts.sum() == pytest.approx(3 * 9.0)
    assert one.observed("bars") is one.by_bars
    assert checksum([one, two]) == checksum(read_pieces(tmp_path, 16)) != checksum([two, one])


def test_errors_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="is no folder"):
        read_pieces(tmp_path / "nowhere", 8)
    with pytest.raises(FileError, match="no scores in it"):
        read_pieces(tmp_path, 8)
    write_midi(tmp_path / "one.mid")
    (tmp_path / "deeper").mkdir()
    write_midi(tmp_path / "deeper" / "one.mid")
    with pytest.raises(FileError, match="have the same name"):
        read_pieces(tmp_path, 8)
