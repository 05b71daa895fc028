"""From nested names and lengths, which is all that texts tell, to nodes in preorder; and back."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from recbayes.tree.formats.names import split_name
from recbayes.tree.node import Node

Parts = tuple[list[Node], list[int]]
"""What a tree is made of: nodes in preorder and the number of children of each."""


@dataclass(eq=False)
class Draft:
    """A node while a text is being read; one without inner nodes is a leaf of `length` observations."""

    name: str = "_"
    length: int = 1
    probability: float | None = None
    inner: list["Draft"] = field(default_factory=list)


def assemble(root: Draft, start: int) -> Parts:
    """The nodes of a draft whose first observation is at `start`."""
    drafts: list[Draft] = []
    stack = [root]
    while stack:
        draft = stack.pop()
        drafts.append(draft)
        stack += reversed(draft.inner)
    arities = [len(draft.inner) for draft in drafts]
    starts, ends, position = [], [0] * len(drafts), start
    for draft, complete in zip(drafts, completions(arities), strict=True):
        starts.append(position)
        position += 0 if draft.inner else draft.length
        for index in complete:
            ends[index] = position
    rows = zip(starts, ends, drafts, strict=True)
    nodes = [Node(begin, end, *split_name(draft.name), probability=draft.probability) for begin, end, draft in rows]
    return nodes, arities


def completions(arities: Sequence[int]) -> Iterator[list[int]]:
    """For each node in preorder the nodes that are complete with it, from the inside out: where closing brackets go."""
    waiting: list[list[int]] = []  # open nodes and the number of children they still miss
    for index, arity in enumerate(arities):
        waiting.append([index, arity])
        complete = []
        while waiting and waiting[-1][1] == 0:
            complete.append(waiting.pop()[0])
            if waiting:
                waiting[-1][1] -= 1
        yield complete


def need(package: str) -> Any:
    """A package that only some formats need, with advice if it is not there."""
    try:
        return import_module(package)
    except ImportError as problem:
        raise ImportError(f"this format needs {package}: pip install {package}") from problem
