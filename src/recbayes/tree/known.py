"""What is known of a tree beforehand, as the mask that `allowed` of `inside`, `sample_posterior` and `fit` takes."""

from collections.abc import Iterable, Sequence

import numpy as np

from recbayes.checks.arrays import number, whole_number
from recbayes.checks.bounds import LONGEST
from recbayes.errors import DataError
from recbayes.tree.formats.spans import check_spans

NO_NODE, NODE, INNER = 0, 1, 2  # a span is no node; it may be one; it may be one that splits further


def known_spans(length: int, spans: Iterable[Sequence[int]]) -> np.ndarray:
    """(N + 1, N + 1): trees over N observations that have nodes with these half-open spans, whatever else they have.

    Spans that overlap a known one without one containing the other are no nodes, and spans that contain it are no leaves;
    so in a tree with two children per node it is a node. Other spans are free.
    """
    length = whole_number(length, "length", least=1, most=LONGEST, error=DataError)
    mask = np.triu(np.full((length + 1, length + 1), NODE, dtype=np.int8), 1)
    taken: set[tuple[int, int]] = set()
    for start, end in check_spans(spans):
        if any(a < start < b < end or start < a < end < b for a, b in taken):
            raise DataError(f"span {start}:{end} crosses another one; in a tree one contains the other, or they are apart")
        taken.add((start, end))
        if not 0 <= start < end <= length:
            raise DataError(f"there is no span {start}:{end}; the series has {length} observations")
        own, outer = mask[start, end], mask[: start + 1, end:]
        outer[outer == NODE] = INNER
        mask[start, end] = own
        mask[:start, start + 1 : end] = mask[start + 1 : end, end + 1 :] = NO_NODE  # what crosses it
    return mask


def balanced_preference(length: int, strength: float = 1.0) -> np.ndarray:
    """A `preference` for trees whose nodes divide in the middle: -strength log(n - 1) for each node of n > 1 observations.

    Where leaves have one observation, a strength of 0 is every tree as probable as the others, many of which are far from
    balanced; 1 is trees by merging neighbours at random; more is more balanced.
    """
    length = whole_number(length, "length", least=1, most=LONGEST, error=DataError)
    strength = number(strength, "strength")
    widths = np.arange(length + 1)[None, :] - np.arange(length + 1)[:, None]
    return np.where(widths > 1, -strength * np.log(np.maximum(widths - 1, 1)), 0.0)
