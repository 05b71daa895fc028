"""A column of a file: numbers, dates, or text that is neither."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from recbayes.errors import FileError

NUMBERS, DATES, TEXT, MIXED, EMPTY = "numbers", "dates", "text", "mixed", "empty"


@dataclass(frozen=True, eq=False)
class Column:
    """What a column holds. `entries` are float64 for numbers, labels of rows for dates (see `labels`), else texts.

    `problem` says where numbers or dates have something else among them, `note` how its dates were read.
    """

    name: str
    kind: str
    entries: Any
    problem: str = ""
    note: str = ""

    def texts(self) -> list[str]:
        """Its entries as names of groups; nothing where they are missing."""
        if self.kind == NUMBERS:
            return ["" if np.isnan(one) else f"{one:.15g}" for one in self.entries.tolist()]
        return [str(one).strip() for one in self.entries]


@dataclass(frozen=True)
class Contents:
    """All columns of a file, what was guessed to read them, and how its rows are called in complaints."""

    columns: Sequence[Column]
    named: bool
    notes: Sequence[str] = ()
    place: Callable[[int], str] = field(default="row {}".format)  # of a row, counted from 0

    def are_alike(self, row: int, other: int) -> bool:
        """Whether two rows have the same in all their cells."""
        pairs = ((one.entries[row], one.entries[other]) for one in self.columns)
        return all(here == there or (here != here and there != there) for here, there in pairs)

    def __len__(self) -> int:
        return len(self.columns[0].entries) if self.columns else 0


def named_columns(given: Sequence[str]) -> list[str]:
    """Names of columns, none of them twice; those without one have their number, counted from 1."""
    names: dict[str, None] = {}
    latest: dict[str, int] = {}
    for number, name in enumerate(given, start=1):
        name = own = " ".join(name.split()) or str(number)
        while own in names:
            latest[name] = latest.get(name, 1) + 1
            own = f"{name} ({latest[name]})"
        names[own] = None
    return list(names)


def not_among(name: str, names: Sequence[str]) -> FileError:
    """The error of a column that is not there."""
    listed = ", ".join(map(repr, names[:12])) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
    return FileError(f"there is no column {name!r}; there are {listed}")


def sample(column: Column) -> str:
    """The first of its entries that says something."""
    texts: list[Any] = [str(one) for one in column.entries[:100] if str(one).strip()]
    return repr(texts[0][:40]) if texts else "nothing"
