"""Trees as levels of flat segmentations, as music information retrieval knows hierarchies: mir_eval, and JAMS files.

Level 0 is the root. Every level covers all observations: it has its own nodes, and the leaves of the levels above. JAMS, the
format of annotated audio files, calls this `multi_segment`: https://jams.readthedocs.io/en/stable/namespaces/segment.html.
"""

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from recbayes.checks.arrays import frozen
from recbayes.checks.room import in_words
from recbayes.errors import DataError, SizeError
from recbayes.tree.formats.names import join_name

if TYPE_CHECKING:
    from recbayes.tree.node import Node
    from recbayes.tree.tree import Tree

MOST = 5_000_000  # segments of all levels: a chain of 3000 leaves has almost as many
JAMS = "0.3.4"  # version of the format


class Levels(NamedTuple):
    """Segmentations from coarse to fine, as `mir_eval.hierarchy` takes them.

    Attributes:
        intervals: for every level an array (segments, 2) of starts and ends.
        labels: for every level the labels of its segments.
    """

    intervals: list[np.ndarray]
    labels: list[list[str]]


def write_levels(tree: "Tree", times: object, distinct: bool) -> Levels:
    """Starts and ends in observations, or in the given times."""
    edges, rows = _edges(tree, times), _rows(tree)
    first = tree.nodes[0].start
    spans = [np.array([tree.nodes[n].span for n in row]) - first for row in rows]
    labels = [[_label(tree.nodes[n], distinct) for n in row] for row in rows]
    return Levels([edges[span] for span in spans], labels)


def write_jams(tree: "Tree", times: object, title: str) -> str:
    """An annotation `multi_segment` in a file of its own; the confidence of a segment is the probability of its node."""
    edges, first = _edges(tree, times), tree.nodes[0].start
    data = [
        {
            "time": float(edges[node.start - first]),
            "duration": float(edges[node.end - first] - edges[node.start - first]),
            "value": {"label": _label(node, False), "level": level},
            "confidence": node.probability,
        }
        for level, row in enumerate(_rows(tree))
        for node in (tree.nodes[n] for n in row)
    ]
    begin, duration = float(edges[0]), float(edges[-1] - edges[0])
    annotation = {
        "namespace": "multi_segment",
        "data": data,
        "annotation_metadata": {"annotation_tools": "recbayes", "data_source": "program"},
        "sandbox": {},
        "time": begin,
        "duration": duration,
    }
    about: dict[str, Any] = {"title": title, "duration": begin + duration, "jams_version": JAMS, "identifiers": {}}
    return json.dumps({"annotations": [annotation], "file_metadata": about, "sandbox": {}}, allow_nan=False)


def _rows(tree: "Tree") -> list[list[int]]:
    """The numbers of the nodes of every level, from left to right, with the leaves above it."""
    levels, arities = tree.levels, tree.arities
    depth = max(levels) + 1
    total = sum((depth - level) if arity == 0 else 1 for level, arity in zip(levels, arities, strict=True))
    if total > MOST:
        raise SizeError(
            f"all {depth} levels of this tree have {total} segments, {in_words(100 * total)}; take single levels with "
            "tree.cut(depth)"
        )
    rows: list[list[int]] = [[] for _ in range(depth)]
    for n, (level, arity) in enumerate(zip(levels, arities, strict=True)):  # preorder: from left to right in every level
        for row in rows[level : level + 1] if arity else rows[level:]:
            row.append(n)
    return rows


def _edges(tree: "Tree", times: object) -> np.ndarray:
    """The time of every position from the first to the last."""
    if times is None:
        return np.arange(tree.nodes[0].start, tree.nodes[0].end + 1, dtype=np.float64)
    given = frozen(times, "times", DataError)
    if given.shape != (tree.length + 1,) or not (np.diff(given) > 0).all():
        raise DataError(
            f"times must be {tree.length + 1} increasing numbers, one for each position: where observations begin, and "
            f"where the last ends; got shape {given.shape}"
        )
    return given


def _label(node: "Node", distinct: bool) -> str:
    return f"{node.start}:{node.end}" if distinct else join_name(node.label, "")
