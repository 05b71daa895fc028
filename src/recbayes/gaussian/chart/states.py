"""States of linear dynamical systems, read off the chart of the chain in O(N).

In a right-linear chart the state at time t spans all observations from t to the end. Its inside message is the backward
message, and its outside message is the prediction from everything before t.
"""

from typing import NamedTuple

import numpy as np

from recbayes.gaussian.chart.inside import Chart, Message
from recbayes.gaussian.chart.outside import outside


class Means(NamedTuple):
    """Means (N, d) and covariances (N, d, d) of the states of a linear dynamical system."""

    mean: np.ndarray
    covariance: np.ndarray


def filtered_states(chart: Chart) -> Means:
    """p(x_t | y_1 ... y_t): the prediction from before t, and the observation at t (a step of the Kalman filter)."""
    assert chart.model.chain is not None
    ahead = outside(chart)
    moments = []
    for t in range(chart.length):
        density = ahead.message(t, chart.length, chart.model.chain.state)
        message = _emission(chart, t)
        S, d = density.covariance, len(density.mean)
        gain = S @ np.linalg.inv(np.eye(d) + message.precision @ S) @ message.precision
        moments.append((density.mean + gain @ (message.mean - density.mean), S - gain @ S))
    return Means(np.array([mean for mean, _ in moments]), np.array([S for _, S in moments]))


def smoothed_states(chart: Chart) -> Means:
    """p(x_t | y_1 ... y_N)."""
    assert chart.model.chain is not None
    found = outside(chart)
    nodes = [found.node(t, chart.length, chart.model.chain.state) for t in range(chart.length)]
    return Means(np.array([node.mean for node in nodes]), np.array([node.covariance for node in nodes]))


def _emission(chart: Chart, t: int) -> Message:
    """What the observation at t says about its state. The last one is emitted by the state itself."""
    assert chart.model.chain is not None
    last = t == chart.length - 1
    return chart.message(t, t + 1, chart.model.chain.state if last else chart.model.chain.shown)
