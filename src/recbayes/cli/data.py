"""`recbayes data ...`: data that are fetched from where they are published."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from recbayes.cli.study import told


class Collection(StrEnum):
    """What can be fetched."""

    wtc = "wtc"


def fetch(
    what: Annotated[Collection, typer.Argument(help="wtc: the 48 preludes of Bach's Well-Tempered Clavier, as kern files.")],
    to: Annotated[Path | None, typer.Option(help="Folder for the files, by default one of the user's cache.")] = None,
) -> None:
    """Fetch scores from where they are published, and check them."""
    from rich.console import Console

    from recbayes.data.fetch import RIGHTS, fetch_wtc

    with told():
        found = fetch_wtc(to, progress=True)
    console = Console(highlight=False, soft_wrap=True)
    folder = next(iter(found.values())).parent
    console.print(f"{len(found)} preludes are in {folder}: bwv{min(found)}.krn to bwv{max(found)}.krn.", markup=False)
    console.print(RIGHTS, markup=False)
