"""Candidate boundaries, allowed spans, and many series at once."""

import warnings
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from time import process_time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import recbayes as rb
from recbayes.errors import DataError
from recbayes.reference import enumeration


def small_model(**changes: object) -> rb.GaussianRBN:
    settings: dict = {"dim": 2, "noise_std": 0.5, "termination": 0.5, "extra_observations": 1.0}
    return rb.GaussianRBN.create(**{**settings, **changes})


def allowed_trees(model: rb.GaussianRBN, y: np.ndarray, allowed: np.ndarray) -> float:
    """The exact evidence of trees all of whose nodes are allowed."""

    def fits(tree: enumeration.Derivation) -> bool:
        return bool(allowed[tree.start, tree.end]) and all(fits(child) for child in tree.children)

    trees = [tree for tree in enumeration.derivations(model, "x", 0, len(y)) if fits(tree)]
    return float(np.logaddexp.reduce([t.log_probability + enumeration.log_density(model, t, y) for t in trees]))


def test_allowed_spans_that_leave_one_tree_are_exact() -> None:
    y = np.random.default_rng(0).normal(size=(6, 2))
    allowed = np.zeros((7, 7), dtype=bool)
    for span in [(0, 6), (0, 2), (2, 6), (2, 5), (5, 6)]:
        allowed[span] = True
    model = small_model()
    # 2:6 and 0:6 may also be emitted whole; forbid that by a table of lengths.
    emit = model.variables[0].rules[1]
    table = rb.LengthTable((0.2, 0.3, 0.5))
    model = rb.GaussianRBN(
        (rb.Variable("x", 2, (model.variables[0].rules[0], rb.Emit(0.5, emit.covariance, table))),), model.prior
    )
    exact = allowed_trees(model, y, allowed)
    chart = rb.inside(model, y, allowed=allowed)
    assert chart.log_evidence == pytest.approx(exact, abs=1e-10)
    assert set(rb.best_tree(chart).spans) == {(0, 6), (0, 2), (2, 6), (2, 5), (5, 6)}


def test_forbidding_nothing_changes_nothing() -> None:
    y = np.random.default_rng(0).normal(size=(12, 2))
    model = small_model(shifts={0: 0.5, 1: 0.5})
    plain = rb.inside(model, y)
    masked = rb.inside(model, y, allowed=np.ones((13, 13), dtype=bool))
    assert masked.log_evidence == pytest.approx(plain.log_evidence, rel=1e-13)
    edges = rb.inside(model, y, boundaries=np.arange(13))
    assert edges.log_evidence == pytest.approx(plain.log_evidence, rel=1e-13)


def test_boundaries_are_allowed_spans() -> None:
    """A chart over candidate boundaries equals the full chart in which all other spans are forbidden."""
    y = np.random.default_rng(0).normal(size=(20, 2))
    y[3] = np.nan
    y[8, 0] = np.nan
    points = [0, 4, 5, 11, 16, 20]
    allowed = np.zeros((21, 21), dtype=bool)
    allowed[np.ix_(points, points)] = True
    model = small_model(extra_observations=4.0)
    by_mask = rb.inside(model, y, allowed=allowed)
    by_points = rb.inside(model, y, boundaries=points[1:-1])
    assert by_points.log_evidence == pytest.approx(by_mask.log_evidence, rel=1e-11)
    assert rb.best_tree(by_points) == rb.best_tree(by_mask)
    both = rb.inside(model, y, boundaries=points, allowed=allowed)
    assert both.log_evidence == pytest.approx(by_mask.log_evidence, rel=1e-11)


def test_boundaries_make_long_series_cheap() -> None:
    """With few candidate boundaries the chart has few cells, whatever the length of the series."""
    model = small_model(extra_observations=300.0)
    y = np.random.default_rng(0).normal(size=(30_000, 2))
    chart = rb.inside(model, y, boundaries=np.arange(0, 30_000, 3000))
    assert chart.messages.size < 10_000
    assert np.isfinite(chart.log_evidence)


@pytest.mark.parametrize("boundaries", [[-1], [21], [0.5], [[1, 2]]])
def test_unusable_boundaries(boundaries: list) -> None:
    with pytest.raises(DataError, match="boundaries must be whole numbers between 0 and 20"):
        rb.inside(small_model(), np.zeros((20, 2)), boundaries=boundaries)


def test_unusable_masks() -> None:
    for allowed in (np.ones((20, 20), dtype=bool), np.ones((21, 21))):
        with pytest.raises(DataError, match=r"allowed must be a boolean array of shape \(21, 21\)"):
            rb.inside(small_model(), np.zeros((20, 2)), allowed=allowed)


def test_many_series_in_threads() -> None:
    model = small_model(shifts={0: 0.5, 1: 0.5})
    rng = np.random.default_rng(0)
    many = [rng.normal(size=(length, 2)) for length in (1, 30, 7, 50, 13)]
    alone = [rb.inside(model, one).log_evidence for one in many]
    assert [chart.log_evidence for chart in rb.inside(model, many)] == alone
    with ThreadPoolExecutor(2) as pool:
        assert [chart.log_evidence for chart in rb.inside(model, many, executor=pool)] == alone
    bounded = rb.inside(model, many, boundaries=[None, [10], None, None, [5]])
    assert [chart.log_evidence for chart in bounded][::2][:2] == alone[::2][:2]
    with pytest.raises(DataError, match="one entry for each of the 5 series"):
        rb.inside(model, many, boundaries=[[3]])


def trees_with(model: rb.GaussianRBN, y: np.ndarray, spans: list[tuple[int, int]], only: bool = False) -> float:
    """The exact evidence of trees that have nodes with all these spans (and no others)."""

    def nodes(tree: enumeration.Derivation) -> set[tuple[int, int]]:
        return {(tree.start, tree.end)}.union(*(nodes(child) for child in tree.children))

    def fits(tree: enumeration.Derivation) -> bool:
        found = nodes(tree)
        return found == set(spans) if only else found >= set(spans)

    trees = [tree for tree in enumeration.derivations(model, "x", 0, len(y)) if fits(tree)]
    return float(np.logaddexp.reduce([t.log_probability + enumeration.log_density(model, t, y) for t in trees]))


@pytest.mark.parametrize("spans", [[(1, 3)], [(0, 2), (3, 5)], [(2, 5), (3, 5)], [(0, 5)]])
def test_known_spans(spans: list[tuple[int, int]]) -> None:
    """Of all trees, leaves of any length, those count that have the known nodes: in charts, draws and decoded trees."""
    y = np.random.default_rng(1).normal(size=(5, 1))
    model = small_model(dim=1, extra_observations=0.7)
    known = rb.known_spans(5, spans)
    exact = trees_with(model, y, spans)
    assert exact < trees_with(model, y, []) - 0.01 or spans == [(0, 5)]
    assert rb.inside(model, y, allowed=known, components=8).log_evidence == pytest.approx(exact, abs=0.02)
    posterior = rb.sample_posterior(model, y, draws=4000, seed=0, allowed=known)
    assert posterior.log_evidence == pytest.approx(exact, abs=5 * posterior.log_evidence_error + 1e-9)
    for span in spans:
        assert posterior.node_probability[span] == pytest.approx(1.0)
        assert span in posterior.tree().spans
        assert span in rb.best_tree(rb.inside(model, y, allowed=known)).spans


def test_a_known_tree_is_exact() -> None:
    """Not even nodes that could be leaves are anything but what the tree says, and the gradient knows it."""
    y = np.random.default_rng(1).normal(size=(6, 2))
    model = small_model(extra_observations=2.0)
    tree = rb.Tree.from_spans([(0, 6), (0, 4), (0, 1), (1, 4), (4, 6)])
    result = rb.log_evidence_and_gradient(model, y, allowed=tree.span_mask())
    assert result.log_evidence == pytest.approx(trees_with(model, y, list(tree.spans), only=True), abs=1e-10)
    vector = result.parameters.vector()
    for number in range(len(vector)):
        steps = [vector + sign * 1e-5 * np.eye(len(vector))[number] for sign in (1, -1)]
        high, low = (trees_with(result.parameters.with_vector(step), y, list(tree.spans), only=True) for step in steps)
        assert result.gradient[number] == pytest.approx((high - low) / 2e-5, abs=1e-5)


def test_known_spans_must_exist() -> None:
    with pytest.raises(DataError, match="no span 3:7"):
        rb.known_spans(5, [(3, 7)])
    with pytest.raises(DataError, match="crosses another"):
        rb.known_spans(5, [(0, 3), (2, 5)])
    with pytest.raises(DataError, match="a span is a pair"):
        rb.known_spans(5, (0, 2))  # type: ignore[arg-type]


def test_many_known_spans() -> None:
    """All nodes of a large tree, each several times; it took minutes."""
    spans = [(0, end) for end in range(2, 401)] * 50
    began = process_time()
    mask = rb.known_spans(400, spans)
    assert process_time() - began < 5.0
    assert np.array_equal(mask[0, 1:], [1, 1, *[2] * 398])
    assert mask[1:].sum() == 399  # beside the spine, single observations alone


@settings(max_examples=20)
@given(st.integers(2, 6), st.integers(0, 10**6), st.floats(0.0, 3.0))
def test_balanced_trees_are_those_of_random_merging(length: int, seed: int, strength: float) -> None:
    """Of series without observations trees have their prior probabilities: 1 / (n - 1) for each node, to some power."""
    model = rb.GaussianRBN.create(dim=1, termination=0.6, extra_observations=None)
    nothing = np.full((length, 1), np.nan)
    preference = rb.balanced_preference(length, strength)
    posterior = rb.sample_posterior(model, nothing, draws=4000, seed=seed, preference=preference)

    @cache
    def total(width: int) -> float:
        """Of all trees over so many observations."""
        if width == 1:
            return 1.0
        return (width - 1) ** -strength * sum(total(left) * total(width - left) for left in range(1, width))

    for width in range(1, length):  # a node at the beginning, and another one beside it, if the root divides there
        right = (length - 1) ** -strength * total(width) * total(length - width) / total(length)
        both = [{(0, width), (width, length)} <= set(tree.spans) for tree in posterior.trees]
        assert abs(float(np.dot(both, posterior.weights)) - right) < 0.05
    assert posterior.log_evidence == pytest.approx(
        np.log(total(length)) + (length - 1) * np.log(0.4) + length * np.log(0.6),
        abs=5 * posterior.log_evidence_error + 1e-9,
    )


def test_preferences_that_are_none() -> None:
    y = np.zeros((3, 2))
    for wrong in (np.zeros((3, 3)), np.full((4, 4), np.inf), np.full((4, 4), "a"), 1.0):
        with pytest.raises(DataError, match=r"preference must be numbers of shape \(4, 4\)"):
            rb.inside(small_model(), y, preference=wrong)
    for length, strength in ((0, 1.0), (3, np.nan), (3.5, 1.0)):
        with pytest.raises(ValueError):
            rb.balanced_preference(length, strength)  # type: ignore[arg-type]


def test_what_is_thought_of_the_root_changes_nothing_but_the_evidence() -> None:
    """Also where charts are checked: of ill-conditioned models, and of marginals by outside."""
    y = np.random.default_rng(0).normal(size=(3, 2))
    preference = np.zeros((4, 4))
    preference[0, 3] = 6.0
    model = small_model(extra_observations=3.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plain, other = (rb.outside(rb.inside(model, y, **known)) for known in ({}, {"preference": preference}))
    np.testing.assert_allclose(other.node_probability, plain.node_probability, atol=1e-10)
    hard = rb.GaussianRBN.create(dim=2, noise_std=np.linalg.cholesky([[1.0, 1.0 - 1e-6], [1.0 - 1e-6, 1.0]]))
    first = rb.inside(hard, y[:1]).log_evidence
    assert rb.inside(hard, y[:1], preference=np.full((2, 2), 0.5)).log_evidence == pytest.approx(first + 0.5, abs=1e-6)


def test_preferences_of_grammars_are_of_some_size() -> None:
    grammar = rb.PCFG.from_string("S -> S S [0.4] | 'a' [0.6]")
    plain = rb.outside(rb.inside(grammar, ["a"] * 4)).node_probability
    for size in (-300.0, 300.0):
        preference = np.zeros((5, 5))
        preference[0, 4] = size
        chart = rb.inside(grammar, ["a"] * 4, preference=preference)
        np.testing.assert_allclose(rb.outside(chart).node_probability, plain, atol=1e-9)
    preference[0, 4] = -301.0
    with pytest.raises(DataError, match="from -300 to 300"):
        rb.inside(grammar, ["a"] * 4, preference=preference)
