"""How many observations one emission produces."""

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, xlogy

from recbayes.checks.arrays import frozen, number
from recbayes.errors import ModelError


@dataclass(frozen=True)
class ExactlyOne:
    """Every emission produces one observation."""

    longest = 1

    def log_probability(self, lengths: np.ndarray) -> np.ndarray:
        return np.where(np.asarray(lengths) == 1, 0.0, -np.inf)

    def sample(self, rng: np.random.Generator) -> int:
        return 1


@dataclass(frozen=True)
class OnePlusPoisson:
    """One observation plus a Poisson number of further ones (the paper's multi-terminal transition)."""

    rate: float
    longest = None

    def __post_init__(self) -> None:
        rate = number(self.rate, "rate")
        if rate <= 0:
            raise ModelError(f"rate must be positive, got {rate:.3g}; for exactly one observation use ExactlyOne()")
        object.__setattr__(self, "rate", rate)

    def log_probability(self, lengths: np.ndarray) -> np.ndarray:
        extra = np.asarray(lengths, dtype=np.float64) - 1.0
        with np.errstate(invalid="ignore"):
            values = xlogy(extra, self.rate) - self.rate - gammaln(extra + 1.0)
        return np.where(extra >= 0, values, -np.inf)

    def sample(self, rng: np.random.Generator) -> int:
        return 1 + int(rng.poisson(self.rate))


@dataclass(frozen=True)
class LengthTable:
    """Probabilities of 1, 2, 3, ... observations."""

    probabilities: tuple[float, ...]

    def __post_init__(self) -> None:
        table = frozen(self.probabilities, "probabilities of lengths")
        if table.ndim != 1 or not table.size:
            raise ModelError(f"probabilities of lengths must be a non-empty list, got shape {table.shape}")
        check_probabilities(table, "probabilities of lengths")
        if table[-1] == 0:
            raise ModelError("the last probability of a length table must not be zero; leave the longest lengths out")
        object.__setattr__(self, "probabilities", tuple(table.tolist()))

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


Length = ExactlyOne | OnePlusPoisson | LengthTable


def check_probabilities(values: np.ndarray, name: str) -> None:
    """Probabilities are not negative and sum to one."""
    if (values < 0).any():
        raise ModelError(f"{name} must not be negative, got {values.min():.6g}")
    if abs(values.sum() - 1.0) > 1e-9:
        raise ModelError(f"{name} must sum to one, they sum to {values.sum():.12g}")
