"""Scores as they are played: repeats and endings of an MEI tree, written out one after the other."""

import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement

MEI = "{http://www.music-encoding.org/ns/mei}"
ID = "{http://www.w3.org/XML/1998/namespace}id"
TWICE = ("rptend", "rptboth")
AGAIN = ("rptstart", "rptboth")


@dataclass(frozen=True)
class _Bar:
    """A bar, what is defined just before it, and the part that it is an ending of, with its numbers."""

    measure: Element
    definitions: tuple[Element, ...] = ()
    ending: Element | None = None
    numbers: frozenset[int] = frozenset()


def unfold(score: Element, listed: bool) -> dict[str, str]:
    """Write out what is played again, in place; for all names that are new what they stand for.

    Lists of parts say what is played in which order, as those of kern do, if they are to be heeded; else barlines do.
    """
    bars = list(_bars(score))
    order = (_listed_order(score, bars) if listed else None) or _order(bars)
    if order == list(range(len(bars))):
        return {}
    names = [_names(bars[at].measure, order[:place].count(at) + 1) for place, at in enumerate(order)]
    for part in [child for child in score if child.tag != f"{MEI}scoreDef"]:
        score.remove(part)
    section = SubElement(score, f"{MEI}section")
    for place, at in enumerate(order):
        first = names[place] == {name: name for name in names[place]}
        section.extend(bars[at].definitions if first else _said_again(score, bars, at, order[place - 1]))
        measure = deepcopy(bars[at].measure)
        for side in ("left", "right"):
            if measure.get(side, "").startswith("rpt"):
                del measure.attrib[side]
        _rename(measure, names[place:])
        section.append(measure)
    return {new: old for one in names for old, new in one.items() if new != old}


def _bars(score: Element) -> Iterator[_Bar]:
    """All bars, wherever they are."""
    met: list[Element] = []

    def walk(parent: Element, ending: Element | None) -> Iterator[_Bar]:
        for child in parent:
            if child.tag == f"{MEI}measure":
                yield _Bar(child, tuple(met), ending, _numbers(ending))
                met.clear()
            elif child.find(f".//{MEI}measure") is not None:
                yield from walk(child, child if child.tag == f"{MEI}ending" else ending)
            elif child.tag in (f"{MEI}scoreDef", f"{MEI}staffDef") and parent is not score:
                met.append(child)

    return walk(score, None)


def _numbers(ending: Element | None) -> frozenset[int]:
    """Which times an ending is for: 1; 1, 2; 1-3."""
    if ending is None:
        return frozenset()
    found = re.findall(r"(\d+)(?:\s*[-–]\s*(\d+))?", ending.get("n", ""))
    return frozenset(time for first, last in found for time in range(int(first), min(int(last or first), 99) + 1))


def _order(bars: list[_Bar]) -> list[int]:
    """The bars as barlines and endings have them played.

    A part that is repeated begins at its sign, or where the last one ended. It is played twice, or as often as its endings
    say.
    """
    order: list[int] = []
    at = start = 0
    time = 1
    while at < len(bars):
        bar, before = bars[at], bars[at - 1] if at else None
        signed = bar.measure.get("left") == "rptstart" or (before and before.measure.get("right") in AGAIN)
        left_endings = before is not None and before.ending is not None and bar.ending is None
        if at > start and (signed or left_endings):
            start, time = at, 1
        times = _times(bars, at)
        if bar.numbers and time not in bar.numbers and (time in times or time > max(times)):
            at += 1
            continue
        order.append(at)
        if bar.measure.get("right") in TWICE and time < max([2, *times]) and len(order) < 100 * len(bars):
            at, time = start, time + 1
            continue
        if bar.measure.get("right") in TWICE and not bar.numbers:
            start, time = at + 1, 1
        at += 1
    return order


def _times(bars: list[_Bar], at: int) -> set[int]:
    """All times that the endings around a bar are for; they follow each other."""
    if not bars[at].numbers:
        return set()
    first, last = at, at
    while first and bars[first - 1].numbers:
        first -= 1
    while last + 1 < len(bars) and bars[last + 1].numbers:
        last += 1
    return {number for bar in bars[first : last + 1] for number in bar.numbers}


def _listed_order(score: Element, bars: list[_Bar]) -> list[int] | None:
    """The bars as a list of parts has them played, if there is one with something that comes twice."""
    places = {id(bar.measure): at for at, bar in enumerate(bars)}
    parts = {element.get(ID): element for element in score.iter() if element.get(ID)}
    for expansion in score.iter(f"{MEI}expansion"):
        listed = [name.removeprefix("#") for name in expansion.get("plist", "").split()]
        if len(set(listed)) < len(listed) and all(name in parts for name in listed):
            return [places[id(one)] for name in listed for one in parts[name].iter(f"{MEI}measure") if id(one) in places]
    return None


def _names(measure: Element, time: int) -> dict[str, str]:
    """New names of all that is in a bar when it is played for a second time, a third..."""
    names = [name for element in measure.iter() if (name := element.get(ID)) is not None]
    return {name: name if time == 1 else f"{name}-time{time}" for name in names}


def _said_again(score: Element, bars: list[_Bar], at: int, came_from: int) -> list[Element]:
    """Definitions before a bar that is played again: its own, or all until there if it follows others that they undo."""
    undone = any(bar.definitions for bar in bars[at + 1 : came_from + 1])
    before = [*score.findall(f"{MEI}scoreDef"), *(one for bar in bars[: at + 1] for one in bar.definitions)]
    copies = [deepcopy(one) for one in (before if undone else bars[at].definitions)]
    for copy in copies:
        for element in copy.iter():
            element.attrib.pop(ID, None)
    return copies


def _rename(measure: Element, names: list[dict[str, str]]) -> None:
    """Names in a bar, and what they refer to there or further on; what has lost its end is left out."""
    for child in list(measure):
        end = child.get("endid", "").removeprefix("#")
        if end and not any(end in one for one in names):
            measure.remove(child)
    for element in measure.iter():
        for key, value in element.attrib.items():
            if key == ID:
                element.set(key, names[0][value])
            elif value.startswith("#"):
                words = (word.removeprefix("#") for word in value.split())
                element.set(key, " ".join(f"#{next((one[word] for one in names if word in one), word)}" for word in words))
