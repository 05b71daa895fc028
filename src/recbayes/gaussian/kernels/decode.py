"""The compiled search for the tree whose nodes have the highest total gain."""

import math

import numpy as np
from numba import njit

from recbayes.compiled.lanes import KERNEL
from recbayes.compiled.layout import choice_place
from recbayes.gaussian.chart.plan import Plan
from recbayes.gaussian.chart.tables import Tables
from recbayes.gaussian.kernels.alternatives import left_widths, may_be_leaf


@njit(**KERNEL)
def best_tree_by_gain(
    tables: Tables,
    plan: Plan,
    length_log_probability: np.ndarray,
    gain: np.ndarray,
    price: float,
    value: np.ndarray,
    choice: np.ndarray,
    out: np.ndarray,
) -> int:
    """The tree with the highest sum of (gain - price) over its nodes. Returns how many nodes it has.

    `gain`, and `value` and `choice` (2, ...), which are filled, are indexed by `choice_place`: for every cell, the highest
    sum over a tree below it, and its rule (negative: -1 - emission) and split point. Only trees that the model can generate
    count; among equals an emission, then the smallest split point. `out` (4, capacity) receives variables, starts, ends
    and rules of the nodes in preorder.
    """
    rules, links, rows, base = tables.rules, tables.links, plan.rows, plan.choice_base
    size, segments = tables.shifts.shape[1], len(plan.positions) - 1
    for width in range(1, segments + 1):
        for v in range(len(tables.variables)):
            row, variable = rows[v, width], tables.variables[v]
            for start in range(row.low, row.high + 1):
                here = choice_place(base[v], row, start, size)
                best, rule, split = -math.inf, 0, start
                if len(plan.allowed) == 0 or plan.allowed[start, start + width]:
                    length = plan.ticks[start + width] - plan.ticks[start]
                    leaf = may_be_leaf(plan.allowed, start, start + width)
                    for e in range(variable.first_emit, variable.end_emit):
                        if leaf and best < 0.0 and length_log_probability[e, length] > -math.inf:
                            best, rule = 0.0, -1 - e
                    # Rule by rule, where `visit_alternatives` goes split by split: rules with the same children count once.
                    for r in range(variable.first_rule, variable.end_rule):
                        b, c = links[rules[r].left].child, links[rules[r].right].child
                        before = rules[max(r - 1, variable.first_rule)]
                        if r > variable.first_rule and b == links[before.left].child and c == links[before.right].child:
                            continue
                        first, last = left_widths(rules, links, plan.shortest, plan.longest, r, width)
                        for left_width in range(first, last + 1):
                            one, two = rows[b, left_width], rows[c, width - left_width]
                            middle = start + left_width
                            if one.low <= start <= one.high and two.low <= middle <= two.high:
                                total = value[choice_place(base[b], one, start, size)]
                                total += value[choice_place(base[c], two, middle, size)]
                                if total > best:
                                    best, rule, split = total, r, middle
                value[here] = best + gain[here] - price
                choice[0, here], choice[1, here] = rule, split
    root = tables.roots[0]
    for other in tables.roots:
        here = choice_place(base[other], rows[other, segments], 0, size)
        if value[here] > value[choice_place(base[root], rows[root, segments], 0, size)]:
            root = other
    out[0, 0], out[1, 0], out[2, 0] = root, 0, segments
    waiting = np.zeros((3, segments + 1), dtype=np.int64)  # right siblings that are still to come
    depth, count = 0, 1
    for n in range(out.shape[1]):
        v, start, end = out[0, n], out[1, n], out[2, n]
        here = choice_place(base[v], rows[v, end - start], start, size)
        rule, split = choice[0, here], choice[1, here]
        out[3, n] = rule
        if rule >= 0:
            right = links[rules[rule].right].child
            waiting[0, depth], waiting[1, depth], waiting[2, depth] = right, split, end
            depth += 1
            out[0, count], out[1, count], out[2, count] = links[rules[rule].left].child, start, split
        elif depth > 0:
            depth -= 1
            out[0, count], out[1, count], out[2, count] = waiting[0, depth], waiting[1, depth], waiting[2, depth]
        else:
            break
        count += 1
    return count
