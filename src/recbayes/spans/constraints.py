"""What users know of trees: where segments may begin and end, which spans may be nodes, and what is thought of them.

Verbs take it by keywords, one for a sequence or a list for many (`Known`); inside, it travels as one value per sequence
(`Constraints`). A new kind of constraint is a field of either, and its meaning in the chart.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, TypedDict

import numpy as np

from recbayes.checks.arrays import short
from recbayes.checks.positions import positions
from recbayes.errors import DataError
from recbayes.spans.candidates import Candidates
from recbayes.tree.known import Mask

Boundaries = Sequence[int] | np.ndarray
AUTO = "auto"  # boundaries that are to be found
Allowed = np.ndarray | Mask


class Known(TypedDict, total=False):
    """Keywords of all verbs that fill charts. For a list of sequences each is a list (None for those without), or None.

    `boundaries` are the positions at which segments may begin and end; the cost is then that of a sequence with so many
    observations. "auto" finds them, for Gaussian models, one word for all sequences of a list. `allowed` is a boolean array
    (N + 1, N + 1) of spans that may be nodes, or what is known of the tree (`rb.KnownSpans`, `tree.only_spans()`; as arrays
    `rb.known_spans`, `tree.span_mask()`). `preference` (N + 1, N + 1) says what is thought of spans: the weight of a
    tree is multiplied by exp(preference[i, k]) for each span that is a node (`rb.balanced_preference`). The weights of all
    trees then no longer sum to one: the evidence of a series in which all is missing says what to.
    """

    boundaries: Boundaries | Literal["auto"] | Sequence[Boundaries | Literal["auto"] | None] | None
    allowed: Allowed | Sequence[Allowed | None] | None
    preference: np.ndarray | Sequence[np.ndarray | None] | None


@dataclass(frozen=True, eq=False)
class Constraints:
    """The constraints on the trees of one sequence; None is none."""

    boundaries: Any = None
    allowed: Any = None
    preference: Any = None

    @property
    def any(self) -> bool:
        return any(value is not None for value in self.values())

    def values(self) -> tuple[Any, ...]:
        """All of them, in the order of the fields."""
        return tuple(getattr(self, field.name) for field in fields(self))

    @property
    def are_wanted(self) -> bool:
        """Whether boundaries are to be found."""
        return isinstance(self.boundaries, str) and self.boundaries == AUTO

    @property
    def candidates(self) -> Candidates | None:
        """The boundaries, where they were found and not given."""
        return self.boundaries if isinstance(self.boundaries, Candidates) else None

    def points(self, length: int) -> np.ndarray:
        """The positions at which segments may begin and end, the ends of the sequence among them, in order."""
        if self.boundaries is None:
            return np.arange(length + 1, dtype=np.int64)
        if self.candidates is not None:
            if self.candidates.length != length:
                raise DataError(f"the candidates are for {self.candidates.length} observations, the series has {length}")
            return self.candidates.positions
        return np.union1d([0, length], positions(self.boundaries, length, "boundaries"))

    def mask(self, length: int) -> np.ndarray:
        """(N + 1, N + 1) of NO_NODE, NODE and INNER (see `recbayes.tree.known`), or (0, 0) if all spans may be nodes."""
        if self.allowed is None:
            return np.zeros((0, 0), dtype=np.int8)
        if isinstance(self.allowed, Mask):
            return self._of_this_length(self.allowed, length).dense()
        mask = _array(self.allowed, "allowed")
        if mask.dtype not in (np.bool_, np.int8) or mask.shape != (length + 1, length + 1):
            raise DataError(
                f"allowed must be a boolean array of shape ({length + 1}, {length + 1}), one entry per start and end, or "
                f"what known_spans and Tree.span_mask make; got {mask.dtype} of shape {mask.shape}"
            )
        return np.ascontiguousarray(mask.astype(np.int8))

    def mask_between(self, points: np.ndarray, length: int) -> np.ndarray:
        """The mask of spans between points alone."""
        if isinstance(self.allowed, Mask):
            return self._of_this_length(self.allowed, length).between(points)
        mask = self.mask(length)
        return np.ascontiguousarray(mask[np.ix_(points, points)]) if len(mask) else mask

    @staticmethod
    def _of_this_length(mask: Mask, length: int) -> Mask:
        if mask.length != length:
            raise DataError(f"allowed is for {mask.length} observations, the series has {length}")
        return mask

    def refuse_preference(self, who: str) -> None:
        """For those who know none."""
        if self.preference is not None:
            raise DataError(
                f"{who} know no preference for spans; say it in the rules, or which spans are possible: allowed="
            )

    def preference_between(self, points: np.ndarray, length: int) -> np.ndarray:
        """What is added to the log probability of trees for each node between points; (0, 0) if nothing is."""
        if self.preference is None:
            return np.zeros((0, 0))
        given = _array(self.preference, "preference")
        shape = (length + 1, length + 1)
        fits = given.shape == shape and given.dtype.kind in "fiu"
        chosen = given[np.ix_(points, points)] if fits else given
        if not fits or not (np.isfinite(chosen) | np.tri(len(points), dtype=np.bool_)).all():
            raise DataError(
                f"preference must be numbers of shape {shape}, one for each start and end, finite where start < end (what "
                f"is ruled out is for allowed=); got {given.dtype} of shape {given.shape}"
            )
        return np.ascontiguousarray(chosen, dtype=np.float64)


FREE = Constraints()


def constraints_of(known: Known, count: int, single: bool, noun: str = "series") -> list[Constraints]:
    """One for each of so many sequences; a single one has its constraints bare, many have lists of them."""
    unknown = set(known) - set(Known.__annotations__)
    if unknown:
        raise TypeError(
            f"unexpected keyword {sorted(unknown)[0]!r}; what may be known of trees is {list(Known.__annotations__)}"
        )
    names = [field.name for field in fields(Constraints)]
    columns = [[known.get(name)] if single else _listed(known.get(name), count, name, noun) for name in names]
    return [Constraints(*row) for row in zip(*columns, strict=True)]


def _array(values: Any, name: str) -> np.ndarray:
    try:
        return np.asarray(values)
    except ValueError as problem:
        raise DataError(f"{name} must be an array, got {short(values)}") from problem


def _listed(values: Any, count: int, name: str, noun: str) -> list[Any]:
    if values is None or (name == "boundaries" and isinstance(values, str) and values == AUTO):
        return [values] * count
    if not isinstance(values, list | tuple) or len(values) != count:
        raise DataError(f"{name} must be a list with one entry for each of the {count} {noun}")
    return list(values)
