"""The chart of a recursive Bayesian network: a cell for every span, and a tree among them, as in the paper's figures."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from recbayes.checks.arguments import instance, listed, text, whole_span
from recbayes.checks.arrays import short, whole_number
from recbayes.errors import DataError
from recbayes.plot.canvas import axes_of, drawable
from recbayes.plot.colours import BLUE, FAINT, ORANGE, VERMILION
from recbayes.plot.tree import tree_of
from recbayes.tree.tree import Tree

if TYPE_CHECKING:
    from recbayes.segmentation.result import Segmentation

WRITTEN = 14  # observations up to which cells have names
LONGEST = 12  # characters of a word
MOST = 1000  # observations: half a million cells
BELOW = -0.75  # the height of the observations
RADIUS = 0.27  # of a node's circle, where a cell is one wide
SIZE, WIDER = 0.62, 0.95  # inches of a cell, and of one with texts of several lines
HALF = 0.4  # half the width of an observation with a word that no circle has room for
READABLE = 9.0  # size of type of such words, where cells may be as wide as that takes
TYPE = 0.2  # size of type, as a share of a cell
LEAST, LARGEST = 5.0, 11.0  # sizes of type
WIDTH = 0.58  # of a character, in sizes of type


def chart(
    drawn: "Tree | Segmentation | int",
    *,
    marked: Sequence[int] | None = None,
    texts: Mapping[tuple[int, int], str] | None = None,
    observed: Sequence[Any] | None = None,
    ax: Any = None,
) -> Any:
    """The triangular chart of cells, one for each span, with the observations below, and a tree highlighted among them.

    Cells of the tree and the links between them are blue, all others grey. Up to 14 observations cells are named; of more,
    the tree alone is told from the rest.

    Arguments:
        drawn: the tree, what `rb.segment` returns, or a number of observations, for a chart without a tree.
        marked: a span (start, end): the cells that may be below it are framed in orange, its observations in red; None
            marks none.
        texts: what is written into cells instead of their names, by (start, end): numbers of the worked example, say;
            None: nothing.
        observed: what is written into observations instead of their names: one value or word for each; None: nothing.
        ax: the axes of matplotlib to draw into; None makes a new figure.

    Returns:
        The axes. A cell's x is the middle of its span in observations, its y half the width of it.
    """
    found = None if isinstance(drawn, int | np.integer) else tree_of(drawn)
    if found is None:
        length = whole_number(drawn, "drawn, as a number of observations,", least=1, most=MOST, error=DataError)
    else:
        length = found.spans[0][1]
        if found.spans[0][0] != 0 or length > MOST:
            raise DataError(f"a chart needs a tree from 0 to at most {MOST}, got {found.spans[0][0]}:{length}")
    texts, words = _checked_texts(texts, length), _checked_words(observed, length)
    frame = None if marked is None else _checked_span(marked, length)
    size = max(WIDER if any("\n" in one for one in texts.values()) else SIZE, _wide_enough(words or []))
    side = float(np.clip(size * (length + 1.0), 3.0, 8.0))
    bottom = BELOW - 0.6 if length <= WRITTEN else 0.0
    ax = axes_of(ax, (side, side * (0.5 * length + 0.6 - bottom) / (length + 1.0)))
    _cells(ax, length, frame)
    if length <= WRITTEN:
        _named(ax, length, found, texts, words)
    elif found is not None:
        _thin(ax, found)
    ax.set_xlim(-1.0, length)
    ax.set_ylim(bottom, 0.5 * length + 0.6)
    ax.set_aspect("equal")
    ax.set_axis_off()
    return ax


def _place(start: int, end: int) -> tuple[float, float]:
    return 0.5 * (start + end - 1), 0.5 * (end - start)


def _cells(ax: Any, length: int, frame: tuple[int, int] | None) -> None:
    """A diamond for every span; those in the frame in another colour."""
    from matplotlib.collections import PolyCollection

    starts, ends = np.triu_indices(length + 1, 1)
    corners = np.array([(0.5, 0.0), (0.0, 0.5), (-0.5, 0.0), (0.0, -0.5)])
    middles = np.column_stack([0.5 * (starts + ends - 1), 0.5 * (ends - starts)])
    diamonds = middles[:, None] + corners
    width = 0.8 if length <= 3 * WRITTEN else 0.2
    style: dict[str, Any] = {"facecolors": "none", "rasterized": length > 3 * WRITTEN}
    ax.add_collection(PolyCollection(diamonds, edgecolors=FAINT, linewidths=width, zorder=0, **style))
    if frame is not None:
        inside = (starts >= frame[0]) & (ends <= frame[1])
        own: dict[str, Any] = {"edgecolors": ORANGE, "linewidths": max(2 * width, 0.5), "zorder": 1, "label": "below"}
        ax.add_collection(PolyCollection(diamonds[inside], **{**style, **own}))
        if length <= WRITTEN:
            half = 0.42
            boxes = [[(i - half, BELOW - half), (i + half, BELOW - half), (i + half, BELOW + half), (i - half, BELOW + half)]
                     for i in range(*frame)]  # fmt: skip
            own = {"edgecolors": VERMILION, "linewidths": 1.6, "linestyles": "--", "zorder": 1, "label": "observed"}
            ax.add_collection(PolyCollection(boxes, **{**style, **own}))


def _named(ax: Any, length: int, found: Tree | None, texts: Mapping[tuple[int, int], str], words: list[str] | None) -> None:
    """Circles with names; those of the tree and their links are highlighted."""
    from matplotlib.patches import Circle, FancyBboxPatch

    look: dict[str, Any]
    mine = set() if found is None else set(found.spans)
    unit = ax.bbox.width / ax.figure.dpi * 72.0 / (length + 1.0)  # points of a cell
    size = float(np.clip(TYPE * unit, LEAST, LARGEST))
    round_ones = _fitting(words or [], RADIUS, unit, LARGEST) >= size
    small = size if round_ones else _fitting(words or [], HALF, unit, LARGEST)
    smaller = _fitting([line for one in texts.values() for line in one.split("\n")], 0.75 * RADIUS, unit, size)
    for start in range(length):
        for end in range(start + 1, length + 1):
            hot = (start, end) in mine
            place, name = _place(start, end), f"$x_{{{start}:{end}}}$"
            look = {"facecolor": "white", "edgecolor": BLUE if hot else FAINT, "linewidth": 1.8 if hot else 0.8}
            own = texts.get((start, end))
            order = 3.0 if hot else 1.0 if own is None else 2.5  # links lie at 2: not over texts of one's own
            ax.add_patch(Circle(place, RADIUS, zorder=order, **look, gid=f"x {start}:{end}"))
            shade = "black" if hot else ("0.55" if own is None else "0.35") if mine else "0.25"
            style = {"ha": "center", "va": "center", "zorder": order + 0.25, "color": shade}
            if own is None:
                ax.text(*place, name, fontsize=size, **style)
            else:
                ax.text(*place, own, fontsize=smaller, parse_math=False, linespacing=1.1, **style)
    for i in range(length):
        place = (float(i), BELOW)
        seen = found is not None
        look = {"facecolor": "0.9", "edgecolor": BLUE if seen else FAINT, "linewidth": 1.8 if seen else 0.8}
        if round_ones:
            ax.add_patch(Circle(place, RADIUS, zorder=3, **look, gid=f"y {i}"))
        else:
            corner, rounded = (i - HALF, BELOW - RADIUS), f"round,pad=0,rounding_size={RADIUS}"
            ax.add_patch(FancyBboxPatch(corner, 2 * HALF, 2 * RADIUS, boxstyle=rounded, zorder=3, **look, gid=f"y {i}"))
        style = {"ha": "center", "va": "center", "zorder": 4, "fontsize": size, "color": "black" if seen else "0.25"}
        if words is None:
            ax.text(*place, f"$y_{{{i + 1}}}$", **style)
        else:
            ax.text(*place, words[i], parse_math=False, **{**style, "fontsize": small})
    if found is not None:
        _links(ax, found)


def _wide_enough(words: list[str]) -> float:
    """Inches of a cell in which the longest word can be read."""
    return READABLE * WIDTH * max([1, *map(len, words)]) / (2.0 * HALF * 72.0)


def _fitting(lines: list[str], half: float, unit: float, size: float) -> float:
    """The size of type at which the longest line is twice `half` a cell wide."""
    longest = max([1, *map(len, lines)])
    return float(np.clip(2.0 * half * unit / (WIDTH * longest), LEAST, size))


def _links(ax: Any, found: Tree) -> None:
    """Arrows from parents to children, and from leaves to observations."""
    pairs = [
        (_place(*found.spans[parent]), _place(*found.spans[n])) for n, parent in enumerate(found.parents) if parent >= 0
    ]
    pairs += [(_place(*leaf.span), (float(i), BELOW)) for leaf in found.leaves for i in range(*leaf.span)]
    for above, below in pairs:
        if above == below:
            continue  # a child with its parent's span
        step = np.subtract(below, above)
        step = RADIUS * step / np.hypot(*step)
        arrow = {"arrowstyle": "-|>", "color": BLUE, "linewidth": 1.4, "shrinkA": 0, "shrinkB": 0, "mutation_scale": 9}
        ends = {"xy": tuple(np.subtract(below, step)), "xytext": tuple(np.add(above, step))}
        ax.annotate("", **ends, arrowprops=arrow, zorder=2)


def _thin(ax: Any, found: Tree) -> None:
    """The tree as lines and dots."""
    from matplotlib.collections import LineCollection

    places = np.array([_place(*span) for span in found.spans])
    edges = [[places[parent], places[n]] for n, parent in enumerate(found.parents) if parent >= 0]
    ax.add_collection(LineCollection(edges, color=BLUE, linewidth=1.0, zorder=2))
    ax.scatter(*places.T, s=float(np.clip(900.0 / found.length, 3.0, 20.0)), color=BLUE, zorder=3)


def _checked_span(marked: Any, length: int) -> tuple[int, int]:
    pair = listed(marked, "marked", "a start and an end")
    if len(pair) != 2:
        raise DataError(f"marked must be a span (start, end), got {short(marked)}")
    start, end = whole_span(*pair)
    if not 0 <= start < end <= length:
        raise DataError(f"marked must be a span of the chart, from 0 to {length}, got {start}:{end}")
    return start, end


def _checked_texts(texts: Any, length: int) -> dict[tuple[int, int], str]:
    found = {}
    for key, value in instance({} if texts is None else texts, Mapping, "texts", "; give texts by (start, end)").items():
        span = _checked_span(key, length)
        found[span] = drawable(text(value, f"texts: that of {span[0]}:{span[1]}"))
    return found


def _checked_words(observed: Any, length: int) -> list[str] | None:
    if observed is None:
        return None
    words = [drawable(f"{one:g}" if isinstance(one, float | np.floating) else str(one)) for one in
             listed(observed, "observed", "values or words")]  # fmt: skip
    words = [word if len(word) <= LONGEST else f"{word[: LONGEST - 1]}…" for word in words]
    if len(words) != length:
        raise DataError(f"observed must have one value for each of {length} observations, got {len(words)}")
    return words
