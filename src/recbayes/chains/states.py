"""States of chains: filtering, smoothing and the most probable path, all read off the same chart in O(N).

In a right-linear chart the state at time t spans all observations from t to the end. Its inside message is the backward
message, and its outside message is the prediction from everything before t.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from recbayes.chains.models import SHOWN, STATE
from recbayes.checks.series import is_many
from recbayes.discrete.chart.chart import DiscreteChart, are_many, listed
from recbayes.discrete.chart.trees import best_nodes
from recbayes.discrete.model.binary_form import Lexical
from recbayes.discrete.model.rbn import DiscreteRBN
from recbayes.errors import DataError
from recbayes.gaussian.chart.inside import Chart, Message, inside
from recbayes.gaussian.chart.outside import outside
from recbayes.gaussian.model.rbn import GaussianRBN


class Means(NamedTuple):
    """Means (N, d) and covariances (N, d, d) of the states of a linear dynamical system."""

    mean: np.ndarray
    covariance: np.ndarray


def filtered_states(model: DiscreteRBN | GaussianRBN, series: object) -> np.ndarray | Means:
    """p(x_t | y_1 ... y_t): probabilities (N, states) for a hidden Markov model, means and covariances for a linear one."""
    chart = _chart(model, series)
    if isinstance(chart, DiscreteChart):
        predicted = chart.outside.outer[_suffixes(chart)][:, _block(chart, STATE)]
        seen = chart.values[_singles(chart)][:, _block(chart, SHOWN)]
        return _normalised(predicted * seen)
    ahead = outside(chart)
    moments = []
    for t in range(chart.length):
        density = ahead.message(t, chart.length, STATE)  # type: ignore[union-attr]
        message = _emission(chart, t)
        S, d = density.covariance, len(density.mean)
        gain = S @ np.linalg.inv(np.eye(d) + message.precision @ S) @ message.precision
        moments.append((density.mean + gain @ (message.mean - density.mean), S - gain @ S))
    return Means(np.array([mean for mean, _ in moments]), np.array([S for _, S in moments]))


def smoothed_states(model: DiscreteRBN | GaussianRBN, series: object) -> np.ndarray | Means:
    """p(x_t | y_1 ... y_N), in the form of `filtered_states`."""
    chart = _chart(model, series)
    if isinstance(chart, DiscreteChart):
        return _normalised(chart.outside.nodes[_suffixes(chart)][:, _block(chart, STATE)])
    found = outside(chart)
    nodes = [found.node(t, chart.length, STATE) for t in range(chart.length)]  # type: ignore[union-attr]
    return Means(np.array([node.mean for node in nodes]), np.array([node.covariance for node in nodes]))


def best_states(model: DiscreteRBN, series: object) -> tuple[np.ndarray, float]:
    """The most probable path of a hidden Markov model (numbers of states), and its log weight with the observations.

    Missing observations are summed over.
    """
    chart = _chart(model, series)
    if not isinstance(chart, DiscreteChart):
        raise DataError("a linear dynamical system has no discrete path; see smoothed_states")
    (symbols, *_), score = best_nodes(_with_missing_terminal(chart))
    states = _block(chart, STATE)
    return symbols[(symbols >= states.start) & (symbols < states.stop)] - states.start, score


def _chart(model: DiscreteRBN | GaussianRBN, series: object) -> Chart | DiscreteChart:
    names = [variable.name for variable in getattr(model, "variables", ())]
    if names[:2] == ["start", f"{STATE} 0"]:
        raise DataError(
            "the states of a switching system with several regimes are mixtures without a closed form; draw them with "
            f"sample_posterior: labels '{STATE} k' and '{SHOWN} k' of the nodes that begin at t say which regime ruled then"
        )
    if names != [STATE, SHOWN]:
        raise DataError("states are those of a chain: make one with HMM or LinearDynamicalSystem")
    many = are_many(series := listed(series)) if isinstance(model, DiscreteRBN) else is_many(series)
    if many:
        raise DataError("states are those of one series, got several; ask for one at a time, and for a column as y[:, 0]")
    return inside(model, series)


def _with_missing_terminal(chart: DiscreteChart) -> DiscreteChart:
    """The chart with one more terminal, for missing tokens: its weight below a symbol is that of all terminals together."""
    form, lexical = chart.form, chart.form.lexical
    missing = len(form.grammar.terminals)
    parent = np.unique(lexical.parent)
    weight = np.bincount(lexical.parent, weights=lexical.weight)[parent]
    more = Lexical(
        parent=np.concatenate([lexical.parent, parent]),
        terminal=np.concatenate([lexical.terminal, np.full_like(parent, missing)]),
        weight=np.concatenate([lexical.weight, weight]),
        rule=np.concatenate([lexical.rule, np.full_like(parent, -1)]),
        first=np.append(lexical.first, len(lexical.parent) + len(parent)),
        log_weight=np.concatenate([lexical.log_weight, np.log(weight)]),
    )
    return replace(chart, form=replace(form, lexical=more), tokens=np.where(chart.tokens < 0, missing, chart.tokens))


def _suffixes(chart: DiscreteChart) -> np.ndarray:
    """Where the spans that reach to the end are stored, by their starts."""
    widths = chart.length - np.arange(chart.length)
    return chart.plan.place[widths] + np.arange(chart.length) - chart.plan.low[widths]


def _singles(chart: DiscreteChart) -> np.ndarray:
    return chart.plan.place[1] + np.arange(chart.length) - chart.plan.low[1]


def _block(chart: DiscreteChart, name: str) -> slice:
    """Which symbols are the values of a variable."""
    first = 0
    for variable in chart.model.variables:  # type: ignore[attr-defined]
        if variable.name == name:
            return slice(first, first + len(variable.values))
        first += len(variable.values)
    raise DataError(f"the model has no variable {name!r}")


def _emission(chart: Chart, t: int) -> Message:
    """What the observation at t says about its state. The last one is emitted by the state itself."""
    last = t == chart.length - 1
    return chart.message(t, t + 1, STATE if last else SHOWN)


def _normalised(rows: np.ndarray) -> np.ndarray:
    return rows / rows.sum(axis=1, keepdims=True)
