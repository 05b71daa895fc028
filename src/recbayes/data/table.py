"""A series as it was read: numbers, and what its rows and columns are called."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from recbayes.checks.arrays import whole_number
from recbayes.data.labels import plain, texts_of
from recbayes.errors import DataError

NAMED = 4  # columns that are listed


@dataclass(frozen=True, eq=False)
class Table:
    """Checked numbers (observations by columns, NaN for missing ones), read-only, with the labels that came with them.

    Attributes:
        values: the numbers, (N, columns).
        names: of the columns. None where they have none.
        index: labels of rows in their own terms: an index of pandas, or an array. None is 0 to N - 1.
        times: stamps, if labels are times: float64 or datetime64 (in UTC), never missing, never going back; equal ones are
            allowed. None where there are none.
        noise_covariance: of every observation, as in `Series`. None where the data bring none.
        native: whether dates are told as Python's own, as polars and pyarrow do.
    """

    values: np.ndarray
    names: tuple[str, ...] | None = None
    index: Any = None
    times: np.ndarray | None = None
    noise_covariance: np.ndarray | None = None
    native: bool = False

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        """How much there is, not all its numbers."""
        width = self.values.shape[1]
        names = ", ".join(map(repr, (self.names or ())[:NAMED])) + (f" and {width - NAMED} more" if width > NAMED else "")
        parts = [f"{len(self)} observations", f"of {names}" if self.names else f"{width} column{'s' * (width != 1)}"]
        if self.index is not None and len(self):
            parts.append(f"from {self.place(0)} to {self.place(len(self) - 1)}")
        return f"Table({', '.join(parts)})".replace(", of ", " of ")

    def to_numpy(self) -> np.ndarray:
        """The values."""
        return self.values

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.values, dtype=dtype) if copy else np.asarray(self.values, dtype=dtype)

    def label(self, position: int) -> Any:
        """The label of the row at which something begins, as its index has it; "end" after the last row.

        That is a Timestamp or Period of pandas, a date or datetime (of polars and pyarrow, and where there is a time zone),
        a datetime64, a number or a text.

        Arguments:
            position: the row, 0 to N.
        """
        position = self._checked(position)
        if position == len(self):
            return "end"
        return position if self.index is None else plain(self.index[position], self.native)

    def place(self, position: int) -> str:
        """How the label of a row is said in a sentence: 1898, 2008-10-01, row 17, the end.

        Arguments:
            position: the row, 0 to N.
        """
        position = self._checked(position)
        return "the end" if position == len(self) else self._places[position]

    @cached_property
    def _places(self) -> list[str]:
        return [f"row {row}" for row in range(len(self))] if self.index is None else texts_of(self.index)

    def _checked(self, position: int) -> int:
        return whole_number(position, "position", least=0, most=len(self), error=DataError)
