"""Segments: what the draws say of a leaf, given that it exists: its kind, level, slope, noise and coefficient.

Given the tree and the member of the bank that a leaf took, its value and what is its own are normal, exactly. Over the
draws they are mixtures of these, one for every member (the draws with one member are matched by their mean and covariance).
"""

from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import ndtr, softmax

from recbayes.checks.series import Series
from recbayes.family.posterior import Latent
from recbayes.gaussian.chart.tables import emit_rules, tables_of
from recbayes.gaussian.emissions.leaf import Leaf
from recbayes.gaussian.emissions.one_leaf import own_given, own_names
from recbayes.gaussian.emissions.regression import ticks_of
from recbayes.gaussian.posterior.latents import gather_latents

if TYPE_CHECKING:
    from recbayes.gaussian.posterior.posterior import GaussianPosterior

INTERVAL = 0.1, 0.9  # quantiles of what is told of a leaf


class Mixture(NamedTuple):
    """Normal distributions with weights that sum to one for every column.

    Attributes:
        weights: (parts, columns).
        means: (parts, columns).
        deviations: (parts, columns).
    """

    weights: np.ndarray
    means: np.ndarray
    deviations: np.ndarray

    @property
    def mean(self) -> np.ndarray:
        """The mean of every column."""
        return (self.weights * self.means).sum(axis=0)

    @property
    def std(self) -> np.ndarray:
        """The standard deviation of every column."""
        return np.sqrt((self.weights * (self.deviations**2 + (self.means - self.mean) ** 2)).sum(axis=0))

    def quantile(self, share: float) -> np.ndarray:
        """The number below which a share lies, column by column; where deviations are zero, the smallest such number.

        Arguments:
            share: between 0 and 1.
        """
        columns = zip(self.weights.T, self.means.T, self.deviations.T, strict=True)
        return np.array([_quantile(*column, share) for column in columns])


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
    """A leaf, or some of its columns, that took one member of a bank, in the draws where they did."""

    probability: np.ndarray  # (columns,) of the leaf with this member
    emission: Leaf
    level: np.ndarray  # (columns,) its mean, and its deviation
    level_std: np.ndarray
    slope: np.ndarray  # per tick, zero without a trend
    slope_std: np.ndarray


class Belief(NamedTuple):
    """What is believed of a leaf, given that it exists.

    Attributes:
        probability: of the leaf.
        kinds: probabilities of its kinds.
        level: the mean of its observations at its middle.
        slope: how much the mean rises with each row or tick.
        noise: the deviation of the noise.
        coefficient: of the autoregression.
    """

    probability: float
    kinds: dict[str, float]
    level: Mixture
    slope: Mixture
    noise: Mixture
    coefficient: Mixture


def belief(parts: Sequence[LeafPart]) -> Belief:
    """All parts together; they may come from several models."""
    weights = np.array([part.probability for part in parts])
    total = weights.sum(axis=0)
    weights = weights / total
    kinds: dict[str, float] = {}
    for part, weight in zip(parts, weights[:, 0], strict=True):
        kinds[part.emission.kind] = kinds.get(part.emission.kind, 0.0) + float(weight)
    zeros = np.zeros_like(weights)
    noise = np.array([part.emission.noise_std * part.emission.noise_levels[0] for part in parts])
    coefficient = np.array([np.full(weights.shape[1], part.emission.coefficients[0]) for part in parts])
    return Belief(
        float(min(total[0], 1.0)),
        dict(sorted(kinds.items(), key=lambda item: -item[1])),
        Mixture(weights, np.array([part.level for part in parts]), np.array([part.level_std for part in parts])),
        Mixture(weights, np.array([part.slope for part in parts]), np.array([part.slope_std for part in parts])),
        Mixture(weights, noise, zeros),
        Mixture(weights, coefficient, zeros),
    )


def leaf_parts(
    posterior: "GaussianPosterior", weights: np.ndarray, wanted: Container[tuple[int, int]] | None = None
) -> dict[tuple[int, int], list[LeafPart]]:
    """Of all leaves in the draws, with these weights, that are of the kind `Leaf`, by start and end (observations); or of
    those with `wanted` spans."""
    chart = posterior.chart
    _, origins = tables_of(chart.model)
    latents = gather_latents(chart, posterior.trees, weights, posterior.prior_components, by_rule=True)
    found: dict[tuple[int, int], list[LeafPart]] = {}
    for (v, i, k, rule), latent in latents.items():
        if rule >= 0:
            continue
        _, r, m = origins.emits[-1 - rule]
        emission = chart.model.variables[v].rules[r].members[m].emission
        if isinstance(emission, Leaf) and not emission.each_column:
            span = int(chart.plan.positions[i]), int(chart.plan.positions[k])
            if wanted is not None and span not in wanted:
                continue
            found.setdefault(span, []).append(_part(emission, chart.series, span, latent))
    for span, part in _parts_by_column(posterior, weights, wanted):
        found.setdefault(span, []).append(part)
    return found


def _part(leaf: Leaf, series: Series, span: tuple[int, int], latent: Latent) -> LeafPart:
    H = np.eye(len(latent.mean)) if leaf.map is None else leaf.map
    level = H @ latent.mean + (0.0 if leaf.offset is None else leaf.offset)
    slope = slope_std = np.zeros(leaf.columns)
    if leaf.trend_std is not None:
        own = own_given(leaf, series, *span, latent.mean, latent.covariance)
        rise, ticks = own_names(leaf).index("rise"), ticks_of(series)
        last = ticks[span[1]] - ticks[span[0]]
        slope, slope_std = own.mean[:, rise] / last, np.sqrt(own.covariance[:, rise, rise]) / last
    deviation = np.sqrt(np.einsum("ca,ab,cb->c", H, latent.covariance, H))
    return LeafPart(np.full(leaf.columns, latent.probability), leaf, level, deviation, slope, slope_std)


def _parts_by_column(
    posterior: "GaussianPosterior", weights: np.ndarray, wanted: Container[tuple[int, int]] | None
) -> Iterator[tuple[tuple[int, int], LeafPart]]:
    """Leaves whose columns have members of their own: of each member, the columns that took it, from drawn values."""
    chart, forest = posterior.chart, posterior.trees
    _, origins = tables_of(chart.model)
    if not any(isinstance(rule, Leaf) and rule.each_column for rule in emit_rules(chart.model, origins)):
        return
    logs, found = posterior.corrected
    shares = weights[:, None] * softmax(logs, axis=1)  # of all draws of trees with values
    for leaf, spans, nodes, members, means in found:
        if not leaf.each_column:
            continue
        for here in np.split(np.arange(len(nodes)), np.flatnonzero(np.diff(spans, axis=0).any(axis=1)) + 1):
            span, share = (int(spans[here[0], 0]), int(spans[here[0], 1])), shares[forest.owners[nodes[here]]][:, :, None]
            if wanted is not None and span not in wanted:
                continue
            for m in np.unique(members[here]).tolist() if share.any() else ():
                taken = share * (members[here] == m)[:, None, :]
                total = taken.sum(axis=(0, 1))
                known = np.where(total > 0, total, 1.0)
                mean = (taken * means[here]).sum(axis=(0, 1)) / known
                variance = (taken * (means[here] - mean) ** 2).sum(axis=(0, 1)) / known
                member = replace(leaf.bank[m].emission, map=None, offset=None)
                part = _part(member, chart.series, span, Latent(mean, np.diag(variance), 0.0))  # type: ignore[arg-type]
                yield span, part._replace(probability=total)
