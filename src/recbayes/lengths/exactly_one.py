"""Leaves with one observation."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from recbayes.lengths.length import Length


@dataclass(frozen=True)
class ExactlyOne(Length):
    """Every emission produces one observation."""

    name: ClassVar[str] = "exactly one"
    longest: ClassVar[int] = 1  # type: ignore[misc]

    def log_probability(self, lengths: np.ndarray) -> np.ndarray:
        return np.where(np.asarray(lengths) == 1, 0.0, -np.inf)

    def sample(self, rng: np.random.Generator) -> int:
        return 1
