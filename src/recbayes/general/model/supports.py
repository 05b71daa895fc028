"""Where the values of a variable lie."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from recbayes.checks.arrays import whole_number

CLOSE = 1e-6  # a simplex sums to one but for so much


@dataclass(frozen=True)
class Support(ABC):
    """What all supports tell: how many numbers a value is (none if it is one of some states), and how many states there are
    (one if it is continuous)."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            object.__setattr__(self, name, whole_number(value, f"{type(self).__name__}: {name}", least=1))

    @property
    @abstractmethod
    def size(self) -> int:
        """How many numbers a value has; none if it is one of some states."""

    @property
    def states(self) -> int:
        """How many states there are; one if values are continuous."""
        return 1

    @property
    def is_discrete(self) -> bool:
        """Whether values are states."""
        return False

    def holds(self, values: np.ndarray) -> np.ndarray:
        """Whether values lie in it.

        Arguments:
            values: an array (..., size).
        """
        return np.isfinite(values).all(axis=-1)


@dataclass(frozen=True)
class Vectors(Support):
    """So many numbers."""

    dim: int = 1

    @property
    def size(self) -> int:
        return self.dim


@dataclass(frozen=True)
class Real(Vectors):
    """Vectors of real numbers.

    Arguments:
        dim: how many numbers.
    """


@dataclass(frozen=True)
class Positive(Vectors):
    """Vectors of positive numbers.

    Arguments:
        dim: how many numbers.
    """

    def holds(self, values: np.ndarray) -> np.ndarray:
        return np.asarray((np.isfinite(values) & (values > 0.0)).all(axis=-1))


@dataclass(frozen=True)
class Simplex(Vectors):
    """Probabilities, which sum to one.

    Arguments:
        dim: of how many things.
    """

    dim: int = 2

    def holds(self, values: np.ndarray) -> np.ndarray:
        return np.asarray(((values >= 0.0).all(axis=-1)) & (np.abs(values.sum(axis=-1) - 1.0) < CLOSE))


@dataclass(frozen=True)
class Discrete(Support):
    """One of the states 0, 1, ..., count - 1. Charts sum over these: they are never fixed.

    Arguments:
        count: how many states.
    """

    count: int = 2

    @property
    def size(self) -> int:
        return 0

    @property
    def states(self) -> int:
        return self.count

    @property
    def is_discrete(self) -> bool:
        return True
