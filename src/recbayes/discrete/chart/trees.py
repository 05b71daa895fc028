"""From nodes of the binary form to trees of the grammar, and the most probable tree.

Fresh symbols that only unpack a right-hand side disappear: their children become those of the rule's node. Fresh symbols
that stand for a terminal beside other symbols stay, as leaves labelled by the terminal in quotes.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from recbayes.compiled.compilation import run_kernel
from recbayes.discrete.chart.chart import DiscreteChart, best_choices
from recbayes.discrete.kernels.best import follow_discrete
from recbayes.discrete.kernels.layout import root_place
from recbayes.discrete.model.binary_form import BinaryForm
from recbayes.discrete.model.grammar_text import quoted, rule_names
from recbayes.errors import LengthError
from recbayes.tree.tree import Node, Tree


def node_labels(form: BinaryForm) -> list[str | None]:
    """The label of every symbol of the binary form; None for those that only unpack."""
    grammar = form.grammar
    labels: list[str | None] = list(grammar.nonterminals)
    for content in form.contents:
        labels.append(quoted(grammar.terminals[-1 - content[0]]) if len(content) == 1 else None)
    return labels


def as_tree(form: BinaryForm, nodes: Iterable[Sequence[int]]) -> Tree:
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
    nodes, score = best_nodes(chart)
    return as_tree(chart.form, nodes.T.tolist()), score


def best_nodes(chart: DiscreteChart) -> tuple[np.ndarray, float]:
    """The nodes of the most probable tree as `follow_choices` gives them, and its log weight."""
    values, choices = best_choices(chart)
    with np.errstate(divide="ignore"):
        scores = np.log(chart.form.start) + values[root_place(chart.plan)]
    symbol = int(scores.argmax())
    if scores[symbol] == -np.inf:
        raise LengthError("the grammar generates no tree over these tokens")
    return follow_choices(chart, choices, symbol), float(scores[symbol])


def follow_choices(chart: DiscreteChart, choices: np.ndarray, symbol: int) -> np.ndarray:
    """The tree that the choices of all spans and symbols make, from a symbol at the root: (4, nodes of the binary form),
    which are symbols, starts, ends and rules, in preorder."""
    form = chart.form
    chain = form.symbols if len(form.unary.parent) else 1  # the most nodes of one span
    nodes = np.empty((4, (2 * chart.length - 1) * chain), dtype=np.int64)
    parts = form.lexical, form.binary, form.unary
    return nodes[:, : run_kernel(follow_discrete, parts, chart.plan, choices, np.int64(symbol), nodes)]
