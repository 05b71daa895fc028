"""A tree over the positions of a series."""

from typing import TYPE_CHECKING, Any

import numpy as np

from recbayes.checks.arguments import flag, instance
from recbayes.plot.canvas import axes_of, drawable
from recbayes.plot.colours import PROBABILITIES
from recbayes.plot.terms import label_observations, named_rows
from recbayes.plot.values import Painter, painted
from recbayes.tree.tree import Tree

if TYPE_CHECKING:
    from recbayes.segmentation.result import Segmentation

LARGE, SMALL = 22.0, 4.0  # areas of dots in trees of few nodes and of many
FEW = 60  # nodes


def tree(
    drawn: "Tree | Segmentation",
    *,
    by_width: bool = False,
    labels: bool = False,
    column: int | str | None = None,
    index: Any = None,
    ax: Any = None,
    **style: Any,
) -> Any:
    """Nodes stand over the middle of their spans, at the height of their level, or of their width, as in a scape.

    Dots are as dark as their nodes are probable, where that is known, or have the colours of their values.

    Arguments:
        drawn: the tree, or what `rb.segment` returns.
        by_width: whether nodes are as high as they are wide, instead of standing on the level of their depth.
        labels: whether to write the nodes' labels.
        column: the entry of the nodes' values that colours them, by position; "largest" is the entry that is the largest,
            each in a colour of its own. Nodes without a value are white. None colours them by their probability.
        index: labels of the observations: dates, numbers or words, one for each. None takes those of a segmentation, or
            counts.
        ax: the axes of matplotlib to draw into; None makes a new figure.
        **style: how lines look, in the words of `matplotlib.collections.LineCollection`.

    Returns:
        The axes.
    """
    found, rows = tree_of(drawn), rows_of(drawn, index)
    by_width = flag(by_width, "by_width")
    painter = None if column is None else painted([node.value for node in found], column)
    ax = axes_of(ax, (6.4, 3.4))
    places = node_places(found, by_width)
    draw_edges(ax, found, places, **style)
    _dots(ax, found, places, painter)
    if flag(labels, "labels"):
        for node, arity, (x, height) in zip(found, found.arities, places, strict=True):
            above = {"xytext": (0, 4 if arity else -5), "va": "bottom" if arity else "top", "textcoords": "offset points"}
            box = {"boxstyle": "round,pad=0.1", "facecolor": "white", "alpha": 0.75, "linewidth": 0}
            ax.annotate(drawable(node.label), (x, height), ha="center", fontsize=7, parse_math=False, bbox=box, **above)
    if rows is None:
        ax.set_xlim(found.nodes[0].start - 0.5, found.nodes[0].end - 0.5)
    else:
        label_observations(ax, rows, len(rows))
    if not by_width:
        ax.set_yticks([])
    ax.margins(y=0.08)
    return ax


def draw_edges(ax: Any, drawn: Tree, places: np.ndarray, **style: Any) -> None:
    """Lines from parents to children."""
    from matplotlib.collections import LineCollection

    edges = [[places[parent], places[child]] for child, parent in enumerate(drawn.parents) if parent >= 0]
    own = {"color": "0.3", "linewidth": 1.0 if len(drawn) <= 4 * FEW else 0.6}
    ax.add_collection(LineCollection(edges, **{**own, **style}))


def _dots(ax: Any, drawn: Tree, places: np.ndarray, painter: Painter | None) -> None:
    size = LARGE if len(drawn) <= FEW else max(LARGE * FEW / len(drawn), SMALL)
    edge = {"edgecolors": "0.2", "linewidths": 0.6 if len(drawn) <= 4 * FEW else 0.3, "zorder": 3}
    if painter is None:
        known = [1.0 if node.probability is None else node.probability for node in drawn]
        ax.scatter(*places.T, c=known, cmap=PROBABILITIES, vmin=0.0, vmax=1.0, s=size, **edge)
        return
    ax.scatter(*places.T, c=painter.colours, s=2.0 * size, **edge)
    painter.explain(ax)


def tree_of(drawn: Any, name: str = "drawn") -> Tree:
    """The tree, or that of a segmentation."""
    from recbayes.segmentation.result import Segmentation

    if isinstance(drawn, Segmentation):
        return drawn.tree
    return instance(drawn, Tree, name, "; rb.segment and posterior.tree() make trees")


def rows_of(drawn: Any, index: Any) -> Any:
    """What observations are called: as `index` says, or a segmentation itself."""
    from recbayes.segmentation.result import Segmentation

    if isinstance(drawn, Segmentation) and index is None:
        return drawn.data
    return None if index is None else named_rows(index, tree_of(drawn).nodes[0].end)


def node_places(drawn: Tree, by_width: bool) -> np.ndarray:
    """(nodes, 2): the middle of each node's span, in observations, and its height."""
    spans = np.array(drawn.spans, dtype=np.float64)
    middle = spans.mean(axis=1) - 0.5
    height = spans[:, 1] - spans[:, 0] if by_width else -np.array(drawn.levels, dtype=np.float64)
    return np.column_stack([middle, height])
