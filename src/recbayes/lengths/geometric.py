"""Leaves with a geometric number of observations beyond a fewest one."""

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from recbayes.checks.arrays import positive, whole_number
from recbayes.errors import ModelError
from recbayes.lengths.length import Length
from recbayes.parameters.quantity import Quantity, Values

MOST = 10**9  # observations that a leaf may have at least; more is a mistake


@dataclass(frozen=True)
class Geometric(Length):
    """At least so many observations; each beyond these is followed by another equally likely.

    Beyond the minimum a leaf forgets how long it already is, and the shortest lengths are the likeliest. What is learnt is
    `extra`, the mean number beyond the minimum, which stays. (With minimum 1 it is `OnePlusNegativeBinomial(mean - 1, 1)`,
    whose dispersion is learnt as well.)

    Arguments:
        mean: how many observations a leaf has on average, more than the minimum.
        minimum: how many it has at least.
    """

    mean: float
    minimum: int = 1

    name: ClassVar[str] = "geometric"
    longest: ClassVar[None] = None  # type: ignore[misc]

    def __post_init__(self) -> None:
        object.__setattr__(self, "minimum", whole_number(self.minimum, "minimum", least=1, most=MOST))
        object.__setattr__(self, "mean", positive(self.mean, "mean"))
        if self.mean <= self.minimum:
            exactly = "ExactlyOne()" if self.minimum == 1 else "a LengthTable"
            raise ModelError(
                f"mean must be more than the minimum, {self.minimum}, got {self.mean:.6g}; for leaves that are all equally "
                f"long use {exactly}"
            )

    @property
    def shortest(self) -> int:
        return self.minimum

    @property
    def extra(self) -> float:
        """The mean number of observations beyond the minimum."""
        return self.mean - self.minimum

    def log_probability(self, lengths: np.ndarray) -> np.ndarray:
        """(n - minimum) log q + log(1 - q), with q = extra / (1 + extra): the chance that another observation follows."""
        beyond = np.asarray(lengths, dtype=np.float64) - self.minimum
        return np.where(beyond >= 0, -beyond * np.log1p(1.0 / self.extra) - np.log1p(self.extra), -np.inf)

    def sample(self, rng: np.random.Generator) -> int:
        return self.minimum - 1 + int(rng.geometric(1.0 / (1.0 + self.extra)))

    def quantities(self) -> tuple[Quantity, ...]:
        return (Quantity("extra", "positive", self.extra),)

    def replaced(self, values: Values) -> Self:
        """Of an `extra` so small that rounding loses it, the smallest there is beside the minimum is left."""
        if "extra" not in values:
            return self
        mean = max(self.minimum + values["extra"], np.nextafter(float(self.minimum), np.inf))
        return type(self)(mean, self.minimum)

    def slopes(self, counts: np.ndarray) -> dict[str, float]:
        """d log p(n) = (n - minimum - extra) / (extra (1 + extra))."""
        beyond = np.arange(len(counts)) - self.minimum
        return {"extra": float(counts @ (beyond - self.extra)) / (self.extra * (1.0 + self.extra))}
