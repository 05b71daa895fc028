"""The exact log evidence near a model, from trees drawn at that model.

Draws at the centre carry exact weights w. For a model nearby, p(Y) is that of the centre times the sum of w p(Y, Z) over the
same at the centre, and the derivative of log p(Y) is the mean of those of log p(Y, Z) under the weights so changed (Fisher's
identity). With the draws fixed this is a smooth function of the parameters, which can be climbed like any other; its value
is as good as the share of draws that stay in effect, which is reported.
"""

from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from recbayes.checks.series import Series
from recbayes.family.family import Around
from recbayes.gaussian.chart.inside import chart_of_leaves
from recbayes.gaussian.learn.quantities import slopes
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.gaussian.posterior.careful import careful_inside
from recbayes.gaussian.posterior.draws import draw
from recbayes.gaussian.posterior.follow import joints_with, mean_gradient
from recbayes.gaussian.posterior.improve import draw_better
from recbayes.gaussian.posterior.latents import merge_equal
from recbayes.spans.constraints import Constraints
from recbayes.tree.forest import Forest

LITTLE, MOST = 20.0, 8  # effective draws, below which there are more draws, up to so many times as many


class Drawn(NamedTuple):
    """Different trees with the Gaussians of the prior they came with, and their weights and log joints at the centre."""

    trees: Forest
    components: np.ndarray
    weights: np.ndarray
    log_joints: np.ndarray
    log_evidence: float
    variance: float
    efficiency: float


def draw_around(
    model: GaussianRBN, series: Series, constraints: Constraints, draws: int, seed: int, components: int | None
) -> Drawn:
    """Trees of one series at the centre, from a chart that is good enough for them; equal ones are merged. There are more
    than `draws` where these are worth very little."""
    fill = partial(careful_inside, model, series, constraints)
    posterior = draw_better(draws, seed, fill) if components is None else draw(fill(components), draws, seed, move=False)
    more = 2 * draws
    while not posterior.enumerated and posterior.effective_sample_size < min(LITTLE, draws) and more <= MOST * draws:
        posterior = draw(posterior.chart, more, seed, move=False)
        more *= 2
    chart = posterior.chart
    chosen, weights, of_prior = merge_equal(posterior.trees, posterior.weights, posterior.prior_components)
    trees = posterior.trees.select(chosen)
    joints = joints_with(chart, trees, of_prior)
    error = posterior.log_evidence_error
    return Drawn(trees, of_prior, weights, joints, posterior.log_evidence, error**2, posterior.efficiency)


def evaluate_around(model: GaussianRBN, series: Series, constraints: Constraints, drawn: Drawn) -> Around:
    """The exact log evidence under another model, by the draws at the centre."""
    chart = chart_of_leaves(model, series, constraints)
    joints = joints_with(chart, drawn.trees, drawn.components)
    with np.errstate(divide="ignore"):
        changed = np.log(drawn.weights) + joints - drawn.log_joints
    total = logsumexp(changed)
    weights = np.exp(changed - total)
    gradient = mean_gradient(chart, drawn.trees, drawn.components, weights)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(drawn.weights > 0, weights / drawn.weights, 0.0)
    kept = 1.0 / max(float(weights @ ratio), 1.0)  # the share of the draws' effect that the change of weights leaves
    return Around(drawn.log_evidence + total, slopes(model, gradient), drawn.variance / kept, drawn.efficiency * kept)
