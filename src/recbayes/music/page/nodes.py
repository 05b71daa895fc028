"""What a page shows of an analysis: its nodes, and what is said of them in words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from recbayes.errors import DataError
from recbayes.music.bars import bars_in_words
from recbayes.music.keys import key_name
from recbayes.music.score import Score

_ACCIDENTAL = re.compile(r"(?<![A-Za-z])([A-G])(b+|#+)(?=m|dim|aug|sus|add|[^a-z]|$)")
_NINTH = re.compile(r"(?<=7)b(?=9)")
_INTERVALS = (  # from the root of what follows, upwards by semitones
    "on the root of what follows",
    "a semitone above what follows",
    "a tone above what follows",
    "a minor third above what follows",
    "a major third above what follows",
    "a fourth above what follows",
    "a tritone from what follows",
    "a fifth above what follows",
    "a major third below what follows",
    "a minor third below what follows",
    "a tone below what follows",
    "a semitone below what follows",
)
_NEAR = 1e-6
HALF = 0.5  # what is less probable is doubtful


@dataclass(frozen=True)
class PageNode:
    """A passage of an analysis as it is drawn."""

    start: float  # quarters
    end: float
    depth: int  # 0 is the root
    level: int  # height above the leaves: leaves are 0
    probability: float | None
    key: int | None  # the tonic's pitch class, 0 to 11; None: unknown
    mode: str | None  # "major", "minor" or None
    label: str  # what is written on it: "C major", "G7"
    shift: int | None  # semitones of the transposition at a left child
    parent: int | None  # its place in the sequence of nodes
    chord: str = ""  # the harmony that it ends with; of a leaf, its own
    in_key: str = ""  # the key that it is in, also where it is called by its chord
    key_probability: float | None = None
    chord_probability: float | None = None  # of root and kind, where the passage is one
    is_chord: bool = True  # and not a scale, or a single note


def check_nodes(nodes: Sequence[PageNode], end: float) -> None:
    """Refuse nodes that cannot be drawn below a piece that ends at `end`."""
    for place, node in enumerate(nodes):
        where = f"nodes[{place}]"
        if not 0 <= node.start < node.end <= end + 1e-6:
            span = f"from {node.start:g} to {node.end:g}"
            raise DataError(f"{where} must start before it ends, within the {end:g} quarters of the score; it goes {span}")
        if node.probability is not None and not 0 <= node.probability <= 1:
            raise DataError(f"the probability of {where} must be a number from 0 to 1 or None, not {node.probability!r}")
        if node.key is not None and node.key not in range(12):
            raise DataError(f"the key of {where} must be a pitch class from 0 (C) to 11 (B) or None, not {node.key!r}")
        if node.mode not in ("major", "minor", None):
            raise DataError(f"the mode of {where} must be 'major', 'minor' or None, not {node.mode!r}")
        if node.level < 0:
            raise DataError(f"the level of {where} must be 0 (a leaf) or more, not {node.level!r}")
        if node.parent is not None and not (0 <= node.parent < len(nodes) and nodes[node.parent].level > node.level):
            raise DataError(f"the parent of {where} must be the place of a node of a higher level, not {node.parent!r}")


def pretty(label: str) -> str:
    """A label with the signs of musicians: "Bb major" becomes "B♭ major"; words are left alone."""
    signed = _ACCIDENTAL.sub(lambda found: found[1] + found[2].replace("b", "♭").replace("#", "♯"), label)
    return _NINTH.sub("♭", signed)


def percent(probability: float) -> str:
    """A probability in percent; what is not certain is never said to be."""
    number = round(100 * probability)
    if number == 100 and probability < 1:
        return "> 99 %"
    if number == 0 and probability > 0:
        return "< 1 %"
    return f"{number} %"


def uncertain(node: PageNode) -> bool:
    """Whether there is something to say of how probable a passage is: the whole piece and single slices must be there."""
    trivial = node.level == 0 or node.parent is None
    return node.probability is not None and not (trivial and node.probability > 1.0 - _NEAR)


def counted(number: int, noun: str) -> str:
    """1 bar, 2 bars."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def shift_in_words(shift: int) -> str:
    """A transposition as the interval between harmonies."""
    return _INTERVALS[shift % 12]


def key_in_words(node: PageNode) -> str | None:
    """The key of a node, if it has one."""
    return pretty(node.in_key) or (None if node.key is None else pretty(key_name(node.key, node.mode)))


def doubtful(node: PageNode) -> bool:
    """Whether what a node is called is less probable than not."""
    sure = node.chord_probability if node.label == node.chord else node.key_probability
    return node.label != "" and _below_half(sure)


def called(node: PageNode) -> str:
    """What a node is called; what is doubtful has a question mark."""
    return pretty(node.label) + ("?" if doubtful(node) else "")


def key_told(node: PageNode) -> str:
    """The key that a node is in, with a question mark if it is doubtful."""
    return pretty(node.in_key) + ("?" if node.in_key and _below_half(node.key_probability) else "")


def chord_in_words(node: PageNode) -> str:
    """What a passage ends with, be it a chord or not."""
    return pretty(node.chord) + ("?" if node.chord and _below_half(node.chord_probability) else "")


def last_chord(node: PageNode) -> str:
    """The chord that a passage ends with, where it is one, and more probable than not; else nothing."""
    told = node.level and node.is_chord and not _below_half(node.chord_probability)
    return pretty(node.chord) if told else ""


def _below_half(probability: float | None) -> bool:
    return probability is not None and probability < HALF


def facts_of(node: PageNode, score: Score) -> list[str]:
    """What is said of a node beside its label."""
    found = [bars_in_words(score, node.start, node.end)]
    sure = "" if node.chord_probability is None else f" {percent(node.chord_probability)}"
    if node.chord and node.chord != node.label:
        found.append(f"ends with {pretty(node.chord)}{sure}")
    elif node.chord and sure:
        found.append(f"{'chord' if node.is_chord else 'harmony'}{sure}")
    key = key_in_words(node)
    if key is not None:
        sure = "" if node.key_probability is None else f" {percent(node.key_probability)}"
        found.append(f"key {key}{sure}" if key != pretty(node.label) else f"key{sure}" if sure else "")
    if node.probability is not None and uncertain(node):
        found.append(f"passage {percent(node.probability)}")
    if node.shift is not None:
        found.append(shift_in_words(node.shift))
    return [one for one in found if one]


def in_words(node: PageNode, score: Score) -> str:
    """All of a node in a line, for those who hear the page."""
    return ", ".join(part for part in (called(node), *facts_of(node, score)) if part)
