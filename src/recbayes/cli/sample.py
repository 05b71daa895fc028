"""`recbayes sample`: series, or sequences of symbols, and their trees, drawn from a model."""

import csv
import io
import json
from pathlib import Path
from typing import Annotated, Any

import typer

from recbayes.cli.options import WRITTEN, ModelFile, Seed
from recbayes.cli.outputs import check_targets, print_text, write_files

FORMS = {".nwk": "newick", ".newick": "newick", ".json": "json", ".jsonl": "json"}  # of trees; else brackets


def sample(
    model: ModelFile,
    count: Annotated[int, typer.Option("--count", "-n", metavar="N", min=1, help="How many are drawn.")] = 1,
    min_length: Annotated[int, typer.Option("--min-length", metavar="N", min=1, help="The fewest observations.")] = 1,
    max_length: Annotated[
        int | None, typer.Option("--max-length", metavar="N", min=1, help="The most observations.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Where they go.", rich_help_panel=WRITTEN),
    ] = None,
    trees: Annotated[
        Path | None,
        typer.Option(
            "--trees",
            metavar="FILE",
            help="Their trees, a line each: Newick in .nwk, JSON in .jsonl, brackets in others.",
            rich_help_panel=WRITTEN,
        ),
    ] = None,
    seed: Seed = 0,
) -> None:
    """Draw series from a model, and the trees they came from.

    Series of numbers are CSV, sequences of symbols are lines.

    recbayes sample -m model.json -n 3 --min-length 50 --max-length 60 --trees trees.nwk
    """
    import numpy as np

    from recbayes.cli.models import load_model

    check_targets([output, trees], [model])
    if max_length is not None and max_length < min_length:
        raise typer.BadParameter(f"the most observations, {max_length}, are fewer than the fewest, {min_length}")
    chosen = load_model(model)
    generator = np.random.default_rng(seed)
    drawn = [chosen.sample(seed=generator, min_length=min_length, max_length=max_length) for _ in range(count)]
    tabular = chosen.family.tabular
    text = _table(drawn) if tabular else "".join(" ".join(map(str, tokens)) + "\n" for tokens, _ in drawn)
    print_text(text, output)
    if trees is not None:
        write_files({trees: "".join(f"{_tree(one, trees.suffix.lower(), tabular)}\n" for one in drawn)})


def _table(drawn: list[Any]) -> str:
    """CSV: the number of the series, the row, and the values."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    width = drawn[0][0].shape[1]
    writer.writerow(["series", "row", *([f"value {n}" for n in range(1, width + 1)] if width > 1 else ["value"])])
    for number, (series, _) in enumerate(drawn, start=1):
        writer.writerows([number, row, *map(repr, values)] for row, values in enumerate(series.tolist()))
    return file.getvalue()


def _tree(drawn: Any, ending: str, tabular: bool) -> str:
    tokens, tree = drawn
    form = FORMS.get(ending, "brackets")
    if form == "json":
        return json.dumps(json.loads(tree.to_json()), ensure_ascii=False)
    return tree.to_newick() if form == "newick" else tree.to_brackets(None if tabular else tokens)
