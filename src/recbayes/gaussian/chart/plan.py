"""Which cells of the chart are needed, and where they are stored.

Chart points are all positions 0..N of a series, or the candidate boundaries. A cell is (variable, width, start): the span
from point `start` to point `start + width`. Cells of one variable and width form a *row*, of all needed starts, which are an
interval (where they lie in memory is known to `recbayes.compiled.layout`). The intervals are found by walking down from the
root with the fewest and the most segments that each variable can span: a right-linear model thus has O(N) cells, and so does
a left-linear one.

Lengths of leaves count ticks. Without times every observation is one tick; with them, a point is where a tick begins that
has observations, and the segment after it lasts until the next such tick.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from recbayes.compiled.layout import BOUNDS, CHOICES, cell_places, lay_out_rows, put_end_to_end, sizes_beside
from recbayes.gaussian.chart.tables import Tables
from recbayes.spans.constraints import FREE, Constraints
from recbayes.spans.reach import UNBOUNDED, reached, span_widths
from recbayes.tree.known import NODE


class Plan(NamedTuple):
    """Rows of V variables and E emissions for widths up to M, the number of segments between points.

    All messages live in one array, `messages`: a store for the inside messages of every variable, one for the upward
    messages of every link, and one for the potentials of whole emissions, each beginning at its base.
    """

    positions: np.ndarray  # (M + 1,) observation at which each point stands
    ticks: np.ndarray  # (M + 1,) and when that is, from 0: lengths of leaves are differences of these
    rows: np.ndarray  # (V, M + 1) of ROW, by width: cells have starts low to high (none if low > high)
    emit_rows: np.ndarray  # (E, M + 1) of ROW; none where users let no span of that width be a leaf
    shortest: np.ndarray  # (V,) fewest and most segments that a variable can span
    longest: np.ndarray
    inside_base: np.ndarray  # (V,)
    link_base: np.ndarray  # (K,)
    emit_base: int
    choice_base: np.ndarray  # (V,) likewise in the array `choices`
    bound_base: np.ndarray  # (K,) likewise in the array `bounds`, which kernels use while they fill a chart
    messages_size: int
    choices_size: int
    bounds_size: int
    allowed: np.ndarray  # (M + 1, M + 1) of NO_NODE, NODE and INNER, or (0, 0) if all spans may be nodes
    preference: np.ndarray  # (M + 1, M + 1) log weights of nodes, or (0, 0) if there are none

    def cells(self) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """All cells, row after row: the points where they begin and end, and where their inside messages begin."""
        for base, rows in zip(self.inside_base, self.rows, strict=True):
            for width in np.flatnonzero(rows["low"] <= rows["high"]):
                starts = np.arange(rows[width]["low"], rows[width]["high"] + 1)
                yield starts, starts + width, cell_places(base, rows[width], starts)


def make_plan(tables: Tables, length: int, constraints: Constraints = FREE, ticks: np.ndarray | None = None) -> Plan:
    """The plan for a series of `length` observations, possibly restricted to boundaries and allowed spans.

    `ticks` (N + 1) say when the observations were made (`Series.ticks`).
    """
    positions = positions_of(length, constraints, ticks)
    ticks = ticks_at(positions, ticks)
    allowed = constraints.mask_between(positions, length)
    segments = len(positions) - 1
    plan = _plan_of_structure(_structure(tables, int(np.diff(ticks).max())), segments, widest_leaf(allowed, segments))
    return plan._replace(
        positions=positions,
        ticks=ticks,
        allowed=allowed,
        preference=constraints.preference_between(positions, length),
    )


def positions_of(length: int, constraints: Constraints, ticks: np.ndarray | None) -> np.ndarray:
    """The observations at which the points of a chart stand."""
    positions = constraints.points(length)
    return positions if ticks is None else positions[_begins_a_tick(ticks)[positions]]


def widest_leaf(allowed: np.ndarray, segments: int) -> int:
    """The most segments of a span that users let be a leaf; at least one, as potentials are products of segments'."""
    if not len(allowed):
        return segments
    leaf = allowed == NODE
    ends = np.where(leaf.any(axis=1), segments - leaf[:, ::-1].argmax(axis=1), 0)  # the last one of every start
    return max(int((ends - np.arange(segments + 1)).max()), 1)


def ticks_at(positions: np.ndarray, ticks: np.ndarray | None) -> np.ndarray:
    """When edges of leaves are; all at once, which no leaves can be, if one lies between observations of one tick."""
    if ticks is None:
        return positions
    return ticks[positions] if _begins_a_tick(ticks)[positions].all() else np.zeros_like(positions)


def _begins_a_tick(ticks: np.ndarray) -> np.ndarray:
    """Where segments may begin and end."""
    return np.diff(ticks, prepend=-1) > 0


def roots_of(tables: Tables) -> tuple[int, ...]:
    """The variables that may be the root, in order."""
    return tuple(np.unique(tables.roots).tolist())


class _Structure(NamedTuple):
    """All that a plan depends on: which variables lead to which, and how many segments they can span. Hashable."""

    rules: tuple[tuple[int, int, int], ...]  # parent, left child, right child
    leaves: tuple[tuple[tuple[int, int], ...], ...]  # for every variable, the shortest and longest leaf of its emissions
    children: tuple[int, ...]  # of all links
    roots: tuple[int, ...]
    size: int

    def widths(self) -> tuple[np.ndarray, np.ndarray]:
        """The fewest and the most segments of every variable."""
        return span_widths(np.array(self.rules, dtype=np.int64).reshape(-1, 3), self.leaves)


def _structure(tables: Tables, segment: int) -> _Structure:
    """If no segment is longer than so many ticks: a leaf then has at least as many as it takes to fill its shortest length.

    At most it has as many as it has ticks, as a segment has at least one; a negative number is no limit.
    """
    children = tables.links["child"]
    parents = np.repeat(np.arange(len(tables.variables)), tables.variables["end_rule"] - tables.variables["first_rule"])
    rules = zip(
        parents.tolist(), children[tables.rules["left"]].tolist(), children[tables.rules["right"]].tolist(), strict=True
    )
    limits = list(zip((-(-tables.emits["shortest"] // segment)).tolist(), tables.emits["longest"].tolist(), strict=True))
    leaves = tuple(tuple(limits[variable["first_emit"] : variable["end_emit"]]) for variable in tables.variables)
    return _Structure(tuple(rules), leaves, tuple(children.tolist()), roots_of(tables), tables.size)


@lru_cache(maxsize=64)
def _plan_of_structure(structure: _Structure, segments: int, widest: int) -> Plan:
    """Training evaluates many models of one structure on the same lengths: their plan is made once.

    Leaves have at most `widest` segments. Where that is few, as when segments are given, most of what there would be of
    potentials is not there.
    """
    rules = np.array(structure.rules, dtype=np.int64).reshape(-1, 3)
    shortest, longest = structure.widths()
    low, high = reached(rules, shortest, longest, structure.roots, segments)
    emits = np.array([limit for limits in structure.leaves for _, limit in limits], dtype=np.int64)
    limit = np.minimum(np.where(emits < 0, segments, emits), widest)
    widths = np.arange(segments + 1)
    emit_high = np.where((widths >= 1) & (widths <= limit[:, None]), segments - widths, -1)
    rows, sizes = lay_out_rows(low, high, structure.size)
    emit_rows, emit_sizes = lay_out_rows(np.where(emit_high < 0, segments, 0), emit_high, structure.size)
    bases = np.concatenate([[0], np.cumsum(np.concatenate([sizes, sizes[list(structure.children)], emit_sizes]))])
    variables, links = len(sizes), len(structure.children)
    emit_base = int(bases[variables + links])
    put_end_to_end(emit_rows, emit_sizes)
    choice_bases = np.concatenate([[0], np.cumsum(sizes_beside(sizes, structure.size, CHOICES))])
    bound_bases = np.concatenate([[0], np.cumsum(sizes_beside(sizes[list(structure.children)], structure.size, BOUNDS))])
    points = np.arange(segments + 1, dtype=np.int64)
    return Plan(
        positions=points,
        ticks=points,
        rows=rows,
        emit_rows=emit_rows,
        shortest=shortest,
        longest=longest,
        inside_base=bases[:variables],
        link_base=bases[variables : variables + links],
        emit_base=emit_base,
        choice_base=choice_bases[:-1],
        bound_base=bound_bases[:-1],
        messages_size=int(bases[-1]),
        choices_size=int(choice_bases[-1]),
        bounds_size=int(bound_bases[-1]),
        allowed=np.zeros((0, 0), dtype=np.int8),
        preference=np.zeros((0, 0)),
    )


def span_limits(tables: Tables) -> tuple[int, int | None]:
    """The fewest and the most observations (or ticks) of a series; None without limit."""
    shortest, longest = _structure(tables, 1).widths()
    roots = list(roots_of(tables))
    limit = int(longest[roots].max())
    return int(shortest[roots].min()), None if limit >= UNBOUNDED else limit
