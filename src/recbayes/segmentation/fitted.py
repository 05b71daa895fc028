"""What a segmentation expects of the observations of a segment."""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from recbayes.gaussian.emissions.leaf import Leaf
from recbayes.gaussian.emissions.one_leaf import own_given, own_names
from recbayes.gaussian.emissions.regression import ticks_of
from recbayes.gaussian.posterior.leaves import INTERVAL
from recbayes.segmentation.result import Segmentation
from recbayes.tree.node import Node

PLACES = 33  # of a segment, at which the ends of intervals are found; they are lines in between
HALVINGS = 50  # of an interval, which then is as short as digits allow


class Fitted(NamedTuple):
    """The mean of every observation of a segment, and the noise's deviation below and above it (rows, columns), in the
    data's units."""

    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray


def fitted(found: Segmentation, node: Node) -> Fitted:
    """Level, slope and season of a segment with its noise, as its node tells them."""
    assert node.own is not None
    mean = _line(found, node) + _season(found, node)
    back = np.exp if found.logarithms else np.asarray
    return Fitted(back(mean), back(mean - node.own["noise"]), back(mean + node.own["noise"]))


def credible(found: Segmentation, node: Node, column: int) -> tuple[np.ndarray, np.ndarray]:
    """(rows,), (rows,): the ends of the 80 % interval of the mean of every observation, given that the segment is one.

    Level and slope are mixtures of normal distributions, and given its part nearly independent, as the level is that of the
    middle. A season is taken as it is told.
    """
    known = found.given_segments.leaf(node.start, node.end)
    rows = np.unique(np.linspace(0, node.length - 1, PLACES).round().astype(np.int64))
    times = _from_middle(found, node)
    places = times[rows, None]  # (places, parts)
    weights = known.level.weights[:, column]
    means = known.level.means[:, column] + places * known.slope.means[:, column]
    deviations = np.sqrt(known.level.deviations[:, column] ** 2 + (places * known.slope.deviations[:, column]) ** 2)
    season = _season(found, node)[:, column]
    back = np.exp if found.logarithms else np.asarray
    ends = [np.interp(times, times[rows], _quantiles(weights, means, deviations, share)) for share in INTERVAL]
    return back(ends[0] + season), back(ends[1] + season)


def _quantiles(weights: np.ndarray, means: np.ndarray, deviations: np.ndarray, share: float) -> np.ndarray:
    """(places,): the numbers below which this share of mixtures of normal distributions (places, parts) lies."""
    least = np.maximum(deviations, 1e-12 * np.abs(means) + 1e-300)
    low, high = (means - 10 * least).min(axis=1), (means + 10 * least).max(axis=1)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        below = ndtr((middle[:, None] - means) / least) @ weights < share
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return 0.5 * (low + high)


def is_straight(found: Segmentation, node: Node) -> bool:
    """Whether what is expected of a segment is a line through its rows: without seasons, logarithms and uneven times."""
    if found.logarithms or found.given_segments.models[0].leaf.periods:
        return False
    return not _is_trend(node) or len(np.unique(np.diff(_from_middle(found, node)))) <= 1


def _is_trend(node: Node) -> bool:
    assert node.own is not None
    return str(node.own["kind"]).startswith("trend")


def _from_middle(found: Segmentation, node: Node) -> np.ndarray:
    """(rows,): times from the middle of a segment, in the ticks that slopes are about."""
    ticks = ticks_of(found.given_segments.models[0].view.series)
    return ticks[node.start : node.end] - (ticks[node.start] + 0.5 * (ticks[node.end] - ticks[node.start] - 1))


def _line(found: Segmentation, node: Node) -> np.ndarray:
    """Level and slope (rows, columns); of a level no slope, although some draws may have one."""
    assert node.own is not None
    slope = node.own["slope"] if _is_trend(node) else np.zeros_like(node.own["slope"])
    return node.value + np.outer(_from_middle(found, node), slope)


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
    ticks = ticks_of(model.view.series)[node.start : node.end]
    return np.asarray(leaf.harmonics_at(ticks) @ own.mean[:, seasons].T)


def _distance(leaf: Leaf, node: Node) -> float:
    assert node.own is not None
    noise = np.log(leaf.noise_std * leaf.noise_levels[0] / node.own["noise"])
    return float((noise**2).mean() + ((leaf.coefficients[0] - node.own["coefficient"]) ** 2).mean())
