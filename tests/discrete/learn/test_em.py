"""Expectation maximisation, expected counts as gradients, and prefix probabilities."""

import numpy as np
import pytest
from hmmlearn.hmm import CategoricalHMM
from hypothesis import given, settings
from hypothesis import strategies as st

import recbayes as rb
from recbayes.discrete.model.flat import Discrete, FlatGrammar
from recbayes.errors import LengthError, ModelError
from tests.discrete.model.derivations import string_weights
from tests.random_grammars import grammars, sentences


class Reweighted(Discrete):
    """A grammar with other weights."""

    def __init__(self, flat: FlatGrammar, weights: np.ndarray) -> None:
        self._flat = FlatGrammar(flat.nonterminals, flat.terminals, flat.start, flat.lefts, flat.rights, weights)

    def flat(self) -> FlatGrammar:
        return self._flat


@settings(max_examples=40)
@given(st.data())
def test_counts_are_the_gradient(data: st.DataObject) -> None:
    grammar = data.draw(grammars(cycles=False))
    tokens = data.draw(sentences(grammar, 5))
    try:
        counts = rb.expected_counts(grammar, tokens)
    except LengthError:
        return
    flat = grammar.flat()
    for rule in range(len(flat.lefts)):
        step = 1e-5
        values = []
        for sign in (1, -1):
            weights = flat.weights.copy()
            weights[rule] *= np.exp(sign * step)
            values.append(rb.inside(Reweighted(flat, weights), tokens).log_evidence)
        assert (values[0] - values[1]) / (2 * step) == pytest.approx(counts.rules[rule], abs=1e-6)


@settings(max_examples=25)
@given(st.data())
def test_the_evidence_never_falls(data: st.DataObject) -> None:
    grammar = data.draw(grammars(cycles=False))
    sequences = [grammar.sample(seed=seed, max_length=8)[0] for seed in range(6)]
    found = rb.reestimate(grammar, sequences, steps=15, tolerance=0.0)
    assert (np.diff(found.history) >= -1e-9 * np.abs(found.history[:-1])).all()
    assert found.model.is_normalised


def test_a_grammar_is_learnt_from_its_sentences() -> None:
    truth = rb.PCFG.from_string("S -> A S [0.3] | A B [0.7]\nA -> 'a' [0.9] | 'b' [0.1]\nB -> 'a' [0.2] | 'b' [0.8]")
    start = rb.PCFG.from_string("S -> A S [0.5] | A B [0.5]\nA -> 'a' [0.6] | 'b' [0.4]\nB -> 'a' [0.5] | 'b' [0.5]")
    sentences_ = [truth.sample(seed=seed)[0] for seed in range(1500)]
    found = rb.reestimate(start, sentences_, steps=200, tolerance=1e-9)
    assert found.history[-1] >= rb.expected_counts(truth, sentences_).log_evidence - 1e-6
    for rule in truth.rules:
        assert found.model.weight_of(rule.left, rule.right) == pytest.approx(rule.weight, abs=0.05)


def test_baum_welch_of_hmmlearn() -> None:
    rng = np.random.default_rng(0)
    initial, transition, emission = rng.dirichlet(np.ones(3)), rng.dirichlet(np.ones(3), 3), rng.dirichlet(np.ones(4), 3)
    y = [rng.integers(4, size=20) for _ in range(5)]
    theirs = CategoricalHMM(n_components=3, n_iter=1, init_params="", tol=-np.inf, startprob_prior=1.0)
    theirs.startprob_, theirs.transmat_, theirs.emissionprob_ = initial.copy(), transition.copy(), emission.copy()
    theirs.n_features = 4
    theirs.fit(np.concatenate(y)[:, None], [20] * 5)
    model = rb.reestimate(rb.HMM(initial, transition, emission), y, steps=1).model
    state, shown = model.variables
    table = np.zeros((3, 3, 3))
    table[tuple(state.transitions[0].table.indices.T)] = state.transitions[0].table.probabilities
    np.testing.assert_allclose(table.sum(axis=1), theirs.transmat_, atol=1e-8)
    np.testing.assert_allclose(model.prior[1], theirs.startprob_, atol=1e-8)
    assert shown.name == "shown"


@settings(max_examples=30)
@given(st.data())
def test_prefixes_against_all_strings(data: st.DataObject) -> None:
    """Among strings up to a length, those with a prefix weigh no more than the prefix, and nearly all of it is there."""
    grammar = data.draw(grammars(cycles=False, symbols=2))
    strings = string_weights(grammar, 5)
    prefix = data.draw(sentences(grammar, 2))
    weight = np.exp(rb.log_prefix_probability(grammar, prefix))
    longer = sum(value for string, value in strings.items() if list(string[: len(prefix)]) == prefix)
    rest = 1.0 - sum(strings.values())  # of longer strings, and of trees that never end
    assert longer - 1e-9 <= weight <= longer + rest + 1e-9


def test_prefixes_sum_to_their_beginnings() -> None:
    """p(prefix) = p(exactly prefix) + sum over next words of p(prefix and word)."""
    grammar = rb.PCFG.from_string(
        "S -> NP VP [1.0]\nNP -> D N [0.6] | NP P NP [0.1] | 'we' [0.3]\nVP -> V [0.4] | V NP [0.6]\nD -> 'the' [1.0]\n"
        "N -> 'dog' [0.5] | 'saw' [0.5]\nV -> 'saw' [0.7] | 'ran' [0.3]\nP -> 'near' [1.0]"
    )
    for prefix in (["we"], ["the", "saw"], ["the", "dog", "near", "we", "saw"], ["we", "ran"]):
        whole = np.exp(rb.log_prefix_probability(grammar, prefix))
        try:
            parts = np.exp(rb.inside(grammar, prefix).log_evidence)
        except LengthError:
            parts = 0.0
        parts += sum(np.exp(rb.log_prefix_probability(grammar, [*prefix, word])) for word in grammar.terminals)
        assert parts == pytest.approx(whole, rel=1e-9)
    firsts = sum(np.exp(rb.log_prefix_probability(grammar, [word])) for word in grammar.terminals)
    assert firsts == pytest.approx(1.0, rel=1e-9)
    assert rb.log_prefix_probability(grammar, ["near"]) == -np.inf


def test_infinite_weights_have_no_prefixes() -> None:
    with pytest.raises(ModelError, match="infinite"):
        rb.log_prefix_probability(rb.PCFG.from_string("S -> S S [1.0] | 'a' [1.0]", weights="keep"), ["a"])


@pytest.mark.parametrize("termination", [None, 0.2])
def test_a_chain_stays_a_chain(termination: float | None) -> None:
    """The last observation shares the emissions of the others, however few sequences there are; lengths stay given."""
    rng = np.random.default_rng(0)
    model = rb.HMM([0.6, 0.4], [[0.7, 0.3], [0.2, 0.8]], [[0.9, 0.1], [0.3, 0.7]], termination=termination)
    sequences = [rng.integers(2, size=length).tolist() for length in (4, 9, 1, 6)]
    found = rb.reestimate(model, sequences, steps=30, tolerance=0.0)
    assert (np.diff(found.history) >= -1e-12).all()
    assert found.history[-1] > found.history[0] + 0.5
    state, shown = found.model.variables
    last, others = (one.table.probabilities for one in (state.transitions[1], shown.transitions[0]))
    np.testing.assert_allclose(last, others, rtol=1e-12)
    filtered, smoothed = (states(found.model, sequences[1]) for states in (rb.filtered_states, rb.smoothed_states))
    np.testing.assert_allclose(filtered[-1], smoothed[-1])
    if termination is not None:
        np.testing.assert_allclose(state.transitions[1].probability, 4 / 20, rtol=1e-9)


def test_weighted_grammars_are_refused() -> None:
    with pytest.raises(ModelError, match="not probabilities"):
        rb.reestimate(rb.PCFG.from_string("S -> S S [3] | 'a' [5]", weights="keep"), [["a"]])
    with pytest.raises(ModelError, match="not negative"):
        rb.reestimate(rb.PCFG.from_string("S -> S S [0.5] | 'a' [0.5]"), [["a"]], pseudo_count=-1.0)
