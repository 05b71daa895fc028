"""Leaves with a negative binomial number of further observations: Poisson numbers whose rate differs from leaf to leaf."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import gammaln

from recbayes.checks.arrays import positive
from recbayes.lengths.length import Length
from recbayes.parameters.quantity import Quantity

SMALL = 1e-3  # below which the last slope is a power series: its closed form would cancel


@dataclass(frozen=True)
class OnePlusNegativeBinomial(Length):
    """One observation plus a negative binomial number k of further ones, E k = mean, Var k = mean + dispersion mean^2.

    Dispersion 1 is the geometric distribution, which forgets how long a leaf already is; towards dispersion 0 it becomes
    `OnePlusPoisson(mean)`, whose leaves are all about equally long; more than 1 has many short leaves and a few long ones.

    Arguments:
        mean: how many further observations a leaf has on average, a positive number.
        dispersion: how much more they vary than a Poisson number, a positive number.
    """

    mean: float
    dispersion: float

    name: ClassVar[str] = "one plus negative binomial"
    longest: ClassVar[None] = None  # type: ignore[misc]

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", positive(self.mean, "mean", "; for exactly one observation use ExactlyOne()"))
        advice = "; without dispersion it is OnePlusPoisson(mean)"
        object.__setattr__(self, "dispersion", positive(self.dispersion, "dispersion", advice))

    def log_probability(self, lengths: np.ndarray) -> np.ndarray:
        """With m the mean and a the dispersion: prod over j < k of (1 + a j), times m^k / k!, over (1 + a m)^(k + 1/a).

        Written so, nothing cancels as a goes to zero.
        """
        extra = np.asarray(lengths) - 1
        m, a = self.mean, self.dispersion
        rising = np.concatenate([[0.0], np.cumsum(np.log1p(a * np.arange(max(extra.max(initial=0), 0))))])
        k = np.maximum(extra, 0)
        values = rising[k] - gammaln(k + 1.0) + k * (np.log(m) - np.log1p(a * m)) - np.log1p(a * m) / a
        return np.where(extra >= 0, values, -np.inf)

    def sample(self, rng: np.random.Generator) -> int:
        shape = 1.0 / self.dispersion
        return 1 + int(rng.poisson(rng.gamma(shape, self.mean / shape)))

    def quantities(self) -> tuple[Quantity, ...]:
        return Quantity("mean", "positive", self.mean), Quantity("dispersion", "positive", self.dispersion)

    def slopes(self, counts: np.ndarray) -> dict[str, float]:
        k = np.maximum(np.arange(len(counts)) - 1, 0)
        m, a = self.mean, self.dispersion
        x = a * m
        by_mean = (k - m) / (m * (1.0 + x))
        j = np.arange(max(len(counts) - 2, 0))
        rising = np.concatenate([[0.0], np.cumsum(j / (1.0 + a * j))])
        if x > SMALL:
            rest = (np.log1p(x) - x / (1.0 + x)) / a**2
        else:  # log(1 + x) - x / (1 + x) = x^2 / 2 - 2 x^3 / 3 + 3 x^4 / 4 - ...
            rest = m**2 * (1 / 2 - x * (2 / 3 - x * (3 / 4 - x * (4 / 5 - x * 5 / 6))))
        by_dispersion = rising[k] - k * m / (1.0 + x) + rest
        return {"mean": float(counts @ by_mean), "dispersion": float(counts @ by_dispersion)}
