"""A tree over the positions of a series."""

from typing import Any

import numpy as np

from recbayes.checks.arguments import flag, instance
from recbayes.plot.canvas import axes_of, drawable
from recbayes.tree.tree import Tree


def tree(drawn: Tree, *, by_width: bool = False, labels: bool = False, ax: Any = None, **style: Any) -> Any:
    """Nodes stand over the middle of their spans, at the height of their level, or of their width, as in a scape.

    Dots are as dark as their nodes are probable, where that is known. `labels` writes the nodes' labels; `style` is for the
    lines.
    """
    ax = axes_of(ax)
    places = node_places(instance(drawn, Tree, "drawn"), flag(by_width, "by_width"))
    edges = [[places[parent], places[child]] for child, parent in enumerate(drawn.parents) if parent >= 0]
    from matplotlib.collections import LineCollection

    ax.add_collection(LineCollection(edges, **{"color": "0.3", "linewidth": 1.0, **style}))
    known = [1.0 if node.probability is None else node.probability for node in drawn]
    ax.scatter(*places.T, c=known, cmap="Greys", vmin=0.0, vmax=1.0, s=14, edgecolors="0.2", linewidths=0.5, zorder=3)
    if flag(labels, "labels"):
        for node, (x, height) in zip(drawn, places, strict=True):
            style = {"xytext": (0, 4), "textcoords": "offset points", "ha": "center", "fontsize": 7, "parse_math": False}
            ax.annotate(drawable(node.label), (x, height), **style)
    ax.set_xlim(drawn.nodes[0].start - 0.5, drawn.nodes[0].end - 0.5)
    if not by_width:
        ax.set_yticks([])
    ax.margins(y=0.08)
    return ax


def node_places(drawn: Tree, by_width: bool) -> np.ndarray:
    """(nodes, 2): the middle of each node's span, in observations, and its height."""
    spans = np.array(drawn.spans, dtype=np.float64)
    middle = spans.mean(axis=1) - 0.5
    height = spans[:, 1] - spans[:, 0] if by_width else -np.array(drawn.levels, dtype=np.float64)
    return np.column_stack([middle, height])
