"""The tree of highest gain among those a Gaussian model can generate."""

import numpy as np

from recbayes.compiled.compilation import run_kernel
from recbayes.compiled.layout import choice_places
from recbayes.family.decode import LABEL, Cells
from recbayes.gaussian.chart.inside import Chart
from recbayes.gaussian.chart.tables import tables_of
from recbayes.gaussian.kernels.decode import best_tree_by_gain
from recbayes.gaussian.posterior.forest import gaussian_forest
from recbayes.gaussian.posterior.given_tree import constants_of
from recbayes.tree.forest import Forest


class GaussianCells(Cells):
    """Draws in terms of the cells of a Gaussian chart."""

    def __init__(self, chart: Chart, forest: Forest) -> None:
        super().__init__(forest, len(chart.plan.positions))
        self.chart = chart
        self.tables, origins = tables_of(chart.model)
        _, self.length_log_probability = constants_of(chart.model, origins, chart.plan)
        self.keys = cell_keys(chart, forest.variables, forest.starts, forest.ends)

    def gain(self, weights: np.ndarray) -> np.ndarray:
        """For every cell, the total weight of the draws with a node there, whatever its label."""
        totals = self.span_totals(weights)
        gain = np.zeros(self.chart.plan.choices_size)
        starts, ends = self.distinct // self.points, self.distinct % self.points
        for v in range(len(self.chart.model.variables)):
            row = self.chart.plan.rows[v, ends - starts]
            there = (row["low"] <= starts) & (starts <= row["high"])
            gain[cell_keys(self.chart, np.full(there.sum(), v), starts[there], ends[there])] = totals[there]
        np.add.at(gain, self.keys, LABEL * weights[self.forest.owners])
        return gain

    def decode(self, gain: np.ndarray, price: float) -> Forest:
        """The best tree for given gains, as a forest of one."""
        plan = self.chart.plan
        value = np.full(plan.choices_size, -np.inf)
        choice = np.zeros((2, plan.choices_size), dtype=np.int64)
        out = np.zeros((4, 2 * len(plan.positions)), dtype=np.int32)
        arguments = self.length_log_probability, gain, float(price), value, choice, out
        count = run_kernel(best_tree_by_gain, self.tables, plan, *arguments)
        return gaussian_forest(self.chart.model, plan.positions, out[:, :count], np.array([0, count]))


def cell_keys(chart: Chart, variables: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Where the choices of many cells stand, which stands for the cell."""
    row = chart.plan.rows[variables, ends - starts]
    size = max(variable.dim for variable in chart.model.variables)
    return choice_places(chart.plan.choice_base[variables], row, starts, size)
