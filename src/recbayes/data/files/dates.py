"""Dates in texts and in numbers: ISO 8601, days and months in either order, names of months, quarters, any format."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np

ISO = re.compile(r"\d{4}-\d\d(-\d\d([T ]\d\d:\d\d(:\d\d([.,]\d+)?)?)?)?(?P<zone> ?(Z|[+-]\d\d:?\d\d))?$")
IN_NUMBERS = re.compile(
    r"(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})"
    r"(?:[T ]+(\d{1,2}):(\d\d)(?::(\d\d)(\.\d{1,6})?\d*)?(?: ?([AaPp])[Mm])?)?$"
)
OF_DAY = re.compile(r"(\d{1,2}):(\d\d)(?::(\d\d)(\.\d{1,6})?\d*)?(?: ?([AaPp])[Mm])?$")
QUARTER = re.compile(r"(\d{4})[- ]?[Qq]([1-4])$")
WITH_NAMES = (
    *("%d %b %Y", "%d-%b-%Y", "%d-%b-%y", "%d %B %Y", "%d. %B %Y", "%b %d, %Y", "%B %d, %Y", "%b %d %Y"),
    *("%b %Y", "%B %Y", "%b-%Y", "%b-%y", "%Y %b", "%Y-%b", "%Y/%m", "%m/%Y", "%d/%b/%Y"),
)
CLOCKS = ("", " %H:%M:%S", " %H:%M", " %I:%M:%S %p", " %I:%M %p")
SINCE_1990, UNTIL_2040 = 631_152_000.0, 2_208_988_800.0  # seconds
FIRST_SECOND, LAST_SECOND = 3e8, 5e9  # of 1979 and 2128, counted from 1970 on


class Dates(NamedTuple):
    """Labels of rows, as `labels` has them (missing ones are NaT or None), and how they were read."""

    labels: Any
    note: str


def dates_in_texts(cells: Sequence[str], missing: np.ndarray, told: str | None) -> Dates | None:
    """The dates that all cells but the missing ones spell; None if some spell none."""
    here = [cell.strip() for cell, gone in zip(cells, missing.tolist(), strict=True) if not gone]
    if not here:
        return None
    if told is not None and told != "iso":
        found = _by_format(here, told)
    elif ISO.match(here[0]):
        found = _iso(here)
    elif IN_NUMBERS.match(here[0]):
        found = _in_numbers(here)
    else:
        found = _quarters(here) if QUARTER.match(here[0]) else _named(here)
    if found is None or len(here) == len(cells):
        return found
    labels = np.empty(len(cells), dtype=found.labels.dtype)
    labels[~missing] = found.labels
    labels[missing] = None if labels.dtype.kind == "O" else np.datetime64("NaT")
    return Dates(labels, found.note)


def _iso(cells: list[str]) -> Dates | None:
    together = "".join(cells)
    dashes = together.count("-")
    zoned = "Z" in together or "+" in together or dashes not in (len(cells), 2 * len(cells))
    try:
        if zoned:
            return Dates(np.array([datetime.fromisoformat(cell) for cell in cells], dtype=np.object_), "")
        if min(map(len, cells)) < len("2000-01"):  # numpy takes years and words for dates, too
            return None
        return Dates(np.array(cells if "," not in together else [cell.replace(",", ".") for cell in cells], "M8"), "")
    except (ValueError, OverflowError):
        return None


def _in_numbers(cells: list[str]) -> Dates | None:
    """3.4.2024, 04/03/2024 12:30 and the like: in the order of day and month in which all are dates."""
    found = [IN_NUMBERS.match(cell) for cell in cells]
    if not all(found):
        return None
    parts: list[tuple] = [one.groups() for one in found if one is not None]
    first, last = np.array([(int(one[0]), int(one[3])) for one in parts]).T
    middle = np.array([int(one[2]) for one in parts])
    clocks = [_clock(one[4:]) for one in parts]
    if None in clocks:
        return None
    seconds = np.array(clocks, dtype=np.float64)
    sign = parts[0][1]
    tried: dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]
    if all(len(one[0]) == 4 for one in parts):
        tried = {f"year{sign}month{sign}day": (first, middle, last)}
    elif any(len(one[0]) > 2 or len(one[3]) not in (2, 4) for one in parts):
        return None
    else:
        years = np.where(last < 69, last + 2000, np.where(last < 100, last + 1900, last))
        tried = {
            f"day{sign}month{sign}year": (years, middle, first),
            f"month{sign}day{sign}year": (years, first, middle),
        }
    valid = {name: days for name, three in tried.items() if (days := _days(*three)) is not None}
    if not valid:
        return None
    timed = any(one[4] is not None for one in parts)
    stamps = {
        name: days + (seconds * 1e6).round().astype("timedelta64[us]") if timed else days for name, days in valid.items()
    }
    name = min(stamps, key=lambda one: _unevenness(stamps[one]))
    sure = "" if len(stamps) == 1 else "; say how they are written if that is wrong"
    return Dates(stamps[name], f"dates such as {cells[0]} are {name}{sure}")


def _clock(parts: Sequence[Any]) -> float | None:
    """Seconds since midnight, up to 24:00; None if no clock shows that."""
    hour, minute, second, fraction, half = parts
    if hour is None:
        return 0.0
    if not (1 <= int(hour) <= 12 if half else int(hour) <= 24) or int(minute) > 59 or int(second or 0) > 59:
        return None
    hours = int(hour) % 12 + (12 if half in "pP" else 0) if half else int(hour)
    seconds = 3600.0 * hours + 60.0 * int(minute) + int(second or 0) + float(fraction or 0)
    return seconds if seconds <= 86_400.0 else None


def seconds_in(cells: Sequence[str]) -> np.ndarray | None:
    """Times of day, as seconds since midnight; None if some cells are none."""
    found = [OF_DAY.match(cell.strip()) for cell in cells]
    if not all(found):
        return None
    clocks = [_clock((one[1], one[2], one[3], one[4], one[5])) for one in found if one is not None]
    return None if None in clocks else np.array(clocks, dtype=np.float64)


def _days(years: np.ndarray, months: np.ndarray, days: np.ndarray) -> np.ndarray | None:
    """Dates of the calendar; None if some are none."""
    if not ((months >= 1) & (months <= 12) & (days >= 1) & (years >= 1)).all():
        return None
    first = (years - 1970).astype("datetime64[Y]").astype("datetime64[M]") + (months - 1)
    found = first.astype("datetime64[D]") + (days - 1)
    return found if (found.astype("datetime64[M]") == first).all() else None


def _unevenness(stamps: np.ndarray) -> tuple[bool, float]:
    """Of two ways to read dates, the right one gives order and even steps."""
    steps = np.diff(stamps).astype(np.float64)
    back = bool((steps < 0).any() and (steps > 0).any())
    return back, float(np.std(steps) / np.abs(steps).mean()) if steps.any() else 0.0


def _quarters(cells: list[str]) -> Dates | None:
    found = [QUARTER.match(cell) for cell in cells]
    if not all(found):
        return None
    months = [f"{one[1]}-{3 * int(one[2]) - 2:02}" for one in found if one is not None]
    return Dates(np.array(months, dtype="datetime64[M]"), f"{cells[0]} is a quarter, said by its first month")


def _named(cells: list[str]) -> Dates | None:
    """With names of months; the first cell says in which way."""
    if not any(sign.isdigit() for sign in cells[0]):
        return None
    for form in WITH_NAMES:
        for clock in CLOCKS:
            found = _by_format(cells[:1], form + clock) and _by_format(cells, form + clock)
            if found is not None:
                return found
    return None


def _by_format(cells: list[str], form: str) -> Dates | None:
    try:
        found = [datetime.strptime(cell, form) for cell in cells]
    except (ValueError, re.error):  # a directive that is twice in a form breaks its pattern
        return None
    if any(one.tzinfo is not None for one in found):
        return Dates(np.array(found, dtype=np.object_), f"dates as in {form}")
    stamps = np.array(found, dtype="datetime64[us]")
    whole = "%d" not in form and "%j" not in form and "%H" not in form
    days = stamps.astype("datetime64[M]" if whole else "datetime64[D]")
    return Dates(days if (days == stamps).all() else stamps, f"dates such as {cells[0]} are {form}")


def may_be_since_1970(values: np.ndarray, ordered: bool = True) -> bool:
    """Whether numbers without a telling name are seconds or milliseconds since 1970: whole, and mostly in even steps."""
    if len(values) < 3 or not np.isfinite(values).all() or (values != np.floor(values)).any():
        return False
    scale = next((one for one in (1.0, 1e3) if ((values >= SINCE_1990 * one) & (values <= UNTIL_2040 * one)).all()), None)
    if scale is None or not ordered:
        return scale is not None
    steps = np.abs(np.diff(values))
    return bool((np.abs(steps - np.median(steps)) <= 0.05 * np.median(steps)).mean() > 0.5)


def dates_in_numbers(values: np.ndarray) -> Dates | None:
    """Dates that numbers spell: 20240131, or seconds or milliseconds since 1970; missing ones are NaT."""
    gone = np.isnan(values)
    if gone.all() or np.isinf(values).any():
        return None
    if gone.any():
        found = dates_in_numbers(values[~gone])
        if found is None:
            return None
        labels = np.full(len(values), np.datetime64("NaT"), dtype=found.labels.dtype)
        labels[~gone] = found.labels
        return Dates(labels, found.note)
    if (values == np.floor(values)).all() and ((values >= 18000101) & (values <= 21991231)).all():
        whole = values.astype(np.int64)
        days = _days(whole // 10000, whole // 100 % 100, whole % 100)
        if days is not None:
            return Dates(days, f"numbers such as {whole[0]} are dates")
    for name, scale in (("seconds", 1.0), ("milliseconds", 1e3), ("microseconds", 1e6), ("nanoseconds", 1e9)):
        if ((values >= FIRST_SECOND * scale) & (values <= LAST_SECOND * scale)).all():
            stamps = np.round(values / scale * 1e6).astype(np.int64).astype("datetime64[us]")
            return Dates(stamps, f"numbers such as {values[0]:.16g} are {name} since 1970")
    return None
