"""From trees of the normal form back to trees of the original model.

Both are kept in preorder, and the normal form keeps the order of all nodes it shares with the original: so the nodes of the
original are written one after the other, some in front of a node (chains of unary rules), some instead of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from recbayes.errors import DataError
from recbayes.gaussian.model.parts import Link
from recbayes.gaussian.model.unary_chains import Path, unroll
from recbayes.tree.tree import Node, Tree


class Outline(NamedTuple):
    """A node of the original tree; without a label it is an observed child."""

    label: str
    rule: str
    arity: int


@dataclass(frozen=True, eq=False)
class Recipe:
    """What a node of the normal form stands for: a chain of unary nodes and then some others; nothing, if it is a copy.

    The value of the first of the others follows through `value` (None: it is the node's). The chain starts from a variable
    of dimension `dim`, whose value comes first in the node's. `below` are further chains, above the left and right child.
    """

    outlines: tuple[Outline, ...] = ()
    path: Path = None
    value: Link | None = None
    dim: int = 0
    below: tuple[Path, Path] | None = None


def restored(tree: Tree, recipes: Mapping[tuple[str, str], Recipe], root: Path) -> Tree:
    """The original of a tree of the normal form. `root` are unary nodes above the root."""
    nodes: list[Node] = []
    arities: list[int] = []

    def write(outline: Outline, model: Node) -> None:
        nodes.append(replace(model, label=outline.label, rule=outline.rule))
        arities.append(outline.arity)

    above = {0: root}
    for index, node in enumerate(tree.nodes):
        recipe = recipes.get((node.label, node.rule))
        children = tree.children(index)
        if recipe is None or len(children) != (0 if recipe.below is None else 2):
            raise DataError(
                f"node {node.start}:{node.end} with label {node.label!r}, rule {node.rule!r} and {len(children)} children "
                "is none of the normal form's; restore trees that its model sampled or that were inferred with it"
            )
        if recipe.below is not None:
            above |= dict(zip(children, recipe.below, strict=True))
        unknown = replace(node, value=None, covariance=None)
        for label, rule in unroll(above.pop(index)):
            write(Outline(label, rule, 1), unknown)
        for step, (label, rule) in enumerate(unroll(recipe.path)):
            write(Outline(label, rule, 1), unknown if step else _start(node, recipe.dim))
        for outline in recipe.outlines:
            write(outline, _passed_on(node, recipe.value) if outline.label else unknown)
    return Tree(nodes, arities)


def _start(node: Node, dim: int) -> Node:
    return replace(
        node,
        value=None if node.value is None else node.value[:dim],
        covariance=None if node.covariance is None else node.covariance[:dim, :dim],
    )


def _passed_on(node: Node, link: Link | None) -> Node:
    """The node with its value passed through a link without noise."""
    if link is None:
        return node
    value, covariance = node.value, node.covariance
    if value is not None:
        value = value if link.map is None else link.map @ value
        value = value if link.offset is None else value + link.offset
    if covariance is not None and link.map is not None:
        covariance = link.map @ covariance @ link.map.T
    return replace(node, value=value, covariance=covariance)
