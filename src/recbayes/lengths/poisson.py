"""Leaves with a Poisson number of further observations."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import gammaln, xlogy

from recbayes.checks.arrays import positive
from recbayes.lengths.length import Length
from recbayes.parameters.quantity import Quantity


@dataclass(frozen=True)
class OnePlusPoisson(Length):
    """One observation plus a Poisson number of further ones (the paper's multi-terminal transition).

    Arguments:
        rate: how many further observations a leaf has on average, a positive number.
    """

    rate: float

    name: ClassVar[str] = "one plus Poisson"
    longest: ClassVar[None] = None  # type: ignore[misc]

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", positive(self.rate, "rate", "; for exactly one observation use ExactlyOne()"))

    def log_probability(self, lengths: np.ndarray) -> np.ndarray:
        extra = np.asarray(lengths, dtype=np.float64) - 1.0
        with np.errstate(invalid="ignore"):
            values = xlogy(extra, self.rate) - self.rate - gammaln(extra + 1.0)
        return np.where(extra >= 0, values, -np.inf)

    def sample(self, rng: np.random.Generator) -> int:
        return 1 + int(rng.poisson(self.rate))

    def quantities(self) -> tuple[Quantity, ...]:
        return (Quantity("rate", "positive", self.rate),)

    def slopes(self, counts: np.ndarray) -> dict[str, float]:
        """d log p(n) = (n - 1) / rate - 1."""
        extra = np.arange(len(counts)) - 1.0
        return {"rate": float(counts @ (extra / self.rate - 1.0))}
