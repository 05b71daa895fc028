"""`recbayes study music ...`: trees of pieces, and what analysts say of them."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recbayes.cli.study import told

if TYPE_CHECKING:
    from rich.table import Table

    from recbayes.studies.music.tables import Row

WIDE = 160  # columns of files and pipes, which have no width of their own


def music(
    folder: Annotated[Path, typer.Argument(help="The folder of the scores; folders in it are looked into, too.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Folder for the results, by default study-music or study-music-quick. An unfinished run in it is "
            "continued.",
        ),
    ] = None,
    annotations: Annotated[
        Path | None,
        typer.Option(help="The folder of analyses: NAME_analysis.rntxt (Roman numerals), NAME*tree*.csv (spans of bars)."),
    ] = None,
    profiles: Annotated[
        Path | None,
        typer.Option(help="A table of published profiles to compare with: source, mode, pc0 to pc11 (CSV)."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A glance in about a minute: few pieces and slices, hardly any learning.")
    ] = False,
    starts: Annotated[int | None, typer.Option(min=1, help="Climbs of each model; by default five.")] = None,
    evaluations: Annotated[
        int | None, typer.Option(min=1, help="The most evaluations of a climb, which then ends where it is.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all draws, and of the intervals.")] = 0,
    workers: Annotated[int | None, typer.Option(min=1, help="Number of processes; by default one per core.")] = None,
) -> None:
    """Learn models of pieces, infer their trees, and compare these with what analysts say. It takes hours."""
    from rich.console import Console

    from recbayes.studies.music.annotations import read_annotations
    from recbayes.studies.music.pieces import read_pieces
    from recbayes.studies.music.profiles import read_profiles
    from recbayes.studies.music.report import write_report
    from recbayes.studies.music.settings import Settings
    from recbayes.studies.music.study import run

    output = output or Path("study-music-quick" if quick else "study-music")
    settings = Settings.quick(seed) if quick else Settings(seed)
    given = {"starts": starts, "evaluations": evaluations}
    settings = replace(settings, **{name: value for name, value in given.items() if value is not None})
    with told():
        published = () if profiles is None else read_profiles(profiles)
        pieces = read_pieces(folder, settings.slices)
        known = {piece.name: read_annotations(annotations, piece) for piece in pieces}
        results = run(pieces, known, settings, output, workers=workers)
        report = write_report(results, output, published)
    console = Console()
    console = console if console.is_terminal else Console(width=WIDE)
    console.print(_learnt(report.tables["climbs"], report.tables["weights"]))
    if report.tables["region_means"]:
        console.print(regions_table(report.tables["region_means"]))
    console.print(
        f"{results.elapsed['all'] / 60:.1f} minutes by the clock; {len(results.plan.pieces)} pieces.", highlight=False
    )
    console.print(
        f"Trees of analysts, profiles, all pieces: {report.path}; tables (CSV, JSON), models and figures beside it.",
        highlight=False,
        soft_wrap=True,
    )


def _learnt(climbs: "list[Row]", weights: "list[Row]") -> "Table":
    """What was learnt: likelihoods, and the transpositions that matter."""
    from rich.table import Table

    from recbayes.studies.music.report import transpositions

    table = Table(title="What was learnt", title_justify="left")
    for name in ("model", "left out", "start", "log likelihood", "transpositions: weight"):
        table.add_column(name, justify="right" if name == "log likelihood" else "left")
    for row in climbs:
        start = f"{row['start']}{', chosen' if row['chosen'] and not row['without'] else ''}"
        table.add_row(row["model"], row["without"], start, f"{row['log_likelihood']:.2f}", transpositions(row, weights))
    return table


def regions_table(rows: "list[Row]") -> "Table":
    """How much better than chance trees agree with keys and chords."""
    from rich.table import Table

    from recbayes.studies.music.figures import SHOWN
    from recbayes.studies.writing import interval

    table = Table(title="More than random trees with the same leaves, against keys and chords", title_justify="left")
    for name in ("model", "tree", *SHOWN):
        table.add_column(name, justify="left" if name in ("model", "tree") else "right")
    found = {(row["model"], row["tree"], row["measure"]): row for row in rows}
    for model, tree in dict.fromkeys((row["model"], row["tree"]) for row in rows):
        table.add_row(model, tree, *(interval(found[model, tree, measure], "gain", "+.3f") for measure in SHOWN))
    return table
