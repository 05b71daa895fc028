"""Numbers in texts: with decimal points or commas, thousands in groups of three, and words for what is missing."""

import re
from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np

MISSING = frozenset(
    ["", "NA", "N/A", "n/a", "na", "NaN", "nan", "NAN", "-nan", "null", "NULL", "Null", "None", "none", "#N/A", "#NA"]
    + ["<NA>", "NaT", "-", "--", "?", ".", "missing"]
)
BOOLEANS = {"true": 1.0, "false": 0.0}
GROUPED = {mark: re.compile(rf"[+-]?\d{{1,3}}(?:\{mark}\d{{3}})+(?!\d)") for mark in ",."}


def quick_numbers(cells: Sequence[str], decimal: str) -> np.ndarray | None:
    """All cells as numbers, if they are plain ones; most chunks of most files are."""
    try:
        if decimal == ",":
            if "." in "".join(cells):
                return None
            cells = [cell.replace(",", ".") for cell in cells]
        found = np.fromiter(map(float, cells), np.float64, len(cells))
    except ValueError:
        return None
    return None if "_" in "".join(cells) else found


def number_in(cell: str, decimal: str) -> float | None:
    """The number that a cell says; None if it says none."""
    mark = "," if decimal == "." else "."
    if mark in cell:
        found = GROUPED[mark].match(cell)
        if found is None or mark in cell[found.end() :]:
            return None
        cell = cell.replace(mark, "")
    if "_" in cell:
        return None
    if cell.lower() in BOOLEANS:
        return BOOLEANS[cell.lower()]
    try:
        return float(cell.removesuffix("%").replace(",", "."))
    except ValueError:
        return None


def numbers_in(
    cells: Sequence[str], decimal: str, missing: Collection[str], seen: Counter[str]
) -> tuple[np.ndarray, np.ndarray]:
    """Numbers, NaN for missing ones, and which cells are neither; words for missing ones are counted."""
    found = np.full(len(cells), np.nan)
    strange = np.zeros(len(cells), dtype=np.bool_)
    for place, cell in enumerate(cells):
        cell = cell.strip()
        if cell in missing:
            seen[cell] += 1
            continue
        number = number_in(cell, decimal)
        if number is None:
            strange[place] = True
        else:
            found[place] = number
    return found, strange


def without_told(values: np.ndarray, missing: Collection[str], decimal: str, seen: Counter[str]) -> np.ndarray:
    """The values, with NaN for numbers that stand for missing ones, as -999 does; these are counted."""
    for word in missing:
        number = None if word in MISSING else number_in(word, decimal)
        if number is not None:
            there = values == number
            seen[f"{number:.15g}"] += int(there.sum())
            values = np.where(there, np.nan, values)
    return values


def told_missing(seen: Counter[str], empty: str) -> list[str]:
    """A note of what stood for missing values, the most frequent first."""
    said = [f"{word or empty} ({count})" for word, count in seen.most_common() if count]
    return ["missing: " + ", ".join(said[:6])] if said else []
