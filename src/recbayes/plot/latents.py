"""The values of nodes as colours of a triangle, as in the paper's pictures of music."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from recbayes.checks.arguments import flag, text
from recbayes.checks.arrays import short
from recbayes.errors import DataError
from recbayes.plot.canvas import axes_of
from recbayes.plot.scape import draw_diamonds, draw_over, frame_scape, groups, trees_of
from recbayes.plot.terms import named_rows
from recbayes.plot.values import LARGEST, painted
from recbayes.spans.table import SpanTable
from recbayes.tree.tree import Tree

if TYPE_CHECKING:
    from recbayes.segmentation.result import Segmentation


def latents(
    believed: Any,
    trees: "Tree | Segmentation | Sequence[Tree]" = (),
    *,
    column: int | str | Callable[[np.ndarray], Any] | None = None,
    variable: str | None = None,
    fade: bool = True,
    index: Any = None,
    ax: Any = None,
) -> Any:
    """Every span is a diamond, as in a scape, with a colour for the value that a node there would have.

    The value is its posterior mean, given that there is a node. Spans that were never a node are white. Of more than 150
    positions, neighbours share a diamond, whose colour is that of the most probable of their spans.

    Arguments:
        believed: what knows the values of spans: what `rb.sample_posterior` returns for a Gaussian or a general model, or
            what `rb.outside` does.
        trees: a tree, or several, that are drawn over it.
        column: what of a value is the colour: the entry at this position, "largest" for the entry that is the largest, each
            in a colour of its own, or a function from means (spans, entries) to as many colours of matplotlib. None is the
            only entry, or the largest of several.
        variable: the template variable whose values they are; None is the model's root.
        fade: whether colours are the paler, the less probable a node is.
        index: labels of the observations: dates, numbers or words, one for each; None counts.
        ax: the axes of matplotlib to draw into; None makes a new figure.

    Returns:
        The axes.
    """
    nodes, value_of = _source(believed, None if variable is None else text(variable, "variable"))
    length = nodes.length
    over, rows = trees_of(trees, length), named_rows(index, length)
    middles, first = groups(nodes.points, length)
    ends = np.searchsorted(nodes.points[first], [nodes.starts, nodes.ends], side="right") - 1
    shown = _means(nodes, ends, {span for tree in over for span in tree.spans}, value_of)
    if column is None:
        column = 0 if shown and len(shown[0].mean) == 1 else LARGEST
    painter = painted([one.mean for one in shown], column)
    colours, fade = np.zeros((len(middles), len(middles), 4)), flag(fade, "fade")
    for one, own in zip(shown, painter.colours, strict=True):
        if one.place is not None:
            share = np.sqrt(one.probability) if fade else 1.0  # the root: half as probable is not yet pale
            colours[one.place] = [*(share * own[:3] + 1.0 - share), own[3]]
    ax = axes_of(ax)
    draw_diamonds(ax, middles, colours)
    draw_over(ax, over, {one.span: own for one, own in zip(shown, painter.colours, strict=True)})
    frame_scape(ax, rows, length)
    painter.explain(ax)
    return ax


class _Shown(NamedTuple):
    """A span with its value, and the diamond that it has; None if a more probable span has it."""

    span: tuple[int, int]
    place: tuple[int, int] | None
    probability: float
    mean: np.ndarray


def _means(
    nodes: SpanTable, ends: np.ndarray, wanted: set[tuple[int, int]], value_of: Callable[[int, int], Any]
) -> list[_Shown]:
    """The most probable span of every diamond, and those that are wanted, as far as they have values."""
    taken, found = set(), []
    for n in np.argsort(-nodes.probability, kind="stable").tolist():
        span, place = (int(nodes.starts[n]), int(nodes.ends[n])), (int(ends[0, n]), int(ends[1, n]))
        if place in taken and span not in wanted:
            continue
        mean = value_of(*span)
        if mean is not None:
            own = None if place in taken else place
            found.append(_Shown(span, own, min(float(nodes.probability[n]), 1.0), mean))
            taken.add(place)
    return found


def _source(believed: Any, variable: str | None) -> tuple[SpanTable, Callable[[int, int], Any]]:
    """Spans, and what gives the mean of one; None where it has none."""
    nodes = getattr(believed, "nodes", None)
    read = getattr(believed, "latent", None) or getattr(believed, "node", None)
    if not isinstance(nodes, SpanTable) or read is None:
        raise DataError(
            "colours of values need a posterior whose nodes have values, as rb.sample_posterior makes of Gaussian and "
            f"general models, or the result of rb.outside, got {short(believed)}; of a segmentation, draw "
            "rb.plot.tree(found, column=0)"
        )

    def value_of(start: int, end: int) -> Any:
        try:
            return read(start, end, variable).mean
        except DataError:  # a node of another variable
            return None

    if variable is not None and variable not in _variables(believed):
        raise DataError(f"there is no variable {short(variable)}; there are {sorted(set(_variables(believed)))}")
    return nodes, value_of


def _variables(believed: Any) -> Iterator[str]:
    """Names of the variables that nodes may be of."""
    if hasattr(believed, "trees"):
        return iter(believed.trees.labels)
    return iter([one.name for one in believed.chart.model.variables])
