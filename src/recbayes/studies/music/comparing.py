"""All trees of a piece, the model's and those of baselines, against what analysts say of it.

Every number comes with that of random trees which have the same leaves (`same_leaves`).
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from recbayes.music.keys import key_name
from recbayes.studies.music.agreement import mean_scores, percentile, probability_agreement, tree_agreement
from recbayes.studies.music.analysis import restored
from recbayes.studies.music.annotations import Annotations, Region, over_observations
from recbayes.studies.music.baselines import BASELINES, RANDOM, leaf_ends, random_merging
from recbayes.studies.music.learning import learnt_model
from recbayes.studies.music.models import MusicModel, log_evidence
from recbayes.studies.music.pieces import Observed
from recbayes.studies.music.profiles import SCALES, Template, best_keys
from recbayes.studies.music.regions import best_nodes, boundary_rank, frames_of, tree_frames, triplets
from recbayes.studies.music.roman import Key
from recbayes.studies.music.settings import Settings
from recbayes.tree.known import known_spans
from recbayes.tree.metrics import Scores
from recbayes.tree.tree import Tree

Row = dict[str, Any]
Measure = Callable[[Tree], dict[str, float]]

DRAWN = "trees drawn"
NODES = "node probabilities"

PLAIN = tuple(Template(Key(tonic, mode), np.roll(scale, tonic)) for mode, scale in SCALES.items() for tonic in range(12))


class Known(NamedTuple):
    """A piece as a comparison sees it: observations, where bars begin, and what analysts say."""

    observed: Observed
    bars: np.ndarray
    annotations: Annotations


def compare_regions(known: Known, found: dict[str, Any], values: np.ndarray, settings: Settings, seed: int) -> list[Row]:
    """Agreement with regions of keys, and with the hierarchy of keys and chords: rows by tree and measure."""
    analysis = restored(found)
    measure = region_measures(known)
    beside = _SameLeaves(measure, settings.random_trees, seed)
    rows: list[Row] = []
    ends = list(range(1, len(values) + 1))
    for name, tree in {**analysis.trees, **_baselines(values, ends)}.items():
        rows += _rows(name, measure(tree), beside(tree))
    for name, trees in _many(analysis.drawn, ends, settings, seed).items():
        rows += _rows(name, _mean([measure(tree) for tree in trees]), _mean([beside(tree) for tree in trees]))
    return rows


def region_measures(known: Known) -> Measure:
    """What is measured of a tree.

    Labels of nodes, for the L-measure, are the keys that all that sounds in them resembles most: for all trees alike.
    """
    (counts, edges), keys, chords = known.observed, known.annotations.keys, known.annotations.chords
    end = float(edges[-1])
    levels = [[Region(0.0, end, "")], list(keys), list(chords)]
    segments, labels = frames_of(levels, end, False), frames_of(levels, end, True)
    sums = np.concatenate([np.zeros((1, 12)), np.cumsum(counts, axis=0)])

    def measure(tree: Tree) -> dict[str, float]:
        spans = np.array(tree.spans)
        places = best_keys(sums[spans[:, 1]] - sums[spans[:, 0]], PLAIN)
        named = {span: _key_name(int(place)) for span, place in zip(tree.spans, places, strict=True)}
        by_segments = triplets(segments, tree_frames(tree, edges))
        by_labels = triplets(labels, tree_frames(tree, edges, named))
        return {
            "best nodes": best_nodes(tree, edges, keys),
            "boundary rank": boundary_rank(tree, edges, keys),
            **{f"T {name}": value for name, value in by_segments._asdict().items()},
            **{f"L {name}": value for name, value in by_labels._asdict().items()},
        }

    return measure


def compare_expert(
    known: Known, found: dict[str, Any], given: dict[str, Any] | None, values: np.ndarray, settings: Settings, seed: int
) -> list[Row]:
    """Agreement with an analyst's tree: rows by tree, level and whether all were told its leaves.

    `given` is the analysis that was; it is None where these are the observations, so that there is nothing to tell.
    """
    expert = expert_tree(known)
    edges, bars = known.observed.edges, known.bars

    def scores(tree: Tree) -> dict[str, Scores]:
        return tree_agreement(expert, tree, edges, bars)

    def measure(tree: Tree) -> dict[str, float]:
        return {level: one.f1 for level, one in scores(tree).items()}

    beside = _SameLeaves(measure, settings.random_trees, seed)
    rows: list[Row] = []
    for told, data in ((False, found), (True, given)):
        if data is None:
            continue
        analysis = restored(data)
        ends = leaf_ends(expert) if told else list(range(1, len(values) + 1))
        for name, tree in {**analysis.trees, **_baselines(values, ends)}.items():
            rows += _level_rows(name, told, scores(tree), beside(tree))
        for name, trees in _many(analysis.drawn, ends, settings, seed).items():
            many = [scores(tree) for tree in trees]
            mean = {level: mean_scores([one[level] for one in many]) for level in many[0]}
            rows += _level_rows(name, told, mean, _mean([beside(tree) for tree in trees]))
        probable = probability_agreement(expert, analysis.node_probability, analysis.boundary_probability, edges, bars)
        rows += _level_rows(NODES, told, probable, _mean([beside(tree) for tree in analysis.drawn]))
    return rows


def compare_probability(named: MusicModel, learnt: dict[str, Any], known: Known, settings: Settings, seed: int) -> list[Row]:
    """How probable the model finds an analyst's tree, among random ones with the same leaves; what is below is free."""
    model, expert = learnt_model(learnt), expert_tree(known)
    counts, random = known.observed.counts, np.random.default_rng(seed)

    def log_probability(tree: Tree) -> float:
        return log_evidence(model, named, counts, known_spans(len(counts), tree.spans))

    rows = []
    for name, make in RANDOM.items():
        others = (make(leaf_ends(expert), random) for _ in range(settings.rivals))
        found = percentile(log_probability, expert, others)
        row = {"others": name, "others_count": found.others, "share": found.share, "log_probability": found.value}
        rows.append({**row, "above_mean": found.above_mean if np.isfinite(found.above_mean) else None})
    return rows


def expert_tree(known: Known) -> Tree:
    """The analyst's tree over the observations."""
    assert known.annotations.tree is not None
    return over_observations(known.annotations.tree, known.bars, known.observed.edges)


class _SameLeaves:
    """The mean of what is measured of random trees with the leaves of a tree; trees with the same leaves share it."""

    def __init__(self, measure: Measure, count: int, seed: int) -> None:
        self.measure, self.count, self.seed = measure, count, seed
        self.known: dict[tuple[int, ...], dict[str, float]] = {}

    def __call__(self, tree: Tree) -> dict[str, float]:
        ends = tuple(leaf_ends(tree))
        if ends not in self.known:
            random = np.random.default_rng(self.seed)
            self.known[ends] = _mean([self.measure(random_merging(ends, random)) for _ in range(self.count)])
        return self.known[ends]


def _baselines(values: np.ndarray, ends: list[int]) -> dict[str, Tree]:
    """Over given leaves. An observation of nothing is as the one before it."""
    known = ~np.isnan(values).any(axis=1)
    before = np.maximum.accumulate(np.where(known, np.arange(len(values)), known.argmax()))
    return {name: make(values[before], ends) for name, make in BASELINES.items()}


def _many(drawn: tuple[Tree, ...], ends: list[int], settings: Settings, seed: int) -> dict[str, list[Tree]]:
    """Kinds of which there are several trees."""
    random = np.random.default_rng(seed + 1)
    return {
        DRAWN: list(drawn),
        **{name: [make(ends, random) for _ in range(settings.random_trees)] for name, make in RANDOM.items()},
    }


def _rows(name: str, measured: dict[str, float], beside: dict[str, float]) -> Iterator[Row]:
    for measure, value in measured.items():
        yield {"tree": name, "measure": measure, "value": value, "same_leaves": beside[measure]}


def _level_rows(name: str, told: bool, scores: dict[str, Scores], beside: dict[str, float]) -> Iterator[Row]:
    for level, one in scores.items():
        row = {"tree": name, "leaves_given": told, "level": level}
        row |= {"precision": one.precision, "recall": one.recall, "f1": one.f1}
        yield {**row, "found": one.predicted, "true": one.true, "same_leaves": beside[level]}


def _mean(many: list[dict[str, float]]) -> dict[str, float]:
    return {name: float(np.mean([one[name] for one in many])) for name in many[0]}


def _key_name(place: int) -> str:
    return key_name(*PLAIN[place].key) if place >= 0 else ""
