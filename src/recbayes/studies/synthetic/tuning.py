"""Choosing the parameters of the baselines, on sequences whose true trees are known."""

from dataclasses import asdict, replace
from itertools import pairwise
from typing import Any

import numpy as np

from recbayes.studies.bayesian_change_points import SegmentModel, fit_segment_model, segment_ends
from recbayes.studies.change_points import Candidate, all_candidates, penalties, segment, segmentations
from recbayes.studies.merging import LINKAGES, merge_segments
from recbayes.studies.synthetic.data import SHIFTS, make_sequences
from recbayes.studies.synthetic.settings import Settings
from recbayes.tree.metrics import boundary_scores, node_scores
from recbayes.tree.tree import Tree

EAGERNESS = tuple(float(value) for value in range(13))
THRESHOLDS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
MERGING = tuple((linkage, shifts) for linkage in LINKAGES for shifts in ((0,), tuple(SHIFTS)))


def try_change_points(settings: Settings, noise: float, numbers: range) -> dict[str, list[float]]:
    """For every candidate, the sum over sequences of the F1 of its change points, at each point of its grid."""
    grid = penalties(settings.per_decade)
    sums: dict[str, np.ndarray] = {}
    for values, tree in make_sequences(settings, noise, "tuning", numbers):
        for candidate, found in segmentations(all_candidates(), values, grid):
            f1 = np.array([boundary_scores(tree, _spans(ends)).f1 for ends in found])
            sums[candidate.name] = sums.get(candidate.name, 0.0) + f1
    return {name: total.tolist() for name, total in sums.items()}


def choose_change_points(settings: Settings, parts: list[dict[str, list[float]]]) -> dict[str, Any]:
    """The candidate with the highest mean F1 (of equals the first), and what every other one reaches."""
    grid = penalties(settings.per_decade)
    rows = []
    for candidate in all_candidates():
        f1 = np.sum([part[candidate.name] for part in parts], axis=0) / settings.tuning
        best = np.flatnonzero(f1 >= f1.max() - 1e-12)
        value = candidate.grid(grid)[best[len(best) // 2]]  # the middle of a plateau
        reached = {"candidate": asdict(candidate), "name": candidate.name, "value": value, "best_f1": float(f1.max())}
        rows.append({**reached, "grid": list(candidate.grid(grid)), "f1": f1.tolist()})
    chosen = max(rows, key=lambda row: row["best_f1"])
    return {"chosen": {key: chosen[key] for key in ("candidate", "name", "value", "best_f1")}, "candidates": rows}


def tune_bayesian(settings: Settings, noise: float) -> dict[str, Any]:
    """The segment model of highest evidence, then the eagerness, threshold and merging whose trees have the highest F1."""
    sequences = make_sequences(settings, noise, "tuning", range(settings.tuning))
    fitted = fit_segment_model([values for values, _ in sequences])
    f1 = np.mean([_tree_scores(fitted, values, tree) for values, tree in sequences], axis=0)
    first, second, third = np.unravel_index(int(f1.argmax()), f1.shape)
    linkage, shifts = MERGING[third]
    return {
        "model": {**asdict(fitted), "mean": fitted.mean.tolist(), "eagerness": EAGERNESS[first]},
        "threshold": THRESHOLDS[second],
        "linkage": linkage,
        "shifts": list(shifts),
        "best_f1": float(f1.max()),
        "best_f1_without_shifts": float(f1[:, :, [shifts == (0,) for _, shifts in MERGING]].max()),
    }


def _tree_scores(fitted: SegmentModel, values: np.ndarray, tree: Tree) -> np.ndarray:
    """F1 by eagerness, threshold and merging; many of them lead to the same segments, which are merged once."""
    known: dict[tuple[int, ...], list[float]] = {}
    rows = []
    for eagerness in EAGERNESS:
        probability = replace(fitted, eagerness=eagerness).boundary_probability(values)
        for threshold in THRESHOLDS:
            ends = segment_ends(probability, threshold)
            if tuple(ends) not in known:
                known[tuple(ends)] = [
                    node_scores(tree, merge_segments(values, ends, linkage=LINKAGES[linkage], shifts=shifts)).f1
                    for linkage, shifts in MERGING
                ]
            rows.append(known[tuple(ends)])
    return np.array(rows).reshape(len(EAGERNESS), len(THRESHOLDS), len(MERGING))


def bayesian_tree(tuned: dict[str, Any], values: np.ndarray) -> Tree:
    """The tree of the tuned baseline."""
    model = SegmentModel(**{**tuned["model"], "mean": np.array(tuned["model"]["mean"])})
    ends = segment_ends(model.boundary_probability(values), tuned["threshold"])
    return merge_segments(values, ends, linkage=LINKAGES[tuned["linkage"]], shifts=tuned["shifts"])


def change_point_tree(chosen: dict[str, Any], values: np.ndarray) -> Tree:
    """The tree of the paper's baseline: the chosen change points, and the closest means merged first."""
    return merge_segments(values, segment(Candidate(**chosen["candidate"]), values, chosen["value"]))


def _spans(ends: list[int]) -> list[tuple[int, int]]:
    return list(pairwise([0, *ends]))
