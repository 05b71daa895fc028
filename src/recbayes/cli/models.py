"""Models from files, and data as their families read them."""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from recbayes.checks.series import Series
from recbayes.errors import DataError, FileError, ModelError

if TYPE_CHECKING:
    from recbayes.data.files.reading import Reading
    from recbayes.data.table import Table


class Given(NamedTuple):
    """A sequence with its name: a table of numbers, or tokens."""

    name: str
    sequence: Any
    table: "Table | None"


def load_model(path: Path) -> Any:
    """What `save` wrote; or a grammar as text, a rule in each line: S -> NP VP [0.9]."""
    from recbayes.discrete.model.pcfg import PCFG
    from recbayes.inference.load import load

    if path.is_dir():
        raise FileError(f"{path} is a folder, not a model")
    try:
        return load(path)
    except FileNotFoundError:
        raise FileError(f"{path}: there is no such file; recbayes fit makes one") from None
    except FileError as problem:
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise problem from None
        if "->" not in text or text.lstrip().startswith(("{", "[")):
            raise
    try:
        return PCFG.from_string(text)
    except (ModelError, FileError) as problem:
        raise FileError(f"{path}: {problem}") from problem


def given(model: Any, paths: list[str], read: "Callable[[str], Reading]") -> "tuple[list[Given], Reading | None]":
    """All sequences of the files, and the reading if there is one file of numbers."""
    if model is not None and not model.family.tabular:
        return [one for path in paths for one in _sentences(path)], None
    found, readings = [], [read(path) for path in paths]
    for path, reading in zip(paths, readings, strict=True):
        for group, table in reading.series.items():
            parts = [Path(path).stem if len(paths) > 1 else "", group]
            found.append(Given(" ".join(filter(None, parts)), series_of(table), table))
    return found, readings[0] if len(readings) == 1 else None


def told_of(problem: Exception, paths: list[str], sequences: list[Given]) -> DataError:
    """An error of a verb, which counts sequences, in the terms of the files."""
    text = str(problem)
    found = re.match(r"(?:series|sequence) (\d+)", text)
    if found is not None and int(found[1]) < len(sequences):
        name = sequences[int(found[1])].name
        text = name + text[found.end() :] if name else text[found.end() :].lstrip(": ")
    return DataError(f"{', '.join(paths)}: {text}")


def series_of(table: "Table") -> Any:
    """With its times, if these leave gaps or coincide."""
    series = Series(table.values, times=table.times)
    regular = series.ticks is None or bool((series.ticks[1:] - series.ticks[:-1] == 1).all())
    return Series(table.values) if regular else series


def _sentences(path: str) -> list[Given]:
    """Sequences of symbols: a line each, with blanks between them."""
    try:
        if path == "-":
            content = sys.stdin.buffer.read()
        elif Path(path).is_dir():
            raise FileError(f"{path} is a folder; name a file in it")
        else:
            content = Path(path).read_bytes()
        lines = content.decode("utf-8-sig").splitlines()
    except FileNotFoundError:
        raise FileError(f"{path}: there is no such file") from None
    except UnicodeDecodeError as problem:
        raise FileError(f"{path}: it is not UTF-8 text, where a line of symbols is expected for each sequence") from problem
    found = [Given(f"line {number}", line.split(), None) for number, line in enumerate(lines, start=1) if line.strip()]
    if not found:
        raise FileError(f"{path}: it is empty; a line of symbols, with blanks between them, is expected for each sequence")
    return found if len(found) > 1 else [found[0]._replace(name="")]
