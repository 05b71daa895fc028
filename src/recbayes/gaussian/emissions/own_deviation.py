"""A deviation that a leaf has of its own, and all its observations share: what its potential says of the node's value then.

With z = x + b and b ~ N(0, B), a potential of z with the height g, mode m and precision P is one of x with

    P' = (1 + P B)^-1 P,    m' = m,    g' = g - log det(1 + B P) / 2.
"""

from typing import NamedTuple

import numpy as np

from recbayes.gaussian.emissions.potentials import Potentials


class Widening(NamedTuple):
    """Of many potentials: (1 + P B)^-1, P', and the log determinant of 1 + P B."""

    shrink: np.ndarray  # (n, D, D)
    precision: np.ndarray  # (n, D, D)
    log_determinant: np.ndarray  # (n,)


def _widening(P: np.ndarray, B: np.ndarray) -> Widening:
    """By the factor B = L L': P' = P - P L (1 + L' P L)^-1 L' P, which is symmetric and needs no inverse of P."""
    values, vectors = np.linalg.eigh(B)
    L = vectors * np.sqrt(np.maximum(values, 0.0))
    M = np.eye(len(B)) + L.T @ P @ L
    PL = P @ L
    inner = np.linalg.solve(M, PL.swapaxes(1, 2))
    precision = P - PL @ inner
    return Widening(
        np.eye(len(B)) - PL @ np.linalg.solve(M, np.broadcast_to(L.T, M.shape)),
        0.5 * (precision + precision.swapaxes(1, 2)),
        np.linalg.slogdet(M)[1],
    )


def widened(potentials: Potentials, covariance: np.ndarray) -> Potentials:
    """The potentials of the node's value, from those of the leaf's."""
    height, mode, P = potentials
    found = _widening(P, _padded(covariance, P.shape[1]))
    return Potentials(height - 0.5 * found.log_determinant, mode, found.precision)


def widened_adjoint(
    potentials: Potentials, covariance: np.ndarray, derivatives: Potentials
) -> tuple[Potentials, np.ndarray]:
    """Derivatives with respect to the leaf's potentials and to B, from those with respect to the node's.

    With A = (1 + P B)^-1, dP' = A dP A' - P' dB P' and d log det = tr(A' B dP) + tr(P' dB).
    """
    B = _padded(covariance, potentials.precision.shape[1])
    A, P, _ = _widening(potentials.precision, B)
    g, G = derivatives.height[:, None, None], derivatives.precision
    by_precision = A.swapaxes(1, 2) @ G @ A - 0.5 * g * (A.swapaxes(1, 2) @ B)
    by_covariance = (-P @ G @ P - 0.5 * g * P).sum(axis=0)
    dim = len(covariance)
    return (
        Potentials(derivatives.height, derivatives.mode, 0.5 * (by_precision + by_precision.swapaxes(1, 2))),
        by_covariance[:dim, :dim],
    )


def _padded(covariance: np.ndarray, size: int) -> np.ndarray:
    """With zeros for blank dimensions."""
    padded = np.zeros((size, size))
    padded[: len(covariance), : len(covariance)] = covariance
    return padded
