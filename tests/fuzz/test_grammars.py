"""Random grammars, with unary cycles, long rules, odd symbols and extreme weights, against sums over all trees in NumPy."""

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import recbayes as rb
from tests.fuzz.hostile import attempt, finite, is_probability, seeds

ODD = ["a", "ß", "'", '"', " ", "->", "|", "[0.5]", "\n", "\x00", "🎵", "ñ" * 50, "#", "%start", "\\", "(", ")", "\ud800"]
NAMES = ["S", "NP|x", "Ü", "A B", "->", "'q'", "_", "0", "(", "\t"]


def random_grammar(rng: np.random.Generator, odd: bool) -> rb.PCFG:
    """One to four symbols; about half of all rules are unary, in cycles and on themselves."""
    names = NAMES[: int(rng.integers(1, 5))]
    if odd:
        names = [NAMES[n] for n in rng.permutation(len(NAMES))[: len(names)]]
    words = ODD[:2] if not odd else [ODD[n] for n in rng.permutation(len(ODD))[:3]]
    rules = []
    for left in names:
        weights = 10.0 ** rng.uniform(-3, 0, size=int(rng.integers(1, 4)))
        rules.append(rb.Rule(left, (rb.Terminal(words[int(rng.integers(len(words)))]),), float(10.0 ** rng.uniform(-2, 0))))
        for weight in weights:
            size = int(rng.choice([1, 2, 2, 3, 4]))
            right = [
                rb.Terminal(words[int(rng.integers(len(words)))])
                if rng.random() < 0.3
                else names[int(rng.integers(len(names)))]
                for _ in range(size)
            ]
            rules.append(rb.Rule(left, tuple(right), float(weight)))
    grammar = rb.PCFG(names[0], rules)
    return grammar.normalised() if rng.random() < 0.8 else grammar


def evidence(grammar: rb.PCFG, tokens: list[Any]) -> float:
    """The weight of all trees of a sentence: sums from short spans to long ones, unary chains by solving for them."""
    names = grammar.nonterminals
    place = {name: n for n, name in enumerate(names)}
    U = np.zeros((len(names), len(names)))
    for rule in grammar.rules:
        if len(rule.right) == 1 and isinstance(rule.right[0], str):
            U[place[rule.left], place[rule.right[0]]] += rule.weight
    N = len(tokens)
    inside = np.zeros((N + 1, N + 1, len(names)))

    def part(symbol: Any, i: int, k: int) -> float:
        if isinstance(symbol, str):
            return float(inside[i, k, place[symbol]])
        return 1.0 if k == i + 1 and tokens[i] in (None, symbol.name) else 0.0

    def parts(right: tuple, i: int, k: int) -> float:
        if len(right) == 1:
            return part(right[0], i, k)
        return sum(part(right[0], i, j) * parts(right[1:], j, k) for j in range(i + 1, k))

    for width in range(1, N + 1):
        for i in range(N - width + 1):
            base = np.zeros(len(names))
            for rule in grammar.rules:
                if len(rule.right) > 1 or not isinstance(rule.right[0], str):
                    base[place[rule.left]] += rule.weight * parts(rule.right, i, i + width)
            inside[i, i + width] = np.linalg.solve(np.eye(len(names)) - U, base)
    return float(inside[0, N, place[grammar.start]])


def _sentence(rng: np.random.Generator, grammar: rb.PCFG) -> list[Any]:
    words = list(grammar.terminals)
    tokens: list[Any] = [words[int(n)] for n in rng.integers(len(words), size=int(rng.integers(1, 6)))]
    return [None if rng.random() < 0.15 else token for token in tokens]


def _usable(grammar: rb.PCFG) -> bool:
    """Whether unary chains have a finite sum."""
    names = grammar.nonterminals
    U = np.zeros((len(names), len(names)))
    for rule in grammar.rules:
        if len(rule.right) == 1 and isinstance(rule.right[0], str):
            U[names.index(rule.left), names.index(rule.right[0])] += rule.weight
    return bool(np.abs(np.linalg.eigvals(U)).max() < 0.999)


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(150))
def test_grammar(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    grammar = attempt(random_grammar, rng, seed % 2 == 1)
    assert grammar, grammar.text
    tokens = _sentence(rng, grammar)
    if not _usable(grammar):
        attempt(rb.inside, grammar, tokens)
        return
    wanted = evidence(grammar, tokens)
    chart = attempt(rb.inside, grammar, tokens)
    if wanted <= 0:
        assert not chart
        return
    assert chart, chart.text
    assert chart.log_evidence == pytest.approx(np.log(wanted), rel=1e-9, abs=1e-9)
    posterior = attempt(rb.sample_posterior, grammar, tokens, draws=200, seed=seed)
    assert posterior, posterior.text
    is_probability(posterior.node_probability, "node probability")
    drawn = np.zeros_like(posterior.node_probability)
    for tree in posterior.trees:
        for span in set(tree.spans):
            drawn[span] += 1 / 200
    assert (np.abs(drawn - posterior.node_probability) < 0.18).all()
    best = attempt(posterior.best, 5)
    assert best
    scores = [one.log_joint for one in best]
    assert scores == sorted(scores, reverse=True)
    assert len({one.tree for one in best}) == len(best) or None in tokens
    assert np.logaddexp.reduce(scores) <= chart.log_evidence + 1e-9
    first = rb.best_tree(chart)
    for one in (best[0].tree, first):
        if None not in tokens:
            assert rb.log_joint(grammar, tokens, one) == pytest.approx(scores[0], abs=1e-9)
        assert one.spans[0] == (0, len(tokens))
    for objective in ("f1", "map", rb.Threshold(0.4)):
        assert posterior.tree(objective).length == len(tokens)
    slopes = attempt(rb.log_evidence_and_gradient, grammar, tokens)
    finite(slopes.gradient, "gradient")
    for n in rng.permutation(len(grammar.rules))[:3]:
        ends = []
        for sign in (-1, 1):
            rules = list(grammar.rules)
            rule = rules[n]
            rules[n] = rb.Rule(rule.left, rule.right, rule.weight * float(np.exp(sign * 1e-5)))
            ends.append(np.log(evidence(rb.PCFG(grammar.start, rules), tokens)))
        assert slopes.gradient[n] == pytest.approx((ends[1] - ends[0]) / 2e-5, rel=1e-4, abs=1e-4)
    _elsewhere(grammar, tokens, np.log(wanted), tmp_path)


def _elsewhere(grammar: rb.PCFG, tokens: list[Any], wanted: float, tmp_path: Path) -> None:
    """Other forms of the grammar, files and copies give the same evidence."""
    grammar.save(tmp_path / "grammar.json")
    others: list[Any] = [rb.load(tmp_path / "grammar.json"), pickle.loads(pickle.dumps(grammar)), copy.deepcopy(grammar)]
    text = attempt(str, grammar)
    if text:
        again = attempt(rb.PCFG.from_string, text, start=grammar.start, weights="keep")
        if again:
            assert again == grammar, text
    assert all(other == grammar for other in others)
    normal = attempt(grammar.to_cnf)
    if normal:
        others.append(normal.grammar)
    if grammar.is_normalised:
        others += [attempt(grammar.to_rbn)]
        if others[-1]:
            others.append(attempt(rb.PCFG.from_rbn, others[-1]))
        tail = [token for token in tokens if token is not None]
        prefix = attempt(rb.log_prefix_probability, grammar, tail)
        longer = [attempt(rb.log_prefix_probability, grammar, [*tail, word]) for word in grammar.terminals]
        if isinstance(prefix, float) and all(isinstance(one, float) for one in longer):
            here = evidence(grammar, tail)
            parts = [*longer, np.log(here) if here > 0 else -np.inf]
            assert np.logaddexp.reduce(parts) == pytest.approx(prefix, rel=1e-6, abs=1e-6)
    for other in others:
        assert other, other.text
        assert rb.inside(other, tokens).log_evidence == pytest.approx(wanted, rel=1e-8, abs=1e-8)
    if grammar.is_normalised:
        learnt = attempt(rb.reestimate, grammar, [[t for t in tokens]], steps=5)
        if learnt:
            assert all(b >= a - 1e-6 * (1 + abs(a)) for a, b in zip(learnt.history, learnt.history[1:], strict=False))


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(400))
def test_texts(seed: int) -> None:
    """Texts of grammars made of pieces, and texts with characters taken out or put in: a grammar or one line."""
    rng = np.random.default_rng(seed)
    pieces = [
        "S",
        "A",
        "->",
        "|",
        "'a'",
        '"b"',
        "[0.5]",
        "[1e999]",
        "[-1]",
        "[nan]",
        "[]",
        "\n",
        "\\\n",
        "#",
        "%start",
        "''",
        " ",
    ]
    pieces += [
        "[0x1]",
        "[1_0]",
        "→",
        "\x00",
        "(",
        "S[0.3]",
        "'",
        '"',
        "[",
        "]",
        "\r\n",
        "\u2028",
        "[١]",
        "A->",
        "S -> 'a' [1.0]\n",
    ]
    text = " ".join(str(piece) for piece in rng.choice(pieces, size=int(rng.integers(0, 12))))
    if seed % 2:
        text = "S -> A 'b' [0.5] | 'a' [0.5]\nA -> S [0.3] | \"c\" [0.7]\n"
        for _ in range(int(rng.integers(1, 4))):
            at = int(rng.integers(len(text)))
            text = text[:at] + str(rng.choice(pieces)) * int(rng.integers(2)) + text[at + 1 :]
    for weights in ("normalise", "check", "keep"):
        grammar = attempt(rb.PCFG.from_string, text, weights=weights)
        if grammar:
            assert attempt(rb.PCFG.from_string, str(grammar), weights="keep") == grammar
            chart = attempt(rb.inside, grammar, list(grammar.terminals))
            if chart:
                finite(chart.log_evidence, "evidence")
