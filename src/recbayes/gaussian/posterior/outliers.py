"""The likelihood of a leaf with all sets of outliers summed over, against that with the one set that its potential takes."""

from typing import NamedTuple

import numpy as np

from recbayes.checks.series import Series
from recbayes.compiled.compilation import run_kernel
from recbayes.gaussian.emissions.leaf import Leaf
from recbayes.gaussian.emissions.regression import columns_of, numbers_of, of_span
from recbayes.gaussian.kernels.leaves import NOISE, OWN, RISE, START, Column, leaf_form
from recbayes.gaussian.kernels.outliers import log_ratio


class _Seen(NamedTuple):
    """The columns of a series as a member of the bank takes them."""

    leaf: Leaf
    columns: list[Column]


class OutlierRatios:
    """For one leaf of a model on a series."""

    def __init__(self, leaf: Leaf, series: Series, positions: np.ndarray) -> None:
        self._leaf, self._series, self._positions = leaf, series, positions
        self._seen: dict[int, _Seen] = {}

    def of(self, span: tuple[int, int], means: np.ndarray, members: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Logs of ratios of leaves over a span (nodes, copies), given means (nodes, copies, columns) and members of the bank
        (nodes, columns)."""
        ratios = np.zeros(means.shape[:2])
        for d in range(means.shape[2]):
            for m in np.unique(members[:, d]).tolist():
                which = np.flatnonzero(members[:, d] == m)
                leaf, columns = self._member(m)
                column, numbers = of_span(leaf, d, columns[d], *span), numbers_of(leaf, d, np.float64)
                drawn = _means(column, numbers, *span, means[which, :, d].ravel(), rng)
                found = np.zeros(len(drawn))
                run_kernel(log_ratio, column, numbers, _limits(leaf, numbers), *span, drawn, found)
                ratios[which] += found.reshape(len(which), -1)
        return ratios

    def _member(self, m: int) -> _Seen:
        if m not in self._seen:
            leaf: Leaf = self._leaf.bank[m].emission if self._leaf.each_column else self._leaf  # type: ignore[assignment]
            self._seen[m] = _Seen(leaf, list(columns_of(leaf, self._series, self._positions)))
        return self._seen[m]


def _limits(leaf: Leaf, numbers: np.ndarray) -> np.ndarray:
    """Variances of noise at the first tick of a leaf, and in the long run."""
    noise, stationary = numbers[NOISE] ** 2, numbers[NOISE] ** 2 / (1.0 - leaf.coefficients[0] ** 2)
    return np.array([min(max(noise, numbers[START] ** 2), stationary), stationary])


def _means(column: Column, numbers: np.ndarray, start: int, end: int, u: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The means of a leaf's observations (copies, observations), given its level, with what is its own drawn given the
    data."""
    ticks = column.ticks
    length = ticks[end] - ticks[start]
    own = column.design[start:end] * numbers[OWN:]
    matrix, y0 = run_kernel(leaf_form, column, numbers, start, end)
    matrix = np.tril(matrix) + np.tril(matrix, -1).T
    if numbers[RISE] >= 0.0:
        middle = 0.5 * (length - 1.0)
        line = numbers[RISE] * (ticks[start:end] - ticks[start] - middle) / length
        own = np.column_stack([line, own])
        basis = np.eye(len(matrix))  # a = u - slope middle, slope = z rise / length
        basis[:, 1] = 0.0
        basis[0, 1], basis[1, 1] = -middle * numbers[RISE] / length, numbers[RISE] / length
        matrix = basis.T @ matrix @ basis
    q = own.shape[1]
    if not q:
        return np.repeat(u[:, None], end - start, axis=1)
    scales = np.ones(len(matrix))
    scales[len(matrix) - 1 - len(numbers[OWN:]) : len(matrix) - 1] = numbers[OWN:]
    matrix = scales[:, None] * matrix * scales
    precision = np.eye(q) + matrix[1:-1, 1:-1]
    root = np.linalg.cholesky(precision)
    target = matrix[1:-1, -1] - np.outer(u - y0, matrix[1:-1, 0])
    z = np.linalg.solve(precision, target.T).T + np.linalg.solve(root.T, rng.standard_normal((q, len(u)))).T
    return u[:, None] + z @ own.T
