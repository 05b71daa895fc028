"""`recbayes study ...`: the paper's experiments."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


def synthetic(
    output: Annotated[
        Path | None,
        typer.Option(
            help="Folder for the results, by default study-synthetic or study-synthetic-quick. An unfinished run in it is "
            "continued."
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A small version of everything, in about a minute.")] = False,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all sequences.")] = 0,
    workers: Annotated[int | None, typer.Option(min=1, help="Number of processes; by default one per core.")] = None,
) -> None:
    """Infer the trees of noisy series by several methods, and compare them with the true ones and the published scores."""
    from rich.console import Console

    from recbayes.studies.synthetic.report import write_report
    from recbayes.studies.synthetic.settings import Settings
    from recbayes.studies.synthetic.study import run

    console = Console()
    settings = Settings.quick(seed) if quick else Settings(seed)
    output = output or Path("study-synthetic-quick" if quick else "study-synthetic")
    with told():
        results = run(settings, output, workers=workers)
        report = write_report(results, output)
    console.print(_f1(report.tables["scores"], settings.noise_levels))
    console.print(
        f"{results.elapsed['all'] / 60:.1f} minutes by the clock; {settings.test} test sequences a level.", highlight=False
    )
    console.print(
        f"Intervals, comparisons, calibration: {report.path}; tables (CSV, JSON) and figures beside it.",
        highlight=False,
        soft_wrap=True,
    )


@contextmanager
def told() -> Iterator["Console"]:
    """What ends a study, and that it can be gone on with, is told in a line on standard error, where more may be written."""
    from concurrent.futures import BrokenExecutor

    from rich.console import Console

    errors = Console(stderr=True, soft_wrap=True)
    try:
        yield errors
    except BrokenExecutor as problem:
        errors.print(
            "A process of the study died, perhaps for want of memory. What was finished is kept: run the same command to go "
            "on, with a smaller --workers if it happens again.",
            style="red",
        )
        raise typer.Exit(1) from problem
    except KeyboardInterrupt:
        errors.print("Interrupted. What was finished is kept: run the same command to go on.")
        raise typer.Exit(130) from None


def _f1(scores: list[dict[str, Any]], levels: tuple[float, ...]) -> "Table":
    """F1 by method and noise level, with the published numbers."""
    from rich.table import Table

    rows = [row for row in scores if row["truth"] == "true tree" and row["parameters"] != "true"]
    table = Table(title="F1 by noise level, learnt parameters", title_justify="left")
    table.add_column("method")
    for noise in levels:
        table.add_column(str(noise), justify="right")
    for name in dict.fromkeys(row["method"] for row in rows):
        cells = [row for row in rows if row["method"] == name]
        table.add_row(name, *(f"{row['f1']:.3f}" for row in cells))
        if any(row["published_f1"] is not None for row in cells):
            known = ("" if row["published_f1"] is None else f"{row['published_f1']:.3f}" for row in cells)
            table.add_row("  published", *known, style="dim")
    return table
