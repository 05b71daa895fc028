"""What the members of a bank see between neighbouring points, so that leaves are put together from blocks and not from
observations.

Residuals are those of `leaves`, without further columns and without outliers: target - level a - slope b, with weights. The
sums of a block leave out its first observation, which begins a leaf or follows another one: what it adds is kept apart.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from recbayes.compiled.lanes import KERNEL
from recbayes.gaussian.kernels.leaves import MISSING, Column

# Of a block: sums of weighted products (of the coefficients of level and slope, and of the target) about its first
# observation, and their log scale; how many observations it has (0: none is seen); then of the first one: when and what it
# is, weight and log scale as the first of a leaf and as a next one, how much of the one before it stays, and when and what
# that was.
LEVEL, CROSS, SLOPE, PULL, LEAN, SQUARE, LOG = range(7)
SEEN, TICK, VALUE, FIRST_WEIGHT, FIRST_LOG, NEXT_WEIGHT, NEXT_LOG, RHO, LAST_TICK, LAST_VALUE = range(7, 17)
SUMS, ENTRIES = 7, 17


class Blocks(NamedTuple):
    """Of every member and column, what is seen between points."""

    entries: np.ndarray  # (members, columns, blocks, ENTRIES)
    phi: np.ndarray  # (members,)
    ratio: np.ndarray  # (members, columns): variance of noise in the long run over that at a leaf's first tick
    weights: np.ndarray  # (members,) probabilities
    rise: np.ndarray  # (columns,) deviations of the rise of a trend, negative without one


@njit(**KERNEL)
def sum_blocks(c: Column, terms: tuple, entries: np.ndarray) -> None:
    """The blocks of one member and column, from the terms of its observations (`observation_terms`)."""
    last, rho, first_weight, first_log, next_weight, next_log, _ = terms
    for block in range(len(c.positions) - 1):
        out = entries[block]
        out[:] = 0.0
        for t in range(c.positions[block], c.positions[block + 1]):
            if c.state[t] == MISSING:
                continue
            out[SEEN] += 1.0
            if out[SEEN] == 1.0:
                out[TICK], out[VALUE] = c.ticks[t], c.y[t]
                out[FIRST_WEIGHT], out[FIRST_LOG] = first_weight[t], first_log[t]
                out[NEXT_WEIGHT], out[NEXT_LOG], out[RHO] = next_weight[t], next_log[t], rho[t]
                if last[t] >= 0:
                    out[LAST_TICK], out[LAST_VALUE] = c.ticks[last[t]], c.y[last[t]]
                continue
            level, slope, target = 1.0, c.ticks[t] - out[TICK], c.y[t] - out[VALUE]
            if rho[t] != 0.0:
                level -= rho[t]
                slope -= rho[t] * (c.ticks[last[t]] - out[TICK])
                target -= rho[t] * (c.y[last[t]] - out[VALUE])
            weight = next_weight[t]
            out[LEVEL] += weight * level * level
            out[CROSS] += weight * level * slope
            out[SLOPE] += weight * slope * slope
            out[PULL] += weight * level * target
            out[LEAN] += weight * slope * target
            out[SQUARE] += weight * target * target
            out[LOG] += next_log[t]
