"""States of hidden Markov models, read off the chart of the chain in O(N).

In a right-linear chart the state at time t spans all observations from t to the end. Its inside numbers are the backward
probabilities, and its outside numbers the prediction from everything before t.
"""

from dataclasses import replace

import numpy as np

from recbayes.discrete.chart.chart import DiscreteChart
from recbayes.discrete.chart.trees import best_nodes
from recbayes.discrete.kernels.layout import span_places
from recbayes.discrete.model.binary_form import Lexical


def filtered_states(chart: DiscreteChart) -> np.ndarray:
    """p(x_t | y_1 ... y_t), (N, states): a pass forward of its own, in logarithms.

    Outside numbers are no predictions: they leave out states that what comes later makes impossible.
    """
    states, shown = _symbols(chart)
    form, count = chart.form, states.stop
    forward, seen = np.full((count, count), -np.inf), np.full((count, len(form.grammar.terminals)), -np.inf)
    lexical, binary = form.lexical, form.binary
    own = (lexical.parent >= shown.start) & (lexical.parent < shown.stop)
    seen[lexical.parent[own] - shown.start, lexical.terminal[own]] = lexical.log_weight[own]
    forward[binary.parent, binary.right[binary.pair]] = binary.log_weight
    with np.errstate(divide="ignore"):
        here = np.log(form.start[states])
    anything = np.logaddexp.reduce(seen, axis=1)
    rows = np.empty((chart.length, count))
    for t, token in enumerate(chart.tokens):
        here = here + (seen[:, token] if token >= 0 else anything)
        rows[t] = here - np.logaddexp.reduce(here)
        here = np.logaddexp.reduce(rows[t][:, None] + forward, axis=0)
    return np.exp(rows)


def smoothed_states(chart: DiscreteChart) -> np.ndarray:
    """p(x_t | y_1 ... y_N), (N, states)."""
    states, _ = _symbols(chart)
    return _normalised(chart.outside.nodes[_suffixes(chart)][:, states])


def best_states(chart: DiscreteChart) -> tuple[np.ndarray, float]:
    """The most probable path (numbers of states), and its log weight; missing observations are summed over."""
    (symbols, *_), score = best_nodes(_with_missing_terminal(chart))
    states, _ = _symbols(chart)
    return symbols[(symbols >= states.start) & (symbols < states.stop)] - states.start, score


def _symbols(chart: DiscreteChart) -> tuple[slice, slice]:
    """Which symbols are states, and which are what shows them: the values of the first and of the second variable."""
    count = chart.form.real // 2
    return slice(0, count), slice(count, 2 * count)


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
    starts = np.arange(chart.length)
    return span_places(chart.plan, starts, chart.length - starts)


def _normalised(rows: np.ndarray) -> np.ndarray:
    return rows / rows.sum(axis=1, keepdims=True)
