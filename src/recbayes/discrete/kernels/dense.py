"""The compiled inside chart of dense grammars: a matrix product for every span, and one for all rules of a width."""

import math

import numpy as np
from numba import njit

from recbayes.compiled.lanes import KERNEL
from recbayes.discrete.kernels.inside import forbid, prefer
from recbayes.discrete.kernels.layout import span_place


@njit(**KERNEL)
def fill_dense(symbols, table, closure, plan, emissions, allowed, preference, visible, values, scales, sums):
    """`fill_discrete` by matrix products, for a plan of all spans.

    `symbols` are those of left children, right children and parents in the `table` (left * right, parent) of rules;
    `emissions` (N, symbols) are the weights of the tokens; `sums` (spans at once, left * right) is room to work in.
    """
    left_symbols, right_symbols, parents = symbols
    smallest, apart = 1.0, 0.0
    length = len(emissions)
    lefts, rights = np.empty((length, len(left_symbols))), np.empty((length, len(right_symbols)))
    for width in range(1, length + 1):
        for begin in range(0, length - width + 1, len(sums)):
            end = min(begin + len(sums), length - width + 1)
            first = span_place(plan, begin, width)
            if width == 1:
                raw = emissions[begin:end].copy()
                scales[first : first + end - begin] = 0.0
            else:
                raw = np.zeros((end - begin, values.shape[1]))
                for start in range(begin, end):
                    low, top, splits = math.inf, -math.inf, 0
                    for left in range(1, width):
                        both = scales[span_place(plan, start, left)] + scales[span_place(plan, start + left, width - left)]
                        top = max(top, both)
                        if both > -math.inf:
                            low = min(low, both)
                    scales[span_place(plan, start, width)] = top
                    if top > -math.inf:
                        apart = min(apart, low - top)
                    for left in range(1, width):
                        one, two = span_place(plan, start, left), span_place(plan, start + left, width - left)
                        share = scales[one] + scales[two] - top
                        if share >= -700.0:  # false also where no split is possible
                            factor = math.exp(share)
                            for n in range(len(left_symbols)):
                                lefts[splits, n] = factor * values[one, left_symbols[n]]
                            for n in range(len(right_symbols)):
                                rights[splits, n] = values[two, right_symbols[n]]
                            splits += 1
                    products = sums[start - begin].reshape(len(left_symbols), len(right_symbols))
                    if splits > 0:
                        np.dot(lefts[:splits].T, rights[:splits], products)
                    else:
                        products[:] = 0.0
                by_parent = np.dot(sums[: end - begin], table)
                for n in range(len(parents)):
                    raw[:, parents[n]] = by_parent[:, n]
            for start in range(begin, end):
                forbid(allowed, visible, start, start + width, raw[start - begin], 0.0)
                prefer(preference, visible, span_place(plan, start, width), raw[start - begin])
            if len(closure) > 0:
                raw = np.dot(raw, closure.T)
            for start in range(begin, end):
                here = span_place(plan, start, width)
                largest = raw[start - begin].max()
                if largest > 0.0:
                    scales[here] += math.log(largest)
                    for symbol in range(values.shape[1]):
                        values[here, symbol] = raw[start - begin, symbol] / largest
                        if values[here, symbol] > 0.0:
                            smallest = min(smallest, values[here, symbol])
                else:
                    scales[here] = -math.inf
    return apart + 2.0 * math.log(smallest)
