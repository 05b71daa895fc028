"""What all verbs do first: find the family, read the data, and say what is known of the trees."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from recbayes.checks.many import named, run_many
from recbayes.checks.series import Series
from recbayes.errors import DataError, LengthError
from recbayes.family.cost import fits, warn_if_long
from recbayes.family.family import Family, family_of
from recbayes.inference.candidates import is_automatic
from recbayes.spans.constraints import Constraints, Known, constraints_of

Result = TypeVar("Result")
SHORT, MANY = 300, 1000  # observations of a sequence, and sequences, up to which nothing takes minutes


class Frame(Protocol):
    """A data frame of any library."""

    def to_numpy(self) -> np.ndarray: ...


OneSequence = np.ndarray | Series | Frame | Sequence[float | None] | Sequence[str | int | None]
"""A series (N x columns, or one column), or the tokens of a sentence.

(Nested lists are read as well: as one series of several columns by Gaussian models, as many sentences by grammars, which
types cannot tell apart. So is a three-dimensional array, as many series.)
"""

ManySequences = Sequence[np.ndarray | Series | Frame]
"""A list of series."""

ManyTokens = Sequence[Sequence[str | int | None]]
"""A list of sentences."""


class Task(NamedTuple):
    """Sequences to work on, each with its constraints, and how each is called in messages."""

    family: Family
    model: Any
    sequences: list[Any]
    constraints: list[Constraints]
    names: list[str]
    single: bool

    def run(self, work: Callable[..., Result], *columns: Sequence[Any], executor: Executor | None = None) -> list[Result]:
        """`work(model, sequence, constraints, ...)` for every sequence; columns have one further argument for each."""
        rows = [self.model] * len(self.sequences), self.sequences, self.constraints, *columns
        if self.single:
            return [work(*(row[0] for row in rows))]
        return run_many(named, self.names, [work] * len(self.sequences), *rows, executor=executor)

    def warn_if_long(self, what: str, components: int = 1, times: float = 1.0, by_default: bool = False) -> None:
        """A warning if it takes long to do `times` what it takes to fill all charts, without those whose boundaries will be
        looked for, `by_default` or not."""
        if not self.family.has("cost"):
            return
        seconds = 0.0
        for sequence, constraints in zip(self.sequences, self.constraints, strict=True):
            if is_automatic(self.model, sequence, constraints, by_default):
                continue
            if len(sequence) > SHORT or len(self.sequences) > MANY:
                with suppress(DataError, LengthError):  # these are for who does it, and knows their names
                    cost = self.family.cost(self.model, len(sequence), constraints, components)
                    seconds += cost.seconds if fits(cost) else 0.0
        workers = min(len(self.sequences), os.cpu_count() or 1)
        warn_if_long(times * seconds / workers, what, self.family.advice)

    def result(self, results: list[Result]) -> Any:
        """One result for one sequence, a list for a list."""
        return results[0] if self.single else results


def read(model: Any, data: Any, known: Known) -> Task:
    """One sequence or many, checked, with what is known of their trees."""
    family = family_of(model)
    sequences, single = family.read(model, data)
    names = [""] if single else [f"{family.noun} {number}" for number in range(len(sequences))]
    return Task(family, model, sequences, constraints_of(known, len(sequences), single, family.noun), names, single)


def read_one(model: Any, data: Any, what: str) -> Any:
    """One sequence, for verbs that are about one."""
    found = family_of(model).read(model, data)
    if not found.single:
        raise DataError(f"{what} one {family_of(model).noun}, got several; ask for one at a time")
    return found.sequences[0]
