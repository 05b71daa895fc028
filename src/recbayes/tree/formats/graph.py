"""Trees as graphs of networkx and as tables, one row a node."""

from operator import index as whole
from typing import TYPE_CHECKING, Any

from recbayes.errors import DataError
from recbayes.tree.formats.assembly import Parts, need
from recbayes.tree.node import Node

if TYPE_CHECKING:
    from recbayes.tree.tree import Tree

_OPTIONAL = ("value", "covariance", "probability")


def write_networkx(tree: "Tree") -> Any:
    """The tree as a directed graph whose nodes are numbered in preorder."""
    graph = need("networkx").DiGraph()
    for index, node in enumerate(tree.nodes):
        known = {name: getattr(node, name) for name in _OPTIONAL if getattr(node, name) is not None}
        graph.add_node(index, start=node.start, end=node.end, label=node.label, rule=node.rule, **known)
    graph.add_edges_from((parent, child) for child, parent in enumerate(tree.parents) if child)
    return graph


def read_networkx(graph: Any) -> Parts:
    """The tree of a directed graph; the children of a node are put in the order of their spans."""
    networkx = need("networkx")
    if not isinstance(graph, networkx.Graph) or not graph.is_directed():
        raise DataError(f"expected a directed graph of networkx, got {type(graph).__name__}")
    if not len(graph) or not networkx.is_arborescence(graph):
        raise DataError("the graph is not a tree: it needs one root, and one path from there to every other node")
    made = {name: _node(name, attributes) for name, attributes in graph.nodes(data=True)}
    nodes, arities = [], []
    stack = [name for name, degree in graph.in_degree() if degree == 0]
    while stack:
        name = stack.pop()
        children = sorted(graph.successors(name), key=lambda child: made[child].span)
        nodes.append(made[name])
        arities.append(len(children))
        stack += reversed(children)
    return nodes, arities


def write_table(tree: "Tree") -> list[dict[str, Any]]:
    """One row a node, in preorder; `parent` is the row of the parent, -1 for the root."""
    return [
        {
            "start": node.start,
            "end": node.end,
            "length": node.length,
            "level": level,
            "parent": parent,
            "children": arity,
            "label": node.label,
            "rule": node.rule,
            "probability": node.probability,
            "value": node.value,
            "covariance": node.covariance,
        }
        for node, level, parent, arity in zip(tree.nodes, tree.levels, tree.parents, tree.arities, strict=True)
    ]


def _node(name: Any, attributes: dict[str, Any]) -> Node:
    try:
        start, end = whole(attributes["start"]), whole(attributes["end"])
    except KeyError as problem:
        raise DataError(f"node {name!r} of the graph has no {problem}; every node needs a start and an end") from problem
    except TypeError as problem:
        raise DataError(f"start and end of node {name!r} of the graph are not both whole numbers") from problem
    known = {optional: attributes.get(optional) for optional in _OPTIONAL}
    return Node(start, end, str(attributes.get("label", "")), str(attributes.get("rule", "")), **known)
