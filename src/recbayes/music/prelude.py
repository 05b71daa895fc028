"""A piece in the box: the first prelude of Bach's Well-Tempered Clavier, and how it is drawn.

Its first 32 bars are five notes each. The two lowest are held; the three others follow in sixteenths, twice, and all of this
is played twice a bar. Three bars close it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from recbayes.music.keys import note_step
from recbayes.music.meter import Meter
from recbayes.music.notes import Note, score_of
from recbayes.music.score import Score

TITLE = "Prelude in C major, BWV 846"
COMPOSER = "Johann Sebastian Bach"
SIGNATURE = 0  # sharps
TEMPO = 80  # quarters a minute, about as it is often played
CHORDS = """
    C4 E4 G4 C5 E5 | C4 D4 A4 D5 F5   | B3 D4 G4 D5 F5  | C4 E4 G4 C5 E5
    C4 E4 A4 E5 A5 | C4 D4 F#4 A4 D5  | B3 D4 G4 D5 G5  | B3 C4 E4 G4 C5
    A3 C4 E4 G4 C5 | D3 A3 D4 F#4 C5  | G3 B3 D4 G4 B4  | G3 Bb3 E4 G4 C#5
    F3 A3 D4 A4 D5 | F3 Ab3 D4 F4 B4  | E3 G3 C4 G4 C5  | E3 F3 A3 C4 F4
    D3 F3 A3 C4 F4 | G2 D3 G3 B3 F4   | C3 E3 G3 C4 E4  | C3 G3 Bb3 C4 E4
    F2 F3 A3 C4 E4 | F#2 C3 A3 C4 Eb4 | Ab2 F3 B3 C4 D4 | G2 F3 G3 B3 D4
    G2 E3 G3 C4 E4 | G2 D3 G3 C4 F4   | G2 D3 G3 B3 F4  | G2 Eb3 A3 C4 F#4
    G2 E3 G3 C4 G4 | G2 D3 G3 C4 F4   | G2 D3 G3 B3 F4  | C2 C3 G3 Bb3 E4
"""
CLOSE = (
    ("C2", "C3", "F3 A3 C4 F4 C4 A3 C4 A3 F3 A3 F3 D3 F3 D3"),
    ("C2", "B2", "G4 B4 D5 F5 D5 B4 D5 B4 G4 B4 D4 F4 E4 D4"),
)
LAST = ("C2", "C3", "E4 G4 C5")
STEPS = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}
SIGNS = {"": ("n", 0), "#": ("s", 1), "b": ("f", -1)}  # as MEI writes them, and in semitones
LENGTHS = {1: "16", 2: "8", 3: "8.", 4: "4", 8: "2", 12: "2.", 16: "1"}  # by sixteenths
BEAT, BAR = 4, 16  # sixteenths
VOICES = {  # their staves and layers, and where stems go
    "above": (1, 1, 'stem.dir="up"'),
    "middle": (2, 1, 'stem.dir="up"'),
    "below": (2, 2, 'stem.dir="down"'),
}


Parts = list[tuple[int, str]]  # lengths in sixteenths and what sounds: nothing, a note, notes; ~ ties it to the next


@dataclass(frozen=True)
class _Event:
    """Notes that begin together, or a rest: when in the bar and how long, in sixteenths, and what they are called."""

    start: int
    length: int
    notes: tuple[str, ...]
    ids: tuple[str, ...]
    tied: bool


Bar = dict[str, list[_Event]]  # its voices


def prelude() -> Score:
    """Johann Sebastian Bach, Prelude in C major, BWV 846: 549 notes in 35 bars, without a file, and with its drawing."""
    bars = _bars()
    notes = [note for place, bar in enumerate(bars) for voice in bar.values() for note in _sounding(voice, place * BAR)]
    starts = [Fraction(place * BAR, BEAT) for place in range(len(bars) + 1)]
    names = [str(place + 1) for place in range(len(bars))]
    score = score_of(TITLE, notes, starts, names, [Meter(4, 4)] * len(bars), TEMPO, _text(bars), SIGNATURE)
    return replace(score, composer=COMPOSER)


def _bars() -> list[Bar]:
    """All bars, from the tables above."""
    written: list[tuple[Parts, Parts, Parts]] = []
    for low, middle, *high in (chord.split() for chord in CHORDS.replace("\n", "|").split("|") if chord.strip()):
        above: Parts = [(2, ""), *((1, note) for note in high * 2)]
        written.append((above * 2, [(1, ""), (3, f"{middle}~"), (4, middle)] * 2, [(8, low)] * 2))
    for low, middle, run in CLOSE:
        above = [(2, ""), *((1, note) for note in run.split())]
        written.append((above, [(1, ""), (3, f"{middle}~"), (12, middle)], [(16, low)]))
    low, middle, chord = LAST
    written.append(([(16, chord)], [(16, middle)], [(16, low)]))
    return [
        {voice: _events(f"bar{place + 1}-{voice}", parts) for voice, parts in zip(VOICES, voices, strict=True)}
        for place, voices in enumerate(written)
    ]


def _events(name: str, parts: Parts) -> list[_Event]:
    events: list[_Event] = []
    start = 0
    for place, (length, text) in enumerate(parts):
        notes = tuple(text.removesuffix("~").split())
        ids = tuple(f"{name}-{place + 1}{'abc'[at]}" for at in range(len(notes)))
        events.append(_Event(start, length, notes, ids, text.endswith("~")))
        start += length
    return events


def _sounding(events: Sequence[_Event], bar: int) -> Iterator[Note]:
    """The notes of a voice, tied ones as one."""
    first: _Event | None = None
    for event in events:
        first = first or event
        if not event.tied:
            onset, offset = Fraction(bar + first.start, BEAT), Fraction(bar + event.start + event.length, BEAT)
            for name, drawn in zip(first.notes, first.ids, strict=True):
                sharps = SIGNS[name[1:-1]][1]
                pitch = 12 * (int(name[-1]) + 1) + STEPS[name[0]] + sharps
                yield Note(onset, pitch, offset, drawn, note_step(name[0], sharps))
            first = None


def _text(bars: Sequence[Bar]) -> str:
    """The MEI that it is drawn from: two staves, the lower with two voices."""
    measures = "\n".join(_measure(place + 1, bar, place + 1 == len(bars)) for place, bar in enumerate(bars))
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<mei xmlns="http://www.music-encoding.org/ns/mei" meiversion="5.0">
<meiHead><fileDesc><titleStmt><title>{TITLE}</title><composer>{COMPOSER}</composer></titleStmt><pubStmt/>
</fileDesc></meiHead><music><body><mdiv><score><scoreDef midi.bpm="{TEMPO}"
keysig="{SIGNATURE}" meter.sym="common" meter.count="4" meter.unit="4"><staffGrp symbol="brace" bar.thru="true">
<staffDef n="1" lines="5" clef.shape="G" clef.line="2"/>
<staffDef n="2" lines="5" clef.shape="F" clef.line="4"/></staffGrp></scoreDef><section>
{measures}
</section></score></mdiv></body></music></mei>
"""


def _measure(number: int, bar: Bar, last: bool) -> str:
    staves = {1: "", 2: ""}
    marks = "".join(f'<fermata staff="{staff}" tstamp="1"/>' for staff in staves) if last else ""
    for voice, (staff, layer, stem) in VOICES.items():
        staves[staff] += f'<layer n="{layer}">{_layer(bar[voice], stem)}</layer>'
        for one, after in pairwise(bar[voice]):
            marks += f'<tie startid="#{one.ids[0]}" endid="#{after.ids[0]}"/>' if one.tied else ""
    content = "".join(f'<staff n="{staff}">{layers}</staff>' for staff, layers in staves.items())
    right = ' right="end"' if last else ""
    return f'<measure xml:id="bar{number}" n="{number}"{right}>{content}{marks}</measure>'


def _layer(events: Sequence[_Event], stem: str) -> str:
    """Sixteenths of a beat have a common beam."""
    known: dict[str, str] = {}
    result, beam = "", ""
    for event in events:
        drawn = _drawn(event, stem, known)
        if event.length == 1 and event.notes:
            beam += drawn
        else:
            result += drawn
        if beam and (event.start + 1) % BEAT == 0:
            result, beam = f"{result}<beam>{beam}</beam>", ""
    return result


def _drawn(event: _Event, stem: str, known: dict[str, str]) -> str:
    """A rest, a note or a chord. A sign is seen where it is new in the bar, and heard on."""
    length = f'dur="{LENGTHS[event.length].rstrip(".")}"' + (' dots="1"' if LENGTHS[event.length].endswith(".") else "")
    if not event.notes:
        return f"<rest {length}/>"
    heads = []
    for name, drawn in zip(event.notes, event.ids, strict=True):
        place, sign = name[0] + name[-1], SIGNS[name[1:-1]][0]
        seen = "accid" if known.get(place, "n") != sign else "accid.ges"
        known[place] = sign
        heads.append(f'xml:id="{drawn}" pname="{name[0].lower()}" oct="{name[-1]}" {seen}="{sign}"')
    if len(heads) == 1:
        return f"<note {heads[0]} {length} {stem}/>"
    return f"<chord {length}>{''.join(f'<note {head}/>' for head in heads)}</chord>"
