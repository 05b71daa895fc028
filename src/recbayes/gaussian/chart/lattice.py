"""Where boundaries of long series are likely: flat segmentations on a lattice of spans, by the leaves of a model.

As `recbayes.gaussian.chart.flat`, for more points than can be paired: the work grows with the number of points, not with its
square.
"""

from typing import NamedTuple

import numpy as np

from recbayes.checks.series import Series
from recbayes.compiled.compilation import run_kernel
from recbayes.gaussian.emissions.leaf import Leaf
from recbayes.gaussian.emissions.regression import columns_of, numbers_of, ticks_of
from recbayes.gaussian.kernels.blocks import ENTRIES, Blocks, sum_blocks
from recbayes.gaussian.kernels.lattice import find_lattice, lattice_pass
from recbayes.gaussian.kernels.leaves import observation_terms
from recbayes.lengths import Length


class Lattice(NamedTuple):
    """Spans between points that matter, by their ends, with their log evidence as leaves."""

    ticks: np.ndarray  # (points,)
    first: np.ndarray  # (points + 1,): spans that end at point k are those from first[k] to first[k + 1]
    begin: np.ndarray
    evidence: np.ndarray

    @property
    def ends(self) -> np.ndarray:
        return np.repeat(np.arange(len(self.ticks)), np.diff(self.first))


class Flat(NamedTuple):
    """The log evidence of all segmentations, and the probabilities of boundaries at points, and of spans as leaves."""

    log_evidence: float
    boundaries: np.ndarray
    spans: np.ndarray


def has_blocks(leaf: Leaf) -> bool:
    """Whether leaves can be put together from blocks: those without seasons, regressors and outliers, which restart."""
    plain = not leaf.periods and leaf.regressor_std is None and not leaf.outlier_probability
    return plain and leaf.past == "restart"


def blocks_of(leaf: Leaf, series: Series, positions: np.ndarray) -> Blocks:
    """What all members of a leaf's bank see between points."""
    members = [member.emission for member in leaf.bank]
    entries = np.empty((len(members), leaf.columns, len(positions) - 1, ENTRIES))
    ratio = np.empty((len(members), leaf.columns))
    for m, one in enumerate(members):
        for d, column in enumerate(columns_of(one, series, positions)):  # type: ignore[arg-type]
            terms = run_kernel(observation_terms, column, numbers_of(one, d, np.float64))  # type: ignore[arg-type]
            run_kernel(sum_blocks, column, tuple(terms), entries[m, d])
            ratio[m, d] = terms.limits[1] / terms.limits[0]
    phi = np.array([one.coefficients[0] for one in members])  # type: ignore[attr-defined]
    rise = np.full(leaf.columns, -1.0) if leaf.trend_std is None else np.array(leaf.trend_std, dtype=np.float64)
    return Blocks(entries, phi, ratio, np.array([member.weight for member in leaf.bank]), rise)


def only(blocks: Blocks, member: int) -> Blocks:
    """What one member sees, which all leaves share."""
    one = slice(member, member + 1)
    return blocks._replace(entries=blocks.entries[one], phi=blocks.phi[one], ratio=blocks.ratio[one], weights=np.ones(1))


def lattice_of(
    blocks: Blocks,
    series: Series,
    positions: np.ndarray,
    length: Length,
    log_share: float,
    mean: np.ndarray,
    variance: np.ndarray,
    each_column: bool,
) -> Lattice:
    """The spans that matter by a length, where every leaf has a share. The value of a leaf is normal."""
    ticks = _ticks_at(series, positions)
    lengths = _log_lengths(length, ticks, log_share)
    first, begin, evidence = run_kernel(find_lattice, blocks, ticks, lengths, mean, variance, each_column)
    return Lattice(ticks, first, begin, evidence)


def flat_pass(lattice: Lattice, length: Length, log_share: float) -> Flat:
    """All segmentations of a lattice."""
    boundaries, spans = np.empty(len(lattice.ticks)), np.empty(len(lattice.begin))
    lengths = _log_lengths(length, lattice.ticks, log_share)
    log_evidence = run_kernel(
        lattice_pass, lattice.first, lattice.begin, lattice.evidence, lengths, lattice.ticks, boundaries, spans
    )
    return Flat(log_evidence, np.exp(np.minimum(boundaries, 0.0)), np.exp(np.minimum(spans, 0.0)))


def _ticks_at(series: Series, positions: np.ndarray) -> np.ndarray:
    ticks = np.asarray(ticks_of(series), dtype=np.int64)[positions]
    return ticks - ticks[0]


def _log_lengths(length: Length, ticks: np.ndarray, log_share: float) -> np.ndarray:
    return length.log_probability(np.arange(ticks[-1] + 1)) + log_share
