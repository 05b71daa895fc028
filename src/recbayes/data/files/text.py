"""Tables in text: CSV, TSV and their relatives, in any encoding that can be told or guessed."""

import csv
import io
import re
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from recbayes.data.files.above import lines_above
from recbayes.data.files.column import Column, Contents, named_columns
from recbayes.data.files.dialect import Dialect, guess_dialect
from recbayes.data.files.gather import Gathering, Telling
from recbayes.data.files.numbers import told_missing
from recbayes.data.files.settings import Settings
from recbayes.errors import FileError

LOOK = 2000  # lines
CHUNK = 1 << 11  # rows that are turned into numbers at a time: more, and the collector of garbage goes through them all
MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe\x00\x00": "utf-32", b"\x00\x00\xfe\xff": "utf-32"} | {
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
CONTROL = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f]")
WIDEST = 100_000  # columns


def decoded(content: bytes, encoding: str | None) -> tuple[str, list[str]]:
    """The text of a file, and what was guessed of its encoding."""
    notes = []
    try:
        if encoding is not None:
            text = content.decode(encoding)
        else:
            told = next((name for mark, name in MARKS.items() if content.startswith(mark)), "utf-8")
            notes += [f"its encoding is {told.upper()}"] if told.startswith(("utf-16", "utf-32")) else []
            text = content.decode(told)
    except LookupError as problem:
        raise FileError(f"there is no encoding {encoding!r}; utf-8, latin-1 and utf-16 are some") from problem
    except UnicodeDecodeError as problem:
        if encoding is not None or notes:
            raise FileError(
                f"it is not in the encoding {problem.encoding}: byte {problem.start} is no sign of it"
            ) from problem
        try:
            text = content.decode("cp1252")
        except UnicodeDecodeError:
            raise FileError(f"it is no text: byte {problem.start} is neither UTF-8 nor Windows-1252") from None
        notes.append("its encoding is Windows-1252, as it is not UTF-8")
    strange = CONTROL.search(text)
    if strange is not None:
        advice = "; if it is UTF-16, say so (encoding)" if strange[0] == "\0" else ""
        raise FileError(f"it is no text: there is a byte {ord(strange[0])} in it{advice}")
    text = text.removeprefix("\ufeff")
    return text if "\n" in text else text.replace("\r", "\n"), notes  # lines may end as on the oldest Macintoshes


def read_text(content: bytes, settings: Settings) -> Contents:
    """The columns of a table in text."""
    text, notes = decoded(content, settings.encoding)
    text, beginning = _without(text, settings.skip)
    if not any(line.strip() for line in beginning):
        raise FileError("it is empty" if not text.strip() else f"its first {LOOK} lines are empty")
    dialect = guess_dialect(beginning, settings.separator, settings.decimal, settings.comment, settings.header)
    skipped = settings.skip
    if not skipped and settings.header is not False:
        skipped = lines_above(beginning, dialect.separator, dialect.decimal, dialect.comment)
        if skipped:
            notes.append(f"the first {skipped} lines are no part of the table")
            text, beginning = _without(text, skipped)
            dialect = guess_dialect(beginning, settings.separator, settings.decimal, settings.comment, settings.header)
    numbers = array("q")
    rows = _rows(text, dialect, skipped)
    seen: Counter[str] = Counter()
    columns = _columns(rows, numbers, dialect, settings, seen)
    notes += dialect.notes
    if dialect.units:
        notes.append(_told_units(dialect))
    notes += told_missing(seen, "empty cells")
    place = [f"line {numbers[0]}"] if len(numbers) else []
    return Contents(columns, dialect.names is not None, notes, lambda row: f"line {numbers[row]}" if place else f"row {row}")


def _without(text: str, count: int) -> tuple[str, list[str]]:
    """A text without its first lines, and the lines that it begins with then."""
    start = 0
    for _ in range(count):
        start = text.find("\n", start) + 1
        if not start:
            return "", []
    return text[start:], [line.rstrip("\r\n") for line in islice(io.StringIO(text[start:]), LOOK)]


def _rows(text: str, dialect: Dialect, skipped: int) -> Iterator[tuple[int, list[str]]]:
    """Lines that are neither empty nor comments, as cells, with their numbers in the file."""
    lines: Iterator[str] = io.StringIO(text, newline="")
    if dialect.comment is not None:
        sign = dialect.comment
        lines = ("\n" if line.lstrip().startswith(sign) else line for line in lines)
    if dialect.separator == " ":
        lines = (" ".join(line.split()) for line in lines)
    reader = csv.reader(lines, delimiter=dialect.separator, skipinitialspace=True)
    width = 0
    try:
        for cells in reader:
            if cells and (len(cells) > 1 or width == 1 or not width or cells[0].strip()):
                width = width or len(cells)
                yield reader.line_num + skipped, cells
    except csv.Error as problem:
        why = "is a quotation mark not closed?" if "field larger" in str(problem) else "is it a table?"
        raise FileError(f"line {reader.line_num + skipped} cannot be read ({problem}); {why}") from problem


def _columns(
    rows: Iterator[tuple[int, list[str]]], numbers: array, dialect: Dialect, settings: Settings, seen: Counter[str]
) -> list[Column]:
    """All columns; the numbers of their lines go into `numbers`."""
    first = next(rows, None) if dialect.below else None
    for _ in dialect.units:
        next(rows)
    gatherings: list[Gathering] = []
    while True:
        chunk = list(islice(rows, CHUNK))
        if not chunk:
            break
        lines, cells = zip(*chunk, strict=True)
        if not gatherings:
            names = _names(dialect, cells[0] if first is None else max(first[1], cells[0], key=len))
            telling = Telling(dialect.decimal, settings.missing_words, settings.dates, settings.as_text)
            gatherings = [Gathering(name, telling) for name in names]
        _check_widths(cells, lines, len(gatherings), dialect)
        numbers.extend(lines)
        for gathering, column in zip(gatherings, zip(*cells, strict=True), strict=True):
            gathering.add(column)
    if not gatherings:
        what = f"a line of names ({', '.join((dialect.names or ())[:4])})" if first else "comments"
        raise FileError(f"there are no rows in it, only {what}")
    return [gathering.column(lambda row: f"line {numbers[row]}", seen) for gathering in gatherings]


def _told_units(dialect: Dialect) -> str:
    """What the lines of units say."""
    names = named_columns(dialect.names or ())
    units = [f"{name} {unit}" for name, unit in zip(names, dialect.units[0], strict=False) if unit]
    lines = "a line" if len(dialect.units) == 1 else f"{len(dialect.units)} lines"
    more = f" and {len(units) - 8} more" if len(units) > 8 else ""
    return f"below the names is {lines} of units: {', '.join(units[:8])}{more}"


def _names(dialect: Dialect, cells: Sequence[str]) -> list[str]:
    if len(cells) > WIDEST:
        raise FileError(f"it has {len(cells)} columns, more than {WIDEST}; is it turned on its side?")
    return named_columns(dialect.names or [""] * len(cells))


def _check_widths(cells: Sequence[Sequence[str]], lines: Sequence[int], width: int, dialect: Dialect) -> None:
    if set(map(len, cells)) == {width}:
        return
    line, row = next((line, row) for line, row in zip(lines, cells, strict=True) if len(row) != width)
    what = "the line of names" if dialect.below else "the first line"
    count = f"{len(row)} cell{'s' if len(row) != 1 else ''}"
    if any("\n" in cell for cell in row):
        advice = "is a quotation mark in it, or before it, not closed?"
    else:
        advice = "say the separator if it is another (separator), or the lines above the table (skip)"
    raise FileError(f"line {line} has {count}, {what} has {width}; {advice}")
