"""The exact weight of a given tree under a grammar: the product of the weights of its rules."""

from collections import Counter
from typing import Any

import numpy as np

from recbayes.discrete.chart.chart import are_many, listed, token_numbers
from recbayes.discrete.model.binary_form import binary_form
from recbayes.discrete.model.flat import Discrete, FlatGrammar
from recbayes.discrete.model.grammar_text import Symbol, Terminal
from recbayes.discrete.model.treebank import Production, productions_of
from recbayes.errors import DataError
from recbayes.tree.tree import Tree


def log_weight(model: Discrete, tokens: Any, tree: Tree) -> float:
    """The log weight of a tree over tokens, none missing; minus infinity if the grammar lacks one of the tree's rules."""
    grammar = model.flat()
    tokens = listed(tokens)
    if are_many(tokens):
        raise DataError("a tree is over one sequence of tokens, got several; ask for one at a time")
    numbers = token_numbers(binary_form(grammar), tokens)
    if (numbers < 0).any():
        raise DataError(
            f"token {int(np.argmin(numbers))} is missing; a tree with its words has a weight only if they are known"
        )
    weights = _weights(grammar)
    rules = list(productions_of(tree, [grammar.terminals[number] for number in numbers], "the tree"))
    starts = dict(zip(grammar.nonterminals, grammar.start.tolist(), strict=True))
    factors = [starts.get(rules[0][0], 0.0), *(weights[rule] for rule in rules)]
    return float(np.log(factors).sum()) if all(factors) else -np.inf


def _weights(grammar: FlatGrammar) -> Counter[Production]:
    if "production_weights" not in grammar.derived:
        weights: Counter[Production] = Counter()
        for left, right, weight in zip(grammar.lefts, grammar.rights, grammar.weights.tolist(), strict=True):
            symbols: list[Symbol] = [
                grammar.nonterminals[s] if s >= 0 else Terminal(grammar.terminals[-1 - s]) for s in right
            ]
            weights[grammar.nonterminals[left], tuple(symbols)] += weight
        grammar.derived["production_weights"] = weights
    return grammar.derived["production_weights"]
