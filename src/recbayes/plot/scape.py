"""The probabilities of all spans as a triangle, as in the paper's figures."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from recbayes.checks.arguments import flag, listed
from recbayes.checks.series import numbers
from recbayes.errors import DataError
from recbayes.plot.canvas import axes_of
from recbayes.plot.colours import PROBABILITIES
from recbayes.plot.terms import label_observations, named_rows
from recbayes.plot.tree import FEW, draw_edges, node_places, tree_of
from recbayes.spans.table import SpanTable
from recbayes.tree.tree import Tree

if TYPE_CHECKING:
    from recbayes.segmentation.result import Segmentation

UNKNOWN = np.ones(4)  # the colour of a span without one
MOST = 150  # points whose spans have diamonds of their own


def scape(
    believed: Any,
    trees: "Tree | Segmentation | Sequence[Tree]" = (),
    *,
    colour_bar: bool = True,
    index: Any = None,
    ax: Any = None,
) -> Any:
    """Every span is a diamond over its middle, at the height of its width, and the darker the more probable it is a node.

    Where nodes begin and end at some positions alone, these stand for all that are nearest to them. Of more than 150
    positions, neighbours share a diamond, which is as dark as the most probable of their spans.

    Arguments:
        believed: what is known of the spans: a posterior, what `rb.segment` or `rb.outside` returns, or an array
            (N + 1, N + 1) of probabilities by start and end.
        trees: a tree, or several, that are drawn over it.
        colour_bar: whether to draw the scale of colours beside it.
        index: labels of the observations: dates, numbers or words, one for each. None takes those of a segmentation, or
            counts.
        ax: the axes of matplotlib to draw into; None makes a new figure.

    Returns:
        The axes.
    """
    from recbayes.segmentation.result import Segmentation

    segmented = isinstance(believed, Segmentation)
    points, probability = between_points(believed.posterior if segmented else believed)
    length = int(points[-1])
    rows = believed.data if segmented and index is None else named_rows(index, length)
    over = trees_of(trees, length)
    ax = axes_of(ax)
    middles, first = groups(points, length)
    darkest = np.maximum.reduceat(np.maximum.reduceat(probability, first, axis=0), first, axis=1)
    mesh = draw_diamonds(ax, middles, darkest, cmap=PROBABILITIES, vmin=0.0, vmax=1.0)
    draw_over(ax, over)
    frame_scape(ax, rows, length)
    if flag(colour_bar, "colour_bar"):
        ax.figure.colorbar(mesh, ax=ax, label="probability of a node", fraction=0.04)
    return ax


def groups(points: np.ndarray, length: int) -> tuple[np.ndarray, np.ndarray]:
    """Middles of groups of neighbouring points, as many as a picture can show, and the first point of each."""
    bins = points.astype(np.int64) * (MOST - 1) // length if len(points) > MOST else np.arange(len(points))
    first = np.flatnonzero(np.diff(bins, prepend=-1))
    middles = 0.5 * (points[first] + points[np.append(first[1:], len(points)) - 1])
    middles[[0, -1]] = points[[0, -1]]
    return middles, first


def draw_over(ax: Any, trees: list[Tree], colours: "Mapping[tuple[int, int], np.ndarray] | None" = None) -> None:
    """Trees as lines with small dots, which leave the diamonds in sight, or with dots in the colours of their spans."""
    for one in trees:
        places = node_places(one, by_width=True)
        draw_edges(ax, one, places)
        size = 6.0 if len(one) <= FEW else 2.0
        if colours is None:
            ax.scatter(*places.T, s=size, color="0.15", linewidths=0, zorder=3)
        else:
            own = [colours.get(span, UNKNOWN) for span in one.spans]
            ax.scatter(*places.T, s=4.0 * size, c=own, edgecolors="0.15", linewidths=0.6, zorder=3)


def draw_diamonds(ax: Any, points: np.ndarray, values: np.ndarray, **style: Any) -> Any:
    """A mesh of diamonds: `values` (points, points) are numbers, or (points, points, 4) are colours, by start and end."""
    starts, ends = np.indices(values.shape[:2])
    edges = np.concatenate([[points[0] - 0.5], 0.5 * (points[:-1] + points[1:]), [points[-1] + 0.5]])
    first, last = np.meshgrid(edges, edges, indexing="ij")  # corners of the diamonds
    shown = values.copy()
    shown[ends <= starts] = np.nan if values.ndim == 2 else 0.0  # of colours, the last is how opaque they are
    mesh = ax.pcolormesh((first + last) / 2 - 0.5, last - first, shown, linewidth=0, **style)
    mesh.set_rasterized(True)
    return mesh


def frame_scape(ax: Any, rows: Any, length: int) -> None:
    """Limits and labels."""
    label_observations(ax, rows, length)
    ax.set_ylim(0.0, length + 1.5)
    ax.set_ylabel("width of the span")


def trees_of(trees: Any, length: int) -> list[Tree]:
    """The trees that are drawn over a scape of so many observations."""
    from recbayes.segmentation.result import Segmentation

    single = isinstance(trees, Tree | Segmentation)
    found = [tree_of(one, "trees: each of them") for one in ([trees] if single else listed(trees, "trees", "Trees"))]
    for one in found:
        if one.spans[0] != (0, length):
            raise DataError(f"a tree covers {one.spans[0][0]}:{one.spans[0][1]}, the scape has {length} observations")
    return found


def between_points(believed: Any) -> tuple[np.ndarray, np.ndarray]:
    """Points, and the probabilities of the spans between them, by start and end."""
    nodes = getattr(believed, "nodes", None)
    if isinstance(nodes, SpanTable):
        return nodes.points, nodes.between_points()
    probability = numbers(getattr(believed, "node_probability", believed), "a scape needs a posterior or probabilities")
    if probability.ndim != 2 or probability.shape[0] != probability.shape[1] or len(probability) < 2:
        raise DataError(f"a scape needs probabilities of shape (N + 1, N + 1), got {probability.shape}")
    return np.arange(len(probability)), probability
