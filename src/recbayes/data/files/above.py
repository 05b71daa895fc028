"""Lines above a table, as exports of instruments have them: who measured where, before the names of columns."""

import csv
from collections import Counter
from collections.abc import Sequence

import numpy as np

from recbayes.data.files.dates import dates_in_texts
from recbayes.data.files.numbers import MISSING, number_in
from recbayes.data.files.units import MOST_LINES, is_unit

MOST = 30  # lines above a table that are looked for
LEAST = 3  # rows below them


def lines_above(lines: Sequence[str], separator: str, decimal: str, comment: str | None) -> int:
    """How many of a file's first lines are no part of its table.

    They are if some of them have another number of cells than all lines below, and if below them is a line of names:
    nothing but texts, just above the first line that has a number or a date. Otherwise there are none.
    """
    rows: list[tuple[int, list[str]]] = []
    for number, line in enumerate(lines):
        if line.strip() and not (comment is not None and line.lstrip().startswith(comment)):
            rows.append((number, _cells(line, separator)))
    widths = [len(cells) for _, cells in rows]
    width = Counter(widths).most_common(1)[0][0] if rows else 0
    other = [place for place, own in enumerate(widths) if own != width]
    if not other or other[-1] >= MOST or len(rows) - other[-1] <= LEAST or width < 2:
        return 0
    first = next((place for place in range(other[-1] + 1, len(rows)) if not _are_names(rows[place][1], decimal)), 0)
    names = first - 1
    while names > other[-1] + 1 and first - 1 - names < MOST_LINES and _may_be_units(rows[names][1]):
        names -= 1
    return rows[names][0] if first > other[-1] + 1 else 0


def _may_be_units(cells: Sequence[str]) -> bool:
    """Whether there are units among them; names are rarely empty, and no units."""
    return any(is_unit(cell) for cell in cells) or (bool(cells) and not cells[0].strip())


def _cells(line: str, separator: str) -> list[str]:
    line = " ".join(line.split()) if separator == " " else line
    try:
        return next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])
    except csv.Error:  # which whoever reads the table tells
        return []


def _are_names(cells: Sequence[str], decimal: str) -> bool:
    """Whether there is neither a number nor a date among them."""
    known = np.zeros(1, dtype=np.bool_)
    return not any(
        number_in(cell.strip(), decimal) is not None or dates_in_texts([cell], known, None) is not None
        for cell in cells
        if cell.strip() not in MISSING
    )
