"""How the columns of leaves are taken where their potential is not the likelihood: members of the bank and sets of outliers.

A pair of a member and a set is drawn for each column, by the mass of its potential where values are expected. Without
outliers there are members alone, whose potentials are sums over segments between points: then no observation is looked at
again for every leaf.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from recbayes.compiled.compilation import run_kernel
from recbayes.compiled.lanes import LANES
from recbayes.gaussian.chart.inside import Chart
from recbayes.gaussian.emissions.leaf import Leaf
from recbayes.gaussian.emissions.nearest import Expected
from recbayes.gaussian.emissions.regression import columns_of, numbers_of, span_count, span_places
from recbayes.gaussian.emissions.through import Means, through
from recbayes.gaussian.kernels.leaves import OWN, RISE, Column, leaf_potentials
from recbayes.gaussian.kernels.outlier_draws import NARROWER, Bank, Drawn, draw_sets, draw_worth


class Taken(NamedTuple):
    """How one column of leaves was taken: as what the kernels know it."""

    column: Column
    bank: Bank
    drawn: Drawn


class Choices(NamedTuple):
    """Of leaves of one kind: how their columns were taken, the log of the probability of that, and the potentials that it
    makes, weights of members included (leaves, entries)."""

    columns: list[Taken]
    log_probability: np.ndarray
    potentials: np.ndarray

    @property
    def members(self) -> np.ndarray:
        """(leaves, columns) of the bank."""
        return np.stack([taken.drawn.members for taken in self.columns], axis=1)


def draw_choices(
    leaf: Leaf,
    expected: Expected,
    chart: Chart,
    spans: np.ndarray,
    least: np.ndarray,
    size: int,
    rng: np.random.Generator,
) -> Choices:
    """For leaves over spans (leaves, 2), in order, of observations; `least` is the probability with which each heeds no
    mass."""
    count = len(spans)
    found = []
    for column, bank in _banks(leaf, expected, chart):
        members, sets = np.zeros((2, count), dtype=np.int64)
        drawn = Drawn(spans, least, members, sets, np.empty(count), np.empty((count, 3)), np.empty((count, 2)))
        if leaf.outlier_probability:
            run_kernel(draw_sets, column, bank, rng.random(count), drawn)
        else:
            _draw_members(column, bank, rng.random(count), drawn)
        found.append(Taken(column, bank, drawn))
    potentials = np.stack([taken.drawn.potentials.T for taken in found], axis=1)
    log_probability = np.sum([taken.drawn.logs for taken in found], axis=0)
    return Choices(found, log_probability, through(Means(leaf.map, leaf.offset), potentials, size).T)


def _draw_members(column: Column, bank: Bank, uniforms: np.ndarray, drawn: Drawn) -> None:
    """As `draw_sets`, where there are no outliers."""
    spans, which = np.unique(drawn.spans, axis=0, return_inverse=True)
    which = which.reshape(-1)
    potentials = _potentials_of(column, bank, np.searchsorted(column.positions, spans))
    heights, modes, precisions = potentials.swapaxes(0, 1)
    masses = np.empty((2, *heights.shape))
    for own, variance in zip(masses, (bank.variance, bank.variance / NARROWER), strict=True):
        spread = 1.0 + precisions * variance
        own[:] = heights - 0.5 * (np.log(spread) + precisions * (modes - bank.mean) ** 2 / spread)
    totals = logsumexp(masses, axis=1)
    reached = np.zeros(len(uniforms))
    for m, (log_weight, wide_and_narrow) in enumerate(zip(bank.log_weights, masses.swapaxes(0, 1), strict=True)):
        seen = 0.5 * np.exp(wide_and_narrow - totals).sum(axis=0)[which]
        share = (1.0 - drawn.least) * seen + drawn.least * np.exp(log_weight)
        here = (share > 0.0) & (reached <= uniforms)
        drawn.members[here], drawn.logs[here] = m, np.log(share[here])
        reached += share
    drawn.totals[:] = totals.T[which]
    drawn.potentials[:] = potentials[drawn.members, :, which]


def _potentials_of(column: Column, bank: Bank, spans: np.ndarray) -> np.ndarray:
    """Height, mode and precision of spans between points by every member, its weight included: (members, 3, spans)."""
    segments, widest = len(column.positions) - 1, int(np.diff(spans).max())
    places = span_places(spans[:, 0], spans[:, 1], segments)
    found, every = np.empty((len(bank.phi), 3, len(spans))), np.empty((3, span_count(segments, widest)))
    for m, phi in enumerate(bank.phi.tolist()):
        run_kernel(leaf_potentials, column._replace(phi=phi), bank.numbers[m], widest, every)
        found[m] = every[:, places]
        found[m, 0] += bank.log_weights[m]
    return found


def log_worth(choices: Choices, means: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Logs of what draws of the columns' means (leaves, LANES, columns) are worth, all sets of outliers summed over."""
    total = np.zeros(means.shape[:2])
    for d, (column, bank, drawn) in enumerate(choices.columns):
        own = bank.numbers.shape[1] - OWN + int(bank.numbers[0, RISE] >= 0)
        normals, out = rng.standard_normal((len(means), own, LANES)), np.empty_like(total)
        run_kernel(draw_worth, column, bank, drawn, np.ascontiguousarray(means[:, :, d]), normals, out)
        total += out
    return total


def _banks(leaf: Leaf, expected: Expected, chart: Chart) -> list[tuple[Column, Bank]]:
    """Of every column, as the kernels take it."""
    members: list[Leaf] = [member.emission for member in leaf.bank]  # type: ignore[misc]
    phi = np.array([one.coefficients[0] for one in members])
    log_weights = np.log([member.weight for member in leaf.bank])
    found = []
    for d, column in enumerate(columns_of(members[0], chart.series, chart.plan.positions)):
        numbers = np.array([numbers_of(one, d, np.float64) for one in members])
        found.append((column, Bank(numbers, phi, log_weights, float(expected.mean[d]), float(expected.variance[d]))))
    return found
