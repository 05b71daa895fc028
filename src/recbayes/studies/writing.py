"""Tables as files and as text: what the reports of all studies are made of."""

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from recbayes.checks.files import write_whole


def write_csv(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    """One line per row; a name that a row lacks is left empty."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_whole(path, text.getvalue())


def markdown(names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(names) + " |", "|" + "---|" * len(names)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def interval(row: dict[str, Any], name: str, form: str = ".3f") -> str:
    """A mean and its interval, from a row that has them (`bootstrap.columns`)."""
    return f"{row[name]:{form}} [{row[f'{name}_low']:{form}}, {row[f'{name}_high']:{form}}]"
