"""The quantities of a Gaussian RBN that can be free: reading them, replacing them, and their derivatives.

Lengths and emissions list their own; rules, links and the prior are here. Quantities of rules that are never used are left
out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from recbayes.checks.series import Series
from recbayes.gaussian.chart.gradient import ModelGradient
from recbayes.gaussian.chart.references import references_of
from recbayes.gaussian.chart.tables import LEFT, RIGHT
from recbayes.gaussian.emissions.emission import Emission, length_slopes
from recbayes.gaussian.emissions.emit import Emit
from recbayes.gaussian.learn.units import Units
from recbayes.gaussian.model.parts import Component, Link, Prior, Split, Variable
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.parameters.quantity import Quantity, Slopes, Values, below

SIDES = ("left", LEFT), ("right", RIGHT)


def quantities(model: GaussianRBN) -> list[Quantity]:
    """Every quantity of a model that can be free."""
    numbers = {variable.name: number for number, variable in enumerate(model.variables)}
    found = [Quantity("prior.weights", "probabilities", [component.weight for component in model.prior.components])]
    for c, component in enumerate(model.prior.components):
        found += _of_component(component, f"prior.components[{c}]", numbers)
    for v, variable in enumerate(model.variables):
        found.append(Quantity(f"{variable.name}.rules", "probabilities", [rule.probability for rule in variable.rules]))
        for r, rule in enumerate(variable.rules):
            place = f"{variable.name}.rules[{r}]"
            if rule.probability > 0:
                found += _of_rule(rule, place, v, numbers)
    return found


def _of_component(component: Component, place: str, numbers: dict[str, int]) -> Iterator[Quantity]:
    def of_root(units: Units) -> np.ndarray:
        assert component.variable is not None
        return units.variables[numbers[component.variable]]

    yield Quantity(f"{place}.shifts", "probabilities", list(component.shifts.values()))
    yield Quantity(f"{place}.mean", "numbers", component.mean, of_root)
    yield Quantity(f"{place}.covariance", "covariance", component.covariance, of_root)


def _of_rule(rule: Split | Emission, place: str, v: int, numbers: dict[str, int]) -> Iterator[Quantity]:
    if isinstance(rule, Emission):
        yield from (quantity.within(place) for quantity in rule.quantities(v))
        yield from (quantity.within(f"{place}.length") for quantity in rule.length.quantities())
        return
    yield Quantity(f"{place}.shifts", "probabilities", list(rule.shifts.values()))
    yield from _of_link(rule.left_link, f"{place}.left_link", f"{place}.links.covariance", v, numbers[rule.left])
    yield from _of_link(rule.right_link, f"{place}.right_link", f"{place}.links.covariance", v, numbers[rule.right])


def _of_link(link: Link, place: str, tie: str, v: int, child: int) -> Iterator[Quantity]:
    def of_child(units: Units) -> np.ndarray:
        return units.variables[child]

    def of_map(units: Units) -> np.ndarray:
        return (units.variables[child][:, None] / units.variables[v]).ravel()

    yield Quantity(f"{place}.covariance", "covariance", link.covariance, of_child, tie)
    yield Quantity(f"{place}.map", "numbers", link.map, of_map)
    yield Quantity(f"{place}.offset", "numbers", link.offset, of_child)


def replaced(model: GaussianRBN, values: Values) -> GaussianRBN:
    """The model with some quantities replaced."""
    weights = values.get("prior.weights", [component.weight for component in model.prior.components])
    components = tuple(
        _component(component, weights[c], below(f"prior.components[{c}]", values))
        for c, component in enumerate(model.prior.components)
    )
    variables = []
    for variable in model.variables:
        chances = values.get(f"{variable.name}.rules", [rule.probability for rule in variable.rules])
        rules = tuple(
            _rule(rule, chances[r], below(f"{variable.name}.rules[{r}]", values)) for r, rule in enumerate(variable.rules)
        )
        variables.append(Variable(variable.name, variable.dim, rules))
    return GaussianRBN(tuple(variables), Prior(model.prior.variable, components), references_of(model), model.chain)


def _component(component: Component, weight: float, values: dict[str, Any]) -> Component:
    return replace(component, weight=weight, **_with_shifts(component.shifts, values))


def _with_shifts(shifts: Any, values: dict[str, Any]) -> dict[str, Any]:
    """Probabilities of shifts go with their shifts."""
    if "shifts" not in values:
        return values
    return {**values, "shifts": dict(zip(shifts, values["shifts"], strict=True))}


def _rule(rule: Split | Emission, probability: float, values: dict[str, Any]) -> Split | Emission:
    if isinstance(rule, Emission):
        length = rule.length.replaced(below("length", values))
        own = {name: value for name, value in values.items() if "." not in name}
        return rule.replaced({**own, "probability": probability, "length": length})
    return replace(
        rule,
        probability=probability,
        left_link=replace(rule.left_link, **below("left_link", values)),
        right_link=replace(rule.right_link, **below("right_link", values)),
        shifts=_with_shifts(rule.shifts, values).get("shifts", rule.shifts),
    )


def slopes(model: GaussianRBN, gradient: ModelGradient) -> Slopes:
    """The derivatives by the same names; probabilities by their logarithms, 0 for those that are zero."""
    found: dict[str, Any] = {"prior.weights": np.array([one.log_weight for one in gradient.prior])}
    for c, (component, one) in enumerate(zip(model.prior.components, gradient.prior, strict=True)):
        place = f"prior.components[{c}]"
        found[f"{place}.shifts"] = np.array([one.shifts.get(steps, 0.0) for steps in component.shifts])
        found[f"{place}.mean"] = one.mean
        found[f"{place}.covariance"] = one.covariance
    for v, variable in enumerate(model.variables):
        found[f"{variable.name}.rules"] = np.array([gradient.rules.get((v, r), 0.0) for r in range(len(variable.rules))])
        for r, rule in enumerate(variable.rules):
            place = f"{variable.name}.rules[{r}]"
            if rule.probability > 0:
                found |= {f"{place}.{name}": slope for name, slope in _rule_slopes(rule, v, r, gradient)}
    return found


def _rule_slopes(rule: Split | Emission, v: int, r: int, gradient: ModelGradient) -> Iterator[tuple[str, Any]]:
    if isinstance(rule, Emission):
        yield from gradient.emits[v, r].items()
        yield from length_slopes(rule, gradient.lengths[v, r]).items()
        return
    by_shift = gradient.shifts[v, r]
    yield "shifts", np.array([by_shift.get(shift, 0.0) for shift in rule.shifts])
    for name, side in SIDES:
        link = gradient.links[v, r, side]
        yield f"{name}_link.covariance", link.covariance
        yield f"{name}_link.map", link.map
        yield f"{name}_link.offset", link.offset


def idle(model: GaussianRBN, sequences: Sequence[Series]) -> tuple[str, ...]:
    """Names of quantities that do nothing, as all series have noise of their own."""
    if any(series.noise_covariance is None for series in sequences):
        return ()
    return tuple(
        f"{variable.name}.rules[{r}].covariance"
        for variable in model.variables
        for r, rule in enumerate(variable.rules)
        if isinstance(rule, Emit) and rule.noise_factor is None
    )


def chain_ties(model: GaussianRBN) -> tuple[tuple[str, ...], ...]:
    """In a chain, the last observation is like all others: what is one quantity there, as far as it is equal."""
    if model.chain is None:
        return ()
    state, shown = model.variables
    last, others = len(state.rules) - 1, 0
    ours = {one.name: one.value for one in state.rules[last].quantities(0)}
    theirs = {one.name: one.value for one in shown.rules[others].quantities(1)}
    return tuple(
        (f"{state.name}.rules[{last}].{name}", f"{shown.name}.rules[{others}].{name}")
        for name, value in ours.items()
        if value is not None and theirs.get(name) is not None and np.array_equal(value, theirs[name])
    )
