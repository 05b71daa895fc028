"""Several trees over the same positions, one below the other, and which nodes they share."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from recbayes.checks.arguments import instance, listed
from recbayes.checks.arrays import short
from recbayes.errors import DataError
from recbayes.plot.canvas import axes_of, drawable
from recbayes.plot.colours import BLUE, ORANGE, VERMILION
from recbayes.plot.terms import label_observations
from recbayes.plot.tree import node_places, rows_of, tree_of
from recbayes.tree.metrics import node_scores
from recbayes.tree.tree import Tree

if TYPE_CHECKING:
    from recbayes.segmentation.result import Segmentation

HEIGHT = 0.82  # of a tree, where 1 is the distance to the next
LARGE, SMALL, FEW = 26.0, 7.0, 60  # areas of marks, in trees of up to so many nodes, and of many
SHARED = {  # by how many: what a node is called, its colour and its mark
    "in all": (BLUE, "o"),
    "in some": (ORANGE, "s"),
    "in this one alone": (VERMILION, "^"),
}


def trees(
    compared: "Mapping[str, Tree | Segmentation] | Sequence[Tree | Segmentation]",
    *,
    index: Any = None,
    ax: Any = None,
) -> Any:
    """Trees over the same observations, one below the other: marks say which other trees have a node with the same span.

    Names are followed by the F1 score of a tree's nodes, where the first tree is the truth.

    Arguments:
        compared: two or more trees, or results of `rb.segment`: by their names, or a list, whose trees are numbered.
        index: labels of the observations: dates, numbers or words, one for each. None takes those of a segmentation, or
            counts.
        ax: the axes of matplotlib to draw into; None makes a new figure.

    Returns:
        The axes.
    """
    named = compared.items() if isinstance(compared, Mapping) else enumerate(listed(compared, "compared", "Trees"), 1)
    given = {f"tree {name}" if isinstance(name, int) else instance(name, str, "a name"): one for name, one in named}
    found = [tree_of(one, f"compared: {short(name)}") for name, one in given.items()]
    if len(found) < 2:
        raise DataError(f"a comparison needs two trees or more, got {len(found)}; rb.plot.tree draws one")
    whole = found[0].spans[0]
    for name, one in zip(given, found, strict=True):
        if one.spans[0] != whole:
            raise DataError(
                f"{short(name)} covers {one.spans[0][0]}:{one.spans[0][1]}, the first tree {whole[0]}:{whole[1]}"
            )
    rows = next((rows for one in given.values() if (rows := rows_of(one, index)) is not None), None)
    ax = axes_of(ax, (6.4, 1.0 + 1.2 * len(found)))
    counts = Counter(span for one in found for span in set(one.spans))
    for number, one in enumerate(found):
        _draw(ax, one, number, counts, len(found))
    _frame(ax, list(given), found)
    if rows is None:
        ax.set_xlim(whole[0] - 0.5, whole[1] - 0.5)
    else:
        label_observations(ax, rows, len(rows))
    return ax


def _draw(ax: Any, drawn: Tree, number: int, counts: "Counter[tuple[int, int]]", of: int) -> None:
    """A tree whose root is at the height of minus its number."""
    from matplotlib.collections import LineCollection

    places = node_places(drawn, by_width=False)
    places[:, 1] = HEIGHT * places[:, 1] / max(drawn.depth - 1, 1) - number
    edges = [[places[parent], places[child]] for child, parent in enumerate(drawn.parents) if parent >= 0]
    ax.add_collection(LineCollection(edges, color="0.55", linewidth=0.8 if len(drawn) <= 4 * FEW else 0.5))
    size = LARGE if len(drawn) <= FEW else max(LARGE * FEW / len(drawn), SMALL)
    shares = np.array([_how_many(counts[span], of) for span in drawn.spans])
    for name, (colour, mark) in SHARED.items():
        here = shares == name
        ax.scatter(*places[here].T, s=size, color=colour, marker=mark, edgecolors="0.2", linewidths=0.4, zorder=3)


def _how_many(count: int, of: int) -> str:
    return "in all" if count == of else "in some" if count > 1 else "in this one alone"


def _frame(ax: Any, names: list[str], found: list[Tree]) -> None:
    """Names on the left, and what marks mean, above."""
    from matplotlib.lines import Line2D

    scores = ["", *(f"\nF1 {node_scores(found[0], one).f1:.2f}" for one in found[1:])]
    ax.set_yticks(-np.arange(len(found)) - 0.5 * HEIGHT)
    ax.set_yticklabels([drawable(name) + score for name, score in zip(names, scores, strict=True)], parse_math=False)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(-len(found) + 0.05, 0.12)
    marks = [(name, *look) for name, look in SHARED.items() if name != "in some" or len(found) > 2]
    look: dict[str, Any] = {"linestyle": "", "markeredgecolor": "0.2", "markeredgewidth": 0.4, "markersize": 5}
    handles = [Line2D([], [], color=colour, marker=mark, label=f"node {name}", **look) for name, colour, mark in marks]
    ax.legend(
        handles=handles, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=len(marks), fontsize="small", frameon=False
    )
