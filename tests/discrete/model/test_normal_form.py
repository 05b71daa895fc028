"""Normal form of discrete models: weights of strings are preserved, and trees find their way back."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import recbayes as rb
from recbayes.discrete.chart.trees import best_discrete_tree
from recbayes.errors import DataError, LengthError
from tests.random_grammars import all_trees, grammars, sentences


@settings(max_examples=120)
@given(st.data(), st.booleans())
def test_evidence_and_node_probabilities_are_preserved(data: st.DataObject, cycles: bool) -> None:
    grammar = data.draw(grammars(cycles=cycles))
    tokens = data.draw(sentences(grammar, 5))
    normal = grammar.to_cnf().grammar
    for rule in normal.rules:
        kinds = [isinstance(symbol, str) for symbol in rule.right]
        assert kinds in ([False], [True, True])
    try:
        before = rb.inside(grammar, tokens)
    except LengthError:
        with pytest.raises((LengthError, DataError)):
            rb.inside(normal, tokens)
        return
    after = rb.inside(normal, tokens)
    assert after.log_evidence == pytest.approx(before.log_evidence, rel=1e-12, abs=1e-12)
    # Spans of unpacking symbols are nodes of the normal form only.
    p, q = rb.outside(before).node_probability, rb.outside(after).node_probability
    assert (q >= p - 1e-12).all()
    if all(len(rule.right) < 3 for rule in grammar.rules):
        np.testing.assert_allclose(q, p, atol=1e-12)


@settings(max_examples=80)
@given(st.data())
def test_trees_map_back(data: st.DataObject) -> None:
    grammar = data.draw(grammars(cycles=False))
    tokens = data.draw(sentences(grammar, 4))
    exact = all_trees(grammar.flat(), tokens, most=300)
    if exact is None or not exact.trees:
        return
    normal = grammar.to_cnf()
    original = rb.sample_posterior(grammar, tokens, draws=1, seed=0).best(len(exact.trees))
    weights = {one.tree: one.log_joint for one in original}
    sums: dict[rb.Tree, float] = {}
    for one in rb.sample_posterior(normal.grammar, tokens, draws=1, seed=0).best(500):
        tree = normal.restore(one.tree)
        assert tree in weights  # a tree of the original grammar over the same tokens
        assert weights[tree] <= one.log_joint + 1e-9  # one of those that were summed
        sums[tree] = one.log_joint
    total = np.logaddexp.reduce(list(sums.values()))
    assert total == pytest.approx(np.log(exact.total), abs=1e-9)


def test_without_unary_rules_the_best_tree_is_the_same() -> None:
    grammar = rb.PCFG.from_string("S -> 'a' S 'b' [0.3] | S S [0.2] | 'a' 'b' [0.4] | 'c' [0.1]")
    tokens = list("aabbab")
    normal = grammar.to_cnf()
    best, score = best_discrete_tree(rb.inside(grammar, tokens))
    found, other = best_discrete_tree(rb.inside(normal.grammar, tokens))
    assert score == pytest.approx(other, abs=1e-12)
    assert normal.restore(found) == best


def test_a_prior_over_symbols_gets_a_start_symbol() -> None:
    model = rb.HMM([0.3, 0.7], [[0.9, 0.1], [0.2, 0.8]], [[0.6, 0.4], [0.1, 0.9]], termination=0.1)
    normal = model.to_cnf()
    tokens = ["0", "1", "1"]
    assert rb.inside(normal.grammar, tokens).log_evidence == pytest.approx(rb.inside(model, tokens).log_evidence, abs=1e-12)
    tree = normal.restore(rb.best_tree(rb.inside(normal.grammar, tokens)))
    assert tree.nodes[0].label.startswith("state=")


def test_foreign_trees_are_refused() -> None:
    normal = rb.PCFG.from_string("S -> S S [0.5] | 'a' [0.5]").to_cnf()
    with pytest.raises(DataError, match="not one of the normal form"):
        normal.restore(rb.Tree([rb.Node(0, 1, "S", "S -> 'b'")], [0]))


def test_long_right_hand_sides() -> None:
    """Of more symbols than Python has room for calls within calls."""
    grammar = rb.PCFG.from_string("S -> " + "'a' A " * 1000 + "\nA -> 'b'")
    assert rb.inside(grammar, ["a", "b"] * 1000).log_evidence == 0.0
    assert len(grammar.to_cnf().grammar.rules) == 2000 + 1  # 1999 splits, 'a' and 'b'
