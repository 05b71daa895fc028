"""Quantities: the numbers of a model that can be free, each with its name, its kind and its unit.

Rules, lengths and emissions list their own; a family puts them together (`Family.quantities`). Derivatives go by the same
names: those of probabilities are with respect to their logarithms, those of covariances are symmetric.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

Kind = Literal["probabilities", "positive", "covariance", "numbers"]
Values = Mapping[str, Any]
Slopes = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Quantity:
    """One quantity of a model: probabilities, a positive number (or several), a covariance, or any numbers.

    `unit` says how large a change matters, given what the family knows of the data's units (`Family.units`): deviations for
    the dimensions of a covariance, one number for each of other numbers; None is one. Quantities with the same `tie` are
    one, of that name, where links are tied.
    """

    name: str
    kind: Kind
    value: Any
    unit: Callable[[Any], np.ndarray] | None = None
    tie: str = ""

    def within(self, place: str) -> "Quantity":
        """The quantity as part of something that has a name: "rate" within "x.rules[1].length"."""
        return replace(self, name=f"{place}.{self.name}")


def below(place: str, values: Values) -> dict[str, Any]:
    """The values of what lies within a place, by the names they have there."""
    start = f"{place}."
    return {name.removeprefix(start): value for name, value in values.items() if name.startswith(start)}
