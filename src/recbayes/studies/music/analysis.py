"""What a model says of a piece: trees, probabilities of all nodes, and what every span would be like as a node."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from recbayes.errors import ApproximationWarning
from recbayes.family.posterior import Posterior
from recbayes.inference.charts import best_tree
from recbayes.music.analysis import passages
from recbayes.studies.music.learning import learnt_model
from recbayes.studies.music.models import MusicModel, evidence_apart, node_means, posterior_of
from recbayes.tree.known import known_spans
from recbayes.tree.tree import Tree

EXPECTED_F1 = "expected-F1 tree"
MOST_PROBABLE = "most probable tree"
BEST = "the paper's tree"


@dataclass(frozen=True, eq=False)
class Analysis:
    """`trees` by name, some of the trees `drawn`, and probabilities of nodes (N + 1, N + 1) and of boundaries (N + 1,).

    `means` (N + 1, N + 1, 12), if they were wanted, are the spans' values; `facts` are numbers on the draws.
    """

    trees: dict[str, Tree]
    drawn: tuple[Tree, ...]
    node_probability: np.ndarray
    boundary_probability: np.ndarray
    means: np.ndarray | None
    facts: dict[str, Any]


def analyse(
    named: MusicModel,
    learnt: dict[str, Any],
    counts: np.ndarray,
    draws: int,
    drawn: int,
    seed: int,
    leaves: Sequence[tuple[int, int]] | None = None,
) -> dict[str, Any]:
    """An analysis as JSON can keep it. With `leaves`, these spans are known to be nodes, and means are left out."""
    model = learnt_model(learnt)
    allowed = None if leaves is None else known_spans(len(counts), leaves)
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always", ApproximationWarning)
        posterior = posterior_of(model, named, counts, draws, seed, allowed)
    trees = {
        EXPECTED_F1: posterior.tree(),
        MOST_PROBABLE: posterior.tree("map"),
        BEST: best_tree(cast(Any, posterior).chart),
    }
    chosen = np.random.default_rng(seed).choice(len(posterior.trees), drawn, p=posterior.weights)
    means = node_means(model, named, counts) if leaves is None else None
    return {
        "trees": {name: _kept(passages(posterior.with_probabilities(tree))) for name, tree in trees.items()},
        "drawn": [[list(span) for span in passages(posterior.trees[int(number)]).spans] for number in chosen],
        "nodes": _sparse(posterior.node_probability),
        "boundaries": _rounded(posterior.boundary_probability),
        "means": None if means is None else [[_rounded(row) for row in rows] for rows in means],
        "facts": _facts(posterior, evidence_apart(model, counts), [str(one.message) for one in given]),
    }


def restored(data: dict[str, Any]) -> Analysis:
    """The analysis that `analyse` gave."""
    size = len(data["boundaries"])
    node = np.zeros((size, size))
    for start, end, probability in data["nodes"]:
        node[start, end] = probability
    return Analysis(
        trees={name: Tree.from_json(text) for name, text in data["trees"].items()},
        drawn=tuple(Tree.from_spans([(a, b) for a, b in spans]) for spans in data["drawn"]),
        node_probability=node,
        boundary_probability=np.array(data["boundaries"]),
        means=None if data["means"] is None else np.array(data["means"], dtype=np.float64),
        facts=data["facts"],
    )


def _facts(posterior: Posterior, apart: float, said: list[str]) -> dict[str, Any]:
    return {
        "log_evidence": posterior.log_evidence + apart,
        "log_evidence_error": posterior.log_evidence_error,
        "effective_draws": posterior.effective_sample_size,
        "method": posterior.method,
        "expected_f1": posterior.expected_f1,
        "warnings": sorted({" ".join(text.split()) for text in said}),
    }


def _kept(tree: Tree) -> str:
    """Without values and covariances, which are much to keep and not used."""
    return Tree([replace(node, value=None, covariance=None, own=None) for node in tree], tree.arities).to_json()


def _sparse(probability: np.ndarray) -> list[list[float]]:
    return [[int(a), int(b), float(probability[a, b])] for a, b in np.argwhere(probability > 0)]


def _rounded(numbers: np.ndarray) -> list[float | None]:
    """To what pictures and tables show; None where there is none."""
    return [round(float(one), 4) if np.isfinite(one) else None for one in numbers]
