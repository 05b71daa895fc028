"""Numbers of any library: arrays, lists, data frames, with whatever stands for missing ones."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from recbayes.checks.arrays import short
from recbayes.errors import DataError

RAGGED = " with rows of different lengths; several series are a list of arrays, such as [np.array(one) for one in data]"


def is_missing(entry: Any) -> bool:
    """None, NaN, NaT and NA: what is missing differs from itself, or cannot say."""
    try:
        return entry is None or bool(entry != entry)
    except (TypeError, ValueError):
        return True


def numbers(data: object, complaint: str) -> np.ndarray:
    """Numbers of any library as an array of our own, NaN for missing ones; the complaint begins the error."""
    if isinstance(data, str | bytes):
        raise DataError(f"{complaint}, got text; read the file first")
    try:
        if isinstance(data, np.ma.MaskedArray):
            data = np.ma.filled(data.astype(np.float64), np.nan)
        array = np.asarray(data if hasattr(data, "__array__") or not hasattr(data, "to_numpy") else data.to_numpy())
        if array.dtype.kind in "US":
            raise TypeError(_first_text(np.asarray(data, dtype=np.object_)))
        if array.dtype.kind not in "fiub" and not (array.dtype.kind == "O" and array.ndim):
            raise TypeError(f"dtype {array.dtype}")
        if array.dtype.kind == "O":
            if any(isinstance(entry, str | bytes) for entry in array.flat):
                raise TypeError(_first_text(array))
            missing = np.array([is_missing(entry) for entry in array.flat], dtype=np.bool_).reshape(array.shape)
            array = np.where(missing, np.nan, array)
        return np.array(array, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as problem:
        ragged = isinstance(data, list | tuple) and "inhomogeneous" in str(problem)
        reason = RAGGED if ragged else _instead(data) or f": {problem}"
        raise DataError(f"{complaint}, got {type(data).__name__}{reason}") from problem


def _first_text(array: np.ndarray) -> str:
    """Which entry is text, and where."""
    for place, entry in np.ndenumerate(array):
        if isinstance(entry, str | bytes):
            where = f"row {place[0]}" + "".join(f", column {one}" for one in place[1:])
            return f"{short(entry)} at {where} is text; convert it, or put NaN there if it is missing"
    return "it is text"


def _instead(data: object) -> str:
    """What to give in place of what holds several series and is no list."""
    if isinstance(data, Mapping):
        return "; give several series as a list, such as list(data.values())"
    if type(data).__name__.endswith("GroupBy"):
        return "; give several series as a list, such as [group for _, group in data]"
    if isinstance(data, Iterable) and not isinstance(data, Sequence) and not hasattr(data, "__array__"):
        return "; give several series as a list, such as list(data)"
    return ""
