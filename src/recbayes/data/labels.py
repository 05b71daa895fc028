"""Labels of rows in the terms of whoever gave them: when the rows were, and how that is said.

Labels are an index of pandas, or an array of numbers, texts, datetime64, or datetimes with their time zones. What differs
between them ends here: everybody else sees stamps (`times_of`) and texts (`texts_of`).
"""

import re
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from recbayes.checks.numbers import is_missing, numbers
from recbayes.errors import DataError

FRACTIONS = ("s", "ms", "us", "ns")
UNITS = ("D", "m", "s", "ms", "us", "ns")  # of dates in texts: the first that says all
PYTHONS = ("D", "s", "ms", "us")  # of dates and durations that Python has
MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])")


def times_of(labels: Any) -> np.ndarray | None:
    """Stamps of labels that are times: datetime64 (in UTC, days or finer), or float64 (durations in seconds); None if not.

    A period of pandas is where it begins. Missing labels are NaT or NaN.
    """
    if hasattr(labels, "to_timestamp"):
        labels = labels.to_timestamp(how="start")
    if getattr(labels, "tz", None) is not None:
        labels = labels.tz_convert(None)
    array = labels.to_numpy() if hasattr(labels, "to_numpy") else labels
    if array.dtype.kind == "O":
        array = _stamps_of_objects(array)
    if array is None or array.dtype.kind not in "iufMm":
        return None
    if array.dtype.kind in "iuf":
        return array.astype(np.float64)
    unit = np.datetime_data(array.dtype)[0]
    if array.dtype.kind == "M":  # months and years differ in length: days do not
        return array.astype("datetime64[D]" if unit in ("Y", "M", "W", "generic") else array.dtype)
    return None if unit in ("Y", "M", "generic") else array / np.timedelta64(1, "s")


def is_dates(entry: Any) -> bool:
    """Whether an object is a date, with a time of day or without, or a period."""
    return isinstance(entry, date) or hasattr(entry, "to_timestamp")


def _stamps_of_objects(entries: np.ndarray) -> np.ndarray | None:
    present = [entry for entry in entries if not is_missing(entry)]
    if present and all(hasattr(entry, "to_timestamp") for entry in present):
        entries = np.array([None if is_missing(entry) else entry.to_timestamp() for entry in entries], dtype=np.object_)
    moments = _moments(entries)
    if moments is None and all(isinstance(entry, Real | Decimal) and not isinstance(entry, bool) for entry in present):
        return numbers(entries, "labels must be numbers")
    return moments


def _moments(entries: Iterable[Any], *, local: bool = False) -> np.ndarray | None:
    """Dates as datetime64, those with a time zone in UTC or as `local` clocks show them; None if there is anything else."""
    found: list[Any] = []
    for entry in entries:
        if is_missing(entry):
            found.append(np.datetime64("NaT"))
        elif isinstance(entry, datetime) and entry.tzinfo is not None:
            found.append(np.datetime64((entry if local else entry.astimezone(UTC)).replace(tzinfo=None)))
        elif isinstance(entry, date):
            found.append(np.datetime64(entry))
        else:
            return None
    return np.array(found, dtype="datetime64" if found else "datetime64[D]")


def dates_in(labels: Any) -> np.ndarray | None:
    """The dates that texts spell in the manner of ISO 8601, months among them, as labels; None if some spell none."""
    if len(labels) and all(isinstance(label, str) and MONTH.fullmatch(label) for label in labels):
        return np.array(labels, dtype="datetime64[M]")
    try:
        found = [None if is_missing(label) else datetime.fromisoformat(label) for label in labels]
    except (TypeError, ValueError):
        return None
    if any(one is not None and one.tzinfo is not None for one in found):
        return np.array(found, dtype=np.object_)
    array = np.array(found, dtype="datetime64[us]")
    days = array.astype("datetime64[D]")
    return days if ((days == array) | np.isnat(array)).all() else array


def check_times(
    times: np.ndarray, labels: Any, name: str, advice: str = "", instead: Callable[[], str] = lambda: ""
) -> None:
    """Stamps are there and never go back; the advice follows the complaint, if there is none `instead` for rows that go
    back. Rows at the same time are nothing unusual."""
    missing = np.isnat(times) if times.dtype.kind == "M" else ~np.isfinite(times)
    if missing.any():
        raise DataError(f"the time of {name} is missing at row {missing.argmax()}; leave such rows out{advice}")
    back = times[1:] < times[:-1]
    if back.any():
        row = int(back.argmax()) + 1
        before, after = texts_of(labels[row - 1 : row + 1])
        raise DataError(
            f"{name} goes back in time at row {row}, from {before} to {after}; "
            f"{instead() or f'sort its rows by time first{advice}'}"
        )


def texts_of(labels: Any) -> list[str]:
    """How labels are said. All dates in them have one form: that of days where no time of day differs from midnight, and of
    seconds with no more digits than tell them apart. Offsets of a zone are said where clocks change."""
    clock = _clock(labels)
    if clock is None:
        return _rounded(labels) or [_text(label) for label in labels]
    unit = np.datetime_data(clock.dtype)[0]
    if unit not in ("Y", "M"):
        unit = next(unit for unit in UNITS if _says_all(clock, unit) or unit == UNITS[-1])
    texts = [str(text).replace("T", " ") for text in clock.astype(f"datetime64[{unit}]").astype(str)]
    aware = unit in UNITS[1:] and len(labels) and getattr(labels[0], "tzinfo", None) is not None
    offsets = [f"{label:%z}" for label in labels] if aware else []
    return [f"{text} {offset}" for text, offset in zip(texts, offsets, strict=True)] if len(set(offsets)) > 1 else texts


def _says_all(clock: np.ndarray, unit: str) -> bool:
    """Whether dates in this unit are what they were; fractions of seconds may go where they tell nothing apart."""
    coarse = clock.astype(f"datetime64[{unit}]")
    if unit in FRACTIONS:
        return len(np.unique(coarse)) == len(np.unique(clock))
    return bool((coarse == clock).all())


def _rounded(labels: Any) -> list[str]:
    """Numbers with fractions, to a hundredth of how far neighbours are apart; none if those would not be told apart."""
    array = labels.to_numpy() if hasattr(labels, "to_numpy") else labels
    if array.dtype.kind == "O" and all(isinstance(one, float) for one in array):
        array = array.astype(np.float64)
    if array.dtype.kind != "f" or not np.isfinite(array).all():
        return []
    apart = np.abs(np.diff(array))
    if not apart.any() or (array == np.round(array)).all():
        return []
    digits = 2 - int(np.floor(np.log10(np.median(apart[apart > 0]))))
    texts = [f"{label:.{max(digits, 0)}f}" for label in array.tolist()]
    texts = [text.rstrip("0").rstrip(".") if "." in text else text for text in texts]
    return texts if digits <= 12 and len(set(texts)) == len(np.unique(array)) else []


def _clock(labels: Any) -> np.ndarray | None:
    """What clocks and calendars showed, as datetime64; None for labels that say themselves."""
    if hasattr(labels, "to_timestamp"):
        return None
    if getattr(labels, "tz", None) is not None:
        labels = labels.tz_localize(None)
    array = labels.to_numpy() if hasattr(labels, "to_numpy") else labels
    if array.dtype.kind == "O":
        return _moments(array, local=True)
    return array if array.dtype.kind == "M" else None


def _text(label: Any) -> str:
    label = plain(label)
    if isinstance(label, tuple):
        return ", ".join(map(_text, label))
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def plain(label: Any, native: bool = False) -> Any:
    """A label as Python's own number or text, where numpy has it; dates and durations stay what they are, unless they are
    to be Python's, too (`native`), which knows no nanoseconds."""
    if isinstance(label, tuple):
        return tuple(plain(one, native) for one in label)
    if not isinstance(label, np.generic):
        return label
    if isinstance(label, np.datetime64 | np.timedelta64):
        return label.item() if native and np.datetime_data(label.dtype)[0] in PYTHONS else label
    return label.item()
