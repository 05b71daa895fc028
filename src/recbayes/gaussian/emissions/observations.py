"""What single observations say about the variable that emitted them, as potentials, and the derivatives of that.

A missing entry (NaN) leaves only the observed rows of H, h and R: exact marginalisation.
"""

from typing import NamedTuple

import numpy as np

from recbayes.checks.series import Series
from recbayes.gaussian.emissions.potentials import Potentials, apply, generalised_inverse, outer
from recbayes.gaussian.model.parts import Affine


class AffineGradient(NamedTuple):
    """Derivatives with respect to H, h and R."""

    map: np.ndarray
    offset: np.ndarray
    covariance: np.ndarray


class _Group(NamedTuple):
    """Observations with the same entries missing."""

    rows: np.ndarray  # (n,) which observations
    seen: np.ndarray  # which columns
    H: np.ndarray  # (seen, D)
    W: np.ndarray  # (n or 1, seen, seen) inverse noise covariance
    inverse: np.ndarray  # (n or 1, D, D) generalised inverse of the precision H' W H


def observe(rule: Affine, series: Series, size: int) -> Potentials:
    """The potential of every observation under an emission rule, in `size` dimensions.

    P = H' W H, P m = H' W (y - h), and what H cannot reach, rest = y - h - H m, costs rest' W rest / 2.
    """
    out = Potentials(np.zeros(len(series)), np.zeros((len(series), size)), np.zeros((len(series), size, size)))
    dim = series.values.shape[1]
    if _is_plain(rule, series):
        out.height[:] = -0.5 * np.linalg.slogdet(2 * np.pi * rule.covariance)[1]
        out.mode[:, :dim] = series.values if rule.offset is None else series.values - rule.offset
        out.precision[:, :dim, :dim] = np.linalg.inv(rule.covariance)
        return out
    for group in _groups(rule, series, size):
        rows, seen, H, W, inverse = group
        target = _targets(rule, series, group)
        mode = np.zeros((len(rows), size))
        rest = target
        for _ in range(2):  # the second time refines
            mode = mode + apply(inverse, apply(W, rest) @ H)
            rest = target - mode @ H.T
        log_determinant = len(seen) * np.log(2 * np.pi) - np.linalg.slogdet(W)[1]
        out.height[rows] = -0.5 * (log_determinant + (rest * apply(W, rest)).sum(axis=1))
        out.mode[rows] = mode
        out.precision[rows] = H.T @ W @ H
    return out


def observe_adjoint(rule: Affine, series: Series, potentials: Potentials, derivatives: Potentials) -> AffineGradient:
    """Derivatives with respect to H, h and R, from those with respect to the potentials of the observations."""
    size = potentials.mode.shape[1]
    columns = series.values.shape[1]
    if _is_plain(rule, series) and size == columns:  # the general case below, with H = 1 and nothing that H cannot reach
        W = np.linalg.inv(rule.covariance)
        total = derivatives.precision.sum(axis=0)
        d_map = 2.0 * W @ total - derivatives.mode.T @ potentials.mode
        return AffineGradient(d_map, -derivatives.mode.sum(axis=0), -W @ total @ W - 0.5 * derivatives.height.sum() * W)
    d_map, d_offset, d_noise = np.zeros((columns, size)), np.zeros(columns), np.zeros((columns, columns))
    for group in _groups(rule, series, size):
        rows, seen, H, W, inverse = group
        mode = potentials.mode[rows]
        rest = _targets(rule, series, group) - mode @ H.T
        g, P = derivatives.height[rows][:, None], derivatives.precision[rows]
        t = apply(inverse, derivatives.mode[rows])
        Ht, Wr = t @ H.T, apply(W, rest)
        WHt = apply(W, Ht)
        d_map[seen] += Wr.T @ t - WHt.T @ mode + (g * Wr).T @ mode + 2.0 * (W @ H @ P).sum(axis=0)
        d_offset[seen] -= (WHt - g * Wr).sum(axis=0)
        d_W = outer(Ht, rest) - 0.5 * outer(g * rest, rest) + H @ P @ H.T
        d_W = 0.5 * (d_W + d_W.swapaxes(1, 2))
        d_noise[np.ix_(seen, seen)] -= (W @ d_W @ W + 0.5 * g[:, :, None] * W).sum(axis=0)
    if series.noise_covariance is not None:
        d_noise[:] = 0.0
    return AffineGradient(d_map, d_offset, d_noise)


def _is_plain(rule: Affine, series: Series) -> bool:
    """Whether the value itself is observed, completely, with the same noise throughout."""
    return rule.map is None and series.noise_covariance is None and not np.isnan(series.values).any()


def _groups(rule: Affine, series: Series, size: int) -> list[_Group]:
    missing = np.isnan(series.values)
    columns = series.values.shape[1]
    H = np.zeros((columns, size))
    given = np.eye(columns) if rule.map is None else rule.map
    H[:, : given.shape[1]] = given
    patterns, which = np.unique(missing, axis=0, return_inverse=True) if missing.any() else (missing[:1], None)
    groups = []
    for number, pattern in enumerate(patterns):
        rows = np.arange(len(series)) if which is None else np.flatnonzero(which.reshape(-1) == number)
        seen = np.flatnonzero(~pattern)
        noise = rule.covariance[None] if series.noise_covariance is None else series.noise_covariance[rows]
        W = np.linalg.inv(noise[:, seen[:, None], seen])
        W = 0.5 * (W + W.swapaxes(1, 2))
        precision = H[seen].T @ W @ H[seen]
        if rule.map is None:  # then the precision is W, in the rows that are seen
            inverse = H[seen].T @ noise[:, seen[:, None], seen] @ H[seen]
        else:
            inverse = generalised_inverse(precision)
        groups.append(_Group(rows, seen, H[seen], W, inverse))
    return groups


def _targets(rule: Affine, series: Series, group: _Group) -> np.ndarray:
    """y - h, observed entries only."""
    values = series.values[group.rows][:, group.seen]
    return values if rule.offset is None else values - rule.offset[group.seen]
