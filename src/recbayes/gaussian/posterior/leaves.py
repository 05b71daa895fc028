"""Segments: what the draws say of a leaf, given that it exists: its kind, level, slope, noise and coefficient.

Given the tree and the member of the bank that a leaf took, its value and what is its own are normal, exactly. Over the
draws they are mixtures of these, one for every member (the draws with one member are matched by their mean and covariance).
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import ndtr

from recbayes.gaussian.chart.tables import tables_of
from recbayes.gaussian.emissions.leaf import Leaf
from recbayes.gaussian.emissions.one_leaf import own_given, own_names
from recbayes.gaussian.emissions.regression import ticks_of
from recbayes.gaussian.posterior.latents import gather_latents

if TYPE_CHECKING:
    from recbayes.gaussian.posterior.posterior import GaussianPosterior

INTERVAL = 0.1, 0.9  # quantiles of what is told of a leaf


class Mixture(NamedTuple):
    """Normal distributions with weights that sum to one, the same weights for every column (parts, columns)."""

    weights: np.ndarray
    means: np.ndarray
    deviations: np.ndarray

    @property
    def mean(self) -> np.ndarray:
        return self.weights @ self.means

    @property
    def std(self) -> np.ndarray:
        return np.sqrt(self.weights @ (self.deviations**2 + (self.means - self.mean) ** 2))

    def quantile(self, share: float) -> np.ndarray:
        """The number below which this share lies, column by column; where deviations are zero, the smallest such number."""
        return np.array([_quantile(self.weights, m, s, share) for m, s in zip(self.means.T, self.deviations.T, strict=True)])


def _quantile(weights: np.ndarray, means: np.ndarray, deviations: np.ndarray, share: float) -> float:
    low, high = float((means - 10 * deviations).min()), float((means + 10 * deviations).max())
    if not deviations.any():
        order = np.argsort(means)
        reached = int(np.searchsorted(np.cumsum(weights[order]), share * (1.0 - 1e-12)))
        return float(means[order][min(reached, len(order) - 1)])
    for _ in range(80):
        middle = 0.5 * (low + high)
        below = np.where(deviations > 0, ndtr((middle - means) / np.where(deviations > 0, deviations, 1.0)), means <= middle)
        low, high = (middle, high) if weights @ below < share else (low, middle)
    return 0.5 * (low + high)


class LeafPart(NamedTuple):
    """A leaf that took one member of a bank, in the draws where it did."""

    probability: float  # of the leaf with this member
    emission: Leaf
    level: np.ndarray  # (columns,) its mean, and its deviation
    level_std: np.ndarray
    slope: np.ndarray  # per tick, zero without a trend
    slope_std: np.ndarray


class Belief(NamedTuple):
    """What is believed of a leaf, given that it exists, and how probable that is."""

    probability: float
    kinds: dict[str, float]
    level: Mixture
    slope: Mixture
    noise: Mixture
    coefficient: Mixture


def belief(parts: Sequence[LeafPart]) -> Belief:
    """All parts together; they may come from several models."""
    total = sum(part.probability for part in parts)
    weights = np.array([part.probability for part in parts]) / total
    kinds: dict[str, float] = {}
    for part, weight in zip(parts, weights, strict=True):
        kinds[part.emission.kind] = kinds.get(part.emission.kind, 0.0) + float(weight)
    zeros = np.zeros((len(parts), len(parts[0].level)))
    noise = np.array([part.emission.noise_std * part.emission.noise_levels[0] for part in parts])
    coefficient = np.array([part.emission.coefficients for part in parts])
    return Belief(
        float(min(total, 1.0)),
        dict(sorted(kinds.items(), key=lambda item: -item[1])),
        Mixture(weights, np.array([part.level for part in parts]), np.array([part.level_std for part in parts])),
        Mixture(weights, np.array([part.slope for part in parts]), np.array([part.slope_std for part in parts])),
        Mixture(weights, noise, zeros),
        Mixture(weights, coefficient, zeros[:, :1]),
    )


def leaf_parts(posterior: "GaussianPosterior", weights: np.ndarray) -> dict[tuple[int, int], list[LeafPart]]:
    """Of all leaves in the draws, with these weights, that are of the kind `Leaf`, by start and end (observations)."""
    chart = posterior.chart
    _, origins = tables_of(chart.model)
    latents = gather_latents(chart, posterior.trees, weights, posterior.prior_components, by_rule=True)
    ticks = ticks_of(chart.series)
    found: dict[tuple[int, int], list[LeafPart]] = {}
    for (v, i, k, rule), latent in latents.items():
        if rule >= 0:
            continue
        _, r, m = origins.emits[-1 - rule]
        emission = chart.model.variables[v].rules[r].members[m].emission
        if not isinstance(emission, Leaf):
            continue
        start, end = int(chart.plan.positions[i]), int(chart.plan.positions[k])
        H = np.eye(len(latent.mean)) if emission.map is None else emission.map
        level = H @ latent.mean + (0.0 if emission.offset is None else emission.offset)
        slope = slope_std = np.zeros(emission.columns)
        if emission.trend_std is not None:
            own = own_given(emission, chart.series, start, end, latent.mean, latent.covariance)
            rise, last = own_names(emission).index("rise"), ticks[end] - ticks[start]
            slope, slope_std = own.mean[:, rise] / last, np.sqrt(own.covariance[:, rise, rise]) / last
        deviation = np.sqrt(np.einsum("ca,ab,cb->c", H, latent.covariance, H))
        part = LeafPart(latent.probability, emission, level, deviation, slope, slope_std)
        found.setdefault((start, end), []).append(part)
    return found
