"""Scores through verovio: what stands in a file by the rules of notation is what is read."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from recbayes.errors import DataError, FileError
from recbayes.music import from_verovio
from recbayes.music.analysis import analyse
from recbayes.music.reading import read_score
from recbayes.music.score import Score
from tests.music.files import REST, UNPITCHED, grace, kern, music_xml, note, sounding, written

pytest.importorskip("verovio")

C, D, E, G = (note(step, 4, 8) for step in "CDEG")
MEI = """<?xml version="1.0"?><mei xmlns="http://www.music-encoding.org/ns/mei" xmlns:own="urn:mine" meiversion="5.0">
<meiHead><fileDesc><titleStmt><title>A <rend>short</rend> piece</title></titleStmt><pubStmt><own:thing/></pubStmt></fileDesc>
</meiHead><music><body><mdiv><score><scoreDef meter.count="3" meter.unit="4" midi.bpm="100"><staffGrp>
<staffDef n="1" lines="5" clef.shape="G" clef.line="2"/></staffGrp></scoreDef><section><measure n="7"><staff n="1"><layer>
<note xml:id="one" pname="b" oct="4" dur="4" tie="i"/><note xml:id="two" pname="b" oct="4" dur="4" tie="t"/>
<note xml:id="three" pname="c" oct="5" dur="4" accid.ges="s"/></layer></staff></measure></section></score></mdiv></body>
</music></mei>"""


def read(folder: Path, name: str, text: str | bytes, repeats: bool = False) -> Score:
    return read_score(written(folder, name, text), repeats=repeats)


def pitches(score: Score) -> list[int]:
    return score.pitches.tolist()


def tied(*kinds: str) -> str:
    return f"<notations>{''.join(f'<tied type={kind!r}/>' for kind in kinds)}</notations>"


def test_two_staves_voices_chords_and_tuplets(tmp_path: Path) -> None:
    text = kern(
        "**kern **kern",
        "*M3/4 *M3/4",
        "*MM90 *MM90",
        "4C 4cc",  # a pickup
        "=1 =1",
        "2.C 4cc",
        ". 12dd",
        ". 12ee-",
        ". 12ff#",
        ". [4gg,4bb-",
        "=2 =2",
        "* *^",
        "2.C 4gg] 2.e",
        ". 8.aa .",
        ". 16bb .",
        ". 4cc .",
        "=3 =3 =3",
        "* *v *v",
        "*M2/4 *M2/4",
        "2r 4aa,4cc",
        ". 4dd",
        "=4 =4",
        "2C 2cc",
        "== ==",
        "*- *-",
    )
    found = read(tmp_path, "many.krn", text)
    expected = [
        *((0, 1, 48), (0, 1, 72), (1, 4, 48), (1, 2, 72), (2, 7 / 3, 74), (7 / 3, 8 / 3, 75), (8 / 3, 3, 78)),
        *((3, 5, 79), (3, 4, 82), (4, 7, 48), (4, 7, 64), (5, 5.75, 81), (5.75, 6, 83), (6, 7, 72)),
        *((7, 8, 72), (7, 8, 81), (8, 9, 74), (9, 11, 48), (9, 11, 72)),
    ]
    np.testing.assert_allclose(sounding(found), expected, rtol=0, atol=1e-12)
    assert found.bars.tolist() == [0, 1, 4, 7, 9, 11]
    assert found.names == ("0", "1", "2", "3", "4")
    assert found.beats.tolist() == list(range(12))
    assert found.seconds == 60 / 90
    assert found.title == "many"


def test_quintuplets_and_septuplets_are_exact(tmp_path: Path) -> None:
    text = kern("**kern", "*M2/4", "=1", *["20c"] * 5, *["28d"] * 7, "=2", "2c", "==", "*-")
    onsets = [*np.arange(5) / 5, *(1 + np.arange(7) / 7), 2]
    np.testing.assert_allclose(read(tmp_path, "x.krn", text).onsets, onsets, rtol=0, atol=1e-14)


def test_grace_notes_take_no_time(tmp_path: Path) -> None:
    text = music_xml(grace("D", 5) + C + grace("D", 5), grace("D", 5) + grace("F", 5, "<chord/>") + D)
    assert sounding(read(tmp_path, "x.musicxml", text)) == [(0, 4, 60), (4, 8, 62)]
    text = kern("**kern", "*M4/4", "=1", "8qd", "1c", "=2", "16qqe", "16qqf", "2g", "2r", "==", "*-")
    assert sounding(read(tmp_path, "x.krn", text)) == [(0, 4, 60), (4, 6, 67)]


def test_arpeggios_and_tremolos_are_as_they_are_written(tmp_path: Path) -> None:
    roll = "<notations><arpeggiate/></notations>"
    tremolo = "<notations><ornaments><tremolo type='single'>3</tremolo></ornaments></notations>"
    chord = note("C", 4, 8, after=roll) + note("E", 4, 8, "<chord/>", roll)
    found = read(tmp_path, "x.musicxml", music_xml(chord, note("G", 4, 8, after=tremolo)))
    assert sounding(found) == [(0, 4, 60), (0, 4, 64), (4, 8, 67)]


def test_ties_are_one_note(tmp_path: Path) -> None:
    first, last = note("C", 4, 8, after=tied("start")), note("C", 4, 4, after=tied("stop"))
    found = read(tmp_path, "x.musicxml", music_xml(first, note("C", 4, 4, after=tied("stop", "start")) + last, C))
    assert sounding(found) == [(0, 8, 60), (8, 12, 60)]
    text = kern("**kern", "*M4/4", "=1", "[1c,[1e,1g", "=2", "1c_,1e],1g", "=3", "2c]", "2r", "==", "*-")
    found = read(tmp_path, "x.krn", text)
    assert sounding(found) == [(0, 10, 60), (0, 8, 64), (0, 4, 67), (4, 8, 67)]
    assert found.ids[0] == "note-L4F1S1"


def test_a_tie_to_another_voice(tmp_path: Path) -> None:
    """As in bar 16 of BWV 849: verovio leaves both ends of such ties hanging, and draws them red."""
    lines = ["[2.dd 2ryy", ". [4b", "4dd],4b_ 4ryy", "=2 =2", "1b],1g 1e", "== ==", "*- *-"]
    found = read(tmp_path, "x.krn", kern("**kern **kern", "*M4/4 *M4/4", "=1 =1", *lines))
    assert sounding(found) == [(0, 4, 74), (2, 8, 71), (4, 8, 64), (4, 8, 67)]
    assert 'startid="#note-L5F2" tstamp2' in str(found.drawing)
    assert 'color="red"' not in str(found.drawing)


def test_transposing_instruments_sound_as_they_do(tmp_path: Path) -> None:
    clarinet = "<transpose><diatonic>-1</diatonic><chromatic>-2</chromatic></transpose>"
    assert pitches(read(tmp_path, "x.musicxml", music_xml(C, more=clarinet))) == [58]
    bass = "<transpose><diatonic>0</diatonic><chromatic>0</chromatic><octave-change>-1</octave-change></transpose>"
    assert pitches(read(tmp_path, "x.musicxml", music_xml(C, more=bass))) == [48]
    assert pitches(read(tmp_path, "x.krn", kern("**kern", "*ITrd1c2", "*M4/4", "=1", "1c", "==", "*-"))) == [60]


def test_lines_that_shift_octaves(tmp_path: Path) -> None:
    def direction(kind: str) -> str:
        shift = f"<octave-shift type={kind!r} size='8' number='1'/>"
        return f"<direction><direction-type>{shift}</direction-type></direction>"

    shifted = direction("down") + note("C", 6, 8) + direction("stop")
    assert pitches(read(tmp_path, "x.musicxml", music_xml(shifted, C))) == [84, 60]
    text = kern("**kern", "*M4/4", "=1", "*8va", "1ccc", "*X8va", "=2", "1c", "==", "*-")
    assert pitches(read(tmp_path, "x.krn", text)) == [84, 60]


def test_accidentals(tmp_path: Path) -> None:
    text = kern("**kern", "*k[b-e-]", "*M6/4", "=1", "4b-", "4bn", "4b-", "4f##", "4e--", "4c#", "==", "*-")
    assert pitches(read(tmp_path, "x.krn", text)) == [70, 71, 70, 67, 62, 61]


def test_percussion_is_left_out(tmp_path: Path) -> None:
    assert sounding(read(tmp_path, "x.musicxml", music_xml(note("C", 4, 4) + UNPITCHED))) == [(0, 2, 60)]
    text = kern("**kern **kern", "*clefX *clefG2", "*M4/4 *M4/4", "=1 =1", "1e 1c", "== ==", "*- *-")
    assert pitches(read(tmp_path, "x.krn", text)) == [60]
    with pytest.raises(DataError, match="no notes but those of percussion"):
        read(tmp_path, "x.mei", MEI.replace('clef.shape="G" clef.line="2"', 'clef.shape="perc"'))


def test_long_rests_are_bars(tmp_path: Path) -> None:
    style = "<attributes><measure-style><multiple-rest>3</multiple-rest></measure-style></attributes>"
    found = read(tmp_path, "x.musicxml", music_xml(C, style + REST, REST, REST, D, REST))
    assert found.names == ("1", "2", "3", "4", "5")  # the piece ends with its last note
    assert found.bars.tolist() == [0, 4, 8, 12, 16, 20]
    assert sounding(found) == [(0, 4, 60), (16, 20, 62)]


def test_signs_for_a_bar_once_more_are_written_out(tmp_path: Path) -> None:
    start, stop = (
        f"<attributes><measure-style><measure-repeat type={kind!r}>1</measure-repeat></measure-style></attributes>"
        for kind in ("start", "stop")
    )
    found = read(tmp_path, "x.musicxml", music_xml(C, start + C, stop + D))
    assert sounding(found) == [(0, 4, 60), (4, 8, 60), (8, 12, 62)]
    assert len(set(found.ids)) == 3
    assert all(f'xml:id="{name}"' in str(found.drawing) for name in found.ids)


def test_bars_that_are_cut_by_repeats(tmp_path: Path) -> None:
    lines = ["**kern", "*M3/4", "4c", "=1", "2.c", "=2", "2d", "=:|!", "4e", "=3", "2.f", "=4", "2g", "==:|!", "*-"]
    found = read(tmp_path, "x.krn", kern(*lines))
    assert found.names == ("0", "1", "2", "2b", "3", "4")
    assert found.bars.tolist() == [0, 1, 4, 6, 7, 10, 12]
    unfolded = read(tmp_path, "x.krn", kern(*lines), repeats=True)
    assert unfolded.names == ("0", "1", "2", "0", "1", "2", "2b", "3", "4", "2b", "3", "4")
    assert pitches(unfolded) == [60, 60, 62, 60, 60, 62, 64, 65, 67, 64, 65, 67]
    assert len(set(unfolded.ids)) == 12


def test_endings_are_unfolded(tmp_path: Path) -> None:
    def ending(kind: str, where: str, repeat: str = "") -> str:
        return f"<barline location={where!r}><ending number={kind!r} type='{where_type(where)}'/>{repeat}</barline>"

    def where_type(where: str) -> str:
        return "start" if where == "left" else "stop"

    again = "<repeat direction='backward'/>"
    text = music_xml(
        C,
        ending("1", "left") + D + ending("1", "right", again),
        ending("2", "left") + E + ending("2", "right"),
        G,
        title="<movement-title>Endings</movement-title>",
    )
    folded = read(tmp_path, "x.musicxml", text)
    assert pitches(folded) == [60, 62, 64, 67]
    unfolded = read(tmp_path, "x.musicxml", text, repeats=True)
    assert pitches(unfolded) == [60, 62, 60, 64, 67]
    assert unfolded.names == ("1", "2", "1", "3", "4")
    assert unfolded.bars.tolist() == [0, 4, 8, 12, 16, 20]
    assert (folded.endings, unfolded.endings) == (True, False)
    found = analyse(folded, draws=20)
    assert "endings are read one after the other" in found.note
    assert "First and second endings are read one after the other" in str(found.to_html())
    assert "endings" not in analyse(unfolded, draws=20).note
    assert folded.title == unfolded.title == "Endings"


def test_kern_says_in_which_order_its_parts_are_played(tmp_path: Path) -> None:
    lines = ["**kern", "*>[A,A,B]", "*>norep[A,B]", "*M4/4", "*>A", "=1", "[1c", "=2:|!", "*>B", "1c]", "==", "*-"]
    text = kern(*lines).replace("[A A B]", "[A,A,B]").replace("[A B]", "[A,B]")
    assert sounding(read(tmp_path, "x.krn", text)) == [(0, 8, 60)]
    unfolded = read(tmp_path, "x.krn", text, repeats=True)
    assert sounding(unfolded) == [(0, 4, 60), (4, 12, 60)]  # a tie holds where its notes follow each other
    assert len(unfolded.names) == 3


def test_a_piece_without_repeats_is_the_same_unfolded(tmp_path: Path) -> None:
    for name, text in {"x.musicxml": music_xml(C, D), "x.mei": MEI}.items():
        one, other = read(tmp_path, name, text), read(tmp_path, name, text, repeats=True)
        assert sounding(one) == sounding(other)
        assert one.ids == other.ids
        assert one.drawing == other.drawing


def test_mei(tmp_path: Path) -> None:
    found = read(tmp_path, "x.mei", MEI)
    assert sounding(found) == [(0, 2, 71), (2, 3, 73)]
    assert found.ids == ("one", "three")
    assert found.names == ("7",)
    assert found.title == "A short piece"
    assert found.seconds == 0.6


def test_compressed_and_named_otherwise(tmp_path: Path) -> None:
    text = music_xml(C, D)
    container = '<?xml version="1.0"?><container><rootfiles><rootfile full-path="score.xml"/></rootfiles></container>'
    with zipfile.ZipFile(tmp_path / "x.mxl", "w") as archive:
        archive.writestr("META-INF/container.xml", container)
        archive.writestr("score.xml", text)
    expected = [(0, 4, 60), (4, 8, 62)]
    assert sounding(read_score(tmp_path / "x.mxl")) == expected
    for name in ("x.xml", "X.MusicXML"):
        assert sounding(read(tmp_path, name, text)) == expected
    wide = f'<?xml version="1.0" encoding="UTF-16"?>{text}'
    assert sounding(read(tmp_path, "wide.xml", wide.encode("utf-16"))) == expected


@pytest.mark.parametrize(
    ("sign", "length", "beat"),
    [
        *(("4/4", 4, 1), ("2/2", 4, 2), ("3/2", 6, 2), ("3/8", 1.5, 0.5), ("6/8", 3, 1.5), ("9/8", 4.5, 1.5)),
        *(("12/16", 3, 0.75), ("6/4", 6, 3)),
    ],
)
def test_beats(tmp_path: Path, sign: str, length: float, beat: float) -> None:
    eighths = ["8c"] * int(2 * length)
    found = read(tmp_path, "x.krn", kern("**kern", f"*M{sign}", "=1", *eighths, "=2", *eighths, "==", "*-"))
    assert found.bars.tolist() == [0, length, 2 * length]
    np.testing.assert_allclose(found.beats, np.arange(0, 2 * length + beat / 2, beat))


def test_beats_of_pickups_changes_and_odd_bars(tmp_path: Path) -> None:
    lines = ["**kern", "*M6/8", "2c", "=1", "2.c", "=2", "*M3/4", "2.c", "=3", "2.c", "4c", "=4", "2.c", "==", "*-"]
    found = read(tmp_path, "x.krn", kern(*lines))
    assert found.beats.tolist() == [0, 0.5, 2, 3.5, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]


def test_a_time_signature_of_triplets(tmp_path: Path) -> None:
    """The right hand of BWV 860 has 24/16 where its bars are four quarters."""
    bars = [line for bar in range(1, 5) for line in (f"={bar}", "1c")]
    found = read(tmp_path, "x.krn", kern("**kern", "*M24/16", *bars, "==", "*-"))
    np.testing.assert_allclose(found.beats, np.arange(0, 16.1, 0.5))


def test_tempo(tmp_path: Path) -> None:
    def tempo(sound: str) -> str:
        marks = "<metronome><beat-unit>half</beat-unit><per-minute>40</per-minute></metronome>"
        return f"<direction><direction-type>{marks}</direction-type>{sound}</direction>"

    assert read(tmp_path, "x.musicxml", music_xml(C)).seconds == Score.seconds
    assert read(tmp_path, "x.musicxml", music_xml(tempo("") + C)).seconds == 0.75
    later = music_xml(tempo("<sound tempo='120'/>") + C, "<sound tempo='30'/>" + D)
    assert read(tmp_path, "x.musicxml", later).seconds == 0.5
    assert read(tmp_path, "x.krn", kern("**kern", "*M4/4", "=1", "1c", "==", "*-")).seconds == Score.seconds


def test_what_is_drawn_has_the_notes(tmp_path: Path) -> None:
    import verovio

    verovio.enableLog(verovio.LOG_OFF)
    lines = ["**kern", "*M4/4", "=1", "8qd", "[1c", "=2", "2c]", "2e", "=3:|!", "1g", "==", "*-"]
    for repeats in (False, True):
        found = read(tmp_path, "x.krn", kern(*lines), repeats=repeats)
        assert found.ids == read(tmp_path, "x.krn", kern(*lines), repeats=repeats).ids
        toolkit = verovio.toolkit()
        toolkit.setOptions({"expandNever": True})
        assert toolkit.loadData(found.drawing)
        assert [toolkit.getMIDIValuesForElement(name)["pitch"] for name in found.ids] == pitches(found)
        drawn = toolkit.renderToSVG()
        assert all(f'id="{name}"' in drawn for name in found.ids)


BROKEN: dict[str, tuple[str | bytes, str]] = {
    "empty.krn": ("", "is empty"),
    "text.krn": ("Hello.\n", "is not kern, .*: it is a text"),
    "fields.krn": (kern("**kern **kern", "4c", "*-"), "line 2 has 1 fields, and not 2"),
    "silent.krn": (kern("**kern", "*M4/4", "=1", "1r", "==", "*-"), "has no notes"),
    "drums.krn": (kern("**kern", "*clefX", "*M4/4", "=1", "1e", "==", "*-"), "no notes but those of percussion"),
    "ended.krn": (kern("**kern", "*-"), "no music"),
    "empty.xml": ("", "is empty"),
    "text.xml": ("Hello.", "no sound XML: it is a text"),
    "page.xml": ("<html></html>", "no score: it is a page of the web"),
    "half.musicxml": (music_xml(C, D)[:-200], "no sound XML"),
    "code.musicxml": ('<?xml version="1.0" encoding="nonsense"?><a/>', "no sound XML"),
    "hollow.musicxml": (music_xml(), "no music"),
    "silent.musicxml": (music_xml(REST), "has no notes"),
    "drums.musicxml": (music_xml(UNPITCHED, clef="<sign>percussion</sign>"), "no notes but those of percussion"),
    "ticks.musicxml": (music_xml(C.replace("<type>whole</type>", "")), "without a <type>"),
    "empty.mei": ('<mei xmlns="http://www.music-encoding.org/ns/mei"><music><body/></music></mei>', "cannot read it"),
    "zip.mxl": (b"PK\x03\x04 and no more", "cannot be unpacked"),
    "print.mxl": (b"%PDF-1.4\n%\xe2\xe3\xcf\xd3", "no compressed MusicXML, whatever its ending: it is a PDF file"),
    "garbage.mxl": (bytes(range(128, 256)) * 9, "no compressed MusicXML, .*: it is damaged, or another kind of file"),
    "garbage.musicxml": (bytes(range(128, 256)) * 9, "no sound XML: it is damaged"),
    "tune.mxl": ("X:1\nT:A tune in ABC\nK:C\nCDEF|\n", "no compressed MusicXML, .*: it is a text"),
    "tune.krn": ("X:1\nT:A tune in ABC\nK:C\nCDEF|\n", "is not kern"),
    "page.musicxml": ("<!DOCTYPE html><html><body><br></body></html>", "is a page of the web, and no score"),
    "named.krn": (music_xml(C), "is not kern, .*: it is MusicXML; give it the ending .musicxml"),
    "played.musicxml": (b"MThd" + bytes(10), "it is a MIDI file; give it the ending .mid"),
    "drawing.xml": ("<svg/>", "no score: it is XML of another kind, <svg>"),
}


def zipped(folder: Path, name: str, **members: str | bytes) -> Path:
    """A zip file; dots and slashes of its members' names are written as _ and __."""
    with zipfile.ZipFile(folder / name, "w") as archive:
        for member, content in members.items():
            archive.writestr(member.replace("__", "/").replace("_xml", ".xml"), content)
    return folder / name


CONTAINER = '<container><rootfiles><rootfile full-path="score.xml"/></rootfiles></container>'


def test_byte_order_marks_are_no_part_of_a_score(tmp_path: Path) -> None:
    for head in ("", '<?xml version="1.0" encoding="UTF-8"?>'):
        content = b"\xef\xbb\xbf" + (head + music_xml(C)).encode()
        assert pitches(read(tmp_path, "x.musicxml", content)) == [60]
        assert pitches(
            read_score(zipped(tmp_path, "x.mxl", **{"META-INF__container_xml": CONTAINER, "score_xml": content}))
        ) == [60]


def test_measures_with_parts_in_them(tmp_path: Path) -> None:
    """Score-timewise MusicXML is the same music as score-partwise."""
    parts = music_xml(C, D)
    measures = parts.replace("score-partwise", "score-timewise").replace('<part id="P1">', "").replace("</part>", "")
    for at in "12":
        measures = measures.replace(f'<measure number="{at}">', f'<measure number="{at}"><part id="P1">')
    measures = measures.replace("</measure>", "</part></measure>")
    found = read(tmp_path, "x.musicxml", measures)
    assert sounding(found) == sounding(read(tmp_path, "y.musicxml", parts))
    assert found.names == ("1", "2")


def test_zip_files_without_a_list_of_what_is_in_them(tmp_path: Path) -> None:
    assert pitches(read_score(zipped(tmp_path, "x.mxl", score_xml=music_xml(C)))) == [60]
    with pytest.raises(FileError, match=r"word\.mxl is a zip file without a score in it"):
        read_score(zipped(tmp_path, "word.mxl", word__document="x"))
    with pytest.raises(FileError, match=r"other\.mxl is no score: it is XML of another kind, <w>"):
        read_score(zipped(tmp_path, "other.mxl", word__document_xml="<w/>"))


@pytest.mark.parametrize("encoding", ["ISO-8859-1", "latin1", "windows-1252", "UTF-8", "utf-16"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?>\n' + music_xml(C, title="<movement-title>Prélude</movement-title>")
    found = read(tmp_path, "x.musicxml", text.encode(encoding))
    assert found.title == "Prélude"
    assert pitches(found) == [60]


def test_compressed_scores_with_another_ending(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.musicxml", "w") as file:
        file.writestr(
            "META-INF/container.xml", '<container><rootfiles><rootfile full-path="a.xml"/></rootfiles></container>'
        )
        file.writestr("a.xml", music_xml(C))
    assert pitches(read_score(tmp_path / "x.musicxml")) == [60]


def test_composers(tmp_path: Path) -> None:
    names = "".join(
        f'<creator type="{kind}">{name}</creator>' for kind, name in [("composer", "C. Wieck"), ("lyricist", "H.")]
    )
    found = read(tmp_path, "x.musicxml", music_xml(C, title=f"<identification>{names}</identification>"))
    assert found.composer == "C. Wieck"
    assert '<p class="piece">C. Wieck</p>' in str(analyse(found, draws=20).to_html())
    assert read(tmp_path, "x.krn", "!!!COM: Bach, J. S.\n" + kern("**kern", "4c", "*-")).composer == "J. S. Bach"
    assert read(tmp_path, "y.musicxml", music_xml(C)).composer == ""


def test_titles_that_are_only_printed(tmp_path: Path) -> None:
    """The largest in the middle of the first page."""
    words = [("A. Composer", 12, "right"), ("Etude", 22, "center"), ("for Anna", 12, "center")]
    credits = "".join(
        f'<credit page="1"><credit-words font-size="{size}" justify="{side}" halign="{side}" default-y="1500">{text}'
        "</credit-words></credit>"
        for text, size, side in words
    )
    assert read(tmp_path, "x.musicxml", music_xml(C, title=credits)).title == "Etude"
    assert read(tmp_path, "y.musicxml", music_xml(C, title=credits.replace("Etude", ""))).title == "for Anna"
    assert read(tmp_path, "z.musicxml", music_xml(C)).title == "z"


def test_key_signatures_are_those_that_sound(tmp_path: Path) -> None:
    """A clarinet in B flat has two sharps more on paper."""
    lower = "<transpose><diatonic>-1</diatonic><chromatic>-2</chromatic></transpose>"
    flats = music_xml(C).replace("<fifths>0", "<fifths>-3")
    clarinet = music_xml(C, more=lower).replace("<fifths>0", "<fifths>9")
    assert read(tmp_path, "x.musicxml", music_xml(C)).signature == 0
    assert read(tmp_path, "y.musicxml", flats).signature == -3
    assert read(tmp_path, "z.musicxml", clarinet).signature == 7
    assert read(tmp_path, "x.krn", kern("**kern", "*k[f#c#g#]", "4c", "*-")).signature == 3
    assert read(tmp_path, "y.krn", kern("**kern", "4c", "*-")).signature is None


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files(tmp_path: Path, name: str, capfd: pytest.CaptureFixture[str]) -> None:
    content, complaint = BROKEN[name]
    with pytest.raises((DataError, FileError), match=complaint) as problem:
        read(tmp_path, name, content)
    assert name in str(problem.value)
    assert "\n" not in str(problem.value)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("dying", ["sys.exit('what():  vector::_M_default_append')", "os.abort()"])
def test_verovio_may_die(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dying: str) -> None:
    """As it does on files that are damaged; which these are differs from version to version. Its own words help nobody."""
    monkeypatch.setattr(from_verovio, "PROCESS", written(tmp_path, "dying.py", f"import os, sys; {dying}"))
    with pytest.raises(FileError, match=r"x\.musicxml is damaged, or not what its ending says: .* gave up on it$"):
        read(tmp_path, "x.musicxml", music_xml(C))


def test_verovio_may_not_finish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(from_verovio, "LONGEST", 1e-3)
    with pytest.raises(FileError, match="was not read within"):
        read(tmp_path, "x.musicxml", music_xml(C))


def test_abbreviations_that_are_not_written_out(tmp_path: Path) -> None:
    half = MEI.replace('<note xml:id="one" pname="b" oct="4" dur="4" tie="i"/>', "<beatRpt/>")
    with pytest.raises(DataError, match=r"x\.mei: bar 7 has a sign for what was before"):
        read(tmp_path, "x.mei", half)


def test_without_verovio(tmp_path: Path) -> None:
    path = written(tmp_path, "x.krn", kern("**kern", "4c", "*-"))
    code = "import sys; sys.modules['verovio'] = None\nfrom recbayes.music.reading import read_score\n"
    code += f"read_score({str(path)!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=dict(os.environ))
    assert done.stderr.splitlines()[-1].startswith(
        "recbayes.errors.DataError: scores need verovio: pip install 'recbayes[music]'"
    )


def test_memory_that_is_limited_already() -> None:
    """Limits of the system are kept, and not raised: `ulimit -v` is lower than ours."""
    pytest.importorskip("resource")
    limit = 3_900_000 << 10
    code = (
        f"import resource, runpy; resource.setrlimit(resource.RLIMIT_AS, ({limit}, {limit}))\n"
        f"runpy.run_path({str(from_verovio.PROCESS)!r})['limit_memory']()\n"
        "print(resource.getrlimit(resource.RLIMIT_AS)[0])"
    )
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert int(done.stdout) == limit
