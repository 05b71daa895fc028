"""How often things happen that were given some probability."""

from collections.abc import Sequence
from typing import Any

from recbayes.checks.arguments import text
from recbayes.checks.series import numbers
from recbayes.errors import DataError
from recbayes.plot.canvas import axes_of


def calibration(bins: Sequence[Sequence[float]], *, label: str | None = None, ax: Any = None, **style: Any) -> Any:
    """Bins are (mean probability, share that exists, low, high); honest ones lie on the diagonal."""
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
    ax.errorbar(probability, share, yerr=bars, label=label, **{"fmt": "o", "markersize": 4, "capsize": 3, **style})
    ax.set(xlabel="probability given to a span", ylabel="share of such spans that are nodes", aspect="equal")
    return ax
