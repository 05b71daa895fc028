"""Probabilities of spans as a page has them: exactly as they are, and give or take what is said of every change."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from recbayes.family.posterior import Posterior
from recbayes.segmentation.decide import ChangePoint
from recbayes.spans.table import SpanTable

LEAST = 0.001  # of less probable spans, a page knows nothing
MOST = 8000  # spans, the most probable first
PLACES = 4  # digits of a probability behind the point


def told(table: SpanTable) -> dict[str, Any]:
    """The spans of a table that a page shows: its points, and by their numbers the starts and ends of spans."""
    kept = np.flatnonzero(table.probability >= LEAST)
    if len(kept) > MOST:
        kept = np.sort(kept[np.argsort(-table.probability[kept], kind="stable")[:MOST]])
    starts, ends = table.starts[kept], table.ends[kept]
    points = np.unique(np.concatenate([starts, ends, [0, table.length]]))
    return {
        "points": points.tolist(),
        "starts": np.searchsorted(points, starts).tolist(),
        "ends": np.searchsorted(points, ends).tolist(),
        "probability": np.round(table.probability[kept], PLACES).tolist(),
        "least": float(table.probability[kept].min()) if len(kept) < len(table) else 0.0,
    }


def near_changes(posterior: Posterior, changes: Sequence[ChangePoint]) -> SpanTable:
    """Spans whose ends near a change that was told are taken to be there: nodes of a draw that then have equal ends are one.

    In every draw they are still nested, so that two of them that are both more probable than not never cross.
    """
    forest, length = posterior.trees, posterior.length
    places = _moved(forest.positions, changes, length)
    starts, ends = places[forest.starts].astype(np.int64), places[forest.ends].astype(np.int64)
    some = starts < ends
    keys = (forest.owners[some] * (length + 1) + starts[some]) * (length + 1) + ends[some]
    _, first = np.unique(keys, return_index=True)
    weights = posterior.weights[forest.owners[some][first]]
    points = np.unique(places)
    return SpanTable.summed(points, starts[some][first], ends[some][first], weights)


def _moved(positions: np.ndarray, changes: Sequence[ChangePoint], length: int) -> np.ndarray:
    """Every position, or the change that it is near; the ends of the series are no changes."""
    found = positions.copy()
    if changes:
        centres, within = np.array([[change.position, change.within] for change in changes]).T
        after = np.searchsorted(centres, positions).clip(max=len(centres) - 1)
        before = (after - 1).clip(min=0)
        nearest = np.where(np.abs(positions - centres[before]) <= np.abs(centres[after] - positions), before, after)
        near = np.abs(positions - centres[nearest]) <= within[nearest]
        found = np.where(near & (positions > 0) & (positions < length), centres[nearest], positions)
    return found
