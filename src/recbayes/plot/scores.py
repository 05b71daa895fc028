"""Scores of several methods, by whatever was varied."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from recbayes.checks.arguments import instance
from recbayes.checks.arrays import short
from recbayes.checks.series import numbers
from recbayes.errors import DataError
from recbayes.plot.canvas import axes_of
from recbayes.plot.colours import colour, dashes, mark


def scores(levels: Sequence[float], curves: Mapping[str, Sequence[Sequence[float]]], *, ax: Any = None, **style: Any) -> Any:
    """One curve a method: at each level its score, with error bars where it has an interval.

    Curves are a little apart from each other, so that error bars do not hide one another.

    Arguments:
        levels: what was varied: one number for every point of a curve.
        curves: of every method, by its name, a (mean, low, high), or a (mean,) alone, for each level.
        ax: the axes of matplotlib to draw into, which may have other curves already; None makes a new figure.
        **style: how lines look, in the words of `matplotlib.axes.Axes.errorbar`.

    Returns:
        The axes.
    """
    ax = axes_of(ax)
    at = numbers(levels, "levels must be numbers")
    if at.ndim != 1 or not len(at) or not np.isfinite(at).all():
        raise DataError(f"levels must be a list of one or more finite numbers, got {short(levels)}")
    lines = {}
    for name, values in instance(curves, Mapping, "curves", "; give the scores of every method by its name").items():
        complaint = f"curve {name!r} must have a (mean, low, high), or a (mean,), for each of {len(at)} levels"
        lines[name] = numbers(values, complaint)
        if lines[name].shape not in ((len(at), 1), (len(at), 3)):
            raise DataError(complaint)
    apart = np.diff(np.unique(at))
    gap = (apart.min() if len(apart) else 1.0) / 40
    for number, (name, found) in enumerate(lines.items()):
        places = at + (number - (len(lines) - 1) / 2) * gap
        means = found[:, 0]
        bars = None if found.shape[1] == 1 else np.maximum([means - found[:, 1], found[:, 2] - means], 0.0)
        own = {"color": colour(number), "linestyle": dashes(number), **mark(number)}
        ax.errorbar(
            places, means, yerr=bars, label=name, **{"markersize": 4, "linewidth": 1.2, "capsize": 2, **own, **style}
        )
    ax.set_xticks(list(levels))
    if all(((found[:, 0] >= 0.0) & (found[:, 0] <= 1.0)).all() for found in lines.values()):
        ax.set_ylim(0.0, 1.0)
    ax.grid(axis="y", color="0.9")
    return ax
