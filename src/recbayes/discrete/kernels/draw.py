"""Compiled draws of trees from the exact chart of a discrete grammar."""

import math

import numpy as np
from numba import njit

from recbayes.compiled.lanes import INNER, KERNEL
from recbayes.compiled.streams import stream, uniform
from recbayes.discrete.kernels.inside import lexical_range
from recbayes.discrete.kernels.layout import span_number, span_place


@njit(**KERNEL)
def draw_discrete(
    form, by_parent, plan, tokens, preference, visible, values, scales, start_weights, seed, first_draw, draws, out, sizes
):
    """Draw trees until `draws` are done or `out` is full, and return how many.

    `out` (4, capacity) receives symbols, starts, ends and rules of all nodes of the binary form in preorder, tree after
    tree; rules are numbered lexical, then binary, then unary. `by_parent` is (first, rule, pair): the binary rules of each
    symbol.
    """
    state = np.zeros(1, dtype=np.uint64)
    length = len(tokens)
    stack = np.zeros((length + 1, 3), dtype=np.int64)
    root = span_place(plan, 0, length)
    used = 0
    for draw in range(draws):
        begin = used
        state[0] = stream(seed, first_draw + draw)
        total = 0.0
        for symbol in range(len(start_weights)):
            total += start_weights[symbol] * values[root, symbol]
        threshold = uniform(state) * total
        chosen = 0
        for symbol in range(len(start_weights)):
            weight = start_weights[symbol] * values[root, symbol]
            if weight > 0.0:
                chosen = symbol
                threshold -= weight
                if threshold < 0.0:
                    break
        stack[0, 0], stack[0, 1], stack[0, 2], depth = chosen, 0, length, 1
        while depth > 0:
            if used == out.shape[1]:
                return draw
            depth -= 1
            symbol, start, end = stack[depth, 0], stack[depth, 1], stack[depth, 2]
            rule, split, left, right = _choose(
                form, by_parent, plan, tokens, preference, visible, values, scales, symbol, start, end, state
            )
            out[0, used], out[1, used], out[2, used], out[3, used] = symbol, start, end, rule
            used += 1
            if right >= 0:
                stack[depth, 0], stack[depth, 1], stack[depth, 2] = right, split, end
                depth += 1
                end = split
            if left >= 0:
                stack[depth, 0], stack[depth, 1], stack[depth, 2] = left, start, end
                depth += 1
        sizes[draw] = used - begin
    return draws


@njit(**INNER)
def _choose(form, by_parent, plan, tokens, preference, visible, values, scales, symbol, start, end, state):
    """Draw the rule and split point of a node. Returns them and the children (-1 for none)."""
    lexical, binary, _, unary = form
    first, rules, pairs = by_parent
    lexical_count, binary_count = len(lexical.parent), len(binary.parent)
    here = span_number(plan, start, end - start)
    threshold = uniform(state) * values[here, symbol]
    rule, split, left, right = -1, start, -1, -1
    for entry in range(unary.first[symbol], unary.first[symbol + 1]):
        weight = unary.weight[entry] * values[here, unary.child[entry]]
        if weight > 0.0:
            rule, left = lexical_count + binary_count + entry, unary.child[entry]
            threshold -= weight
            if threshold < 0.0:
                return rule, split, left, right
    preferred = 1.0
    if len(preference) > 0 and visible[symbol]:
        preferred = math.exp(preference[here])
    if end - start == 1:
        begin, stop = lexical_range(lexical, tokens[start])
        for entry in range(begin, stop):
            if lexical.parent[entry] == symbol:
                rule, left = entry, -1
                threshold -= preferred * lexical.weight[entry] * math.exp(-scales[here])
                if threshold < 0.0:
                    return rule, split, left, right
    width = end - start
    for left_width in range(plan.first_left[width], plan.last_left[width] + 1):
        one, two = span_number(plan, start, left_width), span_number(plan, start + left_width, width - left_width)
        if one < 0 or two < 0 or scales[one] + scales[two] < scales[here] - 700.0:
            continue
        factor = preferred * math.exp(scales[one] + scales[two] - scales[here])
        for entry in range(first[symbol], first[symbol + 1]):
            pair = pairs[entry]
            weight = factor * binary.weight[rules[entry]] * values[one, binary.left[pair]] * values[two, binary.right[pair]]
            if weight > 0.0:
                rule, split = lexical_count + rules[entry], start + left_width
                left, right = binary.left[pair], binary.right[pair]
                threshold -= weight
                if threshold < 0.0:
                    return rule, split, left, right
    return rule, split, left, right  # rounding left a little: the last possible one
