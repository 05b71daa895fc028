"""Candidate boundaries that were found by themselves: what was left out, and what that is expected to cost."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Candidates:
    """Positions at which segments of a series may begin and end, found by themselves; both ends are among them.

    Attributes:
        positions: in order.
        length: the number of observations.
        left_out: the expected number of boundaries elsewhere, as a model without a tree sees it: about as many nats of log
            evidence are lost.
        probability: of a boundary at each position, without a tree.
        looks: passes, from coarse to fine; a single one has seen every position.
    """

    positions: np.ndarray
    length: int
    left_out: float
    probability: np.ndarray
    looks: int = 1

    @property
    def all(self) -> bool:
        """Whether nothing was left out."""
        return len(self.positions) == self.length + 1

    def __len__(self) -> int:
        return len(self.positions)

    def __repr__(self) -> str:
        if self.all:
            return f"Candidates(all {len(self)} positions)"
        return f"Candidates({len(self)} of {self.length + 1} positions, {self.left_out:.2g} boundaries expected elsewhere)"
