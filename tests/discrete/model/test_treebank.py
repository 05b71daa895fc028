"""Grammars from trees: counts by hand, agreement with NLTK, and the grammar that samples came from."""

import nltk
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recbayes import PCFG, DataError, ModelError, Node, Terminal, Tree

TEXTS = [
    "(S (NP (D the) (N dog)) (VP (V barks)))",
    "(S (NP (D the) (N cat)) (VP (V sees) (NP (D a) (N dog))))",
    "(S (NP John) (VP (V barks)))",
]


def pair(text: str) -> tuple[Tree, list[str]]:
    return Tree.from_brackets(text), nltk.Tree.fromstring(text).leaves()


def test_relative_frequencies_by_hand() -> None:
    grammar = PCFG.from_treebank(map(pair, TEXTS), smoothing=0.0)
    assert grammar.start == "S"
    assert grammar.weight_of("NP", ("D", "N")) == 3 / 4
    assert grammar.weight_of("NP", (Terminal("John"),)) == 1 / 4
    assert grammar.weight_of("V", (Terminal("barks"),)) == 2 / 3
    assert grammar.weight_of("S", ("NP", "VP")) == 1.0
    assert grammar.is_normalised


def test_smoothing() -> None:
    grammar = PCFG.from_treebank(map(pair, TEXTS), smoothing=0.5)
    assert grammar.weight_of("NP", ("D", "N")) == pytest.approx(3.5 / 5)
    assert grammar.weight_of("NP", (Terminal("John"),)) == pytest.approx(1.5 / 5)
    assert grammar.weight_of("S", ("NP", "VP")) == 1.0


def test_agrees_with_nltk() -> None:
    trees = [nltk.Tree.fromstring(text) for text in TEXTS]
    theirs = nltk.induce_pcfg(nltk.Nonterminal("S"), [rule for tree in trees for rule in tree.productions()])
    for grammar in (PCFG.from_treebank(trees), PCFG.from_treebank(map(pair, TEXTS))):
        assert set(grammar.rules) == set(PCFG.from_nltk(theirs).rules)


def test_one_tree_is_a_treebank_of_one() -> None:
    tree = nltk.Tree.fromstring(TEXTS[1])
    assert PCFG.from_treebank(tree) == PCFG.from_treebank([tree]) == PCFG.from_treebank(pair(TEXTS[1]))
    with pytest.raises(DataError, match=r"no words; give a list of pairs \(Tree, tokens\)"):
        PCFG.from_treebank(pair(TEXTS[1])[0])


@pytest.mark.parametrize("start", [None, "top"])
def test_several_roots(start: str | None) -> None:
    texts = [*TEXTS, "(FRAG (NP John))"]
    for trees in (map(pair, texts), map(nltk.Tree.fromstring, texts)):
        grammar = PCFG.from_treebank(trees, start=start)
        assert grammar.start == (start or "S0")
        assert grammar.weight_of(grammar.start, ("S",)) == 3 / 4
        assert grammar.weight_of(grammar.start, ("FRAG",)) == 1 / 4


def test_start_symbols() -> None:
    assert PCFG.from_treebank(map(pair, TEXTS), start="S").start == "S"
    top = PCFG.from_treebank(map(pair, TEXTS), start="top")
    assert top.rules[0].text == "top -> S"
    with pytest.raises(ModelError, match=r"start 'NP' is a label inside the trees, whose roots are \['S'\]"):
        PCFG.from_treebank(map(pair, TEXTS), start="NP")


def test_words_beside_nodes() -> None:
    text = "( (S (A a) b c (A a)) )"
    expected = {"S -> A 'b' 'c' A", "A -> 'a'"}
    assert {rule.text for rule in PCFG.from_treebank([nltk.Tree.fromstring(text)]).rules} == expected
    assert {rule.text for rule in PCFG.from_treebank([(Tree.from_brackets(text), list("abca"))]).rules} == expected
    unlabelled = Tree([Node(5, 7), Node(5, 7, "S"), Node(5, 6, "A"), Node(6, 7)], [1, 2, 0, 0])
    assert [rule.text for rule in PCFG.from_treebank([(unlabelled, "ab")]).rules] == ["S -> A 'b'", "A -> 'a'"]


@given(st.integers(0, 10_000))
def test_rules_of_samples_are_rules_of_their_grammar(seed: int) -> None:
    grammar = PCFG.from_string(
        """
        S -> A S [0.3] | 'a' [0.3] | 'x' A "it's" [0.3] | S [0.1]
        A -> 'b' 'c' [0.5] | S 'b' [0.2] | B [0.3]
        B -> "'b'"
        """
    )
    tokens, tree = grammar.sample(seed=seed, max_length=30)
    counted = PCFG.from_treebank([(tree, tokens)])
    assert {rule.text for rule in counted.rules} == {node.rule for node in tree if node.rule}
    assert {(rule.left, rule.right) for rule in counted.rules} <= {(rule.left, rule.right) for rule in grammar.rules}


def test_the_grammar_is_found_again() -> None:
    grammar = PCFG.from_string("S -> A S [0.4] | A [0.6]\nA -> 'a' [0.2] | 'b' A 'c' [0.3] | 'd' [0.5]")
    rng = np.random.default_rng(0)
    samples = [grammar.sample(seed=rng)[::-1] for _ in range(1000)]
    found = PCFG.from_treebank(samples)
    for rule in grammar.rules:
        assert found.weight_of(rule.left, rule.right) == pytest.approx(rule.weight, abs=0.05)


def test_deep_trees() -> None:
    length = 5000
    chain = nltk.Tree("S", ["a"])
    for _ in range(length):
        chain = nltk.Tree("S", ["a", chain])
    grammar = PCFG.from_treebank([chain])
    assert grammar.weight_of("S", (Terminal("a"), "S")) == length / (length + 1)


@pytest.mark.parametrize(
    ("trees", "complaint"),
    [
        ([], "no trees"),
        ([Tree.from_brackets("(S a)")], r"trees\[0\] must be a pair \(Tree, tokens\).*got a Tree without its tokens"),
        (["(S a)"], "got str"),
        ([pair("(S a b)"), (Tree.from_brackets("(S a b)"), ["a"])], r"trees\[1\]: 1 tokens for a tree over 2 observations"),
        ([(Tree.from_brackets("(S a b)"), [1, 2])], "tokens must be non-empty strings, got 1"),
        ([(Tree.from_brackets("(_ (_ (A a) (B b)) (C c))"), "abc")], "needs a label"),
        ([nltk.Tree("S", [nltk.Tree("", ["a"]), "b"])], "needs a label"),
        ([nltk.Tree("S", [nltk.Tree("A", []), "b"])], "'A' covers nothing"),
        ([nltk.Tree("S", [3])], "tokens must be non-empty strings, got 3"),
    ],
)
def test_trees_that_cannot_be_counted(trees: list, complaint: str) -> None:
    with pytest.raises(DataError, match=complaint):
        PCFG.from_treebank(trees)


def test_smoothing_must_not_be_negative() -> None:
    with pytest.raises(ModelError, match="smoothing must not be negative, got -1"):
        PCFG.from_treebank([pair(TEXTS[0])], smoothing=-1)
