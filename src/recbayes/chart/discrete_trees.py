"""From nodes of the binary form to trees of the grammar, and the most probable tree.

Fresh symbols that only unpack a right-hand side disappear: their children become those of the rule's node. Fresh symbols
that stand for a terminal beside other symbols stay, as leaves labelled by the terminal in quotes.
"""

from collections.abc import Iterable

import numpy as np

from recbayes.chart.discrete import DiscreteChart, best_choices
from recbayes.errors import LengthError
from recbayes.model.binary_form import BinaryForm
from recbayes.model.grammar_text import quoted, rule_names
from recbayes.tree.tree import Node, Tree


def node_labels(form: BinaryForm) -> list[str | None]:
    """The label of every symbol of the binary form; None for those that only unpack."""
    grammar = form.grammar
    labels: list[str | None] = list(grammar.nonterminals)
    for content in form.contents:
        labels.append(quoted(grammar.terminals[-1 - content[0]]) if len(content) == 1 else None)
    return labels


def as_tree(form: BinaryForm, nodes: Iterable[tuple[int, int, int, int]]) -> Tree:
    """The tree of (symbol, start, end, rule of the binary form) in preorder."""
    labels, texts, rules = node_labels(form), rule_names(form.grammar), form.rules
    lexical = len(form.lexical.rule)
    kept, arities = [], []
    for symbol, start, end, number in nodes:
        label = labels[symbol]
        if label is None:
            continue
        rule = int(rules[number])
        kept.append(Node(start, end, label, texts[rule] if rule >= 0 else ""))
        arities.append(0 if number < lexical else len(form.grammar.rights[rule]))
    return Tree(kept, arities)


def best_discrete_tree(chart: DiscreteChart) -> tuple[Tree, float]:
    """The most probable tree, and its log weight."""
    form, plan = chart.form, chart.plan
    values, choices = best_choices(chart)
    root = int(plan.place[-1])
    with np.errstate(divide="ignore"):
        scores = np.log(form.start) + values[root]
    symbol = int(scores.argmax())
    if scores[symbol] == -np.inf:
        raise LengthError("the grammar generates no tree over these tokens")
    return as_tree(form, follow_choices(chart, choices, symbol)), float(scores.max())


def follow_choices(chart: DiscreteChart, choices: np.ndarray, symbol: int) -> list[tuple[int, int, int, int]]:
    """The nodes of the tree that the choices of all spans and symbols make, from a symbol at the root, in preorder."""
    form = chart.form
    lexical, binary = len(form.lexical.rule), len(form.binary.rule)
    waiting = [(symbol, 0, chart.length)]
    nodes = []
    while waiting:
        symbol, start, end = waiting.pop()
        rule, split = (int(number) for number in choices[chart.span(start, end), symbol])
        nodes.append((symbol, start, end, rule))
        if rule >= lexical + binary:
            waiting.append((int(form.unary.child[rule - lexical - binary]), start, end))
        elif rule >= lexical:
            pair = form.binary.pair[rule - lexical]
            waiting += [(int(form.binary.right[pair]), split, end), (int(form.binary.left[pair]), start, split)]
    return nodes
