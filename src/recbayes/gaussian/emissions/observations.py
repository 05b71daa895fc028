"""What single observations say about the variable that emitted them, as potentials, and the derivatives of that.

A missing entry (NaN) leaves only the observed rows of H, h and R: exact marginalisation. With the root R = L L' of the
noise, everything is computed from L^-1 H and L^-1 (y - h): where noise is ill-conditioned its inverse would lose the digits.
"""

from typing import NamedTuple, Protocol

import numpy as np

from recbayes.checks.series import Series
from recbayes.gaussian.emissions.potentials import Potentials, apply, generalised_inverse, outer
from recbayes.gaussian.model.parts import Affine
from recbayes.gaussian.model.roots import inverse, roots


class Noisy(Affine, Protocol):
    """What observations are emitted by."""

    @property
    def noise_factor(self) -> float | None: ...


class AffineGradient(NamedTuple):
    """Derivatives with respect to H, h and R, to all that was observed (zero where it is missing), to the factor of the
    series' own noise, and to the variances of that."""

    map: np.ndarray
    offset: np.ndarray
    covariance: np.ndarray
    observed: np.ndarray
    noise_factor: float = 0.0
    variances: np.ndarray | None = None  # (N, columns), if the series has noise of its own


class _Group(NamedTuple):
    """Observations with the same entries missing."""

    rows: np.ndarray  # (n,) which observations
    seen: np.ndarray  # which columns
    H: np.ndarray  # (seen, D)
    L: np.ndarray  # (n or 1, seen, seen) root of the noise covariance
    G: np.ndarray  # (n or 1, seen, D) L^-1 H
    inverse: np.ndarray  # (n or 1, D, D) generalised inverse of the precision G' G


def noise_of(rule: Noisy, series: Series) -> np.ndarray:
    """The covariance of the noise, of all observations (1, columns, columns) or of each (N, columns, columns)."""
    given = series.noise_covariance
    if given is None:
        return rule.covariance[None]
    return given if rule.noise_factor is None else rule.noise_factor * given + rule.covariance


def observe(rule: Noisy, series: Series, size: int) -> Potentials:
    """The potential of every observation under an emission rule, in `size` dimensions.

    P = G' G, P m = G' L^-1 (y - h), and what H cannot reach, rest = L^-1 (y - h) - G m, costs rest' rest / 2.
    """
    out = Potentials(np.zeros(len(series)), np.zeros((len(series), size)), np.zeros((len(series), size, size)))
    dim = series.values.shape[1]
    if _is_plain(rule, series):
        out.precision[:, :dim, :dim], log_determinant = inverse(rule.covariance)
        out.height[:] = -0.5 * (log_determinant + dim * np.log(2 * np.pi))
        out.mode[:, :dim] = series.values if rule.offset is None else series.values - rule.offset
        return out
    for group in _groups(rule, series, size):
        rows, seen, _, L, G, inverted = group
        target = _solve(L, _targets(rule, series, group))
        mode = np.zeros((len(rows), size))
        rest = target
        for _ in range(2):  # the second time refines
            mode = mode + apply(inverted, apply(G.swapaxes(1, 2), rest))
            rest = target - apply(G, mode)
        log_determinant = len(seen) * np.log(2 * np.pi) + 2.0 * np.log(np.einsum("naa->na", L)).sum(axis=1)
        out.height[rows] = -0.5 * (log_determinant + (rest * rest).sum(axis=1))
        out.mode[rows] = mode
        out.precision[rows] = G.swapaxes(1, 2) @ G
    return out


def observe_adjoint(rule: Noisy, series: Series, potentials: Potentials, derivatives: Potentials) -> AffineGradient:
    """Derivatives with respect to H, h, R and the observations, from those with respect to the observations' potentials."""
    size = potentials.mode.shape[1]
    columns = series.values.shape[1]
    if _is_plain(rule, series) and size == columns:  # the general case below, with H = 1 and nothing that H cannot reach
        W, _ = inverse(rule.covariance)
        total = derivatives.precision.sum(axis=0)
        d_map = 2.0 * W @ total - derivatives.mode.T @ potentials.mode
        d_noise = -W @ total @ W - 0.5 * derivatives.height.sum() * W
        return AffineGradient(d_map, -derivatives.mode.sum(axis=0), d_noise, derivatives.mode)
    d_map, d_noise, observed = np.zeros((columns, size)), np.zeros((columns, columns)), np.zeros((len(series), columns))
    own, d_factor, variances = series.noise_covariance, 0.0, np.zeros((len(series), columns))
    for group in _groups(rule, series, size):
        rows, seen, H, L, _, inverted = group
        U = np.linalg.solve(L, np.broadcast_to(np.eye(len(seen)), L.shape))
        W = U.swapaxes(1, 2) @ U
        mode = potentials.mode[rows]
        rest = _targets(rule, series, group) - mode @ H.T
        g, P = derivatives.height[rows][:, None], derivatives.precision[rows]
        t = apply(inverted, derivatives.mode[rows])
        Ht, Wr = t @ H.T, apply(W, rest)
        WHt = apply(W, Ht)
        d_map[seen] += Wr.T @ t - WHt.T @ mode + (g * Wr).T @ mode + 2.0 * (W @ H @ P).sum(axis=0)
        observed[np.ix_(rows, seen)] = WHt - g * Wr
        d_W = outer(Ht, rest) - 0.5 * outer(g * rest, rest) + H @ P @ H.T
        d_W = 0.5 * (d_W + d_W.swapaxes(1, 2))
        d_R = -(W @ d_W @ W + 0.5 * g[:, :, None] * W)
        if own is None or rule.noise_factor is not None:
            d_noise[np.ix_(seen, seen)] += d_R.sum(axis=0)
        if own is not None:
            d_factor += float((d_R * own[rows][:, seen[:, None], seen]).sum())
            variances[np.ix_(rows, seen)] = (rule.noise_factor or 1.0) * np.einsum("naa->na", d_R)
    return AffineGradient(d_map, -observed.sum(axis=0), d_noise, observed, d_factor, variances)


def _is_plain(rule: Noisy, series: Series) -> bool:
    """Whether the value itself is observed, completely, with the same noise throughout."""
    return rule.map is None and series.noise_covariance is None and not np.isnan(series.values).any()


def _groups(rule: Noisy, series: Series, size: int) -> list[_Group]:
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
        noise = noise_of(rule, series)
        noise = (noise if len(noise) == 1 else noise[rows])[:, seen[:, None], seen]
        L = roots(noise)
        G = np.linalg.solve(L, np.broadcast_to(H[seen], (len(L), len(seen), size)))
        if rule.map is None:  # then the precision is that of the noise, in the rows that are seen
            inverted = H[seen].T @ noise @ H[seen]
        else:
            inverted = generalised_inverse(G.swapaxes(1, 2) @ G)
        groups.append(_Group(rows, seen, H[seen], L, G, inverted))
    return groups


def _solve(L: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Each vector, its own or the one matrix undone."""
    if len(L) == 1:
        return np.linalg.solve(L[0], vectors.T).T
    return np.linalg.solve(L, vectors[:, :, None])[:, :, 0]


def _targets(rule: Noisy, series: Series, group: _Group) -> np.ndarray:
    """y - h, observed entries only."""
    values = series.values[group.rows][:, group.seen]
    return values if rule.offset is None else values - rule.offset[group.seen]
