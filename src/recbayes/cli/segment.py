"""`recbayes segment`: where the series of a file change."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from recbayes.cli.options import RUNS, WRITTEN, Draws, Quiet, Seed, reads_data
from recbayes.cli.outputs import Outputs, Result, print_text, write_files
from recbayes.cli.running import note
from recbayes.cli.visible import visible

if TYPE_CHECKING:
    from recbayes.data.files.reading import Reading
    from recbayes.segmentation.result import Segmentation

SOUGHT = "What is looked for"
MOST = 4  # columns whose levels are told


@reads_data
def segment(
    data: Annotated[
        str, typer.Argument(metavar="DATA", help="CSV, TSV, Parquet, NPY, NPZ or JSON lines; - is standard input.")
    ],
    period: Annotated[
        list[str] | None,
        typer.Option(
            "--period",
            metavar="N",
            help="Length of a season, in observations (7 for weeks of days); may be repeated.",
            rich_help_panel=SOUGHT,
        ),
    ] = None,
    kinds: Annotated[
        list[str] | None,
        typer.Option(
            "--kinds",
            metavar="KIND",
            help="Kinds of segments: level, trend, 'level + autoregressive', 'trend + autoregressive'; by default all.",
            rich_help_panel=SOUGHT,
        ),
    ] = None,
    min_length: Annotated[
        int,
        typer.Option(
            "--min-length", metavar="N", min=1, help="The fewest observations of a segment.", rich_help_panel=SOUGHT
        ),
    ] = 1,
    segments: Annotated[
        str | None,
        typer.Option(
            "--segments",
            metavar="N",
            help="How many segments: 3, or 2-5; by default the data decide.",
            rich_help_panel=SOUGHT,
        ),
    ] = None,
    tolerance: Annotated[
        int | None,
        typer.Option(
            "--tolerance", metavar="N", min=0, help="Changes so near are taken as one; by default 5.", rich_help_panel=SOUGHT
        ),
    ] = None,
    logarithms: Annotated[
        bool | None,
        typer.Option(
            "--logarithms/--no-logarithms",
            help="Whether to look at the logarithms of the data; by default the data decide.",
            rich_help_panel=SOUGHT,
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else.", rich_help_panel=WRITTEN)] = False,
    newick: Annotated[
        bool, typer.Option("--newick", help="Print trees in Newick form, and nothing else.", rich_help_panel=WRITTEN)
    ] = False,
    brackets: Annotated[
        bool, typer.Option("--brackets", help="Print trees in brackets, and nothing else.", rich_help_panel=WRITTEN)
    ] = False,
    table: Annotated[
        str | None,
        typer.Option("--table", metavar="FILE", help="A CSV table of all nodes; - prints it.", rich_help_panel=WRITTEN),
    ] = None,
    changes: Annotated[
        str | None,
        typer.Option(
            "--changes",
            metavar="FILE",
            help="A CSV table of the changes alone, with probabilities; - prints it.",
            rich_help_panel=WRITTEN,
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="A picture: png, svg, pdf, jpg, ...", rich_help_panel=WRITTEN),
    ] = None,
    report: Annotated[
        Path | None, typer.Option("--report", metavar="FILE", help="A page for any browser: HTML.", rich_help_panel=WRITTEN)
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="What is printed goes there.", rich_help_panel=WRITTEN),
    ] = None,
    draws: Draws = 1000,
    seed: Seed = 0,
    quiet: Quiet = False,
    picture: Annotated[
        bool, typer.Option("--picture/--no-picture", help="Whether to draw the series in characters.", rich_help_panel=RUNS)
    ] = True,
    *,
    read: "Callable[[str], Reading]",
) -> None:
    """Find where series change, how sure that is, and how their segments group.

    Nothing need be set. Several series in one file are told apart by a column
    (--by), and told one after the other; pictures and reports are then one file
    each, with the name of the group in its name.

        recbayes segment sensor.csv --report sensor.html
    """
    outputs = Outputs(json, newick, brackets, table, plot, report, output, changes)
    outputs.check([data])
    count, periods, chosen = _count(segments), _periods(period), _kinds(kinds)
    reading = read(data)
    import numpy as np

    import recbayes as rb

    settings: dict[str, Any] = {
        "min_length": min_length,
        "segments": count,
        "kinds": chosen,
        "periods": periods,
        "tolerance": tolerance,
        "logarithms": logarithms,
        "draws": draws,
    }
    seeds: Any = seed if len(reading.series) == 1 else np.random.default_rng(seed)  # pages of one tell it
    found: dict[str, Segmentation] = {}
    left: list[str] = []
    for group, one in reading.series.items():
        try:
            found[group] = rb.segment(one, seed=seeds, **settings)
        except rb.DataError as problem:
            if not group:
                raise rb.DataError(f"{data}: {problem}") from problem
            left.append(f"series {group} is left out: {problem}")
    if not found:
        raise rb.DataError(f"{data}: {left[0]}")
    results = [_result(*one) for one in found.items()]
    files = outputs.files(results, reading.by, reading.name, [data])
    about = {
        "format": "recbayes.segmentations",
        "version": 1,
        "recbayes": rb.__version__,
        "data": reading.name,
        "by": reading.by,
        "time": reading.time,
        "columns": list(reading.columns),
        "guessed": list(reading.guessed),
        "left_out": left,
        "settings": {**settings, "seed": seed},
    }
    words = not outputs.form
    if not words:
        print_text(outputs.text(results, reading.by, about), output)
    else:
        _tell(reading, found, left, picture, quiet, output)
    written = write_files(files)
    if words and output is None and written and not quiet:
        typer.echo(visible("written: " + ", ".join(written)))
    if not words and outputs.form != "json":
        for line in (*(() if quiet else reading.guessed), *left):
            note(f"{reading.name}: {line}")


def _count(told: str | None) -> int | tuple[int, int] | None:
    if told is None:
        return None
    ends = told.replace("–", "-").split("-")
    if not all(one.strip().isdecimal() for one in ends) or len(ends) > 2:
        raise typer.BadParameter(f"a number, or the fewest and the most, such as 2-5; got {told!r}", param_hint="--segments")
    if len(ends) == 2 and int(ends[0]) > int(ends[1]):
        raise typer.BadParameter(f"the fewest come first and then the most, got {told!r}", param_hint="--segments")
    return int(ends[0]) if len(ends) == 1 else (int(ends[0]), int(ends[1]))


def _periods(told: list[str] | None) -> tuple[float, ...]:
    found = []
    for one in told or ():
        try:
            found.append(float(one))
        except ValueError:
            found.append(0.0)
        if not 2 <= found[-1] < float("inf"):
            said = f"a number of observations, at least 2, such as 7 for weeks of days; got {one!r}"
            raise typer.BadParameter(said, param_hint="--period")
    return tuple(found)


def _kinds(told: list[str] | None) -> list[str] | None:
    from recbayes.segmentation.defaults import KINDS

    found = [name.strip() for one in told or () for name in one.split(",")]
    wrong = next((one for one in found if one not in KINDS), None)
    if wrong is not None:
        raise typer.BadParameter(f"kinds are {', '.join(map(repr, KINDS))}; got {wrong!r}", param_hint="--kinds")
    return found or None


def _result(group: str, found: "Segmentation") -> Result:
    return Result(
        group,
        lambda: _document(group, found),
        found.rows,
        found.tree,
        None,
        found.plot,
        lambda title: str(found.to_html(title=title)),
        lambda: _changes(found),
    )


def _changes(found: "Segmentation") -> list[dict[str, Any]]:
    """A row for each change; a change whose place is too uncertain for it to be told has an interval, and no time."""
    label = found.data.label
    placed = [
        {
            "time": label(one.position),
            "position": one.position,
            "probability": one.probability,
            "low": label(one.low),
            "high": label(one.high),
            "within": one.within,
        }
        for one in found.changes
    ]
    unplaced = [
        {
            "time": None,
            "position": None,
            "probability": one.probability,
            "low": label(one.low),
            "high": label(one.high),
            "within": one.within,
        }
        for one in found.unplaced
    ]
    lows = [*(one.low for one in found.changes), *(one.low for one in found.unplaced)]
    return [row for _, row in sorted(zip(lows, [*placed, *unplaced], strict=True), key=lambda one: one[0])]


def _document(group: str, found: "Segmentation") -> dict[str, Any]:
    """What was found, for programs."""
    import json
    from dataclasses import asdict

    data = found.data
    changes = [
        {
            "label": data.label(one.position),
            "position": one.position,
            "probability": one.probability,
            "within": one.within,
            "low": data.label(one.low),
            "high": data.label(one.high),
            "effects": [asdict(effect) for effect in effects],
        }
        for one, effects in zip(found.changes, found.effects, strict=True)
    ]
    unplaced = [one._asdict() | {"low": data.label(one.low), "high": data.label(one.high)} for one in found.unplaced]
    return {
        "name": group,
        "observations": len(data),
        "change_points": changes,
        "unplaced": unplaced,
        "number_of_segments": _counts(found),
        "kinds": dict(found.kinds),
        "logarithms": found.logarithms,
        "tolerance": found.tolerance,
        "likely_period": found.likely_period,
        "nodes": found.rows(),
        "tree": json.loads(found.tree.to_json()),
        "effective_sample_size": found.posterior.effective_sample_size,
        "expected_elsewhere": found.points.left_out,
    }


def _counts(found: "Segmentation") -> dict[str, float]:
    """How many segments there may be, and how probably."""
    probability = found.posterior.segment_count_probability.tolist()
    return {str(count): one for count, one in enumerate(probability) if one > 0}


def _tell(
    reading: "Reading", found: "dict[str, Segmentation]", left: list[str], drawn: bool, quiet: bool, output: Path | None
) -> None:
    """In words, on standard output or in a file."""
    import io

    from recbayes.cli.shown import WIDEST, console, picture, print_lines, tree_lines
    from recbayes.segmentation.texts import told_changes, told_method

    to = console()
    kept = io.StringIO()
    if output is not None:
        to = console(kept, WIDEST)
    to.print(f"{reading.name}: {reading.extent()}", style="bold", markup=False)
    if not quiet:
        for line in (*reading.guessed, *left):
            to.print(f"  {line}", style="dim", markup=False)
    for group, one in found.items():
        to.print()
        if group:
            to.print(f"{reading.by} {group}", style="bold", markup=False)
        positions = [change.position for change in one.changes]
        if drawn:
            picture(to, one.data, positions, one.boundary_probability, one.tree)
            to.print()
        first, *others = told_changes(one)
        to.print(first, style="bold", markup=False)
        for line in others:
            to.print(line, markup=False)
        what = "segments, and what groups them, with probabilities" if positions else "its one segment"
        to.print(f"{what} (noise and slope are of the logarithms):" if one.logarithms else f"{what}:")
        print_lines(to, tree_lines(one.tree, one.data.place, _about(one)))
        for line in told_method(one):
            to.print(line, style="dim", markup=False)
    if output is not None:
        write_files({output: kept.getvalue()})


def _about(found: "Segmentation") -> list[str]:
    """Of every segment its level, slope and noise; of several columns, their levels."""
    lines = []
    for row in found.rows():
        if row["kind"] == "group":
            lines.append("")
        elif "level" in row:
            slope = f", slope {row['slope']:.4g}" if row["kind"].startswith("trend") else ""
            lines.append(f"level {row['level']:.4g}{slope}, noise {row['noise']:.4g}")
        else:
            levels = {name.removeprefix("level "): value for name, value in row.items() if name.startswith("level ")}
            told = [f"{name} {value:.4g}" for name, value in list(levels.items())[:MOST]]
            lines.append("level " + ", ".join(told) + (", ..." if len(levels) > MOST else ""))
    return lines
