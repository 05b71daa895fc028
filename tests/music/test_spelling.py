"""How notes and keys are spelt: as the score prints them, with the key signature that is in force."""

from dataclasses import replace
from pathlib import Path

import pytest

from recbayes.music.chords import Chord, chord_name
from recbayes.music.prelude import prelude
from recbayes.music.reading import read_score
from recbayes.music.spelling import key_spelt, pitch_names, spelt, wheel_name
from tests.music.files import kern, midi, music_xml, note, played, written


def test_key_signatures_change(tmp_path: Path) -> None:
    pytest.importorskip("verovio")
    flats = "<attributes><key><fifths>-4</fifths></key></attributes>"
    lower = "<transpose><diatonic>-1</diatonic><chromatic>-2</chromatic></transpose>"
    bars = [note("C", 4, 8), flats + note("C", 4, 8), note("C", 4, 8)]
    found = read_score(written(tmp_path, "x.musicxml", music_xml(*bars)))
    assert (found.signature, found.signatures) == (0, ((4.0, -4),))
    assert [found.signature_at(time) for time in (0, 3.9, 4, 9)] == [0, 0, -4, -4]
    assert pitch_names(found, 4, 8)[6] == "Gb"
    assert pitch_names(found, 0, 4)[6] == "F#"
    clarinet = read_score(written(tmp_path, "y.musicxml", music_xml(*bars, more=lower)))
    assert (clarinet.signature, clarinet.signatures) == (-2, ((4.0, -6),))
    again = read_score(
        written(tmp_path, "x.krn", kern("**kern", "*k[]", "=1", "1c", "=2", "*k[b-]", "1c", "=3:|!", "*-")), repeats=True
    )
    assert (again.signature, again.signatures) == (0, ((4.0, -1), (8.0, 0), (12.0, -1)))


def test_key_signatures_of_midi_change(tmp_path: Path) -> None:
    pytest.importorskip("symusic")
    signs = [(0, b"\xff\x59\x02\x02\x00"), (960, b"\xff\x59\x02\xfd\x01")]
    found = read_score(written(tmp_path, "x.mid", midi([*signs, *played(0, 1920, 60)])))
    assert (found.signature, found.signatures, found.spelling) == (2, ((2.0, -3),), ())


def test_notes_are_spelt_as_they_are_printed(tmp_path: Path) -> None:
    pytest.importorskip("verovio")
    text = kern("**kern", "*k[b-e-]", "*M8/4", "=1", "4b-", "4bn", "4b-", "4f##", "4e--", "4c#", "2d-", "==", "*-")
    found = read_score(written(tmp_path, "x.krn", text))
    assert found.spelling == (-2, 5, -2, 13, -10, 7, -5)
    assert spelt(found, 0, 5) == {10: -2, 11: 5, 7: 13, 2: -10}
    assert spelt(found, 0, 8)[1] == -5  # which sounds twice as long
    assert pitch_names(found, 5, 6)[1] == "C#"
    lower = "<transpose><diatonic>-1</diatonic><chromatic>-2</chromatic></transpose>"
    clarinet = read_score(written(tmp_path, "x.musicxml", music_xml(note("C", 4, 8), more=lower)))
    assert clarinet.spelling == (-2,)


def test_the_piece_in_the_box_is_spelt() -> None:
    piece = prelude()
    assert [None if step is None else 7 * step % 12 for step in piece.spelling] == (piece.pitches % 12).tolist()
    assert spelt(replace(piece, pitches=piece.pitches + 1), 0.0, piece.end) == {}


def test_chords_and_keys_are_spelt_like_their_notes() -> None:
    assert chord_name(Chord(6, "dominant seventh"), {6: -6}, 6) == "Gb7"
    assert chord_name(Chord(6, "dominant seventh"), {}, -6) == "Gb7"
    assert chord_name(Chord(6, "dominant seventh"), {6: 6}, -6) == "F#7"
    assert key_spelt(8, "minor", {8: 8}, -3) == "G# minor"
    assert key_spelt(8, "major", {8: 8}, -3) == "Ab major"  # G sharp major has eight sharps


@pytest.mark.parametrize("signature", range(-7, 8))
def test_the_wheel_has_keys_that_there_are(signature: int) -> None:
    names = {(tonic, mode): wheel_name(tonic, mode, signature) for tonic in range(12) for mode in ("major", "minor")}
    assert set(names.values()) <= {*"CDEFGAB", *(f"{letter}{sign}" for letter in "CDEFGAB" for sign in "#b")}
    assert not {"B#", "E#", "Fb"} & set(names.values())
    assert names[7 * signature % 12, "major"] == next(
        name
        for step, name in enumerate(("Cb", "Gb", "Db", "Ab", "Eb", "Bb", *"FCGDAEB", "F#", "C#"), -7)
        if step == signature
    )
