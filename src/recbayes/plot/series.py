"""A series with its segments."""

from typing import Any

import numpy as np

from recbayes.checks.arguments import instance
from recbayes.checks.series import all_series
from recbayes.errors import DataError
from recbayes.plot.canvas import axes_of
from recbayes.tree.tree import Tree


def series(values: Any, tree: Tree | None = None, *, level: int | None = None, ax: Any = None) -> Any:
    """Observations as dots, one colour a column; given a tree, its segments (its leaves, or its cut at a level).

    Segments are shaded in turn, and the mean of each column in each segment is a line.
    """
    ax = axes_of(ax)
    given = all_series(values)
    if len(given) > 1:
        raise DataError(f"a picture is of one series, got {len(given)}; draw one at a time")
    y = given[0].values
    if tree is not None and (instance(tree, Tree, "tree").nodes[0].start, tree.nodes[0].end) != (0, len(y)):
        raise DataError(f"the tree covers {tree.nodes[0].start}:{tree.nodes[0].end}, the series has {len(y)} observations")
    spans = [] if tree is None else [node.span for node in tree.leaves] if level is None else list(tree.cut(level))
    for number, (start, end) in enumerate(spans):
        if number % 2:
            ax.axvspan(start - 0.5, end - 0.5, color="0.93", linewidth=0, zorder=0)
    for column in range(y.shape[1]):
        (dots,) = ax.plot(np.arange(len(y)), y[:, column], ".", markersize=4)
        for start, end in spans:
            known = y[start:end, column][~np.isnan(y[start:end, column])]
            if len(known):
                ax.hlines(known.mean(), start - 0.5, end - 0.5, color=dots.get_color(), linewidth=1)
    ax.set_xlim(-0.5, len(y) - 0.5)
    ax.set_xlabel("observation")
    return ax
