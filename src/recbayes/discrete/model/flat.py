"""A discrete RBN as a plain list of weighted rules: the common ground of grammars, discrete RBNs and their charts.

By the paper's theorems on abstraction, a discrete RBN and a probabilistic grammar are two notations of the same thing: every
value of a non-terminal variable is a non-terminal symbol, and structural and transition probabilities multiply to the
weights of rules.
"""

from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np


@runtime_checkable
class Discrete(Protocol):
    """A model with discrete variables, such as `PCFG` and `DiscreteRBN`: something that is a list of weighted rules."""

    def flat(self) -> "FlatGrammar": ...


@dataclass(frozen=True, eq=False)
class FlatGrammar:
    """Symbols are numbers: non-terminals 0, 1, ...; in right-hand sides terminal t is -1 - t.

    `weights` need not sum to one over the rules of a symbol: then the grammar is a weighted one.
    """

    nonterminals: tuple[str, ...]  # names, as trees show them
    terminals: tuple[str, ...]  # what is observed
    start: np.ndarray  # (n,) weight of each non-terminal as the root
    lefts: tuple[int, ...]  # left-hand sides of the rules
    rights: tuple[tuple[int, ...], ...]  # right-hand sides, each at least one symbol
    weights: np.ndarray  # (rules,) all positive
    derived: dict[str, Any] = field(default_factory=dict, repr=False)  # what follows from it and is worth keeping

    @property
    def terminal_numbers(self) -> dict[str, int]:
        if "terminal_numbers" not in self.derived:
            self.derived["terminal_numbers"] = {name: number for number, name in enumerate(self.terminals)}
        return self.derived["terminal_numbers"]
