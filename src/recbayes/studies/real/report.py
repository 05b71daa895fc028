"""The results as files: CSV tables, one JSON with everything, and a report to read."""

from pathlib import Path
from typing import NamedTuple

from recbayes.checks.files import write_whole
from recbayes.studies.parts import write_json
from recbayes.studies.real.scores import MARGIN
from recbayes.studies.real.shown import Shown, shown_differences, shown_field, shown_means, shown_times
from recbayes.studies.real.study import Results
from recbayes.studies.real.tables import TABLES, Row
from recbayes.studies.writing import markdown, write_csv

CITATION = "van den Burg & Williams, An Evaluation of Change Point Detection Algorithms, arXiv:2003.06222"


class Report(NamedTuple):
    """Where the report is, and the tables it is made of."""

    path: Path
    tables: dict[str, list[Row]]


def write_report(results: Results, folder: str | Path) -> Report:
    """Write all files into the folder."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    tables = {name: make(results) for name, make in TABLES.items()}
    for name, rows in tables.items():
        write_csv(folder / f"{name}.csv", rows)
    document = {"study": "real", "seed": results.seed, **results.facts, "elapsed_seconds": results.elapsed}
    write_json(folder / "study.json", {**document, "absent": list(results.absent), "tables": tables})
    report = folder / "report.md"
    write_whole(report, _text(results, tables))
    return Report(report, tables)


def _text(results: Results, tables: dict[str, list[Row]]) -> str:
    series = tables["series"]
    shown = [
        shown_means(tables["means"]),
        shown_differences(tables["differences"]),
        *(shown_field(series, field) for field in ("cover", "f1", "found")),
        shown_times(tables["times"]),
    ]
    blocks = [_head(results), *(_table(one) for one in shown if one is not None)]
    for title, field in (("What failed", "problem"), ("Warnings", "warnings")):
        said = [f"- {row['method']} on {row['series']}: {row[field]}" for row in series if row.get(field)]
        blocks += [f"## {title}\n\n" + "\n".join(said)] if said else []
    return "\n\n".join(blocks) + "\n"


def _head(results: Results) -> str:
    machine = results.facts["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in results.facts["versions"].items())
    absent = f"\n\nAnnotated, but without a file, and so left out: {', '.join(results.absent)}." if results.absent else ""
    return f"""# Change points of real series

{len(results.series)} series, seed {results.seed}. Covering and F1 (margin {MARGIN}) as defined by {CITATION}. Published \
scores are those of the file. Brackets are 95 % bootstrap intervals over series.

{results.elapsed / 60:.1f} minutes by the clock on a machine with {machine["cores"]} cores ({machine["processor"]}); \
{versions}.{absent}"""


def _table(shown: Shown) -> str:
    names, *lines = [[cell.replace("|", "\\|") for cell in line] for line in (shown.names, *shown.lines)]
    return f"## {shown.title}\n\n{markdown(names, lines)}"
