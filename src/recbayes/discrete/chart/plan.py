"""Which spans a discrete chart needs, and where they are stored.

Spans of one width form rows, as in the plan of Gaussian charts, and are found in the same way: symbols that can span the
same numbers of observations are one class, and the walk down from the root is over classes. A right-linear grammar (a hidden
Markov model) thus has O(N) spans, and at each only one split point is looked at.
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from recbayes.checks.kept import kept
from recbayes.discrete.kernels.layout import SpanPlan
from recbayes.discrete.model.binary_form import BinaryForm
from recbayes.spans.reach import UNBOUNDED, reached


def span_plan(form: BinaryForm, length: int) -> SpanPlan:
    """The plan of a grammar for a sequence of `length` symbols."""
    return _plan(*_classes(form), length)


@kept
def _classes(form: BinaryForm) -> tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int, int], ...], int]:
    """Classes of symbols as (shortest, longest) spans; rules between classes; the class that the root can have."""
    shortest, longest = _symbol_widths(form)
    pairs = sorted(set(zip(shortest.tolist(), longest.tolist(), strict=True)))
    number = {pair: n for n, pair in enumerate(pairs)}
    of = np.array([number[pair] for pair in zip(shortest.tolist(), longest.tolist(), strict=True)])
    binary, unary = form.binary, form.unary
    left, right = children_of_rules(form)
    rules = set(zip(of[binary.parent].tolist(), of[left].tolist(), of[right].tolist(), strict=True))
    # A unary rule makes all that its child can do possible for its parent.
    steps = set(zip(of[unary.parent].tolist(), of[unary.child].tolist(), strict=True))
    for _ in pairs:
        rules |= {(parent, b, c) for parent, child in steps for a, b, c in rules if a == child}
    top = len(pairs)  # a class above all, with the rules of everything that can be the root
    roots = set(of[np.flatnonzero(form.start)].tolist())
    rules |= {(top, b, c) for a, b, c in rules if a in roots}
    limits = [pair for n, pair in enumerate(pairs) if n in roots]
    pairs.append((min(low for low, _ in limits), max(high for _, high in limits)))
    return tuple(pairs), tuple(sorted(rules)), top


def children_of_rules(form: BinaryForm) -> tuple[np.ndarray, np.ndarray]:
    """Left and right children of all binary rules."""
    return form.binary.left[form.binary.pair], form.binary.right[form.binary.pair]


def _symbol_widths(form: BinaryForm) -> tuple[np.ndarray, np.ndarray]:
    """The fewest and the most observations each symbol can produce."""
    binary, unary = form.binary, form.unary
    left, right = children_of_rules(form)
    shortest = np.full(form.symbols, UNBOUNDED)
    shortest[form.lexical.parent] = 1

    def shorten() -> None:
        np.minimum.at(shortest, unary.parent, shortest[unary.child])
        np.minimum.at(shortest, binary.parent, np.minimum(shortest[left] + shortest[right], UNBOUNDED))

    _until_settled(shorten, shortest)
    longest = np.where(_recursive(form, shortest < UNBOUNDED), UNBOUNDED, 0)
    longest[form.lexical.parent] = np.maximum(longest[form.lexical.parent], 1)

    def lengthen() -> None:
        np.maximum.at(longest, unary.parent, longest[unary.child])
        possible = (longest[left] > 0) & (longest[right] > 0)
        total = np.where(possible, np.minimum(longest[left] + longest[right], UNBOUNDED), 0)
        np.maximum.at(longest, binary.parent, total)

    _until_settled(lengthen, longest)
    return shortest, longest


def _until_settled(step: Callable[[], None], values: np.ndarray) -> None:
    before = np.full_like(values, -1)
    while (before != values).any():
        before[:] = values
        step()


def _recursive(form: BinaryForm, productive: np.ndarray) -> np.ndarray:
    """Which symbols lead back to themselves with something beside them, so that no span of theirs is the longest."""
    left, right = children_of_rules(form)
    used = productive[left] & productive[right]
    parents = np.tile(form.binary.parent[used], 2)
    children = np.concatenate([left[used], right[used]])
    edges = np.concatenate([parents, form.unary.parent]), np.concatenate([children, form.unary.child])
    graph = csr_array((np.ones(len(edges[0])), edges), shape=(form.symbols, form.symbols))
    _, component = connected_components(graph, connection="strong")
    recursive = np.zeros(form.symbols, dtype=np.bool_)
    recursive[parents[component[parents] == component[children]]] = True
    return recursive & productive


@lru_cache(maxsize=64)
def _plan(classes: tuple[tuple[int, int], ...], rules: tuple[tuple[int, int, int], ...], top: int, length: int) -> SpanPlan:
    shortest = np.array([low for low, _ in classes])
    longest = np.array([high for _, high in classes])
    low, high = reached(np.array(rules, dtype=np.int64).reshape(-1, 3), shortest, longest, [top], length)
    lowest, highest = low.min(axis=0), high.max(axis=0)
    widths = np.arange(length + 1)
    first, last = np.full(length + 1, length), np.zeros(length + 1, dtype=np.int64)
    for _, b, c in rules:
        begin = np.maximum(shortest[b], widths - longest[c])
        end = np.minimum(longest[b], widths - shortest[c])
        used = begin <= end
        first[used], last[used] = np.minimum(first, begin)[used], np.maximum(last, end)[used]
    counts = np.maximum(highest - lowest + 1, 0)
    place = np.concatenate([[0], np.cumsum(counts)[:-1]])
    return SpanPlan(lowest, highest, place, first, last, int(counts.sum()))
