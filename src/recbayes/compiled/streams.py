"""Random numbers for compiled draws: every draw has a stream of its own, however draws are divided among calls."""

import numpy as np
from numba import njit

from recbayes.compiled.lanes import BORROWING


@njit(**BORROWING)
def _mix_bits(state: np.uint64) -> np.uint64:
    z = state
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit(**BORROWING)
def uniform(state: np.ndarray) -> float:
    """A number in [0, 1) from a stream (splitmix64), whose state is advanced."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    return float(_mix_bits(state[0]) >> np.uint64(11)) * 2.0**-53


@njit(**BORROWING)
def stream(seed: int, number: int) -> np.uint64:
    """The state in which the stream of a numbered draw begins."""
    return _mix_bits(np.uint64(seed) + np.uint64(number) * np.uint64(0xD1B54A32D192ED03))
