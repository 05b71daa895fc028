"""The command line. Whatever is slow to load is imported inside the commands, so that `recbayes --help` is quick."""

from typing import Annotated

import typer

from recbayes import __version__
from recbayes.cli.demo import demo
from recbayes.cli.study import synthetic

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Latent trees over sequences, with honest probabilities.")
study = typer.Typer(no_args_is_help=True, help="Run the paper's experiments again, and further.")
app.command()(demo)
study.command()(synthetic)
app.add_typer(study, name="study")


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"recbayes {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Say the version.")
    ] = False,
) -> None:
    """Latent trees over sequences, with honest probabilities."""
