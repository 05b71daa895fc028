"""States of linear dynamical systems, read off the chart of the chain in O(N).

In a right-linear chart the state at time t spans all observations from t to the end. Its inside message is the backward
message, and its outside message is the prediction from everything before t.
"""

from typing import NamedTuple

import numpy as np

from recbayes.errors import DataError
from recbayes.gaussian.chart.inside import Chart
from recbayes.gaussian.chart.outside import Outside, outside
from recbayes.gaussian.emissions.emission import Emission
from recbayes.gaussian.model.roots import root


class Means(NamedTuple):
    """States of a linear dynamical system, one for each observation.

    Attributes:
        mean: (N, d).
        covariance: (N, d, d).
    """

    mean: np.ndarray
    covariance: np.ndarray


def filtered_states(chart: Chart) -> Means:
    """p(x_t | y_1 ... y_t): the prediction from before t, and the observation at t (a step of the Kalman filter)."""
    assert chart.model.chain is not None
    ahead = _outside(chart)
    moments = []
    for t in range(chart.length):
        density = ahead.message(t, chart.length, chart.model.chain.state)
        moments.append(_updated(density.mean, density.covariance, *_observation(chart, t)))
    return Means(np.array([mean for mean, _ in moments]), np.array([S for _, S in moments]))


def _updated(m: np.ndarray, S: np.ndarray, y: np.ndarray, H: np.ndarray, R: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance given y ~ N(H x, R R'): by the root of y's covariance, and in Joseph's form."""
    if not len(y):
        return m, S
    triangle = np.asarray(np.linalg.qr(np.vstack([root(S).T @ H.T, R.T]), mode="r"))  # its square is H S H' + R R'
    gain = np.linalg.solve(triangle, np.linalg.solve(triangle.T, H @ S)).T
    rest, noise = np.eye(len(m)) - gain @ H, gain @ R
    return m + gain @ (y - H @ m), rest @ S @ rest.T + noise @ noise.T


def smoothed_states(chart: Chart) -> Means:
    """p(x_t | y_1 ... y_N)."""
    assert chart.model.chain is not None
    found = _outside(chart)
    nodes = [found.node(t, chart.length, chart.model.chain.state) for t in range(chart.length)]
    return Means(np.array([node.mean for node in nodes]), np.array([node.covariance for node in nodes]))


def _outside(chart: Chart) -> Outside:
    if len(chart.plan.positions) <= chart.length:
        raise DataError(
            "states are those of single observations, and some of the series' times are in one tick; give times that "
            "differ, or none"
        )
    return outside(chart)


def _observation(chart: Chart, t: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What is seen of y_t - h, its map H from the state, and the root of its noise. The last one the state itself emits."""
    assert chart.model.chain is not None
    name = chart.model.chain.state if t == chart.length - 1 else chart.model.chain.shown
    variable = next(one for one in chart.model.variables if one.name == name)
    rule = next(rule for rule in variable.rules if isinstance(rule, Emission))
    shown = rule.linear(variable.dim, chart.series, t, t + 1)
    seen = ~np.isnan(chart.series.values[t])
    return (chart.series.values[t] - shown.offset)[seen], shown.map[seen], shown.root[seen]
