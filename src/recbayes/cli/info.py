"""`recbayes info`: what a file of a model holds."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from recbayes.learn.information import Row

MOST = 60  # numbers that are told


def info(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A model that `fit` or `model.save` wrote; or a grammar.")],
    json: Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else.")] = False,
) -> None:
    """Say what a model is: its variables, their rules, and its numbers."""
    import json as form

    from recbayes.cli.models import load_model
    from recbayes.cli.shown import console

    chosen = load_model(model)
    numbers = _numbers(chosen)
    if json:
        about = {
            "file": model.name,
            "kind": type(chosen).__name__,
            "family": chosen.family.name,
            "free_numbers": _free(chosen),
            "parameters": {row.name: row.estimate for row in numbers},
            "text": str(chosen),
        }
        typer.echo(form.dumps(about, indent=1, ensure_ascii=False))
        return
    to = console()
    free = _free(chosen)
    to.print(f"{model.name}: {chosen.family.name}, {free} numbers that can be learnt", style="bold", markup=False)
    to.print(str(chosen), markup=False)
    if numbers:
        width = max(len(row.name) for row in numbers[:MOST])
        to.print("parameters:")
        for row in numbers[:MOST]:
            to.print(f"  {row.name:{width}}  {row.estimate:.5g}", markup=False)
        if len(numbers) > MOST:
            to.print(f"  and {len(numbers) - MOST} more: --json has them all")


def _free(model: Any) -> int:
    from recbayes.parameters.parameters import Parameters

    if model.family.has("quantities"):
        return Parameters(model).size
    return model.family.free_numbers(model) if model.family.has("free_numbers") else 0


def _numbers(model: Any) -> "list[Row]":
    """Numbers as a fit tells them; grammars tell theirs with their rules."""
    import numpy as np

    from recbayes.learn.information import table
    from recbayes.parameters.parameters import Parameters

    if not model.family.has("quantities"):
        return []
    parameters = Parameters(model)
    return table(parameters, parameters.vector(), None, np.ones(parameters.size))
