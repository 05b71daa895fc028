"""Columns of texts as they come in, chunk by chunk: numbers at once, the rest when all has been seen."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np

from recbayes.data.files.column import DATES, EMPTY, MIXED, NUMBERS, TEXT, Column
from recbayes.data.files.dates import dates_in_texts
from recbayes.data.files.numbers import number_in, numbers_in, quick_numbers, without_told
from recbayes.data.files.units import numbers_with_unit

MOSTLY = 0.5  # of what is not missing: a column that has so many numbers, or dates, was meant to have nothing else
LOOK = 50  # cells
FIRST = 3  # cells, one of which is a date where others may be


@dataclass(frozen=True)
class Telling:
    """How cells are read."""

    decimal: str
    missing: Collection[str]
    dates: str | None  # a format, or None to guess
    as_text: Collection[str]  # columns that are no numbers, whatever they look like


class Gathering:
    """One column."""

    def __init__(self, name: str, telling: Telling) -> None:
        self._name, self._telling = name, telling
        self._parts: list[np.ndarray | Sequence[str]] = []
        self._text = name in telling.as_text
        self._no_numbers = False  # the first cells are none, so that dates are tried first

    def add(self, cells: Sequence[str]) -> None:
        numbers = None if self._text or self._no_numbers else quick_numbers(cells, self._telling.decimal)
        if not self._parts and numbers is None and not self._text:
            here = [cell for cell in cells[:LOOK] if cell.strip() not in self._telling.missing]
            self._no_numbers = bool(here) and all(number_in(cell.strip(), self._telling.decimal) is None for cell in here)
        self._parts.append(cells if numbers is None else numbers)

    def column(self, place: Callable[[int], str], seen: Counter[str]) -> Column:
        """The column, when all of it has come. Words for missing ones are counted."""
        if self._text:
            return self._of_text(place)
        if self._no_numbers:
            column = self._of_text(place)
            if column.kind == DATES:
                return column
        parts, strange = [], []
        own: Counter[str] = Counter()
        for part in self._parts:
            if isinstance(part, np.ndarray):
                parts.append(part)
                strange.append(np.zeros(len(part), dtype=np.bool_))
            else:
                found, odd = numbers_in(part, self._telling.decimal, self._telling.missing, own)
                parts.append(found)
                strange.append(odd)
        values, odd = np.concatenate(parts), np.concatenate(strange)
        values = without_told(values, self._telling.missing, self._telling.decimal, own)
        if odd.any():
            missing = np.isnan(values) & ~odd
            return self._otherwise(values, odd, missing, place)
        if np.isnan(values).all():
            return Column(self._name, EMPTY, values)
        seen.update(own)
        return Column(self._name, NUMBERS, values)

    def _otherwise(self, values: np.ndarray, odd: np.ndarray, missing: np.ndarray, place: Callable[[int], str]) -> Column:
        """Dates or text, or numbers with something among them."""
        count, present = int(odd.sum()), int((~missing).sum())
        texts = self._texts()
        if count == present:
            dates = dates_in_texts(texts, missing, self._telling.dates)
            if dates is not None:
                return Column(self._name, DATES, dates.labels, note=dates.note)
            measured = numbers_with_unit(texts, missing, self._telling.decimal)
            if measured is not None:
                return Column(self._name, NUMBERS, measured[0], note=f"numbers of {self._name!r} are in {measured[1]}")
            return self._nearly_dates(texts, missing, place)
        row = int(odd.argmax())
        problem = f"{place(row)} has {_quoted(texts[row])} where column {self._name!r} has numbers"
        return Column(self._name, MIXED if count < MOSTLY * present else TEXT, texts, problem)

    def _nearly_dates(self, texts: list[str], missing: np.ndarray, place: Callable[[int], str]) -> Column:
        """A column of text, or one of dates with something else among them."""
        rows = np.flatnonzero(~missing).tolist()
        known = np.zeros(1, dtype=np.bool_)
        tried = (dates_in_texts([texts[row]], known, self._telling.dates) for row in rows[:FIRST])
        if len(rows) > 2 and any(one is not None for one in tried):
            odd = [row for row in rows if dates_in_texts([texts[row]], known, self._telling.dates) is None]
            if odd and len(odd) < MOSTLY * len(rows):
                problem = f"{place(odd[0])} has {_quoted(texts[odd[0]])} where column {self._name!r} has dates"
                return Column(self._name, MIXED, texts, problem)
            if not odd:
                problem = f"column {self._name!r} has dates of several kinds, of which {texts[rows[0]]!r} is one"
                return Column(self._name, MIXED, texts, problem)
        return Column(self._name, TEXT, texts)

    def _of_text(self, place: Callable[[int], str]) -> Column:
        """A column that users say is no numbers: dates, if it spells dates."""
        texts = self._texts()
        missing = np.array([cell.strip() in self._telling.missing for cell in texts], dtype=np.bool_)
        dates = dates_in_texts(texts, missing, self._telling.dates)
        if dates is not None:
            return Column(self._name, DATES, dates.labels, note=dates.note)
        return Column(self._name, TEXT, texts) if missing.all() else self._nearly_dates(texts, missing, place)

    def _texts(self) -> list[str]:
        found: list[str] = []
        for part in self._parts:
            found += [f"{one:.15g}" for one in part.tolist()] if isinstance(part, np.ndarray) else part
        return found


def _quoted(cell: str) -> str:
    cell = " ".join(cell.split())
    return repr(cell if len(cell) <= 40 else cell[:37] + "...")
