"""What a segmentation expects of the observations of a segment."""

from typing import NamedTuple

import numpy as np

from recbayes.gaussian.emissions.leaf import Leaf
from recbayes.gaussian.emissions.one_leaf import own_given, own_names
from recbayes.segmentation.result import Segmentation
from recbayes.tree.node import Node


class Fitted(NamedTuple):
    """The mean of every observation of a segment, and the noise's deviation below and above it (rows, columns), in the
    data's units."""

    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray


def fitted(found: Segmentation, node: Node) -> Fitted:
    """Level, slope and season of a segment with its noise, as its node tells them."""
    assert node.own is not None
    middle = 0.5 * (node.length - 1)
    mean = node.value + np.outer(np.arange(node.length) - middle, node.own["slope"]) + _season(found, node)
    back = np.exp if found.logarithms else np.asarray
    return Fitted(back(mean), back(mean - node.own["noise"]), back(mean + node.own["noise"]))


def _season(found: Segmentation, node: Node) -> np.ndarray:
    """The season that a segment has of its own, by the likeliest model and that member of its bank that is closest."""
    given = found.given_segments
    model = given.models[int(np.argmax(given.shares))]
    if not model.leaf.periods:
        return np.zeros((node.length, found.data.values.shape[1]))
    assert node.value is not None
    assert node.covariance is not None
    bank = [member.emission for member in model.leaf.bank if isinstance(member.emission, Leaf)]
    leaf = min(bank, key=lambda one: _distance(one, node))
    own = own_given(leaf, model.view.series, node.start, node.end, node.value, node.covariance)
    seasons = [n for n, name in enumerate(own_names(leaf)) if name.startswith("season")]
    return np.asarray(leaf.harmonics_at(np.arange(node.start, node.end)) @ own.mean[:, seasons].T)


def _distance(leaf: Leaf, node: Node) -> float:
    assert node.own is not None
    noise = np.log(leaf.noise_std * leaf.noise_levels[0] / node.own["noise"])
    return float((noise**2).mean() + ((leaf.coefficients[0] - node.own["coefficient"]) ** 2).mean())
