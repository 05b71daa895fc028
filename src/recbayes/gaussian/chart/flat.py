"""Segmentations without a tree, by the leaves of a model: where boundaries are likely, at the cost of all spans.

With the same leaves, trees and flat segmentations have nearly the same boundaries: what the tree adds is the hierarchy. So
a flat pass, which takes the square of the number of points where a chart takes the cube, finds the points that a chart
needs.
"""

from dataclasses import replace

import numpy as np

from recbayes.checks.series import Series
from recbayes.compiled.compilation import run_kernel
from recbayes.gaussian.emissions.leaf import Leaf
from recbayes.gaussian.emissions.nearest import Expected
from recbayes.gaussian.emissions.one_leaf import one_column
from recbayes.gaussian.emissions.regression import column_potentials, columns_of, numbers_of, span_count, ticks_of
from recbayes.gaussian.kernels.flat import BankTerms, add_member, bank_evidence, boundary_pass
from recbayes.gaussian.kernels.leaves import observation_terms
from recbayes.lengths import Length


def span_evidence(
    leaf: Leaf, series: Series, positions: np.ndarray, mean: np.ndarray, variance: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The log evidence of every span between points as one leaf, by width and then by start: by every member of its bank
    (members, spans), and by all of them. Where every column has a member of its own, only the latter.

    The leaf shows its value itself, which is normal with independent entries.
    """
    segments = len(positions) - 1
    if leaf.each_column:
        parts = [
            span_evidence(one_column(leaf, d), column, positions, mean[d : d + 1], variance[d : d + 1])[1]
            for d, column in enumerate(_columns(series))
        ]
        return np.empty((0, len(parts[0]))), np.sum(parts, axis=0)
    total = np.full(span_count(segments, segments), -np.inf)
    by_member = np.empty((len(leaf.members), len(total)))
    if segments == len(series) and not leaf.periods and leaf.regressor_std is None and leaf.past == "restart":
        terms = _bank_terms(leaf, series, positions)
        ticks = np.asarray(ticks_of(series), dtype=np.float64)
        y = np.ascontiguousarray(np.nan_to_num(series.values).T)
        run_kernel(bank_evidence, y, ticks, terms, mean, variance, by_member, total)
        return by_member, total
    for m, member in enumerate(leaf.members):
        columns = column_potentials(member.emission, series, positions, segments, Expected(mean, variance))  # type: ignore[arg-type]
        run_kernel(add_member, columns, mean, variance, np.log(member.weight), by_member[m], total)
    return by_member, total


def _columns(series: Series) -> list[Series]:
    return [replace(series, values=series.values[:, d : d + 1]) for d in range(series.values.shape[1])]


def _bank_terms(leaf: Leaf, series: Series, positions: np.ndarray) -> BankTerms:
    parts: list[list[np.ndarray]] = [[] for _ in range(8)]
    for member in leaf.members:
        one: Leaf = member.emission  # type: ignore[assignment]
        for d, column in enumerate(columns_of(one, series, positions)):
            found = run_kernel(observation_terms, column, numbers_of(one, d, np.float64))
            ordered = column.state, found.rho, found.last, *found[2:]
            for part, array in zip(parts, ordered, strict=True):
                part.append(array)
    shape = len(leaf.members), leaf.columns
    arrays = [np.array(part).reshape(*shape, -1) for part in parts]
    phi = np.array([member.emission.coefficients[0] for member in leaf.members])  # type: ignore[attr-defined]
    rise = np.full(leaf.columns, -1.0) if leaf.trend_std is None else np.array(leaf.trend_std)
    weights = np.array([member.weight for member in leaf.members])
    return BankTerms(*arrays, phi, weights, rise)  # type: ignore[call-arg]


def boundary_probability(
    evidence: np.ndarray, length: Length, series: Series, positions: np.ndarray, log_share: float
) -> tuple[float, np.ndarray]:
    """The log evidence of all segmentations, and the probability of a boundary at each point; every leaf has this share."""
    ticks = np.asarray(ticks_of(series), dtype=np.int64)[positions]
    ticks = ticks - ticks[0]
    lengths = length.log_probability(np.arange(ticks[-1] + 1)) + log_share
    out = np.empty(len(positions))
    log_evidence = run_kernel(boundary_pass, evidence, lengths, ticks, out)
    return log_evidence, np.exp(np.minimum(out, 0.0))
