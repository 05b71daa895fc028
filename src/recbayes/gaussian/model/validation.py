"""The checks that turn what users give into what Gaussian models hold."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from recbayes.checks.arguments import instance, listed
from recbayes.checks.arrays import check_probabilities, covariance, matrix, number, short, vector, whole_number
from recbayes.errors import ModelError
from recbayes.gaussian.emissions.emission import Emission
from recbayes.gaussian.model.parts import Component, Link, Prior, Reference, Shift, Split, Variable

LARGEST = 10_000  # dimensions of a variable: the chart of a longer one fits into no memory


def checked_dimensions(variables: Sequence[Variable]) -> dict[str, int]:
    """The dimensions of variables by their names."""
    if not len(variables):
        raise ModelError("variables must not be empty")
    dims: dict[str, int] = {}
    for position, variable in enumerate(variables):
        instance(variable, Variable, f"variables[{position}]", error=ModelError)
        if not isinstance(variable.name, str) or not variable.name:
            raise ModelError(f"a variable's name must be a non-empty string, got {variable.name!r}")
        if variable.name in dims:
            raise ModelError(f"variable {variable.name!r} is defined twice")
        dims[variable.name] = dimension(variable.dim, f"{variable.name}.dim")
    return dims


def checked_variable(variable: Variable, dims: Mapping[str, int]) -> Variable:
    name = variable.name
    rules: list[Split | Emission] = []
    for position, rule in enumerate(listed_rules(variable)):
        where = f"{name}.rules[{position}]"
        if isinstance(rule, Split):
            rules.append(checked_split(rule, where, dims[name], dims))
        elif isinstance(rule, Emission):
            rules.append(rule.checked(where, dims[name]))
        else:
            raise ModelError(f"{where} must be a Split, an Emit or a Leaf, got {type(rule).__name__}")
    check_probabilities(np.array([rule.probability for rule in rules]), f"{name}: probabilities of the rules")
    return Variable(name, dims[name], tuple(rules))


def listed_rules(variable: Variable) -> list[Any]:
    """The rules of a variable, which has some."""
    name = variable.name
    rules = listed(variable.rules, f"{name}.rules", "rules", ModelError)
    if not rules:
        raise ModelError(f"{name}.rules must not be empty: no value of {name} could ever lead to an observation")
    return rules


def checked_split(rule: Split, where: str, dim: int, dims: Mapping[str, int]) -> Split:
    links = []
    for side, child, link in (("left", rule.left, rule.left_link), ("right", rule.right, rule.right_link)):
        known_variable(child, dims, f"{where}.{side}")
        links.append(checked_link(link, f"{where}.{side}_link", dim, dims[child]))
    shifts: dict[Shift, float] = {}
    for key, weight in _mapping(rule.shifts, f"{where}.shifts").items():
        pair = key if isinstance(key, tuple) else (key, 0)
        if len(pair) != 2:
            raise ModelError(f"{where}.shifts: a shift is a whole number or a pair (left, right), got {key!r}")
        left, right = (whole_number(steps, f"{where}.shifts: a shift") for steps in pair)
        wrapped = (left % dim, right % dim)
        if wrapped in shifts:
            raise ModelError(f"{where}.shifts: {key!r} is given twice (steps count modulo the dimension {dim})")
        for steps, link, side in ((wrapped[0], links[0], "left"), (wrapped[1], links[1], "right")):
            if steps and link.map is not None:
                raise ModelError(f"{where}.shifts: the {side} link has a map; put the shift into the map instead")
        shifts[wrapped] = number(weight, f"{where}.shifts")
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


def checked_prior(prior: Prior, dims: Mapping[str, int]) -> Prior:
    instance(prior, Prior, "prior", error=ModelError)
    known_variable(prior.variable, dims, "prior.variable")
    given = listed(prior.components, "prior.components", "Components", ModelError)
    if not given:
        raise ModelError("prior.components must not be empty")
    components = []
    for position, component in enumerate(given):
        where = f"prior.components[{position}]"
        instance(component, Component, where, error=ModelError)
        variable = prior.variable if component.variable is None else component.variable
        known_variable(variable, dims, f"{where}.variable")
        dim = dims[variable]
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
                variable=variable,
            )
        )
    check_probabilities(np.array([component.weight for component in components]), "prior.components: weights")
    return Prior(prior.variable, tuple(components))


def checked_references(references: tuple[Reference, ...], variables: tuple[Variable, ...]) -> tuple[Reference, ...]:
    given = listed(references, "references", "means and covariances, one for each variable", ModelError)
    if len(given) != len(variables):
        raise ModelError(f"references must be one per variable ({len(variables)}), got {len(given)}")
    for position, one in enumerate(given):
        if not hasattr(one, "mean") or not hasattr(one, "covariance"):
            raise ModelError(f"references[{position}] must have a mean and a covariance, got {short(one)}")
    return tuple(
        Reference(
            vector(reference.mean, variable.dim, f"references: mean for {variable.name}"),
            covariance(reference.covariance, variable.dim, f"references: covariance for {variable.name}", definite=True),
        )
        for reference, variable in zip(given, variables, strict=True)
    )


def known_variable(name: object, dims: Mapping[str, int], where: str) -> None:
    """An error if there is no variable of this name."""
    if not isinstance(name, str) or name not in dims:
        raise ModelError(f"{where} is {short(name)}, which is not a variable; there are {sorted(dims)}")


def observed_dimension(variables: tuple[Variable, ...]) -> int:
    sizes = {
        f"{variable.name}.rules[{position}]": rule.columns
        for variable in variables
        for position, rule in enumerate(variable.rules)
        if isinstance(rule, Emission)
    }
    if not sizes:
        raise ModelError("no variable has an Emit rule, so the model cannot produce observations")
    if len(set(sizes.values())) > 1:
        raise ModelError(f"all Emit rules must produce observations of one dimension, got {sizes}")
    return next(iter(sizes.values()))


def dimension(value: object, name: str) -> int:
    found = whole_number(value, name, least=1)
    if found > LARGEST:
        raise ModelError(f"{name} must be at most {LARGEST}, got {short(found)}")
    return found


def _mapping(value: object, name: str) -> Mapping[Any, Any]:
    if not isinstance(value, Mapping):
        raise ModelError(f"{name} must map steps to probabilities, such as {{0: 0.5, 1: 0.5}}, got {value!r}")
    return value
