"""Values of nodes as colours."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from recbayes.checks.arrays import short, whole_number
from recbayes.errors import DataError
from recbayes.plot.colours import PALETTE, VALUES

LARGEST = "largest"  # of the entries of a value
DARKER = 0.55  # colours of the next round, as shares of the first


class Painter(NamedTuple):
    """The colours of all nodes (nodes, 4), and what they mean."""

    colours: np.ndarray
    explain: Callable[[Any], None]


def painted(values: Sequence[Any], column: int | str | Callable[[np.ndarray], Any]) -> Painter:
    """Colours of values, by one of their entries, the largest of them, or a function of all; None is white."""
    known = [n for n, value in enumerate(values) if value is not None]
    if not known:
        raise DataError("no node has a value that could have a colour; nodes of grammars and of bare trees have none")
    sizes = {len(values[n]) for n in known}
    if len(sizes) > 1:
        raise DataError(f"values of nodes have {sorted(sizes)} entries; colours need values of one size, of one variable")
    rows = np.array([values[n] for n in known], dtype=np.float64)
    colours = np.ones((len(values), 4))
    if callable(column):
        colours[known], explain = _own(rows, column), lambda ax: None
    elif isinstance(column, str):
        if column != LARGEST:
            raise DataError(f"column must be a position, {LARGEST!r}, or a function of values, got {short(column)}")
        colours[known], explain = _by_largest(rows)
    else:
        entry = whole_number(column, "column", least=0, most=rows.shape[1] - 1, error=DataError)
        colours[known], explain = _by_entry(rows[:, entry], "value" if rows.shape[1] == 1 else f"value {entry}")
    return Painter(colours, explain)


def _by_entry(numbers: np.ndarray, name: str) -> tuple[np.ndarray, Callable[[Any], None]]:
    """The higher, the brighter."""
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    scale = Normalize(float(numbers.min()), float(numbers.max()))
    shown = ScalarMappable(scale, colormaps[VALUES])

    def explain(ax: Any) -> None:
        ax.figure.colorbar(shown, ax=ax, label=name, fraction=0.04)

    return shown.to_rgba(numbers), explain


def _by_largest(rows: np.ndarray) -> tuple[np.ndarray, Callable[[Any], None]]:
    """One colour for each entry, told by a legend of those that occur."""
    from matplotlib.lines import Line2D

    which = rows.argmax(axis=1)
    palette = many_colours(rows.shape[1])

    def explain(ax: Any) -> None:
        marks: dict[str, Any] = {
            "linestyle": "",
            "marker": "s",
            "markersize": 7,
            "markeredgecolor": "0.2",
            "markeredgewidth": 0.5,
        }
        handles = [Line2D([], [], color=palette[n], label=str(n), **marks) for n in np.unique(which)]
        place = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0), "frameon": False}
        ax.legend(handles=handles, title="largest\nvalue", fontsize="small", title_fontsize="small", **place)

    return palette[which], explain


def _own(rows: np.ndarray, function: Callable[[np.ndarray], Any]) -> np.ndarray:
    """The user's colours, one for each value."""
    from matplotlib.colors import to_rgba_array

    given = function(rows)
    try:
        found = to_rgba_array(given)
    except (TypeError, ValueError) as problem:
        raise DataError(f"the function of values must return {len(rows)} colours, it returned {short(given)}") from problem
    if len(found) != len(rows):
        raise DataError(f"the function of values must return {len(rows)} colours, it returned {len(found)}")
    return found


def many_colours(count: int) -> np.ndarray:
    """(count, 4): the palette, and again, darker."""
    from matplotlib.colors import to_rgba_array

    bright = to_rgba_array(PALETTE)
    dark = bright * [DARKER, DARKER, DARKER, 1.0]
    return np.resize(np.concatenate([bright, dark]), (count, 4))
