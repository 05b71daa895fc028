"""Where a series changes, and how probable that is."""

from typing import TYPE_CHECKING, Any

import numpy as np

from recbayes.checks.arguments import instance
from recbayes.plot.canvas import axes_of
from recbayes.plot.colours import CHANGE
from recbayes.plot.terms import label_observations

if TYPE_CHECKING:
    from recbayes.segmentation.result import Segmentation

WIDE = 4.2  # inches of a panel, from which on a legend has its entries side by side


def changes(found: "Segmentation", *, ax: Any = None) -> Any:
    """The probability of a change: at exactly each place as stems, and of the changes that were found as dots.

    A dot is the probability of a change near its place, within as many observations as the legend says; its bar is the 80 %
    interval of the place. A hollow dot is a change that is more probable than not while its place is too
    uncertain to be told.

    Arguments:
        found: what `rb.segment` returns.
        ax: the axes of matplotlib to draw into; None makes a new figure.

    Returns:
        The axes. Their x axis is in rows, labelled in the terms of the data's own index.
    """
    from recbayes.segmentation.result import Segmentation

    instance(found, Segmentation, "found", "; rb.segment makes one")
    ax = axes_of(ax, (8.0, 2.2))
    draw_changes(found, ax)
    label_observations(ax, found.data, len(found.data))
    return ax


def draw_changes(found: "Segmentation", ax: Any) -> None:
    """Stems and dots, and what they are."""
    probability = found.boundary_probability[1:-1]
    at = np.flatnonzero(probability > 0)
    if len(at):
        ax.vlines(at + 0.5, 0.0, probability[at], color="0.2", linewidth=1.5, zorder=2, label="at exactly this place")
    else:
        place = {"transform": ax.transAxes, "ha": "center", "va": "center", "fontsize": "small", "color": "0.4"}
        ax.text(0.5, 0.5, "no change in any draw", **place)
    if found.changes:
        position, told, low, high, within = np.array(found.changes).T
        least, most = int(within.min()), int(within.max())
        far = f"{most} observation{'' if most == 1 else 's'}" if least == most else f"{least} to {most} observations"
        near = f"within {far}, with an 80 % interval"
        spread = np.maximum([position - low, high - position], 0.0)
        style = {"fmt": "o", "color": CHANGE, "markersize": 5, "capsize": 2, "linewidth": 1.2, "zorder": 3}
        ax.errorbar(position - 0.5, told, xerr=spread, label=near, **style)
    if found.unplaced:
        low, high, believed = np.array(found.unplaced).T[:3]
        style = {"fmt": "o", "color": CHANGE, "markersize": 5, "capsize": 2, "linewidth": 1.0, "markerfacecolor": "white"}
        ax.errorbar((low + high - 1) / 2, believed, xerr=(high - low) / 2, label="place too uncertain to be told", **style)
    if len(at):
        wide = ax.bbox.width / ax.figure.dpi > WIDE
        place = {"loc": "lower right", "bbox_to_anchor": (1.0, 0.98), "frameon": False}
        ax.legend(fontsize="x-small", ncols=1 + wide, **place)
    ax.set_ylim(0.0, 1.09)
    ax.set_yticks([0.0, 0.5, 1.0])
    ax.set_ylabel("probability\nof a change", fontsize="small")
