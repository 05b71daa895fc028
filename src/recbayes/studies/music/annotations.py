"""What analysts have said of a piece: a tree over its bars, keys, chords, phrases; in quarters, by the piece's own bars.

Files are looked for by the name of the piece: `NAME*tree*.csv`, a tree with a line per node and columns `start_bar` and
`end_bar` (counted from 0, half open) and perhaps `label`; and `NAME_analysis.rntxt`, Roman numerals (see `roman`).
"""

import csv
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from recbayes.errors import DataError, FileError
from recbayes.music.keys import key_name
from recbayes.studies.music.pieces import Piece
from recbayes.studies.music.roman import Place, RomanText, read_roman
from recbayes.tree.tree import Tree

T = TypeVar("T")


class Region(NamedTuple):
    """From when to when, in quarters, and what is there."""

    start: float
    end: float
    label: str


@dataclass(frozen=True, eq=False)
class Annotations:
    """What is known of a piece; what is not is None or empty. `tree` is over bars, everything else in quarters."""

    tree: Tree | None = None
    keys: tuple[Region, ...] = ()
    chords: tuple[Region, ...] = ()
    phrases: tuple[float, ...] = ()


def read_annotations(folder: str | Path | None, piece: Piece) -> Annotations:
    """All that a folder, or any folder in it, has on a piece."""
    if folder is None:
        return Annotations()
    root = Path(folder)
    if not root.is_dir():
        raise FileError(f"{root} is no folder; annotations are files in one, named after their pieces")
    tree = _one(root, f"{piece.name}*tree*.csv", _read_tree)
    roman = _one(root, f"{piece.name}_analysis.rntxt", read_roman)
    if tree is not None and tree.length != len(piece.bar_names):
        raise FileError(f"the tree of {piece.name} has {tree.length} bars, and the piece {len(piece.bar_names)}")
    try:
        return Annotations(tree, *(regions_of(roman, piece) if roman else ((), (), ())))
    except FileError as problem:
        raise FileError(f"the analysis of {piece.name}: {problem}") from None


def regions_of(roman: RomanText, piece: Piece) -> tuple[tuple[Region, ...], tuple[Region, ...], tuple[float, ...]]:
    """Stretches of one key, stretches of one chord, and where phrases begin.

    What comes first holds from the beginning of the piece on, and chords that are said again are one.
    """
    bars = bars_of(roman, piece)
    when = [in_quarters(chord.place, bars) for chord in roman.chords]
    names = [key_name(chord.key.tonic, chord.key.mode) for chord in roman.chords]
    figures = [f"{name}: {chord.figure}" for name, chord in zip(names, roman.chords, strict=True)]
    end = float(piece.bars[-1])
    phrases = sorted({in_quarters(place, bars) for place in roman.marks} - {0.0, end})
    return _regions(when, names, end), _regions(when, figures, end), tuple(phrases)


def bars_of(roman: RomanText, piece: Piece) -> dict[int, tuple[float, float]]:
    """When each bar begins, and how long it is: by the piece, or, where it has too few bars, by the analyst's own count.

    In BWV 860 there are 24/16 and four quarters in a bar at once, and a file that knows the former alone counts fewer bars.
    Where the analyst's end with the piece, they are the right ones.
    """
    lengths = np.diff(piece.bars)
    if len(lengths) > 1:  # a piece may end before its last bar does
        lengths[-1] = max(lengths[-1], lengths[-2])
    own: dict[int, tuple[float, float]] = {}
    for name, start, length in zip(piece.bar_names, piece.bars[:-1], lengths, strict=True):
        if name.isdigit():
            own.setdefault(int(name), (float(start), float(length)))
    last = max(chord.place.bar for chord in roman.chords)
    if last in own:
        return own
    counted: dict[int, tuple[float, float]] = {}
    end = 0.0
    for bar in range(min(roman.meters), last + 1):
        meter = roman.meters[max(begin for begin in roman.meters if begin <= bar)]
        counted[bar] = (end, meter.quarters)
        end += meter.quarters
    if end != piece.bars[-1]:
        names = f"{piece.bar_names[0]} to {piece.bar_names[-1]}"
        raise FileError(f"it speaks of bar {last}, and the piece has bars {names}")
    return counted


def in_quarters(place: Place, bars: dict[int, tuple[float, float]]) -> float:
    """When a moment of an analysis is. Beats divide a bar evenly."""
    if place.bar not in bars:
        raise FileError(f"it speaks of bar {place.bar}, and the piece has bars {min(bars)} to {max(bars)}")
    start, length = bars[place.bar]
    return start + place.part * length


def over_observations(tree: Tree, bars: np.ndarray, edges: np.ndarray) -> Tree:
    """A tree over bars as one over observations, whose edges are in quarters like those of the bars: by the nearest edge.

    Bars that are too short for that vanish, and nodes that become the same are one.
    """
    nearest = np.abs(edges[:, None] - bars).argmin(axis=0)
    spans = [(int(nearest[start]), int(nearest[end])) for start, end in tree.spans]
    return Tree.from_spans(list(dict.fromkeys(span for span in spans if span[0] < span[1])))


def _regions(starts: Sequence[float], labels: Sequence[str], end: float) -> tuple[Region, ...]:
    first = [place for place, label in enumerate(labels) if place == 0 or label != labels[place - 1]]
    edges = [0.0, *(min(starts[place], end) for place in first[1:]), end]
    found = [Region(edges[n], edges[n + 1], labels[place]) for n, place in enumerate(first)]
    return tuple(region for region in found if region.end > region.start)


def _read_tree(text: str) -> Tree:
    rows = list(csv.DictReader(text.splitlines()))
    try:
        spans = [(int(row["start_bar"]), int(row["end_bar"])) for row in rows]
    except (KeyError, TypeError, ValueError):
        raise FileError("a table with whole numbers in columns start_bar and end_bar was expected") from None
    try:
        return Tree.from_spans(spans, [row.get("label") or "" for row in rows])
    except DataError as problem:
        raise FileError(f"these are no spans of a tree: {problem}") from None


def _one(root: Path, pattern: str, read: Callable[[str], T]) -> T | None:
    """What the file of this name has; none is fine, several are not."""
    paths: Iterable[Path] = sorted(root.rglob(pattern))
    found = [path for path in paths if path.is_file()]
    if len(found) > 1:
        raise FileError(f"{found[0]} and {found[1]} are about the same piece; keep one of them")
    for path in found:
        try:
            return read(path.read_text(encoding="utf-8"))
        except (FileError, UnicodeDecodeError) as problem:
            raise FileError(f"{path}: {problem}") from None
    return None
