"""The dimension as a type: kernels that know it are compiled for it, each when it is first wanted.

A kernel that takes a `Dimension` (a tuple of as many zeros) is compiled once for every length of it, since the length of a
tuple is part of its type, and kept on disk like every other. There the dimension is a constant, and what is inlined into the
kernel has its loops unrolled. Where there are more dimensions than FEW, loops cost little; the empty tuple stands for
all of them, and the dimension is read from an array.
"""

import numpy as np
from numba import njit

from recbayes.compiled.lanes import INLINED

FEW = 3
Dimension = tuple[int, ...]


def dimension_of(size: int) -> Dimension:
    """What to call a kernel with."""
    return (0,) * size if size <= FEW else ()


@njit(**INLINED)
def size_of(dimension: Dimension, shifts: np.ndarray) -> int:
    """The dimension, a constant where there are few; the table of shifts has it in any case."""
    return len(dimension) if len(dimension) > 0 else shifts.shape[1]
