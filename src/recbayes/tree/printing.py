"""A tree as lines of text, one a node."""

from typing import TYPE_CHECKING

from recbayes.tree.formats.names import printable

if TYPE_CHECKING:
    from recbayes.tree.tree import Tree

DEEPEST_INDENT = 24
"""Levels that are drawn as indentation (72 columns); below, a number says the level, so that a chain stays legible."""


def draw(tree: "Tree") -> str:
    """Span, label, rule and, where known, probability of every node, below its parent and further to the right."""
    open_branches: list[bool] = []  # for every level, whether another sibling follows
    last_child = _last_children(tree.parents)
    lines = []
    for index, (node, level) in enumerate(zip(tree.nodes, tree.levels, strict=True)):
        del open_branches[max(level - 1, 0) :]
        indent = "".join("│  " if branch else "   " for branch in open_branches[:DEEPEST_INDENT])
        if level > DEEPEST_INDENT:
            indent += f"[{level}] "
        elif level:
            indent += "└─ " if last_child[index] else "├─ "
        if level:
            open_branches.append(not last_child[index])
        known = "" if node.probability is None else f"p={node.probability:.2f}"
        parts = (f"{indent}{node.start}:{node.end}", printable(node.label), printable(node.rule), known)
        lines.append(" ".join(part for part in parts if part))
    return "\n".join(lines)


def _last_children(parents: tuple[int, ...]) -> list[bool]:
    """Whether each node is its parent's last child."""
    latest = dict(zip(parents, range(len(parents)), strict=True))
    return [latest[parent] == index for index, parent in enumerate(parents)]
