"""Places of spans: kernels and Python agree, and every stored span has one of its own."""

import numpy as np
from hypothesis import given, settings
from numba import njit

from recbayes.discrete.chart.plan import span_plan
from recbayes.discrete.kernels.layout import SpanPlan, root_place, span_number, span_places
from recbayes.discrete.model.binary_form import binary_form
from tests.random_grammars import grammars


@njit
def numbers_of(plan: SpanPlan, length: int) -> np.ndarray:
    found = np.full((length + 1, length + 1), -1)
    for width in range(1, length + 1):
        for start in range(length - width + 1):
            found[start, start + width] = span_number(plan, start, width)
    return found


@settings(max_examples=20)
@given(grammars())
def test_places(grammar) -> None:  # type: ignore[no-untyped-def]
    form = binary_form(grammar.flat())
    for length in (1, 4, 7):
        plan = span_plan(form, length)
        found = numbers_of(plan, length)
        stored = found[found >= 0]
        np.testing.assert_array_equal(np.sort(stored), np.arange(plan.spans))
        starts, ends = np.nonzero(found >= 0)
        np.testing.assert_array_equal(span_places(plan, starts, ends - starts), found[starts, ends])
        if plan.low[length] <= plan.high[length]:
            assert root_place(plan) == found[0, length]
