"""Triangles over a piece: every span is a diamond over its middle, as high as the span is long. Times are in quarters."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from recbayes.music.keys import key_colour
from recbayes.studies.music.profiles import Template
from recbayes.studies.music.roman import Key
from recbayes.tree.tree import Tree

WIDE = 12.0  # inches of a figure that has room for twelve names in a row


def key_scape(ax: Any, keys: np.ndarray, templates: Sequence[Template], edges: np.ndarray) -> Any:
    """Spans in the colours of keys; `keys` (N + 1, N + 1) are numbers of templates, -1 where there is none."""
    from matplotlib.colors import to_rgba

    colours = np.array([to_rgba(key_colour(*one.key)) for one in templates] + [(1.0, 1.0, 1.0, 0.0)])
    starts, ends = np.indices(keys.shape)
    _mesh(ax, edges, colours[np.where(ends > starts, keys, -1)])
    return _finish(ax, edges)


def probability_scape(ax: Any, probability: np.ndarray, edges: np.ndarray) -> Any:
    """Spans, the darker the more probable they are nodes."""
    starts, ends = np.indices(probability.shape)
    _mesh(ax, edges, np.where(ends > starts, probability, np.nan), cmap="Greys", vmin=0.0, vmax=1.0)
    return _finish(ax, edges)


def tree_over(ax: Any, tree: Tree, edges: np.ndarray, *, shifts: bool = False, **style: Any) -> Any:
    """A tree over a scape; `shifts` writes by how many semitones left children are turned, where they are."""
    from matplotlib.collections import LineCollection

    spans = np.array(tree.spans)
    begin, end = edges[spans[:, 0]], edges[spans[:, 1]]
    places = np.column_stack([(begin + end) / 2, end - begin])
    lines = [[places[parent], places[child]] for child, parent in enumerate(tree.parents) if parent >= 0]
    ax.add_collection(LineCollection(lines, **{"color": "tab:orange", "linewidth": 1.0, **style}))
    for number, node in enumerate(tree.nodes if shifts else ()):
        steps = shift_of(node.rule)
        if steps and tree.children(number):
            _write(ax, str(steps), places[tree.children(number)[0]])
    return ax


def _write(ax: Any, text: str, place: np.ndarray) -> None:
    from matplotlib.patheffects import withStroke

    where = {"xytext": (-3, 2), "textcoords": "offset points", "ha": "right", "fontsize": 7, "zorder": 4}
    ax.annotate(text, tuple(place), color="tab:red", path_effects=[withStroke(linewidth=1.5, foreground="white")], **where)


def shift_of(rule: str) -> int:
    """By how many semitones a rule such as "split shift 7" turns the left child."""
    last = rule.rpartition(" shift ")[2].strip("()").split(",")[0]
    return int(last) if " shift " in rule and last.isdigit() else 0


def key_legend(figure: Any, modes: Sequence[str]) -> None:
    """Which colour is which key, along the circle of fifths."""
    from matplotlib.patches import Patch

    from recbayes.music.keys import key_name

    keys = [Key(7 * step % 12, mode) for mode in modes for step in range(12)]
    handles = [Patch(color=key_colour(*key), label=key_name(*key)) for key in keys]
    columns = 12 if figure.get_figwidth() > WIDE else 6
    figure.legend(handles=handles, loc="outside lower center", ncols=columns, fontsize=7, frameon=False)


def _mesh(ax: Any, edges: np.ndarray, shown: np.ndarray, **style: Any) -> None:
    """Corners of diamonds are between edges, as far outside at the ends as inside."""
    between = (edges[1:] + edges[:-1]) / 2
    corners = np.concatenate([[2 * edges[0] - between[0]], between, [2 * edges[-1] - between[-1]]])
    first, last = np.meshgrid(corners, corners, indexing="ij")
    ax.pcolormesh((first + last) / 2, last - first, shown, linewidth=0, rasterized=True, **style)


def _finish(ax: Any, edges: np.ndarray) -> Any:
    ax.set_xlim(edges[0], edges[-1])
    ax.set_ylim(0.0, (edges[-1] - edges[0]) * 1.02)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.set_yticks([])
    ax.tick_params(labelsize=7)
    return ax
