"""What was found, for people at a terminal: words, the picture in characters, the tree."""

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from recbayes.cli.characters import Picture, draw
from recbayes.cli.visible import visible

if TYPE_CHECKING:
    from rich.console import Console

    from recbayes.data.table import Table
    from recbayes.tree.tree import Tree

NARROWEST = 20  # characters of a line
WIDEST = 120  # characters that a picture takes
DEEPEST = 12  # levels that are drawn as indentation; below, a number says the level
MOST = 60  # nodes of a tree that are told


def console(file: Any = None, width: int | None = None) -> "Console":
    """Standard output, or a file; lines are never broken, and texts hold nothing that a terminal obeys."""
    from rich.console import Console

    class Words(Console):
        def print(self, *objects: Any, **settings: Any) -> None:
            super().print(*(visible(one) if isinstance(one, str) else one for one in objects), **settings)

    found = Words(highlight=False, soft_wrap=True, file=sys.stdout if file is None else file, width=width)
    found.width = max(found.width, NARROWEST)  # some say that they have no columns at all
    return found


def print_lines(to: "Console", lines: Sequence[str], style: str | None = None) -> None:
    """Lines as they are; on a terminal what does not fit in is cut off."""
    for line in lines:
        if to.is_terminal:
            to.print(line, style=style, markup=False, soft_wrap=False, no_wrap=True, overflow="ellipsis")
        else:
            to.print(line, style=style, markup=False)


def picture(to: "Console", table: "Table", positions: Sequence[int], probability: np.ndarray, tree: Any) -> None:
    """The series in characters; on a terminal its segments have two colours in turn."""
    from rich.text import Text

    drawn = draw(table, positions, probability, tree, min(to.width, WIDEST))
    for line, kind in zip(drawn.lines, drawn.kinds, strict=True):
        text = Text(visible(line))
        if kind == "series":
            _colour(text, drawn)
        else:
            text.stylize({"axis": "dim", "change": "red", "tree": "dim"}[kind])
        to.print(text)


def _colour(text: Any, drawn: Picture) -> None:
    text.stylize("dim", 0, drawn.margin)
    ends = [drawn.margin + edge for edge in drawn.edges]
    for number, (start, end) in enumerate(zip([drawn.margin, *ends], [*ends, len(text)], strict=True)):
        text.stylize("blue" if number % 2 == 0 else "dark_orange3", start, max(start, end))


def tree_lines(tree: "Tree", place: Callable[[int], str], about: Sequence[str]) -> list[str]:
    """The tree by lines, one a node: from where to where, how probable, and what it is like."""
    names = []
    open_branches: list[bool] = []
    latest = dict(zip(tree.parents, range(len(tree)), strict=True))
    for index, (node, level) in enumerate(zip(tree.nodes, tree.levels, strict=True)):
        del open_branches[max(level - 1, 0) :]
        last = latest[tree.parents[index]] == index
        indent = "".join("│  " if branch else "   " for branch in open_branches[:DEEPEST])
        indent += f"[{level}] " if level > DEEPEST else "" if not level else "└─ " if last else "├─ "
        if level:
            open_branches.append(not last)
        names.append(f"{indent}{place(node.start)} to {place(node.end - 1)}")
    width = max(map(len, names[:MOST]))
    lines = []
    for name, node, text in zip(names[:MOST], tree.nodes, about, strict=False):
        known = "    " if node.probability is None else f"{node.probability:.2f}"
        lines.append(f"  {name:{width}}  {known}  {text}".rstrip())
    return lines + ([f"  and {len(tree) - MOST} more nodes: --table has them all"] if len(tree) > MOST else [])
