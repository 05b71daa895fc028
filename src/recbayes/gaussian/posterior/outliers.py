"""Exact weights where a leaf's potential takes only one set of outliers: the others are summed over, given drawn values.

A tree's joint probability by the potentials is multiplied with the mean, over values of its nodes drawn by them, of the
ratio of the true likelihood of all leaves, outliers summed over, to that by the potentials: an unbiased estimate of the
true joint probability, so that weights are exact in the long run (importance sampling of trees and values together).
"""

import numpy as np
from scipy.special import logsumexp

from recbayes.compiled.compilation import run_kernel
from recbayes.compiled.lanes import LANES
from recbayes.gaussian.chart.inside import Chart
from recbayes.gaussian.chart.tables import emit_rules, tables_of
from recbayes.gaussian.emissions.leaf import Leaf
from recbayes.gaussian.emissions.regression import columns_of, numbers_of, of_span
from recbayes.gaussian.kernels.leaves import NOISE, OWN, RISE, START, Column, leaf_form
from recbayes.gaussian.kernels.listing import Problem
from recbayes.gaussian.kernels.outliers import log_ratio
from recbayes.gaussian.kernels.values import draw_values
from recbayes.tree.forest import Forest


def has_outliers(chart: Chart) -> bool:
    """Whether some leaves may have outliers."""
    _, origins = tables_of(chart.model)
    return any(isinstance(one, Leaf) and one.outlier_probability > 0 for one in emit_rules(chart.model, origins))


def log_corrections(chart: Chart, problem: Problem, forest: Forest, components: np.ndarray, seed: int) -> np.ndarray:
    """For every tree, the log of the mean ratio of its true joint probability to that by the potentials."""
    rng = np.random.default_rng([seed, 1])
    size = max(variable.dim for variable in chart.model.variables)
    normals = rng.standard_normal((len(forest.rules), size, LANES))
    values = np.empty_like(normals)
    rows = np.stack([forest.rules, forest.splits]).astype(np.int64)
    run_kernel(draw_values, problem, rows, forest.sizes, components, normals, values)
    logs = np.zeros((len(forest), LANES))
    _add_leaves(chart, forest, values, logs, rng)
    return logsumexp(logs, axis=1) - np.log(LANES)


def _add_leaves(chart: Chart, trees: Forest, values: np.ndarray, logs: np.ndarray, rng: np.random.Generator) -> None:
    """Add the log ratios of all leaves, those with the same span and member at once."""
    _, origins = tables_of(chart.model)
    rules = emit_rules(chart.model, origins)
    leaves = np.flatnonzero(trees.arities == 0)
    keys = np.stack([trees.rules[leaves], trees.starts[leaves], trees.ends[leaves]], axis=1)
    unique, which = np.unique(keys, axis=0, return_inverse=True)
    order = np.argsort(which.reshape(-1), kind="stable")
    groups = np.split(leaves[order], np.cumsum(np.bincount(which.reshape(-1)))[:-1])
    columns: dict[int, list[Column]] = {}
    for (rule, i, k), nodes in zip(unique.tolist(), groups, strict=True):
        leaf = rules[-1 - rule]
        if not isinstance(leaf, Leaf) or not leaf.outlier_probability:
            continue
        if rule not in columns:
            columns[rule] = list(columns_of(leaf, chart.series, chart.plan.positions))
        start, end = int(chart.plan.positions[i]), int(chart.plan.positions[k])
        drawn = values[nodes].swapaxes(1, 2).reshape(-1, values.shape[1])  # (copies, dimensions)
        ratio = np.zeros(len(drawn))
        for d, whole in enumerate(columns[rule]):
            u = drawn[:, d] if leaf.map is None else drawn[:, : leaf.map.shape[1]] @ leaf.map[d]
            u = u if leaf.offset is None else u + leaf.offset[d]
            column = of_span(leaf, d, whole, start, end)
            numbers = numbers_of(leaf, d, np.float64)
            means = _means(leaf, column, numbers, start, end, u, rng)
            run_kernel(log_ratio, column, numbers, _limits(leaf, numbers), start, end, means, ratio)
        np.add.at(logs, trees.owners[nodes], ratio.reshape(len(nodes), LANES))


def _limits(leaf: Leaf, numbers: np.ndarray) -> np.ndarray:
    """Variances of noise at the first tick of a leaf, and in the long run."""
    noise, stationary = numbers[NOISE] ** 2, numbers[NOISE] ** 2 / (1.0 - leaf.coefficients[0] ** 2)
    return np.array([min(max(noise, numbers[START] ** 2), stationary), stationary])


def _means(
    leaf: Leaf, column: Column, numbers: np.ndarray, start: int, end: int, u: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
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
