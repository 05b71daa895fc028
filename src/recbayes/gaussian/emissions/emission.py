"""What an emission says of itself: checks, draws, free parameters with their slopes, JSON, and its potentials.

An emission is a rule A -> y[i:k]. The chart needs nothing of it but, for every span, the likelihood of its observations as a
function of x_A, a Gaussian potential, and learning the derivatives with respect to its own quantities, given those with
respect to all these potentials.
"""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np

from recbayes.errors import ModelError
from recbayes.gaussian.model.parts import Link
from recbayes.lengths import LENGTHS, Length
from recbayes.parameters.quantity import Quantity, Slopes, Values


class Emission(ABC):
    """A rule that leads from a variable to observations; kinds of it are frozen dataclasses."""

    name: ClassVar[str]  # in files

    probability: float
    length: Length

    @property
    @abstractmethod
    def columns(self) -> int:
        """The number of columns of what is observed."""

    @property
    @abstractmethod
    def shows_value(self) -> bool:
        """Whether the value itself is observed, but for noise, so that the data's units are its units."""

    @abstractmethod
    def checked(self, where: str, dim: int) -> Self:
        """The emission of a variable of dimension `dim` with everything checked; errors begin with `where`."""

    @abstractmethod
    def sample(self, rng: np.random.Generator, value: np.ndarray, count: int) -> np.ndarray:
        """So many observations (count x columns), given the node's value."""

    @abstractmethod
    def quantities(self, variable: int) -> tuple[Quantity, ...]:
        """What can be learnt, but for the length; the variable has this number. Quantities have the names of fields."""

    @abstractmethod
    def replaced(self, values: Values) -> Self:
        """The emission with other values of some fields, among them `probability` and `length`."""

    @abstractmethod
    def behind(self, link: Link | None) -> Self:
        """The same observations, as an emission of a value that leads to this one's through a link (None: the same value).

        The link has no noise. Noise of the emission stays apart, as a series may bring its own.
        """

    @abstractmethod
    def to_data(self) -> dict[str, Any]:
        """Everything but probability and length, as plain data."""

    @classmethod
    @abstractmethod
    def from_data(cls, data: dict[str, Any], probability: float, length: Length) -> Self:
        """From what `to_data` wrote; a missing field is a KeyError."""


def check_length(length: object, where: str) -> Length:
    if not isinstance(length, Length):
        names = ", ".join(kind.__name__ for kind in LENGTHS)
        raise ModelError(f"{where}.length must be one of {names}, got {length!r}")
    return length


def length_slopes(emission: Emission, counts: np.ndarray) -> Slopes:
    """The derivatives of a length's quantities, by the names they have within the emission."""
    return {f"length.{name}": slope for name, slope in emission.length.slopes(counts).items()}
