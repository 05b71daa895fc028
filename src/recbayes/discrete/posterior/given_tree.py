"""The exact weight of a given tree under a grammar: the product of the weights of its rules."""

from collections import Counter

import numpy as np

from recbayes.checks.kept import kept
from recbayes.discrete.model.flat import Discrete, FlatGrammar
from recbayes.discrete.model.grammar_text import Symbol, Terminal
from recbayes.discrete.model.treebank import Production, productions_of
from recbayes.errors import DataError
from recbayes.tree.tree import Tree


def log_weight(model: Discrete, tokens: np.ndarray, tree: Tree) -> float:
    """The log weight of a tree over tokens (numbers of terminals, none missing).

    It is minus infinity if the grammar lacks one of the tree's rules.
    """
    grammar = model.flat()
    if (tokens < 0).any():
        raise DataError(
            f"token {int(np.argmin(tokens))} is missing; a tree with its words has a weight only if they are known"
        )
    weights = _weights(grammar)
    rules = list(productions_of(tree, [grammar.terminals[number] for number in tokens], "the tree"))
    starts = dict(zip(grammar.nonterminals, grammar.start.tolist(), strict=True))
    factors = [starts.get(rules[0][0], 0.0), *(weights[rule] for rule in rules)]
    return float(np.log(factors).sum()) if all(factors) else -np.inf


@kept
def _weights(grammar: FlatGrammar) -> Counter[Production]:
    weights: Counter[Production] = Counter()
    for left, right, weight in zip(grammar.lefts, grammar.rights, grammar.weights.tolist(), strict=True):
        symbols: list[Symbol] = [grammar.nonterminals[s] if s >= 0 else Terminal(grammar.terminals[-1 - s]) for s in right]
        weights[grammar.nonterminals[left], tuple(symbols)] += weight
    return weights
