"""The potentials of emissions that a chart is given, against products written out span by span."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import recbayes as rb
from recbayes.checks.series import as_series
from recbayes.compiled.layout import message_entries, pack_messages, read_cell, unpack_messages, write_cell
from recbayes.gaussian.chart.emissions import emission_slopes, write_emissions
from recbayes.gaussian.chart.plan import make_plan
from recbayes.gaussian.chart.tables import emit_rules, tables_of
from recbayes.gaussian.emissions.observations import observe
from recbayes.gaussian.emissions.potentials import merge
from recbayes.spans.constraints import Constraints
from tests.random_models import one_variable, two_variables


@settings(max_examples=30)
@given(st.one_of(one_variable(), two_variables()), st.integers(0, 2**32 - 1), st.integers(1, 12), st.booleans())
def test_products_of_all_spans(model: rb.GaussianRBN, seed: int, length: int, missing: bool) -> None:
    rng = np.random.default_rng(seed)
    y = rng.normal(size=(length, model.observed_dim))
    if missing:
        y[rng.random(y.shape) < 0.3] = np.nan
    series = as_series(y, model.observed_dim)
    boundaries = None if seed % 2 else np.flatnonzero(rng.random(length + 1) < 0.5)
    tables, origins = tables_of(model)
    plan, size = make_plan(tables, length, Constraints(boundaries=boundaries)), tables.shifts.shape[1]
    messages = np.zeros(plan.messages_size)
    write_emissions(model, tables, origins, plan, series, messages)
    points = rng.normal(size=(4, size))
    for e, rule in enumerate(emit_rules(model, origins)):
        single = observe(rule, series, size)
        for width, row in enumerate(plan.emit_rows[e]):
            for start in range(row["low"], row["high"] + 1):
                first, end = plan.positions[start], plan.positions[start + width]
                height, mode, precision = unpack_messages(read_cell(messages, plan.emit_base, row, start, size), size)
                expected = [
                    sum(
                        single.height[t] - 0.5 * (x - single.mode[t]) @ single.precision[t] @ (x - single.mode[t])
                        for t in range(first, end)
                    )
                    for x in points
                ]
                found = [height - 0.5 * (x - mode) @ precision @ (x - mode) for x in points]
                assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_slopes_of_a_span_are_those_of_its_segments() -> None:
    model = rb.GaussianRBN.create(dim=2, extra_observations=3.0)
    series = as_series(np.random.default_rng(0).normal(size=(9, 2)), 2)
    tables, origins = tables_of(model)
    plan = make_plan(tables, 9)
    messages = np.zeros(plan.messages_size)
    write_emissions(model, tables, origins, plan, series, messages)
    derivatives = np.zeros_like(messages)
    slopes = np.random.default_rng(1).normal(size=message_entries(2))
    write_cell(derivatives, plan.emit_base, plan.emit_rows[0, 5], 2, 2, slopes)
    found = emission_slopes(model, tables, origins, plan, series, messages, derivatives, {})[origins.emits[0][:2]]

    def value(offset: np.ndarray) -> float:
        moved = as_series(series.values - offset, 2)
        one = merge(observe(emit_rules(model, origins)[0], moved, 2), np.array([0, 2, 7, 9]))
        return float(slopes @ pack_messages(*one)[1])

    for a, step in enumerate(1e-5 * np.eye(2)):
        assert found["offset"][a] == pytest.approx((value(step) - value(-step)) / 2e-5, rel=1e-6)
