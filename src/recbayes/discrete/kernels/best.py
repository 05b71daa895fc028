"""The compiled search for the best tree of a discrete grammar: by weight, or by gains of its nodes."""

import math

import numpy as np
from numba import njit

from recbayes.compiled.lanes import INNER, KERNEL
from recbayes.discrete.kernels.inside import forbid, lexical_range, prefer_logs
from recbayes.discrete.kernels.layout import span_number, span_place


@njit(**KERNEL)
def fill_discrete_best(form, plan, tokens, allowed, preference, visible, gain, values, choices):
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
            prefer_logs(preference, visible, here, values[here])
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
