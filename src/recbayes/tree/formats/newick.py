"""The Newick form of phylogenetics, `('x:emit':3,'x:emit':2)'x:split';`.

The branch length of a leaf is its number of observations, and inner nodes have none. Names are label and rule (see
`names`), in single quotes, doubled inside, unless they are plain words. A tree that starts elsewhere than at 0 says so
in a comment in front, `[&start=7]`, and the probability of a node stands in one behind its name, `[&posterior=0.93]`, as
programs of phylogenetics write it; other readers skip comments.

Trees of others: a leaf without a branch length is one observation, branch lengths of inner nodes and other comments are
skipped, and an underscore outside quotes is a blank, as the convention says. The branch length of a leaf must be a whole
number.
"""

import re
from reprlib import repr as short
from typing import TYPE_CHECKING

from recbayes.errors import FileError
from recbayes.tree.formats.assembly import Draft, Parts, assemble, completions
from recbayes.tree.formats.names import join_name

if TYPE_CHECKING:
    from recbayes.tree.node import Node
    from recbayes.tree.tree import Tree

_PIECE = re.compile(
    r"(?P<blank>\s+)|(?P<comment>\[[^\]]*\])|(?P<mark>[(),;])|:\s*(?P<length>[^\s()\[\]':;,]*)"
    r"|'(?P<quoted>(?:[^']|'')*)'|(?P<plain>[^\s()\[\]':;,]+)"
)
_POSTERIOR = re.compile(r"\[&(?:[^\]]*,)?posterior=([0-9.]+(?:[eE][+-]?[0-9]+)?)(?:,[^\]]*)?\]")
_START = re.compile(r"\[&start=(-?[0-9]{1,18})\]")


def write_newick(tree: "Tree", probabilities: bool = False) -> str:
    """The tree on one line, if wanted with the probabilities of its nodes in comments."""
    first = tree.nodes[0].start
    pieces = [f"[&start={first}]"] if first else []
    separator = ""
    for arity, complete in zip(tree.arities, completions(tree.arities), strict=True):
        pieces.append(separator)
        if arity:
            pieces.append("(")
        for index in complete:
            node, leaf = tree.nodes[index], not tree.arities[index]
            name = _name(node)
            if probabilities and node.probability is not None:
                name += f"[&posterior={node.probability!r}]"
            pieces.append(f"{name}:{node.length}" if leaf else ")" + name)
        separator = "," if complete else ""
    return "".join(pieces) + ";"


def read_newick(text: str) -> Parts:
    """The tree of a Newick text."""
    reader = _Reader()
    position = 0
    while position < len(text) and not reader.complete:
        match = _PIECE.match(text, position)
        if match is None:
            what = "quote" if text[position] == "'" else "comment" if text[position] == "[" else "bracket"
            raise FileError(f"not a Newick tree: the {what} at character {position + 1} has no other end")
        reader.read(match, position)
        position = match.end()
    if not reader.complete:
        raise FileError("not a Newick tree: it ends without ';'")
    if text[position:].strip():
        raise FileError("the text goes on after the ';' of the tree; read one tree at a time")
    return assemble(reader.root, reader.start)


class _Reader:
    """Makes drafts of the pieces of a Newick text as they come."""

    def __init__(self) -> None:
        self.root = self._current = Draft()
        self.start = 0
        self.complete = False
        self._open: list[Draft] = []
        self._said: set[str] = set()  # what has been said of the current node: "children", "name", "length"

    def read(self, match: re.Match[str], position: int) -> None:
        kind, piece = match.lastgroup, match[0]
        if kind == "mark":
            self._mark(piece, position)
        elif kind == "length":
            self._say("length", piece, position)
            self._measure(match["length"])
        elif kind in ("quoted", "plain"):
            self._say("name", piece, position)
            plain, quoted = match["plain"], match["quoted"]
            self._current.name = plain.replace("_", " ") if quoted is None else quoted.replace("''", "'") or "_"
        elif kind == "comment":
            self._comment(piece)

    def _comment(self, piece: str) -> None:
        if self._current is self.root and (start := _START.fullmatch(piece)):
            self.start = int(start[1])
        elif found := _POSTERIOR.fullmatch(piece):
            self._current.probability = _probability(found[1])

    def _mark(self, mark: str, position: int) -> None:
        if mark == "(":
            self._say("children", mark, position)
            self._open.append(self._current)
            self._begin()
        elif mark == ";":
            if self._open:
                raise FileError(f"not a Newick tree: closing brackets are missing before ';': {len(self._open)}")
            self.complete = True
        elif not self._open:
            raise FileError(f"not a Newick tree: {mark!r} at character {position + 1} is outside all brackets")
        elif mark == ",":
            self._begin()
        else:
            self._current = self._open.pop()
            self._said = {"children"}

    def _begin(self) -> None:
        self._current = Draft()
        self._open[-1].inner.append(self._current)
        self._said = set()

    def _say(self, what: str, piece: str, position: int) -> None:
        """A node is its children, its name, its length, in this order and each at most once."""
        order = ("children", "name", "length")
        if self._said & set(order[order.index(what) :]):
            raise FileError(f"not a Newick tree: {short(piece)} at character {position + 1} is out of place")
        self._said.add(what)

    def _measure(self, text: str) -> None:
        try:
            length = float(text)
        except ValueError as problem:
            raise FileError(f"not a Newick tree: the branch length {short(text)} is not a number") from problem
        if self._current.inner:
            return
        if not length.is_integer() or length < 1:
            raise FileError(
                f"leaf {short(self._current.name)} has the branch length {short(text)}, but it must be its number of "
                "observations; leave branch lengths out to read every leaf as one observation"
            )
        self._current.length = int(text) if text.isdecimal() else int(length)


def _probability(text: str) -> float | None:
    """What others have written there may be no probability; then it is a comment like any other."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value <= 1 else None


def _name(node: "Node") -> str:
    name = join_name(node.label, node.rule)
    if name == "_":
        return ""
    if re.fullmatch(r"[A-Za-z0-9.+-]+", name):
        return name
    return "'" + name.replace("'", "''") + "'"
