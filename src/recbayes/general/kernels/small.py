"""Algebra of small matrices, one at a time, in arrays that are given: of larger ones, the first `d` rows and columns."""

import math

import numpy as np
from numba import njit

from recbayes.compiled.lanes import BORROWING
from recbayes.compiled.streams import uniform


@njit(**BORROWING)
def factor(P: np.ndarray, d: int, L: np.ndarray) -> float:
    """The lower Cholesky factor, and the log determinant; NaN if P is not positive definite."""
    log = 0.0
    for a in range(d):
        for b in range(a + 1):
            value = P[a, b]
            for c in range(b):
                value -= L[a, c] * L[b, c]
            if a == b:
                if not value > 0.0:
                    return math.nan
                L[a, a] = math.sqrt(value)
                log += 2.0 * math.log(L[a, a])
            else:
                L[a, b] = value / L[b, b]
    return log


@njit(**BORROWING)
def solve(L: np.ndarray, d: int, y: np.ndarray, x: np.ndarray) -> None:
    """x with L L' x = y."""
    for a in range(d):
        value = y[a]
        for b in range(a):
            value -= L[a, b] * x[b]
        x[a] = value / L[a, a]
    solve_upper(L, d, x, x)


@njit(**BORROWING)
def solve_upper(L: np.ndarray, d: int, y: np.ndarray, x: np.ndarray) -> None:
    """x with L' x = y; x may be y."""
    for a in range(d - 1, -1, -1):
        value = y[a]
        for b in range(a + 1, d):
            value -= L[b, a] * x[b]
        x[a] = value / L[a, a]


@njit(**BORROWING)
def invert(L: np.ndarray, d: int, C: np.ndarray) -> None:
    """C = (L L')^-1. It is written row by row: each is the solution for a unit vector."""
    for n in range(d):
        for a in range(d):
            value = 1.0 if a == n else 0.0
            for b in range(a):
                value -= L[a, b] * C[n, b]
            C[n, a] = value / L[a, a]
        for a in range(d - 1, -1, -1):
            value = C[n, a]
            for b in range(a + 1, d):
                value -= L[b, a] * C[n, b]
            C[n, a] = value / L[a, a]


@njit(**BORROWING)
def quadratic(P: np.ndarray, d: int, x: np.ndarray) -> float:
    total = 0.0
    for a in range(d):
        for b in range(d):
            total += x[a] * P[a, b] * x[b]
    return total


@njit(**BORROWING)
def normal(state: np.ndarray) -> float:
    """A draw of a standard normal (Box and Muller)."""
    return math.sqrt(-2.0 * math.log(1.0 - uniform(state))) * math.cos(2.0 * math.pi * uniform(state))
