"""A series with its segments."""

from typing import TYPE_CHECKING, Any

import numpy as np

from recbayes.checks.arrays import whole_number
from recbayes.checks.series import is_many
from recbayes.data.frames import read_table
from recbayes.errors import DataError
from recbayes.plot.canvas import axes_of, drawable
from recbayes.plot.colours import colour, mark
from recbayes.plot.segments import LONGEST, shade
from recbayes.plot.terms import label_observations, named_rows
from recbayes.plot.tree import tree_of
from recbayes.tree.tree import Tree

if TYPE_CHECKING:
    from recbayes.segmentation.result import Segmentation

LARGE, SMALL = 4.0, 1.5  # marks of short series and of long ones
DENSE = 300.0  # observations, from which on marks are smaller
NAMED = 14  # columns that a legend names


def series(
    values: Any,
    tree: "Tree | Segmentation | None" = None,
    *,
    level: int | None = None,
    index: Any = None,
    ax: Any = None,
) -> Any:
    """Observations as marks, a colour and a shape for each column, and the segments of a tree.

    Segments are shaded in turn, and the mean of each column in each segment is a line. Missing observations are left out.

    Arguments:
        values: one series: an array, a `Series`, or a data frame; its dates are those of the axis.
        tree: a tree over the series, or what `rb.segment` returns; None draws the observations alone.
        level: the level at which the tree is cut into segments, 0 the root; None takes its leaves.
        index: labels of the observations: dates, numbers or words, one for each; None takes those of the data, if they have.
        ax: the axes of matplotlib to draw into; None makes a new figure.

    Returns:
        The axes.
    """
    if is_many(values):
        raise DataError(f"a picture is of one series, got {len(values)}; draw one at a time")
    table = read_table(values, name="the series")
    y = table.values
    rows = table if index is None else named_rows(index, len(y))
    spans = _spans(tree, level, len(y))
    ax = axes_of(ax, (6.4, 3.4))
    shade(ax, spans)
    size = LARGE if len(y) <= DENSE else max(LARGE * np.sqrt(DENSE / len(y)), SMALL)
    for column in range(y.shape[1]):
        name = {} if table.names is None else {"label": _short(drawable(table.names[column]))}
        ax.plot(np.arange(len(y)), y[:, column], **mark(column), color=colour(column), ls="", ms=size, mew=0.6, **name)
        for start, end in spans:
            known = y[start:end, column][~np.isnan(y[start:end, column])]
            if len(known):
                ax.hlines(known.mean(), start - 0.5, end - 0.5, color=colour(column), linewidth=1.2)
    label_observations(ax, rows, len(y))
    if table.names is not None and y.shape[1] == 1:
        ax.set_ylabel(_short(drawable(table.names[0])), parse_math=False)
    elif table.names is not None and y.shape[1] <= NAMED:
        legend = ax.legend(fontsize="x-small", loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
        for text in legend.get_texts():
            text.set_parse_math(False)
    return ax


def _spans(tree: Any, level: int | None, length: int) -> list[tuple[int, int]]:
    """Those of the segments."""
    if tree is None:
        if level is not None:
            whole_number(level, "level", least=0, error=DataError)
        return []
    found = tree_of(tree, "tree")
    if found.spans[0] != (0, length):
        raise DataError(f"the tree covers {found.spans[0][0]}:{found.spans[0][1]}, the series has {length} observations")
    return [node.span for node in found.leaves] if level is None else list(found.cut(level))


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
