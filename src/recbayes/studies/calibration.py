"""Are probabilities of nodes honest? Of the spans that are given a probability of about p, a share p should be nodes."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from recbayes.studies.bootstrap import resampling_weights
from recbayes.tree.tree import Tree

BINS = 10


class Bin(NamedTuple):
    """Spans with a probability from `low` to `high`: how many, their mean probability, and the share that exists."""

    low: float
    high: float
    spans: int
    probability: float
    share: float
    share_low: float
    share_high: float


def count_by_probability(probability: np.ndarray, tree: Tree) -> list[list[float]]:
    """(bins, 3): the number of spans, the sum of their probabilities, how many are nodes; all spans but the root.

    What claims to be more than 1 counts as 1.
    """
    length = len(probability) - 1
    nodes = np.zeros_like(probability)
    nodes[tuple(np.array(tree.spans).T)] = 1.0
    first, last = np.triu_indices(length + 1, 1)
    inner = (first > 0) | (last < length)
    p, exists = np.minimum(probability[first, last][inner], 1.0), nodes[first, last][inner]
    bins = np.minimum((p * BINS).astype(int), BINS - 1)
    counts = [np.bincount(bins, weights=weights, minlength=BINS) for weights in (np.ones_like(p), p, exists)]
    return np.stack(counts, axis=1).tolist()


def calibration(levels: Sequence[Sequence[Sequence[Sequence[float]]]], seed: int) -> list[Bin]:
    """Of all sequences of all levels together.

    Spans of one sequence depend on each other, so that whole sequences are resampled, within their levels.
    """
    tables = [np.array(counts) for counts in levels]
    spans, sums, exist = np.sum([table.sum(axis=0) for table in tables], axis=0).T
    again = np.sum(
        [np.tensordot(resampling_weights(len(table), seed + n), table, axes=1) for n, table in enumerate(tables)], axis=0
    )
    shares = np.divide(again[..., 2], again[..., 0], out=np.full(again.shape[:2], np.nan), where=again[..., 0] > 0)
    bins = []
    for number in np.flatnonzero(spans).tolist():
        low, high = np.nanpercentile(shares[:, number], [2.5, 97.5]).tolist()
        mean, share = float(sums[number] / spans[number]), float(exist[number] / spans[number])
        bins.append(Bin(number / BINS, (number + 1) / BINS, int(spans[number]), mean, share, low, high))
    return bins
