"""What is known of a tree beforehand, as the mask that `allowed` of `inside`, `sample_posterior` and `fit` takes.

A mask over N observations has N^2 entries, where often only spans between few points matter. So what is known travels as
spans (`KnownSpans`), and is made a mask between the points of a chart.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from recbayes.checks.arrays import number, whole_number
from recbayes.checks.bounds import LONGEST
from recbayes.checks.positions import positions
from recbayes.checks.room import check_square
from recbayes.errors import DataError
from recbayes.tree.formats.spans import check_spans

NO_NODE, NODE, INNER = 0, 1, 2  # a span is no node; it may be one; it may be one that splits further


class Mask(ABC):
    """What spans may be in trees over so many observations, as far as it is asked for."""

    length: int

    @abstractmethod
    def between(self, points: np.ndarray) -> np.ndarray:
        """(M + 1, M + 1) of what spans between points may be: 0 no node, 1 a node, 2 one that splits further.

        Arguments:
            points: observations, in order.
        """

    def dense(self) -> np.ndarray:
        """(N + 1, N + 1), for all spans; an error if that is too large."""
        check_square(self.length, 1, "the mask of all spans", "give boundaries=, and allowed=rb.KnownSpans(length, spans)")
        return self.between(np.arange(self.length + 1))


@dataclass(frozen=True)
class KnownSpans(Mask):
    """Trees that have nodes with known spans, whatever else they have: what `allowed` takes, for series of any length.

    Spans that overlap a known one without one containing the other are no nodes, and spans that contain it are no leaves; so
    in a tree with two children per node it is a node. Other spans are free.

    Arguments:
        length: the number of observations.
        spans: half-open spans (start, end), none of which crosses another.
    """

    length: int
    spans: tuple[tuple[int, int], ...]

    def __init__(self, length: int, spans: Iterable[Sequence[int]]) -> None:
        length = whole_number(length, "length", least=1, most=LONGEST, error=DataError)
        taken: set[tuple[int, int]] = set()
        for start, end in check_spans(spans):
            if (start, end) in taken:
                continue
            if any(a < start < b < end or start < a < end < b for a, b in taken):
                raise DataError(
                    f"span {start}:{end} crosses another one; in a tree one contains the other, or they are apart"
                )
            taken.add((start, end))
            if not 0 <= start < end <= length:
                raise DataError(f"there is no span {start}:{end}; the series has {length} observations")
        object.__setattr__(self, "length", length)
        object.__setattr__(self, "spans", tuple(sorted(taken)))

    def between(self, points: np.ndarray) -> np.ndarray:
        points = positions(points, self.length, "points")
        mask = np.triu(np.full((len(points), len(points)), NODE, dtype=np.int8), 1)
        for start, end in self.spans:
            first, last = np.searchsorted(points, [start, end])  # the first points that are not before them
            after_first, after_last = np.searchsorted(points, [start, end], side="right")
            outer, own = mask[:after_first, last:], mask[first:after_first, last:after_last].copy()
            outer[outer == NODE] = INNER
            mask[first:after_first, last:after_last] = own
            mask[:first, after_first:last] = mask[after_first:last, after_last:] = NO_NODE  # what crosses it
        return mask


@dataclass(frozen=True)
class OnlySpans(Mask):
    """Trees with nodes of these spans and no others: what `allowed` takes, for series of any length.

    Arguments:
        length: the number of observations.
        spans: half-open spans (start, end) of all nodes.
        inner: of each, whether it is divided; others are leaves.
    """

    length: int
    spans: tuple[tuple[int, int], ...]
    inner: tuple[bool, ...]

    def between(self, points: np.ndarray) -> np.ndarray:
        mask = np.full((len(points), len(points)), NO_NODE, dtype=np.int8)
        edges = np.array(self.spans)
        places = np.minimum(np.searchsorted(points, edges), len(points) - 1)
        there = (points[places] == edges).all(axis=1)
        np.maximum.at(mask, tuple(places[there].T), np.where(self.inner, INNER, NODE).astype(np.int8)[there])
        return mask


def known_spans(length: int, spans: Iterable[Sequence[int]]) -> np.ndarray:
    """(N + 1, N + 1): the mask of `rb.KnownSpans`, which says what it means, and which is for long series.

    Arguments:
        length: the number of observations.
        spans: half-open spans (start, end), none of which crosses another.
    """
    return KnownSpans(length, spans).dense()


def balanced_preference(length: int, strength: float = 1.0) -> np.ndarray:
    """A `preference` for trees whose nodes divide in the middle: -strength log(n - 1) for each node of n > 1 observations.

    Arguments:
        length: the number of observations.
        strength: where leaves have one observation, 0 is every tree as probable as the others, many of which are far from
            balanced; 1 is trees by merging neighbours at random; more is more balanced.
    """
    length = whole_number(length, "length", least=1, most=LONGEST, error=DataError)
    strength = number(strength, "strength")
    check_square(length, 8, "a preference", "it is for short series")
    widths = np.arange(length + 1)[None, :] - np.arange(length + 1)[:, None]
    return np.where(widths > 1, -strength * np.log(np.maximum(widths - 1, 1)), 0.0)
