"""Trees as JSON: data, never code. Floats are written so that they read back bit for bit.

The nodes are a flat list in preorder, each with its number of children, so that a deep tree is no deep document.
"""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from recbayes.checks.documents import read_document, restored
from recbayes.errors import DataError, FileError
from recbayes.tree.node import Node

if TYPE_CHECKING:
    from recbayes.tree.tree import Tree

FORMAT = "recbayes.Tree"
VERSION = 1

T = TypeVar("T")
TreeT = TypeVar("TreeT", bound="Tree")


def write_json(tree: "Tree") -> str:
    """The tree as JSON text."""
    nodes = [_node_to_data(node, arity) for node, arity in zip(tree.nodes, tree.arities, strict=True)]
    lines = ",\n  ".join(json.dumps(node) for node in nodes)  # a line a node: short, and differences are legible
    return f'{{"format": "{FORMAT}", "version": {VERSION}, "nodes": [\n  {lines}\n]}}'


def read_json(text: str, make: Callable[[list[Node], list[int]], TreeT]) -> TreeT:
    """The tree that JSON text describes; a clear error if it is damaged, foreign or from a newer version."""
    document = read_document(text, "tree", [FORMAT], VERSION)
    return restored(document, "tree", lambda given: _from_data(given, make), write_json)


def _from_data(document: dict[str, Any], make: Callable[[list[Node], list[int]], TreeT]) -> TreeT:
    entries = document["nodes"]
    if not isinstance(entries, list):
        raise FileError('damaged: the field "nodes" is not a list')
    nodes = [_node_from_data(entry, index) for index, entry in enumerate(entries)]
    return make(nodes, [_field(entry, "children", index, _whole) for index, entry in enumerate(entries)])


def _node_to_data(node: Node, arity: int) -> dict[str, Any]:
    data: dict[str, Any] = {"start": int(node.start), "end": int(node.end), "children": arity}
    data |= {"label": node.label, "rule": node.rule}
    for name in ("value", "covariance", "probability"):
        known = getattr(node, name)
        if known is not None:
            numbers = np.asarray(known)
            if numbers.dtype.kind not in "iuf" or not np.isfinite(numbers).all():
                raise DataError(f"the {name} of node {node.span} is not made of finite real numbers: JSON cannot hold it")
            data[name] = numbers.tolist()
    return data


def _node_from_data(data: Any, index: int) -> Node:
    if not isinstance(data, dict):
        raise FileError(f"damaged: node {index} is not an object with fields")
    return Node(
        start=_field(data, "start", index, _whole),
        end=_field(data, "end", index, _whole),
        label=_field(data, "label", index, _text),
        rule=_field(data, "rule", index, _text),
        value=_field(data, "value", index, _numbers) if "value" in data else None,
        covariance=_field(data, "covariance", index, _numbers) if "covariance" in data else None,
        probability=_field(data, "probability", index, _number) if "probability" in data else None,
    )


def _field(data: dict[str, Any], name: str, index: int, check: Callable[[Any], T]) -> T:
    if name not in data:
        raise FileError(f'damaged: node {index} has no field "{name}"')
    try:
        return check(data[name])
    except TypeError as problem:
        raise FileError(f'damaged: the field "{name}" of node {index} is not {problem}') from problem


# The checks raise errors that say what was expected; `_field` says where.


def _whole(value: Any) -> int:
    if type(value) is not int:
        raise TypeError("a whole number")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("a text")
    return value


def _number(value: Any) -> float:
    array = _numbers(value)
    if array.ndim:
        raise TypeError("a single number")
    return float(array)


def _numbers(value: Any) -> np.ndarray:
    try:
        array = np.array(value)
    except ValueError as problem:
        raise TypeError("an array: its rows differ in length") from problem
    if array.dtype.kind not in "iuf" or not np.isfinite(array).all():
        raise TypeError("made of finite numbers")
    return array
