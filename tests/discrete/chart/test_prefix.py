"""Total weights of grammars, and prefixes: closed forms, slow recursions, and the forward algorithm."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import recbayes as rb
from recbayes.discrete.chart.total_weights import total_weights
from recbayes.discrete.model.binary_form import binary_form
from recbayes.errors import DataError, ModelError
from tests.random_grammars import grammars

CHAIN = [0.5, 0.5], [[0.9, 0.1], [0.2, 0.8]], [[0.7, 0.3], [0.1, 0.9]]


def read(text: str) -> rb.PCFG:
    return rb.PCFG.from_string(text, weights="keep")


def slow_totals(grammar: rb.PCFG, steps: int) -> dict[str, float]:
    """The weights of all trees up to a depth, which rise to those of all trees."""
    totals = dict.fromkeys(grammar.nonterminals, 0.0)
    for _ in range(steps):
        new = dict.fromkeys(totals, 0.0)
        for rule in grammar.rules:
            new[rule.left] += rule.weight * float(np.prod([totals[s] for s in rule.right if isinstance(s, str)]))
        totals = new
    return totals


def reached(grammar: rb.PCFG) -> set[str]:
    found = {grammar.start}
    for _ in grammar.nonterminals:
        found |= {s for rule in grammar.rules if rule.left in found for s in rule.right if isinstance(s, str)}
    return found


@settings(max_examples=40)
@given(st.data())
def test_totals_against_the_slow_recursion(data: st.DataObject) -> None:
    """Of grammars that are scaled down, so that weights do not sum to one and the recursion converges fast."""
    normalised = data.draw(grammars(cycles=True))
    grammar = rb.PCFG("S", [rb.Rule(rule.left, rule.right, 0.9 * rule.weight) for rule in normalised.rules])
    expected = slow_totals(grammar, 1000)
    found = total_weights(binary_form(grammar.flat()))
    for symbol, total in zip(grammar.nonterminals, found, strict=False):
        assert total == pytest.approx(expected[symbol] if symbol in reached(grammar) else 0.0, rel=1e-9)


@pytest.mark.parametrize(
    ("text", "total"),
    [
        ("S -> S S [0.6] | 'a' [0.4]", 2 / 3),  # z = 0.6 z^2 + 0.4
        ("S -> S S [0.5] | 'a' [0.4]", 1 - np.sqrt(0.2)),
        ("S -> S S S [0.5] | 'a' [0.5]", (np.sqrt(5) - 1) / 2),  # z^3 - 2 z + 1 = (z - 1) (z^2 + z - 1)
        ("S -> 'a' S [0.5] | 'b' [3]", 6.0),
        ("S -> A A [1]\nA -> 'a' [1e30]", 1e60),
        ("S -> S S [1] | 'a' [0.25]", 0.5),  # critical, and its weights do not sum to one
        ("S -> S S [0.5] | A [0.5]\nA -> A A [0.5] | 'a' [0.5]", 1.0),  # critical twice
        ("S -> 'a' S [0.999999999999] | 'b' [0.000000000001]", 1.0),
    ],
)
def test_totals_in_closed_form(text: str, total: float) -> None:
    assert total_weights(binary_form(read(text).flat()))[0] == pytest.approx(total, rel=1e-7)


@pytest.mark.parametrize(
    ("model", "prefix", "expected"),
    [
        (rb.HMM(*CHAIN, termination=1e-6), [0], np.log(0.4)),
        (read("S -> 'a' S [0.999999] | 'b' [0.000001]"), ["a"], np.log(0.999999)),
        (read("S -> S S [0.5] | 'a' [0.5]"), ["a"], 0.0),
        (read("S -> S S [1] | 'a' [0.25]"), ["a"], np.log(0.5)),
        (read("S -> S S [0.6] | 'a' [0.4]"), ["a"], np.log(2 / 3)),
    ],
)
def test_prefixes_where_totals_converge_slowly(model: rb.PCFG | rb.DiscreteRBN, prefix: list, expected: float) -> None:
    assert rb.log_prefix_probability(model, prefix) == pytest.approx(expected, abs=1e-7, rel=1e-9)


@pytest.mark.parametrize("termination", [0.3, 1e-9])
def test_prefixes_of_a_hidden_markov_model(termination: float) -> None:
    initial, transition, emission = map(np.array, CHAIN)
    tokens = [0, 1, None, 1, 0]
    forward = initial
    for position, token in enumerate(tokens):
        if position:
            forward = (1 - termination) * forward @ transition
        forward = forward * (1.0 if token is None else emission[:, token])
    model = rb.HMM(*CHAIN, termination=termination)
    assert rb.log_prefix_probability(model, tokens) == pytest.approx(np.log(forward.sum()), rel=1e-9)


@pytest.mark.parametrize(
    "model",
    [
        rb.HMM(*CHAIN),
        read("S -> 'a' S [1] | 'b' [1]"),
        read("S -> 'a' S [2] | 'b' [1]"),
        read("S -> S S [0.5] | 'a' [0.6]"),
        read("S -> A S [0.5] | 'a' [0.5]\nA -> S A [0.5] | S S [0.5] | 'a' [0.6]"),
    ],
)
def test_infinite_totals_are_refused(model: rb.PCFG | rb.DiscreteRBN) -> None:
    token = model.flat().terminals[0]
    with pytest.raises(ModelError, match=r"infinite.*termination"):
        rb.log_prefix_probability(model, [token])


@pytest.mark.parametrize(
    "more",
    [
        "X -> X X [1] | 'a' [1]",  # infinite, but nothing leads to it
        "S -> X S [1]\nX -> X X [1] | X 'a' [1]",  # no finite tree is below it
        "X -> X 'a' [1] | 'a' [1]",
    ],
)
def test_symbols_that_no_tree_has_do_not_matter(more: str) -> None:
    text = "S -> 'a' S [0.5] | 'b' [0.5]\n"
    for prefix in (["a"], ["a", "a"], ["a", "b"]):
        expected = rb.log_prefix_probability(read(text), prefix)
        assert rb.log_prefix_probability(read(text + more), prefix) == pytest.approx(expected, abs=1e-12)


def test_what_is_no_prefix() -> None:
    grammar = read("S -> S S [0.4] | 'a' [0.6]")
    with pytest.raises(DataError, match="split a sentence"):
        rb.log_prefix_probability(grammar, "a")  # type: ignore[arg-type]
    with pytest.raises(DataError, match="one sequence of tokens, got several"):
        rb.log_prefix_probability(grammar, [["a"], ["a", "a"]])
    with pytest.raises(ModelError, match="PCFG or a DiscreteRBN, got GaussianRBN"):
        rb.log_prefix_probability(rb.GaussianRBN.create(dim=1), ["a"])  # type: ignore[arg-type]
