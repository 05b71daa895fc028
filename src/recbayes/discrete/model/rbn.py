"""Discrete recursive Bayesian networks: template variables with finitely many values.

A value of a variable leads on by one of the variable's transitions, which the structural distribution p(z | x) chooses,
and the transition's table p(children | x) says to which values of which other variables. Children may be latent or
observed, in any number and mix. Values and transitions together are the rules of a grammar (`flat`).
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from recbayes.checks.arguments import choice, listed
from recbayes.checks.kept import kept
from recbayes.discrete.model.chain import check_chain
from recbayes.discrete.model.flat import Discrete, FlatGrammar
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
from recbayes.family.chain import Chain, chain_from_data, chain_to_data, checked_chain
from recbayes.family.saved import Saved
from recbayes.tree.tree import Tree

if TYPE_CHECKING:
    from recbayes.convert.general import RBN
    from recbayes.discrete.model.normal_form import NormalForm


class DiscreteRBN(Saved, Discrete):
    """An immutable, validated discrete RBN.

    Structural probabilities, tables and prior must sum to one, unless weights are kept. Either way every value must have
    some way on.

    Arguments:
        variables: latent variables, each with its transitions.
        terminals: observed variables.
        prior: the root's variable and the probabilities of its values.
        weights: "check", or "keep" for a weighted model, whose probabilities need not sum to one.
        chain: says that the model is a chain, and which variables are its states and what shows them; it is then checked to
            be one. None says nothing.
    """

    __slots__ = ("_chain", "_prior", "_problem", "_terminals", "_variables")

    format = "recbayes.DiscreteRBN"

    def __init__(
        self,
        variables: Iterable[DiscreteVariable],
        terminals: Iterable[TerminalVariable],
        prior: tuple[str, Any],
        weights: Literal["check", "keep"] = "check",
        chain: Chain | None = None,
    ) -> None:
        variables = tuple(listed(variables, "variables", "DiscreteVariables", ModelError))
        terminals = tuple(listed(terminals, "terminals", "TerminalVariables", ModelError))
        if not variables or not terminals:
            raise ModelError("a discrete RBN needs at least one latent and one terminal variable")
        choice(weights, ("check", "keep"), "weights")
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
        self._chain = None if chain is None else checked_chain(chain)
        if self._chain is not None:
            check_chain(self._chain, self._variables, self._terminals, self._prior[0])

    @property
    def variables(self) -> tuple[DiscreteVariable, ...]:
        """The latent variables, validated."""
        return self._variables

    @property
    def terminals(self) -> tuple[TerminalVariable, ...]:
        """The observed variables, validated."""
        return self._terminals

    @property
    def prior(self) -> tuple[str, np.ndarray]:
        """The root's variable, and the probabilities of its values."""
        return self._prior

    @property
    def chain(self) -> Chain | None:
        return self._chain

    @property
    def is_normalised(self) -> bool:
        """Whether prior, structural probabilities and tables all sum to one."""
        return self._problem is None

    def flat(self) -> FlatGrammar:
        """The model as weighted rules over numbers (theorem 2): weights are structural times table probabilities.

        A value is named by itself, or "variable=value" if some value's name occurs in several variables (of the same
        kind, latent or observed). Rules that several transitions of a variable share are one rule, their weights added.
        """
        return _flat(self)

    def sample(
        self, *, seed: int | np.random.Generator, min_length: int = 1, max_length: int | None = None, attempts: int = 100_000
    ) -> tuple[list[str], Tree]:
        """Terminals drawn from the model, and the tree they came from.

        Arguments:
            seed: a whole number or a `numpy.random.Generator`.
            min_length: the fewest terminals; trees of other lengths are drawn anew.
            max_length: the most. None is no limit.
            attempts: how many trees are drawn, before there is a `LengthError`.
        """
        from recbayes.discrete.model.sampling import sample

        return sample(self.flat(), seed=seed, min_length=min_length, max_length=max_length, attempts=attempts)

    def to_cnf(self) -> "NormalForm":
        """The model in Chomsky normal form, with the way back for its trees; see `recbayes.discrete.model.normal_form`."""
        from recbayes.discrete.model.normal_form import normal_form

        return normal_form(self)

    def to_general(self) -> "RBN":
        """The same distribution as a general model, whose densities JAX computes; see `recbayes.convert.general`."""
        from recbayes.convert.general import discrete_to_general

        return discrete_to_general(self)

    def to_data(self) -> dict[str, Any]:
        return {
            "normalised": self.is_normalised,
            "prior": {"variable": self._prior[0], "probabilities": self._prior[1].tolist()},
            "variables": [variable.to_data() for variable in self._variables],
            "terminals": [{"name": one.name, "values": list(one.values)} for one in self._terminals],
            **chain_to_data(self._chain),
        }

    @classmethod
    def from_data(cls, document: dict[str, Any]) -> Self:
        variables = [DiscreteVariable.from_data(one) for one in document["variables"]]
        terminals = [TerminalVariable(one["name"], one["values"]) for one in document["terminals"]]
        prior = (document["prior"]["variable"], document["prior"]["probabilities"])
        weights: Literal["check", "keep"] = "check" if document["normalised"] else "keep"
        return cls(variables, terminals, prior, weights, chain_from_data(document))

    def _repr_html_(self) -> str:
        from recbayes.discrete.model.shown import discrete_to_html

        return discrete_to_html(self)

    def __repr__(self) -> str:
        lines = [f"DiscreteRBN(root {self._prior[0]})"]
        for variable in self._variables:
            lines.append(f"  {variable.name} ({len(variable.values)} values)")
            for transition in variable.transitions:
                size = len(transition.table.probabilities)
                lines.append(f"    -> {' '.join(transition.children)} ({size} entries)")
        lines += [f"  {terminal.name} ({len(terminal.values)} values, observed)" for terminal in self._terminals]
        return "\n".join(lines)


@kept
def _flat(model: DiscreteRBN) -> FlatGrammar:
    offsets, count = {}, 0
    for latent in model.variables:
        offsets[latent.name] = count
        count += len(latent.values)
    start = np.zeros(count)
    root = offsets[model.prior[0]]
    start[root : root + len(model.prior[1])] = model.prior[1]
    last = -1
    for terminal in model.terminals:  # terminal t is -1 - t
        offsets[terminal.name] = last
        last -= len(terminal.values)
    rules: dict[tuple[int, ...], float] = {}
    for variable in model.variables:
        for transition in variable.transitions:
            table: SparseTable = transition.table
            places = np.array([offsets[name] for name in (variable.name, *transition.children)])
            numbers = places + np.where(places >= 0, 1, -1) * table.indices
            weights = transition.probability[table.indices[:, 0]] * table.probabilities
            for rule, weight in zip(numbers.tolist(), weights.tolist(), strict=True):
                if weight > 0:
                    rules[tuple(rule)] = rules.get(tuple(rule), 0.0) + weight
    return FlatGrammar(
        nonterminals=_symbol_names(model.variables),
        terminals=_symbol_names(model.terminals),
        start=start,
        lefts=tuple(rule[0] for rule in rules),
        rights=tuple(rule[1:] for rule in rules),
        weights=np.array(list(rules.values())),
    )


def _symbol_names(variables: Sequence[DiscreteVariable | TerminalVariable]) -> tuple[str, ...]:
    names = tuple(value for variable in variables for value in variable.values)
    if len(set(names)) == len(names):
        return names
    return tuple(f"{variable.name}={value}" for variable in variables for value in variable.values)
