"""How well a tree agrees with regions of a piece: stretches of one key, and within them chords.

Any tree agrees with them to some degree, and the more leaves it has the more; so every number is to be seen beside that of
random trees with the same leaves. Times are in quarters; `edges` are those of the observations that trees are over.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from recbayes.studies.music.annotations import Region
from recbayes.tree.tree import Tree

FRAMES = 100  # into which a piece is cut where hierarchies are compared frame by frame


class Triplets(NamedTuple):
    """Of two hierarchies: how often one orders a triple of frames as the other does, and the harmonic mean of both."""

    precision: float
    recall: float
    f: float


def best_nodes(tree: Tree, edges: np.ndarray, regions: Sequence[Region]) -> float:
    """For every region the best node's F, 2 |node ∩ region| / (|node| + |region|); the mean, weighed by length.

    Regions that are the whole piece are left out, as every tree has its root; without any others it is 1.
    """
    spans = np.array(tree.spans)
    starts, ends = edges[spans[:, 0]], edges[spans[:, 1]]
    inner = [one for one in regions if one.end - one.start < edges[-1] - edges[0]]
    if not inner:
        return 1.0
    best = []
    for start, end, _ in inner:
        shared = np.maximum(np.minimum(ends, end) - np.maximum(starts, start), 0.0)
        best.append(float((2 * shared / (ends - starts + end - start)).max()))
    return float(np.average(best, weights=[end - start for start, end, _ in inner]))


def boundary_rank(tree: Tree, edges: np.ndarray, regions: Sequence[Region]) -> float:
    """The probability that a boundary of regions is a higher one of the tree than another position; 1/2 of equals.

    A position is as high as the smallest node that has it inside is long. Boundaries are moved to the nearest position. This
    is the area under a ROC curve, and 1/2 if there are no boundaries, or nothing but boundaries.
    """
    true = {int(np.abs(edges - region.start).argmin()) for region in regions} - {0, len(edges) - 1}
    heights = np.array([_height(tree, edges, position) for position in range(len(edges))])
    inside = np.zeros(len(edges), dtype=bool)
    inside[sorted(true)] = True
    high, low = heights[inside], heights[1:-1][~inside[1:-1]]
    if not len(high) or not len(low):
        return 0.5
    return float(np.mean((high[:, None] > low) + 0.5 * (high[:, None] == low)))


def _height(tree: Tree, edges: np.ndarray, position: int) -> float:
    around = [edges[end] - edges[start] for start, end in tree.spans if start < position < end]
    return min(around, default=0.0)


def tree_frames(tree: Tree, edges: np.ndarray, labels: dict[tuple[int, int], str] | None = None) -> np.ndarray:
    """(levels, frames): for every level of the tree, in which node each frame is, or by which label that node goes."""
    levels = []
    for depth in range(tree.depth):
        cut = tree.cut(depth)
        named = [Region(edges[a], edges[b], "" if labels is None else labels[a, b]) for a, b in cut]
        levels.append(named)
    return frames_of(levels, float(edges[-1]), labels is not None)


def frames_of(levels: Sequence[Sequence[Region]], end: float, labelled: bool) -> np.ndarray:
    """(levels, frames): likewise for levels of regions. A frame belongs to the region that has its middle."""
    middles = (np.arange(FRAMES) + 0.5) * end / FRAMES
    found = []
    for regions in levels:
        place = np.clip(np.searchsorted([one.start for one in regions], middles, side="right") - 1, 0, None)
        names = {label: number for number, label in enumerate(dict.fromkeys(one.label for one in regions))}
        found.append(np.array([names[one.label] for one in regions])[place] if labelled else place)
    return np.array(found)


def triplets(reference: np.ndarray, estimate: np.ndarray) -> Triplets:
    """The T-measure of two hierarchies of segments, or the L-measure of two hierarchies of labels (McFee et al. 2017).

    Both are (levels, frames), from the top, as `frames_of` gives them. Two frames are as close as the deepest level is at
    which they have the same number. Recall is how often, of frames j closer than k to i in the reference, j is closer in the
    estimate, too: the mean over those i which have such j and k. Precision has both exchanged. These are `tmeasure` (with
    transitive=True and no window) and `lmeasure` of mir_eval.hierarchy, in one piece.
    """
    ours, theirs = _meeting(estimate), _meeting(reference)
    precision, recall = _ordered(ours, theirs), _ordered(theirs, ours)
    f = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return Triplets(precision, recall, f)


def _meeting(levels: np.ndarray) -> np.ndarray:
    """(frames, frames): the deepest level, from 1, at which two frames have the same number; 0 if none."""
    same = levels[:, :, None] == levels[:, None, :]
    depths = np.arange(1, len(levels) + 1)[:, None, None]
    return (same * depths).max(axis=0)


def _ordered(reference: np.ndarray, estimate: np.ndarray) -> float:
    shares = []
    for query in range(len(reference)):
        true, found = np.delete(reference[query], query), np.delete(estimate[query], query)
        wanted = true[:, None] > true
        count = int(wanted.sum())
        if count:
            shares.append(float((wanted & (found[:, None] > found)).sum() / count))
    return float(np.mean(shares)) if shares else 0.0
