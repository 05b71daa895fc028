"""JSON lines: an object, a list or a number in each; a list of these in one JSON text will do as well."""

import json
from array import array
from collections import Counter
from collections.abc import Iterator
from typing import Any

from recbayes.data.files.column import Column, Contents, named_columns
from recbayes.data.files.gather import Gathering, Telling
from recbayes.data.files.numbers import told_missing
from recbayes.data.files.settings import Settings
from recbayes.data.files.text import decoded
from recbayes.errors import FileError


def read_lines(content: bytes, settings: Settings) -> Contents:
    """The columns: fields of objects, or places in lists."""
    text, notes = decoded(content, settings.encoding)
    rows, numbers = [], array("q")
    for number, value in _values(text):
        rows.append(value)
        numbers.append(number)
    if not rows:
        raise FileError("it is empty" if not text.strip() else "there are no rows in it")
    named = isinstance(rows[0], dict)
    if named:
        names = list(dict.fromkeys(name for row, number in zip(rows, numbers, strict=True) for name in _fields(row, number)))
        columns = [[row.get(name) for row in rows] for name in names]
        given = named_columns(names)
    else:
        width = len(rows[0]) if isinstance(rows[0], list) else 1
        cells = [_cells(row, width, number) for row, number in zip(rows, numbers, strict=True)]
        columns = [list(column) for column in zip(*cells, strict=True)]
        given = [str(number) for number in range(1, width + 1)]
    seen: Counter[str] = Counter()

    def place(row: int) -> str:
        return f"line {numbers[row]}"

    made = [_column(name, values, numbers, settings, seen) for name, values in zip(given, columns, strict=True)]
    return Contents(made, named, [*notes, *told_missing(seen, "null")], place)


def _values(text: str) -> Iterator[tuple[int, Any]]:
    if text.lstrip().startswith("["):
        try:
            whole = json.loads(text)
        except (ValueError, RecursionError):
            whole = None  # lines that are lists
        if isinstance(whole, list):
            yield from enumerate(whole, start=1)
            return
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError) as problem:
                raise FileError(f"line {number} is not valid JSON ({problem})") from problem


def _fields(row: Any, number: int) -> dict[str, Any]:
    if not isinstance(row, dict):
        raise FileError(f"line {number} is no object of names and values, as the first line is")
    return row


def _cells(row: Any, width: int, number: int) -> list[Any]:
    cells = row if isinstance(row, list) else [row]
    if len(cells) != width or isinstance(row, dict):
        raise FileError(f"line {number} is not alike the first line, which has {width} number{'s' if width > 1 else ''}")
    return cells


def _column(name: str, values: list[Any], numbers: array, settings: Settings, seen: Counter[str]) -> Column:
    """Values as the cells of a table in text would have them."""
    cells = []
    for row, value in enumerate(values):
        if isinstance(value, dict | list):
            raise FileError(f"line {numbers[row]} has {type(value).__name__}s inside {name!r}, where one value is expected")
        cells.append(_cell(value))
    telling = Telling(".", settings.missing_words, settings.dates, settings.as_text)
    gathering = Gathering(name, telling)
    gathering.add(cells)
    return gathering.column(lambda row: f"line {numbers[row]}", seen)


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    return "" if value is None else value if isinstance(value, str) else repr(value)
