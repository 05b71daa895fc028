"""The steps of expectation maximisation: expected counts of rules, and the model whose rules are as frequent as counted."""

import numpy as np

from recbayes.discrete.chart.chart import inside_discrete, outside_discrete
from recbayes.discrete.kernels.layout import root_place
from recbayes.discrete.learn.baum_welch import chain_maximised, free_chain_numbers
from recbayes.discrete.model.flat import Discrete, FlatGrammar
from recbayes.discrete.model.grammar_text import Rule
from recbayes.discrete.model.pcfg import PCFG
from recbayes.discrete.model.rbn import DiscreteRBN
from recbayes.discrete.model.variables import DiscreteVariable, SparseTable, Transition
from recbayes.errors import ModelError
from recbayes.family.family import Counts
from recbayes.spans.constraints import Constraints


def expected_counts(model: Discrete, tokens: np.ndarray, constraints: Constraints) -> Counts:
    """Expected numbers of uses of the flat grammar's rules and start symbols, in their order."""
    chart = inside_discrete(model, tokens, constraints)
    found = outside_discrete(chart)
    root = root_place(chart.plan)
    return Counts(chart.log_evidence, found.rules, found.arrivals[root, : chart.form.real].copy())


def maximised(model: Discrete, counts: Counts, pseudo_count: float) -> PCFG | DiscreteRBN:
    """Weights as relative frequencies of the counts. A chain stays one (Baum and Welch)."""
    if not isinstance(model, PCFG | DiscreteRBN):
        raise ModelError(f"reestimate is for a PCFG or a DiscreteRBN, got {type(model).__name__}; for others see fit")
    if not (model.is_normalised or model.chain):
        raise ModelError("the weights are not probabilities, so relative frequencies are no step uphill; see normalised()")
    if isinstance(model, PCFG):
        return _grammar(model, counts, pseudo_count)
    return chain_maximised(model, counts, pseudo_count) if model.chain else _rbn(model, counts, pseudo_count)


def free_numbers(model: Discrete) -> int:
    """How many numbers re-estimation chooses: all positive weights but one of every distribution."""
    flat = model.flat()
    roots = max(int((flat.start > 0).sum()) - 1, 0)
    if isinstance(model, DiscreteRBN) and model.chain:
        return roots + free_chain_numbers(model)
    return roots + len(flat.lefts) - len(set(flat.lefts))


def _shares(flat: FlatGrammar, counts: np.ndarray, pseudo_count: float) -> np.ndarray:
    """New weights of all rules: expected frequencies among the rules of a symbol."""
    lefts = np.array(flat.lefts)
    raised = counts + pseudo_count
    totals = np.bincount(lefts, weights=raised, minlength=len(flat.nonterminals))[lefts]
    before = np.bincount(lefts, weights=flat.weights, minlength=len(flat.nonterminals))[lefts]
    return np.where(totals > 0, raised / np.where(totals > 0, totals, 1.0), flat.weights / before)


def _grammar(grammar: PCFG, counts: Counts, pseudo_count: float) -> PCFG:
    weights = iter(_shares(grammar.flat(), counts.rules, pseudo_count))
    rules = [Rule(rule.left, rule.right, float(next(weights)) if rule.weight > 0 else 0.0) for rule in grammar.rules]
    return PCFG(grammar.start, rules)


def _rbn(model: DiscreteRBN, counts: Counts, pseudo_count: float) -> DiscreteRBN:
    """New structural distributions, tables and prior. A rule that several transitions share is divided as before."""
    flat = model.flat()
    number = {(left, *right): n for n, (left, right) in enumerate(zip(flat.lefts, flat.rights, strict=True))}
    shares = _shares(flat, counts.rules, pseudo_count)
    offsets, last = {}, 0
    for latent in model.variables:
        offsets[latent.name], last = last, last + len(latent.values)
    ends = -1
    for terminal in model.terminals:
        offsets[terminal.name], ends = ends, ends - len(terminal.values)
    variables = []
    for variable in model.variables:
        transitions = []
        for transition in variable.transitions:
            table: SparseTable = transition.table
            places = np.array([offsets[name] for name in (variable.name, *transition.children)])
            rows = places + np.where(places >= 0, 1, -1) * table.indices
            before = transition.probability[table.indices[:, 0]] * table.probabilities
            known = [number.get(tuple(row)) for row in rows.tolist()]
            new = np.array(
                [0.0 if n is None else shares[n] * w / flat.weights[n] for n, w in zip(known, before, strict=True)]
            )
            parents = table.indices[:, 0]
            chance = np.bincount(parents, weights=new, minlength=len(variable.values))
            entries = np.where(chance[parents] > 0, new / np.where(chance > 0, chance, 1.0)[parents], table.probabilities)
            transitions.append(Transition(transition.children, chance, (table.indices, entries)))
        variables.append(DiscreteVariable(variable.name, variable.values, tuple(transitions)))
    name = model.prior[0]
    roots = counts.roots[offsets[name] : offsets[name] + len(model.prior[1])] + pseudo_count * (model.prior[1] > 0)
    return DiscreteRBN(variables, model.terminals, (name, roots / roots.sum()), weights="keep")
