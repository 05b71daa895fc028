"""Rows in the order of their times: what goes back, what coincides, and what is done about it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from recbayes.data.labels import texts_of, times_of
from recbayes.errors import FileError

ENDS_OF_SUMMER = (9, 10, 11, 3, 4)  # months, in the north and in the south
HOUR = np.timedelta64(3601, "s")
LOOKED_AT = 1000  # pairs of rows at one time
NIGHT = (
    "which is in a night in which clocks go back, where an hour is there twice: write times with their offset "
    "(2024-10-27T02:00+02:00) or in UTC"
)


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
    clock: Clock,
    rows: np.ndarray,
    place: Callable[[int], str],
    sort: bool,
    duplicates: str,
    notes: list[str],
    are_alike: Callable[[int, int], bool] = lambda row, other: False,
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
            back = f"{place(rows[row])} goes back in time, from {before} to {after}"
            if _clocks_go_back(stamps[row : row + 1]).all() and stamps[row - 1] - stamps[row] < HOUR:
                raise FileError(f"{back}, {NIGHT}, or sort the rows (sort) and keep both (duplicates keep)")
            raise FileError(f"{back}; sort the rows (sort), or say by which column series are told apart (by)")
        rows = rows[np.argsort(stamps, kind="stable")]
    stamps = clock.stamps[rows]
    same = stamps[1:] == stamps[:-1]
    if duplicates == "error" and same.any():
        row = int(same.argmax())
        first, second = sorted(rows[row : row + 2].tolist())
        when = texts_of(clock.labels[rows[row : row + 1]])[0]
        told = f"{place(first)} and {place(second)} have the same time, {when}"
        alike = np.array([are_alike(*rows[row : row + 2].tolist()) for row in np.flatnonzero(same)[:LOOKED_AT].tolist()])
        night = _clocks_go_back(stamps[1:][same][:LOOKED_AT]) & ~alike
        raise FileError(told + _why_twice(alike, night))
    return rows


def _why_twice(alike: np.ndarray, night: np.ndarray) -> str:
    """What rows at one time may be, and what to do about them."""
    number = f"{len(alike)}{' or more' if len(alike) == LOOKED_AT else ''}"
    if alike.all():
        rows = "a row is" if len(alike) == 1 else f"{number} rows are"
        return (
            f", as all their cells are the same: {rows} there twice; leave such rows out, or average them (duplicates mean)"
        )
    if night.all():
        return f", {NIGHT}, or say that both rows are kept (duplicates keep)"
    parts = []
    if alike.any():
        count = int(alike.sum())
        parts.append(f"{count} {'are' if count > 1 else 'is'} the same row twice")
    if night.any():
        count = int(night.sum())
        parts.append(f"{count} {'are' if count > 1 else 'is'} in a night in which clocks go back")
    said = f" (of {number} such pairs, " + ", and ".join(parts) + ")" if parts else ""
    how = "; say whether such rows are kept or averaged (duplicates), or by which column series are told apart (by)"
    return said + how


def _clocks_go_back(stamps: np.ndarray) -> np.ndarray:
    """Whether stamps lie in the first hours of a Sunday on which summer time may end."""
    if stamps.dtype.kind != "M":
        return np.zeros(len(stamps), dtype=np.bool_)
    days = stamps.astype("datetime64[D]")
    sunday = (days.astype(np.int64) + 4) % 7 == 0
    month = stamps.astype("datetime64[M]").astype(np.int64) % 12 + 1
    hours = (stamps - days) / np.timedelta64(1, "h")
    return sunday & np.isin(month, ENDS_OF_SUMMER) & (hours < 4.0) & (days != stamps)
