"""The probabilities of all spans as a triangle, as in the paper's figures."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from recbayes.checks.arguments import flag, listed
from recbayes.checks.series import numbers
from recbayes.errors import DataError
from recbayes.plot.canvas import axes_of
from recbayes.plot.tree import tree as draw_tree
from recbayes.spans.table import SpanTable
from recbayes.tree.tree import Tree


def scape(believed: Any, trees: Tree | Sequence[Tree] = (), *, colour_bar: bool = True, ax: Any = None) -> Any:
    """Every span is a diamond over its middle, at the height of its width, and the darker the more probable it is a node.

    `believed` is a posterior, or an array (N + 1, N + 1) of probabilities by start and end. Trees are drawn over it. Where
    nodes begin and end at some positions alone, these stand for all that are nearest to them.
    """
    ax = axes_of(ax)
    points, probability = _between_points(believed)
    starts, ends = np.indices(probability.shape)
    edges = np.concatenate([[points[0] - 0.5], 0.5 * (points[:-1] + points[1:]), [points[-1] + 0.5]])
    first, last = np.meshgrid(edges, edges, indexing="ij")  # corners of the diamonds
    shown = np.where(ends > starts, probability, np.nan)
    mesh = ax.pcolormesh((first + last) / 2 - 0.5, last - first, shown, cmap="Blues", vmin=0.0, vmax=1.0, linewidth=0)
    mesh.set_rasterized(True)
    for one in [trees] if isinstance(trees, Tree) else listed(trees, "trees", "Trees"):
        draw_tree(one, by_width=True, ax=ax)
    ax.set_xlim(-0.5, points[-1] - 0.5)
    ax.set_ylim(0.0, points[-1] + 1.5)
    ax.set_xlabel("observation")
    ax.set_ylabel("width of the span")
    if flag(colour_bar, "colour_bar"):
        ax.figure.colorbar(mesh, ax=ax, label="probability of a node", fraction=0.04)
    return ax


def _between_points(believed: Any) -> tuple[np.ndarray, np.ndarray]:
    """Points, and the probabilities of the spans between them, by start and end."""
    nodes = getattr(believed, "nodes", None)
    if isinstance(nodes, SpanTable):
        return nodes.points, nodes.between_points()
    probability = numbers(getattr(believed, "node_probability", believed), "a scape needs a posterior or probabilities")
    if probability.ndim != 2 or probability.shape[0] != probability.shape[1] or len(probability) < 2:
        raise DataError(f"a scape needs probabilities of shape (N + 1, N + 1), got {probability.shape}")
    return np.arange(len(probability)), probability
