"""All commands. Whatever is slow to load is imported inside them, so that `recbayes --help` is quick."""

from typing import Annotated

import typer

from recbayes import __version__
from recbayes.cli.data import fetch
from recbayes.cli.demo import demo
from recbayes.cli.fit import fit
from recbayes.cli.info import info
from recbayes.cli.interrupting import promptly
from recbayes.cli.music import analyse
from recbayes.cli.music_study import music as music_study
from recbayes.cli.parse import parse
from recbayes.cli.real import real
from recbayes.cli.running import Commands, OneLine
from recbayes.cli.sample import sample
from recbayes.cli.segment import segment
from recbayes.cli.study import synthetic
from recbayes.cli.warmup import warmup

SERIES, MODELS, MORE = "Series of your own", "Models", "This package"
LINE = "Latent trees over sequences, with honest probabilities."

app = Commands(cls=OneLine, no_args_is_help=True, pretty_exceptions_enable=False, help=LINE)
study = typer.Typer(no_args_is_help=True, help="Run the paper's experiments again, and others.")
data = typer.Typer(no_args_is_help=True, help="Data that are not in the box.")
app.command(rich_help_panel=SERIES)(promptly(segment))
app.command(rich_help_panel=MODELS)(fit)
app.command(rich_help_panel=MODELS)(promptly(parse))
app.command(rich_help_panel=MODELS)(promptly(sample))
app.command(rich_help_panel=MODELS)(promptly(info))
app.command(rich_help_panel=MORE)(promptly(demo))
app.command(rich_help_panel=MORE)(promptly(warmup))
study.command()(synthetic)
study.command()(real)
study.command(name="music")(music_study)
pieces = typer.Typer(no_args_is_help=True, help="Hierarchies of pieces of music, from their notes.")
pieces.callback()(lambda: None)  # so that its one command has a name
pieces.command()(analyse)
app.add_typer(pieces, name="music", rich_help_panel=SERIES)
app.add_typer(study, name="study", rich_help_panel=MORE)
data.command()(fetch)
app.add_typer(data, name="data", rich_help_panel=MORE)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"recbayes {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Say the version.")
    ] = False,
    debug: Annotated[
        bool,
        typer.Option(
            "--debug", help="Show where an error happened. It may stand anywhere, as in recbayes segment --debug x."
        ),
    ] = False,
) -> None:
    """Latent trees over sequences, with honest probabilities.

    Errors are one line on standard error. Exit codes: 0 done, 1 something is wrong with the data, the model or the work,
    2 with the way the command was called, 130 interrupted.
    """
