"""`rb.data.read_file`: from a file to series."""

import io
import os
import sys
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from recbayes.checks.arguments import choice, flag, listed, path_of, text
from recbayes.checks.arrays import short, whole_number
from recbayes.checks.series import check_finite
from recbayes.data.files.arrange import Arranged, arrange
from recbayes.data.files.arrays import read_npy, read_npz
from recbayes.data.files.column import Contents
from recbayes.data.files.dialect import separator_of
from recbayes.data.files.doubtful import constants, gaps, stand_ins
from recbayes.data.files.lines import read_lines
from recbayes.data.files.order import ordered
from recbayes.data.files.packed import ENDINGS as ENDINGS_PACKED
from recbayes.data.files.packed import unpacked
from recbayes.data.files.parquet import read_parquet
from recbayes.data.files.reading import Reading
from recbayes.data.files.scores import ADVICE, is_score
from recbayes.data.files.settings import Settings
from recbayes.data.files.text import read_text
from recbayes.data.table import Table
from recbayes.errors import DataError, FileError

Format = Literal["csv", "tsv", "parquet", "npy", "npz", "jsonl"]
READERS: dict[str, Callable[[bytes, Settings], Contents]] = {
    "csv": read_text,
    "tsv": read_text,
    "parquet": read_parquet,
    "npy": read_npy,
    "npz": read_npz,
    "jsonl": read_lines,
}
BEGINNINGS = {b"PAR1": "parquet", b"\x93NUMPY": "npy", b"PK\x03\x04": "npz"}
UNIX = ("%s", "unix", "epoch")  # forms of dates that are numbers
ENDINGS = {".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".parquet": "parquet", ".pq": "parquet", ".npy": "npy"} | {
    ".npz": "npz",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
}


def read_file(
    path: str | os.PathLike,
    *,
    columns: str | Sequence[str] | None = None,
    time: str | bool | None = None,
    by: str | bool | None = None,
    format: Format | None = None,
    separator: str | None = None,
    decimal: Literal[".", ","] | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    comment: str | None = None,
    skip: int = 0,
    missing: str | Sequence[str] = (),
    dates: str | None = None,
    sort: bool = False,
    duplicates: Literal["error", "keep", "mean"] = "error",
    array: str | None = None,
) -> Reading:
    """The series of a file: CSV and its relatives, Parquet, arrays of numpy (NPY, NPZ), JSON lines; also compressed.

    Nothing need be told: what is not is guessed, and `guessed` of the result, a `data.Reading`, says how. Files with the
    newest row first are turned round. What cannot be read is a `FileError`.

    Arguments:
        path: the file; "-" is standard input. What gzip, bzip2 or xz has compressed is unpacked, up to a gigabyte.
        columns: those of numbers, by name; columns without names are called "1", "2" and so on. None takes all that hold
            numbers.
        time: the column of times. None looks for one, False says that there is none.
        by: the column that tells series apart. None looks for one, False says that there is none.
        format: what the file is, whatever its name: "csv", "tsv", "parquet", "npy", "npz" or "jsonl". None goes by name and
            content.
        separator: of text: what is between columns. None guesses.
        decimal: of text: the decimal sign, "." or ",". None guesses.
        encoding: of text. None guesses.
        header: of text: whether there is one of names. None guesses.
        comment: of text: the sign that a line begins with which says nothing. None guesses.
        skip: of text: how many lines to leave out at the beginning.
        missing: further words, or numbers, for missing values, beside NA, NaN, null and the like.
        dates: the form of dates, as of `strptime`; "unix" are numbers of seconds (or milliseconds, ...) since 1970. None
            guesses.
        sort: whether to sort rows that go back in time, which are else an error.
        duplicates: whether rows of one series at the same time are an error ("error"), kept ("keep"), or averaged ("mean").
        array: the name of one in an NPZ file. None takes the only one.
    """
    since_1970 = isinstance(dates, str) and dates in UNIX
    settings = Settings(
        columns=None if columns is None else _names(columns, "columns"),
        time=_name(time, "time"),
        by=_name(by, "by"),
        separator=None if separator is None else separator_of(text(separator, "separator", FileError)),
        decimal=None if decimal is None else choice(decimal, (".", ","), "decimal"),
        encoding=None if encoding is None else text(encoding, "encoding", FileError),
        header=None if header is None else flag(header, "header"),
        comment=None if comment is None else text(comment, "comment", FileError) or None,
        skip=whole_number(skip, "skip", least=0, error=FileError),
        missing=() if isinstance(missing, tuple) and not missing else _names(missing, "missing"),
        dates=None if dates is None or since_1970 else text(dates, "dates", FileError),
        since_1970=since_1970,
        sort=flag(sort, "sort"),
        duplicates=choice(duplicates, ("error", "keep", "mean"), "duplicates"),
        array=None if array is None else text(array, "array", FileError),
    )
    kind = None if format is None else choice(format, tuple(READERS), "format")
    if settings.separator is not None and settings.separator == settings.decimal:
        raise FileError(f"{settings.separator!r} cannot be both the separator and the decimal sign")
    source = path_of(path)
    name = "standard input" if str(source) == "-" else source.name
    content = _content(source)
    try:
        content, packing = unpacked(content)
        inside = source.with_suffix("") if packing and source.suffix.lower() in ENDINGS_PACKED else source
        chosen = kind or _kind(inside, content)
        if chosen == "tsv" and settings.separator is None and b"\t" in content:
            settings = Settings(**{**vars(settings), "separator": "\t"})
        contents = READERS[chosen](content, settings)
        reading = _reading(name, contents, settings)
        said = [f"it is compressed, by {packing}"] if packing else []
        return replace(reading, guessed=(*said, *reading.guessed))
    except (FileError, DataError) as problem:
        raise FileError(f"{'standard input' if str(source) == '-' else path}: {problem}") from problem


def _name(value: Any, what: str) -> str | bool | None:
    if value is None or value is False or isinstance(value, str):
        return value
    raise FileError(f"{what} must be the name of a column, or False, got {short(value)}")


def _names(values: Any, what: str) -> tuple[str, ...]:
    names = [values] if isinstance(values, str) else listed(values, what, "texts", FileError)
    if not names or not all(isinstance(one, str) for one in names):
        raise FileError(f"{what} must be a list of texts, got {short(values)}")
    return tuple(names)


def _content(source: Path) -> bytes:
    if str(source) == "-":
        return sys.stdin.buffer.read()
    if source.is_dir():
        raise FileError(f"{source} is a folder; name a file in it")
    try:
        return source.read_bytes()
    except FileNotFoundError:
        raise FileError(f"{source}: there is no such file") from None
    except OSError as problem:
        raise FileError(f"{source} cannot be read: {problem.strerror or problem}") from problem


def _kind(source: Path, content: bytes) -> str:
    """What a file is: by how it begins, else by its name, else text."""
    found = next((kind for mark, kind in BEGINNINGS.items() if content.startswith(mark)), None)
    ending = ENDINGS.get(source.suffix.lower())
    if is_score(source, content):
        raise FileError(ADVICE)
    if found == "npz" and ending != "npz" and not _has_arrays(content):
        raise FileError("it is a ZIP archive, or a spreadsheet; save its table as CSV")
    if found is not None:
        return found
    if not content.strip():
        raise FileError("it is empty")
    if ending is not None:
        return ending
    return "jsonl" if content.lstrip()[:1] in (b"{", b"[") else "csv"


def _has_arrays(content: bytes) -> bool:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return all(name.endswith(".npy") for name in archive.namelist())
    except zipfile.BadZipFile:
        return False


def _reading(name: str, contents: Contents, settings: Settings) -> Reading:
    arranged = arrange(contents, settings)
    notes = [*contents.notes, *arranged.notes]
    values = np.column_stack([one.entries for one in arranged.values]).astype(np.float64, copy=False)
    names = tuple(one.name for one in arranged.values)
    series: dict[str, Table] = {}
    for group, rows in _groups(arranged, len(contents)).items():
        table = _table(values, names, rows, arranged, contents, settings, notes)
        if table is None:
            notes.append(f"series {group!r} has empty rows only, and is left out")
        else:
            series[group] = table
    if not series:
        raise FileError("there are no rows in it but empty ones")
    notes += [*stand_ins(arranged.values), *constants(arranged.values), *gaps(series)]
    called = names if contents.named or len(names) > 1 else ("values",)
    time = None if arranged.time is None else arranged.time.name
    by = None if arranged.by is None else arranged.by.name
    return Reading(name, series, called, time, by, tuple(dict.fromkeys(notes)))


def _groups(arranged: Arranged, count: int) -> dict[str, np.ndarray]:
    if arranged.by is None:
        return {"": np.arange(count)}
    texts = np.array(arranged.by.texts()).astype(str)
    names, numbers = np.unique(texts, return_inverse=True)
    order = np.argsort(numbers, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(numbers))[:-1])
    firsts = sorted(range(len(names)), key=lambda one: parts[one][0])
    return {str(names[one]): parts[one] for one in firsts}


def _table(
    values: np.ndarray,
    names: tuple[str, ...],
    rows: np.ndarray,
    arranged: Arranged,
    contents: Contents,
    settings: Settings,
    notes: list[str],
) -> Table | None:
    """One series; None if it has no rows but empty ones."""
    clock = arranged.time
    labels = times = None
    if clock is not None:
        stamps = clock.stamps[rows]
        unknown = np.isnat(stamps) if stamps.dtype.kind == "M" else np.isnan(stamps)
        blank = unknown & np.isnan(values[rows]).all(axis=1)
        if blank.any():
            notes.append(f"empty rows are left out ({int(blank.sum())})")
            rows = rows[~blank]
        if not len(rows):
            return None
        rows = ordered(clock, rows, contents.place, settings.sort, settings.duplicates, notes, contents.are_alike)
    part = values[rows]
    if clock is not None:
        labels, times = clock.labels[rows], clock.stamps[rows]
        if settings.duplicates == "mean":
            firsts = np.flatnonzero(np.append(True, times[1:] != times[:-1]))
            part, labels, times = _means(part, firsts), labels[firsts], times[firsts]
    check_finite(part, "it", lambda row, column: f"{contents.place(int(rows[row]))}, column {names[column]!r}")
    for one in (part, times):
        if one is not None:
            one.setflags(write=False)
    single = not contents.named and len(names) == 1
    return Table(part, None if single else names, labels, times)


def _means(part: np.ndarray, firsts: np.ndarray) -> np.ndarray:
    """Means of rows that belong together, of what is there."""
    here = ~np.isnan(part)
    counts = np.add.reduceat(here.astype(np.float64), firsts)
    sums = np.add.reduceat(np.where(here, part, 0.0), firsts)
    return np.where(counts > 0, sums / np.maximum(counts, 1.0), np.nan)
