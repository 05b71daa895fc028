"""Ticks at the rows of a table, round ones where its labels are times. It loads matplotlib, so only functions import it."""

import warnings
from functools import partial
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.dates import AutoDateLocator, date2num, num2date
from matplotlib.font_manager import FontProperties
from matplotlib.ticker import FuncFormatter, MaxNLocator

from recbayes.data.table import Table
from recbayes.plot.canvas import drawable

LONGEST = 26  # characters of a label
CHARACTER = 0.64  # how wide one is, in sizes of type
MOST = 9  # ticks
WORDS = 40  # that are looked at, whether all of them have room
STEPS = [1, 2, 5, 10]  # between ticks
FEWEST = 3  # round ones
FIRST_DAY, LAST_DAY = date2num(np.array(["0001-01-01", "9999-12-31"], dtype="datetime64[D]"))


class Rows(MaxNLocator):
    """At some rows, those at which a round time is reached, if there are times."""

    def __init__(self, table: Table, widest: int) -> None:
        super().__init__(nbins=MOST, steps=STEPS, integer=True, min_n_ticks=1)
        self.times, self.dates = table.times, False
        if self.times is not None and self.times.dtype.kind == "M":
            times, self.dates = np.asarray(date2num(self.times)), True
            known = times[0] >= FIRST_DAY and times[-1] <= LAST_DAY  # by Python's calendar
            self.times = times if known else None
        self.rows = len(table)
        self.widest = widest

    @property
    def most(self) -> int:
        """How many ticks there is room for."""
        return int(np.clip(room(self.axis) // (self.widest + 1), FEWEST, MOST))

    def tick_values(self, vmin: float, vmax: float) -> Any:
        self.set_params(nbins=self.most)
        first, last = max(int(np.ceil(vmin)), 0), min(int(np.floor(vmax)), self.rows - 1)
        if first > last:
            return []
        found = self._round(first, last)
        if len(found) < FEWEST:
            found = np.asarray(super().tick_values(first, last))
            found = found[(found >= first) & (found <= last)]
        return found

    def _round(self, first: int, last: int) -> np.ndarray:
        """Rows at which round times are reached."""
        if self.times is None:
            return np.zeros(0)
        begin, end = self.times[first], self.times[last]
        if self.dates:
            locator = AutoDateLocator(minticks=FEWEST, maxticks=max(self.most + 1, 2 * FEWEST))
            with warnings.catch_warnings():  # that it finds no interval that gives so few ticks: it gives others
                warnings.simplefilter("ignore", UserWarning)
                times = locator.tick_values(num2date(begin), num2date(end))
        else:
            times = MaxNLocator(nbins=self.most, steps=STEPS).tick_values(begin, end)
        inside = [time for time in times if begin <= time <= end]
        if len(inside) > self.most:
            inside = inside[:: -(-len(inside) // self.most)]
        return np.unique(first + np.searchsorted(self.times[first : last + 1], inside))


def label_rows(axis: Any, table: Table) -> None:
    """Ticks of an axis of rows, in the terms of the table's own index, as many as there is room for; words have all."""
    if table.times is None and table.index is not None and len(table) <= WORDS:
        texts = [shown(table, row) for row in range(len(table))]
        if sum(map(len, texts)) + len(texts) <= room(axis):
            axis.set_ticks(range(len(table)), texts)
            return
    widest = max(len(shown(table, row)) for row in (0, len(table) - 1))
    axis.set_major_locator(Rows(table, widest))
    axis.set_major_formatter(FuncFormatter(partial(_label, table)))


def room(axis: Any) -> float:
    """For how many characters there is room along an axis."""
    points = axis.axes.bbox.width / axis.axes.figure.dpi * 72.0
    size = FontProperties(size=rcParams["xtick.labelsize"]).get_size_in_points()
    return float(points / (CHARACTER * size))


def _label(table: Table, row: float, _: Any = None) -> str:
    if row != round(row) or not 0 <= row < len(table):
        return ""
    return shown(table, int(row))


def shown(table: Table, row: int) -> str:
    """How a row is called in a picture."""
    text = str(row) if table.index is None else drawable(table.place(row))
    return (text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…").replace("$", r"\$")  # no formula
