"""The results as rows of numbers: what the CSV files hold, and what the report and the command line show."""

from collections.abc import Callable
from typing import Any

import numpy as np

from recbayes.studies.bootstrap import bootstrap_mean, columns
from recbayes.studies.music.analysis import EXPECTED_F1, restored
from recbayes.studies.music.learning import learnt_model
from recbayes.studies.music.models import mean_profile, prior_means, shift_weights, to_proportions
from recbayes.studies.music.profiles import Published, correlations, from_tonic, key_of
from recbayes.studies.music.study import Results

Row = dict[str, Any]
MEAN = "mean of the pieces"  # what a profile is worth that nobody had to learn


def piece_rows(results: Results) -> list[Row]:
    rows = []
    for piece in results.plan.pieces:
        known = results.plan.annotations[piece.name]
        row = {"piece": piece.name, "bars": len(piece.bar_names), "quarters": float(piece.bars[-1])}
        row |= {"key_regions": len(known.keys), "chords": len(known.chords), "phrase_marks": len(known.phrases)}
        rows.append({**row, "expert_nodes": 0 if known.tree is None else len(known.tree)})
    return rows


def climb_rows(results: Results) -> list[Row]:
    """What was learnt from where; of each model, the start that was chosen."""
    fields = ("log_likelihood", "error", "converged", "reason", "evaluations", "free", "seconds")
    return [
        {
            **_climb(climb),
            "chosen": results.best[climb.model] == climb.start,
            **{field: learnt[field] for field in fields},
            "warnings": " | ".join(learnt["warnings"]),
        }
        for climb, learnt in results.climbs.items()
    ]


def parameter_rows(results: Results) -> list[Row]:
    return [
        {**_climb(climb), "parameter": name, "estimate": estimate, "standard_error": error}
        for climb, learnt in results.climbs.items()
        for name, estimate, error in learnt["parameters"]
    ]


def weight_rows(results: Results) -> list[Row]:
    """How probable each transposition of a left part is, if something splits."""
    return [
        {**_climb(climb), "semitones": shift, "weight": float(weight)}
        for climb, learnt in results.climbs.items()
        for shift, weight in enumerate(shift_weights(learnt_model(learnt)))
    ]


def profile_rows(results: Results, published: tuple[Published, ...] = ()) -> list[Row]:
    """What pieces begin with, as proportions from the tonic on, and how it correlates with published profiles.

    The mean of the pieces, turned to one tonic, is what it has to be better than.
    """
    found = []
    for climb, learnt in results.climbs.items():
        model = learnt_model(learnt)
        for number, mean in enumerate(prior_means(model)):
            found.append(({**_climb(climb), "component": number}, to_proportions(model, mean)))
    counts = [piece.by_bars.counts for piece in results.plan.pieces]
    found.append(({"model": MEAN}, mean_profile(counts)))
    rows = []
    for row, values in found:
        mode = key_of(values).mode
        turned = from_tonic(values)
        row = {**row, "mode": mode, **{f"pc{step}": float(value) for step, value in enumerate(turned)}}
        same = [one for one in published if one.mode == mode]
        rows.append(
            {**row, **{f"correlation_{one.source}": float(correlations(turned, one.values[None])[0]) for one in same}}
        )
    return rows


def analysis_rows(results: Results) -> list[Row]:
    """What posteriors are worth, and what the trees are like."""
    rows = []
    for one, data in results.analyses.items():
        facts = data["facts"]
        tree = restored(data).trees[EXPECTED_F1]
        rows.append(
            {
                **one._asdict(),
                "nodes": len(tree),
                "leaves": len(tree.leaves),
                "depth": tree.depth,
                **{name: value for name, value in facts.items() if name != "warnings"},
                "seconds": data["seconds"],
                "warnings": " | ".join(facts["warnings"]),
            }
        )
    return rows


def region_rows(results: Results) -> list[Row]:
    """Every tree of every annotated piece, against key regions and chords."""
    return [
        {"model": key.model, "piece": key.piece, **row, "gain": row["value"] - row["same_leaves"]}
        for key, rows in results.comparisons.items()
        if key.what == "regions"
        for row in rows
    ]


def region_mean_rows(results: Results) -> list[Row]:
    """Means over pieces, and of what a tree has more than random ones with its leaves, with intervals over pieces."""
    rows = []
    for (model, tree, measure), found in _grouped(region_rows(results)).items():
        row: Row = {"model": model, "tree": tree, "measure": measure, "pieces": len(found)}
        for field in ("value", "same_leaves", "gain"):
            row |= columns(field, bootstrap_mean(np.array([one[field] for one in found.values()]), _seed(results)))
        rows.append(row)
    return rows


def difference_rows(results: Results) -> list[Row]:
    """The expected-F1 tree minus other trees, on the same pieces: of values, and of what they have more than random ones."""
    groups = _grouped(region_rows(results))
    rows = []
    for (model, tree, measure), theirs in groups.items():
        ours = groups[model, EXPECTED_F1, measure]
        if tree == EXPECTED_F1:
            continue
        row: Row = {"model": model, "tree": EXPECTED_F1, "minus": tree, "measure": measure, "pieces": len(theirs)}
        for field in ("value", "gain"):
            apart = np.array([ours[piece][field] - theirs[piece][field] for piece in theirs])
            row |= columns(field, bootstrap_mean(apart, _seed(results)))
        rows.append(row)
    return rows


def expert_rows(results: Results) -> list[Row]:
    """Every tree against that of an analyst; the model has not seen the piece."""
    return _compared(results, "expert")


def percentile_rows(results: Results) -> list[Row]:
    """Where an analyst's tree is among random ones, by the model's probability; the model has not seen the piece."""
    return _compared(results, "probability")


def time_rows(results: Results) -> list[Row]:
    return [{"stage": name, "seconds": seconds} for name, seconds in results.elapsed.items()]


TABLES: dict[str, Callable[[Results], list[Row]]] = {
    "pieces": piece_rows,
    "climbs": climb_rows,
    "parameters": parameter_rows,
    "weights": weight_rows,
    "analyses": analysis_rows,
    "regions": region_rows,
    "region_means": region_mean_rows,
    "region_differences": difference_rows,
    "expert": expert_rows,
    "percentiles": percentile_rows,
    "times": time_rows,
}


def _climb(climb: Any) -> Row:
    return {"model": climb.model, "without": climb.without or "", "start": climb.start}


def _compared(results: Results, what: str) -> list[Row]:
    return [
        {"model": key.model, "piece": key.piece, **row}
        for key, rows in results.comparisons.items()
        if key.what == what
        for row in rows
    ]


def _grouped(rows: list[Row]) -> dict[tuple[str, str, str], dict[str, Row]]:
    """By model, tree and measure, then by piece."""
    found: dict[tuple[str, str, str], dict[str, Row]] = {}
    for row in rows:
        found.setdefault((row["model"], row["tree"], row["measure"]), {})[row["piece"]] = row
    return found


def _seed(results: Results) -> int:
    return results.plan.settings.seed
