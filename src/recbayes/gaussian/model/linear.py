"""Linear Gaussian RBNs: rules of any arity over any mix of variables and observations.

Beside the rules of a `GaussianRBN` (splits and emissions), a variable may have branches,

    branch  A -> X_1 ... X_n    x_i ~ N(F_i x_A + f_i, Q_i) or y_i ~ N(H_i x_A + h_i, R_i), independent given x_A

with a variable or a single observation in every place. A branch with one variable is a unary rule: it changes the variable,
or only its value, and leads on over the same span; unary rules may form cycles. No chart runs such a model directly:
`to_cnf` writes it in the binary normal form that `GaussianRBN` is.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from recbayes.checks.arguments import listed
from recbayes.checks.arrays import check_probabilities, number
from recbayes.errors import ModelError
from recbayes.family.saved import Saved
from recbayes.gaussian.emissions.emission import Emission
from recbayes.gaussian.emissions.emit import Emit
from recbayes.gaussian.model import data
from recbayes.gaussian.model.naming import rule_name
from recbayes.gaussian.model.parts import Link, Prior, Split, Variable, affine_from_data, affine_to_data
from recbayes.gaussian.model.validation import (
    checked_dimensions,
    checked_link,
    checked_prior,
    checked_split,
    known_variable,
    listed_rules,
)
from recbayes.tree.tree import Tree

if TYPE_CHECKING:
    from recbayes.gaussian.linear_family import LinearFamily
    from recbayes.gaussian.model.normal_form import NormalForm

OBSERVED = "observe"  # the rule of a leaf that stands for one observed child of a branch; it has no label


@dataclass(frozen=True, eq=False)
class Observe:
    """An observed child of a branch: one observation from N(map x + offset, covariance).

    Arguments:
        covariance: a positive definite matrix.
        map: a matrix (columns, dimensions of the variable). None is the identity.
        offset: a vector. None is zero.
    """

    covariance: np.ndarray
    map: np.ndarray | None = None
    offset: np.ndarray | None = None


Child = tuple[str, Link] | Observe


@dataclass(frozen=True, eq=False)
class Branch:
    """A rule A -> children, of any number and kind.

    Arguments:
        probability: of the rule, among those of its variable.
        children: one or more, from left to right: (name of a variable, `Link`) pairs and `Observe`s.
    """

    probability: float
    children: tuple[Child, ...]

    def to_data(self) -> dict[str, Any]:
        """The branch as plain data."""
        return {"branch": [_child_to_data(child) for child in self.children], "probability": self.probability}


Rule = Split | Emission | Branch


class LinearGaussianRBN(Saved):
    """An immutable, validated RBN whose rules are branches, splits and emissions.

    Arguments:
        variables: those of a `GaussianRBN`, with `Branch`es among their rules, so that `LinearGaussianRBN(model.variables,
            model.prior)` is any Gaussian RBN again.
        prior: the root and the distribution of its value; there is one root.
    """

    __slots__ = ("_observed_dim", "_prior", "_variables")

    format = "recbayes.LinearGaussianRBN"

    def __init__(self, variables: tuple[Variable, ...] | list[Variable], prior: Prior) -> None:
        variables = listed(variables, "variables", "Variables", ModelError)
        dims = checked_dimensions(variables)
        self._variables = tuple(_checked_variable(variable, dims) for variable in variables)
        self._observed_dim = _observed_dimension(self._variables)
        self._prior = checked_prior(prior, dims)
        if len(roots := list(self._prior.weights_of_roots)) > 1:
            raise ModelError(f"prior: there is one root, got {roots}; give a root of its own, with a unary Branch to each")

    @property
    def family(self) -> "LinearFamily":
        """What is done with models of this kind: every verb is sent to the normal form."""
        from recbayes.gaussian.linear_family import LINEAR

        return LINEAR

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The template variables, validated."""
        return self._variables

    @property
    def prior(self) -> Prior:
        """The root, and the distribution of its value."""
        return self._prior

    @property
    def observed_dim(self) -> int:
        """The number of columns of an observed series."""
        return self._observed_dim

    def sample(
        self, *, seed: int | np.random.Generator, min_length: int = 1, max_length: int | None = None, attempts: int = 100_000
    ) -> tuple[np.ndarray, Tree]:
        """A series (N x columns) and the tree it came from; a branch's observed children are leaves without a label.

        Arguments:
            seed: a whole number or a `numpy.random.Generator`.
            min_length: the fewest observations; trees of other lengths are drawn anew.
            max_length: the most. None is no limit.
            attempts: how many trees are drawn, before there is a `LengthError`.
        """
        from recbayes.gaussian.model.linear_sampling import sample

        return sample(self, seed=seed, min_length=min_length, max_length=max_length, attempts=attempts)

    def to_cnf(self, cycle_tolerance: float = 1e-9) -> "NormalForm":
        """The model with binary splits and emissions only, and the way back for its trees: a `NormalForm`.

        Arguments:
            cycle_tolerance: cycles of unary rules are followed until the probability to go on is at most this.
        """
        from recbayes.gaussian.model.normal_form import normal_form

        return normal_form(self, cycle_tolerance)

    def to_data(self) -> dict[str, Any]:
        return {"prior": data.prior_to_data(self._prior), "variables": data.variables_to_data(self._variables)}

    @classmethod
    def from_data(cls, document: dict[str, Any]) -> Self:
        variables = [
            Variable(one["name"], one["dim"], tuple(_rule_from_data(rule) for rule in one["rules"]))
            for one in document["variables"]
        ]
        return cls(variables, data.prior_from_data(document["prior"]))

    def _repr_html_(self) -> str:
        from recbayes.gaussian.model.shown import model_to_html

        return model_to_html(self)

    def __repr__(self) -> str:
        lines = [f"LinearGaussianRBN({self.observed_dim} observed dimensions, root {self.prior.variable})"]
        for variable in self.variables:
            lines.append(f"  {variable.name} (dimension {variable.dim})")
            lines += [f"    {rule.probability:.4g}  -> {_right_side(rule)}" for rule in variable.rules]
        return "\n".join(lines)


def name_of_rule(variable: Variable, position: int, shift: tuple[int, int] = (0, 0)) -> str:
    """As trees show it: "branch", numbered where the variable has several, or the name of a split or an emission."""
    if not isinstance(variable.rules[position], Branch):
        return rule_name(variable, position, shift)
    alike = [place for place, rule in enumerate(variable.rules) if isinstance(rule, Branch)]
    return "branch" if len(alike) == 1 else f"branch {alike.index(position) + 1}"


def unary_child(rule: Rule) -> tuple[str, Link] | None:
    """The one child of a unary rule and how its value comes about; None for rules of any other kind."""
    if isinstance(rule, Branch) and len(rule.children) == 1 and not isinstance(rule.children[0], Observe):
        return rule.children[0]
    return None


def children_of(rule: Split | Branch) -> tuple[Child, ...]:
    """The children of a rule from left to right, leaving out shifts."""
    if isinstance(rule, Branch):
        return rule.children
    return (rule.left, rule.left_link), (rule.right, rule.right_link)


def _right_side(rule: Rule) -> str:
    if isinstance(rule, Emission):
        return f"observations, {rule.length}"
    return " ".join("y" if isinstance(child, Observe) else child[0] for child in children_of(rule))


def _checked_variable(variable: Variable, dims: Mapping[str, int]) -> Variable:
    name, dim = variable.name, dims[variable.name]
    rules: list[Rule] = []
    for position, rule in enumerate(listed_rules(variable)):
        where = f"{name}.rules[{position}]"
        if isinstance(rule, Branch):
            rules.append(_checked_branch(rule, where, dim, dims))
        elif isinstance(rule, Split):
            rules.append(checked_split(rule, where, dim, dims))
        elif isinstance(rule, Emission):
            rules.append(rule.checked(where, dim))
        else:
            raise ModelError(f"{where} must be a Branch, a Split or an Emit, got {type(rule).__name__}")
    check_probabilities(np.array([rule.probability for rule in rules]), f"{name}: probabilities of the rules")
    return Variable(name, dim, tuple(rules))


def _checked_branch(rule: Branch, where: str, dim: int, dims: Mapping[str, int]) -> Branch:
    if not isinstance(rule.children, tuple | list) or not rule.children:
        raise ModelError(f"{where}.children must be one or more (name, Link) pairs and Observes, got {rule.children!r}")
    children: list[Child] = []
    for position, child in enumerate(rule.children):
        here = f"{where}.children[{position}]"
        if isinstance(child, Observe):
            emit = Emit(1.0, child.covariance, map=child.map, offset=child.offset).checked(here, dim)
            children.append(Observe(emit.covariance, emit.map, emit.offset))
        elif isinstance(child, tuple) and len(child) == 2:
            name, link = child
            known_variable(name, dims, here)
            children.append((name, checked_link(link, f"{here}: link", dim, dims[name])))
        else:
            raise ModelError(f"{here} must be a (name, Link) pair or an Observe, got {child!r}")
    return Branch(number(rule.probability, f"{where}.probability"), tuple(children))


def _observed_dimension(variables: tuple[Variable, ...]) -> int:
    sizes: dict[str, int] = {}
    for variable in variables:
        for position, rule in enumerate(variable.rules):
            where = f"{variable.name}.rules[{position}]"
            if isinstance(rule, Emission):
                sizes[where] = rule.columns
            elif isinstance(rule, Branch):
                observed = {n: child for n, child in enumerate(rule.children) if isinstance(child, Observe)}
                sizes |= {f"{where}.children[{n}]": len(child.covariance) for n, child in observed.items()}
    if not sizes:
        raise ModelError("no rule has an Emit or an Observe, so the model cannot produce observations")
    if len(set(sizes.values())) > 1:
        raise ModelError(f"all observations must have one dimension, got {sizes}")
    return next(iter(sizes.values()))


def _rule_from_data(one: dict[str, Any]) -> Rule:
    if "branch" in one:
        return Branch(one["probability"], tuple(_child_from_data(child) for child in one["branch"]))
    return data.rule_from_data(one)


def _child_to_data(child: Child) -> dict[str, Any]:
    if isinstance(child, Observe):
        return affine_to_data(child)
    return {"variable": child[0], **affine_to_data(child[1])}


def _child_from_data(one: dict[str, Any]) -> Child:
    if "variable" in one:
        return one["variable"], Link(**affine_from_data(one))  # type: ignore[arg-type]
    return Observe(**affine_from_data(one))  # type: ignore[arg-type]
