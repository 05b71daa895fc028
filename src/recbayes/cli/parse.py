"""`recbayes parse`: the trees of series by a model."""

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from recbayes.cli.options import RUNS, WRITTEN, Draws, ModelFile, Quiet, Seed, reads_data
from recbayes.cli.outputs import Outputs, Result, print_text, write_files
from recbayes.cli.running import note
from recbayes.cli.visible import visible

if TYPE_CHECKING:
    from recbayes.cli.models import Given
    from recbayes.data.files.reading import Reading
    from recbayes.tree.tree import Tree


class Best(StrEnum):
    """What the tree that is told is best at."""

    f1 = "f1"
    map = "map"
    threshold = "threshold"


@reads_data
def parse(
    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA", help="A file of series, read as by `segment`; for grammars, text with a sequence in each line."
        ),
    ],
    model: ModelFile,
    objective: Annotated[
        Best,
        typer.Option("--objective", help="Which tree is told: of highest expected F1, the most probable, or threshold."),
    ] = Best.f1,
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
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="A picture: png, svg, pdf, jpg, ...", rich_help_panel=WRITTEN),
    ] = None,
    report: Annotated[Path | None, typer.Option("--report", hidden=True)] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="What is printed goes there.", rich_help_panel=WRITTEN),
    ] = None,
    draws: Draws = 1000,
    seed: Seed = 0,
    quiet: Quiet = False,
    picture: Annotated[
        bool, typer.Option("--picture/--no-picture", help="Whether to draw series in characters.", rich_help_panel=RUNS)
    ] = True,
    *,
    read: "Callable[[str], Reading]",
) -> None:
    """Infer the trees of series by a model, with probabilities.

    recbayes parse sensor.csv --by machine -m model.json
    """
    from recbayes.cli.fitting import notes_on_units
    from recbayes.cli.models import given, load_model, told_of
    from recbayes.errors import DataError, LengthError

    outputs = Outputs(json, newick, brackets, table, plot, None, output)
    outputs.check([data, model])
    if report is not None:
        raise typer.BadParameter(
            "reports are of `recbayes segment`; here there are --plot, --table and --json", param_hint="--report"
        )
    chosen = load_model(model)
    sequences, reading = given(chosen, [data], read)
    if plot is not None and reading is None:
        raise typer.BadParameter("there are pictures of series of numbers only", param_hint="--plot")
    for text in notes_on_units(chosen, sequences):
        note(f"note: {text}")
    import recbayes as rb
    from recbayes.segmentation.progress import Progress

    try:
        with Progress(None) as shown:
            shown.stage(f"drawing {draws} trees by the model (Ctrl-C ends that)")
            if len(sequences) == 1:  # by itself, so that notes need not say which series they are about
                posteriors = [rb.sample_posterior(chosen, sequences[0].sequence, draws=draws, seed=seed)]
            else:
                posteriors = rb.sample_posterior(chosen, [one.sequence for one in sequences], draws=draws, seed=seed)
    except (DataError, LengthError) as problem:
        raise told_of(problem, [data], sequences) from problem
    trees = [one.tree(objective.value) for one in posteriors]
    results = [_result(*three) for three in zip(sequences, posteriors, trees, strict=True)]
    by = None if reading is None else reading.by
    name = data if reading is None else reading.name
    files = outputs.files(results, by, name, [data, model])
    about = {
        "format": "recbayes.parses",
        "version": 1,
        "recbayes": rb.__version__,
        "data": name,
        "by": by,
        "guessed": [] if reading is None else list(reading.guessed),
        "settings": {"model": model.name, "draws": draws, "seed": seed, "objective": objective.value},
    }
    if outputs.form:
        print_text(outputs.text(results, by, about), output)
        written = write_files(files)
        for line in () if quiet or reading is None or outputs.form == "json" else reading.guessed:
            note(f"{name}: {line}")
        return
    _tell(name, reading, list(zip(sequences, posteriors, trees, strict=True)), picture, quiet, output)
    written = write_files(files)
    if written and output is None and not quiet:
        typer.echo(visible("written: " + ", ".join(written)))


def _place(one: "Given") -> Callable[[int], str]:
    if one.table is not None:
        return one.table.place
    return lambda position: str(position)


def _result(one: "Given", posterior: Any, tree: "Tree") -> Result:
    def figure() -> Any:
        import recbayes as rb

        return rb.plot.overview(one.table, posterior)

    tokens = one.sequence if one.table is None else None
    return Result(
        one.name,
        lambda: _document(one, posterior, tree),
        lambda: _rows(one, tree),
        tree,
        tokens,
        figure,
        None,
    )


def _rows(one: "Given", tree: "Tree") -> list[dict[str, Any]]:
    """A row for each node, in preorder."""
    names = ("",) if one.table is None else one.table.names or tuple(map(str, range(1, one.table.values.shape[1] + 1)))
    rows = []
    for node, level in zip(tree.nodes, tree.levels, strict=True):
        row: dict[str, Any] = {
            "start": node.start if one.table is None else one.table.label(node.start),
            "end": node.end - 1 if one.table is None else one.table.label(node.end - 1),
            "observations": node.length,
            "depth": level,
            "label": node.label,
            "rule": node.rule,
            "probability": node.probability,
        }
        if node.value is not None:
            value = node.value.ravel().tolist()
            called = names if len(names) == len(value) else tuple(map(str, range(1, len(value) + 1)))
            keys = [f"value {name}" for name in called] if len(value) > 1 else ["value"]
            row |= dict(zip(keys, value, strict=True))
        rows.append(row)
    return rows


def _document(one: "Given", posterior: Any, tree: "Tree") -> dict[str, Any]:
    """What was found, for programs."""
    import json

    probability = posterior.boundary_probability
    return {
        "name": one.name,
        "observations": posterior.length,
        "log_evidence": posterior.log_evidence,
        "log_evidence_error": posterior.log_evidence_error,
        "effective_sample_size": posterior.effective_sample_size,
        "boundaries": [
            {"position": node.start, "label": node.start if one.table is None else one.table.label(node.start)}
            | {"probability": float(probability[node.start])}
            for node in tree.leaves[1:]
        ],
        "nodes": _rows(one, tree),
        "tree": json.loads(tree.to_json()),
    }


def _tell(name: str, reading: "Reading | None", found: list[Any], drawn: bool, quiet: bool, output: Path | None) -> None:
    import io

    from recbayes.cli.shown import WIDEST, console, picture, print_lines, tree_lines

    to, kept = console(), io.StringIO()
    if output is not None:
        to = console(kept, WIDEST)
    extent = f"{len(found)} sequence{'s' if len(found) > 1 else ''}" if reading is None else reading.extent()
    to.print(f"{name}: {extent}", style="bold", markup=False)
    for line in () if quiet or reading is None else reading.guessed:
        to.print(f"  {line}", style="dim", markup=False)
    for one, posterior, tree in found:
        to.print()
        if one.name:
            by = "" if reading is None else f"{reading.by} "
            to.print(f"{by}{one.name}", style="bold", markup=False)
        starts = [node.start for node in tree.leaves[1:]]
        if drawn and one.table is not None:
            picture(to, one.table, starts, posterior.boundary_probability, tree)
            to.print()
        about = [_about(row) for row in _rows(one, tree)]
        if one.table is None:
            to.print(_bare(tree).to_brackets(one.sequence), markup=False)
        else:
            print_lines(to, tree_lines(tree, _place(one), about))
        error = f" ± {posterior.log_evidence_error:.2g}" if posterior.log_evidence_error > 0 else ""
        said = f"log evidence {posterior.log_evidence:.2f}{error}; {len(posterior.trees)} draws worth "
        to.print(f"{said}{posterior.effective_sample_size:.0f}", style="dim", markup=False)
    if output is not None:
        write_files({output: kept.getvalue()})


def _bare(tree: "Tree") -> "Tree":
    """Without the names of rules, for people to read."""
    from dataclasses import replace

    return type(tree)([replace(node, rule="") for node in tree.nodes], tree.arities)


def _about(row: dict[str, Any]) -> str:
    parts = [f"{row['label']} {row['rule']}".strip()]
    parts += [f"{name} {value:.4g}" for name, value in list(row.items())[7:11]]
    return ", ".join(filter(None, parts))
