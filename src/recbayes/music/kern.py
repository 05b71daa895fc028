"""Kern texts before verovio reads them: spines that do not add up would make it stop, or misread all that follows.

A kern file is a table: spines are its columns, and each line is a moment. What sounds in a spine lasts as long as it says,
and the lines below are "." meanwhile. Where a spine says too little, so that its next note or the barline comes later than
its last note ends, verovio loses all times; a hidden rest in the gap mends it. The lines themselves are trusted: the longest
spine is right.
"""

import re
from dataclasses import dataclass
from fractions import Fraction

from recbayes.errors import FileError

LENGTH = re.compile(r"(\d+)(?:%(\d+))?(\.*)")
LONG = {"0": Fraction(8), "00": Fraction(16), "000": Fraction(32)}  # breves and longer, in quarters
COMPOSER = re.compile(r"(?m)^!!!COM\d*:[ \t]*(.+?)\s*$")


def composer_of(text: str) -> str:
    """Who wrote the piece, if a comment says so: "Bach, Johann Sebastian" in the order of speech."""
    found = COMPOSER.search(text)
    last, _, first = found[1].partition(",") if found else ("", "", "")
    return f"{first.strip()} {last.strip()}".strip()


@dataclass(frozen=True)
class _Spine:
    """A column: what it holds, and when its last note ends. Spines that are joined while notes sound have several ends."""

    kind: str
    ends: tuple[Fraction, ...] = (Fraction(0),)

    def next(self, past: Fraction) -> Fraction:
        """When its next note begins, which is after what is past."""
        return min((end for end in self.ends if end > past), default=max(self.ends))


@dataclass(frozen=True)
class _Moment:
    """A line with notes: when it is, and how often spines were split or joined before."""

    line: int
    time: Fraction
    changes: int


@dataclass(frozen=True)
class _Rest:
    """What is missing in a spine, at a moment (there, or between it and the moment before)."""

    moment: _Moment
    spine: int
    begin: Fraction
    length: Fraction


def mended(text: str, name: str) -> str:
    """A kern text whose spines add up; errors speak of the file by its name."""
    lines = text.splitlines()
    rests = _missing(lines, name)
    for rest in sorted(rests, key=lambda rest: rest.moment.line, reverse=True):
        _put(lines, rest)
    return "\n".join(lines) + "\n" if rests else text


def _missing(lines: list[str], name: str) -> list[_Rest]:
    """The rests that make all spines agree."""
    complaint = f"{name} is no sound kern: "
    if not any("**kern" in line.split("\t") for line in lines):
        raise FileError(f"{complaint}it has no spine **kern")
    spines: list[_Spine] = []
    moments: list[_Moment] = []
    rests: list[_Rest] = []
    changes = 0
    past = Fraction(-1)
    for place, line in enumerate(lines):
        fields = line.split("\t")
        if not line.strip() or line.startswith("!!"):
            continue
        if line.startswith("**") and not spines:
            spines = [_Spine(field) for field in fields]
            continue
        if len(fields) != len(spines):
            raise FileError(f"{complaint}line {place + 1} has {len(fields)} fields, and not {len(spines)}")
        if line.startswith("*"):
            changes += any(field in ("*^", "*v", "*x", "*+", "*-") for field in fields)
            spines = _after(fields, spines, f"{complaint}line {place + 1}")
            continue
        if line.startswith("="):
            lengths = {at: Fraction(0) for at, spine in enumerate(spines) if spine.kind == "**kern"}
            times = [max(spines[at].ends) for at in lengths]
        else:
            lengths = {} if line.startswith("!") else _lengths(fields, spines)
            times = [spines[at].next(past) for at in lengths]
        if not lengths:
            continue
        moments.append(_Moment(place, max(times), changes))
        now = moments[-1].time
        for at, length in lengths.items():
            begin = max(end for end in spines[at].ends if end <= now)
            if begin < now and now not in spines[at].ends:
                first = next(moment for moment in moments if moment.time >= begin)
                if first.changes != changes:
                    raise FileError(f"{complaint}its spines disagree about the time of line {place + 1}")
                rests.append(_Rest(first, at, begin, now - begin))
            spines[at] = _Spine(spines[at].kind, (now + length,))
        past = now if max(lengths.values()) else past
    return rests


def _after(fields: list[str], spines: list[_Spine], complaint: str) -> list[_Spine]:
    """The spines below a line of interpretations: split, joined, exchanged, added and ended."""
    result: list[_Spine] = []
    exchanged: list[int] = []
    before = ""
    for field, spine in zip(fields, spines, strict=True):
        if field == "*^":
            result += [spine, spine]
        elif field == "*+":
            result += [spine, _Spine("", spine.ends)]
        elif field == "*v" and before == "*v":
            result[-1] = _Spine(spine.kind, result[-1].ends + spine.ends)
        elif field != "*-":
            exchanged += [len(result)] if field == "*x" else []
            result.append(_Spine(field, spine.ends) if field.startswith("**") else spine)
        before = field
    if len(exchanged) not in (0, 2):
        raise FileError(f"{complaint} exchanges {len(exchanged)} spines, and not two")
    if exchanged:
        one, two = exchanged
        result[one], result[two] = result[two], result[one]
    return result


def _lengths(fields: list[str], spines: list[_Spine]) -> dict[int, Fraction]:
    """How long the notes of a line last, in quarters, by spine. The first note of a chord says it; grace notes take none."""
    found = {}
    for at, (field, spine) in enumerate(zip(fields, spines, strict=True)):
        if spine.kind == "**kern" and field != "." and "q" not in field.lower():
            digits = LENGTH.search(field)
            if digits is not None and (length := _length(*digits.groups())):
                found[at] = length
    return found


def _length(number: str, whole: str | None, dots: str) -> Fraction:
    length = LONG.get(number) or Fraction(4 * int(whole or 1), int(number) or 1)
    return length * (2 - Fraction(1, 2 ** len(dots)))


def _put(lines: list[str], rest: _Rest) -> None:
    """A rest into the line of its moment, or into a line of its own before that."""
    fields = lines[rest.moment.line].split("\t")
    whole = rest.length / 4
    text = f"{whole.denominator}ryy" if whole.numerator == 1 else f"{whole.denominator}%{whole.numerator}ryy"
    if rest.moment.time == rest.begin and fields[rest.spine] == ".":
        lines[rest.moment.line] = "\t".join([*fields[: rest.spine], text, *fields[rest.spine + 1 :]])
    else:
        lines.insert(rest.moment.line, "\t".join(text if at == rest.spine else "." for at in range(len(fields))))
