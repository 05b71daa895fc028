"""Options that several commands share: how a file of data is read."""

import csv
import inspect
from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from functools import wraps
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from recbayes.data.files.reading import Reading

HOW_READ = "How the data are read (guessed and reported, if not told)"
RUNS = "How it runs"
WRITTEN = "What is written"
Seed = Annotated[
    int, typer.Option(min=0, help="Seed of all draws: the same seed gives the same result.", rich_help_panel=RUNS)
]
Draws = Annotated[int, typer.Option(min=1, help="Trees that are drawn.", rich_help_panel=RUNS)]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Do not say what was guessed.", rich_help_panel=RUNS)]
ModelFile = Annotated[
    Path,
    typer.Option("--model", "-m", metavar="FILE", help="A model that `fit` or `model.save` wrote; or a grammar, as text."),
]


class Format(StrEnum):
    """Kinds of files."""

    csv = "csv"
    tsv = "tsv"
    parquet = "parquet"
    npy = "npy"
    npz = "npz"
    jsonl = "jsonl"


class Duplicates(StrEnum):
    """What becomes of rows at the same time."""

    error = "error"
    keep = "keep"
    mean = "mean"


class Decimal(StrEnum):
    """Decimal signs."""

    point = "."
    comma = ","


def _option(*names: str, help: str, **more: Any) -> Any:
    return typer.Option(*names, help=help, rich_help_panel=HOW_READ, **more)


def _reading_options(
    columns: Annotated[
        list[str] | None,
        _option("--columns", "-c", metavar="NAMES", help="Columns of numbers, with commas between them; by default all."),
    ] = None,
    time: Annotated[str | None, _option("--time", "-t", metavar="NAME", help="The column of times.")] = None,
    no_time: Annotated[bool, _option("--no-time", help="No column is the time: rows are counted.")] = False,
    by: Annotated[
        str | None, _option("--by", "-b", metavar="NAME", help="The column that tells several series apart.")
    ] = None,
    no_by: Annotated[bool, _option("--no-by", help="There is one series.")] = False,
    format: Annotated[Format | None, _option("--format", help="What the file is.")] = None,
    separator: Annotated[
        str | None,
        _option("--separator", metavar="SIGN", help="What separates columns: a sign, or tab, semicolon, comma, bar, blank."),
    ] = None,
    decimal: Annotated[Decimal | None, _option("--decimal", help="The decimal sign.")] = None,
    encoding: Annotated[
        str | None, _option("--encoding", metavar="NAME", help="As Python calls it: utf-8, latin-1, utf-16, ...")
    ] = None,
    header: Annotated[
        bool | None, _option("--header/--no-header", help="Whether the first line has names of columns.")
    ] = None,
    comment: Annotated[str | None, _option("--comment", metavar="SIGN", help="What lines of comments begin with.")] = None,
    skip: Annotated[int, _option("--skip", metavar="N", min=0, help="Lines above the table.")] = 0,
    missing: Annotated[
        list[str] | None,
        _option("--missing", metavar="WORD", help="What stands for a missing value, such as -999; may be repeated."),
    ] = None,
    dates: Annotated[
        str | None, _option("--dates", metavar="FORM", help="The form of dates, such as %d.%m.%Y; or unix.")
    ] = None,
    sort: Annotated[bool, _option("--sort", help="Sort rows by time; else rows that go back are an error.")] = False,
    duplicates: Annotated[
        Duplicates, _option("--duplicates", help="Rows of a series at the same time: an error, kept, or averaged.")
    ] = Duplicates.error,
    array: Annotated[str | None, _option("--array", metavar="NAME", help="The array of an NPZ file.")] = None,
) -> None:
    """What can be said of a file."""


def reads_data(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the options of reading, which it is given as a function, `read`."""
    more = inspect.signature(_reading_options).parameters
    own = [one for one in inspect.signature(command).parameters.values() if one.name != "read"]

    @wraps(command)
    def run(**given: Any) -> None:
        told = {name: given.pop(name) for name in more}
        command(**given, read=lambda path: read(path, **told))

    run.__signature__ = inspect.Signature([*own, *more.values()])  # type: ignore[attr-defined]
    notes = {**command.__annotations__, **_reading_options.__annotations__}
    run.__annotations__ = {name: note for name, note in notes.items() if name != "read"}
    del run.__wrapped__  # type: ignore[attr-defined]
    return run


def read(path: str, **told: Any) -> "Reading":
    """A file of data, as the options say."""
    from recbayes.cli.running import in_options
    from recbayes.data.files.read import read_file

    for name, none in (("time", "no_time"), ("by", "no_by")):
        if told[name] is not None and told[none]:
            raise typer.BadParameter(f"--{name} and --{none.replace('_', '-')} exclude each other")
        told[name] = False if told.pop(none) else told[name]
    columns, missing = told.pop("columns"), told.pop("missing")
    named = [name.strip() for name in chain(*csv.reader(columns or (), skipinitialspace=True))]  # "Temp, C" is one name
    chosen = [name for name in named if name] or None
    found = read_file(path, columns=chosen, missing=missing or (), **told)
    return replace(found, guessed=tuple(map(in_options, found.guessed)))
