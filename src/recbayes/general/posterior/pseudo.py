"""Pseudo-priors: a Gaussian for the value of every cell, in coordinates.

A structure says nothing of the values of spans that are no nodes of it. With a density psi for these (Carlin and Chib),
values of all cells and structures have one joint density, log psi(x) summed over all cells plus the chart in which every
node's factor is divided by psi at its value; structures and the values of their nodes have the same probabilities as
without.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from recbayes.general.kernels.stand_in_draws import NUMBER
from recbayes.general.model.coordinates import width
from recbayes.general.posterior.posterior import GeneralPosterior
from recbayes.general.surrogate.stand_in import Surrogate

ENOUGH = 20.0  # draws (as many as they are worth) of a cell's value, from which its mean and covariance are taken
WIDE = 1.3  # variances are so much larger than those of draws


@dataclass(frozen=True, eq=False)
class PseudoPrior:
    """Means (cells, D) and lower Cholesky factors of covariances (cells, D, D), by variable."""

    mean: Mapping[str, np.ndarray]
    root: Mapping[str, np.ndarray]

    @cached_property
    def log_root(self) -> dict[str, np.ndarray]:
        """Log determinants of the factors, with what belongs to the normal density."""
        return {
            name: np.log(np.diagonal(one, axis1=1, axis2=2)).sum(axis=1) + 0.5 * one.shape[1] * np.log(2.0 * np.pi)
            for name, one in self.root.items()
        }

    @cached_property
    def inverse(self) -> dict[str, np.ndarray]:
        return {name: np.linalg.inv(one) for name, one in self.root.items()}

    @property
    def arrays(self) -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Means, inverse roots and constants, by variable."""
        return {name: (mean, self.inverse[name], self.log_root[name]) for name, mean in self.mean.items()}

    def draw(self, rng: np.random.Generator, chains: int) -> dict[str, np.ndarray]:
        """Values (chains, cells, D) of every variable."""
        return {
            name: mean + np.einsum("cij,kcj->kci", self.root[name], rng.normal(size=(chains, *mean.shape)))
            for name, mean in self.mean.items()
        }


def from_surrogate(surrogate: Surrogate) -> PseudoPrior:
    """What the stand-in believes of every cell's value by the observations below it."""
    means, roots = {}, {}
    for name, support in surrogate.landscape.model.parts.variables.items():
        if not support.is_discrete:
            means[name], covariance = surrogate.beliefs(name)
            roots[name] = np.linalg.cholesky(covariance)
    return PseudoPrior(means, roots)


def from_draws(posterior: GeneralPosterior, first: PseudoPrior) -> PseudoPrior:
    """The same, where draws have enough values of a cell, from these."""
    landscape, drawn = posterior.landscape, posterior.drawn
    cell = landscape.cells_of(drawn.nodes[NUMBER])
    variable = [layer.variable for layer in landscape.cells.layers.order]
    weights = posterior.value_weights[drawn.owners]
    means, roots = dict(first.mean), dict(first.root)
    for name, support in landscape.model.parts.variables.items():
        if support.is_discrete:
            continue
        means[name], roots[name] = first.mean[name].copy(), first.root[name].copy()
        chosen = np.flatnonzero(np.array([one == name for one in variable])[landscape.cells.layer[cell]])
        row = landscape.rows[cell[chosen]]
        size, count = width(support), len(means[name])
        w, u = weights[chosen], posterior.values[chosen][:, :, :size]
        total, square = (np.bincount(row, weights=one.sum(axis=1), minlength=count) for one in (w, w**2))
        mean = np.zeros((count, size))
        np.add.at(mean, row, np.einsum("nk,nki->ni", w, u))
        enough = (total > 0.0) & (total**2 > ENOUGH * posterior.values.shape[1] * np.maximum(square, 1e-300))
        mean = mean / np.where(total > 0.0, total, 1.0)[:, None]
        apart = u - mean[row][:, None]
        spread = np.zeros((count, size, size))
        np.add.at(spread, row, np.einsum("nk,nki,nkj->nij", w, apart, apart))
        spread = spread / np.where(total > 0.0, total, 1.0)[:, None, None]
        old = np.einsum("cij,ckj->cik", first.root[name], first.root[name])
        mixed = WIDE * spread[enough] + 0.02 * old[enough]  # never flat
        means[name][enough], roots[name][enough] = mean[enough], np.linalg.cholesky(mixed)
    return PseudoPrior(means, roots)
