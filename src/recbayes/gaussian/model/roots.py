"""Roots of covariances that keep the digits of their small directions.

A Cholesky factor in floating point is off by about 1e-16 of the *largest* variance: a direction with a variance of 1e-12 of
that keeps four digits. Its entries, however, can hold them all. So ill-conditioned covariances are factorised in exact
fractions, and everything else is computed from roots, which lose only the square root of the condition.
"""

from fractions import Fraction
from functools import lru_cache

import numpy as np

EASY = 1e4  # the condition of a correlation matrix below which ordinary arithmetic keeps twelve digits


def root(S: np.ndarray) -> np.ndarray:
    """The lower triangular L with L L' = S, for a positive semidefinite matrix; columns of singular directions are zero."""
    if not len(S):
        return S
    deviations = np.sqrt(np.maximum(np.diag(S), 0.0))
    unit = np.where(deviations > 0, deviations, 1.0)
    correlation = S / unit[:, None] / unit[None, :]
    if not (deviations > 0).all() or _condition(correlation) > EASY:
        return _exact_root(S.tobytes(), len(S))
    return unit[:, None] * np.linalg.cholesky(correlation)


def roots(matrices: np.ndarray) -> np.ndarray:
    """The roots of many positive definite matrices: (n, D, D)."""
    if not matrices.size:
        return matrices
    hard = are_hard(matrices)
    easy = matrices[~hard]
    deviations = np.sqrt(np.einsum("naa->na", easy))
    found = np.empty_like(matrices)
    found[~hard] = deviations[:, :, None] * np.linalg.cholesky(easy / deviations[:, :, None] / deviations[:, None, :])
    for n in np.flatnonzero(hard):
        found[n] = _exact_root(matrices[n].tobytes(), matrices.shape[1])
    return found


def are_hard(matrices: np.ndarray) -> np.ndarray:
    """Which of many positive definite matrices are ill-conditioned, in units of their own."""
    deviations = np.sqrt(np.einsum("naa->na", matrices))
    values = np.linalg.eigvalsh(matrices / deviations[:, :, None] / deviations[:, None, :])
    return values[:, -1] > EASY * values[:, 0]


def inverse(S: np.ndarray) -> tuple[np.ndarray, float]:
    """The inverse of a positive definite matrix and the logarithm of its determinant, computed in units of its own."""
    unit = np.exp2(np.round(0.5 * np.log2(np.diag(S))))  # powers of two, so that nothing is rounded
    inner = np.linalg.inv(S / unit[:, None] / unit[None, :]) / unit[:, None] / unit[None, :]
    log_determinant = 2.0 * np.log(unit).sum() + np.linalg.slogdet(S / unit[:, None] / unit[None, :])[1]
    return 0.5 * (inner + inner.T), float(log_determinant)


def is_diagonal(S: np.ndarray) -> bool:
    return np.count_nonzero(S) == np.count_nonzero(np.diag(S))


def condition(R: np.ndarray) -> float:
    """The condition of the matrix R R' once every dimension has its own unit. Singular directions do not count."""
    length = np.sqrt((R**2).sum(axis=1))
    values = np.linalg.svd(R[length > 0] / length[length > 0][:, None], compute_uv=False)
    values = values[values > 1e-14 * values.max(initial=0.0)]
    return float((values[0] / values[-1]) ** 2) if len(values) else 1.0


def _condition(correlation: np.ndarray) -> float:
    values = np.linalg.eigvalsh(correlation)
    return np.inf if values[0] <= 0 else float(values[-1] / values[0])


@lru_cache(maxsize=256)  # a model asks for the same few again and again
def _exact_root(content: bytes, size: int) -> np.ndarray:
    """S = M D M' with a unit triangle M in exact arithmetic, rounded at the end."""
    S = np.frombuffer(content).reshape(size, size)
    rest = [[Fraction(float(S[a, b])) for b in range(a + 1)] for a in range(size)]
    found = np.zeros((size, size))
    for c in range(size):
        pivot = rest[c][c]
        if pivot <= 0:  # singular here, but for rounding of what was given
            continue
        deviation = np.sqrt(float(pivot))
        below = [rest[a][c] / pivot for a in range(c, size)]
        for a in range(c, size):
            found[a, c] = float(below[a - c]) * deviation
            for b in range(c + 1, a + 1):
                rest[a][b] -= below[a - c] * rest[b][c]
    found.setflags(write=False)
    return found
