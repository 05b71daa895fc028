"""Gaussian RBNs as the plain data that their JSON files hold."""

from collections.abc import Sequence
from typing import Any

from recbayes.errors import FileError
from recbayes.gaussian.emissions import EMISSIONS, Emission
from recbayes.gaussian.model.parts import (
    Component,
    Link,
    Prior,
    Reference,
    Split,
    Variable,
    affine_from_data,
    affine_to_data,
    array,
)
from recbayes.lengths import LENGTHS, Length

LEVEL = "level"  # the kind of emissions that files do not name


def prior_to_data(prior: Prior) -> dict[str, Any]:
    return {
        "variable": prior.variable,
        "components": [
            {
                "weight": component.weight,
                "mean": component.mean.tolist(),
                "covariance": component.covariance.tolist(),
                "shifts": [[steps, weight] for steps, weight in component.shifts.items()],
                **({} if component.variable in (None, prior.variable) else {"variable": component.variable}),
            }
            for component in prior.components
        ],
    }


def prior_from_data(prior: dict[str, Any]) -> Prior:
    components = tuple(
        Component(
            array(one["mean"], 1),
            array(one["covariance"], 2),
            one["weight"],
            dict(map(tuple, one["shifts"])),
            one.get("variable"),
        )
        for one in prior["components"]
    )
    return Prior(prior["variable"], components)


def references_to_data(references: Sequence[Reference] | None) -> list[dict[str, Any]] | None:
    if references is None:
        return None
    return [{"mean": one.mean.tolist(), "covariance": one.covariance.tolist()} for one in references]


def references_from_data(references: list[dict[str, Any]] | None) -> tuple[Reference, ...] | None:
    if references is None:
        return None
    return tuple(Reference(array(one["mean"], 1), array(one["covariance"], 2)) for one in references)


def variables_to_data(variables: Sequence[Variable]) -> list[dict[str, Any]]:
    return [
        {"name": variable.name, "dim": variable.dim, "rules": [rule_to_data(rule) for rule in variable.rules]}
        for variable in variables
    ]


def variables_from_data(variables: list[dict[str, Any]]) -> tuple[Variable, ...]:
    return tuple(
        Variable(one["name"], one["dim"], tuple(rule_from_data(rule) for rule in one["rules"])) for one in variables
    )


def rule_to_data(rule: Any) -> dict[str, Any]:
    if isinstance(rule, Emission):
        kind = {} if rule.name == LEVEL else {"kind": rule.name}
        length = {"length": rule.length.name, **rule.length.to_data()}
        return {"emit": length, **kind, "probability": rule.probability, **rule.to_data()}
    if not isinstance(rule, Split):
        return rule.to_data()
    return {
        "split": [rule.left, rule.right],
        "probability": rule.probability,
        "left_link": affine_to_data(rule.left_link),
        "right_link": affine_to_data(rule.right_link),
        "shifts": [[*shift, weight] for shift, weight in rule.shifts.items()],
    }


def rule_from_data(data: dict[str, Any]) -> Split | Emission:
    if "emit" in data:
        kind = _named(EMISSIONS, data.get("kind", LEVEL), "kind of emission")
        return kind.from_data(data, data["probability"], _length(data["emit"]))
    left, right = data["split"]
    return Split(
        probability=data["probability"],
        left=left,
        right=right,
        left_link=Link(**affine_from_data(data["left_link"])),  # type: ignore[arg-type]
        right_link=Link(**affine_from_data(data["right_link"])),  # type: ignore[arg-type]
        shifts={(one, other): weight for one, other, weight in data["shifts"]},
    )


def _length(data: dict[str, Any]) -> Length:
    return _named(LENGTHS, data["length"], "length distribution").from_data(data)


def _named(kinds: Sequence[Any], name: object, what: str) -> Any:
    for kind in kinds:
        if kind.name == name:
            return kind
    raise FileError(f"unknown {what} {name!r}; there are {[kind.name for kind in kinds]}")
