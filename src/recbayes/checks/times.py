"""When observations were made: time stamps, checked, as whole numbers of ticks.

A tick is the unit in which lengths count time. Most stamps lie on a grid, of which some are left out; its step is the tick.
Where they do not, it is about the median time between neighbours.
"""

import datetime
from typing import Any

import numpy as np

from recbayes.checks.arrays import short
from recbayes.checks.numbers import numbers
from recbayes.errors import DataError

MOST = 10_000_000  # ticks from the first observation to the last: lengths have tables of so many entries
FINEST = 20  # how many times finer than the median time between observations a grid may be
SLACK = 1e-6  # of a tick: how far off the grid stamps may be
CALENDAR = ("Y", "M")  # units of numpy's dates that are no fixed times


def as_times(times: object, unit: object, count: int, name: str) -> tuple[np.ndarray, float]:
    """Stamps as read-only numbers from 0 on, not decreasing, and the length of a tick in them, found if it is None.

    Dates become seconds (those of whole months or years, months).
    """
    array = _stamps(times, name)
    if array.shape != (count,):
        raise DataError(f"the times of {name} must have shape ({count},), one for each observation, got {array.shape}")
    dates = array.dtype.kind in "mM"
    unknown = np.isnat(array) if dates else ~np.isfinite(array)
    if unknown.any():
        row = int(np.flatnonzero(unknown)[0])
        raise DataError(f"the times of {name} must be known and finite, got {array[row]} at row {row}; leave that row out")
    back = array[1:] < array[:-1]
    if back.any():
        row = 1 + int(np.flatnonzero(back)[0])
        raise DataError(
            f"the times of {name} must not decrease, got {array[row]} after {array[row - 1]} at row {row}; sort the "
            "observations by their times"
        )
    with np.errstate(all="ignore"):
        offsets = array - array[0]
        offsets = offsets / _base(array.dtype) if dates else offsets.astype(np.float64)
        if not (np.isfinite(offsets) & (offsets >= 0.0)).all():  # whole numbers overflow to negative ones
            raise DataError(f"the times of {name} lie too far apart, from {array[0]} to {array[-1]}; give coarser ones")
        rounding = 4.0 * float(np.spacing(np.abs(array).max())) if array.dtype.kind == "f" else 0.0
        tick = _tick(offsets, rounding) if unit is None else _unit(unit, _base(array.dtype) if dates else None, name)
        total = float(offsets[-1] / tick)
    if not total <= MOST:
        raise DataError(
            f"the times of {name} span {total:.3g} ticks of {tick:.3g}, where {MOST} are possible; give a longer tick, as "
            "in Series(values, times=times, unit=...), or coarser times"
        )
    offsets.setflags(write=False)
    return offsets, tick


def ticks_of(times: np.ndarray, unit: float) -> np.ndarray:
    """(N + 1): the tick of every observation, and the end of the last one, which lasts one tick."""
    ticks = np.floor(times / unit + 0.5).astype(np.int64)
    ticks = np.append(ticks, ticks[-1] + 1)
    ticks.setflags(write=False)
    return ticks


def _stamps(times: object, name: str) -> np.ndarray:
    """Dates and whole numbers as they are, which is exact; other numbers as floating point."""
    given: Any = times.to_numpy() if hasattr(times, "to_numpy") and not hasattr(times, "__array__") else times
    try:
        array = np.asarray(given)
        if array.dtype.kind in "mMiu" and not np.ma.is_masked(given):
            return array
    except ValueError:  # rows of different lengths, of which more is said below
        pass
    return numbers(given, f"the times of {name} must be numbers, or dates of numpy (datetime64)")


def _base(kind: np.dtype) -> np.timedelta64:
    """What dates are counted in."""
    return np.timedelta64(1, "M" if np.datetime_data(kind)[0] in CALENDAR else "s")


def _unit(unit: Any, base: np.timedelta64 | None, name: str) -> float:
    """In the base of dates, or for numbers as it is."""
    try:
        found = numbers(unit, "no number") if base is None else np.asarray(np.timedelta64(unit) / base)
        if isinstance(unit, np.timedelta64 | datetime.timedelta) != (base is not None) or found.ndim:
            raise TypeError("not of the kind of the times")
        if not 0.0 < found < np.inf:
            raise ValueError("not positive")
    except (TypeError, ValueError) as problem:  # our own errors among them
        raise DataError(
            f"the unit of the times of {name} must be a positive number, how long a tick is, or for dates a timedelta64 (of "
            f"months or years if the dates are), got {short(unit)}"
        ) from problem
    return float(found)


def _tick(offsets: np.ndarray, rounding: float) -> float:
    """The longest step of which all times are whole multiples, up to slack and rounding; else about the median step.

    On a grid the shortest step is a whole number of grid steps, so that only its parts have to be tried.
    """
    steps = np.diff(offsets)
    steps = steps[steps > 0]
    if not len(steps):
        return 1.0
    median = float(np.median(steps))
    for parts in range(1, FINEST + 1):
        step = float(steps.min()) / parts
        if step < median / FINEST:
            break
        tick = _fitted(offsets, steps, step)
        if np.abs(offsets - tick * np.round(offsets / tick)).max() <= SLACK * tick + rounding:
            return tick
    return _fitted(offsets, steps, median)


def _fitted(offsets: np.ndarray, steps: np.ndarray, step: float) -> float:
    """A tick near the step of which the whole time has as many as all steps together: small errors do not add up."""
    return float(offsets[-1] / np.round(steps / step).sum())
