"""Series with the change points that people saw in them, made of what files say, whatever that is."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from recbayes.checks.arrays import short, whole_number
from recbayes.errors import FileError

LARGEST = 1e150  # of a value; the squares of larger ones overflow


class Score(NamedTuple):
    """Covering and F1; see `scores`."""

    cover: float
    f1: float


@dataclass(frozen=True, eq=False)
class AnnotatedSeries:
    """`values` is (observations, columns), NaN where nothing was observed; `annotations` are change points by annotator.

    `published` has the scores of other people's methods by name, those that are known.
    """

    name: str
    values: np.ndarray
    annotations: Mapping[str, Sequence[int]]
    published: Mapping[str, Score] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def columns(self) -> int:
        return self.values.shape[1]


def checksum(many: Sequence[AnnotatedSeries]) -> str:
    """Of all that is known of these series."""
    total = hashlib.sha256()
    for one in many:
        rest = [one.name, one.values.shape, dict(one.annotations), dict(one.published)]
        total.update(json.dumps(rest).encode() + one.values.tobytes())
    return total.hexdigest()[:16]


def make_series(name: str, columns: Any, annotations: Any, published: Any = None) -> AnnotatedSeries:
    """`columns` lists the values of every column, None for missing ones; `published` has pairs of numbers or None."""
    if not name.isprintable() or not name.strip():
        raise FileError("its name must be one line of text, and not empty")
    values = [_column(one, f"column {number}") for number, one in enumerate(listed(columns, "its columns"))]
    lengths = sorted({len(column) for column in values})
    if len(lengths) != 1 or lengths[0] < 2:
        raise FileError(
            f"it must have columns of one length, at least 2 observations; it has {len(values)} columns, of "
            f"{' and '.join(map(str, lengths)) or 'no'} observations"
        )
    given = fields(annotations, "its annotations")
    points = {annotator: _points(one, annotator, lengths[0]) for annotator, one in given.items()}
    if not points:
        raise FileError("nobody has annotated it; without change points of at least one annotator there is nothing to score")
    table = np.ascontiguousarray(np.array(values).T)
    table.setflags(write=False)
    return AnnotatedSeries(name, table, points, _scores(published))


def fields(data: Any, what: str) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise FileError(f"{what} must be an object with names, got {short(data)}")
    return data


def listed(data: Any, what: str) -> list[Any]:
    if not isinstance(data, list):
        raise FileError(f"{what} must be a list, got {short(data)}")
    return data


def _column(data: Any, what: str) -> np.ndarray:
    entries = listed(data, what)
    for place, entry in enumerate(entries):
        if entry is not None and (isinstance(entry, bool) or not isinstance(entry, int | float) or abs(entry) > LARGEST):
            raise FileError(
                f"{what} must be numbers up to {LARGEST:g}, null for missing ones; entry {place} is {short(entry)}"
            )
    if entries and all(entry is None for entry in entries):
        raise FileError(f"{what} has no values, all are missing; leave it out")
    return np.array(entries, dtype=np.float64)  # None becomes NaN


def _points(data: Any, annotator: str, length: int) -> tuple[int, ...]:
    what = f"change points of annotator {annotator!r}"
    found = {whole_number(point, what, least=0, most=length - 1, error=FileError) for point in listed(data, f"the {what}")}
    return tuple(sorted(found))


def _scores(data: Any) -> dict[str, Score]:
    """Methods without scores are left out."""
    found = {}
    for method, pair in fields({} if data is None else data, "its published scores").items():
        if pair == [None, None]:
            continue
        numbers = [
            number for number in listed(pair, "published scores") if type(number) in (int, float) and 0 <= number <= 1
        ]
        if len(pair) != 2 or len(numbers) != 2 or not method.isprintable():
            raise FileError(f"published scores are covering and F1, from 0 to 1, by method; got {short({method: pair})}")
        found[method] = Score(float(numbers[0]), float(numbers[1]))
    return found
