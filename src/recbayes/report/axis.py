"""The axis of a page: which time is at which row, and what rows are called.

Rows are equally far from each other, as in `found.plot()`; ticks stand where round times are reached. A page knows the times
of some rows (`KNOTS`), which are all of a short series and with lines between them close to all of a long one, and the
exact names of rows at which anything may begin or end.
"""

from datetime import datetime
from typing import Any

import numpy as np

from recbayes.data.table import Table

KNOTS = 1500  # rows whose times the page knows
GAPS, WIDE = 250, 3.0  # gaps of which it knows both ends; how much longer than other steps these are
NAMED = 2000  # rows up to which all have their names
LATEST = 8.0e15  # milliseconds from 1970: what scripts take for a date
COARSE = 60  # milliseconds that a series must last for its ticks to be dates
LONGEST = 60  # characters of a name


def axis_of(table: Table, ends: np.ndarray) -> dict[str, Any]:
    """The axis, with names of the rows next to `ends`.

    `kind` is "dates" (`times` are milliseconds from 1970, as clocks at the place showed them), "numbers", "names" (rows are
    told by their names alone) or "rows".
    """
    rows = np.arange(len(table)) if len(table) <= NAMED else np.unique(np.clip(np.append(ends, ends - 1), 0, len(table) - 1))
    found: dict[str, Any] = {"kind": "rows" if table.index is None else "names", "rows": rows.tolist()}
    if table.index is not None:
        found["names"] = [_cut(table.place(row)) for row in rows.tolist()]
    times = _numbers(table)
    if times is None:
        return found
    knots = np.linspace(0, len(table) - 1, min(len(table), KNOTS)).round().astype(np.int64)
    knots = np.unique(np.concatenate([knots, _beside_gaps(times)]))
    dates = table.times is not None and table.times.dtype.kind == "M"
    return {**found, "kind": "dates" if dates else "numbers", "knots": knots.tolist(), "times": times[knots].tolist()}


def _beside_gaps(times: np.ndarray) -> np.ndarray:
    """The rows before and after the largest gaps, between which lines would tell of times that no row has."""
    steps = np.diff(times).astype(np.float64)
    largest = np.argsort(-steps, kind="stable")[:GAPS]
    before = largest[steps[largest] > WIDE * np.median(steps)]
    return np.concatenate([before, before + 1])


def _cut(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"


def _numbers(table: Table) -> np.ndarray | None:
    """Times as numbers that never go back, if ticks can be found from them."""
    if table.times is None or len(table) < 2:
        return None
    if table.times.dtype.kind != "M":
        return table.times if np.isfinite(table.times).all() and table.times[-1] > table.times[0] else None
    clock = _clock(table)
    with np.errstate(over="ignore"):
        days = np.abs(clock.astype("datetime64[D]").astype(np.int64)).max()
    if days * 86_400_000.0 > LATEST:
        return None
    stamps = np.maximum.accumulate(clock.astype("datetime64[ms]").astype(np.int64))  # an hour comes twice in autumn
    return stamps if stamps[-1] - stamps[0] >= COARSE else None


def _clock(table: Table) -> np.ndarray:
    """What clocks at the place showed; without time zones, the times themselves."""
    labels: Any = table.index
    if getattr(labels, "tz", None) is not None:
        return labels.tz_localize(None).to_numpy()
    array = np.asarray(labels, dtype=object) if getattr(labels, "dtype", None) == np.object_ else None
    if array is not None and all(isinstance(one, datetime) and one.tzinfo is not None for one in array):
        return np.array([one.replace(tzinfo=None) for one in array], dtype="datetime64[us]")
    assert table.times is not None
    return table.times
