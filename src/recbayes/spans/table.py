"""Probabilities of nodes by their spans, for those spans alone that have any: N observations have N^2 / 2 spans."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np

from recbayes.checks.arguments import whole_span
from recbayes.checks.arrays import number
from recbayes.checks.room import check_square
from recbayes.errors import DataError

DENSE = "see the `nodes` of what has it, which are those spans alone that are probable"


class SpanProbability(NamedTuple):
    """How probable it is that a span is a node.

    Attributes:
        start: its first observation.
        end: the observation after its last.
        probability: of the node.
        error: the standard error of that.
    """

    start: int
    end: int
    probability: float
    error: float


@dataclass(frozen=True, eq=False)
class SpanTable:
    """Spans that may be nodes, ordered by start and then by end, with their probabilities.

    All others have probability 0. Going through a table gives `SpanProbability`s.

    Attributes:
        points: where nodes may begin and end, from 0 to N.
        starts: the first observation of every span.
        ends: the observation after its last.
        probability: of every span to be a node.
        error: the standard errors of these.
        unseen: the error of spans that are not in the table: what no draw has may still exist.
    """

    points: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    probability: np.ndarray
    error: np.ndarray
    unseen: float = 0.0

    @classmethod
    def summed(cls, points: np.ndarray, starts: np.ndarray, ends: np.ndarray, values: np.ndarray) -> Self:
        """The table with the sums of all values that are given for a span, at most 1; they are exact.

        Arguments:
            points: where nodes may begin and end, from 0 to N.
            starts: of spans, in any order; a span may be there several times.
            ends: of these spans.
            values: what is summed.
        """
        size = int(points[-1]) + 1
        codes, which = np.unique(np.asarray(starts, dtype=np.int64) * size + ends, return_inverse=True)
        totals = np.minimum(np.bincount(which.reshape(-1), weights=values, minlength=len(codes)), 1.0)  # rounding of sums
        return cls(points, codes // size, codes % size, totals, np.zeros(len(codes)))

    @classmethod
    def between(cls, points: np.ndarray, probability: np.ndarray) -> Self:
        """The table of those probabilities that are not 0.

        Arguments:
            points: where nodes may begin and end, from 0 to N.
            probability: (M + 1, M + 1) by the numbers of the points where spans start and end.
        """
        starts, ends = np.nonzero(probability)
        return cls(points, points[starts], points[ends], probability[starts, ends], np.zeros(len(starts)))

    @property
    def length(self) -> int:
        """The number of observations."""
        return int(self.points[-1])

    def __len__(self) -> int:
        return len(self.starts)

    def __iter__(self) -> Iterator[SpanProbability]:
        columns = self.starts.tolist(), self.ends.tolist(), self.probability.tolist(), self.error.tolist()
        return map(SpanProbability._make, zip(*columns, strict=True))

    def __repr__(self) -> str:
        return f"SpanTable({len(self)} spans of {self.length} observations)"

    def at(self, start: int, end: int) -> SpanProbability:
        """One span, whether it is in the table or not.

        Arguments:
            start: its first observation.
            end: the observation after its last.
        """
        start, end = whole_span(start, end)
        if not 0 <= start < end <= self.length:
            raise DataError(f"there is no span {start}:{end}; the series has {self.length} observations")
        place = self._places(np.array([start]), np.array([end]))[0]
        found = (0.0, self.unseen) if place < 0 else (float(self.probability[place]), float(self.error[place]))
        return SpanProbability(start, end, *found)

    def of(self, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """The probabilities of many spans.

        Arguments:
            starts: an array of first observations.
            ends: an array of the observations after the last.
        """
        places = self._places(starts, ends)
        return np.where(places < 0, 0.0, self.probability[places]) if len(self) else np.zeros(len(places))

    def at_least(self, probability: float) -> Self:
        """The table of those spans that are probable.

        Arguments:
            probability: how probable, at least.
        """
        kept = self.probability >= number(probability, "probability")
        columns = {name: getattr(self, name)[kept] for name in ("starts", "ends", "probability", "error")}
        return replace(self, **columns)

    def dense(self) -> np.ndarray:
        """(N + 1, N + 1): the probabilities by start and end; an error if that is too large."""
        return self._filled("the probabilities of all spans", self.probability, 0.0)

    def dense_error(self) -> np.ndarray:
        """(N + 1, N + 1): their errors; 0 where no span is, on and below the diagonal."""
        return self._filled("the errors of all spans", self.error, self.unseen)

    def between_points(self) -> np.ndarray:
        """(M + 1, M + 1): the probabilities by the numbers of the points where spans start and end."""
        found = np.zeros((len(self.points), len(self.points)))
        found[np.searchsorted(self.points, self.starts), np.searchsorted(self.points, self.ends)] = self.probability
        return found

    @cached_property
    def _codes(self) -> np.ndarray:
        return self.starts * (self.length + 1) + self.ends

    def _places(self, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """Where spans stand in the table; -1 for others."""
        wanted = np.asarray(starts, dtype=np.int64) * (self.length + 1) + ends
        if not len(self):
            return np.full(len(wanted), -1)
        places = np.minimum(np.searchsorted(self._codes, wanted), len(self) - 1)
        return np.where(self._codes[places] == wanted, places, -1)

    def _filled(self, what: str, values: np.ndarray, others: float) -> np.ndarray:
        check_square(self.length, values.itemsize, what, DENSE)
        shape = self.length + 1, self.length + 1
        found = np.triu(np.full(shape, others), 1) if others else np.zeros(shape)
        found[self.starts, self.ends] = values
        return found
