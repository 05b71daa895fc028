"""What differs between the two segments at a change: which columns, and what about them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from recbayes.gaussian.posterior.leaves import Belief

if TYPE_CHECKING:
    from recbayes.segmentation.result import Segmentation

CLEAR = 3.0  # deviations, so that of forty columns in which nothing changed one in ten changes names one
LEAST_FACTOR = 1.3  # of noise, whose levels come from a grid


@dataclass(frozen=True)
class Effect:
    """What changed in a column where a segment ends and the next begins.

    Attributes:
        column: its name, or "column 0" and so on.
        quantity: "level", "slope" (per row or tick) or "noise".
        before: the posterior mean in the segment before the change.
        after: in the one after it. Of data that were taken in logarithms levels are as the data, slopes and noise those of
            the logarithms.
        deviations: how many posterior deviations the difference is from zero; at least three, or it would not be told.
    """

    column: str
    quantity: str
    before: float
    after: float
    deviations: float


def effects_of(found: "Segmentation") -> tuple[tuple[Effect, ...], ...]:
    """For every change those that are clear, the clearest first."""
    names = found.data.names or [f"column {number}" for number in range(found.data.values.shape[1])]
    beliefs: list[tuple[int, Belief]] = [
        (leaf.length, found.given_segments.leaf(leaf.start, leaf.end)) for leaf in found.tree.leaves
    ]
    return tuple(
        tuple(sorted(_between(names, left, right, found.logarithms), key=lambda one: -abs(one.deviations)))
        for left, right in pairwise(beliefs)
    )


def _between(
    names: Sequence[str], left: tuple[int, Belief], right: tuple[int, Belief], logarithms: bool
) -> Iterator[Effect]:
    (before_length, before), (after_length, after) = left, right
    for quantity in ("level", "slope", "noise"):
        one, other = getattr(before, quantity), getattr(after, quantity)
        if quantity == "noise":
            difference = np.log(other.mean) - np.log(one.mean)
            spread = np.sqrt(0.5 / before_length + 0.5 / after_length) * np.ones_like(difference)
            enough = np.abs(difference) >= np.log(LEAST_FACTOR)
        else:
            difference, spread = other.mean - one.mean, np.sqrt(one.std**2 + other.std**2)
            enough = np.ones_like(difference, dtype=bool)
        for c in np.flatnonzero(enough & (np.abs(difference) >= CLEAR * spread) & (spread > 0.0)):
            shown = np.exp if quantity == "level" and logarithms else float
            deviations = float(difference[c] / spread[c])
            yield Effect(names[int(c)], quantity, float(shown(one.mean[c])), float(shown(other.mean[c])), deviations)
