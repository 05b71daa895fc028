"""Members of a bank, drawn for each column of a leaf by itself: by their shares of the column's mass."""

import numpy as np

from recbayes.gaussian.chart.inside import Chart
from recbayes.gaussian.emissions.each_column import log_shares
from recbayes.gaussian.emissions.leaf import Leaf
from recbayes.gaussian.emissions.regression import bank_potentials, bank_weights, span_count
from recbayes.gaussian.emissions.through import Means, through

LEAST = 1e-4  # the probability with which each member is drawn, at least, as a share of all


class Choices:
    """Of one leaf of a model, for all spans of a chart."""

    def __init__(self, leaf: Leaf, chart: Chart) -> None:
        self._means = Means(leaf.map, leaf.offset)
        self._segments = len(chart.plan.positions) - 1
        self._weights = bank_weights(leaf)
        self._potentials = bank_potentials(leaf, chart.series, chart.plan.positions, self._segments)

    def draw(
        self, start: int, end: int, count: int, size: int, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """For so many leaves between two points: members (leaves, columns), the log of the probability of having drawn all
        of them, and the potentials that they make, their weights included, packed (leaves, entries)."""
        potentials = self._potentials[..., span_count(self._segments, end - start - 1) + start]  # (members, 3, columns)
        columns = potentials.shape[2]
        members, log_drawn = np.empty((count, columns), dtype=np.int64), np.zeros(count)
        taken = np.empty((3, columns, count))
        for d in range(columns):
            possible = (self._weights > 0) / (self._weights > 0).sum()
            shares = (1.0 - LEAST) * np.exp(log_shares(potentials[:, :, d], self._weights)) + LEAST * possible
            members[:, d] = which = rng.choice(len(shares), size=count, p=shares / shares.sum())
            log_drawn += np.log(shares[which] / shares.sum())
            taken[:, d] = potentials[which, :, d].T
            taken[0, d] += np.log(self._weights[which])
        return members, log_drawn, through(self._means, taken, size).T
