"""Re-estimation of discrete models from sequences: expectation maximisation by inside and outside."""

from concurrent.futures import Executor
from typing import Any, NamedTuple

import numpy as np

from recbayes.chains.models import HMM, SHOWN, STATE
from recbayes.checks.many import per_series, run_many
from recbayes.discrete.chart.chart import are_many, inside_numbered, listed
from recbayes.discrete.model.flat import Discrete, FlatGrammar
from recbayes.discrete.model.grammar_text import Rule
from recbayes.discrete.model.pcfg import PCFG
from recbayes.discrete.model.rbn import DiscreteRBN
from recbayes.discrete.model.variables import DiscreteVariable, SparseTable, Transition
from recbayes.errors import DataError, ModelError


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


def expected_counts(model: Discrete, sequences: Any, *, allowed: Any = None, executor: Executor | None = None) -> Counts:
    """Sums over a sequence of tokens, or a list of sequences (in threads). `allowed` is that of `inside`."""
    sequences = listed(sequences)
    if not len(sequences):
        raise DataError("there are no sequences to learn from")
    if are_many(sequences):
        many, masks = list(sequences), per_series(allowed, len(sequences), "allowed")
    else:
        many, masks = [sequences], [allowed]
    found = run_many(_counts, range(len(many)), [model] * len(many), many, masks, executor=executor)
    return Counts(
        float(sum(one.log_evidence for one in found)),
        np.sum([one.rules for one in found], axis=0),
        np.sum([one.roots for one in found], axis=0),
    )


def _counts(number: int, model: Discrete, tokens: Any, allowed: Any) -> Counts:
    chart = inside_numbered(number, model, tokens, allowed)
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
    allowed: Any = None,
    executor: Executor | None = None,
) -> Estimate:
    """Raise the evidence of sequences by expectation maximisation: it never falls (without pseudo-counts).

    Every step replaces the weights by relative frequencies of expected counts, to which `pseudo_count` is added for every
    rule. It ends after `steps`, or when the log evidence rises by less than `tolerance` times its size. Structure stays:
    rules of weight zero stay out, and symbols that are never used keep their weights. An `HMM` stays one, whose last
    observation has the emission probabilities of the others, and lengths stay given if they were (Baum and Welch). Other
    weighted models must be normalised first. `allowed` is that of `inside`.
    """
    sequences = listed(sequences)
    if pseudo_count < 0 or steps < 0:
        raise ModelError(f"steps and pseudo_count must not be negative, got {steps} and {pseudo_count}")
    if not isinstance(model, PCFG | DiscreteRBN):
        raise ModelError(f"reestimate is for a PCFG or a DiscreteRBN, got {type(model).__name__}; for others see fit")
    if not (model.is_normalised or is_chain(model)):
        raise ModelError("the weights are not probabilities, so relative frequencies are no step uphill; see normalised()")
    history: list[float] = []
    converged = False
    for _ in range(steps):
        counts = expected_counts(model, sequences, allowed=allowed, executor=executor)
        history.append(counts.log_evidence)
        if len(history) > 1 and history[-1] - history[-2] < tolerance * (1.0 + abs(history[-1])):
            converged = True
            break
        model = _step(model, counts, pseudo_count)
    else:
        history.append(expected_counts(model, sequences, allowed=allowed, executor=executor).log_evidence)
    return Estimate(model, history, converged)


def _step(model: PCFG | DiscreteRBN, counts: Counts, pseudo_count: float) -> PCFG | DiscreteRBN:
    if isinstance(model, PCFG):
        return _grammar(model, counts, pseudo_count)
    if is_chain(model):
        return _hidden_markov(model, counts, pseudo_count)
    return _rbn(model, counts, pseudo_count)


def is_chain(model: object) -> bool:
    """Whether this is what `HMM` makes."""
    return (
        isinstance(model, DiscreteRBN)
        and [variable.name for variable in model.variables] == [STATE, SHOWN]
        and [one.children for one in model.variables[0].transitions] == [(SHOWN, STATE), ("symbol",)]
    )


def _hidden_markov(model: DiscreteRBN, counts: Counts, pseudo_count: float) -> DiscreteRBN:
    """One step of Baum and Welch. Tables of states that are never used stay."""
    before, initial = model.flat(), model.prior[1]
    roots = counts.roots[: len(initial)] + pseudo_count * (initial > 0)
    pairs = zip(_chain_tables(model, counts.rules + pseudo_count), _chain_tables(model, before.weights), strict=True)
    transition, emission = (_normalised(np.where(new.any(axis=1, keepdims=True), new, old)) for new, old in pairs)
    of_states = np.array(before.lefts) < len(initial)
    ends = of_states & (np.array([len(right) for right in before.rights]) == 1)
    steps, ending = counts.rules[of_states].sum(), counts.rules[ends].sum()
    termination = min(ending / steps, 1.0 - 1e-12) if model.is_normalised else None
    names = {"states": model.variables[0].values, "symbols": model.terminals[0].values}
    return HMM(_normalised(roots[None])[0], transition, emission, termination=termination, **names)


def _chain_tables(model: DiscreteRBN, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sums over the rules of a chain by (state, next state), and by (state, symbol): the last symbol is emitted by the state
    itself, all others by what it shows."""
    flat, n = model.flat(), len(model.variables[0].values)
    transition, emission = np.zeros((n, n)), np.zeros((n, len(model.terminals[0].values)))
    for left, right, weight in zip(flat.lefts, flat.rights, weights.tolist(), strict=True):
        if len(right) == 2:
            transition[left, right[1]] += weight
        else:
            emission[left % n, -1 - right[0]] += weight
    return transition, emission


def _normalised(rows: np.ndarray) -> np.ndarray:
    return rows / rows.sum(axis=1, keepdims=True)


def free_numbers(model: PCFG | DiscreteRBN) -> int:
    """How many numbers re-estimation chooses: all positive weights but one of every distribution."""
    flat = model.flat()
    roots = max(int((flat.start > 0).sum()) - 1, 0)
    if isinstance(model, DiscreteRBN) and is_chain(model):
        tables = _chain_tables(model, flat.weights)
        used = sum(int((table > 0).sum()) - int(table.any(axis=1).sum()) for table in tables)
        return roots + used + int(model.is_normalised)
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
