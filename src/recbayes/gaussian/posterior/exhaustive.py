"""All trees of a short series: where there are few, draws come from their exact probabilities and not from the chart."""

from functools import cache

import numpy as np

from recbayes.compiled.layout import HEIGHT, read_cell
from recbayes.gaussian.chart.emissions import length_log_probability
from recbayes.gaussian.chart.inside import Chart
from recbayes.gaussian.chart.plan import roots_of
from recbayes.gaussian.chart.tables import tables_of
from recbayes.gaussian.posterior.forest import gaussian_forest
from recbayes.gaussian.posterior.given_tree import encode
from recbayes.tree.forest import Forest
from recbayes.tree.known import NODE
from recbayes.tree.tree import Tree

FEW_SEGMENTS = 8
FEW_TREES = 5000

Cell = tuple[int, int, int]  # variable, first and last point
Node = tuple[int, int, int, int]  # variable, first and last point, rule of the tables (negative: emission)


def all_trees(chart: Chart) -> Forest | None:
    """Every tree that the chart has, or None if there are many."""
    if len(chart.plan.positions) - 1 > FEW_SEGMENTS:
        return None
    listing = _Listing(chart)
    roots = [(root, 0, len(chart.plan.positions) - 1) for root in roots_of(tables_of(chart.model)[0])]
    if sum(map(listing.count, roots)) > FEW_TREES:
        return None
    trees = [tree for root in roots for tree in listing.trees(root)]
    first = np.cumsum([0, *(len(tree) for tree in trees)])
    columns = np.array([node for tree in trees for node in tree], dtype=np.int32).T
    return gaussian_forest(chart.model, chart.plan.positions, columns, first)


def is_only_tree(chart: Chart, tree: Tree) -> bool:
    """Whether a tree of the chart is the only one: none of its nodes has an alternative."""
    listing = _Listing(chart)
    _, variables, _ = encode(chart.model, tree)
    starts, ends = (np.searchsorted(chart.plan.positions, edges).tolist() for edges in zip(*tree.spans, strict=True))
    cells = zip(variables.tolist(), starts, ends, strict=True)
    return all(listing.has_one_alternative(cell) for cell in cells)


class _Listing:
    """Trees of cells, each made once."""

    def __init__(self, chart: Chart) -> None:
        self._chart = chart
        self._tables, origins = tables_of(chart.model)
        self._lengths = length_log_probability(chart.model, origins, chart.plan)
        self.count = cache(self._count)
        self.trees = cache(self._trees)

    def has_one_alternative(self, cell: Cell) -> bool:
        return len(self._emissions(cell)) + len(self._splits(cell)) == 1

    def _count(self, cell: Cell) -> int:
        splits = [self.count(left) * self.count(right) for _, left, right in self._splits(cell)]
        return len(self._emissions(cell)) + sum(splits)

    def _trees(self, cell: Cell) -> list[list[Node]]:
        found = [[(*cell, -1 - e)] for e in self._emissions(cell)]
        for r, left, right in self._splits(cell):
            found += [[(*cell, r), *one, *two] for one in self.trees(left) for two in self.trees(right)]
        return found

    def _emissions(self, cell: Cell) -> list[int]:
        v, start, end = cell
        plan, variable = self._chart.plan, self._tables.variables[v]
        length = plan.ticks[end] - plan.ticks[start]
        if len(plan.allowed) and plan.allowed[start, end] != NODE:
            return []
        rows = plan.emit_rows[:, end - start]
        return [
            e
            for e in range(variable["first_emit"], variable["end_emit"])
            if rows["low"][e] <= start <= rows["high"][e] and self._lengths[e, length] > -np.inf
        ]

    def _splits(self, cell: Cell) -> list[tuple[int, Cell, Cell]]:
        v, start, end = cell
        tables, variable = self._tables, self._tables.variables[v]
        found = []
        for r in range(variable["first_rule"], variable["end_rule"]):
            b, c = (int(tables.links["child"][tables.rules[side][r]]) for side in ("left", "right"))
            for middle in range(start + 1, end):
                if self._exists((b, start, middle)) and self._exists((c, middle, end)):
                    found.append((r, (b, start, middle), (c, middle, end)))
        return found

    def _exists(self, cell: Cell) -> bool:
        v, start, end = cell
        chart = self._chart
        if not chart.has_cell(v, start, end):
            return False
        first = chart.messages.reshape(chart.components, -1)[0]
        row = chart.plan.rows[v, end - start]
        return bool(read_cell(first, chart.plan.inside_base[v], row, start, self._tables.size)[HEIGHT] > -np.inf)
