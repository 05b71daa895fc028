"""The results as files: CSV tables, one JSON with everything, a report to read, and figures."""

from pathlib import Path
from typing import Any, NamedTuple

from recbayes.checks.files import write_whole
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
    score_table,
    share_table,
    time_table,
    tuning_table,
)
from recbayes.studies.synthetic.settings import Settings
from recbayes.studies.synthetic.study import Results
from recbayes.studies.synthetic.tables import TABLES, Row
from recbayes.studies.writing import write_csv


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
        write_csv(folder / f"{name}.csv", rows)
    write_json(folder / "study.json", _document(results, tables))
    draw_figures(results, tables, folder / "figures")
    report = folder / "report.md"
    write_whole(report, _text(results, tables))
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
        "tables": tables,
    }


def _text(results: Results, tables: dict[str, list[Row]]) -> str:
    blocks = [_head(results), *(f"## {title}\n\n" + "\n\n".join(parts) for title, *parts in _sections(results, tables))]
    return "\n\n".join(blocks) + "\n"


def _head(results: Results) -> str:
    settings, machine = results.settings, results.facts["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in results.facts["versions"].items())
    return f"""# Trees of synthetic series

{settings.training} training, {settings.tuning} tuning and {settings.test} test sequences per noise level (and \
{settings.unshifted} without transpositions), seed {settings.seed}, {settings.draws} draws. \
Published numbers: {CITATION}. Brackets are 95 % bootstrap intervals.

{results.elapsed["all"] / 60:.1f} minutes by the clock on a machine with {machine["cores"]} cores ({machine["processor"]}); \
{versions}."""


def _sections(results: Results, tables: dict[str, list[Row]]) -> list[tuple[str, ...]]:
    """Titles, and what stands below them."""
    few = results.settings.test < Settings().test
    converged = sum(learnt["converged"] for learnt in results.learnt.values())
    clock = ", ".join(f"{name} {seconds:.0f} s" for name, seconds in results.elapsed.items())
    return [
        (
            "What was to be shown",
            *(["With so few sequences chance alone can break any of these."] if few else []),
            check_table(tables["checks"]),
        ),
        (
            "F1",
            "Parameters are learnt from the training sequences alone, but for the last column, which has the true ones.",
            f1_table(tables["scores"]),
            "![Precision, recall and F1](figures/scores.png)",
            "![An example](figures/example.png)",
        ),
        ("Precision and recall", precision_recall_table(tables["scores"])),
        (
            "Against the ground truth as published",
            "The authors' data list leaves of exactly two observations together with both observations as nodes. Scored "
            "against such a truth, precision / recall / F1 (outside marginals above 1 count as 1 in ours):",
            published_table(tables["scores"]),
        ),
        ("Differences of F1 on the same sequences", difference_table(tables["differences"])),
        (
            "Nodes claimed per node that exists",
            "With the true parameters; in brackets precision / recall.",
            node_count_table(tables["node_counts"]),
            "Probabilities above 1 count as 1 everywhere. Where they are:",
            above_one_table(tables["node_counts"]),
        ),
        (
            "Calibration, all noise levels",
            calibration_table(tables["calibration"]),
            "![Calibration](figures/calibration.png)",
        ),
        ("Effective share of the draws", share_table(tables["effective_shares"])),
        ("Choice of the baselines", tuning_table(results), "![Tuning](figures/tuning.png)"),
        (
            "Learnt parameters",
            f"{converged} of {len(results.learnt)} fits converged. True values are in the headings.",
            parameter_table(tables["parameters"]),
        ),
        ("Time", f"By the clock: {clock}. Work, added up over all processes:", time_table(tables["times"])),
        ("All scores", "Learnt parameters; published: precision / recall / F1.", score_table(tables["scores"])),
    ]
