"""Inside weights of discrete grammars in slow, readable Python: rules of any arity as they are, no binary form.

The weight w(A, i, k) with which A generates the tokens from i to k is the sum over its rules. A rule's right-hand side
generates a span in all ways to divide it; and where it is a single non-terminal, the span is the same one, so that the
weights of all symbols over one span solve a linear system.
"""

from functools import cache

import numpy as np

from recbayes.discrete.model.flat import FlatGrammar
from recbayes.errors import LengthError


def log_evidence(grammar: FlatGrammar, tokens: list[str]) -> float:
    """log p(tokens), summed over all trees."""
    weights = inside(grammar, tokens)[0, len(tokens)] @ grammar.start
    if weights == 0.0:
        raise LengthError(f"the grammar generates no tree over these {len(tokens)} tokens")
    return float(np.log(weights))


def inside(grammar: FlatGrammar, tokens: list[str]) -> dict[tuple[int, int], np.ndarray]:
    """For every span, the weight with which each non-terminal generates it."""
    numbers = [grammar.terminals.index(token) for token in tokens]
    symbols = len(grammar.nonterminals)
    unary = np.zeros((symbols, symbols))
    others = []
    for left, right, weight in zip(grammar.lefts, grammar.rights, grammar.weights.tolist(), strict=True):
        if len(right) == 1 and right[0] >= 0:
            unary[left, right[0]] += weight
        else:
            others.append((left, right, weight))
    spans: dict[tuple[int, int], np.ndarray] = {}

    @cache
    def sequence(right: tuple[int, ...], start: int, end: int) -> float:
        """The weight with which symbols, one after the other, generate a span. Only shorter spans are looked up."""
        if not right:
            return 1.0 if start == end else 0.0
        if right[0] < 0:
            return sequence(right[1:], start + 1, end) if start < end and numbers[start] == -1 - right[0] else 0.0
        ends = [end] if len(right) == 1 else range(start + 1, end)
        return sum(
            float(spans[start, middle][right[0]]) * sequence(right[1:], middle, end) for middle in ends if middle > start
        )

    for width in range(1, len(tokens) + 1):
        for start in range(len(tokens) - width + 1):
            raw = np.zeros(symbols)
            for left, right, weight in others:
                raw[left] += weight * sequence(right, start, start + width)
            spans[start, start + width] = np.linalg.solve(np.eye(symbols) - unary, raw)
    return spans
