"""What commands leave behind: words or data on standard output, and files, each whole or not at all."""

import csv
import io
import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import typer

PICTURES = ("png", "svg", "pdf")


class Result(NamedTuple):
    """What a command found of one series, in all forms in which it can be written."""

    group: str  # nothing, if there is only one
    document: Callable[[], dict[str, Any]]
    rows: Callable[[], list[dict[str, Any]]]
    tree: Any
    tokens: Sequence[str] | None
    figure: Callable[[], Any]
    page: Callable[[str], str] | None


@dataclass(frozen=True)
class Outputs:
    """Where everything goes. `form` is "json", "newick", "brackets" or "table" where that is printed in place of words."""

    json: bool = False
    newick: bool = False
    brackets: bool = False
    table: str | None = None
    plot: Path | None = None
    report: Path | None = None
    output: Path | None = None

    @property
    def form(self) -> str:
        wished = {"json": self.json, "newick": self.newick, "brackets": self.brackets, "table": self.table == "-"}
        chosen = [name for name, wish in wished.items() if wish]
        if len(chosen) > 1:
            raise typer.BadParameter(f"only one of --{' and --'.join(chosen)} can be printed; run the command once for each")
        return chosen[0] if chosen else ""

    def check(self) -> None:
        """Errors that can be told before the work begins."""
        _ = self.form
        if self.plot is not None and self.plot.suffix[1:].lower() not in PICTURES:
            raise typer.BadParameter(f"pictures end in {', '.join(PICTURES)}, got {str(self.plot)!r}", param_hint="--plot")
        table = None if self.table in (None, "-") else Path(str(self.table))
        for path in (table, self.plot, self.report, self.output):
            if path is not None:
                check_target(path)
        there = [path.resolve() for path in (table, self.plot, self.report, self.output) if path is not None]
        if len(set(there)) < len(there):
            raise typer.BadParameter("two outputs have the same name")

    def text(self, results: Sequence[Result], by: str | None, about: dict[str, Any]) -> str:
        """What is printed in place of words."""
        if self.form == "json":
            document = {**about, "series": [one.document() for one in results]}
            return json.dumps(document, indent=1, allow_nan=False, ensure_ascii=False, default=plain) + "\n"
        if self.form == "table":
            return table_text(results, by)
        lines = [
            one.tree.to_newick(probabilities=True) if self.newick else one.tree.to_brackets(one.tokens) for one in results
        ]
        if len(results) > 1:
            lines = [f"{_line(one.group)}\t{line}" for one, line in zip(results, lines, strict=True)]
        return "".join(f"{line}\n" for line in lines)

    def files(self, results: Sequence[Result], by: str | None, title: str) -> dict[Path, str | bytes]:
        """What goes to files, all of it made before the first is written."""
        found: dict[Path, str | bytes] = {}
        if self.table not in (None, "-"):
            found[Path(str(self.table))] = table_text(results, by)
        for path, make in ((self.plot, _picture), (self.report, _page)):
            if path is not None:
                names = [path] if len(results) == 1 else [path.with_name(one) for one in _names(path, results)]
                for name, one in zip(names, results, strict=True):
                    check_target(name)
                    found[name] = make(one, name, f"{title}, {one.group}" if one.group else title)
        return found


def check_target(path: Path) -> None:
    """An error if nothing can be written there, as far as that can be told without trying."""
    from recbayes.errors import FileError

    if path.is_dir():
        raise FileError(f"{path} is a folder; name a file in it")
    if path.exists() and not path.is_file():
        raise FileError(f"{path} is a device or the like, which is no place for a file")
    if not path.parent.is_dir():
        raise FileError(f"{path}: there is no folder {str(path.parent)!r}; make it first")
    if not os.access(path.parent, os.W_OK):
        raise FileError(f"{path}: nothing can be written in the folder {str(path.parent)!r}")


def write_files(files: dict[Path, str | bytes]) -> list[str]:
    """Write them; their names."""
    from recbayes.checks.files import write_whole

    for path, content in files.items():
        write_whole(path, content)
    return [str(path) for path in files]


def print_text(text: str, output: Path | None) -> None:
    """Print, or write to the file that stands for standard output."""
    if output is not None:
        write_files({output: text})
    else:
        sys.stdout.write(text)
        sys.stdout.flush()


def table_text(results: Sequence[Result], by: str | None) -> str:
    """One CSV table for all series, whose column of names is the first."""
    rows = [({by or "series": one.group} if by or len(results) > 1 else {}) | row for one in results for row in one.rows()]
    file = io.StringIO()
    writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in rows)
    return file.getvalue()


def plain(value: Any) -> Any:
    """Values of numpy and dates as JSON has them."""
    if isinstance(value, np.datetime64):
        return date_text(value)
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    return str(value)


def date_text(value: np.datetime64) -> str:
    """A date without what is zero at its end."""
    text = str(value)
    return re.sub(r"(\.\d*?)0+$", r"\1", text).rstrip(".").removesuffix("T00:00:00") if "T" in text else text


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.10g}"
    return date_text(value) if isinstance(value, np.datetime64) else value


def _line(text: str) -> str:
    return " ".join(text.split())


def _picture(result: Result, path: Path, title: str) -> bytes:
    os.environ["MPLBACKEND"] = "Agg"  # a picture for a file needs no window
    import matplotlib

    file = io.BytesIO()
    kind = path.suffix[1:].lower()
    undated: dict[str, Any] = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with matplotlib.rc_context({"svg.hashsalt": "recbayes"}):
        figure = result.figure()
        figure.savefig(file, format=kind, dpi=150, metadata=undated[kind])
    return file.getvalue()


def _page(result: Result, path: Path, title: str) -> str:
    if result.page is None:
        raise typer.BadParameter("there is no report of this")
    return result.page(title)


def _names(path: Path, results: Sequence[Result]) -> list[str]:
    """File names with the names of groups, which may have any signs in them, and differ in every file system."""
    found: list[str] = []
    for one in results:
        part = re.sub(r"[^\w.-]+", "_", one.group).strip("._")[:80] or "series"
        name, number = f"{path.stem}-{part}{path.suffix}", 2
        while name.casefold() in {other.casefold() for other in found}:
            name, number = f"{path.stem}-{part}-{number}{path.suffix}", number + 1
        found.append(name)
    return found
