"""Rows in the order of their times: what goes back, what coincides, and what is done about it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from recbayes.data.labels import texts_of, times_of
from recbayes.errors import FileError


@dataclass(frozen=True)
class Clock:
    """The time of rows: labels as users have them, and stamps to compare."""

    name: str
    labels: Any
    stamps: np.ndarray  # datetime64 or float64
    note: str = ""


def clock_of(name: str, labels: Any, note: str = "") -> Clock:
    """A column of dates or numbers as a time."""
    stamps = times_of(labels)
    if stamps is None:
        raise FileError(f"column {name!r} cannot be the time: it has neither dates nor numbers")
    return Clock(name, labels, stamps, note)


def is_ordered(stamps: np.ndarray, groups: np.ndarray | None) -> bool:
    """Whether time goes on from row to row, or back from row to row, in every group."""
    if groups is not None:
        order = np.argsort(groups, kind="stable")
        stamps, groups = stamps[order], groups[order]
    steps = np.diff(stamps).astype(np.float64)
    if groups is not None:
        steps = steps[groups[1:] == groups[:-1]]
    return bool((steps > 0).all() or (steps < 0).all())


def ordered(
    clock: Clock, rows: np.ndarray, place: Callable[[int], str], sort: bool, duplicates: str, notes: list[str]
) -> np.ndarray:
    """The rows of a series in the order of their times."""
    stamps = clock.stamps[rows]
    missing = np.isnat(stamps) if stamps.dtype.kind == "M" else ~np.isfinite(stamps)
    if missing.any():
        count = int(missing.sum())
        more = f" ({count} rows have none)" if count > 1 else ""
        raise FileError(f"{place(rows[missing.argmax()])} has no time in column {clock.name!r}{more}; leave such rows out")
    steps = np.diff(stamps).astype(np.float64)
    if (steps <= 0).all() and (steps < 0).any():
        notes.append("the newest rows come first, and are turned round")
        rows = rows[::-1]
    elif (steps < 0).any():
        if not sort:
            row = int((steps < 0).argmax()) + 1
            before, after = texts_of(clock.labels[rows[row - 1 : row + 1]])
            raise FileError(
                f"{place(rows[row])} goes back in time, from {before} to {after}; sort the rows (sort), or say by which "
                "column series are told apart (by)"
            )
        rows = rows[np.argsort(stamps, kind="stable")]
    stamps = clock.stamps[rows]
    same = stamps[1:] == stamps[:-1]
    if duplicates == "error" and same.any():
        row = int(same.argmax())
        first, second = sorted(rows[row : row + 2].tolist())
        when = texts_of(clock.labels[rows[row : row + 1]])[0]
        raise FileError(
            f"{place(first)} and {place(second)} have the same time, {when}; say whether such rows are kept or "
            "averaged (duplicates), or by which column series are told apart (by)"
        )
    return rows
