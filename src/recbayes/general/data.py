"""Sequences of general models: observations of one terminal, or of several."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from recbayes.checks.arrays import short
from recbayes.checks.many import named
from recbayes.checks.series import Series, as_series, is_many
from recbayes.errors import DataError
from recbayes.general.model.parts import Parts


class Observations(NamedTuple):
    """What was observed: of every position the number of its terminal and, by terminal, the values (positions, columns)
    where it is the one, NaN elsewhere and where they are missing."""

    kinds: np.ndarray  # (N,)
    values: tuple[np.ndarray, ...]

    def __len__(self) -> int:
        return len(self.kinds)


def read_observations(parts: Parts, data: Any) -> Observations:
    """An array (N,) or (N, columns) of the only terminal, or a list of pairs (terminal, value) if there are several."""
    if isinstance(data, Observations):
        return data
    if len(parts.terminals) == 1:
        return Observations(np.zeros(len(found := _rows(data)), dtype=np.int64), (found,))
    pairs = list(data) if isinstance(data, list | tuple) else []
    if not pairs or not all(isinstance(one, tuple | list) and len(one) == 2 for one in pairs):
        raise DataError(f"a sequence is a list of pairs (terminal, value), of {list(parts.terminals)}; got {short(data)}")
    unknown = [name for name, _ in pairs if name not in parts.terminals]
    if unknown:
        raise DataError(f"there is no terminal {short(unknown[0])}; the model has {list(parts.terminals)}")
    kinds = np.array([parts.terminals.index(name) for name, _ in pairs])
    by_kind: dict[int, list[Any]] = {
        n: [value for name, value in pairs if name == one] for n, one in enumerate(parts.terminals)
    }
    columns = []
    for number, given in by_kind.items():
        rows = _rows(given) if given else np.empty((0, 1))
        full = np.full((len(kinds), rows.shape[1]), np.nan)
        full[kinds == number] = rows
        columns.append(full)
    return Observations(kinds, tuple(columns))


def read_sequences(parts: Parts, data: Any) -> tuple[list[Observations], bool]:
    """One sequence or a list of them, and whether there was only one."""
    if isinstance(data, Observations):
        return [data], True
    if len(parts.terminals) == 1:
        many = is_many(data)
    else:
        many = isinstance(data, list | tuple) and len(data) > 0 and not any(_is_pair(one) for one in data)
    if not many:
        return [read_observations(parts, data)], True
    if not len(data):
        raise DataError("there are no sequences")
    return [named(f"series {n}", read_observations, parts, one) for n, one in enumerate(data)], False


def _is_pair(one: Any) -> bool:
    return isinstance(one, tuple | list) and len(one) == 2 and isinstance(one[0], str)


def _rows(data: Any) -> np.ndarray:
    if isinstance(data, Mapping):
        raise DataError(f"a sequence is an array of observations, or of observations by columns, got {short(data)}")
    values = data.values if isinstance(data, Series) else np.asarray(data, dtype=object)
    columns = 1 if np.ndim(values) < 2 else np.shape(values)[1]
    return as_series(data, columns).values
