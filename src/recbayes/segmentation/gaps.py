"""Changes across gaps: in rows without any observation nobody can say where a change was, so that they count as one place.

Draws spread such a change over its gap. Counted row by row, it would be within a few rows of no place, or be told twice.
"""

import numpy as np

from recbayes.segmentation.decide import Boundaries, ChangePoint, decide


def rows_that_count(values: np.ndarray, least: int) -> np.ndarray:
    """All rows but those of gaps, in which so many rows, one after the other, have no observation."""
    missing = np.isnan(values).all(axis=1)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], missing, [False]])))
    counts = np.ones(len(values), dtype=np.bool_)
    for start, end in edges.reshape(-1, 2).tolist():
        if end - start >= least:
            counts[start:end] = False
    return counts


def decide_across_gaps(boundaries: Boundaries, counts: np.ndarray, tolerance: int) -> list[ChangePoint]:
    """The change points, as many as are more probable than not.

    The segment after a gap begins where observations do again; the interval of a change in it is the gap, and `within` says
    how many rows the tolerance then reaches.
    """
    before = np.concatenate([[0], np.cumsum(counts)])
    rows = np.append(np.flatnonzero(counts), len(counts))
    total = int(before[-1])
    places = before[boundaries.positions]
    inner = boundaries._replace(positions=places).without((places == 0) | (places == total))
    return [_in_rows(one, rows) for one in decide(inner, total, tolerance, (0, total - 1))]


def _in_rows(change: ChangePoint, rows: np.ndarray) -> ChangePoint:
    def begin(place: int) -> int:
        return int(rows[place - 1]) + 1 if place > 0 else 0

    def end(place: int) -> int:
        return int(rows[min(place, len(rows) - 1)])

    position, reach = end(change.position), change.within
    within = max(position - begin(change.position - reach), end(change.position + reach) - position)
    return ChangePoint(position, change.probability, begin(change.low), end(change.high), within)
