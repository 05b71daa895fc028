"""A discrete RBN as a plain list of weighted rules: the common ground of grammars, discrete RBNs and their charts.

By the paper's theorems on abstraction, a discrete RBN and a probabilistic grammar are two notations of the same thing: every
value of a non-terminal variable is a non-terminal symbol, and structural and transition probabilities multiply to the
weights of rules.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from recbayes.checks.kept import kept
from recbayes.family.chain import Chain

if TYPE_CHECKING:
    from recbayes.discrete.family import DiscreteFamily


class Discrete(ABC):
    """A model with discrete variables, such as `PCFG` and `DiscreteRBN`: something that is a list of weighted rules."""

    __slots__ = ()

    @abstractmethod
    def flat(self) -> "FlatGrammar":
        """The model as a list of weighted rules over numbers."""

    @property
    def chain(self) -> Chain | None:
        """The variables of a chain, if the model is one."""
        return None

    @property
    def family(self) -> "DiscreteFamily":
        """What is done with models of this kind; see `recbayes.family.family`."""
        from recbayes.discrete.family import DISCRETE

        return DISCRETE


@dataclass(frozen=True, eq=False)
class FlatGrammar:
    """A grammar of numbers: non-terminals are 0, 1, ...; in right-hand sides terminal t is -1 - t.

    Weights need not sum to one over the rules of a symbol: then the grammar is a weighted one.

    Attributes:
        nonterminals: names, as trees show them.
        terminals: what is observed.
        start: the weight of each non-terminal as the root.
        lefts: left-hand sides of the rules.
        rights: right-hand sides, each at least one symbol.
        weights: of the rules, all positive.
    """

    nonterminals: tuple[str, ...]
    terminals: tuple[str, ...]
    start: np.ndarray
    lefts: tuple[int, ...]
    rights: tuple[tuple[int, ...], ...]
    weights: np.ndarray
    _kept: dict[Callable[..., Any], Any] = field(default_factory=dict, init=False, repr=False)  # see `kept`

    def __getstate__(self) -> dict[str, Any]:
        """Messages to other processes leave out what only follows from it."""
        return {**self.__dict__, "_kept": {}}

    @property
    def terminal_numbers(self) -> dict[str, int]:
        """The number of each terminal, by its name."""
        return _terminal_numbers(self)


@kept
def _terminal_numbers(grammar: FlatGrammar) -> dict[str, int]:
    return {name: number for number, name in enumerate(grammar.terminals)}
