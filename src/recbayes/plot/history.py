"""How learning went."""

from typing import TYPE_CHECKING, Any

import numpy as np

from recbayes.checks.arguments import text
from recbayes.checks.arrays import short
from recbayes.errors import DataError
from recbayes.plot.canvas import axes_of
from recbayes.plot.colours import colour, dashes

if TYPE_CHECKING:
    from recbayes.learn.record import Fit
    from recbayes.learn.reestimate import Estimate

LEAST = 1e-3  # nats: what is nearer to the best is as good as the best


def history(fit: "Fit[Any] | Estimate[Any]", *, label: str | None = None, ax: Any = None) -> Any:
    """How far below the best log likelihood every evaluation was, in nats, and the best so far.

    The scale is logarithmic and ends at 0.001 nats. Where dots go up, a climb begins anew: `rb.fit` has several starts.

    Arguments:
        fit: what `rb.fit` or `rb.reestimate` returns.
        label: what a legend calls this fit; None is no legend.
        ax: the axes of matplotlib to draw into, which may have other fits already; None makes a new figure.

    Returns:
        The axes.
    """
    from recbayes.learn.record import Fit
    from recbayes.learn.reestimate import Estimate

    if not isinstance(fit, Fit | Estimate):
        raise DataError(f"fit must be what rb.fit or rb.reestimate returns, got {short(fit)}")
    values = np.array(fit.history, dtype=np.float64)
    if label is not None:
        text(label, "label")
    known = np.isfinite(values)
    if not known.any():
        raise DataError("the fit has no evaluation with a finite log likelihood, so there is nothing to draw")
    ax = axes_of(ax, (6.4, 3.4))
    number = len(ax.collections)
    best = values[known].max()
    below = np.where(known, np.maximum(best - values, LEAST), np.nan)
    steps = np.arange(1, len(values) + 1)
    ax.scatter(steps, below, s=7, color=colour(number), alpha=0.5, linewidths=0)
    so_far = np.fmin.accumulate(below)
    ax.plot(
        steps, so_far, color=colour(number), linestyle=dashes(number), linewidth=1.4, drawstyle="steps-post", label=label
    )
    ax.set_yscale("log")
    ax.set_xlabel("evaluation")
    ax.set_ylabel("nats below the best")
    ax.grid(axis="y", color="0.92")
    ax.set_axisbelow(True)
    return ax
