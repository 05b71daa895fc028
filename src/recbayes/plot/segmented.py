"""A series with its segments, where changes are likely, and the tree, above each other."""

from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from recbayes.checks.arguments import instance
from recbayes.plot.canvas import drawable, figure_of, finished
from recbayes.plot.changes import draw_changes
from recbayes.plot.colours import CHANGE, FIT, PALETTE
from recbayes.plot.segments import CHARACTER, draw_column, shade, size_of
from recbayes.plot.terms import label_observations
from recbayes.plot.tree import node_places
from recbayes.plot.tree import tree as draw_tree

if TYPE_CHECKING:
    from recbayes.segmentation.result import Segmentation

PANELS = 4  # columns that have panels of their own; more of them share one
WRITTEN = 40  # nodes up to which their probabilities are written
PER_INCH = 11  # characters of the title
ROWS = 3  # rows of labels of change points


def segmented(found: "Segmentation", *, figure: Any = None, figsize: tuple[float, float] | None = None) -> Any:
    """A figure of what `rb.segment` found: the series with its segments, the probability of a change, and the tree.

    The panels are those of `segments`, `changes` and `tree`. More than four columns are drawn together, each in its own
    deviations. Where there is no change, there is no tree. Changes whose places are too uncertain to be told are a band.

    Arguments:
        found: what `rb.segment` returns.
        figure: the figure of matplotlib to draw into, or a part of one (`figure.subfigures()`); None makes a new one.
        figsize: width and height of a new figure, in inches. None takes what is needed.

    Returns:
        The figure.
    """
    from recbayes.segmentation.result import Segmentation

    instance(found, Segmentation, "found", "; rb.segment makes one")
    columns = found.data.values.shape[1]
    heights = [2.6] if columns == 1 or columns > PANELS else [1.7] * columns
    series_panels = len(heights)
    heights += [1.1, *([min(0.35 * max(found.tree.levels) + 0.6, 4.0)] if found.changes else [])]
    given, figure = figure, figure_of(figure, (8.0, sum(heights) + 1.0), figsize)
    panels = figure.subplots(len(heights), 1, sharex=True, height_ratios=heights)
    _series(found, panels[:series_panels])
    draw_changes(found, panels[series_panels])
    if found.changes:
        _tree(found, panels[-1])
    for panel in panels[:series_panels]:
        for one in found.unplaced:
            panel.axvspan(one.low - 0.5, one.high + 0.5, color=CHANGE, alpha=0.15, linewidth=0, zorder=0.5)
    for panel in panels[: series_panels + 1]:
        for change in found.changes:
            panel.axvline(change.position - 0.5, color=CHANGE, linestyle="--", linewidth=1.0, zorder=1.5)
    _name_changes(found, panels[0])
    title = drawable(found.summary().split("\n", 1)[0])
    across = int(figure.bbox.width / figure.dpi * PER_INCH)
    figure.suptitle(fill(title, max(across, 20)), fontsize="medium", parse_math=False)
    label_observations(panels[-1], found.data, len(found.data))
    figure.align_ylabels(panels)
    return finished(figure, given)


def _series(found: "Segmentation", panels: Sequence[Any]) -> None:
    """Segments are shaded in turn; each column has its panel, or all have one."""
    for panel in panels:
        shade(panel, [node.span for node in found.tree.leaves])
    if found.data.values.shape[1] > len(panels):
        _together(found, panels[0])
        return
    for column, panel in enumerate(panels):
        draw_column(found, column, panel)
        if column:
            panel.get_legend().remove()  # kinds are those of all columns


def _together(found: "Segmentation", ax: Any) -> None:
    """All columns, each in its deviations from its mean; those never seen have neither."""
    from recbayes.segmentation.fitted import fitted

    y = found.data.values
    seen = ~np.isnan(y).all(axis=0)
    centre, scale = np.zeros(y.shape[1]), np.ones(y.shape[1])
    centre[seen], scale[seen] = np.nanmean(y[:, seen], axis=0), np.nanstd(y[:, seen], axis=0)
    scale[scale == 0] = 1.0
    ax.set_prop_cycle(color=PALETTE)
    dots = ax.plot(np.arange(len(y)), (y - centre) / scale, ".", markersize=size_of(len(y)), alpha=0.5, zorder=2)
    for node in found.tree.leaves:
        lines = ax.plot(
            np.arange(node.start, node.end), (fitted(found, node).mean - centre) / scale, linewidth=1.5, zorder=3
        )
        for line, dot in zip(lines, dots, strict=True):
            line.set_color(dot.get_color())
    ax.set_ylabel(f"{y.shape[1]} columns,\nstandardised")


def _tree(found: "Segmentation", ax: Any) -> None:
    """Every node has a bar as wide as its span."""
    places = node_places(found.tree, by_width=False)
    starts, ends = np.array(found.tree.spans).T
    gap = 0.004 * len(found.data)
    ax.hlines(places[:, 1], starts - 0.5 + gap, ends - 0.5 - gap, color=FIT, alpha=0.3, linewidth=5)
    draw_tree(found.tree, ax=ax)
    for node, arity, (x, height) in zip(found.tree, found.tree.arities, places, strict=True):
        if len(found.tree) <= WRITTEN:
            place = {"xytext": (0, 4 if arity else -4), "textcoords": "offset points", "va": "bottom" if arity else "top"}
            ax.annotate(f"{node.probability:.2f}", (x, height), ha="center", fontsize=8, **place)
    ax.set_ylim(places[:, 1].min() - 0.8, 0.8)
    ax.set_ylabel("tree, with\nprobabilities", fontsize="small")


def _name_changes(found: "Segmentation", ax: Any) -> None:
    """When changes happen and how probable they are, above the lines; in rows, as far as there is room."""
    from recbayes.plot.ticks import shown

    free = [-np.inf] * ROWS  # where each row of labels ends
    for change in found.changes:
        text = f"{shown(found.data, change.position)}: {change.probability:.2f}"
        half = 0.5 * CHARACTER * len(text) * len(found.data)
        row = next((row for row, end in enumerate(free) if change.position - half > end), None)
        if row is not None:
            free[row] = change.position + half
            style = {"textcoords": "offset points", "ha": "center", "va": "bottom", "color": CHANGE, "fontsize": 8}
            where = {"xycoords": ax.get_xaxis_transform(), "annotation_clip": True}  # as long as the line is in sight
            ax.annotate(text, (change.position - 0.5, 0.999), xytext=(0, 3 + 11 * row), **where, **style)
