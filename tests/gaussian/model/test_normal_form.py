"""The binary normal form: same evidence, tree by tree the same probabilities, and a way back for every tree."""

import pickle
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp
from scipy.stats import multivariate_normal, norm

import recbayes as rb
from recbayes.convert.expansion import expand_linear
from recbayes.gaussian.model import normal_form as gaussian_normal_form
from recbayes.gaussian.model import unary_chains
from recbayes.gaussian.model.linear import children_of, name_of_rule
from recbayes.gaussian.model.naming import rule_name
from recbayes.gaussian.model.normal_form import NormalForm
from recbayes.reference import enumeration
from tests.gaussian.model.linear_models import exact_log_evidence, exact_log_joints, linear_models, number_of_derivations


def normal_tree(model: rb.GaussianRBN, derivation: enumeration.Derivation) -> rb.Tree:
    variables = {variable.name: variable for variable in model.variables}
    nodes, arities, waiting = [], [], [derivation]
    while waiting:
        here = waiting.pop()
        variable = variables[here.variable]
        position = next(n for n, rule in enumerate(variable.rules) if rule is here.rule)
        nodes.append(rb.Node(here.start, here.end, here.variable, rule_name(variable, position, here.shift)))
        arities.append(len(here.children))
        waiting += here.children[::-1]
    return rb.Tree(nodes, arities)


def restored_log_joints(form: NormalForm, series: np.ndarray) -> dict[rb.Tree, float]:
    """log p(Y, Z) of every original tree Z, summed over the trees of the normal form that restore to it."""
    joints: dict[rb.Tree, list[float]] = {}
    for part in enumeration.derivations(form.model, form.model.prior.variable, 0, len(series)):
        log_joint = part.log_probability + enumeration.log_density(form.model, part, series)
        joints.setdefault(form.restore(normal_tree(form.model, part)), []).append(log_joint)
    return {tree: float(logsumexp(values)) for tree, values in joints.items()}


def assert_same_trees(rbn: rb.LinearGaussianRBN, series: np.ndarray, unary: int, tolerance: float) -> None:
    """Tree by tree the same probability, except where the normal form or the oracle left chains of unary rules out."""
    form = rbn.to_cnf(tolerance)
    found, expected = restored_log_joints(form, series), exact_log_joints(rbn, series, unary)
    for tree, (log_probability, log_joint) in expected.items():
        if tree in found:
            assert abs(found[tree] - log_joint) < 1e-9
        else:
            assert np.exp(log_probability) <= form.error
    for tree in found:
        assert tree in expected or tree.depth > unary + 1
    if form.error == 0.0:
        assert abs(enumeration.exact_log_evidence(form.model, series) - exact_log_evidence(rbn, series, unary)) < 1e-9


def short_series(rbn: rb.LinearGaussianRBN, unary: int, seed: int) -> np.ndarray:
    """A series as long as allows to list all derivations."""
    length = max(n for n in (1, 2, 3, 4) if n == 1 or 0 < number_of_derivations(rbn, n, unary) <= 60)
    return np.random.default_rng(seed).normal(size=(length, rbn.observed_dim))


@settings(max_examples=40)
@given(linear_models(cycles=False, unary_share=0.7), st.sampled_from([1, 8]), st.integers(0, 2**32 - 1))
def test_trees_of_models_without_cycles(rbn: rb.LinearGaussianRBN, few: int, seed: int) -> None:
    """Whether variables arrive elsewhere (few ways) or hold the noise (more than `few`)."""
    with patch.object(gaussian_normal_form, "FEW", few):
        assert rbn.to_cnf().error == 0.0
        assert_same_trees(rbn, short_series(rbn, 2, seed), 2, 1e-9)


@settings(max_examples=30)
@given(linear_models(cycles=True, unary_share=0.003), st.integers(0, 2**32 - 1))
def test_trees_of_models_with_cycles(rbn: rb.LinearGaussianRBN, seed: int) -> None:
    assert rbn.to_cnf(1e-8).error <= 1e-8
    assert_same_trees(rbn, short_series(rbn, 4, seed), 4, 1e-11)


@settings(max_examples=30)
@given(linear_models(cycles=True, unary_share=0.05), st.sampled_from([1, 8]), st.integers(0, 2**32 - 1))
def test_restored_trees_are_possible(rbn: rb.LinearGaussianRBN, few: int, seed: int) -> None:
    """Labels follow the original's rules; values are there, with the right dimension, unless they were integrated out."""
    with patch.object(gaussian_normal_form, "FEW", few):
        form = rbn.to_cnf(1e-3)
    series, tree = form.model.sample(seed=seed, max_length=40)
    back = form.restore(tree)
    assert back.spans[0] == (0, len(series))
    variables: dict[str, Any] = {variable.name: variable for variable in rbn.variables}
    assert back.nodes[0].label == "A"
    for index, node in enumerate(back.nodes):
        if not node.label:
            assert (node.rule, node.value, node.length, back.arities[index]) == ("observe", None, 1, 0)
            continue
        labels = [back.nodes[child].label for child in back.children(index)]
        assert labels in possible_children(variables[node.label], node.rule)
        if node.value is None:
            assert len(labels) == 1
        else:
            assert node.value.shape == (variables[node.label].dim,)


def possible_children(variable: rb.Variable, name: str) -> list[list[str]]:
    found = []
    for position, rule in enumerate(variable.rules):
        shifts = list(rule.shifts) if isinstance(rule, rb.Split) else [(0, 0)]
        if name in [name_of_rule(variable, position, shift) for shift in shifts]:
            children = () if isinstance(rule, rb.Emit) else children_of(rule)
            found.append(["" if isinstance(child, rb.Observe) else child[0] for child in children])
    return found


# One variable with a cycle A -> A, x' ~ N(F x + f, Q), and an emission, written out in closed form


def cyclic(p: float, F: float, f: float, Q: float, split: float = 0.0) -> rb.LinearGaussianRBN:
    rules: list[Any] = [
        rb.Branch(p, (("A", rb.Link([[Q]], [[F]], [f])),)),  # type: ignore[arg-type]
        rb.Emit((1 - p) * (1 - split), 0.2, rb.LengthTable((0.5, 0.5))),  # type: ignore[arg-type]
    ]
    if split:
        rules.append(rb.Split((1 - p) * split, "A", "A", rb.Link([[0.1]]), rb.Link([[0.2]], None, [1.0])))  # type: ignore[arg-type]
    return rb.LinearGaussianRBN([rb.Variable("A", 1, tuple(rules))], rb.Prior("A", (rb.Component([0.5], [[1.0]]),)))  # type: ignore[arg-type]


def log_evidence_of_two(p: float, F: float, f: float, Q: float, y: np.ndarray, rounds: int) -> float:
    """log of sum_n p^n (1 - p) / 2 N(y; m_n, V_n + 0.2 I), two observations of one value after n rounds."""
    mean, variance = np.full(rounds, 0.5), np.full(rounds, 1.0)
    for n in range(1, rounds):
        mean[n], variance[n] = F * mean[n - 1] + f, F * F * variance[n - 1] + Q
    total = norm(2 * mean, np.sqrt(4 * variance + 0.4)).logpdf(y.sum())
    difference = norm(0.0, np.sqrt(0.4)).logpdf(y[0] - y[1])
    weights = np.arange(rounds) * np.log(p) + np.log((1 - p) / 2)
    return float(logsumexp(weights + total + difference + np.log(2)))


@pytest.mark.parametrize(
    ("p", "F", "f", "Q", "rounds"), [(0.5, 1.0, 0.3, 0.2, 60), (0.3, -1.2, 0.1, 0.1, 40), (0.9, 1.0, 0.0, 0.01, 400)]
)
def test_a_cycle_is_followed_until_little_remains(p: float, F: float, f: float, Q: float, rounds: int) -> None:
    """The noise of the cycle is shared by both observations of the value."""
    y = np.array([0.3, 0.9])
    form = cyclic(p, F, f, Q).to_cnf(1e-12)
    assert 0.0 < form.error <= 1e-12
    assert form.model.variables[0].dim == 2
    assert enumeration.exact_log_evidence(form.model, y) == pytest.approx(
        log_evidence_of_two(p, F, f, Q, y, rounds), abs=1e-9
    )


def test_truncation_is_within_the_error() -> None:
    y = np.array([0.3, 0.9])
    rough, fine = cyclic(0.5, 1.0, 0.3, 0.2).to_cnf(1e-3), cyclic(0.5, 1.0, 0.3, 0.2).to_cnf(1e-13)
    assert 1e-4 < rough.error <= 1e-3
    one, other = (enumeration.exact_log_evidence(form.model, y) for form in (rough, fine))
    assert 1e-9 < abs(one - other) < 5e-3
    assert sum(rule.probability for rule in rough.model.variables[0].rules) == pytest.approx(1.0, abs=1e-14)


@pytest.mark.parametrize(("p", "F"), [(0.99, 0.5), (0.99, -0.9), (1 - 1e-7, 0.3)])
def test_a_contraction_that_is_hardly_ever_left_becomes_stationary(p: float, F: float) -> None:
    y = np.array([0.3, 0.9])
    form = cyclic(p, F, 1.0, 0.2).to_cnf()
    assert form.error == 0.0
    assert len(form.model.variables[0].rules) < 600
    found = enumeration.exact_log_evidence(form.model, y)
    if p == 0.99:
        assert found == pytest.approx(log_evidence_of_two(p, F, 1.0, 0.2, y, 4_000), abs=1e-9)
    else:
        mean, variance = 1.0 / (1 - F), 0.2 / (1 - F * F)
        stationary = multivariate_normal([mean, mean], variance + 0.2 * np.eye(2)).logpdf(y)
        assert found == pytest.approx(np.log(0.5) + stationary, abs=1e-5)


def test_a_cycle_that_changes_nothing() -> None:
    """It drops out without any error, and restored trees do not go round."""
    form = cyclic(0.999, 1.0, 0.0, 0.0, split=0.4).to_cnf()
    assert form.error == 0.0
    assert [len(variable.rules) for variable in form.model.variables] == [2]
    tree = form.model.sample(seed=1, min_length=2, max_length=5)[1]
    back = form.restore(tree)
    assert back.spans == tree.spans
    for node, other in zip(back.nodes, tree.nodes, strict=True):
        np.testing.assert_array_equal(node.value, other.value)


def test_cycles_above_splits() -> None:
    """Children that hold their noise: against all derivations."""
    rbn = cyclic(0.02, 0.9, 0.4, 0.3, split=0.5)
    with patch.object(gaussian_normal_form, "FEW", 2):
        form = rbn.to_cnf(1e-10)
        assert_same_trees(rbn, np.array([[0.3], [1.0]]), 6, 1e-11)
    assert [(variable.name, variable.dim) for variable in form.model.variables] == [("A+", 2)]
    back = form.restore(form.model.sample(seed=5, min_length=3, max_length=6)[1])
    assert {node.value.shape for node in back if node.value is not None} == {(1,)}


def test_cycles_that_cannot_be_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unary_chains, "MOST_STATES", 1000)
    with pytest.raises(rb.ModelError, match=r"more than 1000 chains of unary rules from A matter.*Raise cycle_tolerance"):
        cyclic(0.9999, 1.0, 0.0, 0.1).to_cnf()
    with pytest.raises(rb.ModelError, match=r"a cycle of unary rules from A grows beyond 1e\+100"):
        cyclic(0.9, 3.0, 0.0, 0.1).to_cnf()
    with pytest.raises(rb.ModelError, match=r"a cycle that is never left, of \['A'\]; give it another rule"):
        cyclic(1.0, 1.0, 0.0, 0.1).to_cnf()
    with pytest.raises(rb.ModelError, match="cycle_tolerance must be at least 0 and below 1, got 1"):
        cyclic(0.5, 1.0, 0.0, 0.1).to_cnf(1.0)


def test_of_equal_chains_the_most_probable_is_restored() -> None:
    """A -> B directly, rarely, or through C, mostly: to the same effect, so the normal form does not tell them apart."""
    copy = rb.Link(0.0)  # type: ignore[arg-type]
    emit = rb.Emit(1.0, 0.1)  # type: ignore[arg-type]
    rbn = rb.LinearGaussianRBN(
        (
            rb.Variable("A", 1, (rb.Branch(0.1, (("B", copy),)), rb.Branch(0.9, (("C", copy),)))),  # type: ignore[arg-type]
            rb.Variable("B", 1, (emit,)),
            rb.Variable("C", 1, (rb.Branch(1.0, (("B", copy),)),)),  # type: ignore[arg-type]
        ),
        rb.Prior("A", (rb.Component(0.0, 1.0),)),  # type: ignore[arg-type]
    )
    form = rbn.to_cnf()
    assert [variable.name for variable in form.model.variables] == ["B"]
    back = form.restore(form.model.sample(seed=0)[1])
    assert [(node.label, node.rule, node.value is None) for node in back] == [
        ("A", "branch 2", True),
        ("C", "branch", True),
        ("B", "emit", False),
    ]


def test_a_gaussian_rbn_is_its_own_normal_form() -> None:
    model = rb.GaussianRBN.create(dim=3, termination=0.6, shifts={0: 0.5, 1: 0.5}, prior_shifts={0: 0.4, 2: 0.6})
    form = rb.LinearGaussianRBN(model.variables, model.prior).to_cnf()
    assert form.model == model
    assert form.error == 0.0
    tree = model.sample(seed=0, min_length=4)[1]
    assert form.restore(tree) == tree


def test_unreachable_variables_are_dropped() -> None:
    link, emit = rb.Link(0.1), rb.Emit(1.0, 0.1)  # type: ignore[arg-type]
    variables = (
        rb.Variable("A", 1, (rb.Branch(1.0, (("B", link), ("B", link))), rb.Branch(0.0, (("C", link),)))),  # type: ignore[arg-type]
        rb.Variable("B", 1, (emit,)),
        rb.Variable("C", 1, (emit,)),
        rb.Variable("y", 1, (emit,)),
    )
    model = rb.LinearGaussianRBN(variables, rb.Prior("A", (rb.Component(0.0, 1.0),))).to_cnf().model  # type: ignore[arg-type]
    assert [variable.name for variable in model.variables] == ["A", "B"]


def test_a_root_that_moves_into_more_dimensions() -> None:
    """x_B = (x, 2x) has no density; the prior stays with x."""
    narrow = rb.Link(np.zeros((2, 2)), np.array([[1.0], [2.0]]))
    rbn = rb.LinearGaussianRBN(
        (
            rb.Variable("A", 1, (rb.Branch(1.0, (("B", narrow),)),)),  # type: ignore[arg-type]
            rb.Variable("B", 2, (rb.Emit(1.0, 0.1),)),  # type: ignore[arg-type]
        ),
        rb.Prior("A", (rb.Component(0.0, 1.0),)),  # type: ignore[arg-type]
    )
    form = rbn.to_cnf()
    expected = multivariate_normal([0, 0], [[1.1, 2.0], [2.0, 4.1]]).logpdf([0.3, 0.4])
    assert enumeration.exact_log_evidence(form.model, [[0.3, 0.4]]) == pytest.approx(expected, abs=1e-12)
    back = form.restore(form.model.sample(seed=0)[1])
    values = [node.value for node in back if node.value is not None]
    np.testing.assert_allclose(values[1], [values[0][0], 2 * values[0][0]])


def test_a_series_with_its_own_noise_after_a_unary_rule() -> None:
    """The unary rule's noise is no part of the emission, so it stays when the series replaces the emission's."""
    rbn = rb.LinearGaussianRBN(
        (
            rb.Variable("A", 1, (rb.Branch(1.0, (("B", rb.Link(0.5)),)),)),  # type: ignore[arg-type]
            rb.Variable("B", 1, (rb.Emit(1.0, 0.1),)),  # type: ignore[arg-type]
        ),
        rb.Prior("A", (rb.Component(0.0, 1.0),)),  # type: ignore[arg-type]
    )
    series = rb.Series(np.array([[0.7]]), np.array([[2.0]]))
    expected = norm(0.0, np.sqrt(1.0 + 0.5 + 2.0)).logpdf(0.7)
    assert enumeration.exact_log_evidence(rbn.to_cnf().model, series) == pytest.approx(expected, abs=1e-12)


def test_foreign_trees_are_refused() -> None:
    form = cyclic(0.5, 1.0, 0.3, 0.2).to_cnf()
    with pytest.raises(
        rb.DataError, match="node 0:1 with label 'Z', rule 'emit' and 0 children is none of the normal form's"
    ):
        form.restore(rb.Tree([rb.Node(0, 1, "Z", "emit")], [0]))


def test_long_chains_travel_and_can_be_shown() -> None:
    """With no tolerance a cycle is followed for a thousand rounds and more."""
    grammar = rb.PCFG.from_string("S -> S [0.5] | 'a' [0.5]")
    form = expand_linear(grammar, dim=1, emissions={"a": (0.0, 1.0)}).to_cnf(0.0)
    again = pickle.loads(pickle.dumps(form))
    assert len(form.model.variables[0].rules) > 1000
    assert len(repr(form)) < 1_000_000  # chains apart, which are as many as long
    assert list(map(repr, again.recipes.values())) == list(map(repr, form.recipes.values()))
