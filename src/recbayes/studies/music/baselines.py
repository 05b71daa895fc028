"""Trees over given leaves that know little or nothing of music: what a model has to be better than.

Leaves are given by their ends, as segments are elsewhere. A tree has much of its agreement with any other from its leaves
alone; `random_merging` of the same leaves shows how much.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from scipy.special import gammaln

from recbayes.studies.merging import LINKAGES, PAIRED, merge_by_pairs, merge_segments
from recbayes.tree.tree import Tree

Ends = Sequence[int]
Baseline = Callable[[np.ndarray, Ends], Tree]

FIFTHS = (0, 5, 7)  # steps by which a left part may be turned where clustering knows of transpositions


def leaf_ends(tree: Tree) -> list[int]:
    """Where the leaves of a tree end."""
    return [leaf.end for leaf in tree.leaves]


def right_branching(ends: Ends) -> Tree:
    """The first leaf against all others, and so on."""
    return _divided(ends, lambda first, last: first + 1)


def left_branching(ends: Ends) -> Tree:
    """All others against the last leaf, and so on."""
    return _divided(ends, lambda first, last: last - 1)


def balanced(ends: Ends) -> Tree:
    """Halves of as many leaves, and so on; of odd numbers the right one has more."""
    return _divided(ends, lambda first, last: (first + last) // 2)


def random_tree(ends: Ends, random: np.random.Generator) -> Tree:
    """Every tree with two children per node is as probable as the others; many of them are far from balanced."""
    counts = np.arange(len(ends))  # of splits; log Catalan numbers are how many trees have so many
    logs = gammaln(2 * counts + 1) - gammaln(counts + 1) - gammaln(counts + 2)

    def choose(first: int, last: int) -> int:
        both = logs[: last - first - 1] + logs[: last - first - 1][::-1]
        weights = np.exp(both - both.max())
        return first + 1 + int(random.choice(len(weights), p=weights / weights.sum()))

    return _divided(ends, choose)


def random_merging(ends: Ends, random: np.random.Generator) -> Tree:
    """From the bottom: every pair of neighbours is as likely to be merged next as the others.

    The pair that is merged last is then any, with equal probabilities, and so on in both parts: dividing at random from the
    top gives the same trees as often.
    """
    edges = [0, *ends]
    spans = list(pairwise(edges))
    while len(edges) > 2:
        place = int(random.integers(1, len(edges) - 1))
        del edges[place]
        spans.append((edges[place - 1], edges[place]))
    return Tree.from_spans(spans)


def _divided(ends: Ends, choose: Callable[[int, int], int]) -> Tree:
    """Leaves number `first` to `last` are divided before the leaf that is chosen, until all are alone."""
    edges = [0, *ends]
    spans = []
    waiting = [(0, len(ends))]
    while waiting:
        first, last = waiting.pop()
        spans.append((edges[first], edges[last]))
        if last - first > 1:
            middle = choose(first, last)
            waiting += [(first, middle), (middle, last)]
    return Tree.from_spans(spans)


def _of_means(linkage: str, shifts: Sequence[int]) -> Baseline:
    return lambda values, ends: merge_segments(values, ends, linkage=LINKAGES[linkage], shifts=shifts)


def _of_pairs(linkage: str) -> Baseline:
    return lambda values, ends: merge_by_pairs(values, ends, PAIRED[linkage])


FORMS: dict[str, Baseline] = {
    "right-branching": lambda values, ends: right_branching(ends),
    "left-branching": lambda values, ends: left_branching(ends),
    "balanced": lambda values, ends: balanced(ends),
}
CLUSTERINGS: dict[str, Baseline] = {
    **{f"clustering, {linkage}": _of_means(linkage, (0,)) for linkage in LINKAGES},
    **{f"clustering, {linkage}": _of_pairs(linkage) for linkage in PAIRED},
    **{f"clustering, {linkage}, turned": _of_means(linkage, FIFTHS) for linkage in LINKAGES},
}
BASELINES = FORMS | CLUSTERINGS
RANDOM: dict[str, Callable[[Ends, np.random.Generator], Tree]] = {
    "random tree": random_tree,
    "random merging": random_merging,
}
