"""What an MEI text says of its notes and bars, but for times, which are verovio's to compute."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element, tostring

from recbayes.errors import DataError
from recbayes.music.keys import note_step
from recbayes.music.meter import Meter

NAMESPACE = "http://www.music-encoding.org/ns/mei"
MEI = f"{{{NAMESPACE}}}"
ID = "{http://www.w3.org/XML/1998/namespace}id"
STEPS = {"c": 0, "d": 2, "e": 4, "f": 5, "g": 7, "a": 9, "b": 11}
SHARP = {"s": 1, "ns": 1, "su": 1, "3qs": 1, "ss": 2, "x": 2, "xs": 3, "sx": 3, "ts": 3}
FLAT = {"f": -1, "nf": -1, "fd": -1, "3qf": -1, "ff": -2, "tf": -3}
ALTERATIONS = {**SHARP, **FLAT}  # in semitones; quarter tones are between them
ABBREVIATIONS = ("beatRpt", "halfmRpt", "mRpt", "mRpt2", "multiRpt")
SIGNS = {"common": Meter(4, 4), "cut": Meter(2, 2)}


@dataclass(frozen=True)
class Bar:
    """A bar of the score: its name, the time signatures of its staves, its notes, and its key signature in sharps, as it
    sounds. A long rest is several bars in one."""

    name: str
    meters: tuple[Meter, ...]
    notes: tuple[str, ...]
    rests: int = 1
    signature: int | None = None

    def named(self, number: int) -> str:
        """The name of one of several."""
        return str(int(self.name) + number) if number and self.name.isdigit() else self.name


@dataclass
class Written:
    """What is written: pitches by the notes' ids, how these are spelt (in fifths above C, as they sound), pairs of tied
    notes, bars by their ids, quarters a minute.

    Ties from voice to voice may have lost an end: notes that are tied to something, and those that something is tied to.
    The key signatures are the first one and the one in force, in sharps, less in flats, as they sound.
    """

    title: str = ""
    composer: str = ""
    signature: int | None = None
    now: int | None = None
    tempo: float | None = None
    pitches: dict[str, int] = field(default_factory=dict)
    steps: dict[str, int] = field(default_factory=dict)
    ties: list[tuple[str, str]] = field(default_factory=list)
    tied_on: set[str] = field(default_factory=set)
    tied_back: set[str] = field(default_factory=set)
    bars: dict[str, Bar] = field(default_factory=dict)


@dataclass
class _Staff:
    """What holds for a staff from somewhere on."""

    meter: Meter | None = None
    transposed: int = 0
    fifths: int = 0  # by which it is transposed, along the line of fifths
    drums: bool = False


def read_mei(root: Element, name: str) -> Written:
    """The first score of a document; notes of percussion have no pitches. Errors speak of it by its name."""
    title = root.find(f"{MEI}meiHead/{MEI}fileDesc/{MEI}titleStmt/{MEI}title")
    staves: dict[str, _Staff] = {}
    score = root.find(f".//{MEI}score")
    found = Written(_words(title) or ("" if score is None else _printed_title(score)), _composer(root))
    for element in [] if score is None else _definitions_and_bars(score):
        if element.tag == f"{MEI}measure":
            _read_bar(element, staves, found, name)
        else:
            _read_definition(element, staves, found)
    return found


def mei_text(root: Element) -> str:
    """A document as text; its tree is used up. What is not of MEI is left out."""
    for parent in list(root.iter()):
        for child in [child for child in parent if not child.tag.startswith(MEI)]:
            parent.remove(child)
    for element in root.iter():
        element.tag = element.tag.removeprefix(MEI)
    root.set("xmlns", NAMESPACE)
    return tostring(root, encoding="unicode")


def _words(element: Element | None) -> str:
    return "" if element is None else " ".join("".join(element.itertext()).split())


def _composer(root: Element) -> str:
    """Who wrote the piece, as the head of the document has it."""
    head = root.find(f"{MEI}meiHead/{MEI}fileDesc/{MEI}titleStmt")
    named = (
        [] if head is None else [one for one in head.iter() if one.get("role") == "composer" or one.tag == f"{MEI}composer"]
    )
    return ", ".join(dict.fromkeys(filter(None, map(_words, named))))


def _printed_title(score: Element) -> str:
    """What is printed largest on top of the first page, or first there; composers and the like are at the sides."""
    head = score.find(f"{MEI}scoreDef/{MEI}pgHead")
    parts = [] if head is None else [part for part in head.iter(f"{MEI}rend") if part.find(f"{MEI}rend") is None]
    middle = [part for part in parts if part.get("halign", "center") == "center" and _words(part)]
    return _words(max(middle, key=_size)) if middle else ""


def _size(part: Element) -> float:
    digits = re.match(r"\d+(\.\d+)?", part.get("fontsize", ""))
    return float(digits[0]) if digits else 0.0


def _definitions_and_bars(parent: Element) -> Iterator[Element]:
    for child in parent:
        if child.tag in (f"{MEI}measure", f"{MEI}scoreDef", f"{MEI}staffDef"):
            yield child
        else:
            yield from _definitions_and_bars(child)


def _read_definition(element: Element, staves: dict[str, _Staff], found: Written) -> None:
    """Time signatures, transpositions, clefs: of a staff, or of all with exceptions for some."""
    if element.tag == f"{MEI}scoreDef":
        if not found.bars:
            found.tempo = _tempo(element) or found.tempo
            found.signature = _signature(element) if found.signature is None else found.signature
        elif (written := _sharps(element)) is not None:
            found.now = written + next((staff.fifths for staff in staves.values() if not staff.drums), 0)
        if (meter := _meter(element)) is not None:
            for staff in staves.values():
                staff.meter = meter
    for one in element.iter(f"{MEI}staffDef"):
        staff = staves.setdefault(one.get("n", "1"), _Staff(_meter(element)))
        staff.meter = _meter(one) or staff.meter
        staff.transposed = int(one.get("trans.semi", staff.transposed))
        if one.get("trans.semi") or one.get("trans.diat"):
            staff.fifths = _fifths(one)
        clef = one.find(f"{MEI}clef")
        shape = one.get("clef.shape") if clef is None else clef.get("shape")
        staff.drums = staff.drums if shape is None else shape == "perc"
        if found.signature is None and not found.bars and not staff.drums:
            found.signature = _signature(one)
        elif found.bars and not staff.drums and (written := _sharps(one)) is not None:
            found.now = written + staff.fifths
    found.now = found.now if found.bars else found.signature


def _meter(element: Element) -> Meter | None:
    """The time signature that a definition gives by attributes or children of its own."""
    sign = element.find(f"{MEI}meterSig")
    if sign is None:
        group = element.find(f"{MEI}meterSigGrp")
        sign = None if group is None else group.find(f"{MEI}meterSig")
    symbol = element.get("meter.sym") if sign is None else sign.get("sym")
    count = element.get("meter.count") if sign is None else sign.get("count")
    unit = element.get("meter.unit") if sign is None else sign.get("unit")
    units = [int(part) for part in re.findall(r"\d+", count or "")]
    if sum(units) and unit and unit.isdigit() and int(unit):
        return Meter(sum(units), int(unit))
    return SIGNS.get(symbol or "")


def _signature(element: Element) -> int | None:
    """The key signature that a definition gives, as it sounds: a clarinet in B flat has two sharps more than sound."""
    written = _sharps(element)
    return None if written is None else written + _fifths(element)


def _fifths(element: Element) -> int:
    """By how much what a definition is of sounds higher, along the line of fifths."""
    return 7 * int(element.get("trans.semi", "0")) - 12 * int(element.get("trans.diat", "0"))


def _sharps(element: Element) -> int | None:
    """The key signature that is written."""
    sign = element.find(f"{MEI}keySig")
    text = element.get("keysig") or element.get("key.sig") if sign is None else sign.get("sig")
    digits = re.fullmatch(r"(\d+)([sf]?)", text or "")
    if digits is None:
        return None
    return int(digits[1]) * (-1 if digits[2] == "f" else 1)


def _tempo(element: Element) -> float | None:
    """Quarters a minute."""
    try:
        if (number := element.get("midi.bpm")) is not None:
            return float(number)
        dots = int(element.get("mm.dots", "0"))
        return float(element.get("mm", "")) * 4 / int(element.get("mm.unit", "4")) * (2 - 0.5**dots)
    except ValueError:
        return None


def _read_bar(measure: Element, staves: dict[str, _Staff], found: Written, file: str) -> None:
    notes: list[str] = []
    for staff in measure.iter(f"{MEI}staff"):
        known = staves.setdefault(staff.get("n", "1"), _Staff())
        for layer in staff:
            known.meter = _meter(layer) or known.meter
            if not known.drums and any(layer.find(f"{MEI}{sign}") is not None for sign in ABBREVIATIONS):
                raise DataError(f"{file}: bar {measure.get('n')} has a sign for what was before; it must be written out")
        for note in staff.iter(f"{MEI}note"):
            pitch = None if known.drums else _pitch(note)
            if pitch is not None:
                notes.append(note.get(ID, ""))
                found.pitches[notes[-1]] = pitch + known.transposed
                if note.get("pname") in STEPS:
                    found.steps[notes[-1]] = note_step(str(note.get("pname")), _alteration(note)) + known.fifths
    for tie in measure.iter(f"{MEI}tie"):
        start, end = (tie.get(side, "").removeprefix("#") for side in ("startid", "endid"))
        if start and end:
            found.ties.append((start, end))
        else:
            (found.tied_on if start else found.tied_back).add(start or end)
    if not found.bars and found.tempo is None:
        found.tempo = next((tempo for one in measure.iter(f"{MEI}tempo") if (tempo := _tempo(one))), None)
    meters = dict.fromkeys(staff.meter for staff in staves.values() if staff.meter is not None)
    name = measure.get("n") or _next_name([bar.name for bar in found.bars.values()])
    rests = max((int(rest.get("num", "1")) for rest in measure.iter(f"{MEI}multiRest")), default=1)
    found.bars[measure.get(ID, "")] = Bar(name, tuple(meters), tuple(notes), max(1, rests), found.now)


def _next_name(names: list[str]) -> str:
    """What a bar without a number is called: 0 if it is the first, else 12b after 12, and 12c after that."""
    if not names:
        return "0"
    number, letter = names[-1].rstrip("bcdefghijklmnopqrstuvwxyz"), names[-1][-1]
    return f"{number}{chr(ord(letter) + 1)}" if letter in "bcdefghijklmnopqrstuvwxy" else f"{names[-1]}b"


def _pitch(note: Element) -> int | None:
    """As a MIDI number; what is heard comes before what is written."""
    if (number := note.get("pnum")) is not None:
        return int(number)
    name, octave = note.get("pname.ges") or note.get("pname"), note.get("oct.ges") or note.get("oct")
    if name not in STEPS or octave is None:
        return None
    return 12 * (int(octave) + 1) + STEPS[name] + _alteration(note)


def _alteration(note: Element) -> int:
    """By how many semitones a note is raised."""
    signs = [note, *note.findall(f"{MEI}accid")]
    heard = next((sign.get("accid.ges") for sign in signs if sign.get("accid.ges")), None)
    seen = next((sign.get("accid") for sign in signs if sign.get("accid")), None)
    return ALTERATIONS.get(heard or seen or "n", 0)
