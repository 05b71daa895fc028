"""The command line. Whatever is slow to load is imported inside the commands, so that `recbayes --help` is quick."""

import codecs
import io
import os
import sys
from typing import Annotated, Any

import typer

from recbayes import __version__
from recbayes.cli.data import fetch
from recbayes.cli.demo import demo
from recbayes.cli.music import analyse
from recbayes.cli.music_study import music as music_study
from recbayes.cli.real import real
from recbayes.cli.study import synthetic
from recbayes.cli.warmup import warmup

PLAIN = {"├": "|", "└": "`", "│": "|", "─": "-", "±": "+-"}  # for terminals and files that know ASCII only


class Commands(typer.Typer):
    """All commands: where they cannot write, they say so in one line; what a stream cannot encode, they write in ASCII."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        codecs.register_error("plain", _in_ascii)
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="plain")
        try:
            return super().__call__(*args, **kwargs)
        except OSError as problem:
            if sys.stdout is not None:  # what is still to be written would fail once more when Python ends
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(f"recbayes: {problem}")


def _in_ascii(problem: UnicodeError) -> tuple[str, int]:
    if not isinstance(problem, UnicodeEncodeError):
        raise problem
    return "".join(PLAIN.get(sign, "?") for sign in problem.object[problem.start : problem.end]), problem.end


app = Commands(no_args_is_help=True, add_completion=False, help="Latent trees over sequences, with honest probabilities.")
study = typer.Typer(no_args_is_help=True, help="Run the paper's experiments again, and others.")
data = typer.Typer(no_args_is_help=True, help="Data that are not in the box.")
app.command()(demo)
app.command()(warmup)
study.command()(synthetic)
study.command()(real)
study.command(name="music")(music_study)
app.add_typer(study, name="study")
pieces = typer.Typer(no_args_is_help=True, help="Hierarchies of pieces of music, from their notes.")
pieces.callback()(lambda: None)  # so that its one command has a name
pieces.command()(analyse)
app.add_typer(pieces, name="music")
data.command()(fetch)
app.add_typer(data, name="data")


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
