"""Series, tree and scape above each other."""

from typing import Any

from recbayes.checks.arguments import instance
from recbayes.family.posterior import Posterior
from recbayes.plot.canvas import figure_of
from recbayes.plot.scape import scape
from recbayes.plot.series import series
from recbayes.plot.tree import tree


def overview(values: Any, posterior: Posterior, *, figure: Any = None) -> Any:
    """A figure with the series and its segments, the tree of highest expected F1, and the probabilities of all spans."""
    instance(posterior, Posterior, "posterior", "; sample_posterior makes one")
    figure = figure_of(figure, (7.0, 7.0))
    top, middle, bottom = figure.subplots(3, 1, sharex=True, height_ratios=[2.0, 1.5, 3.0])
    found = posterior.tree()
    series(values, found, ax=top)
    top.set_xlabel("")
    tree(found, ax=middle)
    scape(posterior, found, colour_bar=False, ax=bottom)
    figure.colorbar(bottom.collections[0], ax=[top, middle, bottom], label="probability of a node", fraction=0.04)
    return figure
