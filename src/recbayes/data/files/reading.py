"""What a file holds: `rb.data.read_file` returns it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from recbayes.data.table import Table
from recbayes.errors import DataError


@dataclass(frozen=True, eq=False, repr=False)
class Reading:
    """The series of a file. Wherever recbayes takes a series it takes the reading of a file that has one.

    Attributes:
        name: of the file.
        series: a `Table` of each, by the names of their groups, in the order of the file; one without a name, if there are
            no groups.
        columns: names of the columns of numbers.
        time: the column of times. None where there is none.
        by: the column that tells series apart. None where there is none.
        guessed: what was guessed to read them, in words.
    """

    name: str
    series: Mapping[str, Table]
    columns: tuple[str, ...]
    time: str | None
    by: str | None
    guessed: tuple[str, ...]

    @property
    def table(self) -> Table:
        """The only series; an error if there are several."""
        if len(self.series) != 1:
            names = list(self.series)
            said = ", ".join(map(repr, names[:8]))
            raise DataError(f"{self.name} has {len(names)} series, {said}; take one, as in reading[{names[0]!r}]")
        return next(iter(self.series.values()))

    def __getitem__(self, which: str | int) -> Table:
        """A series, by the name of its group or by its place."""
        if isinstance(which, str):
            if which not in self.series:
                raise DataError(f"{self.name} has no series {which!r}; it has {', '.join(map(repr, list(self.series)[:8]))}")
            return self.series[which]
        return list(self.series.values())[which]

    def __iter__(self) -> Iterator[Table]:
        return iter(self.series.values())

    def __len__(self) -> int:
        return len(self.series)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.table.values, dtype=dtype) if copy else np.asarray(self.table.values, dtype=dtype)

    def __repr__(self) -> str:
        return "\n".join([f"{self.name}: {self.extent()}", *self.guessed])

    def extent(self) -> str:
        """How many series and observations there are, and from when to when."""
        columns = ", ".join(self.columns[:6]) + (f" and {len(self.columns) - 6} more" if len(self.columns) > 6 else "")
        if len(self.series) == 1:
            table = next(iter(self.series.values()))
            return f"{_observations(len(table))} of {columns}, {table.place(0)} to {table.place(len(table) - 1)}"
        lengths = [len(one) for one in self.series.values()]
        count = (
            _observations(lengths[0]) if min(lengths) == max(lengths) else f"{min(lengths)} to {max(lengths)} observations"
        )
        names = ", ".join(list(self.series)[:6]) + (f" and {len(self.series) - 6} more" if len(self.series) > 6 else "")
        return f"{len(self.series)} series by {self.by} ({names}), {count} each, of {columns}"


def _observations(count: int) -> str:
    return f"{count} observation{'s' if count != 1 else ''}"
