"""Compiled eigenvalues of small symmetric matrices, eight at a time."""

import numpy as np
from numba import njit

from recbayes.compiled.lanes import BORROWING, get, lanes_sqrt, put, splat, where_greater
from recbayes.compiled.layout import packed, square_entry

SWEEPS = 12  # of Jacobi's rotations: they converge quadratically, and 6 to 8 suffice for 16 dimensions


@njit(**BORROWING)
def diagonalise(room: np.ndarray, size: int, S: int, U: int) -> None:
    """S <- U' S U diagonal, by Jacobi's rotations: simple, and sure for a few dimensions. U is an ordinary matrix."""
    zero, unit = splat(0.0), splat(1.0)
    for a in range(size):
        for b in range(size):
            put(room, U, square_entry(a, b, size), unit if a == b else zero)
    for _ in range(SWEEPS):
        for a in range(size):
            for b in range(a):
                between = get(room, S, packed(a, b))
                squared = between * between
                theta = splat(0.5) * (get(room, S, packed(b, b)) - get(room, S, packed(a, a))) / between
                magnitude = where_greater(theta, zero, theta, zero - theta)
                tangent = unit / (magnitude + lanes_sqrt(theta * theta + unit))
                tangent = where_greater(zero, theta, zero - tangent, tangent)
                tangent = where_greater(squared, splat(1e-300), tangent, zero)
                cosine = unit / lanes_sqrt(tangent * tangent + unit)
                sine = tangent * cosine
                x, y = get(room, S, packed(a, a)), get(room, S, packed(b, b))
                put(room, S, packed(a, a), x - tangent * between)
                put(room, S, packed(b, b), y + tangent * between)
                put(room, S, packed(a, b), zero)
                for c in range(size):
                    if c not in (a, b):
                        x, y = get(room, S, packed(c, a)), get(room, S, packed(c, b))
                        put(room, S, packed(c, a), cosine * x - sine * y)
                        put(room, S, packed(c, b), sine * x + cosine * y)
                    x, y = get(room, U, square_entry(c, a, size)), get(room, U, square_entry(c, b, size))
                    put(room, U, square_entry(c, a, size), cosine * x - sine * y)
                    put(room, U, square_entry(c, b, size), sine * x + cosine * y)
