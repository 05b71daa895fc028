"""A segmentation without a script: a still picture of series and segments, the tree, and the table."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from recbayes.checks.markup import Column, Markup, joined, short_number, table, tag
from recbayes.report.series import lines_of, names_of, series_of
from recbayes.report.words import percent, sentence
from recbayes.segmentation.result import Segmentation
from recbayes.segmentation.texts import headline
from recbayes.tree.formats.svg import MARGIN, WIDTH

TALL, LOW, GAP = 150.0, 76.0, 6.0
INNER = WIDTH - 2 * MARGIN  # where the tree below it has its bands
FEW = 4  # columns that are drawn
POINTS = 2000  # that a line has
FIT, CHANGE = "#0072B2", "#D55E00"

Height = Callable[[float], float]
Numbers = Sequence[float | None]


def still(found: Segmentation) -> Markup:
    """What notebooks show, and pages to those who run no scripts."""
    parts = [tag("p", tag("strong", sentence(headline(found)))), _picture(found)]
    if found.changes:
        parts.append(Markup(found.tree.to_svg(title="Tree of the segments")))
    return tag("div", *parts, _table(found))


def _picture(found: Segmentation) -> Markup:
    """Series, segments and changes; of many columns the first."""
    columns, lines, length = series_of(found)["columns"][:FEW], lines_of(found), len(found.data)
    height = TALL if len(columns) == 1 else LOW
    bottom = len(columns) * (height + GAP)
    panels = [_panel(column, lines, n, height, length) for n, column in enumerate(columns)]
    cuts = [_cut(MARGIN + change.position / length * INNER, bottom) for change in found.changes]
    ends = [
        tag(
            "text", found.data.place(row), x=x, y=f"{bottom + 14:g}", text_anchor=anchor, font_size="11", fill="currentColor"
        )
        for row, x, anchor in ((0, f"{MARGIN:g}", "start"), (length - 1, f"{WIDTH - MARGIN:g}", "end"))
    ]
    return tag(
        "svg",
        tag("title", "The series with its segments"),
        *(panels + cuts + ends),
        xmlns="http://www.w3.org/2000/svg",
        role="img",
        viewBox=f"0 -4 {WIDTH:g} {bottom + 22:g}",
        width=f"{WIDTH:g}",
        style="max-width:100%;height:auto;font-family:system-ui,sans-serif",
    )


def _panel(column: dict[str, Any], lines: list[dict[str, Any]], n: int, height: float, length: int) -> Markup:
    """One column with what was to be expected of it."""
    seen = [column["values"]] if "values" in column else [column["low"], column["high"]]
    means = [line["columns"][n]["mean"] for line in lines]
    known = [value for numbers in (*seen, *means) for value in numbers if value is not None]
    low, high = min(known, default=0.0), max(known, default=1.0)
    top, extent = n * (height + GAP), (high - low) or 1.0

    def y(value: float) -> float:
        return top + (1.0 - (value - low) / extent) * height

    def x(at: list[float]) -> np.ndarray:
        return MARGIN + np.array(at) / length * INNER

    rows = MARGIN + (np.arange(len(seen[0])) + 0.5) / len(seen[0]) * INNER
    fits = [_line(x(line["at"]), mean, y, FIT, 2.0) for line, mean in zip(lines, means, strict=True)]
    return joined([*(_line(rows, numbers, y, "currentColor", 1.0, 0.55) for numbers in seen), *fits])


def _line(x: np.ndarray, values: Numbers, y: Height, colour: str, width: float, opacity: float | None = None) -> Markup:
    """A line with gaps where values are missing."""
    step = max(1, len(values) // POINTS)
    points = [(place, value) for place, value in zip(x[::step].tolist(), values[::step], strict=True)]
    path = [
        f"{'M' if before is None else 'L'}{place:.1f} {y(value):.1f}"
        for (_, before), (place, value) in pairwise([(0.0, None), *points])
        if value is not None
    ]
    look = {"stroke_width": f"{width:g}", "stroke_linecap": "round", "opacity": opacity}
    return tag("path", d="".join(path), fill="none", stroke=colour, **look)


def _cut(x: float, bottom: float) -> Markup:
    return tag("line", x1=f"{x:.1f}", x2=f"{x:.1f}", y1=0, y2=f"{bottom:g}", stroke=CHANGE, stroke_dasharray="4 3")


def _table(found: Segmentation) -> Markup:
    """Segments with their levels."""
    names = names_of(found.data)
    heads = [Column("segment"), Column("probability", True), Column("kind")]
    heads += [Column(f"level of {name}" if len(names) > 1 else "level", True) for name in names]
    rows = []
    for node in found.tree.leaves:
        first, last = found.data.place(node.start), found.data.place(node.end - 1)
        level = np.asarray(node.value)
        numbers = [short_number(value) for value in (np.exp(level) if found.logarithms else level).tolist()]
        kind = node.own["kind"] if node.own else ""
        rows.append([first if first == last else f"{first} to {last}", percent(node.probability or 0.0), kind, *numbers])
    return table(heads, rows)
