"""The quantities of a model that can be free, by their paths: reading them, replacing them, and their derivatives."""

from dataclasses import replace
from typing import Any

import numpy as np

from recbayes.gaussian.chart.gradient import ModelGradient
from recbayes.gaussian.chart.references import references_of
from recbayes.gaussian.chart.tables import LEFT, RIGHT
from recbayes.gaussian.model.rbn import Component, Emit, GaussianRBN, Prior, Split, Variable
from recbayes.lengths.lengths import LengthTable, OnePlusPoisson

Path = tuple[Any, ...]


def read_quantities(model: GaussianRBN) -> dict[Path, Any]:
    """Every quantity of a model that can be free, by its path."""
    values: dict[Path, Any] = {("weights",): [component.weight for component in model.prior.components]}
    for c, component in enumerate(model.prior.components):
        values["prior shifts", c] = list(component.shifts.values())
        values["prior mean", c] = component.mean
        values["prior covariance", c] = component.covariance
    for v, variable in enumerate(model.variables):
        values["rules", v] = [rule.probability for rule in variable.rules]
        for r, rule in enumerate(variable.rules):
            if isinstance(rule, Split):
                values["shifts", v, r] = list(rule.shifts.values())
                for side, link in ((LEFT, rule.left_link), (RIGHT, rule.right_link)):
                    values["covariance", v, r, side] = link.covariance
                    values["map", v, r, side] = link.map
                    values["offset", v, r, side] = link.offset
            else:
                values["emit covariance", v, r] = rule.covariance
                values["emit map", v, r] = rule.map
                values["emit offset", v, r] = rule.offset
                if isinstance(rule.length, OnePlusPoisson):
                    values["rate", v, r] = rule.length.rate
                elif isinstance(rule.length, LengthTable):
                    values["lengths", v, r] = list(rule.length.probabilities)
    return values


def write_quantities(model: GaussianRBN, values: dict[Path, Any]) -> GaussianRBN:
    """The model with some quantities replaced."""
    full = {**read_quantities(model), **values}
    components = tuple(
        Component(
            mean=full["prior mean", c],
            covariance=full["prior covariance", c],
            weight=full["weights",][c],
            shifts=dict(zip(component.shifts, full["prior shifts", c], strict=True)),
        )
        for c, component in enumerate(model.prior.components)
    )
    variables = []
    for v, variable in enumerate(model.variables):
        rules: list[Split | Emit] = []
        for r, rule in enumerate(variable.rules):
            probability = full["rules", v][r]
            if isinstance(rule, Split):
                links = [
                    replace(
                        link,
                        covariance=full["covariance", v, r, side],
                        map=full["map", v, r, side],
                        offset=full["offset", v, r, side],
                    )
                    for side, link in ((LEFT, rule.left_link), (RIGHT, rule.right_link))
                ]
                shifts = dict(zip(rule.shifts, full["shifts", v, r], strict=True))
                rules.append(replace(rule, probability=probability, left_link=links[0], right_link=links[1], shifts=shifts))
            else:
                length = rule.length
                if isinstance(length, OnePlusPoisson):
                    length = OnePlusPoisson(full["rate", v, r])
                elif isinstance(length, LengthTable):
                    length = LengthTable(tuple(full["lengths", v, r]))
                rules.append(
                    replace(
                        rule,
                        probability=probability,
                        covariance=full["emit covariance", v, r],
                        map=full["emit map", v, r],
                        offset=full["emit offset", v, r],
                        length=length,
                    )
                )
        variables.append(Variable(variable.name, variable.dim, tuple(rules)))
    return GaussianRBN(tuple(variables), Prior(model.prior.variable, components), references_of(model))


def read_gradient(model: GaussianRBN, gradient: ModelGradient) -> dict[Path, Any]:
    """The derivatives by the same paths; probabilities by their logarithms, 0 for those that are zero."""
    slopes: dict[Path, Any] = {("weights",): np.array([one.log_weight for one in gradient.prior])}
    for c, (component, one) in enumerate(zip(model.prior.components, gradient.prior, strict=True)):
        slopes["prior shifts", c] = np.array([one.shifts.get(steps, 0.0) for steps in component.shifts])
        slopes["prior mean", c] = one.mean
        slopes["prior covariance", c] = one.covariance
    for v, variable in enumerate(model.variables):
        slopes["rules", v] = np.array([gradient.rules.get((v, r), 0.0) for r in range(len(variable.rules))])
        for r, rule in enumerate(variable.rules):
            if rule.probability == 0:
                continue
            if isinstance(rule, Split):
                by_shift = gradient.shifts[v, r]
                slopes["shifts", v, r] = np.array([by_shift.get(shift, 0.0) for shift in rule.shifts])  # type: ignore[call-overload]
                for side in (LEFT, RIGHT):
                    link = gradient.links[v, r, side]
                    slopes["covariance", v, r, side] = link.covariance
                    slopes["map", v, r, side] = link.map
                    slopes["offset", v, r, side] = link.offset
            else:
                emit, counts = gradient.emits[v, r], gradient.lengths[v, r]
                slopes["emit covariance", v, r] = emit.covariance
                slopes["emit map", v, r] = emit.map
                slopes["emit offset", v, r] = emit.offset
                if isinstance(rule.length, OnePlusPoisson):  # d log Pois(n - 1; rate) = (n - 1) / rate - 1
                    extra = np.arange(len(counts)) - 1.0
                    slopes["rate", v, r] = float(counts @ (extra / rule.length.rate - 1.0))
                elif isinstance(rule.length, LengthTable):
                    padded = np.zeros(rule.length.longest)
                    padded[: len(counts) - 1] = counts[1 : rule.length.longest + 1]
                    slopes["lengths", v, r] = padded
    return slopes
