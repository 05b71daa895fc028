"""The compiled search for the tree of a grammar whose spans have the highest total gain."""

import math

import numpy as np
from numba import njit

from recbayes.chart.discrete_kernel import lexical_range, span_number
from recbayes.numerics.lanes import KERNEL


@njit(**KERNEL)
def best_by_gain(form, plan, tokens, allowed, gain, values, choices):
    """For every span and symbol, the highest sum of gains of the spans below it, and its rule and split point.

    `gain` (spans, symbols) is what a symbol gains that is the highest node of a span. Trees that the grammar cannot generate
    do not count; chains of unary rules gain nothing. Rules are numbered lexical, then binary, then unary.
    """
    lexical, binary, _, unary = form
    symbols = values.shape[1]
    lexical_count, binary_count = len(lexical.parent), len(binary.parent)
    together, points = np.zeros(len(binary.left)), np.zeros(len(binary.left), dtype=np.int64)
    for width in range(1, len(tokens) + 1):
        for start in range(plan.low[width], plan.high[width] + 1):
            here = plan.place[width] + start - plan.low[width]
            for symbol in range(symbols):
                values[here, symbol] = -math.inf
            if len(allowed) > 0 and not allowed[start, start + width]:
                continue
            if width == 1:
                first, end = lexical_range(lexical, tokens[start])
                for rule in range(first, end):
                    a = lexical.parent[rule]
                    if values[here, a] < 0.0:
                        values[here, a] = 0.0
                        choices[here, a, 0], choices[here, a, 1] = rule, start
            for pair in range(len(together)):
                together[pair] = -math.inf
            for left in range(plan.first_left[width], plan.last_left[width] + 1):
                one, two = span_number(plan, start, left), span_number(plan, start + left, width - left)
                if one < 0 or two < 0:
                    continue
                for b in range(symbols):
                    mine = values[one, b] + gain[one, b]
                    if mine > -math.inf:
                        for pair in range(binary.first_pair[b], binary.first_pair[b + 1]):
                            c = binary.right[pair]
                            score = mine + values[two, c] + gain[two, c]
                            if score > together[pair]:
                                together[pair], points[pair] = score, start + left
            for pair in range(len(together)):
                if together[pair] > -math.inf:
                    for rule in range(binary.first[pair], binary.first[pair + 1]):
                        a = binary.parent[rule]
                        if together[pair] > values[here, a]:
                            values[here, a] = together[pair]
                            choices[here, a, 0], choices[here, a, 1] = lexical_count + rule, points[pair]
            changed = len(unary.parent) > 0
            while changed:
                changed = False
                for rule in range(len(unary.parent)):
                    a, score = unary.parent[rule], values[here, unary.child[rule]]
                    if score > values[here, a]:
                        values[here, a] = score
                        choices[here, a, 0], choices[here, a, 1] = lexical_count + binary_count + rule, start
                        changed = True
