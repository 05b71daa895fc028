"""Better charts where draws need them: several Gaussians per message, as long as that does not take long."""

from collections.abc import Callable

from recbayes.compiled.lanes import LANES
from recbayes.compiled.layout import CHOICES
from recbayes.errors import DataError
from recbayes.gaussian.chart.inside import Chart
from recbayes.gaussian.chart.tables import tables_of
from recbayes.gaussian.kernels.listing import most_alternatives
from recbayes.gaussian.posterior.draws import degenerate, draw
from recbayes.gaussian.posterior.posterior import GaussianPosterior

NATS, SHARE = 0.1, 0.5  # nats beyond the error, and the effective share of the draws, from which on draws are doubted
AFFORDABLE, CHEAP = 2.0, 0.003  # seconds that a better chart may then take; and that a look at the next better always may
SECONDS = 1e-7, 1e-8  # for every alternative of such a chart, and for every one that a draw looks at,
BY_DIMENSION = 0.8, 0.15, 0.015  # times this polynomial of the dimension


def draw_well(draws: int, seed: int, fill: Callable[[int], Chart]) -> GaussianPosterior:
    """Draws from a chart that is good enough for them; resampled and moved where no chart is that can be had.

    `fill` gives the chart with so many Gaussians per message, where that can be computed.
    """
    posterior = draw_better(draws, seed, fill)
    moves = not posterior.enumerated and degenerate(posterior)
    return draw(posterior.chart, draws, seed) if moves else posterior


def draw_better(draws: int, seed: int, fill: Callable[[int], Chart]) -> GaussianPosterior:
    """Draws, if they are good and agree with a better chart; or draws from that, or a still better one; none are moved."""
    posterior = draw(fill(1), draws, seed, move=False)
    more = 2
    while not posterior.enumerated and more <= LANES:
        allowance = CHEAP if _agree(posterior, posterior.chart) else AFFORDABLE
        if _seconds(posterior, more) > allowance:
            break
        try:
            chart = fill(more)
        except DataError:  # more Gaussians are more to compute: what cannot be makes no draws worse
            break
        if _agree(posterior, chart):
            break
        posterior = draw(chart, draws, seed, move=False)
        more *= 2
    return posterior


def _agree(posterior: GaussianPosterior, chart: Chart) -> bool:
    """Whether the draws are good, and have the evidence that a chart has."""
    gap = abs(posterior.gap + posterior.chart.log_evidence - chart.log_evidence)
    return gap <= NATS + 3.0 * posterior.log_evidence_error and posterior.efficiency >= SHARE


def _seconds(posterior: GaussianPosterior, components: int) -> float:
    """About how long a chart and draws would take with so many Gaussians; spans have half the alternatives on average."""
    chart = posterior.chart
    alternatives = most_alternatives(tables_of(chart.model)[0], chart.plan, components) / 2
    cells, nodes = chart.plan.choices_size // CHOICES, len(posterior.log_weights) * 2 * len(chart.plan.positions)
    size = max(variable.dim for variable in chart.model.variables)
    factor = sum(weight * size**power for power, weight in enumerate(BY_DIMENSION))
    return alternatives * factor * (cells * SECONDS[0] + nodes * SECONDS[1])
