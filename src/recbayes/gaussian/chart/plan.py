"""Which cells of the chart are needed, and where they are stored.

Chart points are all positions 0..N of a series, or the candidate boundaries. A cell is (variable, width, start): the span
from point `start` to point `start + width`. Cells of one variable and width form a *row*, of all needed starts, which are an
interval (where they lie in memory is known to `recbayes.compiled.layout`). The intervals are found by walking down from the
root with the fewest and the most observations that each variable can produce: a right-linear model thus has O(N) cells, and
so does a left-linear one.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from recbayes.compiled.layout import choices_sizes, lay_out_rows, put_end_to_end
from recbayes.gaussian.chart.tables import Tables
from recbayes.spans.constraints import FREE, Constraints
from recbayes.spans.reach import UNBOUNDED, reached, span_widths


class Plan(NamedTuple):
    """Rows of V variables and E emissions for widths up to M, the number of segments between points.

    All messages live in one array, `messages`: a store for the inside messages of every variable, one for the upward
    messages of every link, and one for the potentials of whole emissions, each beginning at its base.
    """

    positions: np.ndarray  # (M + 1,) observation at which each point stands
    rows: np.ndarray  # (V, M + 1) of ROW, by width: cells have starts low to high (none if low > high)
    emit_rows: np.ndarray  # (E, M + 1) of ROW
    shortest: np.ndarray  # (V,) fewest and most points that a variable can span
    longest: np.ndarray
    inside_base: np.ndarray  # (V,)
    link_base: np.ndarray  # (K,)
    emit_base: int
    choice_base: np.ndarray  # (V,) likewise in the array `choices`
    messages_size: int
    choices_size: int
    allowed: np.ndarray  # (M + 1, M + 1) of NO_NODE, NODE and INNER, or (0, 0) if all spans may be nodes


def make_plan(tables: Tables, length: int, constraints: Constraints = FREE) -> Plan:
    """The plan for a series of `length` observations, possibly restricted to boundaries and allowed spans."""
    if not constraints.any:
        return _plan_of_structure(_structure(tables), length)
    positions = constraints.points(length)
    return _lay_out_plan(_structure(tables), positions, constraints.mask_between(positions, length))


class _Structure(NamedTuple):
    """All that a plan depends on: which variables lead to which, and how long their spans can be. Hashable."""

    rules: tuple[tuple[int, int, int], ...]  # parent, left child, right child
    leaves: tuple[tuple[int, ...], ...]  # for every variable, the longest lengths of its emissions, negative without limit
    children: tuple[int, ...]  # of all links
    root: int
    size: int


def _structure(tables: Tables) -> _Structure:
    children = tables.links["child"]
    parents = np.repeat(np.arange(len(tables.variables)), tables.variables["end_rule"] - tables.variables["first_rule"])
    rules = zip(
        parents.tolist(), children[tables.rules["left"]].tolist(), children[tables.rules["right"]].tolist(), strict=True
    )
    leaves = tuple(
        tuple(tables.emits["longest"][variable["first_emit"] : variable["end_emit"]].tolist())
        for variable in tables.variables
    )
    return _Structure(tuple(rules), leaves, tuple(children.tolist()), tables.root, tables.size)


@lru_cache(maxsize=64)
def _plan_of_structure(structure: _Structure, length: int) -> Plan:
    """Training evaluates many models of one structure on the same lengths: their plan is made once."""
    return _lay_out_plan(structure, np.arange(length + 1, dtype=np.int64), np.zeros((0, 0), dtype=np.int8))


def _lay_out_plan(structure: _Structure, positions: np.ndarray, mask: np.ndarray) -> Plan:
    rules = np.array(structure.rules, dtype=np.int64).reshape(-1, 3)
    shortest, longest = span_widths(rules, [[(1, limit) for limit in limits] for limits in structure.leaves])
    segments = len(positions) - 1
    low, high = reached(rules, shortest, longest, structure.root, segments)
    emits = np.array([limit for limits in structure.leaves for limit in limits], dtype=np.int64)
    limit = np.where(emits < 0, segments, np.minimum(emits, segments))
    widths = np.arange(segments + 1)
    emit_high = np.where((widths >= 1) & (widths <= limit[:, None]), segments - widths, -1)
    rows, sizes = lay_out_rows(low, high, structure.size)
    emit_rows, emit_sizes = lay_out_rows(np.where(emit_high < 0, segments, 0), emit_high, structure.size)
    bases = np.concatenate([[0], np.cumsum(np.concatenate([sizes, sizes[list(structure.children)], emit_sizes]))])
    variables, links = len(sizes), len(structure.children)
    emit_base = int(bases[variables + links])
    put_end_to_end(emit_rows, emit_sizes)
    choice_bases = np.concatenate([[0], np.cumsum(choices_sizes(sizes, structure.size))])
    return Plan(
        positions=positions,
        rows=rows,
        emit_rows=emit_rows,
        shortest=shortest,
        longest=longest,
        inside_base=bases[:variables],
        link_base=bases[variables : variables + links],
        emit_base=emit_base,
        choice_base=choice_bases[:-1],
        messages_size=int(bases[-1]),
        choices_size=int(choice_bases[-1]),
        allowed=mask,
    )


def span_limits(tables: Tables, shortest_leaves: Sequence[int]) -> tuple[int, int | None]:
    """The fewest and the most observations of a series, from the shortest leaf of every emission; None without limit."""
    structure, least = _structure(tables), iter(shortest_leaves)
    leaves = [[(next(least), limit) for limit in limits] for limits in structure.leaves]
    shortest, longest = span_widths(np.array(structure.rules, dtype=np.int64).reshape(-1, 3), leaves)
    limit = int(longest[tables.root])
    return int(shortest[tables.root]), None if limit >= UNBOUNDED else limit
