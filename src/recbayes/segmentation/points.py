"""Where a series may be cut, and what is known of its models before there is a tree."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from recbayes.segmentation.defaults import Candidate
from recbayes.spans.constraints import Constraints

BUDGET = 1e-3  # the probability of a boundary, below which a point is left out
NEGLIGIBLE = 1e-3  # a model with a smaller share of the posterior is not drawn from


class Points(NamedTuple):
    """Candidates (observations, both ends included), the expected number of boundaries elsewhere, how coarse the first look
    was (every so many observations), the models with their shares of the posterior without a tree, and which spans between
    candidates may be leaves and nodes (None: all)."""

    positions: np.ndarray
    left_out: float
    step: int
    models: tuple[Candidate, ...]
    shares: np.ndarray
    allowed: np.ndarray | None = None

    @property
    def constraints(self) -> Constraints:
        """Trees that are cut at candidates."""
        if self.allowed is None:
            return Constraints(boundaries=self.positions)
        return BetweenPoints(boundaries=self.positions, between=self.allowed)


@dataclass(frozen=True, eq=False)
class BetweenPoints(Constraints):
    """Trees some of whose spans between boundaries may be leaves, or nodes."""

    between: Any = None

    def mask_between(self, points: np.ndarray, length: int) -> np.ndarray:
        chosen = np.searchsorted(self.boundaries, points)
        return np.ascontiguousarray(self.between[np.ix_(chosen, chosen)])
