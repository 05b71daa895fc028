"""How often things happen that were given some probability."""

from collections.abc import Sequence
from typing import Any

from recbayes.checks.arguments import text
from recbayes.checks.series import numbers
from recbayes.errors import DataError
from recbayes.plot.canvas import axes_of
from recbayes.plot.colours import colour, mark


def calibration(bins: Sequence[Sequence[float]], *, label: str | None = None, ax: Any = None, **style: Any) -> Any:
    """The share of spans that are nodes, by the probability that they were given; honest ones lie on the diagonal.

    Arguments:
        bins: of every bin of spans their mean probability, the share that exists, and an interval's ends for that share.
        label: what a legend calls these bins; None is no legend.
        ax: the axes of matplotlib to draw into, which may have other bins already; None makes a new figure.
        **style: how marks look, in the words of `matplotlib.axes.Axes.errorbar`.

    Returns:
        The axes.
    """
    if label is not None:
        text(label, "label")
    found = numbers(bins, "bins must be numbers")
    if found.ndim != 2 or not len(found) or found.shape[1] != 4:
        raise DataError("calibration needs bins of four numbers each: mean probability, share that exists, low, high")
    ax = axes_of(ax, (4.2, 4.2))
    if not ax.lines:
        ax.plot([0, 1], [0, 1], color="0.7", linewidth=1)
    probability, share, low, high = found.T
    bars = [
        [max(mean - edge, 0.0) for mean, edge in zip(share, low, strict=True)],
        [max(edge - mean, 0.0) for mean, edge in zip(share, high, strict=True)],
    ]
    number = len(ax.containers)
    own = {"color": colour(number), "linestyle": "", "markersize": 4, "capsize": 3, **mark(number)}
    if "fmt" in style:  # says what marks and lines are
        own = {key: value for key, value in own.items() if key not in ("linestyle", "marker", "markerfacecolor")}
    ax.errorbar(probability, share, yerr=bars, label=label, **{**own, **style})
    ax.set(xlabel="probability given to a span", ylabel="share of such spans that are nodes", aspect="equal")
    return ax
