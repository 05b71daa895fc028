"""What was found as rows of a table."""

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from recbayes.gaussian.posterior.leaves import INTERVAL, Mixture

if TYPE_CHECKING:
    from recbayes.segmentation.result import Segmentation

NOTHING = 1e-9  # of the noise, that a slope makes of a whole segment
QUANTITIES = ("level", "slope", "noise", "coefficient")


def rows_of(found: "Segmentation") -> list[dict[str, Any]]:
    """One for each node of the tree, in preorder."""
    names = found.data.names or (
        ("",) if found.data.values.shape[1] == 1 else tuple(map(str, range(found.data.values.shape[1])))
    )
    rows = []
    for node, arity, depth in zip(found.tree.nodes, found.tree.arities, _depths(found.tree.arities), strict=True):
        row: dict[str, Any] = {
            "start": found.data.label(node.start),
            "end": found.data.label(node.end - 1),
            "observations": node.length,
            "depth": depth,
            "kind": "group" if arity else node.own["kind"] if node.own else "",
            "probability": node.probability,
        }
        level = None if node.value is None else np.exp(node.value) if found.logarithms else node.value
        belief = None if arity else found.given_segments.leaf(node.start, node.end)
        known = {what: None if belief is None else _ends(getattr(belief, what)) for what in QUANTITIES}
        slope, noise = known["slope"], known["noise"]
        if slope is not None and noise is not None:  # halvings of an interval end beside 0, not at it
            slope[np.abs(slope) * node.length < NOTHING * noise[0]] = 0.0
        for c, name in enumerate(names):
            suffix = f" {name}" if len(names) > 1 else ""
            row[f"level{suffix}"] = None if level is None else float(level[c])
            for what, ends in known.items():
                row |= _told(None if ends is None else ends[:, c], what, suffix, found.logarithms)
        rows.append(row)
    return rows


def _ends(mixture: Mixture) -> np.ndarray:
    """(3, columns): the mean of a quantity, and its interval."""
    return np.array([mixture.mean, *(mixture.quantile(share) for share in INTERVAL)])


def _told(values: np.ndarray | None, what: str, suffix: str, logarithms: bool) -> dict[str, Any]:
    """A quantity of a segment with its interval; of a group, nothing. Levels of logarithms are told as they were."""
    names = f"{what}{suffix}", f"{what}_low{suffix}", f"{what}_high{suffix}"
    if values is None:
        return dict.fromkeys(names[1:] if what == "level" else names)
    if logarithms and what == "level":
        values = np.exp(values)
    return dict(zip(names, values.tolist(), strict=True))


def _depths(arities: Any) -> list[int]:
    depths, waiting = [], [0]
    for arity in arities:
        depth = waiting.pop()
        depths.append(depth)
        waiting += [depth + 1] * arity
    return depths


def frame_of(rows: list[dict[str, Any]], library: str | None) -> Any:
    """Rows as a data frame: of the library that is named, or of one that is installed; or as they are."""
    import importlib.util

    for name in (library, "pandas", "polars"):
        if name is not None and (name in sys.modules or importlib.util.find_spec(name) is not None):
            return importlib.import_module(name).DataFrame({key: _column([row[key] for row in rows]) for key in rows[0]})
    return rows


def _column(values: list[Any]) -> Any:
    """Dates and durations of numpy as an array, in units that all libraries know; one by one they are just objects."""
    if not all(isinstance(value, np.datetime64 | np.timedelta64) for value in values):
        return values
    array = np.array(values)
    unit = np.datetime_data(array.dtype)[0]
    if unit in ("ms", "us", "ns") or (unit == "D" and array.dtype.kind == "M"):
        return array
    days = array.dtype.kind == "M" and unit in ("Y", "M", "W")
    return array.astype(f"{array.dtype.kind}8[{'D' if days else 'us'}]")
