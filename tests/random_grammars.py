"""Random small grammars, and all their trees over a short sequence: the oracle of discrete charts."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

import recbayes as rb
from recbayes.discrete.model.flat import FlatGrammar

Node = tuple[int, int, int, int]  # symbol (negative: a terminal beside others), start, end, rule (-1 for terminals)


@st.composite
def grammars(draw: st.DrawFn, cycles: bool = True, symbols: int = 3, terminals: int = 2) -> rb.PCFG:
    """Unary rules (round and round, if wished), one to four children, terminals among them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    names, words = "SABCD"[:symbols], "xyz"[:terminals]
    rules: list[rb.Rule] = []
    for a, left in enumerate(names):
        for _ in range(int(rng.integers(2, 5))):
            count = int(rng.choice([1, 1, 2, 2, 3, 4]))
            right = [
                names[rng.integers(symbols)] if rng.random() < 0.6 else rb.Terminal(words[rng.integers(terminals)])
                for _ in range(count)
            ]
            if count == 1 and isinstance(right[0], str) and not cycles and names.index(right[0]) <= a:
                continue
            rules.append(rb.Rule(left, tuple(right), float(rng.uniform(0.1, 1.0))))
        rules.append(rb.Rule(left, (rb.Terminal(words[rng.integers(terminals)]),), float(rng.uniform(0.1, 1.0))))
    return rb.PCFG("S", rules).normalised()


@st.composite
def sentences(draw: st.DrawFn, grammar: rb.PCFG, max_length: int = 5) -> list[str]:
    return draw(st.lists(st.sampled_from(grammar.terminals), min_size=1, max_size=max_length))


@dataclass(frozen=True)
class AllTrees:
    """Every tree with its weight, as nodes in preorder."""

    weights: np.ndarray
    trees: list[list[Node]]

    @property
    def total(self) -> float:
        return float(self.weights.sum())

    def node_probability(self, length: int) -> np.ndarray:
        probability = np.zeros((length + 1, length + 1))
        for weight, nodes in zip(self.weights, self.trees, strict=True):
            for span in {(start, end) for _, start, end, _ in nodes}:
                probability[span] += weight / self.total
        return probability

    def rule_counts(self, rules: int) -> np.ndarray:
        counts = np.zeros(rules)
        for weight, nodes in zip(self.weights, self.trees, strict=True):
            for *_, rule in nodes:
                if rule >= 0:
                    counts[rule] += weight / self.total
        return counts


def all_trees(grammar: FlatGrammar, tokens: list[str], most: int = 3000, chain: int = 5) -> AllTrees | None:
    """All trees, unary chains up to a length (all there are, where none leads round); None if there are too many."""
    numbers = [grammar.terminals.index(token) for token in tokens]
    weights, trees = [], []
    for symbol in np.flatnonzero(grammar.start):
        for weight, nodes in _derive(grammar, int(symbol), numbers, 0, len(tokens), chain, chain):
            weights.append(weight * float(grammar.start[symbol]))
            trees.append(nodes)
            if len(trees) > most:
                return None
    return AllTrees(np.array(weights), trees)


def _derive(
    grammar: FlatGrammar, symbol: int, tokens: list[int], start: int, end: int, chain: int, longest: int
) -> Iterator[tuple[float, list[Node]]]:
    for rule, (left, right) in enumerate(zip(grammar.lefts, grammar.rights, strict=True)):
        if left != symbol:
            continue
        own = float(grammar.weights[rule])
        if len(right) == 1 and right[0] < 0:
            if end - start == 1 and tokens[start] == -1 - right[0]:
                yield own, [(symbol, start, end, rule)]
        elif len(right) == 1:
            if chain > 0:
                for weight, nodes in _derive(grammar, right[0], tokens, start, end, chain - 1, longest):
                    yield own * weight, [(symbol, start, end, rule), *nodes]
        else:
            for weight, nodes in _sequence(grammar, right, tokens, start, end, longest):
                yield own * weight, [(symbol, start, end, rule), *nodes]


def _sequence(
    grammar: FlatGrammar, right: tuple[int, ...], tokens: list[int], start: int, end: int, longest: int
) -> Iterator[tuple[float, list[Node]]]:
    if not right:
        if start == end:
            yield 1.0, []
        return
    if len(right) > end - start:
        return
    for middle in [end] if len(right) == 1 else range(start + 1, end - len(right) + 2):
        if right[0] < 0:
            firsts = (
                [(1.0, [(right[0], start, middle, -1)])] if middle == start + 1 and tokens[start] == -1 - right[0] else []
            )
        else:
            firsts = list(_derive(grammar, right[0], tokens, start, middle, longest, longest))
        for weight, nodes in firsts:
            for rest, others in _sequence(grammar, right[1:], tokens, middle, end, longest):
                yield weight * rest, [*nodes, *others]
