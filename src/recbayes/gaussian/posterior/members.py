"""How the columns of a leaf are taken where its potential is not the likelihood: members of the bank and sets of outliers.

A pair of a member and a set is drawn for each column, by the mass of its potential where values are expected. Of few
observations all sets are considered; of more, that which the member takes, and that of all.
"""

from itertools import product
from typing import NamedTuple

import numpy as np

from recbayes.compiled.compilation import run_kernel
from recbayes.gaussian.chart.inside import Chart
from recbayes.gaussian.emissions.leaf import Leaf
from recbayes.gaussian.emissions.nearest import Expected, log_masses
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
    """Of one leaf of a model, whose columns' means are expected somewhere, for all spans of a chart."""

    def __init__(self, leaf: Leaf, expected: Expected, chart: Chart) -> None:
        self._leaf, self._means, self._expected = leaf, Means(leaf.map, leaf.offset), expected
        self._positions = chart.plan.positions
        self._segments = len(self._positions) - 1
        self.weights = np.array([member.weight for member in leaf.bank])
        self.members: list[Leaf] = [member.emission for member in leaf.bank]  # type: ignore[misc]
        self._columns = [list(columns_of(member, chart.series, self._positions)) for member in self.members]
        self._potentials: np.ndarray | None = None  # of all spans, where members are many; else of each when it is needed
        if leaf.each_column:
            self._potentials = mixed_potentials(leaf, chart.series, self._positions, self._segments)
        self._sets: dict[tuple[int, ...], np.ndarray] = {}

    def draw(self, start: int, end: int, least: np.ndarray, size: int, rng: np.random.Generator) -> Drawn:
        """For leaves between two points; `least` is the probability with which each heeds no mass."""
        taken, columns = np.empty((3, self._leaf.columns, len(least))), []
        log_probability, leaves = np.zeros(len(least)), np.arange(len(least))
        for d in range(self._leaf.columns):
            potentials = self._pairs(d, start, end)
            masses = self._log_masses(d, potentials)
            shares = self.weights[:, None] * np.exp(masses - masses.max())
            shares /= shares.sum()
            blind = np.repeat(self.weights[:, None], shares.shape[1], axis=1) / shares.shape[1]
            shares = shares + least[:, None, None] * (blind - shares)  # (leaves, members, sets)
            edges = np.cumsum(shares.reshape(len(least), -1), axis=1)
            pair = (edges <= rng.random((len(least), 1)) * edges[:, -1:]).sum(axis=1)
            member, set_ = np.unravel_index(pair, potentials.shape[:2])
            log_shares = np.log(shares[leaves, member])
            columns.append(Taken(member, set_, log_shares - masses[member]))
            log_probability += log_shares[leaves, set_]
            taken[:, d] = potentials[member, set_].T
            taken[0, d] += np.log(self.weights[member])
        return Drawn(columns, log_probability, through(self._means, taken, size).T)

    def column(self, m: int, d: int) -> Column:
        """A column as a member takes it."""
        return self._columns[m][d]

    def sets(self, m: int, d: int, start: int, end: int) -> np.ndarray:
        """The sets of outliers that a member considers, as states of all observations: (sets, N)."""
        key = m, d, start, end
        if key not in self._sets:
            self._sets[key] = self._sets_of(m, self._columns[m][d], d, start, end)
        return self._sets[key]

    def _sets_of(self, m: int, column: Column, d: int, start: int, end: int) -> np.ndarray:
        if not self._leaf.outlier_probability:
            return column.state[None]
        seen = start + np.flatnonzero(column.state[start:end] != MISSING)
        if not self._are_few(len(seen)):
            return np.stack([of_span(self.members[m], d, column, start, end).state, all_outliers(column).state])
        found = np.repeat(column.state[None], 2 ** len(seen), axis=0)
        found[:, seen] = np.array(list(product((CLEAN, OUTLIER), repeat=len(seen)))).reshape(len(found), -1)
        return found

    def _are_few(self, seen: int) -> bool:
        return len(self.members) * 2 ** min(seen, 30) <= FEW

    def _pairs(self, d: int, start: int, end: int) -> np.ndarray:
        """Potentials of all pairs: (members, sets, 3)."""
        span = int(self._positions[start]), int(self._positions[end])
        seen = int((self._columns[0][d].state[span[0] : span[1]] != MISSING).sum())
        if self._potentials is not None and not (self._leaf.outlier_probability and self._are_few(seen)):
            found = self._potentials[:, :, d, span_count(self._segments, end - start - 1) + start]
            pairs = [found[: len(self.members)]]
            pairs += [np.repeat(found[-1:], len(self.members), axis=0)] if self._leaf.outlier_probability else []
            return np.stack(pairs, axis=1)
        out, one = [], np.empty((3, 1))
        for m, member in enumerate(self.members):
            numbers, column = numbers_of(member, d, np.float64), self._columns[m][d]._replace(positions=np.array(span))
            for state in self.sets(m, d, *span):
                run_kernel(leaf_potentials, column._replace(state=state), numbers, 1, one)
                out.append(one[:, 0].copy())
        return np.array(out).reshape(len(self.members), -1, 3)

    def _log_masses(self, d: int, potentials: np.ndarray) -> np.ndarray:
        """Of pairs (members, sets, 3), where the column's mean is expected."""
        alone = Expected(self._expected.mean[d : d + 1], self._expected.variance[d : d + 1])
        return log_masses(np.moveaxis(potentials, 2, 1)[:, :, None, :], alone)[:, 0]
