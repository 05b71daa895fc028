"""Gaussian RBNs as the plain data that their JSON files hold."""

from typing import Any

import numpy as np

from recbayes.errors import FileError
from recbayes.gaussian.model.linear import Branch, Child, LinearGaussianRBN, Observe, Rule
from recbayes.gaussian.model.rbn import Component, Emit, GaussianRBN, Link, Prior, Reference, Split, Variable
from recbayes.lengths.lengths import ExactlyOne, Length, LengthTable, OnePlusPoisson


def to_data(model: GaussianRBN) -> dict[str, Any]:
    references = None
    if model.references is not None:
        references = [{"mean": one.mean.tolist(), "covariance": one.covariance.tolist()} for one in model.references]
    return {**linear_to_data(model), "references": references}


def from_data(document: dict[str, Any]) -> GaussianRBN:
    prior, variables, references = _prior(document), _variables(document), document["references"]
    if references is not None:
        references = tuple(Reference(_array(one["mean"]), _array(one["covariance"])) for one in references)
    return GaussianRBN(variables, prior, references)


def linear_to_data(model: LinearGaussianRBN | GaussianRBN) -> dict[str, Any]:
    return {
        "prior": {
            "variable": model.prior.variable,
            "components": [
                {
                    "weight": component.weight,
                    "mean": component.mean.tolist(),
                    "covariance": component.covariance.tolist(),
                    "shifts": [[steps, weight] for steps, weight in component.shifts.items()],
                }
                for component in model.prior.components
            ],
        },
        "variables": [
            {"name": variable.name, "dim": variable.dim, "rules": [_rule_to_data(rule) for rule in variable.rules]}
            for variable in model.variables
        ],
    }


def linear_from_data(document: dict[str, Any]) -> LinearGaussianRBN:
    return LinearGaussianRBN(_variables(document), _prior(document))


def _prior(document: dict[str, Any]) -> Prior:
    prior = document["prior"]
    components = tuple(
        Component(_array(one["mean"]), _array(one["covariance"]), one["weight"], dict(map(tuple, one["shifts"])))
        for one in prior["components"]
    )
    return Prior(prior["variable"], components)


def _variables(document: dict[str, Any]) -> tuple[Variable, ...]:
    return tuple(
        Variable(one["name"], one["dim"], tuple(_rule_from_data(rule) for rule in one["rules"]))
        for one in document["variables"]
    )


def _rule_to_data(rule: Rule) -> dict[str, Any]:
    if isinstance(rule, Branch):
        return {"branch": [_child_to_data(child) for child in rule.children], "probability": rule.probability}
    if isinstance(rule, Emit):
        return {"emit": _length_to_data(rule.length), "probability": rule.probability, **_map_to_data(rule)}
    return {
        "split": [rule.left, rule.right],
        "probability": rule.probability,
        "left_link": _map_to_data(rule.left_link),
        "right_link": _map_to_data(rule.right_link),
        "shifts": [[*shift, weight] for shift, weight in rule.shifts.items()],
    }


def _rule_from_data(data: dict[str, Any]) -> Rule:
    if "branch" in data:
        return Branch(data["probability"], tuple(_child_from_data(child) for child in data["branch"]))
    if "emit" in data:
        return Emit(probability=data["probability"], length=_length_from_data(data["emit"]), **_map_from_data(data))
    left, right = data["split"]
    return Split(
        probability=data["probability"],
        left=left,
        right=right,
        left_link=Link(**_map_from_data(data["left_link"])),
        right_link=Link(**_map_from_data(data["right_link"])),
        shifts={(one, other): weight for one, other, weight in data["shifts"]},
    )


def _child_to_data(child: Child) -> dict[str, Any]:
    if isinstance(child, Observe):
        return _map_to_data(child)
    return {"variable": child[0], **_map_to_data(child[1])}


def _child_from_data(data: dict[str, Any]) -> Child:
    if "variable" in data:
        return data["variable"], Link(**_map_from_data(data))
    return Observe(**_map_from_data(data))


def _map_to_data(link: Link | Emit | Observe) -> dict[str, Any]:
    return {
        "covariance": link.covariance.tolist(),
        "map": None if link.map is None else link.map.tolist(),
        "offset": None if link.offset is None else link.offset.tolist(),
    }


def _map_from_data(data: dict[str, Any]) -> dict[str, Any]:
    known = {name: data[name] for name in ("covariance", "map", "offset")}
    return {name: None if values is None else _array(values) for name, values in known.items()}


def _array(values: Any) -> np.ndarray:
    return np.array(values, dtype=np.float64)


def _length_to_data(length: Length) -> dict[str, Any]:
    if isinstance(length, OnePlusPoisson):
        return {"length": "one plus Poisson", "rate": length.rate}
    if isinstance(length, LengthTable):
        return {"length": "table", "probabilities": list(length.probabilities)}
    return {"length": "exactly one"}


def _length_from_data(data: dict[str, Any]) -> Length:
    if data["length"] == "one plus Poisson":
        return OnePlusPoisson(data["rate"])
    if data["length"] == "table":
        return LengthTable(tuple(data["probabilities"]))
    if data["length"] == "exactly one":
        return ExactlyOne()
    raise FileError(f"damaged: unknown length distribution {data['length']!r}")
