"""Counting rules in trees: the grammar of a treebank.

A tree is an `nltk.Tree`, or a pair of a recbayes `Tree` and its tokens, since that tree has spans but no words. A node's
rule is its label and, from left to right, the labels of its children; a leaf's are its tokens, as terminals. As in sampled
trees (`recbayes.discrete.model.sampling`), a terminal beside non-terminals is a leaf of its own, labelled with the quoted
token and without a rule; leaves without a label, as bracketed texts give them, count as terminals too. The extra bracket
that treebanks put around a sentence, `( (S ...) )`, is dropped. A single tree is a treebank of one.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from recbayes.checks.arguments import listed
from recbayes.checks.arrays import number, short
from recbayes.discrete.model.grammar_text import Rule, Symbol, Terminal, fresh_symbol, quoted
from recbayes.errors import DataError, ModelError
from recbayes.tree.tree import Tree

Production = tuple[str, tuple[Symbol, ...]]


def count_rules(trees: Iterable[Any], *, smoothing: float, start: str | None) -> tuple[str, list[Rule]]:
    """The start symbol, and the rules of all trees weighted by how often they occur, plus `smoothing`."""
    if isinstance(trees, Tree):
        raise DataError("a Tree has spans but no words; give a list of pairs (Tree, tokens)")
    many = [trees] if _is_nltk(trees) or _is_pair(trees) else listed(trees, "trees", "pairs (Tree, tokens)")
    if start is not None and (not isinstance(start, str) or not start):
        raise ModelError(f"start must be the name of a non-terminal, a non-empty string, got {short(start)}")
    extra = number(smoothing, "smoothing")
    if extra < 0:
        raise ModelError(f"smoothing must not be negative, got {extra:.6g}")
    counts: dict[Production, int] = {}
    roots: dict[str, int] = {}
    for position, item in enumerate(many):
        for order, production in enumerate(_productions(item, f"trees[{position}]")):
            if order == 0:
                roots[production[0]] = roots.get(production[0], 0) + 1
            counts[production] = counts.get(production, 0) + 1
    if not counts:
        raise DataError("there are no trees to count rules in")
    rules = [Rule(left, right, count + extra) for (left, right), count in counts.items()]
    if len(roots) == 1 and start in (None, *roots):
        return next(iter(roots)), rules
    labels = {left for left, _ in counts}
    if start in labels:
        raise ModelError(f"start {start!r} is a label inside the trees, whose roots are {sorted(roots)}; give another name")
    start = fresh_symbol(labels) if start is None else start
    return start, [Rule(start, (root,), count + extra) for root, count in roots.items()] + rules


def _productions(item: Any, where: str) -> Iterator[Production]:
    """The rules of a tree, that of the root first."""
    if _is_pair(item):
        return productions_of(item[0], item[1], where)
    if _is_nltk(item):
        return _of_nltk(item, where)
    kind = "a Tree without its tokens" if isinstance(item, Tree) else type(item).__name__
    raise DataError(f"{where} must be a pair (Tree, tokens) or an nltk.Tree, got {kind}")


def _is_pair(item: Any) -> bool:
    return isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], Tree) and not isinstance(item[1], Tree)


def _is_nltk(item: Any) -> bool:
    """Whether this is an nltk.Tree, without a need for nltk."""
    return hasattr(item, "label") and hasattr(item, "productions")


def productions_of(tree: Tree, tokens: Sequence[str], where: str) -> Iterator[Production]:
    """The rules of a tree over tokens, as labels and tokens say; that of the root first."""
    tokens = list(tokens)
    if len(tokens) != tree.length:
        raise DataError(f"{where}: {len(tokens)} tokens for a tree over {tree.length} observations; give one for each")
    first = tree.nodes[0].start

    def words(index: int) -> list[Terminal]:
        node = tree.nodes[index]
        return [Terminal(_word(token, where)) for token in tokens[node.start - first : node.end - first]]

    def is_word(index: int) -> bool:
        node = tree.nodes[index]
        if tree.children(index):
            return False
        return not node.label or (not node.rule and node.length == 1 and node.label == quoted(words(index)[0].name))

    for index, node in enumerate(tree.nodes):
        if index and is_word(index):
            continue
        children = tree.children(index)
        if not index and not node.label and len(children) == 1 and not is_word(1):
            continue  # the extra bracket
        right: list[Symbol] = []
        for child in children:
            right += words(child) if is_word(child) else [tree.nodes[child].label]
        yield _label(node.label, where), tuple(right) if children else tuple(words(index))


def _of_nltk(tree: Any, where: str) -> Iterator[Production]:
    while not tree.label() and len(tree) == 1 and hasattr(tree[0], "label"):
        tree = tree[0]  # the extra bracket
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        inner = [child for child in node if hasattr(child, "label")]
        right: tuple[Symbol, ...] = tuple(
            _label(child.label(), where) if hasattr(child, "label") else Terminal(_word(child, where)) for child in node
        )
        if not right:
            raise DataError(f"{where}: the node {node.label()!r} covers nothing; remove empty nodes first")
        yield _label(node.label(), where), right
        waiting += reversed(inner)


def _label(label: Any, where: str) -> str:
    if not isinstance(label, str) or not label:
        raise DataError(f"{where}: every node above a word needs a label that is a non-empty string, got {label!r}")
    return label


def _word(token: Any, where: str) -> str:
    if not isinstance(token, str) or not token:
        raise DataError(f"{where}: tokens must be non-empty strings, got {token!r}")
    return token
