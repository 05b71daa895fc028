"""A segmentation without a script: a still picture of series and segments, the tree, and the table."""

import numpy as np

from recbayes.checks.markup import Column, Markup, joined, more, short_number, table, tag
from recbayes.report.series import lines_of, names_of, series_of
from recbayes.report.words import percent
from recbayes.segmentation.result import Segmentation
from recbayes.segmentation.texts import headline

WIDTH, TALL, LOW = 760.0, 150.0, 56.0
FEW = 4  # columns that are drawn
POINTS = 2000  # that a line has


def still(found: Segmentation) -> Markup:
    """What notebooks show, and pages to those who run no scripts."""
    said = headline(found)
    parts = [tag("p", tag("strong", said[0].upper() + said[1:] + ".")), _picture(found)]
    if found.changes:
        parts.append(more("Tree", Markup(found.tree.to_svg(title="Tree of the segments"))))
    return tag("div", *parts, _table(found))


def _picture(found: Segmentation) -> Markup:
    """Series, segments and changes; of many columns the first."""
    columns = series_of(found)["columns"][:FEW]
    lines, length = lines_of(found), len(found.data)
    height = TALL if len(columns) == 1 else LOW + 20
    panels = []
    for n, column in enumerate(columns):
        seen = [
            [value for value in one if value is not None]
            for one in (column.get("values") or column["low"], column.get("values") or column["high"])
        ]
        bounds = [value for line in lines for value in line["columns"][n]["mean"] if value is not None]
        low, high = min([*seen[0], *bounds], default=0.0), max([*seen[1], *bounds], default=1.0)
        y = _scale(low, high, n * (height + 6), height)
        series = _trace(column.get("values") or column["low"], y)
        if "high" in column:
            series += _trace(column["high"], y)
        fits = [
            tag(
                "polyline",
                points=_points(np.array(line["at"]) / length * WIDTH, line["columns"][n]["mean"], y),
                fill="none",
                stroke="#0072B2",
                stroke_width="2",
            )
            for line in lines
        ]
        panels.append(series + joined(fits))
    bottom = len(columns) * (height + 6)
    cuts = [
        tag("line", x1=f"{x:.1f}", x2=f"{x:.1f}", y1=0, y2=f"{bottom:g}", stroke="#D55E00", stroke_dasharray="4 3")
        for x in (one.position / length * WIDTH for one in found.changes)
    ]
    named = [*map(found.data.place, (0, length - 1))]
    ends = [
        tag("text", text, x=x, y=f"{bottom + 14:g}", text_anchor=anchor, font_size="11", fill="currentColor")
        for text, x, anchor in zip(named, (0, WIDTH), ("start", "end"), strict=True)
    ]
    return tag(
        "svg", tag("title", "The series with its segments"), *panels, *cuts, *ends, xmlns="http://www.w3.org/2000/svg", role="img",
        viewBox=f"0 -4 {WIDTH:g} {bottom + 22:g}", width=f"{WIDTH:g}", style="max-width:100%;height:auto;font-family:system-ui,sans-serif",
    )  # fmt: skip


def _scale(low: float, high: float, top: float, height: float):  # type: ignore[no-untyped-def]
    extent = (high - low) or 1.0
    return lambda value: top + (1.0 - (value - low) / extent) * height


def _trace(values, y) -> Markup:  # type: ignore[no-untyped-def]
    """A line with gaps where values are missing."""
    step = max(1, len(values) // POINTS)
    x = (np.arange(len(values)) + 0.5) / len(values) * WIDTH
    path, joined_up = [], False
    for place, value in list(zip(x.tolist(), values, strict=True))[::step]:
        if value is not None:
            path.append(f"{'L' if joined_up else 'M'}{place:.1f} {y(value):.1f}")
        joined_up = value is not None
    return tag(
        "path", d="".join(path), fill="none", stroke="currentColor", stroke_width="1", stroke_linecap="round", opacity="0.55"
    )


def _points(x, values, y) -> str:  # type: ignore[no-untyped-def]
    return " ".join(
        f"{place:.1f},{y(value):.1f}" for place, value in zip(x.tolist(), values, strict=True) if value is not None
    )


def _table(found: Segmentation) -> Markup:
    names = names_of(found.data)
    heads = [Column("segment"), Column("probability", True), Column("kind")]
    heads += [Column(f"level of {name}" if len(names) > 1 else "level", True) for name in names]
    rows = []
    for node in found.tree.leaves:
        place = found.data.place
        span = place(node.start) if node.length == 1 else f"{place(node.start)} to {place(node.end - 1)}"
        level = np.exp(node.value) if found.logarithms else node.value
        numbers = [short_number(float(value)) for value in level]
        rows.append([span, percent(node.probability or 0.0), node.own["kind"] if node.own else "", *numbers])
    return table(heads, rows)
