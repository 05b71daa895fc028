"""Which column is the time: the one that is told, the only dates, or numbers that are called like a time or go on evenly."""

import re
from collections.abc import Sequence

import numpy as np

from recbayes.data.files.column import DATES, MIXED, NUMBERS, TEXT, Column, sample
from recbayes.data.files.dates import dates_in_numbers, may_be_since_1970, seconds_in
from recbayes.data.files.order import Clock, clock_of, is_ordered
from recbayes.data.files.settings import Settings
from recbayes.errors import FileError

TIMES = {"time", "times", "t", "date", "dates", "datetime", "timestamp", "year", "month", "day", "week", "period", "when"}
TIMES |= {"seconds", "sec", "hours", "minutes", "ms", "index", "step", "ds", "epoch", "row", "ts", "utc", "time_ms", "zeit"}
SINCE_1970 = re.compile(r"ts|utc|unix.*|epoch.*|timestamp.*|time.?stamp.*", re.IGNORECASE)  # names of columns


def time_of(
    columns: Sequence[Column], settings: Settings, by: Column | None, groups: np.ndarray | None, notes: list[str]
) -> Clock | None:
    """The time that is told; or the only dates; or numbers that are called like a time, or count in even steps."""
    if isinstance(settings.time, str):
        column = next(one for one in columns if one.name == settings.time)
        if column.kind in (MIXED, TEXT):
            problem = column.problem or f"column {column.name!r} is text, such as {sample(column)}"
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
        if column.kind != NUMBERS:
            continue
        gone = np.isnan(column.entries)
        if gone.any():
            if _is_called(column) and not gone.all() and _goes_on(column.entries, gone, groups):
                return _clock(column, settings)  # whose rows without a time are an error, unless they are blank
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


def _goes_on(entries: np.ndarray, gone: np.ndarray, groups: np.ndarray | None) -> bool:
    """Whether what is there of a column is a time."""
    return int((~gone).sum()) > 2 and is_ordered(entries[~gone], None if groups is None else groups[~gone])


def with_time_of_day(columns: Sequence[Column], time: Clock, settings: Settings) -> tuple[Clock, str] | None:
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


def possible_clocks(columns: Sequence[Column], settings: Settings) -> list[Clock]:
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


def zone_of(time: Clock) -> list[str]:
    """The offset of times that have one; they may have two, of winter and summer."""
    if getattr(time.labels, "dtype", None) != np.dtype(np.object_):
        return []
    offsets = dict.fromkeys(f"{one:%z}" for one in time.labels if getattr(one, "tzinfo", None) is not None)
    named = [f"UTC{offset[:3]}:{offset[3:]}" if offset != "+0000" else "UTC" for offset in offsets]
    return (
        [f"its times are of {named[0]}" if len(named) == 1 else f"its times are of {', '.join(named[:4])}"] if named else []
    )
