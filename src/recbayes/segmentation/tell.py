"""The tree that is told: over the segments that were decided on, with the probabilities of its nodes and what leaves are
like."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from recbayes.family.posterior import Latent, Posterior
from recbayes.segmentation.average import AveragePosterior
from recbayes.tree.node import Node
from recbayes.tree.tree import Tree


def told_tree(within: AveragePosterior, posterior: Posterior, near: Mapping[int, int]) -> Tree:
    """The tree of highest expected F1 over the segments; probabilities are those before anything was decided, give or take
    as much as is said of every change."""
    tree = within.tree()
    latents = within.latents(tree.spans)
    nodes = []
    probabilities = probabilities_near(posterior, tree, near)
    for node, arity, probability in zip(tree.nodes, tree.arities, probabilities, strict=True):
        latent = latents.get((node.start, node.end))
        own = None if arity else own_of(within, node)
        nodes.append(replace(node, probability=probability, own=own, **_value(latent)))  # type: ignore[arg-type]
    return Tree(nodes, tree.arities)


def _value(latent: Latent | None) -> dict[str, np.ndarray]:
    return {} if latent is None else {"value": latent.mean, "covariance": latent.covariance}


def own_of(within: AveragePosterior, node: Node) -> dict[str, object]:
    """What is believed of a segment, as its node says it."""
    found = within.leaf(node.start, node.end)
    return {
        "kind": next(iter(found.kinds)),
        "kinds": found.kinds,
        "noise": found.noise.mean,
        "noise_std": found.noise.std,
        "coefficient": found.coefficient.mean,
        "coefficient_std": found.coefficient.std,
        "slope": found.slope.mean,
        "slope_std": found.slope.std,
    }


def probabilities_near(posterior: Posterior, tree: Tree, near: Mapping[int, int]) -> list[float]:
    """Of every node, the probability of one with these ends, give or take what is said of them; the ends of the series are
    certain."""
    forest, length = posterior.trees, posterior.length
    starts, ends = forest.positions[forest.starts], forest.positions[forest.ends]
    order = np.argsort(starts, kind="stable")
    sorted_starts = starts[order]
    found = []
    for node in tree:
        low, high = (0, 0) if node.start == 0 else (max(node.start - near[node.start], 1), node.start + near[node.start])
        there = order[np.searchsorted(sorted_starts, low) : np.searchsorted(sorted_starts, high, side="right")]
        if node.end == length:
            right = ends[there] == length
        else:
            right = (np.abs(ends[there] - node.end) <= near[node.end]) & (ends[there] < length)
        owners = np.unique(forest.owners[there[right]])
        found.append(float(min(posterior.weights[owners].sum(), 1.0)))
    return found
