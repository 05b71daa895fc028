"""A column of a series with its segments: their kinds, levels, slopes and noise."""

from typing import TYPE_CHECKING, Any

import numpy as np

from recbayes.checks.arguments import flag, instance
from recbayes.checks.arrays import short, whole_number
from recbayes.errors import DataError
from recbayes.plot.canvas import axes_of, drawable
from recbayes.plot.colours import OBSERVED, PALE, of_kind
from recbayes.plot.terms import label_observations

if TYPE_CHECKING:
    from recbayes.segmentation.result import Segmentation

LONGEST = 24  # characters of a column's name
CHARACTER = 0.0105  # how wide one is, in widths of a panel


def segments(found: "Segmentation", *, column: int | str = 0, intervals: bool = True, ax: Any = None) -> Any:
    """The observations of one column, and what was found of its segments.

    Every segment has a line, its level, slope and season, with a dark band, the 80 % interval of that line, and a pale one,
    its noise. The line's colour says whether the segment has a trend, and dashes that its noise has a memory (a kind
    "... + autoregressive"); slopes of trends are written below. Segments are shaded in turn. Outliers of long series that
    were taken for missing are crosses.

    Arguments:
        found: what `rb.segment` returns.
        column: the column to draw: its position, or its name.
        intervals: whether to draw the 80 % intervals of the lines.
        ax: the axes of matplotlib to draw into; None makes a new figure.

    Returns:
        The axes. Their x axis is in rows, labelled in the terms of the data's own index.
    """
    from recbayes.segmentation.result import Segmentation

    instance(found, Segmentation, "found", "; rb.segment makes one")
    number, intervals = column_of(found, column), flag(intervals, "intervals")
    ax = axes_of(ax, (8.0, 3.4))
    shade(ax, [node.span for node in found.tree.leaves])
    draw_column(found, number, ax, intervals)
    label_observations(ax, found.data, len(found.data))
    return ax


def column_of(found: "Segmentation", column: int | str) -> int:
    """The position of a column."""
    count, names = found.data.values.shape[1], found.data.names or ()
    if isinstance(column, str):
        if column not in names:
            raise DataError(f"there is no column {short(column)}; there are {list(names) or f'{count} without names'}")
        return names.index(column)
    return whole_number(column, "column", least=0, most=count - 1, error=DataError)


def shade(ax: Any, spans: list[tuple[int, int]]) -> None:
    """Every other segment."""
    for start, end in spans[1::2]:
        ax.axvspan(start - 0.5, end - 0.5, color=PALE, linewidth=0, zorder=0)


def draw_column(found: "Segmentation", column: int, ax: Any, intervals: bool = True) -> None:
    """Observations, lines, bands and slopes, and what they are."""
    from recbayes.segmentation.fitted import credible, fitted

    y = found.data.values[:, column]
    rows = np.arange(len(y))
    waves = bool(found.given_segments.models[0].leaf.periods)
    ax.plot(rows, y, color="0.75", linewidth=0.7, zorder=2)
    ax.plot(rows, y, ".", color=OBSERVED, markersize=size_of(len(y)), zorder=3.5 if waves else 2.5)
    if found.outliers is not None and found.outliers[:, column].any():
        out = found.outliers[:, column]
        ax.plot(rows[out], y[out], "x", color=OBSERVED, markersize=5, zorder=3.5, label="taken for missing")
    seen: dict[str, Any] = {}
    for node in found.tree.leaves:
        kind = str(node.own["kind"]) if node.own else "level"
        style = of_kind(kind)
        at = np.concatenate([[node.start - 0.5], rows[node.start : node.end], [node.end - 0.5]])
        mean, low, high = (_widened(part[:, column]) for part in fitted(found, node))
        noise = ax.fill_between(at, low, high, color=style["color"], alpha=0.18, linewidth=0, zorder=1)
        if intervals:
            ends = map(_widened, credible(found, node, column))
            ax.fill_between(at, *ends, color=style["color"], alpha=0.4, linewidth=0, zorder=1.2)
        (line,) = ax.plot(at, mean, linewidth=0.9 if waves else 1.8, zorder=3, **style)
        seen.setdefault(kind, (noise, line))
        if node.own and "trend" in kind:
            text = f"slope {float(node.own['slope'][column]):+.2g}"
            if CHARACTER * len(text) * len(y) <= node.length:
                place: dict[str, Any] = {
                    "xycoords": ax.get_xaxis_transform(),
                    "ha": "center",
                    "fontsize": "x-small",
                    "color": "0.2",
                }
                place["bbox"] = {"boxstyle": "round,pad=0.15", "facecolor": "white", "alpha": 0.7, "linewidth": 0}
                ax.annotate(text, (0.5 * (node.start + node.end - 1), 0.015), annotation_clip=True, **place)
    name = name_of(found, column)
    ax.legend(list(seen.values()), [f"{kind}, ± its noise" for kind in seen], fontsize="x-small", framealpha=0.8)
    ax.set_ylabel(name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…", parse_math=False)


def name_of(found: "Segmentation", column: int) -> str:
    """What a column is called in a picture."""
    if found.data.names:
        return drawable(found.data.names[column])
    return "value" if found.data.values.shape[1] == 1 else f"column {column}"


def size_of(rows: int) -> float:
    """How large a dot is."""
    return float(np.clip(60.0 / np.sqrt(rows), 1.5, 6.0))


def _widened(values: np.ndarray) -> np.ndarray:
    """Values at the rows of a segment, and half a row before and after them."""
    step = np.diff(values) if len(values) > 1 else np.zeros(1)
    return np.concatenate([[values[0] - step[0] / 2], values, [values[-1] + step[-1] / 2]])
