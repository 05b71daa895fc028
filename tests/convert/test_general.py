"""Gaussian and discrete models as general ones: the same probabilities."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

import recbayes as rb
from recbayes.reference.enumeration import Derivation, all_derivations
from tests.random_grammars import grammars, sentences
from tests.random_models import one_variable, series_for, two_variables


@settings(max_examples=12, deadline=None)
@given(st.data())
def test_grammars(data: st.DataObject) -> None:
    """Rounds of unary rules, terminals beside others and missing tokens among them."""
    grammar = data.draw(grammars())
    tokens: list[str | None] = list(data.draw(sentences(grammar, 4)))
    if data.draw(st.booleans()):
        tokens[data.draw(st.integers(0, len(tokens) - 1))] = None
    (terminal,) = grammar.to_rbn().terminals
    numbers = np.array([np.nan if token is None else terminal.values.index(token) for token in tokens])
    try:
        chart = rb.inside(grammar, tokens)
    except (rb.DataError, rb.LengthError):
        return
    found = rb.joint_inside(grammar.to_general(), numbers, {})
    assert found.log_joint == pytest.approx(chart.log_evidence, abs=1e-10, rel=1e-10)
    np.testing.assert_allclose(found.node_probability, rb.outside(chart).node_probability, atol=1e-9)


def log_values(tree: Derivation, values: dict[str, np.ndarray], y: np.ndarray) -> float:
    """Log density of all values below a node, given its own, and of the observations."""
    x = values[tree.variable][tree.start, tree.end]
    if isinstance(tree.rule, rb.Emit):
        mean = (x if tree.rule.map is None else tree.rule.map @ x) + (0.0 if tree.rule.offset is None else tree.rule.offset)
        total = 0.0
        for row in y[tree.start : tree.end]:
            seen = ~np.isnan(row)
            if seen.any():
                normal = multivariate_normal(mean[seen], tree.rule.covariance[np.ix_(seen, seen)])
                total += float(normal.logpdf(row[seen]))
        return total
    total = 0.0
    for child, link, steps in zip(tree.children, (tree.rule.left_link, tree.rule.right_link), tree.shift, strict=True):
        mean = np.roll(x, steps) if link.map is None else link.map @ x
        mean = mean if link.offset is None else mean + link.offset
        total += float(multivariate_normal(mean, link.covariance).logpdf(values[child.variable][child.start, child.end]))
        total += log_values(child, values, y)
    return total


@settings(max_examples=10, deadline=None)
@given(st.data())
def test_gaussian_models(data: st.DataObject) -> None:
    model = data.draw(st.one_of(one_variable(), two_variables()))
    if len(model.prior.weights_of_roots) > 1:
        with pytest.raises(rb.ModelError, match="one root"):
            model.to_general()
        return
    y = data.draw(series_for(model.observed_dim, 3))
    trees = list(all_derivations(model, len(y)))
    rng, count = np.random.default_rng(0), len(y) + 1
    values = {one.name: rng.normal(size=(count, count, one.dim)) for one in model.variables}
    if not trees:
        with pytest.raises(rb.LengthError):
            rb.joint_inside(model.to_general(), y, values)
        return
    root = values[model.prior.variable][0, len(y)]
    top = logsumexp(
        [
            np.log(one.weight * weight) + multivariate_normal(np.roll(one.mean, steps), one.covariance).logpdf(root)
            for one in model.prior.components
            for steps, weight in one.shifts.items()
        ]
    )
    expected = top + logsumexp([tree.log_probability + log_values(tree, values, y) for tree in trees])
    chart = rb.joint_inside(model.to_general(), y, values)
    assert chart.log_joint == pytest.approx(expected, abs=1e-9, rel=1e-9)


def test_what_has_no_density() -> None:
    copies = rb.Link(np.zeros((1, 1)))
    rules = (rb.Split(0.4, "x", "x", copies, copies), rb.Emit(0.6, np.eye(1)))
    prior = rb.Prior("x", (rb.Component(np.zeros(1), np.eye(1)),))
    with pytest.raises(rb.ModelError, match="without noise has no density"):
        rb.GaussianRBN((rb.Variable("x", 1, rules),), prior).to_general()
    leaf = rb.Leaf(0.6, np.ones(1))
    link = rb.Link(np.eye(1))
    model = rb.GaussianRBN((rb.Variable("x", 1, (rb.Split(0.4, "x", "x", link, link), leaf)),), prior)
    with pytest.raises(rb.ModelError, match="only Emit"):
        model.to_general()
