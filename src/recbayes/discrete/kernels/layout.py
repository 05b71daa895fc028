"""Where the spans of a discrete chart are stored: for kernels, and for Python with numbers or arrays.

Spans are rows of one width after another; `SpanPlan` says which starts a width has and where its row begins.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from recbayes.compiled.lanes import INLINED


class SpanPlan(NamedTuple):
    """For every width 0..N: its starts (none if low > high), where they are stored, and the widths of left children."""

    low: np.ndarray
    high: np.ndarray
    place: np.ndarray  # where the row of a width begins
    first_left: np.ndarray
    last_left: np.ndarray
    spans: int


def span_places(plan, starts, widths):  # type: ignore[no-untyped-def]
    """The numbers of spans that are stored."""
    return plan.place[widths] + starts - plan.low[widths]


span_place = njit(**INLINED)(span_places)  # the same for kernels, one at a time


def root_place(plan: SpanPlan) -> int:
    """The number of the whole sequence."""
    return int(plan.place[-1])


@njit(**INLINED)
def span_number(plan, start, width):
    """The number of a span, or -1 if it is not stored."""
    if plan.low[width] <= start <= plan.high[width]:
        return span_place(plan, start, width)
    return -1
