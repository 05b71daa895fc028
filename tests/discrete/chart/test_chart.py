"""Discrete charts against enumeration of all trees, other people's parsers, counts and invariances."""

import gc
from math import comb

import nltk
import numpy as np
import pandas
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import recbayes as rb
from recbayes.discrete.chart import chart as discrete
from recbayes.discrete.chart import logarithms as discrete_log
from recbayes.discrete.chart.trees import best_discrete_tree
from recbayes.errors import DataError, LengthError, ModelError
from recbayes.reference import discrete as discrete_reference
from tests.random_grammars import AllTrees, all_trees, grammars, sentences


def problem(data: st.DataObject, cycles: bool, max_length: int = 5) -> tuple[rb.PCFG, list[str], AllTrees] | None:
    grammar = data.draw(grammars(cycles=cycles))
    tokens = data.draw(sentences(grammar, max_length))
    exact = all_trees(grammar.flat(), tokens)
    if exact is None:
        return None
    if not exact.trees:
        with pytest.raises(LengthError, match="no tree"):
            rb.inside(grammar, tokens)
        return None
    return grammar, tokens, exact


@pytest.mark.parametrize("lowest", [discrete_log.LOWEST, np.inf], ids=["scaled", "by logarithms"])
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_everything_against_enumeration(monkeypatch: pytest.MonkeyPatch, lowest: float, data: st.DataObject) -> None:
    monkeypatch.setattr(discrete, "LOWEST", lowest)
    drawn = problem(data, cycles=False)
    if drawn is None:
        return
    grammar, tokens, exact = drawn
    chart = rb.inside(grammar, tokens)
    assert np.exp(chart.log_evidence) == pytest.approx(exact.total, rel=1e-12)
    found = rb.outside(chart)
    np.testing.assert_allclose(found.node_probability, exact.node_probability(len(tokens)), atol=1e-12)
    np.testing.assert_allclose(found.rules, exact.rule_counts(len(grammar.flat().lefts)), atol=1e-11)
    tree, score = best_discrete_tree(chart)
    assert np.exp(score) == pytest.approx(exact.weights.max(), rel=1e-12)
    spans = [
        nodes
        for weight, nodes in zip(exact.weights, exact.trees, strict=True)
        if weight >= exact.weights.max() * (1 - 1e-12)
    ]
    assert list(tree.spans) in [[(start, end) for _, start, end, _ in nodes] for nodes in spans]


@settings(max_examples=60)
@given(st.data(), st.integers(0, 2**32 - 1))
def test_only_nodes_are_forbidden(data: st.DataObject, seed: int) -> None:
    """Of all trees those count whose nodes are all allowed, however many children a node has."""
    drawn = problem(data, cycles=False)
    if drawn is None:
        return
    grammar, tokens, exact = drawn
    allowed = np.random.default_rng(seed).random((len(tokens) + 1, len(tokens) + 1)) < 0.8
    allowed[0, len(tokens)] = True
    permitted = [all(allowed[start, end] for _, start, end, _ in nodes) for nodes in exact.trees]
    if not any(permitted):
        with pytest.raises(LengthError, match="no tree"):
            rb.inside(grammar, tokens, allowed=allowed)
        return
    chart = rb.inside(grammar, tokens, allowed=allowed)
    assert np.exp(chart.log_evidence) == pytest.approx(exact.weights[permitted].sum(), rel=1e-12)
    assert np.exp(best_discrete_tree(chart)[1]) == pytest.approx(exact.weights[permitted].max(), rel=1e-12)
    assert rb.log_evidence_and_gradient(grammar, tokens, allowed=allowed).log_evidence == chart.log_evidence


def test_long_unary_chains_between_splits() -> None:
    """A1 -> ... -> A20 -> A1 'a' | 'a': the widths of symbols are found however long the way round is."""
    rules = [rb.Rule(f"A{n}", (f"A{n + 1}",), 1.0) for n in range(1, 20)]
    rules += [rb.Rule("A20", ("A1", rb.Terminal("a")), 0.5), rb.Rule("A20", (rb.Terminal("a"),), 0.5)]
    assert rb.inside(rb.PCFG("A1", rules), ["a"] * 5).log_evidence == pytest.approx(5 * np.log(0.5), rel=1e-14)
    other = [rb.Rule("S", (rb.Terminal("a"), "A1"), 0.5), rb.Rule("S", ("X", rb.Terminal("a")), 0.5)]
    other += [rb.Rule("X", (rb.Terminal("a"), "X"), 0.1), rb.Rule("X", (rb.Terminal("a"),), 0.9)]
    expected = 0.5 * 0.5**7 + 0.5 * 0.1**6 * 0.9
    assert rb.inside(rb.PCFG("S", other + rules), ["a"] * 8).log_evidence == pytest.approx(np.log(expected), rel=1e-14)


@pytest.mark.parametrize("length", [109, 120, 3000])
def test_symbols_too_far_apart_for_one_scale(length: int) -> None:
    """The state that explains everything better is never entered; its numbers must not push out the other's."""
    chain = rb.HMM([1, 0], np.eye(2), [[1e-3, 0.999], [0.9, 0.1]])
    tokens = [0] * length
    chart = rb.inside(chain, tokens)
    assert chart.log_evidence == pytest.approx(length * np.log(1e-3), rel=1e-13)
    np.testing.assert_allclose(rb.smoothed_states(chain, tokens), [[1.0, 0.0]] * length, atol=1e-12)
    assert rb.best_states(chain, tokens)[1] == pytest.approx(length * np.log(1e-3), rel=1e-13)
    assert rb.sample_posterior(chain, tokens, draws=3, seed=0).tree() == rb.best_tree(chart)


def test_a_choice_at_the_end_of_a_long_sequence() -> None:
    grammar = rb.PCFG.from_string(
        "S -> X 'x' [0.5] | Y 'y' [0.5]\nX -> 'a' X [0.5] | 'b' X [0.4] | 'a' [0.1]\nY -> 'a' Y [0.001] | 'a' [0.999]"
    )
    chart = rb.inside(grammar, ["a"] * 150 + ["y"])
    assert chart.log_evidence == pytest.approx(np.log(0.5 * 0.999) + 149 * np.log(0.001), rel=1e-13)


def test_large_weights() -> None:
    grammar = rb.PCFG.from_string("S -> 'a' [1e19]", weights="keep")
    assert rb.inside(grammar, ["a"]).log_evidence == pytest.approx(np.log(1e19), rel=1e-15)


@settings(max_examples=60)
@given(st.data())
def test_unary_rules_that_lead_round(data: st.DataObject) -> None:
    """Chains are summed to the end by the chart, and up to a length by the enumeration; the best tree has no turns."""
    grammar = data.draw(grammars(cycles=True))
    tokens = data.draw(sentences(grammar, 2))
    exact = all_trees(grammar.flat(), tokens, most=5000, chain=3)
    if exact is None or not exact.trees:
        return
    chart = rb.inside(grammar, tokens)
    assert np.exp(chart.log_evidence) >= exact.total * (1 - 1e-12)
    best = exact.weights.max()
    assert np.exp(best_discrete_tree(chart)[1]) == pytest.approx(best, rel=1e-12)


@settings(max_examples=60)
@given(st.data())
def test_the_reference(data: st.DataObject) -> None:
    """Longer sequences, cycles included, against the slow chart that knows no binary form."""
    grammar = data.draw(grammars(cycles=True))
    tokens = data.draw(sentences(grammar, 9))
    try:
        expected = discrete_reference.log_evidence(grammar.flat(), tokens)
    except LengthError:
        return
    assert rb.inside(grammar, tokens).log_evidence == pytest.approx(expected, rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("unary", [False, True])
def test_dense_grammars_by_matrix_products(unary: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same grammar by lists of rules gives the same numbers, with constraints and missing tokens."""
    rng = np.random.default_rng(0)
    names, words = [f"A{n}" for n in range(12)], list("wxyz")
    rules = [rb.Rule(a, (b, c), float(rng.uniform(0.5, 1.0))) for a in names[:5] for b in names for c in names]
    rules += [rb.Rule(a, (rb.Terminal(word),), float(rng.uniform(10, 20))) for a in names[4:] for word in words]
    if unary:
        rules += [rb.Rule("A0", ("A1",), 30.0), rb.Rule("A1", ("A0",), 20.0)]
    grammar = rb.PCFG("A0", rules).normalised()
    tokens = [*rng.choice(words, size=11), None, "w"]
    allowed = rng.random((14, 14)) < 0.9
    allowed[np.arange(13), np.arange(1, 14)] = allowed[0, 13] = True
    one = rb.inside(grammar, tokens, allowed=allowed)
    by_products = rb.outside(one)
    assert discrete.dense_rules(one.form, one.plan) is not None
    monkeypatch.setattr(discrete, "dense_rules", lambda form, plan: None)
    two = rb.inside(grammar, tokens, allowed=allowed)
    by_lists = rb.outside(two)
    assert one.log_evidence == pytest.approx(two.log_evidence, rel=1e-12)
    np.testing.assert_allclose(by_products.rules, by_lists.rules, atol=1e-12)
    np.testing.assert_allclose(by_products.node_probability, by_lists.node_probability, atol=1e-12)


def test_a_unary_cycle_in_closed_form() -> None:
    """S -> S with probability p: the number of turns is geometric, and S occurs 1 / (1 - p) times on average."""
    grammar = rb.PCFG.from_string("S -> S [0.75] | 'a' [0.25]")
    chart = rb.inside(grammar, ["a"])
    assert chart.log_evidence == pytest.approx(0.0, abs=1e-15)
    assert rb.outside(chart).symbol_probability(0, 1) == {"S": pytest.approx(4.0)}
    assert rb.outside(chart).rules == pytest.approx([3.0, 1.0])
    with pytest.raises(ModelError, match="lead round"):
        rb.inside(rb.PCFG.from_string("S -> S [1.5] | 'a' [0.25]", weights="keep"), ["a"])


def test_catalan_numbers() -> None:
    grammar = rb.PCFG.from_string("S -> S S [1.0] | 'a' [1.0]", weights="keep")
    for length in range(1, 31):
        chart = rb.inside(grammar, ["a"] * length)
        assert np.exp(chart.log_evidence) == pytest.approx(comb(2 * length - 2, length - 1) // length, rel=1e-12)
        assert rb.outside(chart).node_probability.sum() == pytest.approx(2 * length - 1)


def test_long_sequences_do_not_underflow() -> None:
    grammar = rb.PCFG.from_string("S -> S S [0.001] | 'a' [0.000001] | 'b' [0.998999]", weights="keep")
    tokens = ["a"] * 500
    chart = rb.inside(grammar, tokens)
    catalan = sum(np.log(np.arange(500, 999))) - sum(np.log(np.arange(1, 500))) - np.log(500)
    assert chart.log_evidence == pytest.approx(499 * np.log(0.001) + 500 * np.log(1e-6) + catalan, rel=1e-10)


def test_missing_tokens_are_summed_over() -> None:
    grammar = rb.PCFG.from_string("S -> S S [0.3] | 'a' [0.5] | 'b' [0.2]")
    alone = [rb.inside(grammar, ["a", token, "b"]).log_evidence for token in ("a", "b")]
    assert rb.inside(grammar, ["a", None, "b"]).log_evidence == pytest.approx(np.logaddexp(*alone))
    assert rb.inside(grammar, ["a", float("nan"), "b"]).log_evidence == pytest.approx(np.logaddexp(*alone))


@settings(max_examples=40)
@given(st.data())
def test_constraints(data: st.DataObject) -> None:
    drawn = problem(data, cycles=False, max_length=4)
    if drawn is None:
        return
    grammar, tokens, exact = drawn
    length = len(tokens)
    allowed = np.random.default_rng(data.draw(st.integers(0, 1000))).random((length + 1, length + 1)) < 0.8
    kept = [
        weight
        for weight, nodes in zip(exact.weights, exact.trees, strict=True)
        if all(allowed[start, end] for _, start, end, _ in nodes) and _unpacked_allowed(grammar, nodes, allowed)
    ]
    if not kept:
        return
    assert np.exp(rb.inside(grammar, tokens, allowed=allowed).log_evidence) == pytest.approx(sum(kept), rel=1e-12)


def _unpacked_allowed(grammar: rb.PCFG, nodes: list, allowed: np.ndarray) -> bool:
    """Spans of children that are unpacked together must be allowed as well."""
    rights = grammar.flat().rights
    for index, (_, start, end, rule) in enumerate(nodes):
        if rule >= 0 and len(rights[rule]) > 2:
            edges, position = [], start
            for _, child_start, child_end, _ in nodes[index + 1 :]:
                if child_start == position and len(edges) < len(rights[rule]):
                    edges.append(child_end)
                    position = child_end
            if not all(allowed[edge, end] for edge in edges[: len(rights[rule]) - 2]):
                return False
    return True


def test_many_sequences_and_errors() -> None:
    grammar = rb.PCFG.from_string("S -> S S [0.3] | 'a' [0.5] | 'b' [0.2]")
    charts = rb.inside(grammar, [["a"], ["a", "b"], ("b", "b", "a")])
    assert [chart.length for chart in charts] == [1, 2, 3]
    assert charts[1].log_evidence == rb.inside(grammar, ["a", "b"]).log_evidence
    with pytest.raises(DataError, match="token 1 is 'c'"):
        rb.inside(grammar, ["a", "c"])
    with pytest.raises(DataError, match="empty"):
        rb.inside(grammar, [])
    with pytest.raises(DataError, match="split a sentence into its words"):
        rb.inside(grammar, "ab")
    with pytest.raises(DataError, match="exact"):
        rb.inside(grammar, ["a"], components=3)
    with pytest.raises(LengthError, match="no tree"):
        rb.inside(rb.PCFG.from_string("S -> 'a' 'b' [1.0]"), ["b", "a"])


def test_viterbi_of_nltk() -> None:
    text = """
    S -> NP VP [1.0]
    NP -> Det N [0.5] | NP PP [0.25] | 'John' [0.1] | 'I' [0.15]
    Det -> 'the' [0.8] | 'my' [0.2]
    N -> 'man' [0.5] | 'telescope' [0.5]
    VP -> VP PP [0.1] | V NP [0.7] | V [0.2]
    V -> 'ate' [0.35] | 'saw' [0.65]
    PP -> P NP [1.0]
    P -> 'with' [0.61] | 'under' [0.39]
    """
    theirs = nltk.PCFG.fromstring(text)
    ours = rb.PCFG.from_string(text, weights="check")
    for sentence in ("I saw John with my telescope", "the man saw I", "John ate", "my man ate the telescope under I"):
        tokens = sentence.split()
        expected = next(iter(nltk.ViterbiParser(theirs).parse(tokens)))
        tree, score = best_discrete_tree(rb.inside(ours, tokens))
        assert np.exp(score) == pytest.approx(expected.prob(), rel=1e-12)
        labels = [(node.label, node.span) for node in tree]
        brackets = [(subtree.label(), span) for subtree, span in _nltk_spans(expected)]
        assert labels == brackets


def _nltk_spans(tree: object) -> list:
    """Subtrees of an NLTK tree in preorder with their spans."""
    found = []

    def walk(node: object, start: int) -> int:
        if isinstance(node, str):
            return start + 1
        place = len(found)
        found.append(None)
        end = start
        for child in node:  # type: ignore[attr-defined]
            end = walk(child, end)
        found[place] = (node, (start, end))
        return end

    walk(tree, 0)
    return found


def test_hidden_markov_models_take_linear_time() -> None:
    """A right-linear grammar needs only the spans that reach to the end, and one split point at each."""
    grammar = rb.PCFG.from_string("A -> X A [0.6] | Y A [0.3] | 'x' [0.1]\nX -> 'x' [0.9] | 'y' [0.1]\nY -> 'y' [1.0]")
    chart = rb.inside(grammar, ["x", "y"] * 1500 + ["x"])
    assert chart.plan.spans == 2 * 3001 - 1
    assert np.isfinite(chart.log_evidence)


@pytest.mark.parametrize("missing", [None, float("nan"), np.float32("nan"), pandas.NaT, pandas.NA])
def test_what_is_missing(missing: object) -> None:
    grammar = rb.PCFG.from_string("S -> S S [0.5] | 'a' [0.2] | 'b' [0.3]")
    known = [rb.inside(grammar, ["a", word]).log_evidence for word in "ab"]
    assert rb.inside(grammar, ["a", missing]).log_evidence == pytest.approx(np.logaddexp(*known), rel=1e-14)


def test_sequences_of_all_kinds() -> None:
    grammar = rb.PCFG.from_string("S -> S S [0.5] | '0' [0.2] | '1' [0.3]")
    expected = rb.inside(grammar, ["0", "1"]).log_evidence
    for one in ((t for t in "01"), np.array([0, 1]), np.array([0.0, 1.0]), pandas.Series([0, 1]), (0, 1)):
        assert rb.inside(grammar, one).log_evidence == expected
    for many in ((list("01") for _ in range(2)), [pandas.Series([0, 1])] * 2, np.array([[0, 1], [0, 1]])):
        assert [chart.log_evidence for chart in rb.inside(grammar, many)] == [expected] * 2
    assert len(rb.sample_posterior(grammar, map(list, ["01", "1"]), draws=2, seed=0)) == 2
    for wrong in ("01", {"0", "1"}, {"0": 1}, np.array("0")):
        with pytest.raises(DataError, match="sequence of terminals"):
            rb.inside(grammar, wrong)
    with pytest.raises(DataError, match="sequence 1: token 0"):
        rb.inside(grammar, [["0"], ["2"]])


def test_counting_leaves_no_charts_behind() -> None:
    """They are large, and would stay until they are collected if they referred to themselves."""
    grammar = rb.PCFG.from_string("S -> S S [0.4] | 'a' [0.6]")
    gc.collect()
    before = sum(type(one) is rb.DiscreteChart for one in gc.get_objects())
    gc.disable()
    try:
        for _ in range(3):
            rb.expected_counts(grammar, ["a"] * 5)
        after = sum(type(one) is rb.DiscreteChart for one in gc.get_objects())
    finally:
        gc.enable()
    assert after == before
