"""How a table in text is written: separators, decimal signs, comments, names of columns. What is not told is guessed."""

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest

import numpy as np

from recbayes.data.files.dates import dates_in_texts
from recbayes.data.files.numbers import GROUPED, MISSING, number_in
from recbayes.data.files.units import unit_lines, without_unit
from recbayes.errors import FileError

SEPARATORS = {"\t": "tabs", ";": "semicolons", "|": "bars", ",": "commas", " ": "blanks"}  # the first that fits
WORDS = {"tab": "\t", "\\t": "\t", "semicolon": ";", "comma": ",", "bar": "|", "blank": " ", "blanks": " ", "space": " "}
COMMENTS = ("#", "%", "//")
SAMPLE = 200  # lines that are looked at
LOOK = 20  # lines below the names, by which lines of units are told
FITS = 0.5  # of lines: a separator must cut so many alike
WITH_COMMA = re.compile(r"[+-]?(\d+|\d{1,3}(\.\d{3})+),(\d+)([eE][+-]?\d+)?")
WITH_POINT = re.compile(r"[+-]?(\d*|\d{1,3}(,\d{3})+)\.(\d+)([eE][+-]?\d+)?")


@dataclass(frozen=True)
class Dialect:
    """How a table is written. Blanks separate however many there are of them."""

    separator: str
    decimal: str
    comment: str | None
    names: tuple[str, ...] | None  # of columns
    below: bool  # whether the names are in the first line that is no comment
    notes: tuple[str, ...] = ()
    units: tuple[tuple[str, ...], ...] = ()  # lines of units below the names


def rows_of(lines: Sequence[str], separator: str) -> list[list[str]]:
    """Lines as cells."""
    if separator == " ":
        lines = [" ".join(line.split()) for line in lines]
    try:
        return [cells for cells in csv.reader(lines, delimiter=separator, skipinitialspace=True) if cells]
    except csv.Error as problem:
        raise FileError(f"its first lines cannot be read ({problem}); is it a table?") from problem


def separator_of(told: str) -> str:
    """A separator as users write it."""
    sign = WORDS.get(told.lower(), told)
    if len(sign) != 1 or sign.isalnum() or sign in "\"\n\r'":
        raise FileError(f"a separator is one sign, or one of tab, semicolon, comma, bar and blank; got {told!r}")
    return sign


def guess_dialect(
    lines: Sequence[str], separator: str | None, decimal: str | None, comment: str | None, header: bool | None
) -> Dialect:
    """The dialect of a table that begins with these lines; the notes say what was guessed."""
    notes = []
    first = next((line.lstrip() for line in lines if line.strip()), "")
    if comment is None:
        comment = next((sign for sign in COMMENTS if first.startswith(sign)), None)
        if comment is not None:
            notes.append(f"lines that begin with {comment} are comments")
    said = [line for line in lines if comment is not None and line.lstrip().startswith(comment)]
    lines = [line for line in lines if line.strip() and not (comment is not None and line.lstrip().startswith(comment))]
    lines = lines[:SAMPLE]
    if not lines:
        raise FileError("there is nothing but comments and empty lines in it")
    if separator is None:
        separator, single = _separator(lines, decimal)
        if not single:
            notes.append(f"columns are separated by {SEPARATORS[separator]}")
    rows = rows_of(lines, separator)
    if not rows:
        raise FileError("there is nothing but empty lines in it")
    if decimal is None:
        decimal, why = _decimal([[without_unit(cell.strip()) for cell in row] for row in rows], separator)
        notes += [why] if why else []
    width = Counter(map(len, rows)).most_common(1)[0][0]
    if header is None:
        header = _has_names(rows, width, decimal)
        above = _names_above(said, comment or "", separator, width) if not header else None
        if above is not None:
            notes.append("names of columns are in a comment")
            return Dialect(separator, decimal, comment, above, False, tuple(notes))
        if not header:
            notes.append("columns have no names")
    names = _with_row_names(rows[0], rows[1:], width) if header else None
    units = _units(rows[1:], width, decimal) if header else ()
    return Dialect(separator, decimal, comment, names, header, tuple(notes), units)


def _units(rows: Sequence[Sequence[str]], width: int, decimal: str) -> tuple[tuple[str, ...], ...]:
    """The lines of units that these rows begin with."""
    rows = rows[:LOOK]
    count = unit_lines(rows, width, [[_kind(cell, decimal) for cell in row] for row in rows])
    return tuple(tuple(cell.strip() for cell in row) for row in rows[:count])


def _separator(lines: Sequence[str], decimal: str | None) -> tuple[str, bool]:
    """The sign that cuts most lines into the same number of cells, and whether there is only one column."""
    best, share = ",", 0.0
    for sign in SEPARATORS:
        try:
            widths = Counter(map(len, rows_of(lines, sign)))
        except FileError:  # a cell that is too long: this sign does not separate
            continue
        count = max((count for width, count in widths.items() if width > 1), default=0)
        if count / widths.total() > share + 1e-9 and (sign != "," or not _one_with_commas(lines, decimal)):
            best, share = sign, count / widths.total()
    return (best, False) if share >= FITS else (";", True)


def _one_with_commas(lines: Sequence[str], decimal: str | None) -> bool:
    """Whether this is one column, whose numbers have decimal commas."""
    cells = [line.strip().strip('"') for line in lines[1:]]
    numbers = [WITH_COMMA.fullmatch(cell) is not None for cell in cells]
    alike = all(one or "," not in cell for one, cell in zip(numbers, cells, strict=True))
    return alike and any(numbers) and (decimal == "," or ("," not in lines[0] and decimal is None))


def _decimal(rows: Sequence[Sequence[str]], separator: str) -> tuple[str, str]:
    """The decimal sign of the numbers, and what is doubtful of it."""
    cells = [cell for row in rows for cell in row]
    commas = [cell for cell in cells if WITH_COMMA.fullmatch(cell)]
    points = [cell for cell in cells if WITH_POINT.fullmatch(cell)]
    if not commas:
        doubtful = separator == ";" and points and all(GROUPED["."].fullmatch(cell) and cell[0] != "0" for cell in points)
        how = "have decimal points (told the decimal sign , they are thousands)"
        return ".", f"numbers such as {points[0]} {how}" if doubtful else ""
    grouped = [cell for cell in commas if GROUPED[","].fullmatch(cell)]
    if points:
        return (",", "numbers have decimal commas") if len(commas) - len(grouped) > len(points) else (".", "")
    if len(grouped) == len(commas) and all(cell[0] != "0" for cell in commas):
        if separator == "," or any(_have_thousands(column) for column in zip_longest(*rows, fillvalue="")):
            return ".", f"numbers such as {commas[0]} have thousands (told the decimal sign , they are decimals)"
        return ",", f"numbers such as {commas[0]} have decimal commas (told the decimal sign . they are thousands)"
    return ",", "numbers have decimal commas"


def _have_thousands(column: Sequence[str]) -> bool:
    """Whether a column has numbers below a thousand without commas beside those with groups of three digits."""
    grouped = any(GROUPED[","].fullmatch(cell) for cell in column)
    return grouped and sum(cell.lstrip("+-").isdecimal() and len(cell.lstrip("+-")) <= 3 for cell in column) > 1


def _has_names(rows: Sequence[Sequence[str]], width: int, decimal: str) -> bool:
    """Whether the first row names the columns: it has texts where others have numbers or dates, or only texts."""
    first, rest = [cell.strip() for cell in rows[0]], [row for row in rows[1:] if len(row) == width]
    if len(first) == width - 1:
        first = ["", *first]
    if len(first) != width:
        return False
    kinds = [_kind(cell, decimal) for cell in first]
    if "text" not in kinds:
        return False
    for column, kind in enumerate(kinds):
        below = [_kind(row[column], decimal) for row in rest]
        present = [one for one in below if one != "missing"]
        if kind == "text" and present and present.count("text") < 0.5 * len(present):
            return True
    if not all(kind in ("text", "missing") for kind in kinds):
        return False
    again = any(first[column] in {row[column].strip() for row in rest} for column in range(width) if first[column])
    return not again


def _kind(cell: str, decimal: str) -> str:
    cell = cell.strip()
    if cell in MISSING:
        return "missing"
    if number_in(cell, decimal) is not None:
        return "number"
    return "text" if dates_in_texts([cell], np.zeros(1, dtype=np.bool_), None) is None else "date"


def _with_row_names(first: Sequence[str], rest: Sequence[Sequence[str]], width: int) -> tuple[str, ...]:
    """Names of columns; some programs leave out that of the column in which rows are named or counted."""
    if rest and len(first) == width - 1:
        first = ["", *first]
    return tuple(cell.strip() for cell in first)


def _names_above(said: Sequence[str], comment: str, separator: str, width: int) -> tuple[str, ...] | None:
    """Names in a comment, as numpy writes them, one for each column."""
    for line in islice(reversed(said), 3):
        rows = rows_of([line.strip().removeprefix(comment).strip()], separator)
        if rows and len(rows[0]) == width and all(_kind(cell, ".") == "text" for cell in rows[0]):
            return tuple(cell.strip() for cell in rows[0])
    return None
