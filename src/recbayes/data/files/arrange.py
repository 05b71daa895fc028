"""From columns to series: which column is the time, which one tells series apart, and which are the numbers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from recbayes.data.files.clocks import TIMES, possible_clocks, time_of, with_time_of_day, zone_of
from recbayes.data.files.column import DATES, EMPTY, MIXED, NUMBERS, TEXT, Column, Contents, not_among, sample
from recbayes.data.files.order import Clock, is_ordered
from recbayes.data.files.settings import Settings
from recbayes.errors import FileError

SELDOM = 0.05  # of rows
GROUPS = 1000  # series in one file, beyond which a column is not guessed to tell them apart
COUNTED = {
    "",
    "unnamed: 0",
    "index",
    "rownames",
    "row",
    "id",
    "no",
    "no.",
    "nr",
    "nr.",
    "#",
    "n",
    "record",
    "lfd. nr.",
}  # names of columns that may only count rows


@dataclass(frozen=True)
class Arranged:
    """The parts that columns play."""

    values: list[Column]
    time: Clock | None
    by: Column | None
    notes: list[str]


def arrange(contents: Contents, settings: Settings) -> Arranged:
    """The parts of all columns; what is not told is guessed, and noted."""
    notes: list[str] = []
    columns = list(contents.columns)
    names = [one.name for one in columns]
    for name in [*(settings.columns or ()), settings.time, settings.by]:
        if isinstance(name, str) and name not in names:
            raise not_among(name, names)
    _check_told(settings)
    told = {*(settings.columns or ()), settings.time, settings.by}
    if contents.named and len(columns) > 1 and columns[0].name not in told and _counts(columns[0], 1):
        columns = columns[1:]
        notes.append("the first column only counts rows, and is left out, unless chosen (columns)")
    by = columns[_place(columns, settings.by)] if isinstance(settings.by, str) else None
    groups = None if by is None else _group_numbers(by, contents)
    time = None if settings.time is False else time_of(columns, settings, by, groups, notes)
    if time is not None and (both := with_time_of_day(columns, time, settings)) is not None:
        columns = [one for one in columns if one.name != both[1]]
        time = both[0]
        notes.append(f"the time of day is {both[1]!r}")
    if settings.by is None:
        for clock in possible_clocks(columns, settings) if time is None else [time]:
            by = None if is_ordered(clock.stamps, None) else _separating(columns, clock, settings)
            if by is not None:
                notes += [f"time is {clock.name!r}"] if time is None else []
                notes.append(f"series are told apart by {by.name!r}")
                time = clock
                break
    rest = [one for one in columns if one is not by and (time is None or one.name != time.name)]
    if time is not None and settings.columns is None:
        rest = _without_counts(rest, notes)
    if time is not None:
        notes += zone_of(time)
    values = _values(rest, settings, notes)
    notes += [one.note for one in values if one.note]
    return Arranged(values, time, by, notes)


def _without_counts(rest: list[Column], notes: list[str]) -> list[Column]:
    """Columns beside a time, but for those that count rows, which show nothing but that time goes on."""
    numbers = [one for one in rest if one.kind == NUMBERS]
    counts = [one for one in numbers if _counts_rows(one)]
    if not counts or len(counts) == len(numbers):
        return rest
    listed = ", ".join(repr(one.name) for one in counts)
    what = "merely counts rows, and is" if len(counts) == 1 else "merely count rows, and are"
    notes.append(f"{listed} {what} left out, unless chosen (columns)")
    return [one for one in rest if one not in counts]


def _counts_rows(column: Column) -> bool:
    steps, first = np.diff(column.entries), column.entries[0]
    return len(steps) > 1 and bool((steps == 1).all() and (first in (0, 1) or column.name.lower() in COUNTED))


def _check_told(settings: Settings) -> None:
    """No column plays two parts."""
    parts = [one for one in (*(settings.columns or ()), settings.time, settings.by) if isinstance(one, str)]
    twice = next((one for one in parts if parts.count(one) > 1), None)
    if twice is not None:
        raise FileError(f"column {twice!r} is named twice, as time, group or column; it can be only one of them")


def _place(columns: Sequence[Column], name: str) -> int:
    return [one.name for one in columns].index(name)


def _counts(column: Column, position: int) -> bool:
    """Whether a column without a name, or one called index, has 0, 1, 2, ... or 1, 2, 3, ... in it."""
    if column.kind != NUMBERS or (column.name != str(position) and column.name.lower() not in COUNTED):
        return False
    return np.array_equal(column.entries - column.entries[0], np.arange(len(column.entries))) and column.entries[0] in (0, 1)


def _group_numbers(by: Column, contents: Contents) -> np.ndarray:
    texts = by.texts()
    empty = next((row for row, text in enumerate(texts) if not text), None)
    if empty is not None:
        raise FileError(f"{contents.place(empty)} does not say to which series it belongs: column {by.name!r} is empty")
    return np.unique(np.array(texts, dtype=np.object_).astype(str), return_inverse=True)[1]


def _separating(columns: Sequence[Column], time: Clock, settings: Settings) -> Column | None:
    """The first column whose entries tell series apart: in each of them, time goes on."""
    told = {*(settings.columns or ()), time.name}
    for kind in (TEXT, NUMBERS):
        for column in columns:
            if column.kind != kind or column.name in told:
                continue
            if kind == NUMBERS and not (np.isfinite(column.entries).all() and (column.entries % 1 == 0).all()):
                continue
            names, groups = np.unique(np.array(column.texts()).astype(str), return_inverse=True)
            if _is_by_chance(time.stamps, groups, len(names)):
                continue
            if "" not in names and 2 <= len(names) <= min(GROUPS, len(groups) // 3) and is_ordered(time.stamps, groups):
                return column
    return None


def _is_by_chance(stamps: np.ndarray, groups: np.ndarray, count: int) -> bool:
    """Whether hardly any row needs to be told apart, by a column that changes all the time: as who was on duty."""
    steps = np.diff(stamps).astype(np.float64)
    stuck = min(int((steps <= 0).sum()), int((steps >= 0).sum()))
    return stuck < SELDOM * len(steps) and int((groups[1:] != groups[:-1]).sum()) > 2 * count


def _values(rest: Sequence[Column], settings: Settings, notes: list[str]) -> list[Column]:
    """The columns of numbers."""
    if settings.columns is not None:
        chosen = [rest[_place(rest, name)] for name in settings.columns]
        for one in chosen:
            if one.kind not in (NUMBERS, EMPTY):
                what = "dates" if one.kind == DATES else "text"
                why = f"column {one.name!r} is {what}, such as {sample(one)}, where numbers are needed"
                raise FileError(one.problem or why)
        return chosen
    mixed = next((one for one in rest if one.kind == MIXED), None)
    if mixed is not None:
        raise FileError(f"{mixed.problem}; say it if that stands for a missing value (missing), or choose columns")
    chosen = [one for one in rest if one.kind == NUMBERS]
    if not chosen:
        empty = [one.name for one in rest if one.kind == EMPTY]
        if empty:
            listed = ", ".join(map(repr, empty[:8]))
            raise FileError(f"all values are missing in its column{'s' if len(empty) > 1 else ''} {listed}")
        kinds = [f"{one.name!r} is {'dates' if one.kind == DATES else 'text, such as ' + sample(one)}" for one in rest[:4]]
        raise FileError("there is no column of numbers in it" + (": " + "; ".join(kinds) if kinds else " but its time"))
    texts = [one for one in rest if one.kind == TEXT]
    if len(chosen) == 1 and texts and (chosen[0].name.lower() in TIMES or _counts(chosen[0], 1)):
        beside = f"beside {chosen[0].name!r}: {texts[0].name!r} is text, such as {sample(texts[0])}"
        raise FileError(f"there is no column of numbers {beside}; choose columns (columns) if that is meant")
    left = [one for one in rest if one not in chosen and not (one.kind == EMPTY and one.name.isdigit())]
    if left:
        named = {TEXT: "text", DATES: "dates", EMPTY: "empty"}
        notes.append("left out: " + ", ".join(f"{one.name!r} ({named[one.kind]})" for one in left[:8]))
    return chosen
