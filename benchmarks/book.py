"""Trees of the model in the box beside analyses in Roman numerals: keys, their changes, and chords.

    python -m benchmarks.book FOLDER --annotations FOLDER --output results

As `recbayes study music`, but nothing is learnt; only pieces that have an analysis (NAME_analysis.rntxt) are looked at.
"""

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

import recbayes as rb
from recbayes.cli.music_study import regions_table
from recbayes.family.saved import to_json
from recbayes.studies.music.annotations import read_annotations
from recbayes.studies.music.models import MusicModel, as_counts
from recbayes.studies.music.pieces import read_pieces
from recbayes.studies.music.report import write_report
from recbayes.studies.music.settings import Settings
from recbayes.studies.music.study import run


def in_the_box(balance: float | None, counts: Sequence[np.ndarray], number: int) -> rb.music.Harmony:
    model = rb.music.pretrained()
    if balance is None:
        return model
    return model.with_fields(balance=balance)


def as_it_is(named: MusicModel, counts: Sequence[np.ndarray], start: int, **settings: Any) -> dict[str, Any]:
    model = {"model": to_json(named.start(counts, start)), "parameters": [], "warnings": []}
    numbers = {"log_likelihood": 0.0, "error": 0.0, "evaluations": 0, "free": 0}
    return {**model, **numbers, "converged": True, "reason": "nothing is learnt"}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--annotations", type=Path, required=True)
    arguments.add_argument("--output", type=Path, required=True)
    arguments.add_argument("--longest", type=int, default=80, help="the most bars of a piece")
    arguments.add_argument("--balance", type=float, help="another balance than the model's")
    given = arguments.parse_args()
    pieces = read_pieces(given.folder, 70)
    known = {piece.name: read_annotations(given.annotations, piece) for piece in pieces}
    chosen = [one for one in pieces if known[one.name].keys and len(one.bar_names) <= given.longest]
    settings = Settings(starts=1, draws=500)
    box = MusicModel("box", "the model in the box", "bars", partial(in_the_box, given.balance), as_counts)
    results = run(chosen, known, settings, given.output, models=(box,), learning=as_it_is)
    report = write_report(results, given.output)
    console = Console(width=160)
    console.print(f"{len(chosen)} pieces")
    console.print(regions_table(report.tables["region_means"]))


if __name__ == "__main__":
    main()
