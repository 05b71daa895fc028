"""Models as JSON files: data, never code. Floats are written so that they read back bit for bit."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from recbayes.checks.files import write_beside
from recbayes.discrete.model.grammar_text import Rule, Terminal
from recbayes.discrete.model.pcfg import PCFG
from recbayes.discrete.model.rbn import DiscreteRBN
from recbayes.discrete.model.variables import DiscreteVariable, SparseTable, TerminalVariable, Transition
from recbayes.errors import FileError, ModelError
from recbayes.gaussian.model import data as gaussian_data
from recbayes.gaussian.model.linear import LinearGaussianRBN
from recbayes.gaussian.model.rbn import GaussianRBN

VERSION = 1

Model = GaussianRBN | LinearGaussianRBN | PCFG | DiscreteRBN


def save(model: Model, path: str | Path) -> None:
    """Write the model to `path`; a crash never leaves half a model."""
    write_beside(Path(path), to_json(model) + "\n").replace(path)


def load(path: str | Path) -> Model:
    """Read a model that `save` wrote: a GaussianRBN, LinearGaussianRBN, PCFG or DiscreteRBN."""
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
    "recbayes.GaussianRBN": (GaussianRBN, gaussian_data.to_data, gaussian_data.from_data),
    "recbayes.LinearGaussianRBN": (LinearGaussianRBN, gaussian_data.linear_to_data, gaussian_data.linear_from_data),
    "recbayes.PCFG": (PCFG, _grammar_to_data, _grammar_from_data),
    "recbayes.DiscreteRBN": (DiscreteRBN, _discrete_to_data, _discrete_from_data),
}
