"""What commands leave behind: words or data on standard output, and files, each whole or not at all."""

import csv
import io
import os
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import typer

PICTURES = ("png", "svg", "pdf", "jpg", "jpeg", "webp", "tif", "tiff", "eps", "ps", "svgz")
CHANGE = ("time", "position", "probability", "low", "high", "within")  # the columns of a table of changes
WRITING = Lock()  # held while files are written, so that an interrupt waits until each is there whole, or not at all


class Result(NamedTuple):
    """What a command found of one series, in all forms in which it can be written."""

    group: str  # nothing, if there is only one
    document: Callable[[], dict[str, Any]]
    rows: Callable[[], list[dict[str, Any]]]
    tree: Any
    tokens: Sequence[str] | None
    figure: Callable[[], Any]
    page: Callable[[str], str] | None
    changes: Callable[[], list[dict[str, Any]]] | None = None


@dataclass(frozen=True)
class Outputs:
    """Where everything goes. `form` is "json", "newick", "brackets", "table" or "changes" where that is printed in place of
    words."""

    json: bool = False
    newick: bool = False
    brackets: bool = False
    table: str | None = None
    plot: Path | None = None
    report: Path | None = None
    output: Path | None = None
    changes: str | None = None

    @property
    def form(self) -> str:
        wished = {"json": self.json, "newick": self.newick, "brackets": self.brackets, "table": self.table == "-"}
        wished["changes"] = self.changes == "-"
        chosen = [name for name, wish in wished.items() if wish]
        if len(chosen) > 1:
            raise typer.BadParameter(f"only one of --{' and --'.join(chosen)} can be printed; run the command once for each")
        return chosen[0] if chosen else ""

    def check(self, inputs: Sequence[str | Path] = ()) -> None:
        """Errors that can be told before the work begins: what is read is never written."""
        _ = self.form
        if self.plot is not None and self.plot.suffix[1:].lower() not in PICTURES:
            raise typer.BadParameter(f"pictures end in {', '.join(PICTURES)}, got {str(self.plot)!r}", param_hint="--plot")
        tables = [None if told in (None, "-") else Path(str(told)) for told in (self.table, self.changes)]
        check_targets([*tables, self.plot, self.report, self.output], inputs)

    def text(self, results: Sequence[Result], by: str | None, about: dict[str, Any]) -> str:
        """What is printed in place of words."""
        if self.form == "json":
            from recbayes.cli.values import json_text

            document = {**about, "series": [one.document() for one in results]}
            return json_text(document)
        if self.form in ("table", "changes"):
            return table_text(results, by, self.form)
        lines = [
            one.tree.to_newick(probabilities=True) if self.newick else one.tree.to_brackets(one.tokens) for one in results
        ]
        if len(results) > 1:
            lines = [f"{_line(one.group)}\t{line}" for one, line in zip(results, lines, strict=True)]
        return "".join(f"{line}\n" for line in lines)

    def files(
        self, results: Sequence[Result], by: str | None, title: str, inputs: Sequence[str | Path] = ()
    ) -> dict[Path, str | bytes]:
        """What goes to files, all of it made before the first is written; names of groups may be those of other files."""
        found: dict[Path, str | bytes] = {}
        for told, what in ((self.table, "table"), (self.changes, "changes")):
            if told not in (None, "-"):
                found[Path(str(told))] = table_text(results, by, what)
        for path, make in ((self.plot, _picture), (self.report, _page)):
            if path is not None:
                names = [path] if len(results) == 1 else [path.with_name(one) for one in _names(path, results)]
                if any(_same(name, other) for name in names for other in found):
                    raise typer.BadParameter("an output for one of the series has the name of another output")
                check_apart([*names, self.output], inputs)
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


def check_targets(outputs: Sequence[Path | None], inputs: Sequence[str | Path]) -> None:
    """An error if an output is one of the inputs, or another output, or cannot be written."""
    check_apart(outputs, inputs)
    for path in outputs:
        if path is not None:
            check_target(path)


def check_apart(outputs: Sequence[Path | None], inputs: Sequence[str | Path]) -> None:
    """An error if an output is one of the inputs, by whatever name or link, or another output."""
    there = [path for path in outputs if path is not None]
    for place, path in enumerate(there):
        if any(_same_input(one, path) for one in inputs):
            raise typer.BadParameter(
                f"{path} is a file that is read, and would be overwritten; give the output another name"
            )
        if any(_same(path, other) for other in there[:place]):
            raise typer.BadParameter(f"two outputs have the same name, {path}; give each its own")


def _same(one: Path, other: Path) -> bool:
    """Whether both are one file, or would be."""
    if one.exists() and other.exists():
        return os.path.samefile(one, other)
    return os.path.normcase(os.path.realpath(one)) == os.path.normcase(os.path.realpath(other))


def _same_input(given: str | Path, output: Path) -> bool:
    if str(given) != "-":
        return _same(Path(given), output)
    with suppress(OSError, ValueError, AttributeError):  # standard input may be no file, or not there
        return os.path.samestat(os.fstat(sys.stdin.fileno()), output.stat())
    return False


def write_files(files: dict[Path, str | bytes]) -> list[str]:
    """Write them; their names."""
    from recbayes.checks.files import write_whole

    with WRITING:
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


def table_text(results: Sequence[Result], by: str | None, what: str = "table") -> str:
    """One CSV table for all series, of their nodes or their changes; the column of their names is the first."""
    from recbayes.cli.values import cell_of, date_form

    named = by is not None or len(results) > 1
    rows = [({by or "series": one.group} if named else {}) | row for one in results for row in _rows_of(one, what)]
    names = list(dict.fromkeys(name for row in rows for name in row)) or [*([by or "series"] if named else []), *CHANGE]
    form = date_form([value for row in rows for value in row.values()])
    file = io.StringIO()
    writer = csv.DictWriter(file, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: cell_of(name, value, form) for name, value in row.items()} for row in rows)
    return file.getvalue()


def _rows_of(result: Result, what: str) -> list[dict[str, Any]]:
    if what == "table":
        return result.rows()
    return [] if result.changes is None else result.changes()


def _line(text: str) -> str:
    return " ".join(text.split())


def _picture(result: Result, path: Path, title: str) -> bytes:
    os.environ["MPLBACKEND"] = "Agg"  # a picture for a file needs no window
    import matplotlib
    from matplotlib.pyplot import close

    file = io.BytesIO()
    kind = path.suffix[1:].lower()
    undated: dict[str, Any] = {"svg": {"Date": None}, "svgz": {"Date": None}, "pdf": {"CreationDate": None}}
    with matplotlib.rc_context({"svg.hashsalt": "recbayes"}):
        figure = result.figure()
        try:
            figure.savefig(file, format=kind, dpi=150, metadata=undated.get(kind))
        finally:
            close(figure)
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
