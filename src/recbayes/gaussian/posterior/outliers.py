"""The likelihood of a leaf with all sets of outliers summed over, given values that were drawn with one set or another.

What a draw counts is its likelihood over the mean of that by all sets with which it could have been drawn (the balance
heuristic).
"""

import numpy as np

from recbayes.compiled.compilation import run_kernel
from recbayes.gaussian.emissions.leaf import Leaf
from recbayes.gaussian.emissions.regression import numbers_of
from recbayes.gaussian.kernels.leaves import NOISE, OWN, RISE, START, Column, leaf_form
from recbayes.gaussian.kernels.outliers import log_likelihoods
from recbayes.gaussian.posterior.members import Choices, Drawn, Taken


def log_ratios(
    choices: Choices, span: tuple[int, int], drawn: Drawn, means: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Logs of ratios of leaves over a span (nodes, copies), whose columns have these means (nodes, copies, columns)."""
    ratios = np.zeros(means.shape[:2])
    for d, taken in enumerate(drawn.columns):
        pairs, which = np.unique(np.stack([taken.members, taken.sets]), axis=1, return_inverse=True)
        for number, (m, set_) in enumerate(pairs.T.tolist()):
            chosen = np.flatnonzero(which.reshape(-1) == number)
            ratios[chosen] += _of_pair(choices, span, d, m, set_, taken, chosen, means[chosen, :, d], rng)
    return ratios


def _of_pair(
    choices: Choices,
    span: tuple[int, int],
    d: int,
    m: int,
    set_: int,
    taken: Taken,
    chosen: np.ndarray,
    means: np.ndarray,
    rng: np.random.Generator,
) -> np.ndarray:
    """Of those leaves whose column d took one member and one set."""
    leaf, column, states = choices.members[m], choices.column(m, d), choices.sets(m, d, *span)
    numbers = numbers_of(leaf, d, np.float64)
    values = _means(column._replace(state=states[set_]), numbers, *span, means.ravel(), rng)
    logs = np.empty((len(values), 1 + len(states)))
    run_kernel(log_likelihoods, column, numbers, _limits(leaf, numbers), *span, states, values, logs)
    scales = np.repeat(taken.log_scales[chosen], means.shape[1], axis=0)
    found = logs[:, 0] + scales[:, set_] - np.logaddexp.reduce(logs[:, 1:] + scales, axis=1)
    return np.asarray(found.reshape(means.shape))


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
