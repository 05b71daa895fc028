"""What a page shows of an analysis: its nodes, and what is said of them in words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from recbayes.errors import DataError
from recbayes.music.keys import key_name
from recbayes.music.score import Score

_ACCIDENTAL = re.compile(r"(?<![A-Za-z])([A-G])([b#])(?=m|dim|aug|sus|add|[^a-z]|$)")
_SIGNS = {"b": "♭", "#": "♯"}


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
    return _ACCIDENTAL.sub(lambda found: found[1] + _SIGNS[found[2]], label)


def percent(probability: float) -> str:
    """A probability in percent; what is not certain is never said to be."""
    number = round(100 * probability)
    if number == 100 and probability < 1:
        return "> 99 %"
    if number == 0 and probability > 0:
        return "< 1 %"
    return f"{number} %"


def signed(shift: int) -> str:
    """A transposition with its sign, as it is written on nodes."""
    return f"+{shift}" if shift > 0 else f"−{-shift}" if shift < 0 else "0"


def shift_in_words(shift: int) -> str:
    """A transposition in words."""
    return f"transposed by {signed(shift)} semitone{'' if abs(shift) == 1 else 's'}" if shift else "not transposed"


def key_in_words(node: PageNode) -> str | None:
    """The key of a node, if it has one."""
    return None if node.key is None else pretty(key_name(node.key, node.mode))


def bars_in_words(node: PageNode, score: Score) -> str:
    """The bars of a node: "bar 5", "bars 5–11"."""
    last = len(score.names) - 1
    first_bar = int(np.clip(np.searchsorted(score.bars, node.start + 1e-6, side="right") - 1, 0, last))
    last_bar = int(np.clip(np.searchsorted(score.bars, node.end - 1e-6, side="left") - 1, first_bar, last))
    names = score.names[first_bar], score.names[last_bar]
    return f"bar {names[0]}" if first_bar == last_bar else f"bars {names[0]}–{names[1]}"


def in_words(node: PageNode, score: Score) -> str:
    """All of a node in a line, for those who hear the page."""
    parts = [pretty(node.label), bars_in_words(node, score)]
    if node.key is not None and key_in_words(node) != parts[0]:
        parts.append(f"key {key_in_words(node)}")
    if node.probability is not None:
        parts.append(f"probability {percent(node.probability)}")
    if node.shift is not None:
        parts.append(shift_in_words(node.shift))
    return ", ".join(part for part in parts if part)
