"""All derivations of short strings, one by one: the oracle for grammars, independent of the code under test."""

from collections.abc import Iterator
from itertools import combinations

from recbayes import PCFG, Terminal

Derivation = tuple[tuple[str, ...], tuple, float]
"""A string, the tree as nested tuples (label, children) and its weight."""


def derivations(grammar: PCFG, longest: int) -> Iterator[Derivation]:
    """Every tree of every string of up to `longest` terminals. The grammar must have no cycles of unary rules."""
    known: dict[tuple[str, int], list[Derivation]] = {}

    def of_symbol(symbol: str | Terminal, length: int) -> list[Derivation]:
        if isinstance(symbol, Terminal):
            return [((symbol.name,), (f"'{symbol.name}'",), 1.0)] if length == 1 else []
        if (symbol, length) not in known:
            known[symbol, length] = [
                (string, (symbol, children), rule.weight * weight)
                for rule in grammar.rules
                if rule.left == symbol
                for string, children, weight in of_sequence(rule.right, length)
            ]
        return known[symbol, length]

    def of_sequence(symbols: tuple, length: int) -> Iterator[Derivation]:
        for cuts in combinations(range(1, length), len(symbols) - 1):
            ends = (0, *cuts, length)
            parts: list[Derivation] = [((), (), 1.0)]
            for position, symbol in enumerate(symbols):
                parts = [
                    (string + more, (*children, child), weight * factor)
                    for string, children, weight in parts
                    for more, child, factor in of_symbol(symbol, ends[position + 1] - ends[position])
                ]
            yield from parts

    for length in range(1, longest + 1):
        yield from of_symbol(grammar.start, length)


def string_weights(grammar: PCFG, longest: int) -> dict[tuple[str, ...], float]:
    """The total weight of all trees of each string."""
    sums: dict[tuple[str, ...], float] = {}
    for string, _, weight in derivations(grammar, longest):
        sums[string] = sums.get(string, 0.0) + weight
    return sums


def tree_weights(grammar: PCFG, longest: int, hidden: str = "") -> dict[tuple, float]:
    """The weight of each tree, without a root that is the symbol `hidden`."""
    sums: dict[tuple, float] = {}
    for _, tree, weight in derivations(grammar, longest):
        if hidden and tree[0] == hidden:
            (tree,) = tree[1]
        sums[tree] = sums.get(tree, 0.0) + weight
    return sums
