"""From columns to series: which column is the time, which one tells series apart, and which are the numbers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from recbayes.data.files.column import DATES, EMPTY, MIXED, NUMBERS, TEXT, Column, Contents, not_among
from recbayes.data.files.dates import dates_in_numbers, may_be_since_1970, seconds_in
from recbayes.data.files.order import Clock, clock_of, is_ordered
from recbayes.data.files.settings import Settings
from recbayes.errors import FileError

TIMES = {"time", "times", "t", "date", "dates", "datetime", "timestamp", "year", "month", "day", "week", "period", "when"}
TIMES |= {"seconds", "sec", "hours", "minutes", "ms", "index", "step", "ds", "epoch", "row", "ts", "utc", "time_ms", "zeit"}
SINCE_1970 = re.compile(r"ts|utc|unix.*|epoch.*|timestamp.*|time.?stamp.*", re.IGNORECASE)  # names of columns
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
    time = None if settings.time is False else _time(columns, settings, by, groups, notes)
    if time is not None and (both := _with_time_of_day(columns, time, settings)) is not None:
        columns = [one for one in columns if one.name != both[1]]
        time = both[0]
        notes.append(f"the time of day is {both[1]!r}")
    if settings.by is None:
        for clock in _possible(columns, settings) if time is None else [time]:
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
        notes += _zone(time)
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


def _zone(time: Clock) -> list[str]:
    """The offset of times that have one; they may have two, of winter and summer."""
    if getattr(time.labels, "dtype", None) != np.dtype(np.object_):
        return []
    offsets = dict.fromkeys(f"{one:%z}" for one in time.labels if getattr(one, "tzinfo", None) is not None)
    named = [f"UTC{offset[:3]}:{offset[3:]}" if offset != "+0000" else "UTC" for offset in offsets]
    return (
        [f"its times are of {named[0]}" if len(named) == 1 else f"its times are of {', '.join(named[:4])}"] if named else []
    )


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


def _time(
    columns: Sequence[Column], settings: Settings, by: Column | None, groups: np.ndarray | None, notes: list[str]
) -> Clock | None:
    """The time that is told; or the only dates; or numbers that are called like a time, or count in even steps."""
    if isinstance(settings.time, str):
        column = columns[_place(columns, settings.time)]
        if column.kind in (MIXED, TEXT):
            problem = column.problem or f"column {column.name!r} is text, such as {_sample(column)}"
            raise FileError(f"{problem}, and cannot be the time; a format such as %d.%m.%Y may help (dates)")
        clock = _clock(column, settings, called=True)
        notes += [column.note or clock.note] if column.note or clock.note else []
        return clock
    told = {*(settings.columns or ()), None if by is None else by.name}
    free = [one for one in columns if one.name not in told]
    dated = [one for one in free if one.kind == DATES]
    if len(dated) > 1:
        dated = [one for one in dated if one.name.lower() in TIMES] or dated
    if len(dated) > 1 and dated[0].name.lower() not in TIMES:
        listed = ", ".join(repr(one.name) for one in dated)
        raise FileError(f"there are several columns of dates, {listed}; say which is the time (time)")
    broken = [one for one in free if one.kind == MIXED and one.name.lower() in TIMES]
    if broken and not dated:
        raise FileError(f"{broken[0].problem}; mend it, or say that there is no time in the file")
    if settings.dates is not None and not dated and any(one.kind == NUMBERS for one in free):
        raise FileError(f"no column has dates such as {settings.dates} says; say which is the time, too (time)")
    if settings.since_1970:
        dated = []
    found: Clock | None = _clock(dated[0], settings) if dated else _counted(free, columns, groups, settings)
    if found is None and settings.since_1970 and not any(_is_called(one) for one in free):
        raise FileError("no column has times in seconds or milliseconds since 1970; say which is the time, too (time)")
    if found is not None:
        notes.append(f"time is column {found.name}" if found.name.isdigit() else f"time is {found.name!r}")
        note = dated[0].note if dated else found.note
        notes += [note] if note else []
    return found


def _is_called(column: Column) -> bool:
    """Whether a column has the name of a time."""
    return column.name.lower() in TIMES or SINCE_1970.fullmatch(column.name) is not None


def _clock(column: Column, settings: Settings, called: bool = False) -> Clock:
    if column.kind != NUMBERS:
        return clock_of(column.name, column.entries)
    called = called or settings.since_1970 or _is_called(column)
    dates = dates_in_numbers(column.entries) if called else None
    if settings.since_1970 and (dates is None or "since 1970" not in dates.note):
        raise FileError(f"column {column.name!r} has no seconds or milliseconds since 1970, such as 1735686000 (dates)")
    if dates is not None:
        return clock_of(column.name, dates.labels, dates.note)
    entries = column.entries
    whole = np.isfinite(entries).all() and (entries == np.floor(entries)).all() and (np.abs(entries) < 2**53).all()
    return clock_of(column.name, entries.astype(np.int64) if whole else entries)


def _counted(
    free: Sequence[Column], columns: Sequence[Column], groups: np.ndarray | None, settings: Settings
) -> Clock | None:
    """Numbers that are a time: they go on, and there are others beside them."""
    if sum(one.kind in (NUMBERS, MIXED) for one in columns) < 2:
        return None
    for column in free:
        if column.kind != NUMBERS or np.isnan(column.entries).any():
            continue
        stamped = column is free[0] and may_be_since_1970(column.entries)
        if settings.since_1970 and not (stamped or _is_called(column)):
            continue
        clock = _clock(column, settings, called=stamped)
        named = column.name.lower() in TIMES or (
            SINCE_1970.fullmatch(column.name) is not None and clock.stamps.dtype.kind == "M"
        )
        if (named or stamped) and is_ordered(clock.stamps, groups):
            return clock
        if column is free[0] and is_ordered(clock.stamps, groups) and _is_even(clock.stamps, groups):
            return clock
    return None


def _with_time_of_day(columns: Sequence[Column], time: Clock, settings: Settings) -> tuple[Clock, str] | None:
    """Days that repeat, with the column of times of day that tells them apart, and its name."""
    labels = time.labels
    if getattr(labels, "dtype", None) != np.dtype("M8[D]") or len(np.unique(labels)) == len(labels):
        return None
    for column in columns:
        if column.kind == TEXT and column.name not in (settings.by, *(settings.columns or ())):
            seconds = seconds_in(column.entries)
            if seconds is not None:
                stamps = labels + (1e6 * seconds).round().astype("timedelta64[us]")
                return clock_of(time.name, stamps), column.name
    return None


def _possible(columns: Sequence[Column], settings: Settings) -> list[Clock]:
    """Numbers that are called like a time, which they are if another column tells series apart."""
    if settings.time is not None:
        return []
    free = [one for one in columns if one.kind == NUMBERS and one.name not in (settings.columns or ())]
    whole = [one for one in free if np.isfinite(one.entries).all()]
    first = whole[0] if whole and whole[0] is columns[0] and may_be_since_1970(whole[0].entries, ordered=False) else None
    named = [one for one in whole if _is_called(one) or one is first]
    return [_clock(one, settings, called=one is first) for one in named]


def _is_even(stamps: np.ndarray, groups: np.ndarray | None) -> bool:
    """Whether all steps are the same, but for rounding."""
    steps = np.diff(stamps).astype(np.float64)
    if groups is not None:
        steps = steps[groups[1:] == groups[:-1]]
    return len(steps) > 1 and bool(np.abs(steps - steps.mean()).max() <= 1e-3 * np.abs(steps.mean()))


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
                why = f"column {one.name!r} is {what}, such as {_sample(one)}, where numbers are needed"
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
        kinds = [f"{one.name!r} is {'dates' if one.kind == DATES else 'text, such as ' + _sample(one)}" for one in rest[:4]]
        raise FileError("there is no column of numbers in it" + (": " + "; ".join(kinds) if kinds else " but its time"))
    texts = [one for one in rest if one.kind == TEXT]
    if len(chosen) == 1 and texts and (chosen[0].name.lower() in TIMES or _counts(chosen[0], 1)):
        beside = f"beside {chosen[0].name!r}: {texts[0].name!r} is text, such as {_sample(texts[0])}"
        raise FileError(f"there is no column of numbers {beside}; choose columns (columns) if that is meant")
    left = [one for one in rest if one not in chosen and not (one.kind == EMPTY and one.name.isdigit())]
    if left:
        named = {TEXT: "text", DATES: "dates", EMPTY: "empty"}
        notes.append("left out: " + ", ".join(f"{one.name!r} ({named[one.kind]})" for one in left[:8]))
    return chosen


def _sample(column: Column) -> str:
    texts: list[Any] = [str(one) for one in column.entries[:100] if str(one).strip()]
    return repr(texts[0][:40]) if texts else "nothing"
