"""Gaussian recursive Bayesian networks (section "Gaussian RBNs" of the paper, in the generality recbayes computes).

A model has template variables. From each variable a list of rules leads on, each with a probability:

    split  A -> B C     x_B ~ N(F x_A + f, Q_L),  x_C ~ N(G x_A + g, Q_R)
    emit   A -> y[i:k]  k - i has a length distribution, and each y_j ~ N(H x_A + h, R)

and the root's value comes from a Gaussian, or a mixture of Gaussians. A split may rotate the dimensions of its children
by a random number of steps (the paper's transpositions): one rule with several weighted `shifts`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from recbayes.checks.arrays import covariance, frozen, matrix, number, square, vector, whole_number
from recbayes.errors import ModelError
from recbayes.family.saved import Saved
from recbayes.lengths.lengths import ExactlyOne, Length, OnePlusPoisson, check_probabilities
from recbayes.tree.tree import Tree

Shift = tuple[int, int]
NO_SHIFT: Mapping[Shift, float] = {(0, 0): 1.0}


@dataclass(frozen=True, eq=False)
class Link:
    """How a child's value comes from its parent's: x_child ~ N(map x_parent + offset, covariance).

    `map` None is the identity (after a shift, if the rule has shifts) and `offset` None is zero; both then stay as they
    are when the model is trained. The covariance may be singular or zero: a zero link copies the parent's value.
    """

    covariance: np.ndarray
    map: np.ndarray | None = None
    offset: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Split:
    """A rule A -> left right. `shifts` gives probabilities of rotating (left, right) by so many steps; int means left.

    A validated model holds pairs only, each between zero and the dimension.
    """

    probability: float
    left: str
    right: str
    left_link: Link
    right_link: Link
    shifts: Mapping[Any, float] = field(default_factory=lambda: dict(NO_SHIFT))


@dataclass(frozen=True, eq=False)
class Emit:
    """A rule A -> observations: each is N(map x + offset, covariance); `map` None is the identity."""

    probability: float
    covariance: np.ndarray
    length: Length = field(default_factory=ExactlyOne)
    map: np.ndarray | None = None
    offset: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Variable:
    """A template variable: its name, its dimension, and the rules that lead on from it."""

    name: str
    dim: int
    rules: tuple[Any, ...]  # Splits and Emits; in a LinearGaussianRBN also Branches


@dataclass(frozen=True, eq=False)
class Component:
    """One Gaussian of the prior, possibly spread over shifts (as the music model's prior is over all transpositions)."""

    mean: np.ndarray
    covariance: np.ndarray
    weight: float = 1.0
    shifts: Mapping[Any, float] = field(default_factory=lambda: {0: 1.0})


@dataclass(frozen=True, eq=False)
class Prior:
    """The root: which variable it is and the mixture its value comes from."""

    variable: str
    components: tuple[Component, ...]


@dataclass(frozen=True, eq=False)
class Reference:
    """A broad Gaussian over a variable's values, under which potentials that are flat in different directions are mixed."""

    mean: np.ndarray
    covariance: np.ndarray


class GaussianRBN(Saved):
    """An immutable, validated Gaussian recursive Bayesian network.

    `references`, one per variable, are no part of the distribution but of its approximation, and matter only for series
    with missing entries or emissions that do not show all of a variable. None takes the variable's own distribution, three
    times as wide; training keeps them as they were at the start.
    """

    __slots__ = ("_observed_dim", "_prior", "_references", "_variables", "derived")

    def __init__(
        self,
        variables: tuple[Variable, ...] | list[Variable],
        prior: Prior,
        references: tuple[Reference, ...] | None = None,
    ) -> None:
        dims = checked_dimensions(variables)
        self._variables = tuple(_checked_variable(variable, dims) for variable in variables)
        self._observed_dim = _observed_dimension(self._variables)
        self._prior = checked_prior(prior, dims)
        self._references = None if references is None else _checked_references(references, self._variables)
        self.derived: dict[str, Any] = {}  # what follows from the model and is worth computing once

    @property
    def variables(self) -> tuple[Variable, ...]:
        return self._variables

    @property
    def prior(self) -> Prior:
        return self._prior

    @property
    def references(self) -> tuple[Reference, ...] | None:
        return self._references

    @property
    def observed_dim(self) -> int:
        """The number of columns of an observed series."""
        return self._observed_dim

    @classmethod
    def create(
        cls,
        dim: int,
        *,
        prior_mean: object = 0.0,
        prior_std: object = 1.0,
        left_std: object = 0.1,
        right_std: object = 0.1,
        noise_std: object = 0.1,
        termination: float = 0.5,
        shifts: Mapping[Any, float] | None = None,
        prior_shifts: Mapping[Any, float] | None = None,
        extra_observations: float | None = None,
    ) -> "GaussianRBN":
        """The paper's model: one variable `x` of dimension `dim` that splits into noisy copies of itself or emits.

        Each `*_std` is a standard deviation, one per dimension, or a square-root matrix. `termination` is the
        probability to emit; `extra_observations` the Poisson rate of further observations per leaf (None: exactly one).
        `shifts` are the left child's transpositions with their probabilities, `prior_shifts` those of the prior mean.
        """
        dim = dimension(dim, "dim")
        stop = number(termination, "termination")
        if not 0 <= stop <= 1:
            raise ModelError(f"termination must lie between 0 and 1, got {stop:.6g}")
        split = Split(
            probability=1.0 - stop,
            left="x",
            right="x",
            left_link=Link(square(left_std, dim, "left_std", definite=False)),
            right_link=Link(square(right_std, dim, "right_std", definite=False)),
            shifts=dict(NO_SHIFT) if shifts is None else shifts,
        )
        length: Length = ExactlyOne() if extra_observations is None else OnePlusPoisson(extra_observations)
        emit = Emit(probability=stop, covariance=square(noise_std, dim, "noise_std", definite=True), length=length)
        component = Component(
            mean=vector(prior_mean, dim, "prior_mean"),
            covariance=square(prior_std, dim, "prior_std", definite=True),
            shifts={0: 1.0} if prior_shifts is None else prior_shifts,
        )
        return cls((Variable("x", dim, (split, emit)),), Prior("x", (component,)))

    @classmethod
    def guess(
        cls, series: object, *, shifts: Mapping[Any, float] | None = None, extra_observations: bool = True
    ) -> "GaussianRBN":
        """The paper's model with starting values of the order of the data, for `rb.fit`.

        `series` is one or a list of them. `shifts` are the left child's transpositions with their probabilities;
        `extra_observations` says whether a leaf may have more than one observation.
        """
        from recbayes.checks.series import all_series
        from recbayes.gaussian.model.guess import guess

        return guess(all_series(series), shifts, extra_observations)

    def sample(
        self, *, seed: int | np.random.Generator, min_length: int = 1, max_length: int | None = None, attempts: int = 100_000
    ) -> tuple[np.ndarray, Tree]:
        """A series (N x columns) drawn from the model, and the tree it came from. See `recbayes.gaussian.model.sampling`."""
        from recbayes.gaussian.model.sampling import sample

        return sample(self, seed=seed, min_length=min_length, max_length=max_length, attempts=attempts)

    def __reduce__(self) -> tuple[type, tuple]:
        """Copies and messages to other processes leave out what only follows from the model."""
        return GaussianRBN, (self._variables, self._prior, self._references)

    def __repr__(self) -> str:
        lines = [f"GaussianRBN({self.observed_dim} observed dimensions, root {self.prior.variable})"]
        for variable in self.variables:
            lines.append(f"  {variable.name} (dimension {variable.dim})")
            for rule in variable.rules:
                right_side = f"{rule.left} {rule.right}" if isinstance(rule, Split) else f"observations, {rule.length}"
                lines.append(f"    {rule.probability:.4g}  -> {right_side}")
        return "\n".join(lines)


def checked_dimensions(variables: Sequence[Variable]) -> dict[str, int]:
    """The dimensions of variables by their names."""
    if not variables:
        raise ModelError("variables must not be empty")
    dims: dict[str, int] = {}
    for variable in variables:
        if not isinstance(variable.name, str) or not variable.name:
            raise ModelError(f"a variable's name must be a non-empty string, got {variable.name!r}")
        if variable.name in dims:
            raise ModelError(f"variable {variable.name!r} is defined twice")
        dims[variable.name] = dimension(variable.dim, f"{variable.name}.dim")
    return dims


def _checked_variable(variable: Variable, dims: Mapping[str, int]) -> Variable:
    name = variable.name
    if not variable.rules:
        raise ModelError(f"{name}.rules must not be empty: no value of {name} could ever lead to an observation")
    rules: list[Split | Emit] = []
    for position, rule in enumerate(variable.rules):
        where = f"{name}.rules[{position}]"
        if isinstance(rule, Split):
            rules.append(checked_split(rule, where, dims[name], dims))
        elif isinstance(rule, Emit):
            rules.append(checked_emit(rule, where, dims[name]))
        else:
            raise ModelError(f"{where} must be a Split or an Emit, got {type(rule).__name__}")
    check_probabilities(np.array([rule.probability for rule in rules]), f"{name}: probabilities of the rules")
    return Variable(name, dims[name], tuple(rules))


def checked_split(rule: Split, where: str, dim: int, dims: Mapping[str, int]) -> Split:
    links = []
    for side, child, link in (("left", rule.left, rule.left_link), ("right", rule.right, rule.right_link)):
        if child not in dims:
            raise ModelError(f"{where}.{side} is {child!r}, which is not a variable; there are {sorted(dims)}")
        links.append(checked_link(link, f"{where}.{side}_link", dim, dims[child]))
    shifts: dict[Shift, float] = {}
    for key, weight in _mapping(rule.shifts, f"{where}.shifts").items():
        pair = key if isinstance(key, tuple) else (key, 0)
        if len(pair) != 2:
            raise ModelError(f"{where}.shifts: a shift is a whole number or a pair (left, right), got {key!r}")
        left, right = (whole_number(steps, f"{where}.shifts: a shift") for steps in pair)
        turned = (left % dim, right % dim)
        if turned in shifts:
            raise ModelError(f"{where}.shifts: {key!r} is given twice (steps count modulo the dimension {dim})")
        for steps, link, side in ((turned[0], links[0], "left"), (turned[1], links[1], "right")):
            if steps and link.map is not None:
                raise ModelError(f"{where}.shifts: the {side} link has a map; put the rotation into the map instead")
        shifts[turned] = number(weight, f"{where}.shifts")
    check_probabilities(np.array(list(shifts.values())), f"{where}.shifts: probabilities")
    probability = number(rule.probability, f"{where}.probability")
    return Split(probability, rule.left, rule.right, links[0], links[1], shifts)


def checked_link(link: Link, where: str, dim: int, child_dim: int) -> Link:
    if not isinstance(link, Link):
        raise ModelError(f"{where} must be a Link, got {type(link).__name__}; for a plain covariance use Link(covariance)")
    if link.map is None and child_dim != dim:
        raise ModelError(f"{where}.map is needed: the parent has dimension {dim}, the child {child_dim}")
    return Link(
        covariance=covariance(link.covariance, child_dim, f"{where}.covariance", definite=False),
        map=None if link.map is None else matrix(link.map, (child_dim, dim), f"{where}.map"),
        offset=None if link.offset is None else vector(link.offset, child_dim, f"{where}.offset"),
    )


def checked_emit(rule: Emit, where: str, dim: int) -> Emit:
    if not isinstance(rule.length, Length):
        raise ModelError(f"{where}.length must be ExactlyOne, OnePlusPoisson or LengthTable, got {rule.length!r}")
    map_ = None if rule.map is None else frozen(rule.map, f"{where}.map")
    if map_ is not None and (map_.ndim != 2 or not len(map_) or map_.shape[1] != dim):
        raise ModelError(f"{where}.map must have shape (observed dimensions, {dim}), got {map_.shape}")
    size = dim if map_ is None else len(map_)
    return Emit(
        probability=number(rule.probability, f"{where}.probability"),
        covariance=covariance(rule.covariance, size, f"{where}.covariance", definite=True),
        length=rule.length,
        map=map_,
        offset=None if rule.offset is None else vector(rule.offset, size, f"{where}.offset"),
    )


def checked_prior(prior: Prior, dims: Mapping[str, int]) -> Prior:
    if prior.variable not in dims:
        raise ModelError(f"prior.variable is {prior.variable!r}, which is not a variable; there are {sorted(dims)}")
    if not prior.components:
        raise ModelError("prior.components must not be empty")
    dim = dims[prior.variable]
    components = []
    for position, component in enumerate(prior.components):
        where = f"prior.components[{position}]"
        shifts = {
            whole_number(steps, f"{where}.shifts: a shift") % dim: number(weight, f"{where}.shifts")
            for steps, weight in _mapping(component.shifts, f"{where}.shifts").items()
        }
        if len(shifts) < len(component.shifts):
            raise ModelError(f"{where}.shifts: one shift is given twice (steps count modulo the dimension {dim})")
        check_probabilities(np.array(list(shifts.values())), f"{where}.shifts: probabilities")
        components.append(
            Component(
                mean=vector(component.mean, dim, f"{where}.mean"),
                covariance=covariance(component.covariance, dim, f"{where}.covariance", definite=True),
                weight=number(component.weight, f"{where}.weight"),
                shifts=shifts,
            )
        )
    check_probabilities(np.array([component.weight for component in components]), "prior.components: weights")
    return Prior(prior.variable, tuple(components))


def _checked_references(references: tuple[Reference, ...], variables: tuple[Variable, ...]) -> tuple[Reference, ...]:
    if len(references) != len(variables):
        raise ModelError(f"references must be one per variable ({len(variables)}), got {len(references)}")
    return tuple(
        Reference(
            vector(reference.mean, variable.dim, f"references: mean for {variable.name}"),
            covariance(reference.covariance, variable.dim, f"references: covariance for {variable.name}", definite=True),
        )
        for reference, variable in zip(references, variables, strict=True)
    )


def _observed_dimension(variables: tuple[Variable, ...]) -> int:
    sizes = {
        f"{variable.name}.rules[{position}]": len(rule.covariance)
        for variable in variables
        for position, rule in enumerate(variable.rules)
        if isinstance(rule, Emit)
    }
    if not sizes:
        raise ModelError("no variable has an Emit rule, so the model cannot produce observations")
    if len(set(sizes.values())) > 1:
        raise ModelError(f"all Emit rules must produce observations of one dimension, got {sizes}")
    return next(iter(sizes.values()))


def dimension(value: object, name: str) -> int:
    dim = whole_number(value, name)
    if dim < 1:
        raise ModelError(f"{name} must be a positive whole number, got {value!r}")
    return dim


def _mapping(value: object, name: str) -> Mapping[Any, Any]:
    if not isinstance(value, Mapping):
        raise ModelError(f"{name} must map steps to probabilities, such as {{0: 0.5, 1: 0.5}}, got {value!r}")
    return value
