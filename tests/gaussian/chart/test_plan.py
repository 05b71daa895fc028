"""Which cells there are: none that no leaves can fill, and all that some can."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import recbayes as rb
from recbayes.gaussian.chart.plan import make_plan
from recbayes.gaussian.chart.tables import tables_of
from recbayes.spans.constraints import Constraints
from tests.gaussian.chart.test_enumeration import check_against_reference
from tests.random_models import long_leaves, series_for


def one_variable(length: object) -> rb.GaussianRBN:
    rules = rb.Split(0.4, "x", "x", rb.Link(np.eye(1)), rb.Link(np.eye(1))), rb.Emit(0.6, np.eye(1), length)  # type: ignore[arg-type]
    return rb.GaussianRBN((rb.Variable("x", 1, rules),), rb.Prior("x", (rb.Component(np.zeros(1), np.eye(1)),)))


def widths(model: rb.GaussianRBN, length: int, boundaries: object = None) -> list[int]:
    """In segments, of all cells."""
    rows = make_plan(tables_of(model)[0], length, Constraints(boundaries)).rows[0]
    return np.flatnonzero(rows["low"] <= rows["high"]).tolist()


def test_no_cell_is_shorter_than_a_leaf() -> None:
    assert widths(one_variable(rb.OnePlusPoisson(2.0)), 12) == list(range(1, 13))
    assert widths(one_variable(rb.Geometric(6.0, 4)), 12) == [*range(4, 9), 12]  # what is left of 12 has 4 or more
    assert widths(one_variable(rb.LengthTable((0.0, 0.0, 1.0))), 12) == [*range(3, 10), 12]


def test_between_boundaries_a_segment_may_be_a_leaf() -> None:
    """As many segments as it takes to fill the shortest leaf, if all were as long as the longest of them."""
    model = one_variable(rb.Geometric(6.0, 4))
    assert widths(model, 12, [4, 8]) == [1, 2, 3]
    assert widths(model, 12, [2, 4, 6, 8, 10]) == [2, 3, 4, 6]
    assert widths(model, 12, [1, 2, 3, 4]) == [1, 2, 3, 4, 5]  # one segment has eight observations


@settings(max_examples=30)
@given(st.data())
def test_long_leaves_equal_reference(data: st.DataObject) -> None:
    model = data.draw(long_leaves())
    check_against_reference(model, data.draw(series_for(model.observed_dim, max_length=12)))


@settings(max_examples=30)
@given(st.data())
def test_boundaries_of_long_leaves_are_allowed_spans(data: st.DataObject) -> None:
    """Charts over few points, whose segments are long, and over all, of which few spans are allowed."""
    model = data.draw(long_leaves())
    length = data.draw(st.integers(2, 25))
    points = sorted(data.draw(st.sets(st.integers(0, length)))) + [length]
    y = np.random.default_rng(length).normal(size=(length, model.observed_dim))
    allowed = np.zeros((length + 1, length + 1), dtype=bool)
    allowed[np.ix_([0, *points], [0, *points])] = True
    try:
        by_mask = rb.log_evidence_and_gradient(model, y, allowed=allowed)
    except rb.LengthError:
        with pytest.raises(rb.LengthError):
            rb.inside(model, y, boundaries=points)
        return
    by_points = rb.log_evidence_and_gradient(model, y, boundaries=points)
    assert by_points.log_evidence == pytest.approx(by_mask.log_evidence, rel=1e-9)
    np.testing.assert_allclose(by_points.gradient, by_mask.gradient, rtol=1e-6, atol=1e-6)


def test_draws_of_long_leaves_follow_their_probabilities() -> None:
    """Nine observations in leaves of three and more, whose trees can be listed: 9, 3 + 6, 4 + 5 and so on, and 3 + 3 + 3."""
    model = one_variable(rb.Geometric(5.0, 3))
    y = np.repeat([0.0, 3.0, -2.0], 3)[:, None]
    posterior = rb.sample_posterior(model, y, draws=4000, seed=0)
    expected = np.zeros((10, 10))
    spans: list = [[], [(0, 3), (3, 9)], [(0, 4), (4, 9)], [(0, 5), (5, 9)], [(0, 6), (6, 9)]]
    spans += [[(0, 6), (0, 3), (3, 6), (6, 9)], [(0, 3), (3, 9), (3, 6), (6, 9)]]
    trees = [rb.Tree.from_spans([(0, 9), *one]) for one in spans]
    joints = [rb.log_joint(model, y, tree) for tree in trees]
    assert posterior.log_evidence == pytest.approx(np.logaddexp.reduce(joints), abs=4 * posterior.log_evidence_error)
    for tree, joint in zip(trees, joints, strict=True):
        expected[tuple(np.transpose(tree.spans))] += np.exp(joint - np.logaddexp.reduce(joints))
    np.testing.assert_allclose(posterior.node_probability, expected, atol=0.03)
