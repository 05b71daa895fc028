"""The default model of a series: an average over a few models, nothing of which is learnt.

Leaves are of one kind throughout a series: a level or a trend, with white or autoregressive noise. Noise level and
coefficient come from a bank, for each leaf and column anew, or once for all. Segments are geometric in length, with three
expected numbers of them. One series can hardly teach any of this, and averages are stable: every kind and every number
counts as much as its evidence says.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from recbayes.gaussian.emissions.leaf import Leaf
from recbayes.gaussian.model.parts import Component, Link, Prior, Split, Variable
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.lengths import Geometric
from recbayes.segmentation.finer import Finders, Finer
from recbayes.segmentation.lengths import log_count_probability
from recbayes.segmentation.units import Units, View

KINDS = ("level", "trend", "level + autoregressive", "trend + autoregressive")
NOISE = np.geomspace(0.1, 1.2, 9)  # deviations of noise, in those of the series
MULTIPLES = np.geomspace(0.4, 6.4, 9)  # of each column's noise, where several columns share the multiple
LOCAL = 0.5  # of the noise that differences of neighbours suggest: the least of long series
COEFFICIENTS = (0.0, 0.3, 0.6, 0.8, 0.95)
RISE = 3.0  # deviation of the rise of a trend over its segment
SEASON = 1.0  # deviation of the coefficients of a season
START = 1.0  # largest deviation of the first observation of an autoregressive segment about its level
OUTLIERS, BROAD = 0.01, 3.0  # how many observations are outliers, and how broad these are
LINK = 1.0  # deviation of a node's level about that of the node above
TERMINATION = 0.6  # probability that a node is a segment
SHARED = 0.5  # probability that all segments have the same noise level and coefficient
_Pair = tuple[Sequence[float] | np.ndarray, Sequence[float] | np.ndarray]  # levels and coefficients
SHORT = 2.0  # observations that a segment is expected to have beyond the fewest, at least
EXPECTED = (2.0, 4.0, 8.0)  # expected numbers of segments, each weighed by its inverse


@dataclass(frozen=True, eq=False)
class Candidate:
    """One model of the average that `segment` takes, before any data; trees are drawn with one of its lengths, and weighed
    by all.

    Attributes:
        view: how it looks at the series: as it is, or in logarithms.
        kind: of its segments: "level", "trend" and so on.
        bank: the leaf with all levels of noise and coefficients that segments may have.
        shared: which member of the bank all segments share. None: each has its own.
        probability: of the model, before any data.
        leaf: how its segments emit observations.
        lengths: how long segments may be: several distributions.
        shares: their probabilities.
        drawn: which of the lengths trees are drawn with.
    """

    view: View
    kind: str
    bank: Leaf
    shared: int | None
    probability: float
    leaf: Leaf
    lengths: tuple[Geometric, ...]
    shares: tuple[float, ...]
    drawn: int = 0

    @cached_property
    def model(self) -> GaussianRBN:
        """With the length that trees are drawn with, in the units of what it looks at."""
        units = self.view.units
        link = Link(np.diag((LINK * units.scale) ** 2))
        leaf = replace(self.leaf, length=self.lengths[self.drawn])
        split = Split(1.0 - TERMINATION, "segment", "segment", link, link)
        prior = Prior("segment", (Component(units.centre, np.diag(units.scale**2)),))
        return GaussianRBN((Variable("segment", len(units.scale), (split, leaf)),), prior)

    @cached_property
    def _log_counts(self) -> np.ndarray:
        """For each length, log p(m segments and as many observations) for m = 0, 1, 2, ..."""
        return np.array([log_count_probability(length, TERMINATION, self.view.ticks) for length in self.lengths])

    def log_ratios(self, least: int, most: int) -> np.ndarray:
        """For 0, 1, 2, ... segments: the log probability of such a tree by all lengths over that by the length that draws
        are of.

        Both are given that there are as many observations, and a number of segments in the range.

        Arguments:
            least: the fewest segments.
            most: the most.
        """
        within = self._log_counts[:, least : most + 1]
        logs = self._log_joint(within)
        found = np.full(self._log_counts.shape[1], -np.inf)
        possible = np.isfinite(within[self.drawn])
        found[least : most + 1][possible] = logsumexp(logs, axis=0)[possible] - within[self.drawn][possible]
        return found

    def length_shares(self, counts: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """How probable each length is, given draws.

        Arguments:
            counts: the number of segments of each draw.
            weights: of the draws.
        """
        logs = self._log_joint(self._log_counts)[:, counts]
        return np.asarray(np.exp(logs - logsumexp(logs, axis=0)) @ weights)

    def _log_joint(self, within: np.ndarray) -> np.ndarray:
        """Logs of the probabilities of lengths and numbers of segments, given that these are some of those given."""
        with np.errstate(divide="ignore"):
            return within - logsumexp(within, axis=1, keepdims=True) + np.log(self.shares)[:, None]


def default_models(
    views: Sequence[View],
    *,
    kinds: Sequence[str] = KINDS,
    periods: Sequence[float] = (),
    minimum: int = 1,
    expected: Sequence[float] = EXPECTED,
    also: Sequence[float] = (),
    long: bool = False,
    finer: Finders | None = None,
) -> list[Candidate]:
    """The models of a series that may be looked at in several ways; trees may `also` be drawn with other expected numbers of
    segments, which count for nothing otherwise. Of a `long` series outliers have been taken out before, and noise may be as
    little as differences of neighbours suggest; where `finer` says what it is, banks have members there."""
    weights = 1.0 / np.asarray(expected)
    shares = (*(weights / weights.sum()).tolist(), *(0.0 for _ in also))
    found = []
    for view in views:
        lengths = tuple(
            Geometric(max(view.ticks / number, minimum + least), minimum)
            for numbers, least in ((expected, SHORT), (also, 0.02))
            for number in numbers
        )
        for kind in kinds:
            probability = 1.0 / (len(kinds) * len(views))
            together = 0.0 if kind.endswith("autoregressive") else SHARED
            leaf = partial(_leaf, view.units, kind, periods, 0.0 if long else OUTLIERS)
            known = None if finer is None else finer(view, kind)
            levels = _levels(view.units, min(NOISE[0], LOCAL * float(view.units.local.min())) if long else NOISE[0])
            bank = leaf(*_own_noise(view.units, kind, levels, known))
            found.append(Candidate(view, kind, bank, None, probability * (1.0 - together), bank, lengths, shares))
            if together:
                alike = bank.columns == 1 and known is None
                common = bank if alike else leaf(*_common_noise(view.units, levels, known), each_column=False)
                for m, member in enumerate(common.bank):
                    weight, one = probability * together * member.weight, member.emission
                    found.append(Candidate(view, kind, common, m, weight, one, lengths, shares))  # type: ignore[arg-type]
    return found


def knowing_outliers(leaf: Leaf) -> Leaf:
    """The leaf, with outliers of its own."""
    assert leaf.start_std is not None
    scale = leaf.start_std / START
    return replace(leaf, outlier_probability=OUTLIERS, outlier_std=BROAD * scale).checked("leaf", len(scale))


class _Grid(NamedTuple):
    """Deviations of columns, multiples of these, coefficients, and probabilities (levels, coefficients)."""

    noise: np.ndarray
    levels: Sequence[float] | np.ndarray
    coefficients: Sequence[float] | np.ndarray
    weights: np.ndarray | None


def _own_noise(units: Units, kind: str, levels: np.ndarray, finer: Finer | None) -> _Grid:
    """Multiples of the columns' deviations."""
    coefficients = COEFFICIENTS if kind.endswith("autoregressive") else (0.0,)
    known = None if finer is None else (finer.levels, finer.coefficients)
    return _grid(units.scale, (levels, coefficients), known)


def _common_noise(units: Units, levels: np.ndarray, finer: Finer | None) -> _Grid:
    """Likewise, where all segments and columns share the multiple: if there are several columns, of what differences of
    neighbours suggest for each, or of what is known."""
    white = (0.0,)
    if len(units.scale) == 1:
        return _grid(units.scale, (levels, white), None if finer is None else (finer.common, white))
    local = np.clip(units.local, np.maximum(NOISE[0], units.least), 1.0) if finer is None else finer.common
    return _grid(units.scale * local, (MULTIPLES, white), None if finer is None else ((1.0,), white))


def _levels(units: Units, lowest: float) -> np.ndarray:
    """From the noise that rounding leaves on, if that is more than the lowest."""
    least = min(max(lowest, float(units.least.max(initial=0.0))), 0.99 * NOISE[-1])
    return np.geomspace(least, NOISE[-1], len(NOISE))


def _grid(noise: np.ndarray, coarse: _Pair, finer: _Pair | None) -> _Grid:
    """All of the first, or half of the probability for each, whose numbers then differ in four digits."""
    if finer is None:
        return _Grid(noise, *coarse, None)
    shares: dict[tuple[float, float], float] = {}
    for levels, coefficients in (coarse, finer):
        for pair in product(map(_rounded, levels), map(_rounded, coefficients)):
            shares[pair] = shares.get(pair, 0.0) + 0.5 / (len(levels) * len(coefficients))
    levels, coefficients = (sorted({pair[n] for pair in shares}) for n in (0, 1))
    weights = np.array([[shares.get((level, phi), 0.0) for phi in coefficients] for level in levels])
    return _Grid(noise, levels, coefficients, weights)


def _rounded(value: float) -> float:
    return float(f"{value:.4g}")


def _leaf(
    units: Units,
    kind: str,
    periods: Sequence[float],
    outliers: float,
    noise: np.ndarray,
    levels: Sequence[float] | np.ndarray,
    coefficients: Sequence[float] | np.ndarray,
    weights: np.ndarray | None,
    each_column: bool = True,
) -> Leaf:
    scale = units.scale
    return Leaf(
        TERMINATION,
        noise,
        noise_levels=levels,  # type: ignore[arg-type]
        coefficients=coefficients,  # type: ignore[arg-type]
        weights=weights,
        trend_std=RISE * scale if kind.startswith("trend") else None,
        periods=periods,
        season_std=SEASON * scale if len(periods) else None,
        start_std=START * scale,
        outlier_probability=outliers,
        outlier_std=BROAD * scale if outliers else None,
        each_column=each_column,
    ).checked("leaf", len(scale))
