"""Discrete recursive Bayesian networks: template variables with finitely many values.

A value of a variable leads on by one of the variable's transitions, which the structural distribution p(z | x) chooses,
and the transition's table p(children | x) says to which values of which other variables. Children may be latent or
observed, in any number and mix. Values and transitions together are the rules of a grammar (`flat`).
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from recbayes.discrete.model.flat import FlatGrammar
from recbayes.discrete.model.variables import (
    DiscreteVariable,
    SparseTable,
    TerminalVariable,
    checked_values,
    checked_variable,
    checked_weights,
    first_problem,
)
from recbayes.errors import ModelError
from recbayes.family.saved import Saved
from recbayes.tree.tree import Tree

if TYPE_CHECKING:
    from recbayes.discrete.model.normal_form import NormalForm


class DiscreteRBN(Saved):
    """An immutable, validated discrete RBN. `prior` is the root's variable and the probabilities of its values.

    Structural probabilities, tables and prior must sum to one; with `weights="keep"` they need not, and the model is a
    weighted one. Either way every value must have some way on.
    """

    __slots__ = ("_prior", "_problem", "_terminals", "_variables", "derived")

    def __init__(
        self,
        variables: Iterable[DiscreteVariable],
        terminals: Iterable[TerminalVariable],
        prior: tuple[str, Any],
        weights: Literal["check", "keep"] = "check",
    ) -> None:
        variables, terminals = tuple(variables), tuple(terminals)
        if not variables or not terminals:
            raise ModelError("a discrete RBN needs at least one latent and one terminal variable")
        if weights not in ("check", "keep"):
            raise ModelError(f"weights must be 'check' or 'keep', got {weights!r}")
        values = checked_values(variables, terminals)
        self._terminals = tuple(TerminalVariable(one.name, values[one.name]) for one in terminals)
        self._variables = tuple(checked_variable(one, values) for one in variables)
        latent = [one.name for one in variables]
        if not isinstance(prior, Sequence) or isinstance(prior, str) or len(prior) != 2 or prior[0] not in latent:
            raise ModelError(f"prior must be a pair of a latent variable's name (one of {latent}) and probabilities")
        self._prior = (prior[0], checked_weights(prior[1], len(values[prior[0]]), f"prior of {prior[0]}"))
        if not self._prior[1].any():
            raise ModelError(f"prior of {prior[0]}: some value must have a positive probability")
        self._problem = first_problem(self._variables, self._prior)
        if self._problem and weights == "check":
            raise ModelError(f'{self._problem}; correct it, or use weights="keep" for a weighted model')
        self.derived: dict[str, Any] = {}  # what follows from the model and is worth computing once

    @property
    def variables(self) -> tuple[DiscreteVariable, ...]:
        return self._variables

    @property
    def terminals(self) -> tuple[TerminalVariable, ...]:
        return self._terminals

    @property
    def prior(self) -> tuple[str, np.ndarray]:
        return self._prior

    @property
    def is_normalised(self) -> bool:
        """Whether prior, structural probabilities and tables all sum to one."""
        return self._problem is None

    def flat(self) -> FlatGrammar:
        """The model as weighted rules over numbers (theorem 2): weights are structural times table probabilities.

        A value is named by itself, or "variable=value" if some value's name occurs in several variables (of the same
        kind, latent or observed). Rules that several transitions of a variable share are one rule, their weights added.
        """
        if "flat" not in self.derived:
            self.derived["flat"] = self._flatten()
        return self.derived["flat"]

    def _flatten(self) -> FlatGrammar:
        offsets, count = {}, 0
        for latent in self._variables:
            offsets[latent.name] = count
            count += len(latent.values)
        start = np.zeros(count)
        root = offsets[self._prior[0]]
        start[root : root + len(self._prior[1])] = self._prior[1]
        last = -1
        for terminal in self._terminals:  # terminal t is -1 - t
            offsets[terminal.name] = last
            last -= len(terminal.values)
        rules: dict[tuple[int, ...], float] = {}
        for variable in self._variables:
            for transition in variable.transitions:
                table: SparseTable = transition.table
                places = np.array([offsets[name] for name in (variable.name, *transition.children)])
                numbers = places + np.where(places >= 0, 1, -1) * table.indices
                weights = transition.probability[table.indices[:, 0]] * table.probabilities
                for rule, weight in zip(numbers.tolist(), weights.tolist(), strict=True):
                    if weight > 0:
                        rules[tuple(rule)] = rules.get(tuple(rule), 0.0) + weight
        return FlatGrammar(
            nonterminals=_symbol_names(self._variables),
            terminals=_symbol_names(self._terminals),
            start=start,
            lefts=tuple(rule[0] for rule in rules),
            rights=tuple(rule[1:] for rule in rules),
            weights=np.array(list(rules.values())),
        )

    def sample(
        self, *, seed: int | np.random.Generator, min_length: int = 1, max_length: int | None = None, attempts: int = 100_000
    ) -> tuple[list[str], Tree]:
        """Terminals drawn from the model, and the tree they came from; see `recbayes.discrete.model.sampling`."""
        from recbayes.discrete.model.sampling import sample

        return sample(self.flat(), seed=seed, min_length=min_length, max_length=max_length, attempts=attempts)

    def to_cnf(self) -> "NormalForm":
        """The model in Chomsky normal form, with the way back for its trees; see `recbayes.discrete.model.normal_form`."""
        from recbayes.discrete.model.normal_form import normal_form

        return normal_form(self)

    def __repr__(self) -> str:
        lines = [f"DiscreteRBN(root {self._prior[0]})"]
        for variable in self._variables:
            lines.append(f"  {variable.name} ({len(variable.values)} values)")
            for transition in variable.transitions:
                size = len(transition.table.probabilities)
                lines.append(f"    -> {' '.join(transition.children)} ({size} entries)")
        lines += [f"  {terminal.name} ({len(terminal.values)} values, observed)" for terminal in self._terminals]
        return "\n".join(lines)


def _symbol_names(variables: Sequence[DiscreteVariable | TerminalVariable]) -> tuple[str, ...]:
    names = tuple(value for variable in variables for value in variable.values)
    if len(set(names)) == len(names):
        return names
    return tuple(f"{variable.name}={value}" for variable in variables for value in variable.values)
