"""Which cells of the chart are needed, and where they are stored.

Chart points are all positions 0..N of a series, or the candidate boundaries. A cell is (variable, width, start): the span
from point `start` to point `start + width`. Cells of one variable and width form a *row*, of all needed starts, which are an
interval (where they lie in memory is known to `recbayes.compiled.layout`). The intervals are found by walking down from the
root with the fewest and the most observations that each variable can produce: a right-linear model thus has O(N) cells, and
so does a left-linear one.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numba import njit

from recbayes.compiled.lanes import KERNEL
from recbayes.compiled.layout import choices_sizes, lay_out_rows, put_end_to_end
from recbayes.errors import DataError
from recbayes.gaussian.chart.tables import LINK, VARIABLE, Tables

UNBOUNDED = 2**40


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


def make_plan(tables: Tables, length: int, boundaries: np.ndarray | None = None, allowed: np.ndarray | None = None) -> Plan:
    """The plan for a series of `length` observations, possibly restricted to boundaries and allowed spans."""
    if boundaries is None and allowed is None:
        return _plan_of_structure(_structure(tables), length)
    positions = _points(length, boundaries)
    mask = np.zeros((0, 0), dtype=np.int8)
    if allowed is not None:
        mask = np.ascontiguousarray(_allowed_spans(allowed, length)[np.ix_(positions, positions)])
    return _lay_out_plan(_structure(tables), positions, mask)


class _Structure(NamedTuple):
    """All that a plan depends on: which variables lead to which, and how long their spans can be. Hashable."""

    variables: bytes
    rules: tuple[tuple[int, int], ...]
    links: bytes
    emit_longest: tuple[int, ...]
    root: int
    size: int


def _structure(tables: Tables) -> _Structure:
    rules = tuple(zip(tables.rules["left"].tolist(), tables.rules["right"].tolist(), strict=True))
    longest = tuple(tables.emits["longest"].tolist())
    return _Structure(
        tables.variables.tobytes(), rules, tables.links.tobytes(), longest, tables.root, tables.shifts.shape[1]
    )


@lru_cache(maxsize=64)
def _plan_of_structure(structure: _Structure, length: int) -> Plan:
    """Training evaluates many models of one structure on the same lengths: their plan is made once."""
    return _lay_out_plan(structure, np.arange(length + 1, dtype=np.int64), np.zeros((0, 0), dtype=np.int8))


def _lay_out_plan(structure: _Structure, positions: np.ndarray, mask: np.ndarray) -> Plan:
    variable_table = np.frombuffer(structure.variables, dtype=VARIABLE)
    links_table = np.frombuffer(structure.links, dtype=LINK)
    rules_table = np.array(structure.rules, dtype=np.int64).reshape(-1, 2)
    shortest, longest = span_widths(variable_table, rules_table, links_table, structure.emit_longest)
    segments = len(positions) - 1
    low = np.full((len(shortest), segments + 1), segments, dtype=np.int64)
    high = np.full((len(shortest), segments + 1), -1, dtype=np.int64)
    low[structure.root, segments] = high[structure.root, segments] = 0
    reach(variable_table.copy(), rules_table, links_table.copy(), shortest, longest, low, high)
    emits = np.array(structure.emit_longest, dtype=np.int64)
    limit = np.where(emits < 0, segments, np.minimum(emits, segments))
    widths = np.arange(segments + 1)
    emit_high = np.where((widths >= 1) & (widths <= limit[:, None]), segments - widths, -1)
    rows, sizes = lay_out_rows(low, high, structure.size)
    emit_rows, emit_sizes = lay_out_rows(np.where(emit_high < 0, segments, 0), emit_high, structure.size)
    bases = np.concatenate([[0], np.cumsum(np.concatenate([sizes, sizes[links_table["child"]], emit_sizes]))])
    variables, links = len(sizes), len(links_table)
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


def span_widths(
    variable_table: np.ndarray, rules: np.ndarray, links: np.ndarray, emit_longest: tuple[int, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """The fewest and the most observations each variable can produce (UNBOUNDED without limit).

    They hold for points as well: an emission spans at least one segment, and a segment at least one observation.
    """
    variables = len(variable_table)
    shortest = np.full(variables, UNBOUNDED)
    longest = np.zeros(variables, dtype=np.int64)
    for sweep in range(2 * variables + 2):
        for v, variable in enumerate(variable_table):
            for limit in emit_longest[variable["first_emit"] : variable["end_emit"]]:
                shortest[v] = 1
                longest[v] = max(longest[v], UNBOUNDED if limit < 0 else limit)
            for left, right in rules[variable["first_rule"] : variable["end_rule"]]:
                b, c = links["child"][left], links["child"][right]
                shortest[v] = min(shortest[v], shortest[b] + shortest[c])
                if longest[b] and longest[c]:
                    total = longest[b] + longest[c]
                    # Still growing after as many sweeps as there are variables: a cycle, which has no longest span.
                    grows = total > longest[v] and sweep > variables
                    longest[v] = UNBOUNDED if grows else min(max(longest[v], total), UNBOUNDED)
    return shortest, longest


def span_limits(tables: Tables) -> tuple[int, int | None]:
    """The fewest and the most observations of a whole series; None without limit."""
    structure = _structure(tables)
    rules = np.array(structure.rules, dtype=np.int64).reshape(-1, 2)
    shortest, longest = span_widths(tables.variables, rules, tables.links, structure.emit_longest)
    limit = int(longest[tables.root])
    return int(shortest[tables.root]), None if limit >= UNBOUNDED else limit


def _points(length: int, boundaries: np.ndarray | None) -> np.ndarray:
    if boundaries is None:
        return np.arange(length + 1, dtype=np.int64)
    points = np.asarray(boundaries)
    if points.size == 0:
        points = points.astype(np.int64)
    if points.ndim != 1 or points.dtype.kind not in "iu" or (points.size and (points.min() < 0 or points.max() > length)):
        raise DataError(f"boundaries must be whole numbers between 0 and {length}, the length of the series")
    return np.unique(np.concatenate([[0], points, [length]])).astype(np.int64)


def _allowed_spans(allowed: np.ndarray, length: int) -> np.ndarray:
    mask = np.asarray(allowed)
    if mask.dtype not in (np.bool_, np.int8) or mask.shape != (length + 1, length + 1):
        raise DataError(
            f"allowed must be a boolean array of shape ({length + 1}, {length + 1}), one entry per start and end, or what "
            f"known_spans and Tree.span_mask make; got {mask.dtype} of shape {mask.shape}"
        )
    return mask.astype(np.int8)


@njit(**KERNEL)
def reach(
    variables: np.ndarray,
    rules: np.ndarray,
    links: np.ndarray,
    shortest: np.ndarray,
    longest: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
) -> None:
    """Widen the intervals of starts, from the root's row downwards, to all cells that the root can lead to."""
    count, widths = low.shape
    for width in range(widths - 1, 0, -1):
        for v in range(count):
            if low[v, width] > high[v, width]:
                continue
            for r in range(variables[v].first_rule, variables[v].end_rule):
                b, c = links[rules[r, 0]].child, links[rules[r, 1]].child
                first = max(shortest[b], width - longest[c])
                last = min(longest[b], width - shortest[c])
                for left in range(first, last + 1):
                    low[b, left] = min(low[b, left], low[v, width])
                    high[b, left] = max(high[b, left], high[v, width])
                    low[c, width - left] = min(low[c, width - left], low[v, width] + left)
                    high[c, width - left] = max(high[c, width - left], high[v, width] + left)
