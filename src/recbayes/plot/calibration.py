"""How often things happen that were given some probability."""

from collections.abc import Sequence
from typing import Any

from recbayes.errors import DataError


def calibration(bins: Sequence[Sequence[float]], *, label: str | None = None, ax: Any = None, **style: Any) -> Any:
    """Bins are (mean probability, share that exists, low, high); honest ones lie on the diagonal."""
    import matplotlib.pyplot as plt

    ax = plt.gca() if ax is None else ax
    if not bins or {len(one) for one in bins} != {4}:
        raise DataError("calibration needs bins of four numbers each: mean probability, share that exists, low, high")
    if not ax.lines:
        ax.plot([0, 1], [0, 1], color="0.7", linewidth=1)
    probability, share, low, high = zip(*bins, strict=True)
    bars = [
        [max(mean - edge, 0.0) for mean, edge in zip(share, low, strict=True)],
        [max(edge - mean, 0.0) for mean, edge in zip(share, high, strict=True)],
    ]
    ax.errorbar(probability, share, yerr=bars, label=label, **{"fmt": "o", "markersize": 4, "capsize": 3, **style})
    ax.set(xlabel="probability given to a span", ylabel="share of such spans that are nodes", aspect="equal")
    return ax
