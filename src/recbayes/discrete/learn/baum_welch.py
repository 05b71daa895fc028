"""Re-estimation of hidden Markov models (Baum and Welch).

The last observation is emitted by the state itself and all others by what shows it, but with the same probabilities; and
where lengths are given, going on and stopping keep their weights.
"""

import numpy as np

from recbayes.discrete.model.chain import ChainParts, chain_variables
from recbayes.discrete.model.rbn import DiscreteRBN
from recbayes.family.family import Counts

SUREST = 1.0 - 1e-12  # of stopping: a chain must be able to go on


def chain_maximised(model: DiscreteRBN, counts: Counts, pseudo_count: float) -> DiscreteRBN:
    """One step. Tables of states that are never used stay."""
    assert model.chain is not None
    before, initial = model.flat(), model.prior[1]
    roots = counts.roots[: len(initial)] + pseudo_count * (initial > 0)
    pairs = zip(_tables(model, counts.rules + pseudo_count), _tables(model, before.weights), strict=True)
    transition, emission = (_normalised(np.where(new.any(axis=1, keepdims=True), new, old)) for new, old in pairs)
    go, stop = (one.probability for one in model.variables[0].transitions)
    if model.is_normalised:
        of_states = np.array(before.lefts) < len(initial)
        ends = of_states & (np.array([len(right) for right in before.rights]) == 1)
        stop = min(counts.rules[ends].sum() / counts.rules[of_states].sum(), SUREST)
        go = 1.0 - stop
    states, terminal = model.variables[0].values, model.terminals[0]
    parts = ChainParts(go, stop, transition, emission, states, terminal.values, terminal.name)
    weights = "check" if model.is_normalised else "keep"
    prior = (model.chain.state, _normalised(roots[None])[0])
    return DiscreteRBN(*chain_variables(model.chain, parts), prior, weights, model.chain)  # type: ignore[arg-type]


def free_chain_numbers(model: DiscreteRBN) -> int:
    """How many numbers of next states, symbols and lengths are chosen."""
    tables = _tables(model, model.flat().weights)
    used = sum(int((table > 0).sum()) - int(table.any(axis=1).sum()) for table in tables)
    return used + int(model.is_normalised)


def _tables(model: DiscreteRBN, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sums over the rules of a chain by (state, next state), and by (state, symbol)."""
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
