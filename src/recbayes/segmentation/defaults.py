"""The default model of a series: an average over a few models, nothing of which is learnt.

Leaves are of one kind throughout a series: a level or a trend, with white or autoregressive noise. Noise levels and
coefficients come from a bank, for each leaf anew or once for all of them. Segments are geometric in length, with three
expected numbers of them. One series can hardly teach any of this, and averages are stable: every kind and every number
counts as much as its evidence says.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from recbayes.gaussian.emissions.emission import Emission
from recbayes.gaussian.emissions.leaf import Leaf
from recbayes.gaussian.model.parts import Component, Link, Prior, Split, Variable
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.lengths import Geometric
from recbayes.segmentation.units import Units

KINDS = ("level", "trend", "level + autoregressive", "trend + autoregressive")
NOISE = np.geomspace(0.04, 1.2, 9)  # deviations of noise, in those of the series
COEFFICIENTS = (0.0, 0.3, 0.6, 0.8, 0.95)
RISE = 3.0  # deviation of the rise of a trend over its segment
SEASON = 1.0  # deviation of the coefficients of a season
START = 1.0  # largest deviation of the first observation of an autoregressive segment about its level
OUTLIERS, BROAD = 0.01, 3.0  # how many observations are outliers, and how broad these are
LINK = 1.0  # deviation of a node's level about that of the node above
TERMINATION = 0.6  # probability that a node is a segment
SHARED = 0.5  # probability that all segments have the same noise
EXPECTED = (1.5, 3.0, 6.0)  # expected numbers of segments, each weighed by its inverse


class Candidate(NamedTuple):
    """One model of the average, before any data: its kind, the expected number of segments, the member of the bank that all
    segments share (None if each has its own), and its probability."""

    kind: str
    expected: float
    shared: int | None
    probability: float
    model: GaussianRBN

    @property
    def leaf(self) -> Leaf:
        return self.model.variables[0].rules[1]  # type: ignore[return-value]

    @property
    def length(self) -> Geometric:
        return self.leaf.length  # type: ignore[return-value]


def default_models(
    units: Units,
    ticks: int,
    *,
    kinds: Sequence[str] = KINDS,
    periods: Sequence[float] = (),
    minimum: int = 1,
    expected: Sequence[float] = EXPECTED,
) -> list[Candidate]:
    """The models of a series that lasts so many ticks, in its own units."""
    weights = 1.0 / np.asarray(expected)
    weights = weights / weights.sum() / len(kinds)
    found = []
    for kind in kinds:
        leaf = _leaf(units, kind, periods)
        for number, weight in zip(expected, weights.tolist(), strict=True):
            length = _length(ticks, number, minimum)
            own = replace(leaf, length=length)
            found.append(Candidate(kind, number, None, weight * (1.0 - SHARED), _model(units, own)))
            for m, member in enumerate(leaf.members):
                one = replace(member.emission, length=length)
                found.append(Candidate(kind, number, m, weight * SHARED * member.weight, _model(units, one)))
    return found


def _length(ticks: int, expected: float, minimum: int) -> Geometric:
    return Geometric(max(ticks / expected, minimum + 0.25), minimum)


def noise_levels(units: Units) -> np.ndarray:
    """The bank's grid, from the noise that rounding leaves, if that is more than the default's least."""
    least = min(max(NOISE[0], float(units.least.max(initial=0.0))), 0.99 * NOISE[-1])
    return np.geomspace(least, NOISE[-1], len(NOISE))


def _leaf(units: Units, kind: str, periods: Sequence[float]) -> Leaf:
    scale = units.scale
    return Leaf(
        TERMINATION,
        scale,
        noise_levels=noise_levels(units).tolist(),
        coefficients=COEFFICIENTS if kind.endswith("autoregressive") else (0.0,),
        trend_std=RISE * scale if kind.startswith("trend") else None,
        periods=periods,
        season_std=SEASON * scale if len(periods) else None,
        start_std=START * scale,
        outlier_probability=OUTLIERS,
        outlier_std=BROAD * scale,
    ).checked("leaf", len(scale))


def _model(units: Units, leaf: Emission) -> GaussianRBN:
    link = Link(np.diag((LINK * units.scale) ** 2))
    split = Split(1.0 - TERMINATION, "segment", "segment", link, link)
    prior = Prior("segment", (Component(units.centre, np.diag(units.scale**2)),))
    return GaussianRBN((Variable("segment", len(units.scale), (split, leaf)),), prior)
