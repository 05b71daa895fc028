"""Charts of discrete grammars in logarithms: slow, for sequences whose numbers are too far apart for one scale per span.

Of two symbols over the same span one may be more probable by more than a float can hold, and still only the other lead on to
the rest of the sequence (a hidden Markov model whose states are hardly ever left, for instance).
"""

import math

import numpy as np
from numba import njit

from recbayes.compiled.lanes import INNER, KERNEL
from recbayes.discrete.kernels.inside import forbid, lexical_range, prefer_logs
from recbayes.discrete.kernels.layout import span_number


@njit(**INNER)
def _log_add(one, two):
    high, low = max(one, two), min(one, two)
    return high if low == -math.inf else high + math.log1p(math.exp(low - high))


@njit(**KERNEL)
def fill_log_inside(form, plan, tokens, allowed, preference, visible, logs):
    """The logarithms of all inside numbers (spans, symbols). `form` is (lexical, binary, chains of unary rules)."""
    lexical, binary, chains = form
    together, raw = np.zeros(len(binary.left)), np.zeros(logs.shape[1])
    for width in range(1, len(tokens) + 1):
        for start in range(plan.low[width], plan.high[width] + 1):
            raw[:] = -math.inf
            if width == 1:
                first, end = lexical_range(lexical, tokens[start])
                for rule in range(first, end):
                    raw[lexical.parent[rule]] = _log_add(raw[lexical.parent[rule]], lexical.log_weight[rule])
            _log_pairs(binary, plan, logs, start, width, together)
            for pair in range(len(together)):
                if together[pair] > -math.inf:
                    for rule in range(binary.first[pair], binary.first[pair + 1]):
                        a = binary.parent[rule]
                        raw[a] = _log_add(raw[a], together[pair] + binary.log_weight[rule])
            forbid(allowed, visible, start, start + width, raw, -math.inf)
            here = span_number(plan, start, width)
            prefer_logs(preference, visible, here, raw)
            for symbol in range(len(raw)):
                logs[here, symbol] = raw[symbol]
                if len(chains.child) > 0:
                    logs[here, symbol] = -math.inf
                    for entry in range(chains.first[symbol], chains.first[symbol + 1]):
                        reached = raw[chains.child[entry]]
                        if reached > -math.inf:
                            logs[here, symbol] = _log_add(logs[here, symbol], math.log(chains.weight[entry]) + reached)


@njit(**INNER)
def _log_pairs(binary, plan, logs, start, width, together):
    """For every pair of symbols, the log of the sum over split points of the products of its children's numbers."""
    together[:] = -math.inf
    for left in range(plan.first_left[width], plan.last_left[width] + 1):
        one, two = span_number(plan, start, left), span_number(plan, start + left, width - left)
        if one < 0 or two < 0:
            continue
        for b in range(logs.shape[1]):
            if logs[one, b] > -math.inf:
                for pair in range(binary.first_pair[b], binary.first_pair[b + 1]):
                    other = logs[two, binary.right[pair]]
                    if other > -math.inf:
                        together[pair] = _log_add(together[pair], logs[one, b] + other)


@njit(**KERNEL)
def fill_log_outside(form, plan, tokens, preference, visible, logs, outer):
    """The logarithms of all outside numbers (spans, symbols): the weight of all that surrounds the highest node of a span.

    `outer` comes with the root's, all others being minus infinity.
    """
    _, binary, chains = form
    reached, above = np.zeros(logs.shape[1]), np.zeros(len(binary.left))
    for width in range(len(tokens), 1, -1):
        for start in range(plan.low[width], plan.high[width] + 1):
            here = span_number(plan, start, width)
            for symbol in range(len(reached)):
                reached[symbol] = -math.inf if len(chains.child) > 0 else outer[here, symbol]
            if len(chains.child) > 0:
                for symbol in range(len(reached)):
                    if outer[here, symbol] > -math.inf:
                        for entry in range(chains.first[symbol], chains.first[symbol + 1]):
                            child, weight = chains.child[entry], math.log(chains.weight[entry])
                            reached[child] = _log_add(reached[child], outer[here, symbol] + weight)
            prefer_logs(preference, visible, here, reached)
            for pair in range(len(above)):
                above[pair] = -math.inf
                for rule in range(binary.first[pair], binary.first[pair + 1]):
                    if reached[binary.parent[rule]] > -math.inf:
                        above[pair] = _log_add(above[pair], reached[binary.parent[rule]] + binary.log_weight[rule])
            for left in range(plan.first_left[width], plan.last_left[width] + 1):
                one, two = span_number(plan, start, left), span_number(plan, start + left, width - left)
                if one < 0 or two < 0:
                    continue
                for b in range(logs.shape[1]):
                    if logs[one, b] > -math.inf:
                        for pair in range(binary.first_pair[b], binary.first_pair[b + 1]):
                            c = binary.right[pair]
                            if logs[two, c] > -math.inf and above[pair] > -math.inf:
                                outer[one, b] = _log_add(outer[one, b], above[pair] + logs[two, c])
                                outer[two, c] = _log_add(outer[two, c], above[pair] + logs[one, b])


@njit(**KERNEL)
def widest_gap(plan, length, scales):
    """The largest distance between the scale of a span and that of the products of one of its splits."""
    gap = 0.0
    for width in range(2, length + 1):
        for start in range(plan.low[width], plan.high[width] + 1):
            here = span_number(plan, start, width)
            for left in range(plan.first_left[width], plan.last_left[width] + 1):
                one, two = span_number(plan, start, left), span_number(plan, start + left, width - left)
                if one >= 0 and two >= 0 and min(scales[here], scales[one], scales[two]) > -math.inf:
                    gap = max(gap, scales[one] + scales[two] - scales[here])
    return gap
