"""Chomsky normal form of discrete models: every rule leads to two non-terminals or to one terminal.

Steps 1 and 2 of the paper's appendix are the binary form. Step 3, unary cycles, is solved exactly: the total weight of all
chains of unary rules from A to B is an entry of (1 - U)^-1. Step 4 marginalises the chains: A -> B C gets the sum over all P
of the weight of chains from A to P times that of P -> B C. Weights of strings, and of the trees that differ only in unary
nodes taken together, are preserved.
"""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from recbayes.discrete.model.binary_form import BinaryForm, binary_form
from recbayes.discrete.model.flat import Discrete
from recbayes.discrete.model.grammar_text import Rule, Symbol, Terminal, fresh_symbol, quoted, rule_names
from recbayes.discrete.model.pcfg import PCFG
from recbayes.errors import DataError
from recbayes.tree.tree import Node, Tree


@dataclass(frozen=True, eq=False)
class NormalForm:
    """A grammar in normal form, and the way back for its trees.

    Attributes:
        grammar: in Chomsky normal form, with one start symbol.
        form: the same as arrays of numbers.
        names: of the symbols of these.
    """

    grammar: PCFG
    form: BinaryForm
    names: tuple[str, ...]

    def restore(self, tree: Tree) -> Tree:
        """A tree of the original model.

        Unpacking nodes vanish, and unary chains that were summed over become the most probable ones.

        Arguments:
            tree: a tree of the normal form.
        """
        return _restore(self, tree)


def normal_form(model: Discrete) -> NormalForm:
    """The model in Chomsky normal form, as a grammar with one start symbol."""
    form = binary_form(model.flat())
    names = _names(form)
    closure = np.eye(form.symbols) if form.closure is None else form.closure
    rights: list[tuple[int, tuple[Symbol, ...], float]] = [
        (int(parent), (Terminal(form.grammar.terminals[terminal]),), float(weight))
        for parent, terminal, weight in zip(form.lexical.parent, form.lexical.terminal, form.lexical.weight, strict=True)
    ]
    rights += [
        (int(parent), (names[form.binary.left[pair]], names[form.binary.right[pair]]), float(weight))
        for parent, pair, weight in zip(form.binary.parent, form.binary.pair, form.binary.weight, strict=True)
    ]
    starts = np.flatnonzero(form.start)
    single = len(starts) == 1 and form.start[starts[0]] == 1.0
    start = names[starts[0]] if single else fresh_symbol(names)
    above = {name: closure[n] for n, name in enumerate(names)}
    if not single:
        above[start] = form.start @ closure
    rules = [
        Rule(left, right, float(reach[parent] * weight))
        for left, reach in above.items()
        for parent, right, weight in rights
        if reach[parent] > 0
    ]
    return NormalForm(PCFG(start, _reachable(start, rules)), form, names)


def _names(form: BinaryForm) -> tuple[str, ...]:
    """Names of the symbols; a fresh one shows what it stands for, primed if that name is taken."""
    grammar = form.grammar
    texts = list(grammar.nonterminals)
    names = dict.fromkeys(texts)
    for content in form.contents:
        texts.append("|".join(texts[s] if s >= 0 else quoted(grammar.terminals[-1 - s]) for s in content))
        name = f"<{texts[-1]}>"
        while name in names:
            name += "+"
        names[name] = None
    return tuple(names)


def _reachable(start: str, rules: list[Rule]) -> list[Rule]:
    known, waiting = {start}, [start]
    children: dict[str, set[str]] = {}
    for rule in rules:
        children.setdefault(rule.left, set()).update(symbol for symbol in rule.right if isinstance(symbol, str))
    while waiting:
        for child in children.get(waiting.pop(), set()) - known:
            known.add(child)
            waiting.append(child)
    return [rule for rule in rules if rule.left in known]


def _restore(normal: NormalForm, tree: Tree) -> Tree:
    form, grammar = normal.form, normal.form.grammar
    number = {name: n for n, name in enumerate(normal.names)}
    texts = rule_names(grammar)
    best, step = _best_chains(form)
    nodes: list[Node] = []
    arities: list[int] = []
    for index, (node, arity) in enumerate(zip(tree.nodes, tree.arities, strict=True)):
        children = [number.get(tree.nodes[child].label, -1) for child in tree.children(index)]
        candidates = _rules_to(form, children, node.rule if arity == 0 else "")
        if arity not in (0, 2) or not candidates:
            raise DataError(f"node {node.start}:{node.end} is not one of the normal form")
        if node.label in number:
            a = number[node.label]
            first, weight = a, best[a]
        else:  # the fresh start symbol, which is no node of the original
            scores = form.start[:, None] * best
            first = int(max(range(form.symbols), key=lambda s: max(scores[s, parent] * w for parent, w, _ in candidates)))
            weight = best[first]
        parent, _, rule = max(candidates, key=lambda option: weight[option[0]] * option[1])
        chain = [first]
        while chain[-1] != parent:
            chain.append(int(step[chain[-1], parent]))
        for above, below in pairwise(chain):
            nodes.append(replace(node, label=grammar.nonterminals[above], rule=texts[_unary_rule(form, above, below)]))
            arities.append(1)
        if parent < form.real:
            nodes.append(replace(node, label=grammar.nonterminals[parent], rule=texts[rule]))
            arities.append(0 if arity == 0 else len(grammar.rights[rule]))
        elif len(form.contents[parent - form.real]) == 1:
            nodes.append(replace(node, label=quoted(grammar.terminals[-1 - form.contents[parent - form.real][0]]), rule=""))
            arities.append(0)
    return Tree(nodes, arities)


def _rules_to(form: BinaryForm, children: list[int], text: str) -> list[tuple[int, float, int]]:
    """(parent, weight, grammar's rule) of the binary form's rules to these children, or to the terminal in a rule's text."""
    if children:
        pairs = np.flatnonzero((form.binary.left == children[0]) & (form.binary.right == children[1]))
        rows = [n for pair in pairs for n in range(form.binary.first[pair], form.binary.first[pair + 1])]
        return [(int(form.binary.parent[n]), float(form.binary.weight[n]), int(form.binary.rule[n])) for n in rows]
    lexical = form.lexical
    rows = [n for n, t in enumerate(lexical.terminal) if text.endswith("-> " + quoted(form.grammar.terminals[t]))]
    return [(int(lexical.parent[n]), float(lexical.weight[n]), int(lexical.rule[n])) for n in rows]


def _unary_rule(form: BinaryForm, above: int, below: int) -> int:
    rows = range(form.unary.first[above], form.unary.first[above + 1])
    return int(form.unary.rule[next(n for n in rows if form.unary.child[n] == below)])


def _best_chains(form: BinaryForm) -> tuple[np.ndarray, np.ndarray]:
    """The weight of the best chain of unary rules between two symbols, and its first step."""
    best = np.eye(form.symbols)
    step = np.tile(np.arange(form.symbols), (form.symbols, 1))
    for _ in range(form.symbols):
        changed = False
        for parent, child, weight in zip(form.unary.parent, form.unary.child, form.unary.weight, strict=True):
            better = weight * best[child] > best[parent] * (1 + 1e-14)
            if better.any():
                best[parent, better] = weight * best[child, better]
                step[parent, better] = child
                changed = True
        if not changed:
            break
    return best, step
