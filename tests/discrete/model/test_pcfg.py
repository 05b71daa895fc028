"""Grammars: checks, samples with the right frequencies, and the two theorems against enumeration of all derivations."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

import recbayes as rb
from recbayes import PCFG, FileError, LengthError, ModelError, Rule, Terminal, Tree
from recbayes.family.saved import from_json, to_json
from tests.discrete.model.derivations import string_weights, tree_weights

ENGLISH = PCFG.from_string(
    """
    S -> NP VP [0.9] | VP [0.1]
    NP -> 'the' N [0.7] | NP 'and' NP [0.1] | 'John' [0.2]
    VP -> V NP [0.4] | V [0.6]
    N -> 'dog' [0.5] | 'cat' [0.5]
    V -> 'sees' [0.3] | 'gives' 'up' [0.7]
    """
)
A, B = Terminal("a"), Terminal("b")


@st.composite
def small_grammars(draw: st.DrawFn) -> PCFG:
    """Normalised grammars with up to three non-terminals and without cycles of unary rules."""
    names = ["S", "P", "Q"][: draw(st.integers(1, 3))]
    weights = st.floats(0.05, 1.0)
    rules = []
    for position, name in enumerate(names):
        rules.append(Rule(name, (draw(st.sampled_from([A, B])),), draw(weights)))
        later = [*names[position + 1 :], A, B]
        rules += [Rule(name, (right,), draw(weights)) for right in draw(st.lists(st.sampled_from(later), max_size=2))]
        longer = st.lists(st.sampled_from([*names, A, B]), min_size=2, max_size=3).map(tuple)
        rules += [Rule(name, right, draw(weights)) for right in draw(st.lists(longer, max_size=2))]
    return PCFG("S", rules).normalised()


def assert_same_weights(one: dict, other: dict) -> None:
    assert one.keys() == other.keys()
    for key, weight in one.items():
        assert other[key] == pytest.approx(weight, rel=1e-12)


@settings(max_examples=40)
@given(small_grammars())
def test_abstraction_and_back_preserves_all_derivations(grammar: PCFG) -> None:
    back = PCFG.from_rbn(grammar.to_rbn())
    assert grammar.to_rbn().is_normalised
    assert back.is_normalised
    longest = 5 if sum(len(rule.right) > 1 for rule in grammar.rules) <= 3 else 4
    assert_same_weights(string_weights(grammar, longest), string_weights(back, longest))
    assert_same_weights(tree_weights(grammar, longest), tree_weights(back, longest))


@settings(max_examples=20)
@given(small_grammars(), st.lists(st.floats(0.1, 1.0), min_size=2, max_size=2))
def test_a_start_symbol_that_only_chooses_becomes_the_prior(grammar: PCFG, weights: list[float]) -> None:
    grammar = PCFG("S", [*grammar.rules, Rule("T", (A, B))])
    top = PCFG("top", [Rule("top", ("S",), weights[0]), Rule("top", ("T",), weights[1]), *grammar.rules]).normalised()
    rbn = top.to_rbn()
    assert set(rbn.variables[0].values) == set(grammar.nonterminals)
    prior = {value: p for value, p in zip(rbn.variables[0].values, rbn.prior[1], strict=True) if p}
    assert prior == pytest.approx({"S": weights[0] / sum(weights), "T": weights[1] / sum(weights)}, rel=1e-12)
    back = PCFG.from_rbn(rbn)
    assert back.start == "S0"
    assert_same_weights(tree_weights(top, 4, hidden="top"), tree_weights(back, 4, hidden="S0"))


def test_abstraction_by_hand() -> None:
    """The theorem's quotients for S -> S S [1] | 'a' [2] | 'b' [1] | 'a' S [4], unnormalised."""
    rbn = PCFG.from_string("S -> S S [1] | 'a' [2] | 'b' [1] | 'a' S [4]", weights="keep").to_rbn()
    (x,), (y,) = rbn.variables, rbn.terminals
    assert (x.name, x.values, y.name, y.values) == ("x", ("S",), "y", ("a", "b"))
    assert [one.children for one in x.transitions] == [("x", "x"), ("y",), ("y", "x")]
    assert [one.probability.tolist() for one in x.transitions] == [[1 / 8], [3 / 8], [4 / 8]]
    assert x.transitions[1].table.indices.tolist() == [[0, 0], [0, 1]]
    assert x.transitions[1].table.probabilities.tolist() == [2 / 3, 1 / 3]
    assert rbn.prior[1].tolist() == [1.0]


@pytest.mark.parametrize(
    "text", ["S -> A [1] | 'a' [1]\nA -> 'b' [1]", "S -> A [1]\nA -> S 'a' [1] | 'b' [1]", "S -> S [0.5] | 'a' [0.5]"]
)
def test_other_start_symbols_stay_values(text: str) -> None:
    rbn = PCFG.from_string(text).to_rbn()
    assert rbn.variables[0].values[0] == "S"
    assert rbn.prior[1][0] == 1.0


def test_flat() -> None:
    flat = PCFG.from_string("%start S\nA -> 'a' S [0.5] | 'b' [0.5]\nS -> A 'a' [1] | B [0] | S S [0]\nB -> A [1]").flat()
    assert flat.nonterminals == ("S", "A", "B")
    assert flat.terminals == ("a", "b")
    assert flat.start.tolist() == [1.0, 0.0, 0.0]
    assert flat.lefts == (1, 1, 0, 2)
    assert flat.rights == ((-1, 0), (-2,), (1, -1), (1,))
    assert flat.weights.tolist() == [0.5, 0.5, 1.0, 1.0]
    assert ENGLISH.flat() is ENGLISH.flat()


def test_properties() -> None:
    assert ENGLISH.nonterminals == ("S", "NP", "VP", "N", "V")
    assert ENGLISH.terminals == ("the", "and", "John", "dog", "cat", "sees", "gives", "up")
    assert ENGLISH.is_normalised
    assert ENGLISH.weight_of("NP", [Terminal("the"), "N"]) == 0.7
    assert ENGLISH.weight_of("NP", ["the", "N"]) == 0.0
    assert repr(ENGLISH) == "PCFG(start S, 5 non-terminals, 8 terminals, 11 rules)"
    assert hash(ENGLISH) == hash(PCFG(ENGLISH.start, ENGLISH.rules))
    assert PCFG("VP", ENGLISH.rules) != ENGLISH


def test_rules_given_twice_are_one() -> None:
    grammar = PCFG("S", [Rule("S", (A,), 0.25), Rule("S", (B,), 0.5), Rule("S", (A,), 0.25)])
    assert grammar.rules == (Rule("S", (A,), 0.5), Rule("S", (B,), 0.5))


@pytest.mark.parametrize(
    ("start", "rules", "complaint"),
    [
        ("S", [], "rules must not be empty"),
        ("S", [("S", (A,), 1.0)], r"rules\[0\] must be a Rule, got tuple"),
        ("S", [Rule("S", (A,)), Rule("S", ())], r"rules\[1\] is S -> nothing; epsilon"),
        ("S", [Rule("S", "NP")], r"rules\[0\]\.right must be a tuple of symbols, got 'NP'"),
        ("S", [Rule("S", 5)], r"rules\[0\]\.right must be a tuple of symbols, got 5"),
        ("S", Rule("S", (A,)), "rules must be a list of Rules, got Rule"),
        ("S", "S -> 'a'", "rules must be a list of Rules.*from_string reads texts"),
        ("S", None, "rules must be a list of Rules, got None"),
        (["S"], [Rule("S", (A,))], r"start must be the name of a non-terminal, a non-empty string, got \['S'\]"),
        ("S", [Rule("S", (A, ""))], "non-empty strings"),
        ("S", [Rule("S", (3,))], "non-empty strings"),
        ("S", [Rule("S", (Terminal(""),))], "non-empty strings"),
        ("S", [Rule(A, ("S",))], r"rules\[0\]\.left must be a non-terminal"),
        ("S", [Rule("S", (A,), -0.1)], r"rules\[0\]\.weight must not be negative, got -0\.1"),
        ("S", [Rule("S", (A,), 9e149)] * 2, r"weight of S -> 'a' must be at most 1e\+150, got 1.8e\+150; rescale"),
        ("S", [Rule("S", (A,), float("nan"))], "must be finite"),
        ("S", [Rule("S", (A,), "half")], "must be one number"),
        ("S", [Rule("S", (A,), 0.0)], "all weights of 'S' are zero"),
        ("T", [Rule("S", (A,))], "start symbol 'T' has no rules; there are rules for 'S'"),
        ("S", [Rule("S", ("X", "Y", A))], "non-terminals without rules: 'X', 'Y'; give each a rule"),
        ("S", [Rule("S", ("S", "S"))], "no rule has a terminal"),
    ],
)
def test_impossible_grammars(start: Any, rules: Any, complaint: str) -> None:
    with pytest.raises(ModelError, match=complaint):
        PCFG(start, rules)


def rule_counts(trees: list[Tree]) -> Counter:
    return Counter(node.rule for tree in trees for node in tree if node.rule)


@pytest.mark.parametrize("weights", ["keep", "normalise"])
def test_samples_use_rules_as_often_as_they_should(weights: str) -> None:
    text = str(ENGLISH).replace("[0.7]", "[7.0]").replace("[0.1]", "[1.0]").replace("[0.2]", "[2.0]")
    grammar = PCFG.from_string(text, weights=weights)  # type: ignore[arg-type]
    expected = {rule.text: rule.weight for rule in grammar.normalised().rules}
    rng = np.random.default_rng(0)
    counts = rule_counts([grammar.sample(seed=rng)[1] for _ in range(1500)])
    for left in grammar.nonterminals:
        names = [rule.text for rule in grammar.rules if rule.left == left]
        seen = np.array([counts[name] for name in names])
        assert chisquare(seen, seen.sum() * np.array([expected[name] for name in names])).pvalue > 1e-3


@given(small_grammars(), st.integers(0, 100))
def test_a_sampled_tree_derives_its_terminals(grammar: PCFG, seed: int) -> None:
    tokens, tree = grammar.sample(seed=seed, max_length=40)
    assert tree.length == len(tokens) <= 40
    assert tree.nodes[0].label == grammar.start
    rules = {rule.text: rule for rule in grammar.rules}
    for index, node in enumerate(tree):
        if not node.rule:
            assert node.label == f"'{tokens[node.start]}'"
            assert (node.length, tree.arities[index]) == (1, 0)
            continue
        rule = rules[node.rule]
        assert node.label == rule.left
        if not tree.children(index):
            assert rule.right == (Terminal(tokens[node.start]),)
            assert node.length == 1
        else:
            labels = tuple(tree.nodes[child].label for child in tree.children(index))
            assert labels == tuple(f"'{one.name}'" if isinstance(one, Terminal) else one for one in rule.right)


def test_sampled_lengths() -> None:
    tokens, tree = ENGLISH.sample(seed=1, min_length=6, max_length=7)
    assert 6 <= len(tokens) <= 7
    assert (tokens, tree) == ENGLISH.sample(seed=1, min_length=6, max_length=7)
    with pytest.raises(LengthError, match="1 <= min_length <= max_length, got 0"):
        ENGLISH.sample(seed=0, min_length=0)
    with pytest.raises(LengthError, match="attempts must be a whole number of at least 1"):
        ENGLISH.sample(seed=0, attempts=0)
    even = PCFG.from_string("S -> 'a' 'a' [0.5] | 'a' S 'a' [0.5]")
    with pytest.raises(LengthError, match=r"no tree in 500 attempts had 3 to 3 terminals \(\d+ were longer, \d+ shorter\)"):
        even.sample(seed=0, min_length=3, max_length=3, attempts=500)
    with pytest.raises(LengthError, match=r"at least 50 terminals; a node has 0\.5 children on average"):
        even.sample(seed=0, min_length=50, attempts=20)


def test_trees_without_end_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recbayes.discrete.model.sampling.LONGEST", 5000)
    monkeypatch.setattr("recbayes.discrete.model.sampling.MOST_NODES", 10_000)
    with pytest.raises(LengthError, match=r"grew beyond 5000 terminals.*1.8 children on average, so trees grow without end"):
        PCFG.from_string("S -> S S [0.9] | 'a' [0.1]").sample(seed=1)
    with pytest.raises(LengthError, match=r"no tree in 1 attempts had 1 to 3 terminals"):
        PCFG.from_string("S -> S [1.0]\nT -> 'a'").sample(seed=0, max_length=3)


def test_long_chains_do_not_recurse() -> None:
    tokens, tree = PCFG.from_string("S -> 'a' S [0.9999] | 'a' [0.0001]").sample(seed=0, min_length=5000)
    assert len(tokens) >= 5000
    assert tree.depth == len(tokens)


@given(small_grammars())
def test_files_round_trip(tmp_path_factory: pytest.TempPathFactory, grammar: PCFG) -> None:
    path = tmp_path_factory.mktemp("grammars") / "grammar.json"
    grammar.save(path)
    assert rb.load(path) == grammar


def test_names_and_weights_that_text_cannot_hold_can_be_saved(tmp_path: Path) -> None:
    grammar = PCFG("ein 'S'", [Rule("ein 'S'", (Terminal("'\"\n"), "#"), 1e-300), Rule("#", (Terminal("#"),), 17.0)])
    grammar.save(tmp_path / "grammar.json")
    assert rb.load(tmp_path / "grammar.json") == grammar


def test_damaged_files() -> None:
    document = json.loads(to_json(ENGLISH))
    document["rules"][0]["weight"] = 0.8
    with pytest.raises(FileError, match=r"impossible model: the weights of S must sum to one, they sum to 0\.9"):
        from_json(json.dumps(document))
    document["rules"][0]["right"] = [{"word": "dog"}]
    with pytest.raises(FileError, match="'terminal' is missing"):
        from_json(json.dumps(document))
    document["rules"] = 3
    with pytest.raises(FileError, match="damaged"):
        from_json(json.dumps(document))
    del document["start"]
    with pytest.raises(FileError, match="damaged"):
        from_json(json.dumps(document))
