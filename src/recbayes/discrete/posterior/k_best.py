"""The k most probable trees of a discrete grammar, in exact order.

A search from the best down: a state is a tree that is known from the left up to some node, and its score is exact for what
is known, times the most probable way to complete each open node, which the chart of best trees gives. States leave the queue
in the order of the best tree they can become, so complete ones leave it in the order of their probability. Only two states
follow each one: the same tree with its next open node decided best, and the tree with its last decision replaced by the next
best one. The first has exactly the score of the state it follows, and of equal scores the newest leaves the queue first. So
every state is followed to its complete tree at once, however many trees are equally probable. Unary rules that lead round
are no problem: every turn costs.
"""

import heapq
from collections.abc import Iterator
from itertools import count as counter

import numpy as np

from recbayes.discrete.chart.chart import DiscreteChart, best_choices
from recbayes.discrete.chart.trees import as_tree
from recbayes.discrete.kernels.layout import root_place
from recbayes.tree.tree import Tree

Cell = tuple[int, int, int]  # symbol, start, end
Alternative = tuple[float, int, tuple[Cell, ...]]  # log weight with the best completion, rule of the binary form, children


def k_best_trees(chart: DiscreteChart, count: int) -> list[tuple[Tree, float]]:
    """Up to `count` trees and their log weights, best first."""
    found = []
    for nodes, score in _in_order(chart):
        found.append((as_tree(chart.form, nodes), score))
        if len(found) == count:
            break
    return found


def _in_order(chart: DiscreteChart) -> Iterator[tuple[list[tuple[int, int, int, int]], float]]:
    values, _ = best_choices(chart)
    lists: dict[Cell, list[Alternative]] = {}

    def alternatives(cell: Cell) -> list[Alternative]:
        if cell not in lists:
            lists[cell] = _alternatives(chart, values, cell)
        return lists[cell]

    root = root_place(chart.plan)
    ages = counter(0, -1)  # of states with equal scores the newest comes first
    queue: list[tuple] = []

    def push(score: float, done: tuple | None, cell: Cell, rank: int, waiting: tuple | None) -> None:
        """A state: nodes decided so far and open cells (both linked lists), and the open cell with the rank to try.

        `score` is that of the tree with the best choice in this cell.
        """
        listed = alternatives(cell)
        if rank < len(listed):
            bound = score + (listed[rank][0] - listed[0][0])
            heapq.heappush(queue, (-bound, next(ages), score, done, cell, rank, waiting))

    for symbol in np.flatnonzero(chart.form.start).tolist():
        score = float(np.log(chart.form.start[symbol]) + values[root, symbol])
        if score > -np.inf:
            push(score, None, (symbol, 0, chart.length), 0, None)
    while queue:
        bound, _, score, done, cell, rank, waiting = heapq.heappop(queue)
        push(score, done, cell, rank + 1, waiting)
        _, rule, children = alternatives(cell)[rank]
        done = ((*cell, rule), done)
        for child in reversed(children):
            waiting = (child, waiting)
        if waiting is not None:
            push(-bound, done, waiting[0], 0, waiting[1])
            continue
        nodes = []
        while done is not None:
            nodes.append(done[0])
            done = done[1]
        yield nodes[::-1], float(-bound)


def _alternatives(chart: DiscreteChart, values: np.ndarray, cell: Cell) -> list[Alternative]:
    """All ways to go on from a cell, best first."""
    form, plan = chart.form, chart.plan
    symbol, start, end = cell
    lexical, binary, unary = form.lexical, form.binary, form.unary
    here = chart.span(start, end)
    found: list[Alternative] = []
    preferred = float(chart.preference[here]) if len(chart.preference) and form.visible[symbol] else 0.0
    if end - start == 1:
        token = chart.tokens[start]
        rules = np.flatnonzero((lexical.parent == symbol) & ((lexical.terminal == token) | (token < 0)))
        found += [(preferred + float(np.log(lexical.weight[rule])), int(rule), ()) for rule in rules]
    for rule in range(unary.first[symbol], unary.first[symbol + 1]):
        child = int(unary.child[rule])
        score = float(np.log(unary.weight[rule]) + values[here, child])
        if score > -np.inf:
            found.append((score, len(lexical.rule) + len(binary.rule) + rule, ((child, start, end),)))
    mine = np.flatnonzero(binary.parent == symbol)
    pairs = np.searchsorted(binary.first, mine, side="right") - 1
    left, right = binary.left[pairs], binary.right[pairs]
    for width in range(int(plan.first_left[end - start]), int(plan.last_left[end - start]) + 1):
        middle = start + width
        one, two = chart.span(start, middle), chart.span(middle, end)
        if one < 0 or two < 0:
            continue
        scores = preferred + binary.log_weight[mine] + values[one, left] + values[two, right]
        for entry in np.flatnonzero(scores > -np.inf):
            children = ((int(left[entry]), start, middle), (int(right[entry]), middle, end))
            found.append((float(scores[entry]), len(lexical.rule) + int(mine[entry]), children))
    return sorted(found, key=lambda one: -one[0])
