"""The compiled charts of discrete grammars, by lists of rules.

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


@njit(**KERNEL)
def fill_discrete(form, plan, tokens, allowed, visible, values, scales):
    """Inside numbers of all spans: `values` (spans, symbols) and their log `scales`.

    `form` is (lexical, binary, chains of unary rules); a token of -1 is missing, and may be any terminal. Returns the log
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
                _sum_pairs(binary, plan, values, scales, start, width, scale, together)
                for pair in range(len(together)):
                    if together[pair] > 0.0:
                        for rule in range(binary.first[pair], binary.first[pair + 1]):
                            raw[binary.parent[rule]] += binary.weight[rule] * together[pair]
            forbid(allowed, visible, start, start + width, raw, 0.0)
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
def _sum_pairs(binary, plan, values, scales, start, width, scale, together):
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


@njit(**KERNEL)
def fill_discrete_outside(form, plan, tokens, values, scales, outer, counts):
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
            if width == 1:
                first, end = lexical_range(lexical, tokens[start])
                for rule in range(first, end):
                    lexical_counts[rule] += reached[lexical.parent[rule]] * lexical.weight[rule] * math.exp(-scale)
                continue
            _sum_pairs(binary, plan, values, scales, start, width, scale, together)
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


@njit(**KERNEL)
def fill_discrete_best(form, plan, tokens, allowed, visible, gain, values, choices):
    """The highest score of a tree for every span and symbol, and how it comes about.

    A tree's score is the sum of the log weights of its rules and of the gains (spans, symbols) of all nodes below the first
    that are the highest of their span. `choices` (spans, symbols, 2): rule and split point; rules are numbered lexical, then
    binary, then unary. Ties go to lexical rules and to the first pair of children. `form` is (lexical, binary, unary).
    """
    lexical, binary, unary = form
    symbols = values.shape[1]
    lexical_count, binary_count = len(lexical.parent), len(binary.parent)
    together, points = np.zeros(len(binary.left)), np.zeros(len(binary.left), dtype=np.int64)
    for width in range(1, len(tokens) + 1):
        for start in range(plan.low[width], plan.high[width] + 1):
            here = span_place(plan, start, width)
            for symbol in range(symbols):
                values[here, symbol] = -math.inf
            if width == 1:
                first, end = lexical_range(lexical, tokens[start])
                for rule in range(first, end):
                    a = lexical.parent[rule]
                    if lexical.log_weight[rule] > values[here, a]:
                        values[here, a] = lexical.log_weight[rule]
                        choices[here, a, 0], choices[here, a, 1] = rule, start
            elif plan.first_left[width] == plan.last_left[width]:
                _best_of_one_split(binary, plan, gain, values, choices, lexical_count, start, width)
            else:
                _best_of_splits(binary, plan, gain, values, choices, lexical_count, start, width, together, points)
            forbid(allowed, visible, start, start + width, values[here], -math.inf)
            changed = len(unary.parent) > 0
            while changed:  # a chain never gains by going round: cycles weigh less than one
                changed = False
                for rule in range(len(unary.parent)):
                    a, score = unary.parent[rule], values[here, unary.child[rule]] + unary.log_weight[rule]
                    if score > values[here, a] + 1e-13 * abs(score):
                        values[here, a] = score
                        choices[here, a, 0], choices[here, a, 1] = lexical_count + binary_count + rule, start
                        changed = True


@njit(**INNER)
def _best_of_one_split(binary, plan, gain, values, choices, lexical_count, start, width):
    """Binary rules of a span with one split point, as in chains."""
    here, left = span_number(plan, start, width), plan.first_left[width]
    one, two = span_number(plan, start, left), span_number(plan, start + left, width - left)
    if one < 0 or two < 0:
        return
    for b in range(values.shape[1]):
        mine = values[one, b] + gain[one, b]
        if mine > -math.inf:
            for pair in range(binary.first_pair[b], binary.first_pair[b + 1]):
                c = binary.right[pair]
                together = mine + values[two, c] + gain[two, c]
                for rule in range(binary.first[pair], binary.first[pair + 1]):
                    a, score = binary.parent[rule], together + binary.log_weight[rule]
                    if score > values[here, a]:
                        values[here, a] = score
                        choices[here, a, 0], choices[here, a, 1] = lexical_count + rule, start + left


@njit(**INNER)
def _best_of_splits(binary, plan, gain, values, choices, lexical_count, start, width, together, points):
    """Binary rules of a span: the best split point of every pair of symbols, then the best rules."""
    here = span_number(plan, start, width)
    for pair in range(len(together)):
        together[pair] = -math.inf
    for left in range(plan.first_left[width], plan.last_left[width] + 1):
        one, two = span_number(plan, start, left), span_number(plan, start + left, width - left)
        if one < 0 or two < 0:
            continue
        for b in range(values.shape[1]):
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
                a, score = binary.parent[rule], together[pair] + binary.log_weight[rule]
                if score > values[here, a]:
                    values[here, a] = score
                    choices[here, a, 0], choices[here, a, 1] = lexical_count + rule, points[pair]


@njit(**KERNEL)
def follow_discrete(form, plan, choices, symbol, nodes):
    """Write the tree of the choices, from a symbol at the root down, into `nodes` (4, capacity); returns how many there are.

    Rows are symbols, starts, ends and rules, in preorder. `form` is (lexical, binary, unary).
    """
    lexical, binary, unary = form
    lexical_count, binary_count = len(lexical.parent), len(binary.parent)
    length = len(plan.low) - 1
    waiting = np.zeros((length + 1, 3), dtype=np.int64)
    waiting[0, 0], waiting[0, 2] = symbol, length
    depth, count = 1, 0
    while depth > 0:
        depth -= 1
        symbol, start, end = waiting[depth, 0], waiting[depth, 1], waiting[depth, 2]
        here = span_number(plan, start, end - start)
        rule, split = choices[here, symbol, 0], choices[here, symbol, 1]
        nodes[0, count], nodes[1, count], nodes[2, count], nodes[3, count] = symbol, start, end, rule
        count += 1
        if rule >= lexical_count + binary_count:
            waiting[depth, 0] = unary.child[rule - lexical_count - binary_count]
            depth += 1
        elif rule >= lexical_count:
            pair = binary.pair[rule - lexical_count]
            waiting[depth, 0], waiting[depth, 1] = binary.right[pair], split
            waiting[depth + 1, 0], waiting[depth + 1, 1], waiting[depth + 1, 2] = binary.left[pair], start, split
            depth += 2
    return count
