"""The results as files: CSV tables, one JSON with everything, a report to read, and figures."""

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from recbayes.studies.parts import write_json
from recbayes.studies.published import CITATION
from recbayes.studies.synthetic.checks import check_rows
from recbayes.studies.synthetic.figures import draw_figures
from recbayes.studies.synthetic.markdown import (
    above_one_table,
    calibration_table,
    check_table,
    difference_table,
    f1_table,
    node_count_table,
    parameter_table,
    precision_recall_table,
    published_table,
    share_table,
    time_table,
    tuning_table,
)
from recbayes.studies.synthetic.settings import Settings
from recbayes.studies.synthetic.study import Results
from recbayes.studies.synthetic.tables import TABLES, Row


class Report(NamedTuple):
    """Where the report is, and the tables it is made of."""

    path: Path
    tables: dict[str, list[Row]]


def write_report(results: Results, folder: str | Path) -> Report:
    """Write all files into the folder."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    tables = {name: make(results) for name, make in TABLES.items()}
    tables["checks"] = check_rows(results, tables)
    for name, rows in tables.items():
        _write_csv(folder / f"{name}.csv", rows)
    write_json(folder / "study.json", _document(results, tables))
    draw_figures(results, tables, folder / "figures")
    report = folder / "report.md"
    report.write_text("\n".join(_sections(results, tables)) + "\n", encoding="utf-8")
    return Report(report, tables)


def _document(results: Results, tables: dict[str, list[Row]]) -> dict[str, Any]:
    return {
        "study": "synthetic",
        "settings": results.settings.to_data(),
        **results.facts,
        "elapsed_seconds": results.elapsed,
        "chosen_change_points": {str(noise): choice["chosen"] for noise, choice in results.change_points.items()},
        "bayesian_change_points": {str(noise): tuned for noise, tuned in results.bayesian.items()},
        "learnt": {str(noise): learnt for noise, learnt in results.learnt.items()},
        "tables": {name: rows for name, rows in tables.items() if name not in ("sequences", "tuning")},
    }


def _write_csv(path: Path, rows: list[Row]) -> None:
    names = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _sections(results: Results, tables: dict[str, list[Row]]) -> Iterable[str]:
    settings, machine, versions = results.settings, results.facts["machine"], results.facts["versions"]
    yield "# Trees of synthetic series\n"
    yield (
        f"{settings.training} training, {settings.tuning} tuning and {settings.test} test sequences per noise level (and "
        f"{settings.unshifted} without transpositions), seed {settings.seed}, {settings.draws} draws. Published numbers: "
        f"{CITATION}. Brackets are 95 % bootstrap intervals.\n"
    )
    named = ", ".join(f"{name} {version}" for name, version in versions.items())
    cores = f"a machine with {machine['cores']} cores ({machine['processor']})"
    yield f"{results.elapsed['all'] / 60:.1f} minutes by the clock on {cores}; {named}.\n"
    yield "## What was to be shown\n"
    if settings.test < Settings().test:
        yield "With so few sequences chance alone can break any of these.\n"
    yield check_table(tables["checks"])
    yield "\n## F1\n"
    yield "Parameters are learnt from the training sequences alone, but for the last column, which has the true ones.\n"
    yield f1_table(tables["scores"])
    yield "\n![Precision, recall and F1](figures/scores.png)\n\n![An example](figures/example.png)"
    yield "\n## Precision and recall\n"
    yield precision_recall_table(tables["scores"])
    yield "\n## Against the ground truth as published\n"
    yield (
        "The authors' data list leaves of exactly two observations together with both observations as nodes. Scored against "
        "such a truth, precision / recall / F1 (outside marginals above 1 count as 1 in ours):\n"
    )
    yield published_table(tables["scores"])
    yield "\n## Differences of F1 on the same sequences\n"
    yield difference_table(tables["differences"])
    yield "\n## Nodes claimed per node that exists\n"
    yield "With the true parameters; in brackets precision / recall.\n"
    yield node_count_table(tables["node_counts"])
    yield "\nProbabilities above 1 count as 1 everywhere. Where they are:\n"
    yield above_one_table(tables["node_counts"])
    yield "\n## Calibration, all noise levels\n"
    yield calibration_table(tables["calibration"])
    yield "\n![Calibration](figures/calibration.png)"
    yield "\n## Effective share of the draws\n"
    yield share_table(tables["effective_shares"])
    yield "\n## Choice of the baselines\n"
    yield tuning_table(results)
    yield "\n![Tuning](figures/tuning.png)"
    yield "\n## Learnt parameters\n"
    converged = sum(learnt["converged"] for learnt in results.learnt.values())
    yield f"{converged} of {len(results.learnt)} fits converged. True values are in the headings.\n"
    yield parameter_table(tables["parameters"])
    yield "\n## Time\n"
    spans = ", ".join(f"{name} {seconds:.0f} s" for name, seconds in results.elapsed.items())
    yield f"By the clock: {spans}. Work, added up over all processes:\n"
    yield time_table(tables["times"])
