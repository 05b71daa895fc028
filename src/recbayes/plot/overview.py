"""Series, tree and scape above each other."""

from typing import Any

from recbayes.checks.arguments import instance
from recbayes.family.posterior import Posterior
from recbayes.plot.canvas import figure_of, finished
from recbayes.plot.scape import scape
from recbayes.plot.series import series
from recbayes.plot.tree import tree


def overview(values: Any, posterior: Posterior, *, index: Any = None, figure: Any = None) -> Any:
    """A figure with the series and its segments, the tree of highest expected F1, and the probabilities of all spans.

    Arguments:
        values: the series: an array, a `Series`, or a data frame; its dates are those of the axis.
        posterior: what `rb.sample_posterior` returns for it.
        index: labels of the observations: dates, numbers or words, one for each; None takes those of the data, if they have.
        figure: the figure of matplotlib to draw into, or a part of one (`figure.subfigures()`); None makes a new one.

    Returns:
        The figure.
    """
    instance(posterior, Posterior, "posterior", "; sample_posterior makes one")
    given, figure = figure, figure_of(figure, (7.0, 7.0))
    top, middle, bottom = figure.subplots(3, 1, sharex=True, height_ratios=[2.0, 1.5, 3.0])
    found = posterior.tree()
    scape(posterior, found, colour_bar=False, ax=bottom)
    tree(found, ax=middle)
    series(values, found, index=index, ax=top)
    bottom.set_xlabel(top.get_xlabel())
    top.set_xlabel("")
    figure.colorbar(bottom.collections[0], ax=[top, middle, bottom], label="probability of a node", fraction=0.04)
    return finished(figure, given)
