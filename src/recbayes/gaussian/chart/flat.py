"""Segmentations without a tree, by the leaves of a model: where boundaries are likely, at the cost of all spans.

With the same leaves, trees and flat segmentations have nearly the same boundaries: what the tree adds is the hierarchy. So
a flat pass, which takes the square of the number of points where a chart takes the cube, finds the points that a chart
needs.
"""

import numpy as np

from recbayes.checks.series import Series
from recbayes.compiled.compilation import run_kernel
from recbayes.gaussian.emissions.emission import Member
from recbayes.gaussian.emissions.regression import column_potentials, span_count, ticks_of
from recbayes.gaussian.kernels.flat import add_evidence, boundary_pass, integrate_columns
from recbayes.lengths import Length


def member_evidence(
    member: Member, series: Series, positions: np.ndarray, mean: np.ndarray, variance: np.ndarray, total: np.ndarray
) -> np.ndarray:
    """The log evidence of every span between points as one leaf, by width and then by start; it is added to the bank's too.

    The leaf is one member of a `Leaf`, and shows its value itself, which is normal with independent entries.
    """
    segments = len(positions) - 1
    columns = column_potentials(member.emission, series, positions, segments)  # type: ignore[arg-type]
    found = np.empty(span_count(segments, segments))
    run_kernel(integrate_columns, columns, mean, variance, found)
    run_kernel(add_evidence, found, np.log(member.weight), total)
    return found


def boundary_probability(
    evidence: np.ndarray, length: Length, series: Series, positions: np.ndarray, log_share: float
) -> tuple[float, np.ndarray]:
    """The log evidence of all segmentations, and the probability of a boundary at each point; every leaf has this share."""
    ticks = np.asarray(ticks_of(series), dtype=np.int64)[positions]
    ticks = ticks - ticks[0]
    lengths = length.log_probability(np.arange(ticks[-1] + 1)) + log_share
    out = np.empty(len(positions))
    log_evidence = run_kernel(boundary_pass, evidence, lengths, ticks, out)
    return log_evidence, np.exp(np.minimum(out, 0.0))
