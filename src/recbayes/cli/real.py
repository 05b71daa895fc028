"""`recbayes study real ...`: change points of series that people have annotated."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recbayes.cli.study import told

if TYPE_CHECKING:
    from rich.table import Table

    from recbayes.studies.real.shown import Shown

WIDE = 160  # columns of files and pipes, which have no width of their own


def real(
    data: Annotated[
        Path, typer.Argument(help="The folder of the Turing Change Point Dataset, or a JSON file of annotated series.")
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            help="Folder for the results, by default study-real or study-real-quick. An unfinished run in it is continued."
        ),
    ] = None,
    methods: Annotated[
        str | None,
        typer.Option(help="Some of recbayes, pelt, binseg, pelt-noise, binseg-noise, none, with commas; by default all."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Only series of at most 150 observations.")] = False,
    seed: Annotated[int, typer.Option(min=0, help="Seed of methods that draw, and of the intervals.")] = 0,
    workers: Annotated[int | None, typer.Option(min=1, help="Number of processes; by default one per core.")] = None,
) -> None:
    """Find the change points of real series by several methods, and compare them with what annotators saw."""
    from rich.console import Console

    from recbayes.studies.real.methods import choose_methods
    from recbayes.studies.real.reading import read_collection
    from recbayes.studies.real.report import write_report
    from recbayes.studies.real.shown import shown_differences, shown_means, shown_series
    from recbayes.studies.real.study import QUICK, run

    output = output or Path("study-real-quick" if quick else "study-real")
    with told() as errors:
        chosen = choose_methods(None if methods is None else [name.strip() for name in methods.split(",")])
        results = run(
            read_collection(data), output, methods=chosen, seed=seed, longest=QUICK if quick else None, workers=workers
        )
        report = write_report(results, output)
    console = Console()
    console = console if console.is_terminal else Console(width=WIDE)
    tables = report.tables
    for shown in (shown_series(tables["series"]), shown_means(tables["means"]), shown_differences(tables["differences"])):
        if shown is not None:
            console.print(_table(shown))
    for failure in results.failures:
        text = f"{failure.method.title} failed on {failure.series.name}: {failure.problem}"
        errors.print(text, style="red", highlight=False, markup=False)
    if results.absent:
        console.print(f"Annotated, but without a file: {', '.join(results.absent)}.", highlight=False, markup=False)
    console.print(f"{results.elapsed / 60:.1f} minutes by the clock; {len(results.series)} series.", highlight=False)
    console.print(
        f"Scores of all published methods, times: {report.path}; tables (CSV, JSON) beside it.",
        highlight=False,
        soft_wrap=True,
    )


def _table(shown: "Shown") -> "Table":
    from rich.table import Table
    from rich.text import Text

    table = Table(title=shown.title, title_justify="left")
    for place, name in enumerate(shown.names):
        table.add_column(Text(name), justify="right" if place else "left")
    for line in shown.lines:
        table.add_row(*map(Text, line), style="dim" if line[0].endswith(", published") else None)
    return table
