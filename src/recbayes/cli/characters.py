"""A picture of a series in characters: its line in dots of Braille, where it changes, and its tree, on one axis.

Every character has two by four dots. Colours are for others to add, who are told what each line is and where segments begin.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from recbayes.data.table import Table
from recbayes.tree.tree import Tree

BITS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])  # of the dots of a character
BLOCKS = " ▁▂▃▄▅▆▇█"
PANELS = 4  # columns that are drawn
LEVELS = 6  # of a tree that are drawn
FINE = 8  # places within a dot at which a line is looked at
LEAST = 24  # characters of a picture


@dataclass(frozen=True)
class Picture:
    """Lines of text, and of each the kind: what it is drawn in."""

    lines: tuple[str, ...]
    kinds: tuple[str, ...]  # "series", "axis", "change" or "tree"
    margin: int
    edges: tuple[int, ...]  # characters at which segments begin


def draw(table: Table, positions: Sequence[int], probability: np.ndarray, tree: Tree | None, width: int) -> Picture:
    """The picture of a series with changes at these positions, not wider than so many characters."""
    values = table.values[:, :PANELS]
    height = 10 if values.shape[1] == 1 else 5
    ranges = [_range(column) for column in values.T]
    labels = [_scale(low, high) for low, high in ranges]
    margin = max(len("change"), *(len(one) for pair in labels for one in pair)) + 1
    size = max(width - margin - 1, LEAST)
    edges = tuple(_place(position, len(table), size) for position in positions)
    lines: list[str] = []
    kinds: list[str] = []
    for column, (low, high), (bottom, top) in zip(values.T, ranges, labels, strict=True):
        name = table.names[column_number(lines, height, table)] if table.names and values.shape[1] > 1 else ""
        if name:
            lines.append(" " * margin + "│" + name[: size - 1])
            kinds.append("axis")
        for row, line in enumerate(_dots(column, low, high, size, height, edges)):
            label = top if row == 0 else bottom if row == height - 1 else ""
            lines.append(f"{label:>{margin - 1}} {'┤' if label else '│'}{line}".rstrip())
            kinds.append("series")
    axis = ["─"] * size
    for edge in edges:
        axis[edge] = "┴"
    lines += [f"{'':{margin}}└{''.join(axis)}", *_dates(table, positions, edges, margin, size)]
    kinds += ["axis"] * (len(lines) - len(kinds))
    if edges:
        lines.append(f"{'change':>{margin - 1}}  {_strip(probability, len(table), size)}".rstrip())
        kinds.append("change")
        bars = [] if tree is None else _bars(tree, size)
        lines += [f"{'' if n else 'tree':>{margin - 1}}  {bar}".rstrip() for n, bar in enumerate(bars)]
        kinds += ["tree"] * len(bars)
    return Picture(tuple(lines), tuple(kinds), margin + 1, edges)


def column_number(lines: Sequence[str], height: int, table: Table) -> int:
    """Which panel comes next: each has a line for its name."""
    return len(lines) // (height + 1)


def _range(column: np.ndarray) -> tuple[float, float]:
    here = column[~np.isnan(column)]
    low, high = (float(here.min()), float(here.max())) if len(here) else (0.0, 0.0)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _scale(low: float, high: float) -> tuple[str, str]:
    """Both ends, with as many digits as tell them apart."""
    for digits in range(3, 9):
        texts = _number(low, digits), _number(high, digits)
        if abs(float(texts[0]) - low) + abs(float(texts[1]) - high) < 0.02 * (high - low):
            break
    return texts


def _number(value: float, digits: int) -> str:
    """So many digits, and exponents only of very large and very small numbers."""
    rounded = float(f"{value:.{digits}g}")
    return f"{rounded:.0f}" if rounded.is_integer() and abs(rounded) < 1e7 else f"{rounded:.{digits}g}"


def _place(position: int, length: int, size: int) -> int:
    return min(int(position * size / length), size - 1)


def _dots(column: np.ndarray, low: float, high: float, size: int, height: int, edges: Sequence[int]) -> list[str]:
    """The line of a series; missing values leave it open. Where a change has no dots, there is a dotted line."""
    wide, tall = 2 * size, 4 * height
    places = (np.arange(wide * FINE) + 0.5) * (len(column) / (wide * FINE)) - 0.5
    inner = np.clip(places, 0, len(column) - 1)
    left = np.floor(inner).astype(np.int64)
    right = np.minimum(left + 1, len(column) - 1)
    near = np.where(inner - left < 0.5, column[left], column[right])
    both = column[left] + (inner - left) * (column[right] - column[left])
    fine = np.where(np.isnan(both), near, both).reshape(wide, FINE)
    starts = np.clip(np.round(np.arange(wide + 1) * len(column) / wide).astype(np.int64), 0, len(column))
    grid = np.zeros((tall, wide), dtype=np.bool_)
    for x in range(wide):
        here = np.concatenate([fine[x], column[starts[x] : starts[x + 1]]])
        here = here[~np.isnan(here)]
        if len(here):
            bottom, top = np.round((np.array([here.min(), here.max()]) - low) / (high - low) * (tall - 1)).astype(int)
            grid[tall - 1 - top : tall - bottom, x] = True
    cells = (grid.reshape(height, 4, size, 2) * BITS[None, :, None, :]).sum(axis=(1, 3))
    lines = [["\N{BRAILLE PATTERN BLANK}" if not one else chr(0x2800 + one) for one in row] for row in cells.tolist()]
    for line in lines:
        for x, sign in enumerate(line):
            if sign == "\N{BRAILLE PATTERN BLANK}":
                line[x] = "┊" if x in edges else " "
    return ["".join(line) for line in lines]


def _dates(table: Table, positions: Sequence[int], edges: Sequence[int], margin: int, size: int) -> list[str]:
    """Where the series begins and ends, and where it changes, as far as there is room, in one line or two."""
    texts = [table.place(0), table.place(len(table) - 1)]
    line = [" "] * size
    _write(line, 0, texts[0])
    _write(line, max(size - len(texts[1]), len(texts[0]) + 1), texts[1])
    second = [" "] * size
    for position, edge in zip(positions, edges, strict=True):
        text = table.place(position)
        for row in (line, second):
            start = min(max(edge - len(text) // 2, 0), max(size - len(text), 0))
            if all(sign == " " for sign in row[max(start - 1, 0) : start + len(text) + 1]):
                _write(row, start, text)
                break
    both = ["".join(line), "".join(second)]
    return [f"{'':{margin}} {one}".rstrip() for one in both if one.strip()]


def _write(line: list[str], start: int, text: str) -> None:
    for offset, sign in enumerate(text):
        if 0 <= start + offset < len(line):
            line[start + offset] = sign


def _strip(probability: np.ndarray, length: int, size: int) -> str:
    """How probable a change is in what every character stands for."""
    found = np.zeros(size)
    for position in np.flatnonzero(probability[1:-1] > 0) + 1:
        found[_place(int(position), length, size)] += probability[position]
    return "".join(BLOCKS[int(np.ceil(min(one, 1.0) * 8)) if one >= 0.02 else 0] for one in found)


def _bars(tree: Tree, size: int) -> list[str]:
    """The nodes of every level as bars, with their probabilities where there is room."""
    levels = tree.levels
    rows = []
    for level in range(1, min(max(levels), LEVELS) + 1):
        line = [" "] * size
        for node, own in zip(tree.nodes, levels, strict=True):
            if own == level:
                start, end = _place(node.start, tree.length, size), _place(node.end, tree.length, size)
                end = size if node.end == tree.length else end
                text = "" if node.probability is None else f"{node.probability:.2f}"
                _write(line, start, _bar(end - start, text))
        rows.append("".join(line))
    return rows


def _bar(width: int, text: str) -> str:
    if width < 2:
        return "│" * width
    inside = width - 2
    if len(text) + 2 <= inside:
        text = f" {text} "
    return f"├{text.center(inside, '─') if len(text) <= inside else '─' * inside}┤"
