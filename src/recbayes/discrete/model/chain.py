"""Hidden Markov models as discrete RBNs: making one, and whether a model is the chain that it says it is."""

from typing import Any, NamedTuple

import numpy as np

from recbayes.discrete.model.variables import DiscreteVariable, TerminalVariable, Transition
from recbayes.family.chain import Chain


class ChainParts(NamedTuple):
    """What a chain is made of: probabilities to go on and to stop, of next states and of symbols, and names of values."""

    go: Any
    stop: Any
    transition: np.ndarray  # (n, n)
    emission: np.ndarray  # (n, symbols)
    states: Any
    symbols: Any
    symbol: str = "symbol"  # the name of the observed variable


def chain_variables(chain: Chain, parts: ChainParts) -> tuple[tuple[DiscreteVariable, ...], tuple[TerminalVariable, ...]]:
    """A state shows itself and leads on to the next, or emits the last symbol; what shows it emits all others."""
    A, B = parts.transition, parts.emission
    pairs = np.argwhere(A > 0)
    onward = (np.column_stack([pairs[:, 0], pairs]), A[A > 0])
    state = DiscreteVariable(
        chain.state,
        parts.states,
        (
            Transition((chain.shown, chain.state), parts.go, onward),
            Transition((parts.symbol,), parts.stop, B),
        ),
    )
    shown = DiscreteVariable(chain.shown, parts.states, (Transition((parts.symbol,), 1.0, B),))
    return (state, shown), (TerminalVariable(parts.symbol, parts.symbols),)


def check_chain(
    chain: Chain, variables: tuple[DiscreteVariable, ...], terminals: tuple[TerminalVariable, ...], root: str
) -> None:
    """state -> shown state, where `shown` has the state's value, or a symbol; shown -> a symbol."""
    names = [variable.name for variable in variables]
    chain.demand(names == [chain.state, chain.shown], f"its variables are {names}")
    chain.demand(root == chain.state, f"its root is {root!r}")
    chain.demand(len(terminals) == 1, f"it has {len(terminals)} observed variables, where one is needed")
    symbol = terminals[0].name
    state, shown = ([one.children for one in variable.transitions] for variable in variables)
    wanted = [(chain.shown, chain.state), (symbol,)]
    chain.demand(state == wanted, f"{chain.state!r} leads to {state}, where {wanted} is needed")
    chain.demand(shown == [(symbol,)], f"{chain.shown!r} leads to {shown}, where {[(symbol,)]} is needed")
    table = variables[0].transitions[0].table.indices
    same = len(variables[0].values) == len(variables[1].values) and (table[:, 0] == table[:, 1]).all()
    chain.demand(bool(same), f"{chain.shown!r} does not have the value of its {chain.state!r}")
