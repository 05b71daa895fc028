"""The exact log evidence near a model, from trees and values drawn at that model.

Draws have weights log p(X, Y, Z) - log q(X, Z), where q is the stand-in's. For a model nearby the same draws are weighted by
its own densities, and the derivative of log p(Y) is the mean of those of log p(X, Y, Z) under these weights (Fisher).
"""

from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from recbayes.family.family import Around
from recbayes.general.chart.joint import Landscape
from recbayes.general.data import Observations
from recbayes.general.learn.quantities import slopes as slopes_of
from recbayes.general.model.rbn import RBN
from recbayes.general.posterior.draws import Workshop, draw_weighted
from recbayes.general.posterior.score import log_joint, slopes
from recbayes.general.surrogate.stand_in import Structures
from recbayes.spans.constraints import Constraints

VALUES = 4  # of every node, for each tree


class Drawn(NamedTuple):
    """Trees, values, and their log densities by which they were drawn; what they are worth at the centre."""

    landscape: Landscape
    trees: Structures
    values: np.ndarray
    log_q: np.ndarray  # (trees, K)
    efficiency: float


def draw_around(model: RBN, sequence: Observations, constraints: Constraints, draws: int, seed: int) -> Drawn:
    workshop = Workshop(Landscape(model, sequence, constraints))
    found = draw_weighted(workshop.surrogate(model.parameters), model.parameters, draws, seed, VALUES)
    log_q = log_joint(found.landscape, model.parameters, found.drawn, found.values) - found.worth.log_weights
    return Drawn(found.landscape, found.drawn, found.values, log_q, found.efficiency)


def evaluate_around(model: RBN, drawn: Drawn) -> Around:
    logs = log_joint(drawn.landscape, model.parameters, drawn.trees, drawn.values) - drawn.log_q
    total = logsumexp(logs)
    shares = np.exp(logs - total)
    by_tree = shares.sum(axis=1)
    efficiency = 1.0 / (by_tree**2).sum() / len(by_tree)
    variance = float(((by_tree * len(by_tree) - 1.0) ** 2).mean() / len(by_tree))
    derivatives = slopes(drawn.landscape, model.parameters, drawn.trees, drawn.values, shares)
    return Around(float(total - np.log(logs.size)), slopes_of(model, derivatives), variance, float(efficiency))
