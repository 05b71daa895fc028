"""Drawing from the posterior of a general model."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import logsumexp

from recbayes.errors import DataError
from recbayes.general.chart.joint import Landscape
from recbayes.general.posterior.gibbs import gibbs
from recbayes.general.posterior.posterior import GeneralPosterior, Worth
from recbayes.general.posterior.pseudo import from_draws, from_surrogate
from recbayes.general.posterior.score import log_joint
from recbayes.general.surrogate.cloud import Cloud, make_cloud
from recbayes.general.surrogate.sites import SiteMaker
from recbayes.general.surrogate.stand_in import Surrogate, make_surrogate

VALUES = 20  # of every node, for each tree
POOR = 0.1  # effective share of the draws below which Gibbs sampling is used

NOWHERE = "the observations have no density at any values that were tried; check the supports of the model's distributions"


@dataclass(frozen=True, eq=False)
class Workshop:
    """All that is made once for a sequence: what weights depend on, and its sites."""

    landscape: Landscape

    @cached_property
    def sites(self) -> SiteMaker:
        return SiteMaker(self.landscape)

    def surrogate(self, parameters: Any, cloud: Cloud | None = None) -> Surrogate:
        """The Gaussian stand-in; it depends on no seed of the user's."""
        cloud = make_cloud(self.landscape.model, parameters, 0) if cloud is None else cloud
        return make_surrogate(self.sites, parameters, cloud)


def draw_weighted(surrogate: Surrogate, parameters: Any, draws: int, seed: int, count: int = VALUES) -> GeneralPosterior:
    """Trees from the stand-in, each with so many values, weighted by the true densities."""
    landscape = surrogate.landscape
    if surrogate.log_evidence == -np.inf:
        raise DataError(NOWHERE)
    drawn = surrogate.draw(draws, seed)
    values, log_q = surrogate.values(drawn, count, seed)
    log_weights = log_joint(landscape, parameters, drawn, values) - log_q - drawn.log_q[:, None]
    if np.isnan(log_weights).any():
        raise DataError("a density of the model is not a number at values that were drawn; check its densities' arguments")
    if not np.isfinite(logsumexp(log_weights)):
        raise DataError(NOWHERE)
    return GeneralPosterior(landscape, drawn, values, Worth(log_weights), seed)


def draw_posterior(workshop: Workshop, parameters: Any, draws: int, seed: int) -> GeneralPosterior:
    """By weights where they are worth something, else by Gibbs sampling."""
    surrogate = workshop.surrogate(parameters)
    weighted = draw_weighted(surrogate, parameters, draws, seed)
    if weighted.efficiency >= POOR:
        return weighted
    return gibbs(weighted, parameters, from_draws(weighted, from_surrogate(surrogate)), draws, seed)
