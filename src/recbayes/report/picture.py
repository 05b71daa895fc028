"""The still picture of a segmentation: series with segments and changes, and the tree, above one axis, as SVG without a
script."""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from recbayes.checks.markup import Markup, joined, short_number, tag
from recbayes.report.rounding import to_extent
from recbayes.report.series import lines_of, names_of, series_of
from recbayes.segmentation.result import Segmentation

WIDTH, LEFT, RIGHT = 760.0, 52.0, 8.0  # pixels of the picture, and beside its panels, for the numbers of their axes
INNER = WIDTH - LEFT - RIGHT
TALL, LOW, GAP = 150.0, 90.0, 8.0
ROW, LEVELS = 17.0, 12  # of the tree: how high one is, and how many are drawn
FEW = 4  # columns that are drawn
POINTS = 2000  # that a line has
LETTER = 6.3  # pixels of a letter, amply
NAMES = 3  # rows of names of changes
LONGEST = 26  # characters of a name
BANDS = 500  # of the tree
FIT, CHANGE = "#0072B2", "#D55E00"

Height = Callable[[float], float]
Numbers = Sequence[float | None]


def picture(found: Segmentation) -> Markup:
    """Of many columns the first; of deep trees the upper levels."""
    columns, lines, length = series_of(found)["columns"][:FEW], lines_of(found), len(found.data)
    names = names_of(found.data) if found.data.names or found.data.values.shape[1] > 1 else [""]
    height = TALL if len(columns) == 1 else LOW
    labels, rows = _names_of_changes(found)
    top = 13.0 * rows + 4.0
    panels = [
        _panel(column, lines, n, (top + n * (height + GAP), height), length, _cut_name(names[n]))
        for n, column in enumerate(columns)
    ]
    bottom = top + len(columns) * (height + GAP)
    cuts = [_cut(_x(change.position, length), top, bottom - GAP) for change in found.changes]
    tree, below = _tree(found, bottom) if found.changes else (Markup(""), bottom)
    marks = [text for n, column in enumerate(columns) for _, text in _marks(*_extent(column, lines, n))]
    wider = max(0.0, LETTER * max(map(len, marks), default=0) + 6.0 - LEFT)  # than there is room for, on the left
    return tag(
        "svg",
        tag("title", "The series with its segments, when it changes, and the tree of its segments"),
        *(_shade(found, top, bottom - GAP) + panels + cuts + labels),
        tree,
        _axis(found, below),
        xmlns="http://www.w3.org/2000/svg",
        role="img",
        viewBox=f"{-wider:g} 0 {WIDTH + wider:g} {below + 22:g}",
        width=f"{WIDTH + wider:g}",
        style="max-width:100%;height:auto;font-family:system-ui,sans-serif",
    )


def _shade(found: Segmentation, top: float, bottom: float) -> list[Markup]:
    """Every other segment, and where changes are whose place is uncertain."""
    places = [(*node.span, "currentColor", "0.05") for node in found.tree.leaves[1::2]]
    places += [(one.low, one.high + 1, CHANGE, "0.2") for one in found.unplaced]
    length = len(found.data)
    return [
        _box(_x(start, length), top, _x(end, length), bottom, fill=colour, fill_opacity=opacity)
        for start, end, colour, opacity in places
    ]


def _x(position: float, length: int) -> float:
    return LEFT + position / length * INNER


def _box(left: float, top: float, right: float, bottom: float, **look: object) -> Markup:
    size = {"width": f"{max(right - left, 0.3):.1f}", "height": f"{bottom - top:.1f}"}
    return tag("rect", x=f"{left:.1f}", y=f"{top:.1f}", **size, **look)


def _text(x: float, y: float, text: str, anchor: str, **look: object) -> Markup:
    place = {"x": f"{x:.1f}", "y": f"{y:.1f}", "text_anchor": anchor, "font_size": "11"}
    return tag("text", text, **(place | {"fill": "currentColor"} | look))


def _seen(column: dict[str, Any]) -> list[Numbers]:
    """Values, or of every bin the least and the greatest."""
    return [column["values"]] if "values" in column else [column["low"], column["high"]]


def _extent(column: dict[str, Any], lines: list[dict[str, Any]], n: int) -> tuple[float, float]:
    means = (line["columns"][n]["mean"] for line in lines)
    known = [value for numbers in (*_seen(column), *means) for value in numbers if value is not None]
    return min(known, default=0.0), max(known, default=1.0)


def _marks(low: float, high: float) -> list[tuple[float, str]]:
    """Round numbers, and how they are written: with the digits that their steps need."""
    numbers = list(round_numbers(low, high))
    if len(numbers) < 2:
        return [(value, short_number(value)) for value in numbers]
    return [(value, to_extent(value, 10.0 * (numbers[1] - numbers[0]))) for value in numbers]


def _panel(
    column: dict[str, Any], lines: list[dict[str, Any]], n: int, place: tuple[float, float], length: int, name: str
) -> Markup:
    """One column with what was to be expected of it, and its axis."""
    seen, fits = _seen(column), [line["columns"][n] for line in lines]
    low, high = _extent(column, lines, n)
    top, height = place
    extent = (high - low) or abs(high) or 1.0

    def y(value: float) -> float:
        return top + 4.0 + (1.0 - (min(max(value, low), high) - low) / extent) * (height - 8.0)

    def x(at: Sequence[float]) -> np.ndarray:
        return LEFT + np.array(at) / length * INNER

    parts = []
    for value, text in _marks(low, high):
        parts.append(_dash(LEFT, y(value), LEFT + INNER, y(value), stroke="currentColor", stroke_opacity="0.15"))
        parts.append(_text(LEFT - 5, y(value) + 3.5, text, "end", font_size="10"))
    parts += [_band(x(line["at"]), fit, y) for line, fit in zip(lines, fits, strict=True)]
    rows = LEFT + (np.arange(len(seen[0])) + 0.5) / len(seen[0]) * INNER
    if len(seen) == 2:
        parts.append(_between(rows, seen[0], seen[1], y))
    else:
        parts.append(_line(rows, seen[0], y, "currentColor", 1.0, 0.55))
    parts += [_line(x(line["at"]), fit["mean"], y, FIT, 2.0) for line, fit in zip(lines, fits, strict=True)]
    return joined([*parts, _text(LEFT + 4, top + 10, name, "start", font_weight="600") if name else ""])


def _band(x: np.ndarray, fit: dict[str, Numbers], y: Height) -> Markup:
    """Of the noise about a line."""
    ends = [
        [(place, y(value)) for place, value in zip(x.tolist(), fit[name], strict=True) if value is not None]
        for name in ("low", "high")
    ]
    path = "L".join(f"{place:.1f} {height:.1f}" for place, height in [*ends[0], *ends[1][::-1]])
    return tag("path", d=f"M{path}Z", fill=FIT, fill_opacity="0.13") if path else Markup("")


def _between(x: np.ndarray, low: Numbers, high: Numbers, y: Height) -> Markup:
    """From the least to the greatest observation of every stretch."""
    step = max(1, len(low) // POINTS)
    path = []
    for n in range(0, len(low), step):
        least = min((value for value in low[n : n + step] if value is not None), default=None)
        most = max((value for value in high[n : n + step] if value is not None), default=None)
        if least is not None and most is not None:
            path.append(f"M{x[n]:.1f} {y(least):.1f}V{y(most):.1f}")
    return tag("path", d="".join(path), fill="none", stroke="currentColor", stroke_width="1", opacity="0.45")


def _line(x: np.ndarray, values: Numbers, y: Height, colour: str, width: float, opacity: float | None = None) -> Markup:
    """A line with gaps where values are missing; what stands alone is a dot."""
    step = max(1, len(values) // POINTS)
    points = [(place, value) for place, value in zip(x[::step].tolist(), values[::step], strict=True)]
    path = [
        f"{'M' if before is None else 'L'}{place:.1f} {y(value):.1f}" + ("h0" if before is None else "")
        for (_, before), (place, value) in pairwise([(0.0, None), *points])
        if value is not None
    ]
    look = {"stroke_width": f"{width:g}", "stroke_linecap": "round", "opacity": opacity}
    return tag("path", d="".join(path), fill="none", stroke=colour, **look)


def _dash(x1: float, y1: float, x2: float, y2: float, **look: object) -> Markup:
    return tag("line", x1=f"{x1:.1f}", y1=f"{y1:.1f}", x2=f"{x2:.1f}", y2=f"{y2:.1f}", **look)


def _cut(x: float, top: float, bottom: float) -> Markup:
    return _dash(x, top, x, bottom, stroke=CHANGE, stroke_width="1.5", stroke_dasharray="5 3")


def _names_of_changes(found: Segmentation) -> tuple[list[Markup], int]:
    """When changes happen and how probable they are, above their lines, in rows, as far as there is room."""
    free, named = [-np.inf] * NAMES, []
    told = [(float(one.position), _cut_name(found.data.place(one.position)), one.probability) for one in found.changes]
    told += [((one.low + one.high) / 2, "somewhere here", one.probability) for one in found.unplaced]
    for position, name, probability in sorted(told):
        text = f"{name}: {probability:.2f}"
        half = 0.5 * LETTER * len(text)
        x = min(max(_x(position, len(found.data)), half), WIDTH - half)
        row = next((row for row, end in enumerate(free) if x - half > end), None)
        if row is not None:
            free[row] = x + half + LETTER
            named.append((x, row, text))
    rows = 1 + max((row for _, row, _ in named), default=-1)
    return [_text(x, 13.0 * (rows - row) - 2.0, text, "middle", fill=CHANGE) for x, row, text in named], rows


def _tree(found: Segmentation, top: float) -> tuple[Markup, float]:
    """Every node a band over its span, the darker the more probable; and where the picture goes on."""
    tree, length, parts = found.tree, len(found.data), []
    levels = tree.levels
    longest = sorted(range(len(tree)), key=lambda n: (-tree.nodes[n].length, levels[n]))
    for n in sorted(longest[:BANDS]):
        node, level, p = tree.nodes[n], levels[n], float(tree.nodes[n].probability or 0.0)
        if level >= LEVELS:
            continue
        left, right, y = _x(node.start, length), _x(node.end, length), top + ROW * level
        dashes = "2" if p < 0.5 else None
        look = {"fill_opacity": f"{0.04 + 0.28 * p:.2g}", "stroke": "currentColor", "stroke_width": "0.5"}
        box = _box(left + 0.5, y, right - 0.5, y + ROW - 2, fill="currentColor", stroke_dasharray=dashes, **look)
        said = tag("title", f"{found.data.place(node.start)} to {found.data.place(node.end - 1)}: probability {p:.2f}")
        text = f"{p:.2f}"
        room = right - left > LETTER * len(text) + 4
        parts.append(tag("g", said, box, _text((left + right) / 2, y + 11.5, text, "middle") if room else ""))
    return joined(parts), top + ROW * min(max(levels) + 1, LEVELS) + 2


def _axis(found: Segmentation, top: float) -> Markup:
    """Rows in the terms of the data's own index."""
    length = len(found.data)
    if found.data.index is None:
        rows = [int(value) for value in round_numbers(0, length - 1, 7) if float(value).is_integer()]
        texts = [str(row) for row in rows]
    else:
        longest = max(len(_cut_name(found.data.place(row))) for row in (0, length // 2, length - 1))
        count = int(np.clip(INNER // (LETTER * (longest + 3)), 2, 7))
        rows = np.unique(np.linspace(0, length - 1, min(count, length)).round().astype(int)).tolist()
        texts = [_cut_name(found.data.place(row)) for row in rows]
    parts = [_dash(LEFT, top, LEFT + INNER, top, stroke="currentColor", stroke_opacity="0.5")]
    for row, text in zip(rows, texts, strict=True):
        x, half = _x(row + 0.5, length), 0.5 * LETTER * len(text)
        parts.append(_dash(x, top, x, top + 4, stroke="currentColor", stroke_opacity="0.5"))
        parts.append(_text(min(max(x, half), WIDTH - half), top + 16, text, "middle", font_size="10"))
    return joined(parts)


def round_numbers(low: float, high: float, most: int = 5) -> Iterable[float]:
    """Up to so many multiples of 1, 2 or 5 times a power of ten."""
    if not high > low:
        return [low]
    size = (high - low) / most
    decade = 10.0 ** np.floor(np.log10(size))
    step = next(factor * decade for factor in (1.0, 2.0, 5.0, 10.0) if factor * decade >= size * (1 - 1e-9))
    first, last = int(np.ceil(low / step - 1e-9)), int(np.floor(high / step + 1e-9))
    return [float(f"{n * step:.15g}") for n in range(first, last + 1)]


def _cut_name(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
