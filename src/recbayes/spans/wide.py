"""Wide spans that end at strong points only, for charts of more points than a cubic chart can take."""

import numpy as np

from recbayes.tree.known import INNER, NO_NODE

NARROW = 64  # segments up to which a span may end anywhere


def strong_ends(strength: np.ndarray, narrow: int = NARROW) -> np.ndarray:
    """(points, points): INNER where a span may be a node, NO_NODE elsewhere.

    Of every two neighbouring points the one of less strength is weak, of every two that are left one is weaker than
    others, and so on; both ends of the series are strong. A span of more than `narrow` segments has ends that stand once, of
    more than twice as many ends that stand twice, and so on. Spans that may be nodes grow in number like M log M, and all
    boundaries can still be had together: strong points are never further apart than spans that need them are wide.
    """
    points = len(strength)
    mask = np.triu(np.full((points, points), INNER, dtype=np.int8), 1)
    left, stands = np.arange(points), np.zeros(points, dtype=np.int64)
    while len(left) > 2:
        inner = left[1:-1]
        pairs = inner[: len(inner) // 2 * 2].reshape(-1, 2)
        stronger = pairs[np.arange(len(pairs)), strength[pairs].argmax(axis=1)]
        left = np.concatenate([left[:1], stronger, left[-1:]])
        stands[left] += 1
    stands[[0, -1]] = stands.max() + 1
    width, level = narrow, 1
    while width < points:
        weak = np.flatnonzero(stands < level)
        far = np.abs(np.arange(points)[None, :] - weak[:, None]) > width
        mask[weak] = np.where(far, NO_NODE, mask[weak])
        mask[:, weak] = np.where(far.T, NO_NODE, mask[:, weak])
        width, level = 2 * width, level + 1
    return mask
