r"""Brackets as in the Penn treebank, `(x:split (x:emit 0 1 2) (x:emit 3 4))`, and the trees of NLTK, which are the same.

A node is its name (label and rule, see `names`) followed by its children; a leaf lists the observations it covers. In
names, brackets are written as the treebank writes them (`-LRB-` for an opening round one), blanks as `~`, and a
backslash goes before a `~` and before what only looks like `-LRB-`.

Treebanks of others read like this:

- The first word after an opening bracket is the node's name, every further one is an observation.
- A node with words alone is a leaf that covers them all; beside nodes, each word becomes a leaf of its own, unlabelled.
- The extra pair of brackets that treebanks put around a sentence, `( (S ...) )`, is dropped.
- Words that are consecutive whole numbers are positions: the first says where the tree starts. Otherwise it starts at 0.
"""

import re
from collections.abc import Iterable, Sequence
from reprlib import repr as short
from typing import TYPE_CHECKING, Any

from recbayes.checks.arguments import listed
from recbayes.errors import DataError, FileError
from recbayes.tree.formats.assembly import Draft, Parts, assemble, completions, need
from recbayes.tree.formats.names import join_name

if TYPE_CHECKING:
    from recbayes.tree.node import Node
    from recbayes.tree.tree import Tree

_BRACKETS = {"(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-"}
_SPECIAL = re.compile(r"[()\[\]{} ~]|-(?=[LR][RSC]B[-()\[\]{}])")
_ENCODED = re.compile(r"\\.|~|-[LR][RSC]B-")
_PIECE = re.compile(r"\s+|(\()\s*((?:\\[()]|[^\s()])*)|(\))|((?:\\[()]|[^\s()])+)")  # as NLTK cuts it up

_TO_TEXT = {**_BRACKETS, " ": "~", "~": "\\~", "-": "\\-"}
_FROM_TEXT = {"~": " ", **{text: bracket for bracket, text in _BRACKETS.items()}}


def write_brackets(tree: "Tree", tokens: Sequence[object] | None) -> str:
    """The tree on one line."""
    words = _words(tree, tokens)
    first = tree.nodes[0].start
    pieces = []
    for node, arity, complete in zip(tree.nodes, tree.arities, completions(tree.arities), strict=True):
        content = [] if arity else words[node.start - first : node.end - first]
        text = " ".join([f"({_name(node)}", *content])
        # A backslash right before a closing bracket would protect it.
        pieces.append(text + (" " if content and text.endswith("\\") else "") + ")" * len(complete))
    return " ".join(pieces)


def read_brackets(text: str) -> Parts:
    """The tree of a bracketed text."""
    builder = _Builder()
    for match in _PIECE.finditer(text):
        if match[0].isspace():
            continue
        opening, name, closing, word = match.groups(default="")
        if builder.complete:
            raise FileError("the brackets go on after the tree is complete; read one tree at a time")
        if opening:
            builder.open(name)
        elif not builder.depth:
            raise FileError(f"a bracketed tree begins with '(', not with {short(closing or word)}")
        elif closing:
            builder.close()
        else:
            builder.word(word)
    if not builder.complete:
        expected = f"closing brackets are missing: {builder.depth}" if builder.depth else "there is no bracket in it"
        raise FileError(f"not a bracketed tree: {expected}")
    return builder.parts()


def write_nltk(tree: "Tree", tokens: Sequence[object] | None) -> Any:
    """The tree as NLTK reads it from `write_brackets`, built from the last node to the first."""
    make = need("nltk").Tree
    words = _words(tree, tokens)
    first = tree.nodes[0].start
    made: dict[int, Any] = {}
    for index in reversed(range(len(tree))):
        node, children = tree.nodes[index], tree.children(index)
        inside = [made.pop(child) for child in children] if children else words[node.start - first : node.end - first]
        made[index] = make(_name(node), inside)
    return made[0]


def read_nltk(tree: Any) -> Parts:
    """The tree of an `nltk.Tree`."""
    kind = need("nltk").Tree
    if not isinstance(tree, kind):
        raise DataError(f"expected an nltk.Tree, got {type(tree).__name__}")
    builder = _Builder()
    try:
        _walk(tree, kind, builder)
    except FileError as problem:
        raise DataError(f"not a tree over a sequence: {problem}") from problem
    return builder.parts()


def _walk(tree: Any, kind: Any, builder: "_Builder") -> None:
    builder.open(str(tree.label()))
    waiting = [iter(tree)]
    while waiting:
        item = next(waiting[-1], waiting)  # `waiting` itself: nothing in a tree is that
        if item is waiting:
            waiting.pop()
            builder.close()
        elif isinstance(item, kind):
            builder.open(str(item.label()))
            waiting.append(iter(item))
        else:
            builder.word(str(item))


class _Builder:
    """Makes drafts of opening brackets, words and closing brackets as they come."""

    def __init__(self) -> None:
        self._top = Draft(length=0)
        self._open: list[Draft] = [self._top]
        self._words: list[str] = []

    @property
    def depth(self) -> int:
        return len(self._open) - 1

    @property
    def complete(self) -> bool:
        return not self.depth and bool(self._top.inner)

    def open(self, name: str) -> None:
        """A new node; the words before it, if any, turn out to be leaves."""
        parent = self._open[-1]
        _spread(parent)
        draft = Draft(_ENCODED.sub(lambda match: _FROM_TEXT.get(match[0], match[0]), name), length=0)
        parent.inner.append(draft)
        self._open.append(draft)

    def word(self, word: str) -> None:
        self._words.append(word)
        self._open[-1].length += 1

    def close(self) -> None:
        draft = self._open.pop()
        if draft.inner:
            _spread(draft)
        elif not draft.length:
            raise FileError(f"node {short(draft.name)} covers nothing; every node needs at least one word in it")

    def parts(self) -> Parts:
        root = self._top.inner[0]
        while root.name == "" and len(root.inner) == 1:
            root = root.inner[0]
        return assemble(root, _first_position(self._words))


def _spread(draft: Draft) -> None:
    """Words between nodes become leaves of their own."""
    draft.inner += [Draft() for _ in range(draft.length)]
    draft.length = 0


def _first_position(words: Sequence[str]) -> int:
    if re.fullmatch(r"-?[0-9]{1,18}", words[0]):
        first = int(words[0])
        if all(word == str(first + index) for index, word in enumerate(words)):
            return first
    return 0


def _name(node: "Node") -> str:
    return _SPECIAL.sub(lambda match: _TO_TEXT[match[0]], join_name(node.label, node.rule))


def _words(tree: "Tree", tokens: Iterable[object] | None) -> list[str]:
    """The text of every observation: its position, or the caller's token with brackets as the treebank writes them."""
    if tokens is None:
        return [str(position) for position in range(tree.nodes[0].start, tree.nodes[0].end)]
    given = listed(list(tokens) if isinstance(tokens, str) else tokens, "tokens", "words, one for each observation")
    words = [re.sub(r"[()\[\]{}]", lambda match: _BRACKETS[match[0]], str(token)) for token in given]
    if len(words) != tree.length:
        raise DataError(f"{len(words)} tokens for a tree over {tree.length} observations; give one for each")
    for word in words:
        if word.split() != [word]:
            raise DataError(
                f"the token {word!r} is not one word; brackets separate tokens by blanks, so replace blanks in it"
            )
    return words
