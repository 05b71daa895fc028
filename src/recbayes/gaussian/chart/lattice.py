"""Where boundaries of long series are likely: flat segmentations on a lattice of spans, by the leaves of a model.

As `recbayes.gaussian.chart.flat`, for more points than can be paired: the work grows with the number of points, not with its
square.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from recbayes.checks.series import Series
from recbayes.compiled.compilation import run_kernel
from recbayes.gaussian.emissions.leaf import Leaf
from recbayes.gaussian.emissions.regression import columns_of, numbers_of, ticks_of
from recbayes.gaussian.kernels.blocks import (
    ENTRIES,
    FIRST_LOG,
    FIRST_WEIGHT,
    LOG,
    NEXT_LOG,
    NEXT_WEIGHT,
    SEEN,
    Blocks,
    sum_blocks,
)
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
    """The log evidence of all segmentations, the probabilities of boundaries at points, and log probabilities of spans as
    leaves."""

    log_evidence: float
    boundaries: np.ndarray
    spans: np.ndarray


def blocks_of(leaf: Leaf, series: Series, positions: np.ndarray) -> Blocks:
    """What all members of a leaf's bank see between points. Those of one coefficient differ in scale alone. Leaves have no
    seasons, regressors and outliers, and restart."""
    members: list[Leaf] = [member.emission for member in leaf.bank]  # type: ignore[misc]
    entries = np.empty((len(members), leaf.columns, len(positions) - 1, ENTRIES))
    limits = np.empty((len(members), leaf.columns, 2))
    base: dict[float, int] = {}
    for m, one in enumerate(members):
        phi = float(one.coefficients[0])
        for d in range(leaf.columns):
            limits[m, d] = _limits(one, d)
        if phi not in base:
            base[phi] = m
            for d, column in enumerate(columns_of(one, series, positions)):
                terms = run_kernel(observation_terms, column, numbers_of(one, d, np.float64))
                run_kernel(sum_blocks, column, tuple(terms), entries[m, d])
        else:
            _rescale(entries[base[phi]], one.noise_levels[0] / members[base[phi]].noise_levels[0], limits[m], entries[m])
    phi_ = np.array([one.coefficients[0] for one in members])
    rise = np.full(leaf.columns, -1.0) if leaf.trend_std is None else np.array(leaf.trend_std, dtype=np.float64)
    return Blocks(entries, phi_, limits[..., 1] / limits[..., 0], np.array([member.weight for member in leaf.bank]), rise)


def _limits(leaf: Leaf, d: int) -> tuple[float, float]:
    """Variances of noise at the first tick of a leaf, and in the long run, as `kernels.leaves` has them."""
    noise, start, *_ = numbers_of(leaf, d, np.float64)
    stationary = noise**2 / (1.0 - leaf.coefficients[0] ** 2)
    return min(stationary, max(start, noise) ** 2) if leaf.coefficients[0] else noise**2, stationary


def _rescale(entries: np.ndarray, factor: float, limits: np.ndarray, out: np.ndarray) -> None:
    """Blocks (columns, blocks, ENTRIES) by noise that is so many times as large, and has limits of its own."""
    out[:] = entries
    out[..., :LOG] /= factor**2
    out[..., NEXT_WEIGHT] /= factor**2
    log_factor = np.log(factor)
    out[..., LOG] -= np.maximum(out[..., SEEN] - 1.0, 0.0) * log_factor
    out[..., NEXT_LOG] -= log_factor
    out[..., FIRST_WEIGHT] = 1.0 / limits[:, :1]
    out[..., FIRST_LOG] = -0.5 * np.log(2.0 * np.pi * limits[:, :1])


def only(blocks: Blocks, member: int) -> Blocks:
    """What one member sees, which all leaves share."""
    one = slice(member, member + 1)
    return blocks._replace(entries=blocks.entries[one], phi=blocks.phi[one], ratio=blocks.ratio[one], weights=np.ones(1))


def lattice_of(
    blocks: Blocks,
    series: Series,
    positions: np.ndarray,
    lengths: Sequence[Length],
    log_share: float,
    mean: np.ndarray,
    variance: np.ndarray,
    each_column: bool,
) -> Lattice:
    """The spans that matter by some of the lengths, where every leaf has a share. The value of a leaf is normal."""
    ticks = _ticks_at(series, positions)
    likeliest = np.max([_log_lengths(length, ticks, log_share) for length in lengths], axis=0)
    first, begin, evidence = run_kernel(find_lattice, blocks, ticks, likeliest, mean, variance, each_column)
    return Lattice(ticks, first, begin, evidence)


def flat_pass(lattice: Lattice, length: Length, log_share: float) -> Flat:
    """All segmentations of a lattice."""
    boundaries, spans = np.empty(len(lattice.ticks)), np.empty(len(lattice.begin))
    lengths = _log_lengths(length, lattice.ticks, log_share)
    log_evidence = run_kernel(
        lattice_pass, lattice.first, lattice.begin, lattice.evidence, lengths, lattice.ticks, boundaries, spans
    )
    return Flat(log_evidence, np.exp(np.minimum(boundaries, 0.0)), spans)


def _ticks_at(series: Series, positions: np.ndarray) -> np.ndarray:
    ticks = np.asarray(ticks_of(series), dtype=np.int64)[positions]
    return ticks - ticks[0]


def _log_lengths(length: Length, ticks: np.ndarray, log_share: float) -> np.ndarray:
    return length.log_probability(np.arange(ticks[-1] + 1)) + log_share
