"""Log joint probabilities computed another way, slow and careful, to check those of ill-conditioned models.

Given a tree, every value and every observation is an affine function of independent standard normal numbers: y = m + B e.
The triangle of B' (by QR, so that B B' is never formed) gives the density of y, and loses only the square root of its
condition, whatever the coordinates. It takes the cube of the number of observations where messages take the number itself:
so of long series, only the beginning is looked at.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from recbayes.checks.series import Series
from recbayes.errors import DataError, LengthError
from recbayes.gaussian.chart.best import best_tree
from recbayes.gaussian.chart.conditioning import condition_given
from recbayes.gaussian.chart.coordinates import coordinates_of
from recbayes.gaussian.chart.inside import inside_one
from recbayes.gaussian.chart.tables import tables_of
from recbayes.gaussian.emissions.emission import Emission
from recbayes.gaussian.model.links import shifted
from recbayes.gaussian.model.moments import gaussians_of
from recbayes.gaussian.model.parts import Link, Split
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.gaussian.model.roots import EASY, are_hard, root
from recbayes.gaussian.posterior.given_tree import encode, log_joint
from recbayes.tree.tree import Tree

TOLERANCE = 3e-8, 1e-12  # nats, and as a share of the log probability
MOST = 400  # observed numbers that are looked at


def check_digits(model: GaussianRBN, series: Series, of_tree: Callable[[], Tree]) -> None:
    """Refuse an ill-conditioned model where rounding matters to the log joint probability of a series and a tree."""
    if not _is_doubted(model, series):
        return
    looked_at = (series, of_tree()) if series.values.size <= MOST else _beginning(model, series)
    if looked_at is None:
        return
    series, tree = looked_at
    found, right = log_joint(model, series, tree), careful_log_joint(model, series, tree)
    if not abs(found - right) <= TOLERANCE[0] + TOLERANCE[1] * abs(right):
        raise DataError(
            "the model, or the noise of the series, is too ill-conditioned for this series: rounding changes a log "
            f"probability by {abs(found - right):.1g} nats. Leave out dimensions that nearly follow from the others, or "
            "give them more noise"
        )


def checked_log_joint(model: GaussianRBN, series: Series, tree: Tree) -> float:
    """log p(Y, Z) by messages, or carefully where these are doubted and the series is short."""
    if series.values.size <= MOST and _is_doubted(model, series):
        return careful_log_joint(model, series, tree)
    check_digits(model, series, lambda: tree)
    return log_joint(model, series, tree)


def careful_log_joint(model: GaussianRBN, series: Series, tree: Tree) -> float:
    """log p(Y, Z) by the root of the observations' covariance."""
    values = _Values(model, series, tree)
    log_joints = [
        np.log(weight) + values.log_density(mean, covariance) for weight, mean, covariance in gaussians_of(model.prior)
    ]
    return values.log_probability + float(logsumexp(log_joints))


def _is_doubted(model: GaussianRBN, series: Series) -> bool:
    if series.noise_covariance is not None and are_hard(series.noise_covariance).any():
        return True
    return coordinates_of(model) is not None and condition_given(model) > EASY


def _beginning(model: GaussianRBN, series: Series) -> tuple[Series, Tree] | None:
    """The beginning of a series that is too long, and a tree of it; None if the model generates no series so short."""
    count = max(1, MOST // model.observed_dim)
    noise = None if series.noise_covariance is None else series.noise_covariance[:count]
    head = Series(series.values[:count], noise)
    try:
        return head, best_tree(inside_one(model, head))
    except LengthError:
        return None


@dataclass(frozen=True)
class _Value:
    """A value as an affine function: of the root's value, and of independent standard normal numbers."""

    of_root: np.ndarray
    mean: np.ndarray
    noise: np.ndarray

    def through(self, map_: np.ndarray | None, offset: np.ndarray | None, R: np.ndarray, column: int) -> "_Value":
        """What follows from it, with noise R e for new numbers e from a column on."""
        of_root, mean, noise = (one if map_ is None else map_ @ one for one in (self.of_root, self.mean, self.noise))
        noise = noise.copy()
        noise[:, column : column + R.shape[1]] += R
        return _Value(of_root, mean if offset is None else mean + offset, noise)


class _Values:
    """All observations of a tree, given the root's value."""

    def __init__(self, model: GaussianRBN, series: Series, tree: Tree) -> None:
        _, origins = tables_of(model)
        rules, variables, _ = encode(model, tree)
        d = model.variables[variables[0]].dim
        total = sum(model.variables[v].dim for v in variables) + series.values.size
        waiting = [_Value(np.eye(d), np.zeros(d), np.zeros((d, total)))]
        column, shown = 0, []
        self.log_probability = 0.0
        for node, number, v in zip(tree.nodes, rules.tolist(), variables.tolist(), strict=True):
            value = waiting.pop()
            if number < 0:
                rule: Emission = model.variables[v].rules[origins.emits[-1 - number][1]]
                noise = None if series.noise_covariance is None else series.noise_covariance[node.start : node.end]
                map_, offset, R = rule.linear(model.variables[v].dim, Series(series.values[node.start : node.end], noise))
                shown.append(value.through(map_, offset, R, column))
                length = float(rule.length.log_probability(np.array([node.end - node.start]))[0])
                self.log_probability += np.log(rule.probability) + length
                column += R.shape[1]
                continue
            _, r, shift = origins.rules[number]
            split: Split = model.variables[v].rules[r]
            self.log_probability += np.log(split.probability * split.shifts[shift])
            children = []
            for link, steps in ((split.left_link, shift[0]), (split.right_link, shift[1])):
                moved: Link = shifted(link, steps)
                R = root(link.covariance)
                children.append(value.through(moved.map, moved.offset, R, column))
                column += R.shape[1]
            waiting += reversed(children)
        seen = ~np.isnan(series.values.ravel())
        self._of_root = np.vstack([one.of_root for one in shown])[seen]
        self._mean = np.concatenate([one.mean for one in shown])[seen]
        self._noise = np.vstack([one.noise for one in shown])[seen, :column]
        self._y = series.values.ravel()[seen]

    def log_density(self, mean: np.ndarray, covariance: np.ndarray) -> float:
        """The log density of the observations, where the root has this distribution."""
        B = np.hstack([self._of_root @ root(covariance), self._noise])
        triangle = np.asarray(np.linalg.qr(B.T, mode="r"))
        z = np.linalg.solve(triangle.T, self._y - self._mean - self._of_root @ mean)
        return float(-0.5 * (z @ z + len(z) * np.log(2 * np.pi)) - np.log(np.abs(np.diag(triangle))).sum())
