"""Several series in one frame: what tells them apart, where their times do not go on from row to row."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from recbayes.data.columns import MANY, Columns
from recbayes.data.labels import times_of

TOGETHER = 4  # columns of texts, of which all pairs, and all of them, are tried


class _Group(NamedTuple):
    """Something that rows of one series have in common."""

    key: Any
    level: bool  # of the index, not a column
    column: int | None
    codes: np.ndarray
    words: bool  # no numbers


def told_apart(raw: Columns, times: np.ndarray, time: int | None, *, strictly: bool = False) -> str:
    """What to do about rows that are of several series; nothing if no column, and no level of the index, tells them apart.

    A column that does so has few distinct texts, categories or whole numbers, and for each of them times go forward
    (`strictly`: no two are the same, and numbers do not count).
    """
    groups = [one for one in _groups(raw, time) if one.words or not strictly]
    words = [one for one in groups if one.words][:TOGETHER]
    tried = [[one] for one in sorted(groups, key=lambda one: not one.words)]
    tried += [list(pair) for pair in combinations(words, 2)] + ([words] if len(words) > 2 else [])
    for some in tried:
        if len({one.level for one in some}) == 1 and _go_forward(_codes(some), times, strictly):
            return _advice(raw, some, time)
    return ""


def told_by_index(raw: Columns) -> str:
    """Likewise of an index with several levels, one of which is a time that goes back or repeats itself."""
    for level in range(getattr(raw.index, "nlevels", 1)) if getattr(raw.index, "nlevels", 1) > 1 else ():
        times = times_of(raw.index.get_level_values(level))
        if times is None or not _known(times):
            continue
        dates = times.dtype.kind == "M"
        steps = np.diff(times).astype(np.float64)
        if (steps < 0).any() or (dates and (steps == 0).any()):
            others = [one for one in _levels(raw.index, np.inf) if one.key != _level_name(raw.index, level)]
            others = others if dates else [one for one in others if one.words]  # years and months are one time
            if others and _go_forward(_codes(others), times, dates):
                return _advice(raw, others, None)
    return ""


def _groups(raw: Columns, time: int | None) -> Iterator[_Group]:
    yield from _levels(raw.index, 0.5)
    for column, array in enumerate(raw.arrays):
        words = raw.what_else(column) in ("text", "categories")
        if column != time and (words or array.dtype.kind in "iu"):
            codes = _numbered(array, 0.5)
            if codes is not None:
                yield _Group(raw.keys[column], False, column, codes, words)


def _levels(index: Any, most: float) -> Iterator[_Group]:
    """Those of an index of pandas; times are none."""
    for level in range(getattr(index, "nlevels", 0)):
        values = index.get_level_values(level)
        times = times_of(values)
        codes = None if times is not None and times.dtype.kind == "M" else _numbered(values.to_numpy(), most)
        if codes is not None:
            yield _Group(_level_name(index, level), True, None, codes, times is None)


def _level_name(index: Any, level: int) -> Any:
    return level if index.names[level] is None else index.names[level]


def _numbered(array: np.ndarray, most: float) -> np.ndarray | None:
    """Numbers of what is distinct, if there is more than one, and each comes more than once on the average."""
    distinct, codes = np.unique(np.array([str(one) for one in array]), return_inverse=True)
    return codes.reshape(-1) if 1 < len(distinct) <= most * len(array) else None


def _codes(some: list[_Group]) -> np.ndarray:
    stacked = np.stack([one.codes for one in some], axis=1)
    return np.unique(stacked, axis=0, return_inverse=True)[1].reshape(-1)


def _known(times: np.ndarray) -> bool:
    return not (np.isnat(times) if times.dtype.kind == "M" else ~np.isfinite(times)).any()


def _go_forward(codes: np.ndarray, times: np.ndarray, strictly: bool) -> bool:
    order = np.argsort(codes, kind="stable")
    steps = np.diff(times[order]).astype(np.float64)[np.diff(codes[order]) == 0]
    return bool(len(steps) and ((steps > 0) if strictly else (steps >= 0)).all() and (steps > 0).any())


def _advice(raw: Columns, some: list[_Group], time: int | None) -> str:
    keys = [one.key for one in some]
    said = " and ".join(map(repr, keys))
    given = repr(keys[0] if len(keys) == 1 else keys)
    parts = raw.splitting.format(f"level={given}" if some[0].level else given)
    left = {time, *(one.column for one in some)}
    numbers = [n for n in range(len(raw.arrays)) if n not in left and not raw.what_else(n)]
    columns = f", with columns=[{raw.listed(numbers)}]" if 0 < len(numbers) <= MANY and len(left - {None}) else ""
    verb = "tells" if len(keys) == 1 else "tell"
    return f"{said} {verb} several series apart: give a list of them{f', {parts}' if parts else ''}{columns}"
