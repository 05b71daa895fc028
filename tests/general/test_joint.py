"""Joint inside and outside at fixed values: against all structures one by one, and finite differences."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import recbayes as rb
from tests.general.random_general import COLUMNS, SHAPES, Oracle, Plain, as_model, cases

Case = tuple[Plain, list[tuple[str, Any]], dict[str, np.ndarray]]


def data_of(one: Plain, observed: list[tuple[str, Any]]) -> Any:
    """As the model reads it."""
    terminals = as_model(one).parts.terminals
    return observed if len(terminals) > 1 else np.array([value for _, value in observed])


@pytest.mark.parametrize("shape", sorted(SHAPES))
@settings(max_examples=3, deadline=None)
@given(data=st.data())
def test_all_structures(shape: str, data: st.DataObject) -> None:
    check_all_structures(data.draw(cases(4 if shape == "discrete" else 5, [shape])))


def check_all_structures(case: Case) -> None:
    one, observed, values = case
    model, data = as_model(one), data_of(one, observed)
    found = Oracle(one, observed, values).all()
    if not found:
        with pytest.raises(rb.LengthError, match="cannot generate"):
            rb.joint_inside(model, data, values)
        return
    logs = np.array([structure.log for structure in found])
    total = np.logaddexp.reduce(logs)
    chart = rb.joint_inside(model, data, values)
    assert chart.log_joint == pytest.approx(total, abs=1e-9)
    expected = np.zeros((len(observed) + 1, len(observed) + 1))
    for structure, share in zip(found, np.exp(logs - total), strict=True):
        for span in set(structure.spans):
            expected[span] += share
    np.testing.assert_allclose(chart.node_probability, expected, atol=1e-9)
    best = found[int(logs.argmax())]
    if (logs > logs.max() - 1e-9).sum() == 1:
        assert sorted(chart.best_tree().spans) == sorted(best.spans)


@settings(max_examples=8, deadline=None)
@given(cases(most=4))
def test_gradients(case: Case) -> None:
    one, observed, values = case
    if not Oracle(one, observed, values).all():
        return
    model, data = as_model(one), data_of(one, observed)
    chart = rb.joint_inside(model, data, values)
    slopes, landscape, step = chart.gradient(), chart.landscape, 1e-5
    rng = np.random.default_rng(0)
    for name, own in slopes.values.items():
        for _ in range(2):
            direction = rng.normal(size=own.shape)
            moved = [landscape.at({**chart.values, name: chart.values[name] + h * direction}) for h in (step, -step)]
            numeric = (moved[0].log_joint - moved[1].log_joint) / (2 * step)
            assert (own * direction).sum() == pytest.approx(numeric, abs=1e-6, rel=1e-6)
    for name, value in model.parameters.items():
        direction = rng.normal(size=value.shape)
        moved = [landscape.at(chart.values, {**model.parameters, name: value + h * direction}) for h in (step, -step)]
        numeric = (moved[0].log_joint - moved[1].log_joint) / (2 * step)
        assert (slopes.parameters[name] * direction).sum() == pytest.approx(numeric, abs=1e-6, rel=1e-6)


def test_values_are_one_for_every_span() -> None:
    one, observed, values = _simple()
    model = as_model(one)
    data = data_of(one, observed)
    with pytest.raises(rb.DataError, match=r"shape \(4, 4, 2\)"):
        rb.joint_inside(model, data, np.zeros((3, 3, 2)))
    with pytest.raises(rb.DataError, match=r"0:\d, \[nan nan\], is not in Real"):
        rb.joint_inside(model, data, np.full((4, 4, COLUMNS), np.nan))
    whole = rb.joint_inside(model, data, values)
    packed = rb.joint_inside(model, data, whole.values)
    assert packed.log_joint == whole.log_joint == rb.joint_inside(model, data, values["a"]).log_joint


def test_what_is_known_of_trees() -> None:
    one, observed, values = _simple()
    model, data = as_model(one), data_of(one, observed)
    found = Oracle(one, observed, values).all()
    kept = [structure.log for structure in found if (0, 2) in structure.spans]
    chart = rb.joint_inside(model, data, values, allowed=rb.known_spans(3, [(0, 2)]))
    assert chart.log_joint == pytest.approx(np.logaddexp.reduce(kept), abs=1e-9)
    kept = [structure.log for structure in found if all(set(span) <= {0, 1, 3} for span in structure.spans)]
    chart = rb.joint_inside(model, data, values, boundaries=[1])
    assert chart.log_joint == pytest.approx(np.logaddexp.reduce(kept), abs=1e-9)


def _simple() -> Case:
    from tests.general.random_general import plain

    rng = np.random.default_rng(3)
    one = plain("one", 0, rb.OnePlusPoisson(1.0))
    return one, [("y", row) for row in rng.normal(size=(3, COLUMNS))], {"a": rng.normal(size=(4, 4, COLUMNS))}
