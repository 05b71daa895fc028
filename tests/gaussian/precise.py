"""The log joint probability of a series and a tree in 60 digits: given the tree, all observations are jointly Gaussian.

A tree is a nested tuple of pairs; a leaf is the number of its one observation. Variables have at most one split and one
emission. Every value is kept as its mean and its factors on independent noises.
"""

from dataclasses import dataclass, field
from typing import Any

import mpmath
import numpy as np

import recbayes as rb

Nested = Any  # int or a pair of these


@dataclass
class _Values:
    noises: list[Any] = field(default_factory=list)  # covariances
    observations: list[tuple[int, Any, dict[int, Any]]] = field(default_factory=list)  # number, mean, factors on noises
    log_probability: Any = field(default_factory=lambda: mpmath.mpf(0))


def log_joint(model: rb.GaussianRBN, series: np.ndarray, tree: Nested) -> float:
    with mpmath.workdps(60):
        values = _Values([_matrix(model.prior.components[0].covariance)])
        mean = _matrix(model.prior.components[0].mean)
        _walk(model, tree, model.prior.variable, mean, {0: mpmath.eye(len(mean))}, values)
        return float(values.log_probability + _log_density(series, values))


def _matrix(values: Any) -> Any:
    return mpmath.matrix(np.asarray(values, dtype=float).tolist())


def _walk(model: rb.GaussianRBN, tree: Nested, name: str, mean: Any, factors: dict[int, Any], values: _Values) -> None:
    variable = next(one for one in model.variables if one.name == name)
    rule = next(one for one in variable.rules if isinstance(one, rb.Emit) == isinstance(tree, int))
    values.log_probability += mpmath.log(mpmath.mpf(float(rule.probability)))
    if isinstance(rule, rb.Emit):
        values.log_probability += mpmath.mpf(float(rule.length.log_probability(np.array([1]))[0]))
        values.observations.append((tree, *_passed(rule, mean, factors, values)))
        return
    for child, to, link in zip(tree, (rule.left, rule.right), (rule.left_link, rule.right_link), strict=True):
        _walk(model, child, to, *_passed(link, mean, factors, values), values)


def _passed(link: Any, mean: Any, factors: dict[int, Any], values: _Values) -> tuple[Any, dict[int, Any]]:
    size = len(link.covariance)
    F = _matrix(np.eye(size) if link.map is None else link.map)
    f = _matrix(np.zeros(size) if link.offset is None else link.offset)
    values.noises.append(_matrix(link.covariance))
    return F * mean + f, {n: F * A for n, A in factors.items()} | {len(values.noises) - 1: mpmath.eye(size)}


def _log_density(series: np.ndarray, values: _Values) -> Any:
    entries = [(n, c) for n in range(len(series)) for c in np.flatnonzero(~np.isnan(series[n])).tolist()]
    if not entries:
        return mpmath.mpf(0)
    found = {n: (mean, factors) for n, mean, factors in values.observations}
    blocks = {
        (n, k): sum(
            (
                A * values.noises[source] * found[k][1][source].T
                for source, A in found[n][1].items()
                if source in found[k][1]
            ),
            mpmath.zeros(len(found[n][0]), len(found[k][0])),
        )
        for n in found
        for k in found
    }
    S = mpmath.matrix([[blocks[n, k][c, e] for k, e in entries] for n, c in entries])
    apart = mpmath.matrix([mpmath.mpf(float(series[n, c])) - found[n][0][c] for n, c in entries])
    L = mpmath.cholesky(S)
    z = mpmath.lu_solve(L, apart)
    log_determinant = 2 * sum(mpmath.log(L[n, n]) for n in range(len(entries)))
    return -(sum(one**2 for one in z) + log_determinant + len(entries) * mpmath.log(2 * mpmath.pi)) / 2
