"""The study's results as rows of numbers: what the CSV files hold, and what the report and the figures show."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from recbayes.studies.bootstrap import bootstrap_levels, bootstrap_mean, bootstrap_ratio, columns
from recbayes.studies.calibration import calibration
from recbayes.studies.published import TREE_INDUCTION
from recbayes.studies.synthetic.data import ROLES, sequence_seed
from recbayes.studies.synthetic.methods import (
    BASELINES,
    BEST_TREE,
    EXPECTED_F1,
    NETWORK,
    NODES,
    OUTSIDE,
    PARAMETERS,
    QUICK,
    Method,
    label,
)
from recbayes.studies.synthetic.study import Results

Row = dict[str, Any]
MEASURES = ("precision", "recall", "f1")
TRUTHS = {"true tree": "scores", "as published": "scores_as_published"}


def variants() -> list[tuple[Method, str]]:
    """Methods with the parameters they are run with."""
    return [(method, "") for method in BASELINES] + [(method, kind) for kind in PARAMETERS for method in NETWORK]


def measures(records: Sequence[Row], name: str, truth: str = "scores") -> dict[str, np.ndarray]:
    """Precision, recall and F1 of a method, one number per sequence."""
    shared, predicted, true = np.array([record[truth][name] for record in records]).T
    precision = np.divide(shared, predicted, out=np.zeros_like(shared), where=predicted > 0)
    return {"precision": precision, "recall": shared / true, "f1": 2.0 * shared / (predicted + true)}


def score_rows(results: Results) -> list[Row]:
    """Means over sequences by noise level, method, parameters and ground truth, with the published ones beside them."""
    rows = []
    for noise, records in results.records.items():
        for truth, field in TRUTHS.items():
            for method, parameters in variants():
                row = {"noise": noise, "truth": truth, "method": method.name, "parameters": parameters}
                row["sequences"] = len(records)
                values = measures(records, label(method, parameters), field)
                for measure in MEASURES:
                    row |= columns(measure, bootstrap_mean(values[measure], results.settings.seed))
                rows.append(row | _published(method, noise))
    return rows


def _published(method: Method, noise: float) -> Row:
    known = TREE_INDUCTION.get(method.published or "", {}).get(noise)
    return {f"published_{measure}": None if known is None else getattr(known, measure) for measure in MEASURES}


def difference_rows(results: Results) -> list[Row]:
    """Mean differences of F1 on the same sequences: what a method gains over another, what learning loses."""
    pairs = [
        (label(EXPECTED_F1, "learnt"), label(BEST_TREE, "learnt")),
        (label(EXPECTED_F1, "true"), label(BEST_TREE, "true")),
        (label(EXPECTED_F1, "learnt"), label(EXPECTED_F1, "true")),
        *((label(EXPECTED_F1, "learnt"), baseline.name) for baseline in BASELINES),
    ]
    rows = []
    for one, other in pairs:
        levels: dict[Any, np.ndarray] = {
            noise: measures(records, one)["f1"] - measures(records, other)["f1"]
            for noise, records in results.records.items()
        }
        for noise, chosen in [*((noise, [values]) for noise, values in levels.items()), ("all", list(levels.values()))]:
            estimate = bootstrap_levels(chosen, results.settings.seed)
            rows.append({"method": one, "minus": other, "noise": noise, **columns("f1", estimate)})
    return rows


def sum_rows(results: Results) -> list[Row]:
    """How many nodes there are according to probabilities, for each node that there is: 1 if they are honest."""
    rows = []
    for data, levels, kinds in _probabilities(results):
        for noise, records in levels.items():
            for method, parameters in kinds:
                counts = np.array([record["scores"][label(method, parameters)] for record in records])
                ratio = bootstrap_ratio(counts[:, 1], counts[:, 2], results.settings.seed)
                values = measures(records, label(method, parameters))
                row = {"data": data, "noise": noise, "method": method.name, "parameters": parameters}
                row |= {"sequences": len(records), **columns("nodes_claimed_per_node", ratio)}
                largest = np.array([record["largest"][label(method, parameters)] for record in records])
                row |= {"sequences_above_one": int((largest > 1.0 + 1e-9).sum()), "largest": float(largest.max())}
                rows.append(row | {measure: float(values[measure].mean()) for measure in MEASURES})
    return rows


def share_rows(results: Results) -> list[Row]:
    """What the draws were worth: their effective share, which is 1 where the chart is exact."""
    rows = []
    for noise, records in results.records.items():
        for parameters in PARAMETERS:
            shares = np.array([record["effective_share"][parameters] for record in records])
            row = {"noise": noise, "parameters": parameters, "draws": results.settings.draws}
            rows.append({**row, "mean": float(shares.mean()), "smallest": float(shares.min())})
    return rows


def calibration_rows(results: Results) -> list[Row]:
    """Of all noise levels together."""
    rows = []
    for data, levels, kinds in _probabilities(results):
        for method, parameters in kinds:
            name = label(method, parameters)
            counts = [[record["calibration"][name] for record in records] for records in levels.values()]
            for one in calibration(counts, results.settings.seed):
                rows.append({"data": data, "method": method.name, "parameters": parameters, **one._asdict()})
    return rows


def _probabilities(results: Results) -> list[tuple[str, dict[float, list[Row]], list[tuple[Method, str]]]]:
    shifted = [(method, kind) for kind in PARAMETERS for method in (OUTSIDE, QUICK, NODES)]
    return [
        ("with transpositions", results.records, shifted),
        ("without transpositions", results.unshifted, [(OUTSIDE, "true"), (NODES, "true")]),
    ]


def time_rows(results: Results) -> list[Row]:
    """Work by what it was for, added up over all processes."""
    return [
        {"work": what, "seconds": seconds, "times": times, "milliseconds_each": 1000 * seconds / times}
        for what, (seconds, times) in results.work.items()
    ]


def tuning_rows(results: Results) -> list[Row]:
    """The mean F1 of change points at every point of every candidate's grid."""
    return [
        {"noise": noise, "candidate": row["name"], "value": value, "f1": f1}
        for noise, choice in results.change_points.items()
        for row in choice["candidates"]
        for value, f1 in zip(row["grid"], row["f1"], strict=True)
    ]


def parameter_rows(results: Results) -> list[Row]:
    """What was learnt."""
    return [
        {"noise": noise, "parameter": name, "estimate": estimate, "standard_error": error}
        for noise, learnt in results.learnt.items()
        for name, estimate, error in learnt["parameters"]
    ]


def sequence_rows(results: Results) -> list[Row]:
    """The seed of every sequence, and of those tested the counts of every method."""
    settings = results.settings
    counts = {"training": settings.training, "tuning": settings.tuning}
    rows = [
        {"noise": noise, "role": role, "number": number, "seed": sequence_seed(settings, noise, role, number)}
        for noise in settings.noise_levels
        for role in ROLES[:2]
        for number in range(counts[role])
    ]
    for role, levels in (("test", results.records), ("unshifted", results.unshifted)):
        for noise, records in levels.items():
            for record in records:
                kept = {key: record[key] for key in ("number", "seed", "length", "checksum")}
                row = {"noise": noise, "role": role, **kept}
                for name, (shared, predicted, true) in record["scores"].items():
                    row |= {f"{name}: shared": shared, f"{name}: predicted": predicted, "true": true}
                rows.append(row)
    return rows


TABLES: dict[str, Callable[[Results], list[Row]]] = {
    "scores": score_rows,
    "differences": difference_rows,
    "node_counts": sum_rows,
    "effective_shares": share_rows,
    "calibration": calibration_rows,
    "tuning": tuning_rows,
    "parameters": parameter_rows,
    "times": time_rows,
    "sequences": sequence_rows,
}


def levels_of(rows: list[Row]) -> list[float]:
    return list(dict.fromkeys(row["noise"] for row in rows))


def find_score(rows: list[Row], noise: float, method: Method, parameters: str, truth: str = "true tree") -> Row:
    """The row of a method in the table of scores."""
    key = (noise, method.name, parameters, truth)
    return next(row for row in rows if (row["noise"], row["method"], row["parameters"], row["truth"]) == key)
