"""A series and what was found of it, as a page draws them: short series whole, of long ones the least and the greatest
observation of every bin."""

from typing import Any

import numpy as np

from recbayes.data.table import Table
from recbayes.report.rounding import decimals, rounded
from recbayes.segmentation.fitted import fitted, is_straight
from recbayes.segmentation.result import Segmentation

WHOLE = 4000  # rows of a series up to which a page has all
ROOM = 60_000  # numbers of a longer series, of all columns
FINEST, COARSEST = 4096, 512  # bins
MOST_COLUMNS = 24  # that are drawn
CURVE = 128  # places at which a curved segment is known, at least
MARKED = 2000  # outliers


def names_of(table: Table) -> list[str]:
    """What columns are called."""
    count = table.values.shape[1]
    return list(map(str, table.names or (["value"] if count == 1 else [f"column {n}" for n in range(count)])))


def series_of(found: Segmentation) -> dict[str, Any]:
    """Numbers of the columns that are drawn. With bins, `edges` are the rows at which these begin, and the end."""
    values = found.data.values[:, :MOST_COLUMNS]
    places = decimals(values)
    outliers = _outliers(found)
    if len(values) <= WHOLE:
        columns = [{"values": rounded(column, digits)} for column, digits in zip(values.T, places, strict=True)]
        return {"columns": columns, "outliers": outliers}
    bins = int(np.clip(ROOM // (2 * values.shape[1]), COARSEST, FINEST))
    edges = np.unique(np.linspace(0, len(values), bins + 1).round().astype(np.int64))
    low, high = np.where(np.isnan(values), np.inf, values), np.where(np.isnan(values), -np.inf, values)
    low, high = np.minimum.reduceat(low, edges[:-1]), np.maximum.reduceat(high, edges[:-1])
    columns = [{"low": rounded(low[:, n], digits), "high": rounded(high[:, n], digits)} for n, digits in enumerate(places)]
    return {"columns": columns, "outliers": outliers, "edges": edges.tolist()}


def _outliers(found: Segmentation) -> list[list[float]]:
    """Row, column and value of observations that were taken for missing."""
    if found.outliers is None:
        return []
    rows, columns = np.nonzero(found.outliers[:, :MOST_COLUMNS])
    values = found.data.values[rows, columns]
    return [list(one) for one in zip(rows.tolist(), columns.tolist(), values.tolist(), strict=True)][:MARKED]


def lines_of(found: Segmentation) -> list[dict[str, Any]]:
    """Of every segment and column, the line of what was to be expected and the band of noise about it, at places in rows."""
    count = min(found.data.values.shape[1], MOST_COLUMNS)
    digits = decimals(found.data.values)
    curved = int(np.clip(ROOM // (count * len(found.tree.leaves)), CURVE, WHOLE))
    lines = []
    for node in found.tree.leaves:
        fit = fitted(found, node)
        most = 2 if is_straight(found, node) else curved
        rows = np.unique(np.linspace(0, node.length - 1, min(node.length, most)).round().astype(np.int64))
        at = np.concatenate([[0.0], rows + 0.5, [node.length]])
        columns = [
            {name: rounded(_to_ends(getattr(fit, name)[:, n], rows), digits[n]) for name in ("mean", "low", "high")}
            for n in range(count)
        ]
        lines.append({"at": (node.start + at).tolist(), "columns": columns})
    return lines


def _to_ends(values: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Values at some rows, and half a row before the first and after the last."""
    first, last = (values[1] - values[0], values[-1] - values[-2]) if len(values) > 1 else (0.0, 0.0)
    return np.concatenate([[values[0] - first / 2], values[rows], [values[-1] + last / 2]])
