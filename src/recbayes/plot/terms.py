"""What rows are called on axes: in the terms of the data's own index."""

from typing import Any

import numpy as np

from recbayes.checks.arrays import short
from recbayes.data.columns import labels_of
from recbayes.data.labels import check_times, dates_in, times_of
from recbayes.data.table import Table
from recbayes.errors import DataError


def named_rows(index: Any, length: int, name: str = "index") -> Table | None:
    """A table whose rows have these labels: dates, numbers or words, one for each observation; None without labels."""
    if index is None:
        return None
    complaint = f"{name} must have a label (a date, a number or a word) for each of {length} observations"
    if isinstance(index, str | bytes) or np.ndim(index) == 0:
        raise DataError(f"{complaint}, got {short(index)}")
    try:
        labels = labels_of(index)
    except ValueError as problem:
        raise DataError(f"{complaint}, got {short(index)}") from problem
    if np.ndim(labels) != 1 or len(labels) != length:
        raise DataError(f"{complaint}, got {f'{len(labels)} of them' if np.ndim(labels) == 1 else short(index)}")
    times = times_of(labels)
    if times is None and (dates := dates_in(labels)) is not None:
        labels, times = dates, times_of(dates)
    if times is not None:
        check_times(times, labels, name)
    return Table(np.full((length, 1), np.nan), None, labels, times)


def label_observations(ax: Any, rows: Table | None, length: int) -> None:
    """Limits, ticks and label of an axis of observations."""
    ax.set_xlim(-0.5, length - 0.5)
    if rows is None or rows.index is None:
        ax.set_xlabel("observation")
        return
    from recbayes.plot.ticks import label_rows

    label_rows(ax.xaxis, rows)
    ax.set_xlabel("")
