"""Grammars as discrete RBNs and back: the two theorems of the paper's appendix on PCFGs.

Theorem 1 (abstraction): the non-terminals become the values of one latent variable, the terminals those of one observed
variable. Theorem 2: the values of a discrete RBN's variables become the symbols of a grammar.
"""

import numpy as np

from recbayes.discrete.model.flat import FlatGrammar
from recbayes.discrete.model.grammar_text import Rule, Terminal, fresh_symbol
from recbayes.discrete.model.rbn import DiscreteRBN
from recbayes.discrete.model.variables import DiscreteVariable, SparseTable, TerminalVariable, Transition


def abstract(flat: FlatGrammar) -> DiscreteRBN:
    """Theorem 1 for a grammar in any form whose certain root is symbol 0; see `PCFG.to_rbn`.

    With W the weights of rules and Z the pattern of latent and observed symbols of a right-hand side,

        p(z = Z | A) = sum of W(A -> X) over X with pattern Z / sum of W(A -> X) over all X
        p_Z(X | A)   = W(A -> X) / sum of W(A -> X') over X' with pattern Z
    """
    size = len(flat.nonterminals)
    lefts = np.array(flat.lefts)
    totals = np.bincount(lefts, flat.weights, size)
    patterns: dict[tuple[bool, ...], list[int]] = {}
    hidden = 1 if _start_only_chooses(flat) else 0  # symbols that are no values: the start symbol or none
    prior = np.eye(size)[0]
    if hidden:
        prior[0] = 0.0
    for position, (left, right) in enumerate(zip(flat.lefts, flat.rights, strict=True)):
        if left < hidden:
            prior[right[0]] = flat.weights[position] / totals[left]
        else:
            patterns.setdefault(tuple(symbol >= 0 for symbol in right), []).append(position)
    transitions = []
    for pattern, positions in patterns.items():
        parents, weights = lefts[positions], flat.weights[positions]
        shares = np.bincount(parents, weights, size)
        symbols = np.array([flat.rights[position] for position in positions])
        values = np.where(symbols >= 0, symbols - hidden, -1 - symbols)
        table = SparseTable(np.column_stack([parents - hidden, values]), weights / shares[parents])
        children = tuple("x" if latent else "y" for latent in pattern)
        transitions.append(Transition(children, (shares / totals)[hidden:], table))
    latent = DiscreteVariable("x", flat.nonterminals[hidden:], tuple(transitions))
    return DiscreteRBN([latent], [TerminalVariable("y", flat.terminals)], prior=("x", prior[hidden:]))


def _start_only_chooses(flat: FlatGrammar) -> bool:
    """Whether all rules of the start symbol are unary, to non-terminals, and no rule leads back to it."""
    rules = zip(flat.lefts, flat.rights, strict=True)
    return all(0 not in right and (left != 0 or (len(right) == 1 and right[0] > 0)) for left, right in rules)


def rules_of(rbn: DiscreteRBN) -> tuple[str, list[Rule]]:
    """Theorem 2: the start symbol and the rules of a discrete RBN; see `PCFG.from_rbn`."""
    flat = rbn.flat()
    rules = [
        Rule(
            flat.nonterminals[left],
            tuple(flat.nonterminals[s] if s >= 0 else Terminal(flat.terminals[-1 - s]) for s in right),
            weight,
        )
        for left, right, weight in zip(flat.lefts, flat.rights, flat.weights.tolist(), strict=True)
    ]
    roots = np.flatnonzero(flat.start).tolist()
    if len(roots) == 1 and abs(flat.start[roots[0]] - 1.0) <= 1e-9:
        return flat.nonterminals[roots[0]], rules
    start = fresh_symbol(flat.nonterminals)
    return start, [Rule(start, (flat.nonterminals[root],), float(flat.start[root])) for root in roots] + rules
