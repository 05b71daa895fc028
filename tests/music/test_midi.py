"""Scores from MIDI files, made byte by byte."""

from pathlib import Path

import pytest

from recbayes.errors import DataError, FileError
from recbayes.music.reading import read_score
from tests.music.files import midi, played, signature, sounding, written

pytest.importorskip("symusic")


def test_notes_of_all_tracks(tmp_path: Path) -> None:
    content = midi([], [*played(0, 480, 60), *played(480, 1920, 64)], [*played(240, 720, 67, channel=1)])
    found = read_score(written(tmp_path, "A piece.mid", content))
    assert sounding(found) == [(0, 1, 60), (0.5, 1.5, 67), (1, 4, 64)]
    assert (found.title, found.drawing, found.ids) == ("A piece", None, ())
    assert found.bars.tolist() == [0, 4]
    assert found.names == ("1",)


def test_bars_and_beats_from_time_signatures(tmp_path: Path) -> None:
    tempo = (0, b"\xff\x51\x03" + (600_000).to_bytes(3))
    head = [signature(0, 3, 2), tempo, signature(2 * 3 * 480, 6, 3)]
    found = read_score(written(tmp_path, "x.midi", midi(head, played(0, 3840, 60), played(3840, 5280, 62))))
    assert found.bars.tolist() == [0, 3, 6, 9, 11]
    assert found.beats.tolist() == [0, 1, 2, 3, 4, 5, 6, 7.5, 9, 10.5, 11]
    assert found.seconds == pytest.approx(0.6)


def test_a_time_signature_begins_a_bar(tmp_path: Path) -> None:
    found = read_score(written(tmp_path, "x.mid", midi([signature(0, 4, 2), signature(480, 3, 2)], played(0, 3360, 60))))
    assert found.bars.tolist() == [0, 1, 4, 7]


def test_drums_are_left_out(tmp_path: Path) -> None:
    found = read_score(written(tmp_path, "x.mid", midi(played(0, 480, 36, channel=9), played(0, 480, 60))))
    assert found.pitches.tolist() == [60]


def test_time_signatures_that_cannot_be(tmp_path: Path) -> None:
    found = read_score(written(tmp_path, "x.mid", midi([signature(0, 0, 2)], played(0, 1920, 60))))
    assert found.bars.tolist() == [0, 4]


BROKEN = {
    "empty.mid": (b"", "not a MIDI file"),
    "text.midi": (b"This is no MIDI file at all.", "not a MIDI file, whatever its ending$"),
    "score.mid": (b"\n<score-partwise/>", r"give it the ending \.musicxml"),
    "half.mid": (midi(played(0, 480, 60))[:-9], "not a sound MIDI file: it is damaged, or cut off$"),
    "head.mid": (b"MThd", "not a sound MIDI file: it is damaged, or cut off$"),
    "silent.mid": (midi([signature(0, 4, 2)]), r"silent\.mid has no notes; give"),
    "drums.mid": (midi(played(0, 480, 36, channel=9)), "has no notes but drums"),
    "long.mid": (midi([signature(0, 1, 7)], played(0, 1 << 27, 60), quarter=96), "quarters long"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files(tmp_path: Path, name: str) -> None:
    content, complaint = BROKEN[name]
    with pytest.raises((DataError, FileError), match=complaint) as problem:
        read_score(written(tmp_path, name, content))
    assert name in str(problem.value)


def test_a_midi_file_has_no_repeats(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="as it is played: leave repeats out"):
        read_score(written(tmp_path, "x.mid", midi(played(0, 480, 60))), repeats=True)


def test_other_files(tmp_path: Path) -> None:
    for name, complaint in {
        "x.txt": "unknown ending; scores are .musicxml",
        "x": "unknown ending",
        "x.mscz": "export MusicXML from MuseScore",
        "x.pdf": "a picture of a score",
    }.items():
        with pytest.raises(FileError, match=complaint):
            read_score(written(tmp_path, name, b"hello"))
    with pytest.raises(FileError, match=r"none\.krn is not there"):
        read_score(tmp_path / "none.krn")
    (tmp_path / "folder.mid").mkdir()
    with pytest.raises(FileError, match=r"folder\.mid is a folder; name a file in it"):
        read_score(tmp_path / "folder.mid")
    with pytest.raises(FileError, match=r"^\. is a folder; name a file in it"):
        read_score(".")


def test_key_signatures(tmp_path: Path) -> None:
    event = (0, bytes([0xFF, 0x59, 2, 0xFC, 0]))  # four flats
    assert read_score(written(tmp_path, "x.mid", midi([event], played(0, 480, 60)))).signature == -4
    assert read_score(written(tmp_path, "y.mid", midi(played(0, 480, 60)))).signature is None
