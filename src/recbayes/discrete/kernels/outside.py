"""The compiled outside pass of discrete grammars: derivatives of the log evidence, which are expected counts."""

import math

import numpy as np
from numba import njit

from recbayes.compiled.lanes import KERNEL
from recbayes.discrete.kernels.inside import lexical_range, prefer, sum_pairs
from recbayes.discrete.kernels.layout import span_number, span_place


@njit(**KERNEL)
def fill_discrete_outside(form, plan, tokens, preference, visible, values, scales, outer, counts):
    """Derivatives of the log evidence with respect to the scaled inside numbers, from the root down.

    `outer` (spans, symbols) comes with the root's; `counts` are (lexical, binary, unary) expected numbers of uses of every
    rule, which are added to. The unary rules are the fourth part of `form`, sorted by parent.
    """
    lexical, binary, chains, unary = form
    lexical_counts, binary_counts, unary_counts = counts
    symbols = values.shape[1]
    together, above = np.zeros(len(binary.left)), np.zeros(len(binary.left))
    reached = np.zeros(symbols)  # weight with which a symbol is reached from above, chains of unary rules included
    for width in range(len(tokens), 0, -1):
        for start in range(plan.low[width], plan.high[width] + 1):
            here = span_place(plan, start, width)
            if scales[here] == -math.inf:
                continue
            scale = scales[here]
            unary_rules = len(chains.child) > 0
            for symbol in range(symbols):
                reached[symbol] = 0.0 if unary_rules else outer[here, symbol]
            if unary_rules:
                for symbol in range(symbols):
                    weight = outer[here, symbol]
                    if weight > 0.0:
                        for entry in range(chains.first[symbol], chains.first[symbol + 1]):
                            reached[chains.child[entry]] += weight * chains.weight[entry]
            for symbol in range(symbols):  # what is no node here, as the user does not allow it, leads nowhere
                if values[here, symbol] == 0.0:
                    reached[symbol] = 0.0
            if unary_rules:
                for rule in range(len(unary.parent)):
                    share = reached[unary.parent[rule]] * unary.weight[rule]
                    unary_counts[rule] += share * values[here, unary.child[rule]]
            prefer(preference, visible, here, reached)
            if width == 1:
                first, end = lexical_range(lexical, tokens[start])
                for rule in range(first, end):
                    lexical_counts[rule] += reached[lexical.parent[rule]] * lexical.weight[rule] * math.exp(-scale)
                continue
            sum_pairs(binary, plan, values, scales, start, width, scale, together)
            for pair in range(len(together)):
                above[pair] = 0.0
                if together[pair] > 0.0:
                    for rule in range(binary.first[pair], binary.first[pair + 1]):
                        share = reached[binary.parent[rule]] * binary.weight[rule]
                        above[pair] += share
                        binary_counts[rule] += share * together[pair]
            for left in range(plan.first_left[width], plan.last_left[width] + 1):
                one, two = span_number(plan, start, left), span_number(plan, start + left, width - left)
                if one < 0 or two < 0 or scales[one] + scales[two] < scale - 700.0:
                    continue
                factor = math.exp(scales[one] + scales[two] - scale)
                for b in range(symbols):
                    mine = factor * values[one, b]
                    if mine > 0.0:
                        total = 0.0
                        for pair in range(binary.first_pair[b], binary.first_pair[b + 1]):
                            c = binary.right[pair]
                            total += above[pair] * values[two, c]
                            outer[two, c] += above[pair] * mine
                        outer[one, b] += factor * total
