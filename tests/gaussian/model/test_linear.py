"""Linear Gaussian RBNs: what is accepted, what is refused, and samples."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import recbayes as rb
from recbayes.gaussian.model import linear_sampling as linear_gaussian_sampling
from tests.gaussian.model.linear_models import linear_models

PRIOR = rb.Prior("A", (rb.Component(0.0, 1.0),))  # type: ignore[arg-type]
LINK = rb.Link(0.1)  # type: ignore[arg-type]
OBSERVE = rb.Observe(0.1)  # type: ignore[arg-type]
EMIT = rb.Emit(1.0, 0.1)  # type: ignore[arg-type]


def model(*rules: Any, dim: int = 1, others: tuple[rb.Variable, ...] = ()) -> rb.LinearGaussianRBN:
    return rb.LinearGaussianRBN((rb.Variable("A", dim, rules), *others), PRIOR)


def test_covariances_and_offsets_are_completed() -> None:
    rbn = model(rb.Branch(1.0, [rb.Observe(0.5, [[2.0]], 3.0), ("A", LINK)]))  # type: ignore[arg-type]
    (branch,) = rbn.variables[0].rules
    assert isinstance(branch, rb.Branch)
    observe, (name, link) = branch.children
    assert isinstance(observe, rb.Observe)
    assert (observe.covariance.tolist(), observe.offset.tolist(), name) == ([[0.5]], [3.0], "A")  # type: ignore[union-attr]
    assert link.covariance.tolist() == [[0.1]]
    assert "1  -> y A" in repr(rbn)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ((), r"A\.rules must not be empty"),
        (("A",), r"A\.rules\[0\] must be a Branch, a Split or an Emit, got str"),
        ((rb.Branch(1.0, ()),), r"children must be one or more \(name, Link\) pairs and Observes, got \(\)"),
        ((rb.Branch(1.0, ("A",)),), r"A\.rules\[0\]\.children\[0\] must be a \(name, Link\) pair or an Observe, got 'A'"),
        ((rb.Branch(1.0, (("B", LINK),)),), r"children\[0\] is 'B', which is not a variable; there are \['A'\]"),
        ((rb.Branch(1.0, (("A", 0.1),)),), r"children\[0\]: link must be a Link, got float"),
        ((rb.Branch(1.0, (("A", rb.Link(-1.0)),)),), r"link\.covariance must not have negative variances"),
        ((rb.Branch(1.0, (rb.Observe(0.0),)),), r"children\[0\]\.covariance must be positive definite"),
        ((rb.Branch(0.5, (OBSERVE,)),), "A: probabilities of the rules must sum to one"),
        ((rb.Branch(1.0, (("A", LINK),)),), "no rule has an Emit or an Observe"),
        ((rb.Branch(0.5, (OBSERVE, rb.Observe(1.0, [[1], [1]]))), rb.Emit(0.5, 0.1)), "must have one dimension"),
    ],
)
def test_errors(rules: tuple, message: str) -> None:
    with pytest.raises(rb.ModelError, match=message):
        model(*rules)


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ((), "variables must not be empty"),
        ((rb.Variable("A", 1, (EMIT,)), rb.Variable("A", 1, (EMIT,))), "'A' is defined twice"),
        ((rb.Variable("", 1, (EMIT,)),), "non-empty string"),
        ((rb.Variable("B", 1, (EMIT,)),), r"prior\.variable is 'A'"),
    ],
)
def test_errors_in_variables(variables: tuple, message: str) -> None:
    with pytest.raises(rb.ModelError, match=message):
        rb.LinearGaussianRBN(variables, PRIOR)


@given(linear_models(cycles=True, unary_share=0.5), st.integers(0, 2**32 - 1))
def test_samples_are_trees_of_the_model(rbn: rb.LinearGaussianRBN, seed: int) -> None:
    series, tree = rbn.sample(seed=seed, max_length=60)
    assert series.shape == (tree.length, rbn.observed_dim)
    dims = {variable.name: variable.dim for variable in rbn.variables}
    assert tree.nodes[0].label == "A"
    for node, arity in zip(tree, tree.arities, strict=True):
        if node.label:
            assert node.value is not None
            assert node.value.shape == (dims[node.label],)
            assert (arity == 0) == node.rule.startswith("emit")
        else:
            assert (node.rule, node.value, node.length, arity) == ("observe", None, 1, 0)


@given(linear_models(cycles=True, unary_share=0.5))
def test_round_trip_is_exact(tmp_path_factory: pytest.TempPathFactory, rbn: rb.LinearGaussianRBN) -> None:
    """The restored model draws the same numbers, bit for bit."""
    path = tmp_path_factory.mktemp("models") / "model.json"
    rbn.save(path)
    restored = rb.load(path)
    assert isinstance(restored, rb.LinearGaussianRBN)
    assert restored == rbn
    assert hash(restored) == hash(rbn)
    assert repr(restored) == repr(rbn)
    for seed in range(3):
        (one, tree), (two, other) = (same.sample(seed=seed, max_length=60) for same in (rbn, restored))
        np.testing.assert_array_equal(one, two)
        assert tree == other


def test_a_gaussian_rbn_samples_the_same() -> None:
    gaussian = rb.GaussianRBN.create(dim=2, termination=0.6, shifts={0: 0.5, 1: 0.5}, extra_observations=1.0)
    rbn = rb.LinearGaussianRBN(gaussian.variables, gaussian.prior)
    for seed in range(5):
        one, other = (kind.sample(seed=seed, min_length=3, max_length=20) for kind in (gaussian, rbn))
        np.testing.assert_array_equal(one[0], other[0])
        assert one[1] == other[1]


def test_moments_of_a_mixed_branch() -> None:
    """A -> y B y with B -> B with certainty once, then an emission: means and covariances by hand."""
    C = rb.Variable("C", 1, (rb.Emit(1.0, 0.2),))  # type: ignore[arg-type]
    B = rb.Variable("B", 1, (rb.Branch(1.0, (("C", rb.Link(0.3, [[2.0]], 1.0)),)),))  # type: ignore[arg-type]
    rbn = model(rb.Branch(1.0, (OBSERVE, ("B", rb.Link(0.5)), rb.Observe(0.1, [[-1.0]]))), others=(B, C))  # type: ignore[arg-type]
    rng, draws = np.random.default_rng(0), 4000
    samples = np.array([rbn.sample(seed=rng)[0].ravel() for _ in range(draws)])
    mean = np.array([0.0, 1.0, 0.0])
    covariance = np.array([[1.1, 2.0, -1.0], [2.0, 4 * 1.5 + 0.3 + 0.2, -2.0], [-1.0, -2.0, 1.1]])
    spread = np.diag(covariance)
    assert (np.abs(samples.mean(axis=0) - mean) < 4.5 * np.sqrt(spread / draws)).all()
    error = np.sqrt((np.outer(spread, spread) + covariance**2) / draws)
    assert (np.abs((samples - mean).T @ (samples - mean) / draws - covariance) < 4.5 * error).all()


def test_long_chains_of_unary_rules() -> None:
    rbn = model(rb.Branch(0.9999, (("A", LINK),)), rb.Emit(0.0001, 0.1))  # type: ignore[arg-type]
    _, tree = rbn.sample(seed=0)
    assert tree.length == 1
    assert len(tree) > 1000


def test_trees_that_do_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear_gaussian_sampling, "MOST_NODES", 10_000)
    round_and_round = model(rb.Branch(1.0, (("A", LINK),)), rb.Emit(0.0, 0.1))  # type: ignore[arg-type]
    with pytest.raises(rb.LengthError, match="a cycle of unary rules that is hardly ever left"):
        round_and_round.sample(seed=0)
    with pytest.raises(rb.LengthError, match="no tree in 5 attempts had 2 to 3 observations"):
        model(EMIT).sample(seed=0, min_length=2, max_length=3, attempts=5)
    with pytest.raises(rb.LengthError, match="1 <= min_length <= max_length, got 3 and 2"):
        model(EMIT).sample(seed=0, min_length=3, max_length=2)
    with pytest.raises(rb.LengthError, match="attempts must be a whole number of at least 1"):
        model(EMIT).sample(seed=0, attempts=0)


@pytest.mark.parametrize(
    "verb",
    [
        lambda rbn: rb.inside(rbn, [1.0]),
        lambda rbn: rb.sample_posterior(rbn, [1.0], seed=0),
        lambda rbn: rb.log_joint(rbn, [1.0], rb.Tree.from_brackets("(A y)")),
        lambda rbn: rb.smooth(rbn, [1.0], rb.Tree.from_brackets("(A y)")),
        rb.outside,
        rb.best_tree,
        rb.quick_node_probability,
    ],
)
def test_charts_are_those_of_the_normal_form(verb: Callable) -> None:
    with pytest.raises(rb.ModelError, match=r"model\.to_cnf\(\): form\.model is a GaussianRBN"):
        verb(model(EMIT))


def test_what_is_no_model_and_no_chart() -> None:
    with pytest.raises(rb.ModelError, match=r"expected a model.*got str"):
        rb.inside("model", [1.0])  # type: ignore[arg-type]
    with pytest.raises(rb.DataError, match=r"expected one chart.*got list"):
        rb.outside([])  # type: ignore[arg-type]
