"""Log joint probabilities computed another way, slow and careful, to check those of ill-conditioned models.

Given a tree, every value and every observation is an affine function of independent standard normal numbers: y = m + B e.
The triangle of B' (by QR, so that B B' is never formed) gives the density of y, and loses only the square root of its
condition, whatever the coordinates. It takes the cube of the number of observations where messages take the number itself:
so of long series, only the beginning is looked at.
"""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from scipy.special import logsumexp

from recbayes.checks.series import Series
from recbayes.errors import DataError, LengthError
from recbayes.gaussian.chart.best import best_tree
from recbayes.gaussian.chart.conditioning import condition_given
from recbayes.gaussian.chart.coordinates import otherwise
from recbayes.gaussian.chart.inside import Chart, inside_one, preference_of
from recbayes.gaussian.chart.plan import ticks_at
from recbayes.gaussian.chart.tables import LEFT, RIGHT, tables_of
from recbayes.gaussian.emissions.emission import Emission
from recbayes.gaussian.model.links import shifted
from recbayes.gaussian.model.moments import gaussians_of, matched_moments
from recbayes.gaussian.model.parts import Link, Split
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.gaussian.model.roots import EASY, are_hard, root
from recbayes.gaussian.posterior.draws import draw
from recbayes.gaussian.posterior.exhaustive import is_only_tree
from recbayes.gaussian.posterior.given_tree import check_cover, encode, log_joint, smooth
from recbayes.spans.constraints import Constraints
from recbayes.tree.tree import Tree

TOLERANCE = 3e-7, 1e-12  # nats, and as a share of the log probability
DRAWS = 4  # trees that are drawn to look at
MOST = 120  # observed numbers that are looked at: milliseconds


def careful_inside(model: GaussianRBN, series: Series, constraints: Constraints, components: int) -> Chart:
    """The inside chart, of an ill-conditioned model only if rounding matters little to the probabilities of some trees.

    Where it matters, the chart is filled in other coordinates.
    """
    chart = inside_one(model, series, constraints, components)
    if not _is_doubted(model, series):
        return chart
    lost = _digits_lost(chart)
    if lost > 0.0:
        chart = inside_one(otherwise(model), series, constraints, components)
        lost = _digits_lost(chart)
    if lost > 0.0:
        raise DataError(
            "the model, or the noise of the series, is too ill-conditioned for this series: rounding changes a log "
            f"probability by {lost:.1g} nats. Leave out dimensions that nearly follow from the others, or give them more "
            "noise"
        )
    return chart


def checked_log_joint(model: GaussianRBN, series: Series, tree: Tree) -> float:
    """log p(Y, Z) by messages, or carefully where these are doubted; a series that is too long for that is checked."""
    check_cover(series, tree)
    if _is_doubted(model, series):
        if series.values.size <= MOST:
            return careful_log_joint(model, series, tree)
        careful_inside(model, series, Constraints(allowed=tree.only_spans()), 1)
    return log_joint(model, series, tree)


def careful_log_joint(model: GaussianRBN, series: Series, tree: Tree) -> float:
    """log p(Y, Z) by the root of the observations' covariance."""
    values = _Values(model, series, tree)
    gaussians = gaussians_of(model.prior, values.root)
    log_joints = [np.log(weight) + values.log_density(mean, covariance) for weight, mean, covariance in gaussians]
    return values.log_probability + float(logsumexp(log_joints)) if log_joints else -np.inf


def checked_smooth(model: GaussianRBN, series: Series, tree: Tree) -> Tree:
    """The tree with its nodes' values by messages, or carefully where these are doubted and the series is short."""
    check_cover(series, tree)
    rules = [rule for variable in model.variables for rule in variable.rules]
    gaussian = all(rule.is_gaussian for rule in rules if isinstance(rule, Emission))
    if gaussian and series.values.size <= MOST and _is_doubted(model, series):
        return careful_smooth(model, series, tree)
    return smooth(model, series, tree)


def careful_smooth(model: GaussianRBN, series: Series, tree: Tree) -> Tree:
    """The tree with the means and covariances of its nodes' values, by the root of the observations' covariance."""
    values = _Values(model, series, tree)
    gaussians = gaussians_of(model.prior, values.root)
    logs = np.array([np.log(weight) + values.log_density(*moments) for weight, *moments in gaussians])
    shares = np.exp(logs - logsumexp(logs))
    parts = [values.moments(mean, covariance) for _, mean, covariance in gaussians]
    nodes = []
    for n, node in enumerate(tree.nodes):
        mean, covariance = matched_moments([(share, *part[n]) for share, part in zip(shares, parts, strict=True)])
        nodes.append(replace(node, value=mean, covariance=covariance))
    return Tree(nodes, tree.arities)


def _is_doubted(model: GaussianRBN, series: Series) -> bool:
    if series.noise_covariance is not None and are_hard(series.noise_covariance).any():
        return True
    return condition_given(model) > EASY


def _digits_lost(chart: Chart) -> float:
    """The largest error among log joint probabilities of some trees, 0 if none matters.

    These are the best tree and some that are drawn. Of a series that is too long, the beginning is looked at, if the model
    generates any so short.
    """
    model, series = chart.model, chart.series
    if series.values.size > MOST:
        count = max(1, MOST // model.observed_dim)
        try:
            chart = inside_one(model, series.part(0, count))
        except LengthError:
            return 0.0
    trees = [best_tree(chart), *(one.tree for one in draw(chart, DRAWS, 0).best(DRAWS))]
    lost = 0.0
    for number, tree in enumerate(trees):
        right = careful_log_joint(model, chart.series, tree)
        error = abs(log_joint(model, chart.series, tree) - right)
        if number == 0 and is_only_tree(chart, tree):  # the chart rounds otherwise than the messages of one tree
            preferred = sum(preference_of(chart, *span) for span in tree.spans)
            error = max(error, abs(chart.log_evidence - preferred - right))
        if not error <= TOLERANCE[0] + TOLERANCE[1] * abs(right):
            lost = max(lost, error) if np.isfinite(error) else np.inf
    return lost


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
        rules, variables, edges = encode(model, tree)
        lengths = iter(np.diff(ticks_at(np.array(edges, dtype=np.int64), series.ticks)))
        self.root, d = model.variables[variables[0]].name, model.variables[variables[0]].dim
        total = sum(model.variables[v].dim for v in variables) + series.values.size
        root_of = cache(lambda v, r, side: root(_link(model.variables[v].rules[r], side).covariance))
        waiting = [_Value(np.eye(d), np.zeros(d), np.zeros((d, total)))]
        column, shown = 0, []
        self._nodes: list[_Value] = []
        self.log_probability = 0.0
        for node, number, v in zip(tree.nodes, rules.tolist(), variables.tolist(), strict=True):
            value = waiting.pop()
            self._nodes.append(value)
            if number < 0:
                _, r, m = origins.emits[-1 - number]
                rule: Emission = model.variables[v].rules[r]
                member = rule.members[m]
                linear = member.emission.linear(model.variables[v].dim, series, node.start, node.end)
                shown.append(value.through(linear.map, linear.offset, linear.root, column))
                length = float(rule.length.log_probability(np.array([next(lengths)]))[0])
                self.log_probability += np.log(rule.probability * member.weight) + length + linear.log_probability
                column += linear.root.shape[1]
                continue
            _, r, shift = origins.rules[number]
            split: Split = model.variables[v].rules[r]
            self.log_probability += np.log(split.probability * split.shifts[shift])
            children = []
            for side in (LEFT, RIGHT):
                moved = shifted(_link(split, side), shift[side])
                R = root_of(v, r, side)
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

    def moments(self, mean: np.ndarray, covariance: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        """Mean and covariance of every node's value, given the observations, where the root has this distribution.

        With B' = Q T, the numbers e have the mean Q T'^-1 (y - m) and the covariance 1 - Q Q', which is its own root.
        """
        R = root(covariance)
        Q, triangle = np.linalg.qr(np.hstack([self._of_root @ R, self._noise]).T)
        e = Q @ np.linalg.solve(triangle.T, self._y - self._mean - self._of_root @ mean)
        found = []
        for one in self._nodes:
            A = np.hstack([one.of_root @ R, one.noise[:, : self._noise.shape[1]]])
            rest = A - (A @ Q) @ Q.T
            found.append((one.of_root @ mean + one.mean + A @ e, rest @ rest.T))
        return found


def _link(split: Split, side: int) -> Link:
    return split.left_link if side == LEFT else split.right_link
