"""Scores of several methods, by whatever was varied."""

from collections.abc import Mapping, Sequence
from typing import Any

from recbayes.errors import DataError


def scores(levels: Sequence[float], curves: Mapping[str, Sequence[Sequence[float]]], *, ax: Any = None, **style: Any) -> Any:
    """One curve a method: at each level its (mean, low, high), drawn with error bars, or a (mean,) alone.

    `style` is for the lines. Curves are a little apart from each other, so that error bars do not hide one another.
    """
    import matplotlib.pyplot as plt

    ax = plt.gca() if ax is None else ax
    for name, values in curves.items():
        if len(values) != len(levels) or {len(value) for value in values} not in ({1}, {3}):
            raise DataError(f"curve {name!r} must have a (mean, low, high), or a (mean,), for each of {len(levels)} levels")
    gap = min((abs(one - two) for one in levels for two in levels if one != two), default=1.0) / 40
    for number, (name, values) in enumerate(curves.items()):
        places = [level + (number - (len(curves) - 1) / 2) * gap for level in levels]
        means = [value[0] for value in values]
        bars = None
        if len(values[0]) == 3:
            bars = [[max(mean - low, 0.0) for mean, low, _ in values], [max(high - mean, 0.0) for mean, _, high in values]]
        options = {"marker": "o", "markersize": 3.5, "linewidth": 1.2, "capsize": 2, **style}
        ax.errorbar(places, means, yerr=bars, label=name, **options)
    ax.set_xticks(list(levels))
    if all(0.0 <= value[0] <= 1.0 for values in curves.values() for value in values):
        ax.set_ylim(0.0, 1.0)
    ax.grid(axis="y", color="0.9")
    return ax
