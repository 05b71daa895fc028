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
    latents = within.latents()
    nodes = []
    for node, arity in zip(tree.nodes, tree.arities, strict=True):
        latent = latents.get((node.start, node.end))
        probability = probability_near(posterior, node, near)
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


def probability_near(posterior: Posterior, node: Node, near: Mapping[int, int]) -> float:
    """The probability of a node with these ends, give or take what is said of them; the ends of the series are certain."""
    forest, length = posterior.trees, posterior.length
    starts, ends = forest.positions[forest.starts], forest.positions[forest.ends]
    left = starts == 0 if node.start == 0 else (np.abs(starts - node.start) <= near[node.start]) & (starts > 0)
    right = ends == length if node.end == length else (np.abs(ends - node.end) <= near[node.end]) & (ends < length)
    there = np.unique(forest.owners[left & right])
    return float(min(posterior.weights[there].sum(), 1.0))
