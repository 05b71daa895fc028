"""`recbayes fit`: a model learnt from series."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from recbayes.cli.options import RUNS, WRITTEN, Quiet, Seed, reads_data
from recbayes.cli.outputs import check_targets

if TYPE_CHECKING:
    from recbayes.data.files.reading import Reading
    from recbayes.learn.record import Fit

LEARNT = "How it is learnt"


@reads_data
def fit(
    data: Annotated[
        list[str],
        typer.Argument(
            metavar="DATA...", help="Files of series, read as by `segment`; for grammars, text with a sequence in each line."
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where the model goes.", rich_help_panel=WRITTEN)
    ],
    model: Annotated[
        Path | None,
        typer.Option(
            "--model",
            "-m",
            metavar="FILE",
            help="The model to begin with, a grammar for instance; by default a Gaussian network of the order of the data.",
            rich_help_panel=LEARNT,
        ),
    ] = None,
    restarts: Annotated[
        int | None,
        typer.Option("--restarts", metavar="N", min=0, help="Further starts; by default some.", rich_help_panel=LEARNT),
    ] = None,
    fixed: Annotated[
        list[str] | None,
        typer.Option(
            "--fixed", metavar="NAME", help="Parameters that stay, as 'x.rules*'; may be repeated.", rich_help_panel=LEARNT
        ),
    ] = None,
    max_evaluations: Annotated[
        int | None,
        typer.Option("--max-evaluations", metavar="N", min=1, help="The most evaluations.", rich_help_panel=LEARNT),
    ] = None,
    tolerance: Annotated[
        float | None,
        typer.Option("--tolerance", metavar="X", min=0, help="A gain that ends the climb.", rich_help_panel=LEARNT),
    ] = None,
    checkpoint: Annotated[
        Path | None, typer.Option("--checkpoint", metavar="FILE", help="Keep every evaluation there.", rich_help_panel=RUNS)
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from the checkpoint, if it is there.", rich_help_panel=RUNS)
    ] = False,
    seed: Seed = 0,
    quiet: Quiet = False,
    *,
    read: "Callable[[str], Reading]",
) -> None:
    """Learn a model from series, by maximum likelihood, and write it.

    Without a model to begin with it is a Gaussian network as in the paper.
    Ctrl-C ends the climb and keeps the best so far.

        recbayes fit sensor.csv --by machine -o model.json
    """
    from recbayes.cli.models import given, load_model, told_of
    from recbayes.cli.shown import console
    from recbayes.errors import DataError, LengthError

    check_targets([output, checkpoint], [*data, *([] if model is None else [model])])
    if resume and checkpoint is None:
        raise typer.BadParameter("it needs the name of a --checkpoint", param_hint="--resume")
    start = None if model is None else load_model(model)
    sequences, reading = given(start, data, read)
    import recbayes as rb

    settings: dict[str, Any] = {
        "max_evaluations": max_evaluations,
        "tolerance": tolerance,
        "restarts": restarts,
        "fixed": fixed,
    }
    told: dict[str, Any] = {name: value for name, value in settings.items() if value is not None}
    if checkpoint is not None:
        told |= {"checkpoint": checkpoint, "resume": resume and checkpoint.exists()}
    try:
        found = rb.fit(start, [one.sequence for one in sequences], seed=seed, **told)
    except (DataError, LengthError) as problem:
        raise told_of(problem, data, sequences) from problem
    found.model.save(output)
    to = console()
    if reading is not None:
        to.print(f"{reading.name}: {reading.extent()}", style="bold", markup=False)
        for line in () if quiet else reading.guessed:
            to.print(f"  {line}", style="dim", markup=False)
    else:
        to.print(f"{len(sequences)} sequences", style="bold", markup=False)
    to.print(_told(found), markup=False)
    to.print(f"written: {output}", markup=False)


def _told(found: "Fit[Any]") -> str:
    """What was learnt, without what differs from run to run: how long it took. Grammars have no table, but rules."""
    import re

    text = re.sub(r" in [0-9.]+ s$", "", str(found), flags=re.MULTILINE)
    return text if found.table else f"{found.model}\n{text.partition(chr(10))[2]}"
