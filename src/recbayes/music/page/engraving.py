"""The score, engraved by verovio in one system, and the time axis that its notes and bar lines give."""

import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import numpy as np

from recbayes.errors import DataError
from recbayes.music.extra import music_module
from recbayes.music.page.axis import Picture, TimeAxis, rising
from recbayes.music.page.clean_svg import cleaned, plain_name
from recbayes.music.score import Score

_OPTIONS = {
    "inputFrom": "mei",
    "breaks": "none",
    "adjustPageWidth": True,
    "adjustPageHeight": True,
    "pageMarginLeft": 40,
    "pageMarginRight": 40,
    "pageMarginTop": 60,
    "pageMarginBottom": 60,
    "header": "none",
    "footer": "none",
    "mnumInterval": 0,  # bars are named on the axis below
    "scale": 42,
    "xmlIdSeed": 1,  # the same page for the same score
}
_GAP = 4.0  # pixels between the beginning of a passage and its first note
_WIDE_LETTER = 0.57  # of the size of a font
_MOST_LOST = 0.1  # share of the times that may have no place in the drawing, or another than others say

_TRANSLATION = re.compile(r"translate\(\s*(-?[\d.]+)[ ,]")
_SIZE = re.compile(r"([\d.]+)px")
_START = re.compile(r"M\s*(-?[\d.]+)[ ,]+-?[\d.]+\s*L\s*(-?[\d.]+)")


def engrave(score: Score) -> Picture | None:
    """The score as it is printed; None where what is printed does not run along with time (repeats that are played out)."""
    if len(score.ids) != len(score):
        raise DataError(
            f"a score with a drawing must have the id of each of its {len(score)} notes, but it has {len(score.ids)}"
        )
    root = ElementTree.fromstring(_svg(score))
    inner = next(child for child in root if plain_name(child.tag) == "svg")
    box = [float(number) for number in inner.attrib["viewBox"].split()]
    width, height = (float(root.attrib[name].removesuffix("px")) for name in ("width", "height"))
    scale = width / box[2]

    places: dict[str, tuple[int, float]] = {}  # measure and x of every note
    edges: list[tuple[float, float]] = []  # where measures begin and end
    _look(inner, 0.0, places, edges)
    quarters, x = _points(score, places, edges, scale)
    axis = rising(quarters, x)
    wanted = len(np.unique([*score.onsets.tolist(), *score.bars.tolist()]))
    if len(axis.quarters) < max(2, (1 - _MOST_LOST) * wanted):
        return None

    inner.set("width", f"{width:g}")
    inner.set("height", f"{height:g}")
    room = _room_for_names(inner) * scale
    inner.set("x", f"{room:g}")
    notes = {name: place for place, name in enumerate(score.ids)}
    drawn = "".join(cleaned(child, notes) for child in root)
    return Picture(drawn, width + room, height, TimeAxis(axis.quarters, axis.x + room))


def _room_for_names(drawing: Any) -> float:
    """How much farther to the left the names of parts may go than the engraver thinks, who knows narrow letters only."""
    room = 0.0
    for group in drawing.iter():
        if "label" in group.get("class", "").split():
            for text in (part for part in group.iter() if plain_name(part.tag) == "text"):
                sizes = [_SIZE.match(part.get("font-size", "")) for part in text.iter()]
                size = max((float(found[1]) for found in sizes if found), default=0.0)
                letters = len(" ".join("".join(text.itertext()).split()))
                room = max(room, _WIDE_LETTER * size * letters - float(text.get("x", "0")))
    return room


def _svg(score: Score) -> str:
    verovio = music_module("verovio")
    verovio.enableLog(verovio.LOG_ERROR)
    engraver = verovio.toolkit()
    engraver.setOptions(_OPTIONS)
    if not score.drawing or not engraver.loadData(score.drawing):
        raise DataError(
            f"the drawing of {score.title!r} must be MEI that verovio reads; without one, drawing=None gives a piano roll"
        )
    return engraver.renderToSVG(1)


def _look(element: Any, left: float, places: dict[str, tuple[int, float]], edges: list[tuple[float, float]]) -> None:
    """Go through the drawing, and note where measures and notes are; `left` is what groups around it are moved by."""
    kinds = element.get("class", "").split()
    if element.get("transform") and plain_name(element.tag) == "g":
        moved = _TRANSLATION.match(element.get("transform"))
        left += float(moved[1]) if moved else 0.0
    if "measure" in kinds:
        lines = [_START.match(path.get("d", "")) for path in element.iter() if plain_name(path.tag) == "path"]
        staff = next((line for line in lines if line), None)  # the first line of the first staff
        edges.append((left + float(staff[1]), left + float(staff[2])) if staff else (np.nan, np.nan))
    if "note" in kinds and edges:
        heads = list(_glyphs(element))
        if heads:
            places[element.get("id", "")] = len(edges) - 1, left + min(heads)
    for child in element:
        _look(child, left, places, edges)


def _glyphs(note: Any) -> Iterator[float]:
    """Where the head and the accidental of a note begin."""
    for part in note:
        if {"notehead", "accid"} & set(part.get("class", "").split()):
            for glyph in part.iter():
                found = _TRANSLATION.match(glyph.get("transform", ""))
                if found:
                    yield float(found[1])


def _points(
    score: Score, places: dict[str, tuple[int, float]], edges: list[tuple[float, float]], scale: float
) -> tuple[np.ndarray, np.ndarray]:
    """Quarters and x of bar lines and of the first note at every time, sorted by time.

    Bars begin at their lines, but the first one at its first note: clefs and signatures are before it. Bars and measures are
    matched by their order, or, where a reader counts other bars than the engraver, by the first note in them.
    """
    onsets: dict[float, float] = {}
    first_measure: dict[int, int] = {}
    for onset, name in zip(score.onsets.tolist(), score.ids, strict=True):
        if name in places:
            measure, left = places[name]
            onsets[onset] = min(onsets.get(onset, np.inf), left * scale - _GAP)
            first_measure.setdefault(int(np.searchsorted(score.bars, onset + 1e-6, side="right")) - 1, measure)
    bars = len(score.names)
    measures = {bar: bar for bar in range(bars)} if len(edges) == bars else first_measure
    lines = {float(score.bars[bar]): edges[measure][0] * scale for bar, measure in measures.items() if 0 < bar < bars}
    ending = {score.end: edges[measures.get(bars - 1, len(edges) - 1)][1] * scale} if edges else {}
    beginning = {float(score.bars[0]): min(onsets.values(), default=0.0)}
    points = sorted(({**beginning, **onsets, **lines, **ending}).items())
    finite = [point for point in points if np.isfinite(point[1])]
    return np.array([time for time, _ in finite]), np.array([x for _, x in finite])
