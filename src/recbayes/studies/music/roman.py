"""Roman-numeral analyses as text (RomanText, as When in Rome has them): chords with their keys, bar by bar.

A line `m6 b2.5 G: V2 b3 I` has chords of bar 6, by beat, and the key that holds from there on: upper case is major, lower
case minor. `m12-14 = m3-5` repeats bars. Other readings (`m30var1`) and lines that begin with a word and a colon are passed
over, but for time signatures, which say how many beats a bar has, and `Form:`, which marks the bar after it. `||` marks
the end of a phrase.
"""

import re
from fractions import Fraction
from typing import NamedTuple

from recbayes.errors import FileError

TONICS = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}
SIGNS = {"#": 1, "b": -1, "-": -1}
FINEST = 12  # parts of a beat: 2.33 is two beats and a third

_BAR = re.compile(r"m(\d+)\s+(.*)")
_VARIANT = re.compile(r"m\d+[a-z]*var\d+\b")
_REPEAT = re.compile(r"m(\d+)(?:-(\d+))?\s*=\s*m(\d+)(?:-(\d+))?\s*")
_TAG = re.compile(r"([A-Za-z][A-Za-z ]*):\s*(.*)")
_METER = re.compile(r"(?:(fast|slow)\s+)?(\d+)/(\d+)|([Cc]|[Cc]ut)")
_BEAT = re.compile(r"b(\d+(?:\.\d+)?)")
_KEY = re.compile(r"([A-Ga-g])([#b-]*):")
_MARK = re.compile(r":?\|\|:?")


class Place(NamedTuple):
    """A moment: the number of the bar, and how much of it has gone by, from 0 to 1."""

    bar: int
    part: float


class Key(NamedTuple):
    """A tonic, C is 0, and "major" or "minor"."""

    tonic: int
    mode: str


class Chord(NamedTuple):
    """From when on it sounds, its key, and its Roman numeral."""

    place: Place
    key: Key
    figure: str


class Meter(NamedTuple):
    """Beats of a bar, and its length in quarters."""

    beats: int
    quarters: float


class RomanText(NamedTuple):
    """Chords in their order; `marks` are where something new begins: phrases, repeated parts, sections.

    `meters` are the analyst's own, by the bars from which on they hold.
    """

    chords: tuple[Chord, ...]
    marks: tuple[Place, ...]
    meters: dict[int, Meter]


COMMON = Meter(4, 4.0)  # without a time signature


class _Event(NamedTuple):
    """What a bar says at some moment: a chord, a new key with it, a mark."""

    part: float
    figure: str
    key: Key | None
    mark: bool


def read_roman(text: str) -> RomanText:
    """The analysis that a text is; an error names the line that cannot be read."""
    bars: dict[int, list[_Event]] = {}
    meter, meters = COMMON, dict[int, Meter]()
    form = False
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.strip()
        try:
            if not line or _VARIANT.match(line):
                continue
            if found := _REPEAT.fullmatch(line):
                _repeat(bars, *found.groups())
            elif found := _BAR.fullmatch(line):
                bar = int(found[1])
                bars[bar] = [*bars.get(bar, []), *_events(found[2].split(), meter.beats, form)]
                meters |= {} if meters and meters[max(meters)] == meter else {bar: meter}
                form = False
            elif found := _TAG.fullmatch(line):
                tag = found[1].strip().lower()
                meter = _meter(found[2]) if tag == "time signature" else meter
                form = form or tag == "form"
            else:
                raise FileError(f"a bar such as 'm6 b2.5 G: V2', or a word and a colon, was expected, got {line[:40]!r}")
        except FileError as problem:
            raise FileError(f"line {number}: {problem}") from None
    return RomanText(*_in_order(bars), meters)


def read_key(text: str) -> Key:
    """`Eb:` and `c#:` as keys."""
    found = _KEY.fullmatch(text)
    if found is None:
        raise FileError(f"a key such as 'Eb:' or 'c#:' was expected, got {text!r}")
    tonic = TONICS[found[1].upper()] + sum(SIGNS[sign] for sign in found[2])
    return Key(tonic % 12, "major" if found[1].isupper() else "minor")


def _events(words: list[str], beats: int, form: bool) -> list[_Event]:
    """What is said in a bar. A mark at its end belongs to whatever comes next, and so is put at the very end."""
    part, key, mark = 0.0, None, form
    events = []
    for place, word in enumerate(words):
        if found := _BEAT.fullmatch(word):
            part = float((Fraction(found[1]).limit_denominator(FINEST) - 1) / beats)
            if not 0.0 <= part < 1.0:
                raise FileError(f"a bar has {beats} beats, from b1 on; got {word}")
        elif _KEY.fullmatch(word):
            key = read_key(word)
        elif _MARK.fullmatch(word):
            mark = True
            if place == len(words) - 1:
                events.append(_Event(1.0, "", None, True))
        else:
            events.append(_Event(part, word, key, mark))
            key, mark = None, False
    return events


def _meter(text: str) -> Meter:
    """Beats of 6/8 are dotted, unless it is slow; those of 3/8 are not, unless it is fast."""
    found = _METER.fullmatch(text.strip())
    if found is None:
        raise FileError(f"a time signature such as '4/4' or 'fast 3/8' was expected, got {text!r}")
    if found[4] is not None:
        return Meter(2, 4.0) if found[4].lower() == "cut" else COMMON
    speed, upper, lower = found[1], int(found[2]), int(found[3])
    if upper == 0 or lower == 0:
        raise FileError(f"a bar has one beat or more, got {text!r}")
    compound = upper % 3 == 0 and speed != "slow" and (upper > 3 or speed == "fast")
    return Meter(upper // 3 if compound else upper, 4.0 * upper / lower)


def _repeat(bars: dict[int, list[_Event]], first: str, last: str | None, source: str, end: str | None) -> None:
    """Bars that say what others have said."""
    to = range(int(first), int(last or first) + 1)
    what = range(int(source), int(end or source) + 1)
    missing = [bar for bar in what if bar not in bars]
    if len(to) != len(what) or missing:
        said = f"bar {missing[0]} has not been there" if missing else f"these are {len(to)} and {len(what)} bars"
        raise FileError(f"bars can be repeated that have been there, as many as there are places for them; {said}")
    bars |= {new: list(bars[old]) for new, old in zip(to, what, strict=True)}


def _in_order(bars: dict[int, list[_Event]]) -> tuple[tuple[Chord, ...], tuple[Place, ...]]:
    chords: list[Chord] = []
    marks: list[Place] = []
    key = None
    for bar in sorted(bars):
        for event in sorted(bars[bar], key=lambda one: one.part):
            place = Place(bar, event.part)
            marks += [place] if event.mark else []
            if event.figure:
                key = event.key or key
                if key is None:
                    raise FileError(f"bar {bar} has a chord before any key; the first one needs a key, as in 'm1 C: I'")
                chords.append(Chord(place, key, event.figure))
    if not chords:
        raise FileError("there is no chord in it")
    return tuple(chords), tuple(marks)
