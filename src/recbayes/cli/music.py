"""`recbayes music analyse`: from a score to a page that shows and plays its hierarchy."""

import csv
import io
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from recbayes.cli.outputs import check_target
from recbayes.cli.running import complain
from recbayes.errors import ApproximationWarning, DataError, FileError, ModelError

if TYPE_CHECKING:
    from rich.console import Console

    from recbayes.music.score import Score

MOST_DIGITS = 20  # of a number of slices; more are no number
DIGITS = 6  # of numbers in tables
NAMELESS = "bwv846.html"  # the page of the piece in the box
PLAIN = {"♭": "b", "♯": "#", "ø7": "m7b5", "°7": "dim7", "–": "-"}  # for terminals that know ASCII only


def analyse(
    scores: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[SCORE]...",
            help="MusicXML, MXL, kern, MEI or MIDI; a page for each. Without one: Bach's prelude in C major, BWV 846.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The page (.html), which may replace an older one. By default the score's name with .html, in the current "
            "folder, where nothing is replaced.",
        ),
    ] = None,
    table: Annotated[Path | None, typer.Option("--table", metavar="FILE", help="A CSV table of all passages.")] = None,
    per: Annotated[
        str, typer.Option(help='What notes are summed over: "bar", "beat", or a number of equal slices.')
    ] = "bar",
    most_slices: Annotated[
        int,
        typer.Option(
            "--most-slices",
            metavar="N",
            min=2,
            help="In pieces with more bars, beats or slices than that, two or more of them are one. More take longer.",
        ),
    ] = 80,
    draws: Annotated[int, typer.Option(min=1, help="Trees that are drawn.")] = 500,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the draws.")] = 0,
    repeats: Annotated[bool, typer.Option("--repeats", help="Play repeats out.")] = False,
) -> None:
    """Find the hierarchy of a piece in its notes: a page with score, tree, keys and sound, for any browser."""
    from rich.console import Console

    from recbayes.music.analysis import page_path

    _check_scores(scores or [])
    pages = _pages(scores or [], None if output is None else page_path(output))
    _check_targets(scores or [], list(pages), output, table)
    console = Console(highlight=False, soft_wrap=True)
    settings = {
        "per": int(per) if per.isascii() and per.isdigit() and len(per) < MOST_DIGITS else per,
        "draws": draws,
        "seed": seed,
        "most_slices": most_slices,
    }
    failed = False
    for page, score in pages.items():
        try:
            _analyse_one(console, score, page, table, repeats, settings)
        except (DataError, FileError, ModelError) as problem:
            if len(pages) == 1:
                raise
            complain(f"{problem}; there is no page of it")
            failed = True
    if failed:
        raise typer.Exit(1)


def _pages(scores: Sequence[Path], output: Path | None) -> dict[Path, Path | None]:
    """The page of every score; the piece in the box is None."""
    if output is not None and len(scores) > 1:
        raise typer.BadParameter("-o names one page; give one score at a time, or leave -o out")
    if not scores:
        return {output or Path(NAMELESS): None}
    pages = {output or Path(score.name).with_suffix(".html"): score for score in scores}
    if len(pages) < len(scores):
        raise typer.BadParameter("two scores would have pages of the same name; give one at a time, and name its page by -o")
    return dict(pages)


def _check_scores(scores: Sequence[Path]) -> None:
    """Scores that are there, and what reads and draws them."""
    from recbayes.music.extra import music_module
    from recbayes.music.reading import PERFORMANCES, check_score

    for score in scores:
        check_score(score)
    for name in {"symusic" if score.suffix.lower() in PERFORMANCES else "verovio" for score in scores} or {"verovio"}:
        music_module(name)


def _check_targets(scores: Sequence[Path], pages: Sequence[Path], output: Path | None, table: Path | None) -> None:
    """Errors that can be told before the work begins. Nothing but a page is ever replaced by one."""
    from recbayes.checks.files import check_writable

    if table is not None and len(scores) > 1:
        raise typer.BadParameter("--table names one table; give one score at a time")
    if table is not None and table.suffix.lower() != ".csv":
        raise typer.BadParameter(f"a table ends in .csv, got {table.name!r}", param_hint="--table")
    for target in (*pages, *([] if table is None else [table])):
        check_target(target)
        check_writable(target)
        if any(target.exists() and target.samefile(score) for score in scores):
            raise FileError(f"{target} is the score itself; name another page")
    if output is None:
        there = next((page for page in pages if page.exists()), None)
        if there is not None:
            raise FileError(f"{there} is there already; -o {there} replaces it, and -o with another name keeps it")


def _analyse_one(
    console: "Console", path: Path | None, page: Path, table: Path | None, repeats: bool, settings: dict[str, Any]
) -> None:
    from recbayes.checks.files import write_whole
    from recbayes.music.analysis import analyse as analysed
    from recbayes.music.page.nodes import counted
    from recbayes.music.prelude import prelude
    from recbayes.music.reading import read_score

    score: Score = prelude() if path is None else read_score(path, repeats=repeats)
    console.print(f"{score.title}: {counted(len(score), 'note')}, {counted(len(score.names), 'bar')}.", markup=False)
    status = console.status("drawing trees (kernels are compiled on the first run, which takes a minute or two)")
    with status, warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always", ApproximationWarning)
        found = analysed(score, **settings)
        text = found.to_html()
    write_whole(page, str(text))
    if table is not None:
        write_whole(table, _csv(found.table()))
    if found.note:
        more = "; --most-slices keeps more apart" if found.together > 1 else ""
        console.print(f"{found.note}{more}.", markup=False)
    for line in found.lines():
        console.print(_shown(line), markup=False)
    for one in given:
        if not issubclass(one.category, ApproximationWarning):
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
            continue
        console.print(f"Take probabilities with care: {one.message}", style="yellow", markup=False)
    count = len(found.nodes)
    shown = "The only passage" if count == 1 else f"All {count} passages"
    console.print(f"{shown}, with score and sound: {page}", markup=False)


def _shown(line: str) -> str:
    """A line as the terminal can show it: Bb where it has no flats of its own."""
    try:
        line.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        for sign, letters in PLAIN.items():
            line = line.replace(sign, letters)
    return line


def _rounded(value: Any) -> Any:
    """A number as a table shows it."""
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def _csv(rows: Sequence[dict[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _rounded(value) for name, value in row.items()} for row in rows)
    return text.getvalue()
