"""Roman-numeral analyses, written here, against what they say by hand."""

import pytest

from recbayes.errors import FileError
from recbayes.studies.music.roman import Chord, Key, Place, read_key, read_roman

C, G, A_MINOR = Key(0, "major"), Key(7, "major"), Key(9, "minor")


def test_chords_have_places_and_keys() -> None:
    found = read_roman("Time Signature: 4/4\nm1 C: I b2.5 V65\n\nm2 b3 a: viio7/V b4 bVI\nm4 G: I\n")
    assert found.chords == (
        Chord(Place(1, 0.0), C, "I"),
        Chord(Place(1, 0.375), C, "V65"),
        Chord(Place(2, 0.5), A_MINOR, "viio7/V"),
        Chord(Place(2, 0.75), A_MINOR, "bVI"),
        Chord(Place(4, 0.0), G, "I"),
    )
    assert found.marks == ()


@pytest.mark.parametrize(
    ("meter", "beat", "part"),
    [
        ("3/4", "b2", 1 / 3),
        ("6/8", "b2", 1 / 2),  # two dotted beats
        ("slow 6/8", "b2", 1 / 6),
        ("6/8", "b1.67", 1 / 3),
        ("12/16", "b4.33", 10 / 12),
        ("9/8", "b3", 2 / 3),
        ("3/8", "b2", 1 / 3),
        ("fast 3/8", "b1.66", 2 / 3),  # one dotted beat
        ("6/4", "b2", 1 / 2),
        ("3/2", "b3", 2 / 3),
        ("4/4", "b2.75", 0.4375),
        ("C", "b4", 0.75),
        ("Cut", "b2", 0.5),
    ],
)
def test_beats_of_time_signatures(meter: str, beat: str, part: float) -> None:
    chords = read_roman(f"Time Signature: {meter}\nm1 C: I {beat} V").chords
    assert chords[1].place == (1, pytest.approx(part))


def test_meters_may_change() -> None:
    found = read_roman("Time Signature: 4/4\nm1 C: I b3 V\nTime signature: 3/4 \nm2 I b3 V\nm3 I")
    assert [chord.place for chord in found.chords] == [(1, 0.0), (1, 0.5), (2, 0.0), (2, pytest.approx(2 / 3)), (3, 0.0)]
    assert {bar: meter.quarters for bar, meter in found.meters.items()} == {1: 4.0, 2: 3.0}


def test_repeated_bars_are_in_the_key_of_their_new_place() -> None:
    """Numerals are copied, and keys only where the copied bars change them."""
    found = read_roman("m1 C: I\nm2 ii b3 V\nm3 G: IV\nm4-5 = m2-3\nm6 a: i\nm7 = m2\nm8 = m1")
    assert [(chord.place.bar, chord.key, chord.figure) for chord in found.chords][4:] == [
        *((4, G, "ii"), (4, G, "V"), (5, G, "IV")),
        (6, A_MINOR, "i"),
        *((7, A_MINOR, "ii"), (7, A_MINOR, "V"), (8, C, "I")),
    ]


def test_what_is_passed_over_and_what_is_marked() -> None:
    text = (
        "Composer: X\nPedal: G m1 m3 b1\nNote: b2 V\nm1 ||: C: I\nm1var1 V\nm2 V :||\nForm: Presto\nm3 I b2 || V\nm4 I :||"
    )
    found = read_roman(text)
    assert [chord.figure for chord in found.chords] == ["I", "V", "I", "V", "I"]
    assert found.marks == ((1, 0.0), (2, 1.0), (3, 0.0), (3, 0.25), (4, 1.0))


@pytest.mark.parametrize(
    ("text", "key"),
    [("C:", (0, "major")), ("bb:", (10, "minor")), ("B:", (11, "major")), ("c#:", (1, "minor")), ("Cb:", (11, "major"))],
)
def test_keys(text: str, key: tuple[int, str]) -> None:
    assert read_key(text) == key


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("m1 I", "bar 1 has a chord before any key"),
        ("m1 C: I\nm2 b5 V", "line 2: a bar has 4 beats"),
        ("m1 C: I\nm2 b0.5 V", "line 2: a bar has 4 beats"),
        ("Time Signature: x/4\nm1 C: I", "line 1: a time signature"),
        ("Time Signature: 0/4\nm1 C: I", "line 1: a bar has one beat or more"),
        ("m1 C: I\nm3-4 = m1-2", "line 2: .* bar 2 has not been there"),
        ("m1 C: I\nm2 V\nm3 = m1-2", "line 3: .* 1 and 2 bars"),
        ("m1 C: I\n???", "line 2: a bar such as"),
        ("Composer: X", "no chord"),
    ],
)
def test_errors_name_the_line(text: str, complaint: str) -> None:
    with pytest.raises(FileError, match=complaint):
        read_roman(text)
