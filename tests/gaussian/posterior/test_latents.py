"""Values of nodes: smoothing on a given tree against the joint Gaussian written out, and averages over draws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import recbayes as rb
from recbayes.errors import DataError
from recbayes.gaussian.model.naming import rule_name
from tests.gaussian.posterior.exact import enumerate_all
from tests.random_models import one_variable, series_for, two_variables


def joint_moments(model: rb.GaussianRBN, tree: rb.Tree, component: rb.Component, steps: int, y: np.ndarray) -> list:
    """Mean and covariance of every node's value given the data, from the joint Gaussian of all nodes and observations.

    All are affine functions of independent standard normal numbers, one block for each node and observation.
    """
    variables = {variable.name: variable for variable in model.variables}
    rules = {
        (variable.name, rule_name(variable, n, shift)): (rule, shift)
        for variable in model.variables
        for n, rule in enumerate(variable.rules)
        for shift in (rule.shifts if isinstance(rule, rb.Split) else [(0, 0)])
    }

    def root_of(covariance: np.ndarray) -> np.ndarray:
        values, vectors = np.linalg.eigh(covariance)
        return vectors * np.sqrt(np.maximum(values, 0.0))

    blocks = [root_of(component.covariance)]
    values = {0: (np.roll(component.mean, steps), [(0, blocks[0])])}
    observed = []
    for n, node in enumerate(tree.nodes):
        mean, loadings = values[n]
        rule, shift = rules[node.label, node.rule]
        if isinstance(rule, rb.Emit):
            H = np.eye(variables[node.label].dim) if rule.map is None else rule.map
            offset = 0.0 if rule.offset is None else rule.offset
            for position in range(node.start, node.end):
                blocks.append(root_of(rule.covariance))
                noise = (len(blocks) - 1, blocks[-1])
                observed.append((y[position], H @ mean + offset, [(b, H @ L) for b, L in loadings] + [noise]))
            continue
        for child, link, turn in zip(tree.children(n), (rule.left_link, rule.right_link), shift, strict=True):
            F = np.roll(np.eye(len(mean)), turn, axis=0) if link.map is None else link.map
            offset = 0.0 if link.offset is None else link.offset
            blocks.append(root_of(link.covariance))
            noise = (len(blocks) - 1, blocks[-1])
            values[child] = F @ mean + offset, [(b, F @ L) for b, L in loadings] + [noise]
    edges = np.concatenate([[0], np.cumsum([block.shape[1] for block in blocks])])

    def dense(rows: int, loadings: list) -> np.ndarray:
        full = np.zeros((rows, edges[-1]))
        for b, L in loadings:
            full[:, edges[b] : edges[b + 1]] += L
        return full

    data = np.concatenate([one for one, _, _ in observed])
    mean = np.concatenate([one for _, one, _ in observed])
    loading = np.concatenate([dense(len(one), parts) for one, _, parts in observed])
    seen = ~np.isnan(data)
    inverse = np.linalg.inv((loading @ loading.T)[np.ix_(seen, seen)]) if seen.any() else np.zeros((0, 0))
    moments = []
    for n in range(len(tree)):
        L = dense(len(values[n][0]), values[n][1])
        gain = L @ loading[seen].T @ inverse
        moments.append((values[n][0] + gain @ (data - mean)[seen], L @ L.T - gain @ loading[seen] @ L.T))
    return moments


@settings(max_examples=60)
@given(st.data())
def test_smoothing_on_a_tree(data: st.DataObject) -> None:
    model = data.draw(st.one_of(one_variable(), two_variables()))
    y = data.draw(series_for(model.observed_dim, 4))
    exact = enumerate_all(model, y, most=300)
    if exact is None:
        return
    tree = exact.trees[data.draw(st.integers(0, len(exact.trees) - 1))]
    components = [one for one in model.prior.components if one.variable == tree.nodes[0].label]
    if len(components) > 1:
        return
    smoothed = rb.smooth(model, y, tree)
    assert smoothed == tree
    for node, (mean, covariance) in zip(smoothed, joint_moments(model, tree, components[0], 0, y), strict=True):
        np.testing.assert_allclose(node.value, mean, rtol=1e-7, atol=1e-8)
        np.testing.assert_allclose(node.covariance, covariance, rtol=1e-7, atol=1e-8)


def test_smoothing_with_a_mixture_prior() -> None:
    model = rb.GaussianRBN.create(
        dim=2, prior_mean=[0.0, 3.0], prior_std=0.7, noise_std=0.8, left_std=0.5, prior_shifts={0: 0.3, 1: 0.7}
    )
    y = np.array([[1.2, 1.6], [1.4, 1.5]])
    exact = enumerate_all(model, y)
    assert exact is not None
    tree = exact.trees[0]
    component = model.prior.components[0]
    parts, log_weights = [], []
    for steps, weight in component.shifts.items():
        alone = rb.GaussianRBN.create(
            dim=2, prior_mean=np.roll([0.0, 3.0], steps), prior_std=0.7, noise_std=0.8, left_std=0.5
        )
        log_weights.append(np.log(weight) + rb.log_joint(alone, y, tree))
        parts.append(joint_moments(model, tree, component, steps, y))
    shares = np.exp(log_weights - np.logaddexp.reduce(log_weights))
    assert shares.min() > 0.01
    for n, node in enumerate(rb.smooth(model, y, tree)):
        mean = sum(share * part[n][0] for share, part in zip(shares, parts, strict=True))
        spread = sum(
            share * (part[n][1] + np.outer(part[n][0] - mean, part[n][0] - mean))
            for share, part in zip(shares, parts, strict=True)
        )
        np.testing.assert_allclose(node.value, mean, rtol=1e-9)
        np.testing.assert_allclose(node.covariance, spread, rtol=1e-9)


def test_values_averaged_over_draws() -> None:
    """A node's value is a mixture over all trees with that node: here of all there are, exactly weighted."""
    model = rb.GaussianRBN.create(
        dim=2,
        prior_mean=1e5,
        left_std=0.6,
        right_std=0.5,
        noise_std=0.5,
        termination=0.6,
        shifts={0: 0.6, 1: 0.4},
        extra_observations=1.0,
    )
    y = np.random.default_rng(1).normal(size=(4, 2)) + 1e5
    exact = enumerate_all(model, y)
    assert exact is not None
    posterior = rb.sample_posterior(model, y, draws=40_000, seed=0)
    shares = np.exp(exact.log_joints - exact.log_evidence)
    for span in [(0, 4), (0, 2), (1, 4), (2, 3)]:
        parts = []
        for tree, share in zip(exact.trees, shares, strict=True):
            if span in tree.spans:
                parts.append((share, rb.smooth(model, y, tree).nodes[tree.spans.index(span)]))
        total = sum(share for share, _ in parts)
        mean = sum(share * node.value for share, node in parts) / total
        spread = sum(share * (node.covariance + np.outer(node.value - mean, node.value - mean)) for share, node in parts)
        found = posterior.latent(*span)
        error = 5 * np.sqrt(np.diag(spread / total) / (40_000 * total))
        assert (np.abs(found.mean - mean) < error).all()
        np.testing.assert_allclose(found.covariance, spread / total, rtol=0.1, atol=0.01)
        assert found.probability == pytest.approx(posterior.node_probability[span])


def test_rule_probabilities() -> None:
    """The children are the parent, the left one shifted or not: the data decide which."""
    model = rb.GaussianRBN.create(
        dim=2, prior_std=3.0, left_std=0.1, right_std=0.1, noise_std=0.1, termination=0.5, shifts={0: 0.5, 1: 0.5}
    )
    y = np.array([[5.0, 0.0], [0.0, 5.0]])
    posterior = rb.sample_posterior(model, y, draws=500, seed=0)
    rules = posterior.rule_probability(0, 2)
    assert rules["split shift 1"] > 0.99
    assert sum(rules.values()) == pytest.approx(1.0)
    assert posterior.rule_probability(0, 1) == {"emit": pytest.approx(1.0)}
    assert posterior.expected_rules["x", "emit"] == pytest.approx(2.0)
    with pytest.raises(DataError, match="no draw has a node 1:1"):
        posterior.rule_probability(1, 1)
    with pytest.raises(DataError, match="no variable 'z'"):
        posterior.rule_probability(0, 2, "z")


def test_log_joint_needs_to_know_the_rules() -> None:
    model = rb.GaussianRBN.create(dim=2, shifts={0: 0.5, 1: 0.5})
    y = np.zeros((2, 2))
    bare = rb.Tree.from_spans([(0, 2), (0, 1), (1, 2)])
    with pytest.raises(DataError, match="does not say which of the rules"):
        rb.log_joint(model, y, bare)
    posterior = rb.sample_posterior(model, y, draws=200, seed=0, allowed=bare.span_mask())
    named = [rb.Tree([rb.Node(0, 2, "x", f"split shift {s}"), *bare.nodes[1:]], [2, 0, 0]) for s in (0, 1)]
    total = np.logaddexp(*(rb.log_joint(model, y, tree) for tree in named))
    assert posterior.log_evidence == pytest.approx(total, abs=5 * posterior.log_evidence_error + 1e-9)
    plain = rb.GaussianRBN.create(dim=2)
    assert np.isfinite(rb.log_joint(plain, y, bare))


@pytest.mark.parametrize(
    ("tree", "match"),
    [
        (rb.Tree([rb.Node(0, 3)], [0]), "the series has 2"),
        (rb.Tree([rb.Node(0, 2, "z")], [0]), "labelled 'z'"),
        (rb.Tree([rb.Node(0, 2, "x", "leap"), rb.Node(0, 1), rb.Node(1, 2)], [2, 0, 0]), "uses the rule 'leap'"),
        (rb.Tree([rb.Node(0, 2), rb.Node(0, 2)], [1, 0]), "has 1 children"),
    ],
)
def test_trees_that_do_not_fit(tree: rb.Tree, match: str) -> None:
    with pytest.raises(DataError, match=match):
        rb.log_joint(rb.GaussianRBN.create(dim=2), np.zeros((2, 2)), tree)


def test_impossible_trees_have_probability_zero() -> None:
    model = rb.GaussianRBN.create(dim=1)
    tree = rb.Tree([rb.Node(0, 2)], [0])  # exactly one observation per leaf
    assert rb.log_joint(model, np.zeros((2, 1)), tree) == -np.inf
    with pytest.raises(DataError, match="cannot generate"):
        rb.smooth(model, np.zeros((2, 1)), tree)
