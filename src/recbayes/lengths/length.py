"""What a length distribution says of itself: probabilities, draws, free parameters with their slopes, and its JSON form."""

from abc import ABC, abstractmethod
from dataclasses import fields, replace
from typing import Any, ClassVar, Self

import numpy as np

from recbayes.parameters.quantity import Quantity, Slopes, Values


class Length(ABC):
    """The number of observations of a leaf (of ticks, where these have times), at least one.

    Distributions are frozen dataclasses; fields are what is saved.
    """

    name: ClassVar[str]  # in files

    @property
    def shortest(self) -> int:
        """The smallest possible number."""
        return 1

    @property
    @abstractmethod
    def longest(self) -> int | None:
        """The largest possible number; None without limit."""

    @abstractmethod
    def log_probability(self, lengths: np.ndarray) -> np.ndarray:
        """Of each number; minus infinity for those below one.

        Arguments:
            lengths: an array of numbers of observations.
        """

    @abstractmethod
    def sample(self, rng: np.random.Generator) -> int:
        """A number drawn.

        Arguments:
            rng: where random numbers come from.
        """

    def quantities(self) -> tuple[Quantity, ...]:
        """What can be learnt: none by default. Quantities have the names of fields."""
        return ()

    def replaced(self, values: Values) -> Self:
        """The distribution with other values of some quantities.

        Arguments:
            values: by the names of quantities.
        """
        return replace(self, **values) if values else self  # type: ignore[type-var]

    def slopes(self, counts: np.ndarray) -> Slopes:
        """Derivatives of sum of counts[n] log p(n), with respect to every quantity.

        Arguments:
            counts: how often a leaf has 0, 1, 2, ... observations.
        """
        return {}

    def to_data(self) -> dict[str, Any]:
        """Fields as plain data."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Self:
        """From what `to_data` wrote; a missing field is a KeyError.

        Arguments:
            data: plain data, by the names of fields.
        """
        return cls(**{field.name: data[field.name] for field in fields(cls)})  # type: ignore[arg-type]
