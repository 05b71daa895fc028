"""Models as JSON files: data, never code. Floats are written so that they read back bit for bit."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from recbayes.errors import FileError, ModelError
from recbayes.model.discrete import DiscreteRBN
from recbayes.model.discrete_variables import DiscreteVariable, SparseTable, TerminalVariable, Transition
from recbayes.model.gaussian import Component, Emit, GaussianRBN, Link, Prior, Reference, Split, Variable
from recbayes.model.grammar_text import Rule, Terminal
from recbayes.model.lengths import ExactlyOne, Length, LengthTable, OnePlusPoisson
from recbayes.model.pcfg import PCFG

VERSION = 1

Model = GaussianRBN | PCFG | DiscreteRBN


def save(model: Model, path: str | Path) -> None:
    """Write the model to `path`, through a neighbouring file so that a crash never leaves half a model."""
    path = Path(path)
    beside = path.with_name(path.name + ".part")
    beside.write_text(to_json(model) + "\n", encoding="utf-8")
    beside.replace(path)


def load(path: str | Path) -> Model:
    """Read a model that `save` wrote: a GaussianRBN, a PCFG or a DiscreteRBN."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as problem:
        raise FileError(f"{path} is not a recbayes model: it is not text") from problem
    try:
        return from_json(text)
    except FileError as problem:
        raise FileError(f"{path}: {problem}") from problem


def to_json(model: Model) -> str:
    """The model as JSON text."""
    name = next(name for name, (kind, _, _) in _FORMATS.items() if isinstance(model, kind))
    document = {"format": name, "version": VERSION, **_FORMATS[name][1](model)}
    return json.dumps(document, indent=1, allow_nan=False)


def from_json(text: str) -> Model:
    """The model that JSON text describes; a clear error if it is damaged, foreign or from a newer version."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise FileError(f"not a recbayes model: it is not valid JSON ({problem})") from problem
    name = document.get("format") if isinstance(document, dict) else None
    if not isinstance(name, str) or name not in _FORMATS:
        raise FileError(f'not a recbayes model: the field "format" is none of {", ".join(_FORMATS)}')
    if document.get("version") != VERSION:
        raise FileError(f"version {document.get('version')!r} of the format; this recbayes reads version {VERSION}")
    try:
        return _FORMATS[name][2](document)
    except KeyError as problem:
        raise FileError(f"damaged: the field {problem} is missing") from problem
    except (TypeError, AttributeError, ValueError, OverflowError) as problem:
        kind = "describes an impossible model" if isinstance(problem, ModelError) else "damaged"
        raise FileError(f"{kind}: {problem}") from problem


def _gaussian_to_data(model: GaussianRBN) -> dict[str, Any]:
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
        "references": None
        if model.references is None
        else [{"mean": one.mean.tolist(), "covariance": one.covariance.tolist()} for one in model.references],
    }


def _gaussian_from_data(document: dict[str, Any]) -> GaussianRBN:
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


def _grammar_to_data(grammar: PCFG) -> dict[str, Any]:
    return {
        "start": grammar.start,
        "normalised": grammar.is_normalised,
        "rules": [
            {
                "left": rule.left,
                "right": [{"terminal": one.name} if isinstance(one, Terminal) else one for one in rule.right],
                "weight": rule.weight,
            }
            for rule in grammar.rules
        ],
    }


def _grammar_from_data(document: dict[str, Any]) -> PCFG:
    rules = [
        Rule(
            one["left"],
            tuple(Terminal(symbol["terminal"]) if isinstance(symbol, dict) else symbol for symbol in one["right"]),
            one["weight"],
        )
        for one in document["rules"]
    ]
    grammar = PCFG(document["start"], rules)
    if document["normalised"]:
        grammar.check_normalised()
    return grammar


def _discrete_to_data(model: DiscreteRBN) -> dict[str, Any]:
    return {
        "normalised": model.is_normalised,
        "prior": {"variable": model.prior[0], "probabilities": model.prior[1].tolist()},
        "variables": [
            {
                "name": variable.name,
                "values": list(variable.values),
                "transitions": [
                    {
                        "children": list(one.children),
                        "probability": one.probability.tolist(),
                        "indices": one.table.indices.tolist(),
                        "probabilities": one.table.probabilities.tolist(),
                    }
                    for one in variable.transitions
                ],
            }
            for variable in model.variables
        ],
        "terminals": [{"name": one.name, "values": list(one.values)} for one in model.terminals],
    }


def _discrete_from_data(document: dict[str, Any]) -> DiscreteRBN:
    variables = []
    for variable in document["variables"]:
        transitions = []
        for one in variable["transitions"]:
            width = 1 + len(one["children"])
            indices = np.array(one["indices"], dtype=np.float64).reshape(-1, width)  # a table may have no entries at all
            table = SparseTable(indices, one["probabilities"])
            transitions.append(Transition(tuple(one["children"]), one["probability"], table))
        variables.append(DiscreteVariable(variable["name"], variable["values"], tuple(transitions)))
    terminals = [TerminalVariable(one["name"], one["values"]) for one in document["terminals"]]
    prior = (document["prior"]["variable"], document["prior"]["probabilities"])
    return DiscreteRBN(variables, terminals, prior, weights="check" if document["normalised"] else "keep")


_FORMATS: dict[str, tuple[type, Callable[[Any], dict[str, Any]], Callable[[dict[str, Any]], Model]]] = {
    "recbayes.GaussianRBN": (GaussianRBN, _gaussian_to_data, _gaussian_from_data),
    "recbayes.PCFG": (PCFG, _grammar_to_data, _grammar_from_data),
    "recbayes.DiscreteRBN": (DiscreteRBN, _discrete_to_data, _discrete_from_data),
}


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
