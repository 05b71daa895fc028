"""Hidden Markov models in one line: right-linear discrete RBNs.

A state emits one observation, through a child of its own (`shown`) that copies it, and leads on to the next state, until it
emits the last one. Charts of such models have O(N) cells, with no special case in the recursion.
"""

from typing import Any

import numpy as np

from recbayes.chains.termination import chances
from recbayes.checks.arrays import frozen
from recbayes.discrete.model.chain import ChainParts, chain_variables
from recbayes.discrete.model.rbn import DiscreteRBN
from recbayes.errors import ModelError
from recbayes.family.chain import Chain


def HMM(
    initial: Any,
    transition: Any,
    emission: Any,
    *,
    termination: float | None = None,
    states: tuple[str, ...] | None = None,
    symbols: tuple[str, ...] | None = None,
) -> DiscreteRBN:
    """A hidden Markov model: a `DiscreteRBN` whose variables are `state` and `shown`.

    >>> weather = rb.HMM([0.5, 0.5], [[0.9, 0.1], [0.2, 0.8]], [[0.7, 0.3], [0.1, 0.9]], symbols=("dry", "wet"))
    >>> rb.best_states(weather, ["dry", "dry", "wet", "wet", "wet"])[0].tolist()
    [0, 0, 1, 1, 1]

    Arguments:
        initial: probabilities of the first state, (n,).
        transition: of the next state, given the one in the row, (n, n).
        emission: of the symbols, given the state in the row, (n, symbols).
        termination: the probability to end after an observation. None takes the length as given, as is usual for hidden
            Markov models: continuing and ending both have weight one, and the evidence is that of the observations.
        states: names of the states. None: "0", "1" and so on.
        symbols: names of the symbols. None: "0", "1" and so on.
    """
    given = {"initial": initial, "transition": transition, "emission": emission}
    start, A, B = (frozen(values, name) for name, values in given.items())
    n = start.size
    if start.shape != (n,) or A.shape != (n, n) or B.ndim != 2 or len(B) != n:
        raise ModelError(
            f"initial, transition and emission must have shapes (n,), (n, n) and (n, symbols), got {start.shape}, {A.shape} "
            f"and {B.shape}"
        )
    for name, rows in (("initial", start[None]), ("transition", A), ("emission", B)):
        if (rows < 0).any() or np.abs(rows.sum(axis=1) - 1.0).max() > 1e-9:
            raise ModelError(f"{name} probabilities must not be negative and must sum to one")
    go, stop = (1.0, 1.0) if termination is None else chances(termination)
    parts = ChainParts(go, stop, A, B, n if states is None else states, B.shape[1] if symbols is None else symbols)
    chain = Chain()
    variables, terminals = chain_variables(chain, parts)
    weights: Any = "keep" if termination is None else "check"
    return DiscreteRBN(variables, terminals, prior=(chain.state, start), weights=weights, chain=chain)
