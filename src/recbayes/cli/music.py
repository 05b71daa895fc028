"""`recbayes music analyse`: from a score to a page that shows and plays its hierarchy."""

import warnings
from pathlib import Path
from typing import Annotated

import typer

from recbayes.cli.study import told
from recbayes.errors import ApproximationWarning


def analyse(
    score: Annotated[
        Path | None,
        typer.Argument(help="A score: MusicXML, MXL, kern, MEI or MIDI. Without one: Bach's prelude in C major, BWV 846."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The page; by default the score's name with .html.")
    ] = None,
    per: Annotated[
        str, typer.Option(help='What notes are summed over: "bar", "beat", or a number of equal slices.')
    ] = "bar",
    draws: Annotated[int, typer.Option(min=1, help="Trees that are drawn.")] = 500,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the draws.")] = 0,
    repeats: Annotated[bool, typer.Option("--repeats", help="Play repeats out.")] = False,
) -> None:
    """Find the hierarchy of a piece in its notes: a page with score, tree, keys and sound, for any browser."""
    from rich.console import Console

    from recbayes.music.analysis import analyse as analysed
    from recbayes.music.prelude import prelude
    from recbayes.music.reading import read_score

    console = Console(highlight=False)
    output = output or Path("bwv846.html" if score is None else score.with_suffix(".html").name)
    with told():
        piece = prelude() if score is None else read_score(score, repeats=repeats)
        console.print(f"{piece.title}: {len(piece)} notes, {len(piece.names)} bars.", markup=False)
        status = console.status("drawing trees (kernels are compiled on the first run, which takes a minute or two)")
        with status, warnings.catch_warnings(record=True) as given:
            warnings.simplefilter("always", ApproximationWarning)
            found = analysed(piece, per=int(per) if per.isdigit() else per, draws=draws, seed=seed)
        found.to_html(output)
    for row in found.table():
        if row["depth"] <= 2:
            bars = f"bars {row['from']} to {row['to']}" if row["from"] != row["to"] else f"bar {row['from']}"
            moved = "" if not row["transposition"] else f", {row['transposition']:+d} semitones from the passage it leads to"
            console.print(f"{'  ' * row['depth']}{bars}: {row['key']}, {row['probability']:.0%}{moved}", markup=False)
    for one in given:
        console.print(f"Take probabilities with care: {one.message}", style="yellow", markup=False)
    console.print(f"All {len(found.nodes)} passages, with score and sound: {output}", markup=False, soft_wrap=True)
