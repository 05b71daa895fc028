"""Re-estimation of discrete models from sequences: expectation maximisation by inside and outside."""

from concurrent.futures import Executor
from typing import Any, NamedTuple

import numpy as np

from recbayes.chart.discrete import are_many, inside_discrete
from recbayes.errors import DataError
from recbayes.model.discrete import DiscreteRBN
from recbayes.model.discrete_variables import DiscreteVariable, SparseTable, Transition
from recbayes.model.flat import Discrete, FlatGrammar
from recbayes.model.grammar_text import Rule
from recbayes.model.pcfg import PCFG
from recbayes.numerics.many import run_many


class Counts(NamedTuple):
    """The log evidence of sequences, and the expected numbers of uses of rules and of roots: its gradient.

    They are the derivatives of the log evidence with respect to the log weights of the flat grammar's rules and start
    symbols, in their order.
    """

    log_evidence: float
    rules: np.ndarray
    roots: np.ndarray


class Estimate(NamedTuple):
    """A re-estimated model, and the log evidence of the sequences before each step and at the end."""

    model: Any
    history: list[float]
    converged: bool


def expected_counts(model: Discrete, sequences: Any, executor: Executor | None = None) -> Counts:
    """Sums over a sequence of tokens, or a list of sequences (in threads)."""
    many = list(sequences) if are_many(sequences) else [sequences]
    if not many:
        raise DataError("there are no sequences to learn from")
    found = run_many(_counts, [model] * len(many), many, executor=executor)
    return Counts(
        float(sum(one.log_evidence for one in found)),
        np.sum([one.rules for one in found], axis=0),
        np.sum([one.roots for one in found], axis=0),
    )


def _counts(model: Discrete, tokens: Any) -> Counts:
    chart = inside_discrete(model, tokens)
    found = chart.outside
    root = int(chart.plan.place[-1])
    return Counts(chart.log_evidence, found.rules, found.arrivals[root, : chart.form.real])


def reestimate(
    model: PCFG | DiscreteRBN,
    sequences: Any,
    *,
    steps: int = 100,
    tolerance: float = 1e-6,
    pseudo_count: float = 0.0,
    executor: Executor | None = None,
) -> Estimate:
    """Raise the evidence of sequences by expectation maximisation: it never falls (without pseudo-counts).

    Every step replaces the weights by relative frequencies of expected counts, to which `pseudo_count` is added for every
    rule. It ends after `steps`, or when the log evidence rises by less than `tolerance` times its size. Structure stays:
    rules of weight zero stay out, and symbols that are never used keep their weights.
    """
    history: list[float] = []
    converged = False
    for _ in range(steps):
        counts = expected_counts(model, sequences, executor)
        history.append(counts.log_evidence)
        if len(history) > 1 and history[-1] - history[-2] < tolerance * (1.0 + abs(history[-1])):
            converged = True
            break
        model = _grammar(model, counts, pseudo_count) if isinstance(model, PCFG) else _rbn(model, counts, pseudo_count)
    else:
        history.append(expected_counts(model, sequences, executor).log_evidence)
    return Estimate(model, history, converged)


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
