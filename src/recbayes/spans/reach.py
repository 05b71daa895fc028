"""Which spans exist: how many observations each variable can produce, and which cells the root can lead to.

A skeleton is all that this depends on: rules as rows (parent, left child, right child) of numbers of variables, and the
lengths of every variable's leaves. Cells of one variable and width are an interval of starts.
"""

from collections.abc import Sequence

import numpy as np
from numba import njit

from recbayes.compiled.compilation import run_kernel
from recbayes.compiled.lanes import KERNEL

UNBOUNDED = 2**40


def span_widths(rules: np.ndarray, leaves: Sequence[Sequence[tuple[int, int]]]) -> tuple[np.ndarray, np.ndarray]:
    """The fewest and the most observations each variable can produce (UNBOUNDED without limit).

    `leaves` are, for every variable, the shortest and longest lengths of its kinds of leaves; -1 is no longest.
    Likewise for segments, if the lengths of leaves are those in segments.
    """
    variables = len(leaves)
    shortest = np.full(variables, UNBOUNDED)
    longest = np.zeros(variables, dtype=np.int64)
    for sweep in range(2 * variables + 2):
        for v, limits in enumerate(leaves):
            for least, limit in limits:
                shortest[v] = min(shortest[v], least)
                longest[v] = max(longest[v], UNBOUNDED if limit < 0 else limit)
            for _, b, c in rules[rules[:, 0] == v]:
                shortest[v] = min(shortest[v], shortest[b] + shortest[c])
                if longest[b] and longest[c]:
                    total = longest[b] + longest[c]
                    # Still growing after as many sweeps as there are variables: a cycle, which has no longest span.
                    grows = total > longest[v] and sweep > variables
                    longest[v] = UNBOUNDED if grows else min(max(longest[v], total), UNBOUNDED)
    return shortest, longest


def reached(
    rules: np.ndarray, shortest: np.ndarray, longest: np.ndarray, roots: Sequence[int], segments: int
) -> tuple[np.ndarray, np.ndarray]:
    """The lowest and highest start of every variable and width (0..segments) that a root leads to; none if low > high."""
    low = np.full((len(shortest), segments + 1), segments, dtype=np.int64)
    high = np.full((len(shortest), segments + 1), -1, dtype=np.int64)
    low[list(roots), segments] = high[list(roots), segments] = 0
    run_kernel(_widen, np.ascontiguousarray(rules, dtype=np.int64), shortest, longest, low, high)
    return low, high


@njit(**KERNEL)
def _widen(rules: np.ndarray, shortest: np.ndarray, longest: np.ndarray, low: np.ndarray, high: np.ndarray) -> None:
    """Widen the intervals of starts, from the root's row downwards, to all cells that the root can lead to."""
    for width in range(low.shape[1] - 1, 0, -1):
        for r in range(len(rules)):
            v, b, c = rules[r, 0], rules[r, 1], rules[r, 2]
            if low[v, width] > high[v, width]:
                continue
            first = max(shortest[b], width - longest[c])
            last = min(longest[b], width - shortest[c])
            for left in range(first, last + 1):
                low[b, left] = min(low[b, left], low[v, width])
                high[b, left] = max(high[b, left], high[v, width])
                low[c, width - left] = min(low[c, width - left], low[v, width] + left)
                high[c, width - left] = max(high[c, width - left], high[v, width] + left)
