"""Draws, decoding and k best trees of discrete grammars against enumeration."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import recbayes as rb
from recbayes.discrete.model.grammar_text import quoted
from recbayes.errors import DataError, ModelError
from tests.random_grammars import all_trees, grammars, sentences

AMBIGUOUS = rb.PCFG.from_string(
    """
    S -> S S [0.2] | A S [0.2] | 'x' S 'y' [0.1] | A [0.1] | 'x' [0.2] | 'y' [0.2]
    A -> S S S [0.3] | A A [0.2] | 'y' [0.5]
    """
)


def test_draws_are_exact() -> None:
    tokens = ["x", "y", "x", "y", "y"]
    exact = all_trees(AMBIGUOUS.flat(), tokens, most=100_000)
    assert exact is not None
    draws = 20_000
    posterior = rb.sample_posterior(AMBIGUOUS, tokens, draws=draws, seed=0)
    counts: dict[rb.Tree, int] = {}
    for tree in posterior.trees:
        counts[tree] = counts.get(tree, 0) + 1
    shares = np.sort(exact.weights / exact.total)[::-1]
    found = np.array([one.probability for one in posterior.best(50)])
    np.testing.assert_allclose(found, shares[:50], rtol=1e-10)
    for one in posterior.best(20):
        error = np.sqrt(one.probability * (1 - one.probability) / draws)
        assert counts.get(one.tree, 0) / draws == pytest.approx(one.probability, abs=4.5 * error)
    assert posterior.log_evidence == pytest.approx(np.log(exact.total))
    assert posterior.effective_sample_size == draws


@settings(max_examples=60)
@given(st.data())
def test_k_best_trees_are_all_trees_in_order(data: st.DataObject) -> None:
    grammar = data.draw(grammars(cycles=False))
    tokens = data.draw(sentences(grammar, 4))
    exact = all_trees(grammar.flat(), tokens, most=200)
    if exact is None or not exact.trees:
        return
    best = rb.sample_posterior(grammar, tokens, draws=1, seed=0).best(len(exact.trees) + 5)
    assert len(best) == len(exact.trees)
    assert len({one.tree for one in best}) == len(best)
    np.testing.assert_allclose([np.exp(one.log_joint) for one in best], np.sort(exact.weights)[::-1], rtol=1e-10)
    assert sum(one.probability for one in best) == pytest.approx(1.0)


def test_k_best_trees_of_a_cycle() -> None:
    grammar = rb.PCFG.from_string("S -> S [0.5] | 'a' [0.5]")
    best = rb.sample_posterior(grammar, ["a"], draws=1, seed=0).best(6)
    assert [one.probability for one in best] == pytest.approx([0.5**n for n in range(1, 7)])
    assert [len(one.tree) for one in best] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("length", [20, 60])
def test_many_equally_probable_trees(length: int) -> None:
    """All binary trees are: each has n leaves and n - 1 splits."""
    grammar = rb.PCFG.from_string("S -> S S [0.3] | 'a' [0.5] | 'b' [0.2]")
    posterior = rb.sample_posterior(grammar, ["a"] * length, draws=1, seed=0)
    best = posterior.best(100)
    assert len({one.tree for one in best}) == 100
    expected = length * np.log(0.5) + (length - 1) * np.log(0.3)
    assert [one.log_joint for one in best] == pytest.approx([expected] * 100, rel=1e-12)


def test_scores_that_differ_by_rounding_alone() -> None:
    """Trees over one sequence all have the same factors, in different orders, which sum to different last digits."""
    grammar = rb.PCFG.from_string("S -> S S [0.1] | A S [0.1] | 'a' [0.8]   \n A -> S S [0.1] | S A [0.1] | 'a' [0.8]")
    best = rb.sample_posterior(grammar, ["a"] * 40, draws=1, seed=0).best(300)
    assert len({one.tree for one in best}) == 300
    assert [one.log_joint for one in best] == pytest.approx([40 * np.log(0.8) + 39 * np.log(0.1)] * 300, rel=1e-12)


@settings(max_examples=60)
@given(st.data())
def test_log_joint_against_enumeration(data: st.DataObject) -> None:
    grammar = data.draw(grammars(cycles=False))
    tokens = data.draw(sentences(grammar, 4))
    exact = all_trees(grammar.flat(), tokens, most=200)
    if exact is None or not exact.trees:
        return
    flat = grammar.flat()
    for weight, nodes in zip(exact.weights, exact.trees, strict=True):
        labels = [flat.nonterminals[symbol] if symbol >= 0 else quoted(flat.terminals[-1 - symbol]) for symbol, *_ in nodes]
        arities = [
            0 if rule < 0 or (len(flat.rights[rule]) == 1 and flat.rights[rule][0] < 0) else len(flat.rights[rule])
            for *_, rule in nodes
        ]
        spans = [(start, end) for _, start, end, _ in nodes]
        tree = rb.Tree([rb.Node(*span, label) for span, label in zip(spans, labels, strict=True)], arities)
        assert rb.log_joint(grammar, tokens, tree) == pytest.approx(np.log(weight), rel=1e-12)


def test_log_joint_of_trees_that_do_not_fit() -> None:
    tree = rb.Tree.from_brackets("(S (S a) (S b))")
    assert rb.log_joint(AMBIGUOUS, ["x", "y"], tree) == pytest.approx(np.log(0.2**3))
    assert rb.log_joint(AMBIGUOUS, ["x", "y"], rb.Tree.from_brackets("(S (S a) (A b))")) == -np.inf
    assert rb.log_joint(AMBIGUOUS, ["x", "y"], rb.Tree.from_brackets("(A (A a) (A b))")) == -np.inf  # no root
    with pytest.raises(DataError, match="1 tokens for a tree over 2"):
        rb.log_joint(AMBIGUOUS, ["x"], tree)
    with pytest.raises(DataError, match="token 1 is missing"):
        rb.log_joint(AMBIGUOUS, ["x", None], tree)
    with pytest.raises(DataError, match="one sequence"):
        rb.log_joint(AMBIGUOUS, [["x"], ["y"]], tree)
    chain = rb.HMM([0.5, 0.5], [[0.9, 0.1], [0.2, 0.8]], np.eye(2), termination=0.5)
    path = rb.Tree.from_brackets("(state=0 (shown=0 a) (state=1 b))")
    assert rb.log_joint(chain, [0, 1], path) == pytest.approx(np.log(0.5 * 0.5 * 0.1 * 0.5))


def test_what_is_for_gaussian_models_alone() -> None:
    tree = rb.Tree.from_brackets("(S (S a) (S b))")
    with pytest.raises(ModelError, match="no values to smooth"):
        rb.smooth(AMBIGUOUS, ["x", "y"], tree)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match=r"outside\(chart\).node_probability"):
        rb.quick_node_probability(rb.inside(AMBIGUOUS, ["x", "y"]))


@settings(max_examples=40, derandomize=True)
@given(st.data())
def test_threshold_trees_and_expected_f1(data: st.DataObject) -> None:
    grammar = data.draw(grammars(cycles=False))
    tokens = data.draw(sentences(grammar, 5))
    exact = all_trees(grammar.flat(), tokens, most=300)
    if exact is None or not exact.trees:
        return
    posterior = rb.sample_posterior(grammar, tokens, draws=400, seed=0)
    sets = [{(start, end) for _, start, end, _ in nodes} for nodes in exact.trees]
    drawn = [set(tree.spans) for tree in posterior.trees]

    def expected_f1(spans: set) -> float:
        return float(np.mean([2 * len(spans & other) / (len(spans) + len(other)) for other in drawn]))

    assert posterior.expected_f1 == pytest.approx(expected_f1(set(posterior.tree().spans)))
    assert posterior.expected_f1 >= max(map(expected_f1, sets)) - 0.02
    share = np.zeros_like(posterior.node_probability)
    for spans in drawn:
        for span in spans:
            share[span] += 1 / len(drawn)
    for threshold in (0.2, 0.6):
        found = set(posterior.tree("threshold", threshold=threshold).spans)
        gains = [sum(share[span] - threshold for span in spans) for spans in sets]
        assert sum(share[span] - threshold for span in found) == pytest.approx(max(gains), abs=1e-4)


def test_the_record() -> None:
    tokens = ["x", "y", "x"]
    posterior = rb.sample_posterior(AMBIGUOUS, tokens, draws=2000, seed=1)
    assert posterior.method == "exact"
    assert posterior.log_evidence_error == 0.0
    assert posterior.node_probability[0, 3] == pytest.approx(1.0)
    np.testing.assert_allclose(posterior.boundary_probability, 1.0)
    assert posterior.segment_count_probability[3] == pytest.approx(1.0)
    tree = posterior.tree("map")
    assert tree == posterior.best(1)[0].tree == rb.best_tree(posterior.chart)
    assert all(node.probability == posterior.node_probability[node.span] for node in tree)
    counts = posterior.expected_rules
    drawn: dict[tuple[str, str], float] = {}
    for one in posterior.trees:
        for node in one:
            if node.rule:
                drawn[node.label, node.rule] = drawn.get((node.label, node.rule), 0.0) + 1 / 2000
    assert counts.keys() >= drawn.keys()
    for key, value in drawn.items():
        assert value == pytest.approx(counts[key], abs=0.1)
    for count in (0, "2", 1.5, True):
        with pytest.raises(DataError, match="whole number of at least 1"):
            posterior.best(count)  # type: ignore[arg-type]


def test_sampled_trees_can_be_inferred() -> None:
    """A sampled tree is among all trees of its sequence: labels and rules have the same names."""
    for seed in range(20):
        tokens, tree = AMBIGUOUS.sample(seed=seed, max_length=5)
        best = rb.sample_posterior(AMBIGUOUS, tokens, draws=1, seed=0).best(3000)
        assert tree in [one.tree for one in best]
