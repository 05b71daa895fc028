"""How the columns of a leaf are taken where its potential is not the likelihood: members of the bank and sets of outliers.

A pair of a member and a set is drawn for each column, by the mass of its potential where values are expected. Of few
observations all sets are considered; of more, that which the member takes, and that of all.
"""

from itertools import product
from typing import NamedTuple

import numpy as np

from recbayes.compiled.compilation import run_kernel
from recbayes.gaussian.chart.inside import Chart
from recbayes.gaussian.chart.references import first_marginals
from recbayes.gaussian.emissions.leaf import Leaf
from recbayes.gaussian.emissions.regression import (
    all_outliers,
    columns_of,
    mixed_potentials,
    numbers_of,
    of_span,
    span_count,
)
from recbayes.gaussian.emissions.through import Means, through
from recbayes.gaussian.kernels.leaves import CLEAN, MISSING, OUTLIER, Column, leaf_potentials
from recbayes.gaussian.model.rbn import GaussianRBN

WIDER = 2.0  # the variance of where values are expected, in that of where a variable is first met
FEW = 64  # pairs of members and sets, up to which all sets are considered


class Taken(NamedTuple):
    """How one column of leaves over one span was taken: of each leaf its member and its set; and of each set the log of the
    probability of the pair over the mass of its potential (leaves, sets)."""

    members: np.ndarray
    sets: np.ndarray
    log_scales: np.ndarray


class Drawn(NamedTuple):
    """Of leaves over one span: how their columns were taken, the log of the probability of that, and the potentials that it
    makes, weights of members included (leaves, entries)."""

    columns: list[Taken]
    log_probability: np.ndarray
    potentials: np.ndarray

    @property
    def members(self) -> np.ndarray:
        return np.stack([column.members for column in self.columns], axis=1)


class Choices:
    """Of one leaf of a model, whose columns' means have these expected means and variances, for all spans of a chart."""

    def __init__(self, leaf: Leaf, expected: tuple[np.ndarray, np.ndarray], chart: Chart) -> None:
        self._leaf, self._means = leaf, Means(leaf.map, leaf.offset)
        self._positions = chart.plan.positions
        self._segments = len(self._positions) - 1
        self._potentials = mixed_potentials(leaf, chart.series, self._positions, self._segments)
        self._expected = np.stack(expected)
        self.weights = np.array([member.weight for member in leaf.bank])
        self.members: list[Leaf] = [member.emission for member in leaf.bank]  # type: ignore[misc]
        self._columns = [list(columns_of(member, chart.series, self._positions)) for member in self.members]
        seen = np.array([column.state != MISSING for column in self._columns[0]])
        self._seen = np.concatenate([np.zeros((len(seen), 1), dtype=np.int64), np.cumsum(seen, axis=1)], axis=1)

    def draw(self, start: int, end: int, least: np.ndarray, size: int, rng: np.random.Generator) -> Drawn:
        """For leaves between two points; `least` is the probability with which each heeds no mass."""
        taken, columns = np.empty((3, self._leaf.columns, len(least))), []
        log_probability = np.zeros(len(least))
        for d in range(self._leaf.columns):
            potentials = self._pairs(d, start, end)
            masses = _log_masses(potentials, *self._expected[:, d])
            shares = self.weights[:, None] * np.exp(masses - masses.max())
            shares /= shares.sum()
            blind = np.repeat(self.weights[:, None], shares.shape[1], axis=1) / shares.shape[1]
            shares = shares + least[:, None, None] * (blind - shares)  # (leaves, members, sets)
            edges = np.cumsum(shares.reshape(len(least), -1), axis=1)
            pair = (edges <= rng.random((len(least), 1)) * edges[:, -1:]).sum(axis=1)
            member, set_ = np.unravel_index(pair, potentials.shape[:2])
            with np.errstate(divide="ignore"):
                log_shares = np.log(shares[np.arange(len(least)), member])
            columns.append(Taken(member, set_, log_shares - masses[member]))
            log_probability += log_shares[np.arange(len(least)), set_]
            taken[:, d] = potentials[member, set_].T
            taken[0, d] += np.log(self.weights[member])
        return Drawn(columns, log_probability, through(self._means, taken, size).T)

    def _pairs(self, d: int, start: int, end: int) -> np.ndarray:
        """Potentials of all pairs: (members, sets, 3)."""
        span = int(self._positions[start]), int(self._positions[end])
        if not self._leaf.outlier_probability or not self._all_sets(d, *span):
            place = span_count(self._segments, end - start - 1) + start
            found = self._potentials[:, :, d, place]
            pairs = [found[: len(self.members)]]
            pairs += [np.repeat(found[-1:], len(self.members), axis=0)] if self._leaf.outlier_probability else []
            return np.stack(pairs, axis=1)
        out = []
        for m, member in enumerate(self.members):
            numbers, column = numbers_of(member, d, np.float64), self._columns[m][d]
            for state in self.sets(m, d, *span):
                one = np.empty((3, 1))
                run_kernel(leaf_potentials, column._replace(state=state, positions=np.array(span)), numbers, 1, one)
                out.append(one[:, 0])
        return np.array(out).reshape(len(self.members), -1, 3)

    def sets(self, m: int, d: int, start: int, end: int) -> np.ndarray:
        """The sets of outliers that a member considers, as states of all observations: (sets, N)."""
        column: Column = self._columns[m][d]
        if not self._all_sets(d, start, end):
            return np.stack([of_span(self.members[m], d, column, start, end).state, all_outliers(column).state])
        seen = start + np.flatnonzero(column.state[start:end] != MISSING)
        found = np.repeat(column.state[None], 2 ** len(seen), axis=0)
        found[:, seen] = np.array(list(product((CLEAN, OUTLIER), repeat=len(seen)))).reshape(len(found), -1)
        return found

    def column(self, m: int, d: int) -> Column:
        return self._columns[m][d]

    def _all_sets(self, d: int, start: int, end: int) -> bool:
        seen = int(self._seen[d, end] - self._seen[d, start])
        return len(self.members) * 2 ** min(seen, 30) <= FEW


def expected_means(model: GaussianRBN, v: int, leaf: Leaf) -> tuple[np.ndarray, np.ndarray]:
    """Where the means of the columns of a variable's leaf are expected: their means and variances."""
    mean, covariance = first_marginals(model)[v]
    H = np.eye(len(mean))[: leaf.columns] if leaf.map is None else leaf.map
    means = H @ mean + (0.0 if leaf.offset is None else leaf.offset)
    return means, WIDER * np.einsum("ca,ab,cb->c", H, covariance, H)


def _log_masses(potentials: np.ndarray, mean: float, variance: float) -> np.ndarray:
    """Logs of the integrals of potentials (..., 3) under a normal distribution."""
    height, mode, precision = np.moveaxis(potentials, -1, 0)
    spread = 1.0 + precision * variance
    return np.asarray(height - 0.5 * (np.log(spread) + precision * (mode - mean) ** 2 / spread))
