"""Which cells there are: none that no leaves can fill, and all that some can."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import recbayes as rb
from recbayes.gaussian.chart.plan import make_plan
from recbayes.gaussian.chart.tables import tables_of
from recbayes.reference import enumeration
from recbayes.spans.constraints import Constraints
from recbayes.tree.known import INNER, NO_NODE, NODE
from tests.gaussian.chart.test_enumeration import check_against_reference
from tests.gaussian.learn.test_gradient import check as check_gradient
from tests.random_models import long_leaves, series_for
from tests.random_models import one_variable as random_variable


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


def only_narrow_leaves(length: int, widest: int) -> np.ndarray:
    """A mask by which spans of more observations than that are nodes only if they are divided."""
    widths = np.arange(length + 1)[None, :] - np.arange(length + 1)[:, None]
    return np.where(widths < 1, NO_NODE, np.where(widths <= widest, NODE, INNER)).astype(np.int8)


@pytest.mark.parametrize("widest", [1, 3, 12])
def test_spans_that_may_be_no_leaves_have_no_potentials(widest: int) -> None:
    tables = tables_of(one_variable(rb.OnePlusPoisson(2.0)))[0]
    plan = make_plan(tables, 12, Constraints(allowed=only_narrow_leaves(12, widest)))
    assert np.flatnonzero(plan.emit_rows[0]["length"]).tolist() == list(range(1, widest + 1))
    assert (plan.messages_size < make_plan(tables, 12).messages_size) == (widest < 12)


def test_no_leaf_at_all_leaves_room_for_segments() -> None:
    with pytest.raises(rb.LengthError, match="what is known"):
        rb.inside(one_variable(rb.OnePlusPoisson(2.0)), np.zeros((4, 1)), allowed=np.zeros((5, 5), dtype=bool))


@settings(max_examples=25)
@given(st.data())
def test_narrow_leaves_are_those_of_enumeration(data: st.DataObject) -> None:
    """Of all trees those count whose leaves are narrow: in draws, the best tree, decoding and the gradient."""
    model = data.draw(st.one_of(random_variable(max_dim=2), long_leaves()))
    y = data.draw(series_for(model.observed_dim))
    widest = data.draw(st.integers(1, 4))
    known = {"allowed": only_narrow_leaves(len(y), widest)}

    def is_narrow(tree: enumeration.Derivation) -> bool:
        return all(map(is_narrow, tree.children)) and (bool(tree.children) or tree.end - tree.start <= widest)

    trees = [tree for tree in enumeration.all_derivations(model, len(y)) if is_narrow(tree)]
    if not trees:
        with pytest.raises(rb.LengthError):
            rb.inside(model, y, **known)
        return
    exact = np.logaddexp.reduce([t.log_probability + enumeration.log_density(model, t, y) for t in trees])
    posterior = rb.sample_posterior(model, y, draws=200, seed=0, **known)
    assert posterior.log_evidence == pytest.approx(exact, abs=5 * posterior.log_evidence_error + 1e-7 * abs(exact) + 1e-7)
    for tree in (rb.best_tree(rb.inside(model, y, **known)), posterior.tree(), *posterior.trees):
        assert max(leaf.end - leaf.start for leaf in tree.leaves) <= widest
    check_gradient(model, y, noise=1e-5, constraints=known)


def test_roots_without_trees_are_never_drawn() -> None:
    """A variable that may be the root, but emits one observation alone: drawing it read memory that is not there."""
    link, noise, standard = rb.Link(np.eye(1)), np.eye(1), (np.zeros(1), np.eye(1))
    tree = rb.Variable("tree", 1, (rb.Split(0.4, "tree", "tree", link, link), rb.Emit(0.6, noise)))
    alone = rb.Variable("alone", 1, (rb.Emit(1.0, noise),))
    prior = rb.Prior("tree", (rb.Component(*standard, weight=0.5), rb.Component(*standard, weight=0.5, variable="alone")))
    y = np.random.default_rng(0).normal(size=(12, 1))
    posterior = rb.sample_posterior(rb.GaussianRBN((tree, alone), prior), y, draws=2000, seed=0)
    assert {one.nodes[0].label for one in posterior.trees} == {"tree"}
    same = rb.sample_posterior(rb.GaussianRBN((tree,), rb.Prior("tree", (rb.Component(*standard),))), y, draws=2000, seed=1)
    difference = np.hypot(posterior.log_evidence_error, same.log_evidence_error)
    assert posterior.log_evidence == pytest.approx(same.log_evidence - np.log(2.0), abs=5 * difference)
