"""Values as tables and JSON have them: dates in one form, that of ISO 8601. (It needs numpy: import it where it is used.)"""

import json
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from functools import partial
from typing import Any

import numpy as np

LABELS = ("start", "end", "time", "low", "high")  # columns of tables in which rows are named
UNITS = ("D", "s", "ms", "us", "ns")  # in which dates are told


def json_text(document: dict[str, Any]) -> str:
    """JSON, with all dates in one form."""
    form = date_form(list(_within(document)))
    plainly = partial(plain, form=form)
    return json.dumps(document, indent=1, allow_nan=False, ensure_ascii=False, default=plainly) + "\n"


def _within(value: Any) -> Iterator[Any]:
    """What documents hold at their ends."""
    if isinstance(value, dict | list | tuple):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _within(one)
    else:
        yield value


def plain(value: Any, form: str = "") -> Any:
    """Values of numpy and dates as JSON has them."""
    if isinstance(value, np.datetime64 | date):
        return date_text(value, form)
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    return str(value)


def date_form(values: Sequence[Any]) -> str:
    """The shortest unit that says all dates among these to the full: D, or s and what is finer; "" where there are none."""
    naive = [value for value in values if isinstance(value, np.datetime64) and not np.isnat(value)]
    zoned = [value for value in values if isinstance(value, datetime)]
    if any(np.datetime_data(one.dtype)[0] in ("Y", "M") for one in naive) or not (naive or zoned):
        return ""
    array = np.array([*naive, *(np.datetime64(one.replace(tzinfo=None)) for one in zoned)])
    units = UNITS if not zoned else UNITS[1:]
    return next((unit for unit in units if (array.astype(f"M8[{unit}]") == array).all()), units[-1])


def date_text(value: Any, form: str = "") -> str:
    """A date in the manner of ISO 8601, in such a form."""
    if isinstance(value, np.datetime64):
        return str(value.astype(f"M8[{form}]") if form else value)
    if isinstance(value, datetime):
        return value.isoformat(
            timespec={"ms": "milliseconds", "us": "microseconds", "ns": "microseconds"}.get(form, "seconds")
        )
    return str(value)


def cell_of(name: str, value: Any, form: str) -> Any:
    """A value as a cell of a table, in a column of this name; labels of rows are told to the full."""
    if value is None:
        return ""
    if isinstance(value, float):
        return repr(float(value)) if name in LABELS else f"{value:.10g}"
    return date_text(value, form) if isinstance(value, np.datetime64 | date) else value
