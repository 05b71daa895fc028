"""The compiled inside pass of discrete grammars, by lists of rules.

A span holds one number per symbol, scaled so that the largest is one; the logarithm of the scale is kept beside it. Thus
nothing underflows, however long the sequence. Unary chains are summed exactly, cycles included, by their closure.
"""

import math

import numpy as np
from numba import njit

from recbayes.compiled.lanes import INNER, KERNEL
from recbayes.discrete.kernels.layout import span_number, span_place


@njit(**INNER)
def _split_scales(plan, scales, start, width):
    """The smallest and the largest log scale of the products of any split; both minus infinity if there is none."""
    low, high = math.inf, -math.inf
    for left in range(plan.first_left[width], plan.last_left[width] + 1):
        one, two = span_number(plan, start, left), span_number(plan, start + left, width - left)
        if one >= 0 and two >= 0 and scales[one] + scales[two] > -math.inf:
            low, high = min(low, scales[one] + scales[two]), max(high, scales[one] + scales[two])
    return low if high > -math.inf else -math.inf, high


@njit(**INNER)
def forbid(allowed, visible, start, end, numbers, never):
    """Where a span may not be a node, give the symbols that are nodes the number `never`; others only unpack rules."""
    if len(allowed) > 0 and not allowed[start, end]:
        for symbol in range(len(numbers)):
            if visible[symbol]:
                numbers[symbol] = never


@njit(**INNER)
def prefer(preference, visible, here, numbers):
    """Weigh what symbols that are nodes come to by the user's preference for a span; others only unpack rules."""
    if len(preference) > 0:
        factor = math.exp(preference[here])
        for symbol in range(len(numbers)):
            if visible[symbol]:
                numbers[symbol] *= factor


@njit(**INNER)
def prefer_logs(preference, visible, here, logs):
    """The same in logarithms."""
    if len(preference) > 0:
        for symbol in range(len(logs)):
            if visible[symbol]:
                logs[symbol] += preference[here]


@njit(**KERNEL)
def fill_discrete(form, plan, tokens, allowed, preference, visible, values, scales):
    """Inside numbers of all spans: `values` (spans, symbols) and their log `scales`.

    `form` is (lexical, binary, chains of unary rules); a token of -1 is missing, and may be any terminal. `preference` are
    log weights of spans, none if it is empty. Returns the log
    of the smallest factor that can have been multiplied by a weight: where that is below what a float holds, something may
    have been lost.
    """
    lexical, binary, chains = form
    symbols = values.shape[1]
    smallest, apart = 1.0, 0.0
    raw, together = np.zeros(symbols), np.zeros(len(binary.left))
    for width in range(1, len(tokens) + 1):
        for start in range(plan.low[width], plan.high[width] + 1):
            here = span_place(plan, start, width)
            scales[here] = -math.inf
            low, scale = (0.0, 0.0) if width == 1 else _split_scales(plan, scales, start, width)
            if scale == -math.inf:
                continue
            apart = min(apart, low - scale)
            for symbol in range(symbols):
                raw[symbol] = 0.0
            if width == 1:
                first, end = lexical_range(lexical, tokens[start])
                for rule in range(first, end):
                    raw[lexical.parent[rule]] += lexical.weight[rule]
            elif plan.first_left[width] == plan.last_left[width]:
                _apply_rules(binary, plan, values, start, width, raw)
            else:
                sum_pairs(binary, plan, values, scales, start, width, scale, together)
                for pair in range(len(together)):
                    if together[pair] > 0.0:
                        for rule in range(binary.first[pair], binary.first[pair + 1]):
                            raw[binary.parent[rule]] += binary.weight[rule] * together[pair]
            forbid(allowed, visible, start, start + width, raw, 0.0)
            prefer(preference, visible, here, raw)
            largest = 0.0
            for symbol in range(symbols):
                total = raw[symbol]
                if len(chains.child) > 0:
                    total = 0.0
                    for entry in range(chains.first[symbol], chains.first[symbol + 1]):
                        total += chains.weight[entry] * raw[chains.child[entry]]
                values[here, symbol] = total
                largest = max(largest, total)
            if largest > 0.0:
                scales[here] = scale + math.log(largest)
                for symbol in range(symbols):
                    values[here, symbol] /= largest
                    if values[here, symbol] > 0.0:
                        smallest = min(smallest, values[here, symbol])
    return apart + 2.0 * math.log(smallest)


@njit(**INNER)
def _apply_rules(binary, plan, values, start, width, raw):
    """Add what all binary rules make of the only split point, as in chains: sums over split points are not needed."""
    left = plan.first_left[width]
    one, two = span_number(plan, start, left), span_number(plan, start + left, width - left)
    for b in range(values.shape[1]):
        mine = values[one, b]
        if mine > 0.0:
            for pair in range(binary.first_pair[b], binary.first_pair[b + 1]):
                product = mine * values[two, binary.right[pair]]
                for rule in range(binary.first[pair], binary.first[pair + 1]):
                    raw[binary.parent[rule]] += binary.weight[rule] * product


@njit(**INNER)
def sum_pairs(binary, plan, values, scales, start, width, scale, together):
    """For every pair of symbols, the sum over split points of the products of its children's numbers."""
    for pair in range(len(together)):
        together[pair] = 0.0
    for left in range(plan.first_left[width], plan.last_left[width] + 1):
        one, two = span_number(plan, start, left), span_number(plan, start + left, width - left)
        if one < 0 or two < 0 or scales[one] + scales[two] < scale - 700.0:
            continue
        factor = math.exp(scales[one] + scales[two] - scale)
        for b in range(values.shape[1]):
            share = factor * values[one, b]
            if share > 0.0:
                for pair in range(binary.first_pair[b], binary.first_pair[b + 1]):
                    together[pair] += share * values[two, binary.right[pair]]


@njit(**INNER)
def lexical_range(lexical, token):
    """The rules that lead to a token; all of them if it is missing."""
    if token < 0:
        return 0, len(lexical.parent)
    return lexical.first[token], lexical.first[token + 1]
