"""Models as JSON files: data, never code. Floats are written so that they read back bit for bit."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from recbayes.errors import FileError, ModelError
from recbayes.model.gaussian import Component, Emit, GaussianRBN, Link, Prior, Reference, Split, Variable
from recbayes.model.lengths import ExactlyOne, Length, LengthTable, OnePlusPoisson

FORMAT = "recbayes.GaussianRBN"
VERSION = 1


def save(model: GaussianRBN, path: str | Path) -> None:
    """Write the model to `path`, through a neighbouring file so that a crash never leaves half a model."""
    path = Path(path)
    beside = path.with_name(path.name + ".part")
    beside.write_text(to_json(model) + "\n", encoding="utf-8")
    beside.replace(path)


def load(path: str | Path) -> GaussianRBN:
    """Read a model that `save` wrote."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as problem:
        raise FileError(f"{path} is not a recbayes model: it is not text") from problem
    try:
        return from_json(text)
    except FileError as problem:
        raise FileError(f"{path}: {problem}") from problem


def to_json(model: GaussianRBN) -> str:
    """The model as JSON text."""
    document = {
        "format": FORMAT,
        "version": VERSION,
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
        "references": None
        if model.references is None
        else [{"mean": one.mean.tolist(), "covariance": one.covariance.tolist()} for one in model.references],
    }
    return json.dumps(document, indent=1, allow_nan=False)


def from_json(text: str) -> GaussianRBN:
    """The model that JSON text describes; a clear error if it is damaged, foreign or from a newer version."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise FileError(f"not a recbayes model: it is not valid JSON ({problem})") from problem
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise FileError(f'not a recbayes model: the field "format" is not "{FORMAT}"')
    if document.get("version") != VERSION:
        raise FileError(f"version {document.get('version')!r} of the format; this recbayes reads version {VERSION}")
    try:
        prior = document["prior"]
        components = tuple(
            Component(_array(one["mean"]), _array(one["covariance"]), one["weight"], dict(map(tuple, one["shifts"])))
            for one in prior["components"]
        )
        variables = tuple(
            Variable(one["name"], one["dim"], tuple(_rule_from_data(rule) for rule in one["rules"]))
            for one in document["variables"]
        )
        references = document["references"]
        if references is not None:
            references = tuple(Reference(_array(one["mean"]), _array(one["covariance"])) for one in references)
        return GaussianRBN(variables, Prior(prior["variable"], components), references)
    except KeyError as problem:
        raise FileError(f"damaged: the field {problem} is missing") from problem
    except (TypeError, AttributeError, ValueError, OverflowError) as problem:
        kind = "describes an impossible model" if isinstance(problem, ModelError) else "damaged"
        raise FileError(f"{kind}: {problem}") from problem


def _rule_to_data(rule: Split | Emit) -> dict[str, Any]:
    if isinstance(rule, Emit):
        return {"emit": _length_to_data(rule.length), "probability": rule.probability, **_map_to_data(rule)}
    return {
        "split": [rule.left, rule.right],
        "probability": rule.probability,
        "left_link": _map_to_data(rule.left_link),
        "right_link": _map_to_data(rule.right_link),
        "shifts": [[*shift, weight] for shift, weight in rule.shifts.items()],
    }


def _rule_from_data(data: dict[str, Any]) -> Split | Emit:
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


def _map_to_data(link: Link | Emit) -> dict[str, Any]:
    return {
        "covariance": link.covariance.tolist(),
        "map": None if link.map is None else link.map.tolist(),
        "offset": None if link.offset is None else link.offset.tolist(),
    }


def _map_from_data(data: dict[str, Any]) -> dict[str, Any]:
    optional: Callable[[Any], Any] = lambda values: None if values is None else _array(values)  # noqa: E731
    return {
        "covariance": _array(data["covariance"]),
        "map": optional(data["map"]),
        "offset": optional(data["offset"]),
    }


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
