"""A series with its segments, where changes are likely, and the tree, above each other."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from recbayes.checks.arguments import instance
from recbayes.plot.canvas import drawable, figure_of
from recbayes.plot.colours import CHANGE, FIT
from recbayes.plot.tree import node_places
from recbayes.plot.tree import tree as draw_tree

if TYPE_CHECKING:
    from recbayes.plot.fitted import Fitted
    from recbayes.segmentation.result import Segmentation

PANELS = 4  # columns that have panels of their own; more of them share one
WRITTEN = 40  # nodes up to which their probabilities are written
ROWS = 3  # rows of labels of change points
CHARACTER = 0.011  # how wide one is, in widths of a panel
LONGEST = 24  # characters of a column's name


def segmented(found: "Segmentation", *, figure: Any = None) -> Any:
    """A figure of what `rb.segment` found: the series with its segments, the probability of a change, and the tree.

    Each segment has a line, its level, slope and season, with a band of its noise. More than four columns are drawn
    together, each in its own deviations. Where there is no change, there is no tree.
    """
    from recbayes.plot.ticks import label_rows
    from recbayes.segmentation.result import Segmentation

    instance(found, Segmentation, "found", "; rb.segment makes one")
    columns = found.data.values.shape[1]
    heights = [2.6] if columns == 1 or columns > PANELS else [1.7] * columns
    series_panels = len(heights)
    heights += [1.1, *([min(0.35 * max(found.tree.levels) + 0.6, 4.0)] if found.changes else [])]
    figure = figure_of(figure, (8.0, sum(heights) + 1.0))
    panels = figure.subplots(len(heights), 1, sharex=True, height_ratios=heights)
    _series(found, panels[:series_panels])
    _probability(found, panels[series_panels])
    if found.changes:
        _tree(found, panels[-1])
    for panel in panels[: series_panels + 1]:
        for change in found.changes:
            panel.axvline(change.position - 0.5, color=CHANGE, linestyle="--", linewidth=1.0, zorder=1.5)
    _name_changes(found, panels[0])
    figure.suptitle(drawable(found.summary().split("\n", 1)[0]), fontsize="medium", parse_math=False)
    label_rows(panels[-1].xaxis, found.data)
    panels[-1].set_xlabel("row" if found.data.index is None else "")
    panels[-1].set_xlim(-0.5, len(found.data) - 0.5)
    figure.align_ylabels(panels)
    return figure


def _series(found: "Segmentation", panels: Sequence[Any]) -> None:
    """Segments are shaded in turn; each column has its panel, or all have one."""
    from recbayes.plot.fitted import fitted

    fits = [fitted(found, node) for node in found.tree.leaves]
    for panel in panels:
        for node in found.tree.leaves[1::2]:
            panel.axvspan(node.start - 0.5, node.end - 0.5, color="0.94", linewidth=0, zorder=0)
    if found.data.values.shape[1] > len(panels):
        _together(found, fits, panels[0])
        return
    for column, panel in enumerate(panels):
        _column(found, fits, column, panel)


def _column(found: "Segmentation", fits: "Sequence[Fitted]", column: int, ax: Any) -> None:
    y = found.data.values[:, column]
    rows = np.arange(len(y))
    waves = bool(found.given_segments.models[0].leaf.periods)
    ax.plot(rows, y, color="0.75", linewidth=0.7, zorder=2)
    ax.plot(rows, y, ".", color="0.25", markersize=_size(len(y)), zorder=3.5 if waves else 2.5)
    for node, fit in zip(found.tree.leaves, fits, strict=True):
        at = np.concatenate([[node.start - 0.5], rows[node.start : node.end], [node.end - 0.5]])
        mean, low, high = (_widened(part[:, column]) for part in fit)
        band = ax.fill_between(at, low, high, color=FIT, alpha=0.22, linewidth=0, zorder=1)
        (line,) = ax.plot(at, mean, color=FIT, linewidth=0.9 if waves else 1.8, zorder=3)
    if not column:
        ax.legend([(band, line)], ["segments, ± their noise"], fontsize="x-small", framealpha=0.8)
    names = found.data.names or (
        ["value"] if found.data.values.shape[1] == 1 else [f"column {n}" for n in range(column + 1)]
    )
    name = drawable(names[column])
    ax.set_ylabel(name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…", parse_math=False)


def _widened(values: np.ndarray) -> np.ndarray:
    """Values at the rows of a segment, and half a row before and after them."""
    step = np.diff(values) if len(values) > 1 else np.zeros(1)
    return np.concatenate([[values[0] - step[0] / 2], values, [values[-1] + step[-1] / 2]])


def _together(found: "Segmentation", fits: "Sequence[Fitted]", ax: Any) -> None:
    """All columns, each in its deviations from its mean; those never seen have neither."""
    y = found.data.values
    seen = ~np.isnan(y).all(axis=0)
    centre, scale = np.zeros(y.shape[1]), np.ones(y.shape[1])
    centre[seen], scale[seen] = np.nanmean(y[:, seen], axis=0), np.nanstd(y[:, seen], axis=0)
    scale[scale == 0] = 1.0
    dots = ax.plot(np.arange(len(y)), (y - centre) / scale, ".", markersize=_size(len(y)), alpha=0.5, zorder=2)
    for node, fit in zip(found.tree.leaves, fits, strict=True):
        lines = ax.plot(np.arange(node.start, node.end), (fit.mean - centre) / scale, linewidth=1.5, zorder=3)
        for line, dot in zip(lines, dots, strict=True):
            line.set_color(dot.get_color())
    ax.set_ylabel(f"{y.shape[1]} columns,\nstandardised")


def _size(rows: int) -> float:
    return float(np.clip(60.0 / np.sqrt(rows), 1.5, 6.0))


def _probability(found: "Segmentation", ax: Any) -> None:
    probability = found.boundary_probability[1:-1]
    at = np.flatnonzero(probability > 0)
    if len(at):
        ax.vlines(at + 0.5, 0.0, probability[at], color="0.2", linewidth=1.5, zorder=2, label="at exactly this place")
    else:
        place = {"transform": ax.transAxes, "ha": "center", "va": "center", "fontsize": "small", "color": "0.4"}
        ax.text(0.5, 0.5, "no change in any draw", **place)
    if found.changes:
        position, told, low, high, within = np.array(found.changes).T
        least, most = int(within.min()), int(within.max())
        far = f"{most} observation{'' if most == 1 else 's'}" if least == most else f"{least} to {most} observations"
        near = f"within {far}, with an 80 % interval"
        spread = np.maximum([position - low, high - position], 0.0)
        style = {"fmt": "o", "color": CHANGE, "markersize": 5, "capsize": 2, "linewidth": 1.2, "zorder": 3}
        ax.errorbar(position - 0.5, told, xerr=spread, label=near, **style)
    if len(at):
        ax.legend(fontsize="x-small", loc="lower right", bbox_to_anchor=(1.0, 0.98), ncols=2, frameon=False)
    ax.set_ylim(0.0, 1.09)
    ax.set_yticks([0.0, 0.5, 1.0])
    ax.set_ylabel("probability\nof a change")


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
    ax.set_ylabel("tree, with\nprobabilities")


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
