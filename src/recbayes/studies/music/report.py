"""The results as files: CSV tables, one JSON with everything, a report to read, and figures."""

from pathlib import Path
from typing import NamedTuple

from recbayes.checks.files import write_whole
from recbayes.studies.music.agreement import LEVELS
from recbayes.studies.music.figures import PAPER, SHOWN, draw_figures
from recbayes.studies.music.profiles import Published
from recbayes.studies.music.study import Results
from recbayes.studies.music.tables import TABLES, Row, profile_rows
from recbayes.studies.parts import write_json
from recbayes.studies.published import CITATION
from recbayes.studies.writing import interval, markdown, write_csv

LEAST = 0.01  # weight of a transposition that is named


class Report(NamedTuple):
    """Where the report is, and the tables it is made of."""

    path: Path
    tables: dict[str, list[Row]]


def write_report(results: Results, folder: str | Path, published: tuple[Published, ...] = ()) -> Report:
    """Write all files into the folder; `published` are profiles to compare with."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    tables = {name: make(results) for name, make in TABLES.items()} | {"profiles": profile_rows(results, published)}
    for name, rows in tables.items():
        write_csv(folder / f"{name}.csv", rows)
    for climb, learnt in results.climbs.items():
        name = f"{climb.model}-{f'without-{climb.without}' if climb.without else 'all'}-{climb.start}"
        (folder / "models").mkdir(exist_ok=True)
        write_whole(folder / "models" / f"{name}.json", learnt["model"] + "\n")
    settings = results.plan.settings.to_data()
    document = {"study": "music", "settings": settings, **results.facts, "elapsed_seconds": results.elapsed}
    write_json(folder / "study.json", {**document, "tables": tables})
    draw_figures(results, tables, published, folder / "figures")
    write_whole(folder / "report.md", _text(results, tables))
    return Report(folder / "report.md", tables)


def _text(results: Results, tables: dict[str, list[Row]]) -> str:
    blocks = [_head(results), _learnt(tables), _profiles(tables["profiles"])]
    blocks += [_experts(results, tables)] if tables["expert"] else []
    blocks += [_regions(tables)] if tables["regions"] else []
    blocks += [_pieces(results), _worth(tables["analyses"]), _times(tables["times"])]
    return "\n\n".join(blocks) + "\n"


def _head(results: Results) -> str:
    settings, machine = results.plan.settings, results.facts["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in results.facts["versions"].items())
    return f"""# Trees of pieces of music

{len(results.plan.pieces)} pieces, {settings.slices} slices each or bar by bar; starts of each model: {settings.starts}; \
{settings.draws} draws, seed {settings.seed}. The paper is {CITATION}. Brackets are 95 % bootstrap intervals over pieces.

{results.elapsed["all"] / 60:.1f} minutes by the clock on a machine with {machine["cores"]} cores ({machine["processor"]}); \
{versions}."""


def _learnt(tables: dict[str, list[Row]]) -> str:
    """Climbs, and the transpositions they found."""
    body = []
    for row in tables["climbs"]:
        said = transpositions(row, tables["weights"])
        start = f"{row['start']}{' (chosen)' if row['chosen'] and not row['without'] else ''}"
        likelihood = f"{row['log_likelihood']:.2f}" + (f" ± {row['error']:.2f}" if row["error"] else "")
        body.append([row["model"], row["without"] or "none", start, likelihood, _yes(row["converged"]), said])
    names = ["model", "left out", "start", "log likelihood", "converged", "transpositions, in semitones: weight"]
    paper = ", ".join(f"{shift}: {weight:.2f}" for shift, weight in PAPER.items())
    return (
        f"## What was learnt\n\n{markdown(names, body)}\n\nIn the paper: {paper}, and no others. Models are in `models/`."
        "\n\n![Weights of transpositions](figures/weights.png)"
    )


def transpositions(climb: Row, weights: list[Row]) -> str:
    """Those of a climb that have some weight, the largest first."""
    which = ("model", "without", "start")
    found = [row for row in weights if all(row[name] == climb[name] for name in which) and row["weight"] >= LEAST]
    return ", ".join(f"{row['semitones']}: {row['weight']:.3f}" for row in sorted(found, key=lambda row: -row["weight"]))


def _profiles(rows: list[Row]) -> str:
    sources = list(dict.fromkeys(name for row in rows for name in row if name.startswith("correlation_")))
    body = []
    for row in rows:
        about = [row["model"], row.get("without") or "", str(row.get("start", "")), row["mode"]]
        body.append([*about, *(_number(row.get(source)) for source in sources)])
    names = ["model", "left out", "start", "mode", *(source.removeprefix("correlation_") for source in sources)]
    said = (
        "Correlations with published profiles of the same mode. What a model has learnt is to be seen beside the mean of "
        "the pieces, turned to one tonic, which takes no model at all."
        if sources
        else "No published profiles were given to compare with."
    )
    return f"## What pieces begin with\n\n{said}\n\n{markdown(names, body)}\n\n![Profiles](figures/profile.png)"


def _experts(results: Results, tables: dict[str, list[Row]]) -> str:
    """F1 by level, and of random trees with the same leaves."""
    blocks = [
        "## Against an analyst's tree\n\nModels have not seen the piece. F1 of nodes, in brackets that of random trees with "
        "the same leaves. Nodes above bars are longer than one bar, and the root is not among them."
    ]
    for model in results.plan.models:
        for piece in results.plan.experts:
            here = [row for row in tables["expert"] if (row["model"], row["piece"]) == (model.name, piece.name)]
            blocks.append(
                f"### {piece.name}, {model.title}\n\n{_by_level([row for row in here if not row['leaves_given']])}"
            )
            told = [row for row in here if row["leaves_given"]]
            blocks += [f"All are told the leaves of the analyst's tree:\n\n{_by_level(told)}"] if told else []
            for row in tables["percentiles"]:
                if (row["model"], row["piece"]) == (model.name, piece.name):
                    blocks.append(_percentile(row))
            blocks.append(f"![{piece.name}](figures/expert-{model.name}-{piece.name}.png)")
    return "\n\n".join(blocks)


def _by_level(rows: list[Row]) -> str:
    found = {(row["tree"], row["level"]): row for row in rows}
    body = [
        [tree, *(f"{found[tree, level]['f1']:.3f} ({found[tree, level]['same_leaves']:.3f})" for level in LEVELS)]
        for tree in dict.fromkeys(tree for tree, _ in found)
    ]
    return markdown(["tree", *LEVELS], body)


def _percentile(row: Row) -> str:
    above = "" if row["above_mean"] is None else f", {row['above_mean']:+.1f} nats from their mean"
    others = f"{row['others_count']} trees with the same leaves (*{row['others']}*)"
    return f"By the model, the analyst's tree is more probable than {row['share']:.1%} of {others}{above}."


def _regions(tables: dict[str, list[Row]]) -> str:
    rows = tables["region_means"]
    blocks = [
        f"## Against keys and chords\n\nMeans over {max(row['pieces'] for row in rows)} pieces, in brackets how much more "
        "that is than random trees with the same leaves have. *Best nodes*: the best node's F for every region of one key. "
        "*Boundary rank*: how probably a boundary of such regions is a higher one of the tree than another position. "
        "*T* and *L*: the measures of hierarchies (of segments, of labels) of McFee et al. 2017, against keys and chords."
    ]
    for model in dict.fromkeys(row["model"] for row in rows):
        found = {(row["tree"], row["measure"]): row for row in rows if row["model"] == model}
        body = []
        for tree in dict.fromkeys(tree for tree, _ in found):
            cells = [f"{found[tree, one]['value']:.3f} ({interval(found[tree, one], 'gain', '+.3f')})" for one in SHOWN]
            body.append([tree, *cells])
        blocks.append(f"### {model}\n\n{markdown(['tree', *SHOWN], body)}")
    return "\n\n".join([*blocks, "![Gains](figures/regions.png)"])


def _pieces(results: Results) -> str:
    pages = [f"![All pieces, {model.title}](figures/pieces-{model.name}.png)" for model in results.plan.models]
    said = (
        "Left: the key that a span's value resembles, if it is a node, by what the model thinks a piece begins with. Right: "
        "how probable it is a node, and the expected-F1 tree. Each by itself is in `figures/pieces/`."
    )
    return "\n\n".join(["## All pieces", said, *pages])


def _worth(rows: list[Row]) -> str:
    names = ["model", "learnt from", "piece", "log evidence", "draws worth", "expected F1", "nodes", "leaves", "warnings"]
    body = []
    for row in rows:
        how = {"all": "all", "without": "others", "given": "others; bars given"}[row["how"]]
        evidence = f"{row['log_evidence']:.2f} ± {row['log_evidence_error']:.2f}"
        numbers = [f"{row['effective_draws']:.0f}", f"{row['expected_f1']:.3f}", str(row["nodes"]), str(row["leaves"])]
        body.append([row["model"], how, row["piece"], evidence, *numbers, "yes" if row["warnings"] else ""])
    return f"## What posteriors are worth\n\nWarnings are in `analyses.csv`.\n\n{markdown(names, body)}"


def _times(rows: list[Row]) -> str:
    return "## Time\n\n" + markdown(["stage", "seconds"], [[row["stage"], f"{row['seconds']:.0f}"] for row in rows])


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _yes(holds: bool) -> str:
    return "yes" if holds else "no"
