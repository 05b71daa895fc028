"""Drawing trees and terminals from a grammar or a discrete RBN.

A tree is drawn from the root down, and rejected as often as its length is out of bounds. In the result

- a node is a non-terminal, its label, and its rule is the text of the rule, `S -> NP VP`;
- a rule with one terminal and nothing else, `N -> 'dog'`, makes a leaf;
- beside other symbols, a terminal is a leaf of its own with the quoted terminal as its label and no rule;
- a unary rule makes a node with one child and the same span.

Weights that do not sum to one are divided by their sum for each symbol.
"""

from bisect import bisect_left, bisect_right
from itertools import accumulate

import numpy as np

from recbayes.checks.arguments import generator_of
from recbayes.checks.bounds import LONGEST, MOST_NODES, check_bounds
from recbayes.discrete.model.flat import FlatGrammar
from recbayes.discrete.model.grammar_text import quoted, rule_names
from recbayes.errors import LengthError
from recbayes.tree.tree import Node, Tree

MOST_SYMBOLS = 1000  # for which an error still computes how fast trees grow


def sample(
    flat: FlatGrammar, *, seed: int | np.random.Generator, min_length: int, max_length: int | None, attempts: int
) -> tuple[list[str], Tree]:
    """Terminals and their tree, with between `min_length` and `max_length` terminals."""
    min_length, max_length, attempts = check_bounds(min_length, max_length, attempts)
    rng = generator_of(seed)
    draw = _Drawer(flat, rng)
    ceiling = LONGEST if max_length is None else max_length
    tried = too_long = nodes = 0
    while tried < attempts and nodes <= MOST_NODES:
        tried += 1
        steps, length = draw.steps(ceiling)
        if length > ceiling:
            too_long += 1
            if max_length is None:
                break
        elif length >= min_length:
            return _assemble(flat, steps)
        nodes += len(steps)
    raise LengthError(_complaint(flat, min_length, max_length, tried, too_long))


class _Drawer:
    """Draws the rules of trees."""

    def __init__(self, flat: FlatGrammar, rng: np.random.Generator) -> None:
        self._flat, self._rng = flat, rng
        self._rules: list[list[int]] = [[] for _ in flat.nonterminals]
        for rule, left in enumerate(flat.lefts):
            self._rules[left].append(rule)
        self._weights = [list(accumulate(flat.weights[rules].tolist())) for rules in self._rules]
        self._roots = list(accumulate(flat.start.tolist()))
        self._is_leaf = [_is_leaf(right) for right in flat.rights]

    def _choose(self, sums: list[float]) -> int:
        """An alternative with probability proportional to its weight, given the running sums of the weights."""
        if len(sums) == 1:
            return 0
        place = bisect_right(sums, self._rng.random() * sums[-1])
        return min(place, bisect_left(sums, sums[-1]))  # rounding up must not lead beyond the last positive weight

    def steps(self, ceiling: int) -> tuple[list[int], int]:
        """Numbers of rules, and terminals beside other symbols, in preorder; and the length, at least.

        Drawing ends when the length must be more than `ceiling`; unary rules can make a tree too large without that.
        """
        rights, is_leaf = self._flat.rights, self._is_leaf
        waiting = [self._choose(self._roots)]
        steps: list[int] = []
        length = 0
        while waiting:
            if length + len(waiting) > ceiling or len(steps) > MOST_NODES:
                return steps, ceiling + 1
            symbol = waiting.pop()
            if symbol < 0:
                steps.append(symbol)
                length += 1
                continue
            rule = self._rules[symbol][self._choose(self._weights[symbol])]
            steps.append(rule)
            if is_leaf[rule]:
                length += 1
            else:
                waiting += reversed(rights[rule])
        return steps, length


def _is_leaf(right: tuple[int, ...]) -> bool:
    return len(right) == 1 and right[0] < 0


def _assemble(flat: FlatGrammar, steps: list[int]) -> tuple[list[str], Tree]:
    """Terminals and tree of rules in preorder."""
    texts = rule_names(flat)
    ends = [step if step < 0 else flat.rights[step][0] if _is_leaf(flat.rights[step]) else 0 for step in steps]
    tokens = [flat.terminals[-1 - end] for end in ends if end < 0]
    arities = [0 if end < 0 else len(flat.rights[step]) for step, end in zip(steps, ends, strict=True)]
    lengths = [1] * len(steps)
    complete: list[int] = []  # lengths of complete subtrees, the leftmost on top
    for position in reversed(range(len(steps))):
        if arities[position]:
            lengths[position] = sum(complete.pop() for _ in range(arities[position]))
        complete.append(lengths[position])
    nodes, start = [], 0
    for step, end, length in zip(steps, ends, lengths, strict=True):
        if step < 0:
            nodes.append(Node(start, start + 1, quoted(flat.terminals[-1 - step])))
        else:
            nodes.append(Node(start, start + length, flat.nonterminals[flat.lefts[step]], texts[step]))
        start += 1 if end < 0 else 0
    return tokens, Tree(nodes, arities)


def _complaint(flat: FlatGrammar, shortest: int, longest: int | None, attempts: int, too_long: int) -> str:
    growth = _expected_growth(flat)
    regime = "" if growth is None else f"; a node has {growth:.3g} children on average"
    if growth is not None and growth > 1:
        regime += ", so trees grow without end with positive probability"
    if longest is None:
        if too_long:
            return (
                f"a tree grew beyond {LONGEST} terminals or {MOST_NODES} nodes{regime}. "
                "Give max_length, or raise the weights of rules that end in terminals"
            )
        return f"no tree in {attempts} attempts had at least {shortest} terminals{regime}. Lower min_length"
    return (
        f"no tree in {attempts} attempts had {shortest} to {longest} terminals ({too_long} were longer, "
        f"{attempts - too_long} shorter), so the bounds have a probability of less than about {3 / attempts:.1g}{regime}. "
        "Widen the bounds, change the weights, or raise `attempts`"
    )


def _expected_growth(flat: FlatGrammar) -> float | None:
    """The largest eigenvalue of the expected numbers of children among the symbols that can occur at all."""
    size = len(flat.nonterminals)
    if size > MOST_SYMBOLS:
        return None
    totals = np.bincount(np.array(flat.lefts), flat.weights, size)
    offspring = np.zeros((size, size))
    for left, right, weight in zip(flat.lefts, flat.rights, flat.weights, strict=True):
        for symbol in right:
            if symbol >= 0:
                offspring[left, symbol] += weight / totals[left]
    reached = flat.start > 0
    while (grown := reached | (reached @ offspring > 0)).sum() > reached.sum():
        reached = grown
    return float(np.abs(np.linalg.eigvals(offspring[np.ix_(reached, reached)])).max())
