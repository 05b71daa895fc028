"""Leaves whose numbers of observations have a probability each."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from recbayes.checks.arrays import check_probabilities, frozen
from recbayes.errors import ModelError
from recbayes.lengths.length import Length
from recbayes.parameters.quantity import Quantity


@dataclass(frozen=True)
class LengthTable(Length):
    """A probability for each number of observations.

    Arguments:
        probabilities: of 1, 2, 3, ... observations; they sum to one, and the last is not zero.
    """

    probabilities: tuple[float, ...]

    name: ClassVar[str] = "table"

    def __post_init__(self) -> None:
        table = frozen(self.probabilities, "probabilities of lengths")
        if table.ndim != 1 or not table.size:
            raise ModelError(f"probabilities of lengths must be a non-empty list, got shape {table.shape}")
        check_probabilities(table, "probabilities of lengths")
        if table[-1] == 0:
            raise ModelError("the last probability of a length table must not be zero; leave the longest lengths out")
        object.__setattr__(self, "probabilities", tuple(table.tolist()))

    @property
    def shortest(self) -> int:
        return 1 + int(np.flatnonzero(self.probabilities)[0])

    @property
    def longest(self) -> int:
        return len(self.probabilities)

    def log_probability(self, lengths: np.ndarray) -> np.ndarray:
        lengths = np.asarray(lengths)
        known = (lengths >= 1) & (lengths <= self.longest)
        with np.errstate(divide="ignore"):
            table = np.log(np.asarray(self.probabilities))
        return np.where(known, table[np.where(known, lengths - 1, 0)], -np.inf)

    def sample(self, rng: np.random.Generator) -> int:
        return 1 + int(rng.choice(self.longest, p=np.asarray(self.probabilities)))

    def quantities(self) -> tuple[Quantity, ...]:
        return (Quantity("probabilities", "probabilities", list(self.probabilities)),)

    def slopes(self, counts: np.ndarray) -> dict[str, np.ndarray]:
        """With respect to the logarithms: how often each number was counted."""
        padded = np.zeros(self.longest)
        padded[: len(counts) - 1] = counts[1 : self.longest + 1]
        return {"probabilities": padded}

    def to_data(self) -> dict[str, Any]:
        return {"probabilities": list(self.probabilities)}
