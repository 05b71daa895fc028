"""What a page knows of a segmentation: one plain document, all of JSON, from which everything on it is drawn."""

from typing import Any

import numpy as np

from recbayes import __version__
from recbayes.report.axis import axis_of
from recbayes.report.rounding import significant
from recbayes.report.series import MOST_COLUMNS, lines_of, names_of, series_of
from recbayes.report.spans import PLACES, near_changes, told
from recbayes.report.values import nodes_of, values_of
from recbayes.report.words import made_of, model_of, sentence, trust_of, unplaced_of
from recbayes.segmentation.result import Segmentation
from recbayes.segmentation.texts import headline

CELL = 12  # digits of a number in the table that is saved
SMALLEST = 1e-4  # probability of a boundary that is drawn


def report_data(found: Segmentation, title: str = "") -> dict[str, Any]:
    """The document. Spans are half-open, in rows; texts are texts, whatever they look like."""
    spans = told(found.posterior.nodes)
    near = told(near_changes(found.posterior, found.changes))
    values = values_of(found, _likeliest([near, spans], set(found.tree.spans)))
    ends = np.unique(np.concatenate([spans["points"], near["points"], np.array(found.tree.spans).ravel()]))
    data, rows = found.data, found.rows()
    names = names_of(data)
    return {
        "title": title or _heading(found),
        "lead": sentence(headline(found)),
        "length": len(data),
        "columns": names,
        "named": data.names is not None or len(names) > 1,
        "drawn": min(len(names), MOST_COLUMNS),
        "logarithms": found.logarithms,
        "unit": "observation" if found.posterior.models[0].view.series.ticks is None else "tick",
        "axis": axis_of(data, ends),
        "series": series_of(found),
        "lines": lines_of(found),
        "changes": [one._asdict() | {"name": data.place(one.position)} for one in found.changes],
        "unplaced": {"texts": unplaced_of(found), "changes": [one._asdict() for one in found.unplaced]},
        "boundaries": _boundaries(found),
        "nodes": nodes_of(found, rows),
        "spans": spans,
        "near": near,
        "values": values,
        "kinds": {kind: round(p, PLACES) for kind, p in found.kinds.items() if p >= 0.005},
        "model": model_of(found),
        "trust": trust_of(found),
        "made": made_of(found, __version__),
        "table": _table(found, rows),
    }


def _heading(found: Segmentation) -> str:
    names = found.data.names or ()
    return f"Changes of {names[0]}" if len(names) == 1 else "Changes of a series"


def _likeliest(tables: list[dict[str, Any]], known: set[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans of tables that are not known yet, the most probable first."""
    best: dict[tuple[int, int], float] = {}
    for table in tables:
        points = table["points"]
        for start, end, p in zip(table["starts"], table["ends"], table["probability"], strict=True):
            span = points[start], points[end]
            if span not in known:
                best[span] = max(best.get(span, 0.0), p)
    return sorted(best, key=lambda span: (-best[span], span))


def _boundaries(found: Segmentation) -> dict[str, list[float]]:
    """Where changes are not impossible, and how probable exactly there."""
    inner = found.boundary_probability[1:-1]
    at = np.flatnonzero(inner >= SMALLEST)
    return {"at": (at + 1).tolist(), "probability": np.round(inner[at], PLACES).tolist()}


def _table(found: Segmentation, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """What `found.table()` has, with labels as texts."""
    cells = []
    for node, row in zip(found.tree.nodes, rows, strict=True):
        ends = {"start": _label(found, node.start), "end": _label(found, node.end - 1)}
        cells.append([_cell(value) for value in {**row, **ends}.values()])
    return {"names": list(rows[0]), "rows": cells}


def _label(found: Segmentation, row: int) -> str | int:
    return row if found.data.index is None else found.data.place(row)


def _cell(value: Any) -> Any:
    if not isinstance(value, float):
        return value
    return significant(value, CELL)
