"""What an emission says of itself: checks, draws, free parameters with their slopes, JSON, and its potentials.

An emission is a rule A -> y[i:k]. The chart needs nothing of it but, for every span, the likelihood of its observations as a
function of x_A, a Gaussian potential, and learning the derivatives with respect to its own quantities, given those with
respect to all these potentials.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from recbayes.checks.series import Series
from recbayes.compiled.layout import row_block
from recbayes.errors import ModelError
from recbayes.gaussian.emissions.nearest import Expected
from recbayes.gaussian.emissions.potentials import Potentials
from recbayes.gaussian.model.parts import Link
from recbayes.lengths import LENGTHS, Length
from recbayes.parameters.quantity import Quantity, Slopes, Values

OBSERVED = "observed"  # beside those of quantities, the name of derivatives with respect to the observations


class Rows(NamedTuple):
    """Where the potentials of one emission are kept: for every width a row, with the potentials of all starts."""

    messages: np.ndarray
    base: int
    rows: np.ndarray  # (1, widths) of ROW, see `recbayes.compiled.layout`
    size: int  # dimensions, blank ones included
    expected: Expected | None = None  # where the means of columns are expected, for emissions that are not Gaussian

    def block(self, entries: np.ndarray, width: int) -> np.ndarray:
        """The row of a width as a view, one line per entry and one column per start; of the potentials, or derivatives."""
        return row_block(entries, self.base, self.rows[0, width], self.size)


class Member(NamedTuple):
    """One of the leaves that an emission chooses among: what distinguishes it in words, its probability, and itself."""

    name: str
    weight: float
    emission: "Emission"


class Sampled(NamedTuple):
    """Observations (rows) of a leaf that was drawn, and what is its own, by name."""

    rows: np.ndarray
    own: Mapping[str, np.ndarray]


class Linear(NamedTuple):
    """y = map x + offset + root e, with independent standard normal numbers e; and the log probability of what was
    assumed."""

    map: np.ndarray
    offset: np.ndarray
    root: np.ndarray
    log_probability: float = 0.0


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
    def members(self) -> tuple[Member, ...]:
        """What it chooses among at every leaf: itself alone, if it is no mixture. Each is an alternative of a cell."""
        return (Member("", 1.0, self),)

    @property
    def is_gaussian(self) -> bool:
        """Whether its potentials are the likelihood itself; else draws must be weighed by that."""
        return True

    def of_members(self, slopes: Sequence[Slopes], counts: Sequence[float]) -> Slopes:
        """The derivatives with respect to its quantities, from those of its members.

        Arguments:
            slopes: derivatives with respect to the quantities of each member.
            counts: derivatives with respect to the logarithms of the members' weights.
        """
        return {name: sum(one[name] for one in slopes) for name in slopes[0]} if len(slopes) > 1 else slopes[0]

    def own(self, drawn: Mapping[str, np.ndarray], ticks: float) -> Mapping[str, Any] | None:
        """What a leaf says of itself beside its value; None if there is nothing.

        Arguments:
            drawn: what is its own, by name, as it was drawn or is believed.
            ticks: how long the leaf lasts.
        """
        return None

    @property
    def regressors(self) -> int:
        """How many regressors of a series it has coefficients for."""
        return 0

    @property
    @abstractmethod
    def shows_value(self) -> bool:
        """Whether the value itself is observed, but for noise, so that the data's units are its units."""

    @abstractmethod
    def checked(self, where: str, dim: int) -> Self:
        """The emission of a variable with everything checked.

        Arguments:
            where: how errors begin.
            dim: the dimension of the variable.
        """

    @abstractmethod
    def sample(self, rng: np.random.Generator, value: np.ndarray, count: int, before: np.ndarray) -> "Sampled":
        """The observations of one leaf, drawn.

        Arguments:
            rng: where random numbers come from.
            value: the node's.
            count: how many observations.
            before: all observations before the leaf (rows).
        """

    @abstractmethod
    def quantities(self, variable: int) -> tuple[Quantity, ...]:
        """What can be learnt, but for the length. Quantities have the names of fields.

        Arguments:
            variable: the number of the variable that emits.
        """

    @abstractmethod
    def replaced(self, values: Values) -> Self:
        """The emission with other values of some fields, among them `probability` and `length`.

        Arguments:
            values: by the names of fields.
        """

    @abstractmethod
    def behind(self, link: Link | None) -> Self:
        """The same observations, as an emission of a value that leads to this one's through a link.

        Noise of the emission stays apart, as a series may bring its own.

        Arguments:
            link: a link without noise. None: the same value.
        """

    @abstractmethod
    def slopes_before(self, link: Link, slopes: Slopes) -> Slopes:
        """The derivatives with respect to this emission's quantities, from those of `behind(link)`.

        Arguments:
            link: the link.
            slopes: the derivatives of the emission behind it.
        """

    @abstractmethod
    def linear(self, dim: int, series: Series, start: int, end: int) -> Linear:
        """All entries of a span of a series together, whatever is missing, given the value x; e are at most as many.

        Arguments:
            dim: the dimension of x.
            series: the whole of it.
            start: the first observation of the span.
            end: the observation after its last.
        """

    @property
    @abstractmethod
    def noise(self) -> np.ndarray | None:
        """The covariance of an observation about the value, if the value itself is observed."""

    @abstractmethod
    def fill(self, series: Series, positions: np.ndarray, rows: Rows) -> None:
        """Write the potentials of all spans between points.

        Column i of `rows.block(rows.messages, width)` is the span from point i to point i + width; widths beyond the longest
        length have no columns. Columns beyond the last start are never used.

        Arguments:
            series: what is observed.
            positions: the observations at which the points stand.
            rows: where the potentials are written.
        """

    @abstractmethod
    def slopes(self, series: Series, positions: np.ndarray, rows: Rows, derivatives: np.ndarray) -> Slopes:
        """Derivatives with respect to the quantities, given those with respect to the potentials of all spans.

        Arguments:
            series: what is observed.
            positions: the observations at which the points stand.
            rows: where the potentials are.
            derivatives: in the layout of `rows.messages`; they may be used up. Those with respect to a precision are those
                of a symmetric matrix: along a symmetric direction E they are sum(D * E).
        """

    @abstractmethod
    def of_leaves(self, series: Series, positions: np.ndarray, size: int, expected: Expected | None) -> Potentials:
        """The potentials of the spans between neighbouring positions alone: the leaves of a tree.

        Arguments:
            series: what is observed.
            positions: where leaves begin and end.
            size: dimensions of the potentials, blank ones (last) included.
            expected: where the means of columns are expected, for emissions that are not Gaussian. None where nobody knows.
        """

    @abstractmethod
    def to_data(self) -> dict[str, Any]:
        """Everything but probability and length, as plain data."""

    @classmethod
    @abstractmethod
    def from_data(cls, data: dict[str, Any], probability: float, length: Length) -> Self:
        """From what `to_data` wrote; a missing field is a KeyError.

        Arguments:
            data: plain data.
            probability: of the rule.
            length: how many observations a leaf has.
        """


def check_length(length: object, where: str) -> Length:
    if not isinstance(length, Length):
        names = ", ".join(kind.__name__ for kind in LENGTHS)
        raise ModelError(f"{where}.length must be one of {names}, got {length!r}")
    return length


def length_slopes(emission: Emission, counts: np.ndarray) -> Slopes:
    """The derivatives of a length's quantities, by the names they have within the emission."""
    return {f"length.{name}": slope for name, slope in emission.length.slopes(counts).items()}
