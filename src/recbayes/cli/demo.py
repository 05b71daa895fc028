"""`recbayes demo`."""

import io
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recbayes.cli.outputs import check_targets, write_files

if TYPE_CHECKING:
    from recbayes.segmentation.result import Segmentation
    from recbayes.tree.tree import Tree


def demo(
    seed: Annotated[int, typer.Option(min=0, help="Seed of the draws.")] = 0,
    output: Annotated[Path, typer.Option(help="Where the picture goes.")] = Path("recbayes-demo.png"),
    report: Annotated[Path, typer.Option(help="Where the page goes.")] = Path("recbayes-demo.html"),
) -> None:
    """Find where the flow of the Nile changed, with probabilities, a tree, a picture and a page."""
    check_targets([output, report], [])
    os.environ["MPLBACKEND"] = "Agg"  # a picture for a file needs no window
    from rich.console import Console

    import recbayes as rb

    console = Console(highlight=False)
    nile = rb.data.nile()
    console.print("[bold]The flow of the Nile at Aswan, year by year: when did it change, and how sure is that?[/bold]")
    console.print(f"\n>>> found = rb.segment(rb.data.nile(), seed={seed})\n>>> found", style="cyan")
    with console.status("drawing trees (kernels are compiled on the first run, which takes half a minute)"):
        found = rb.segment(nile, seed=seed)
    console.print(found.summary(), markup=False, soft_wrap=True)
    console.print("\nIts tree, with the probability of every node:")
    console.print(str(_in_words(found)), markup=False, no_wrap=True, overflow="ellipsis")
    console.print(f'\n>>> found.plot().savefig("{output}")', style="cyan", markup=False)
    picture = io.BytesIO()
    try:
        found.plot().savefig(picture, dpi=110, format=output.suffix[1:] or "png")
    except ValueError as problem:  # a kind of picture that is none
        raise typer.BadParameter(str(problem), param_hint="--output") from problem
    console.print(f'>>> found.to_html("{report}")', style="cyan", markup=False)
    write_files({output: picture.getvalue(), report: str(found.to_html())})
    console.print(
        f"The picture is in {output}, and {report} opens in any browser: point at a span and click on it.\n"
        "Now try a series of yours: rb.segment takes arrays and data frames, recbayes segment takes files.",
        markup=False,
        soft_wrap=True,
    )


def _in_words(found: "Segmentation") -> "Tree":
    """The tree with the dates and levels of its nodes."""
    from recbayes.tree.tree import Tree

    nodes = []
    for node, row in zip(found.tree.nodes, found.rows(), strict=True):
        dates = f"{found.data.place(node.start)} to {found.data.place(node.end - 1)}"
        nodes.append(replace(node, label=dates, rule=f"level {row['level']:.0f}"))
    return Tree(nodes, found.tree.arities)
