"""Node probabilities at a glance, without draws. An approximation."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from recbayes.gaussian.chart.gradient import adjoint
from recbayes.gaussian.chart.inside import Chart
from recbayes.spans.table import SpanTable

CLIPPED = 0.05  # more than this outside [0, 1], summed over all spans, is worth a warning


@dataclass(frozen=True, eq=False)
class QuickProbability:
    """Approximate node probabilities.

    Attributes:
        nodes: the spans, with their probabilities, clipped to [0, 1].
        clipped: how far they lay outside [0, 1], summed over all spans.
        complaint: what to know of them, where they lay too far outside; else nothing.
    """

    nodes: SpanTable
    clipped: float
    complaint: str = ""

    @cached_property
    def node_probability(self) -> np.ndarray:
        """(N + 1, N + 1), upper triangle; of long series see `nodes`."""
        return self.nodes.dense()


def quick_node_probability(chart: Chart) -> QuickProbability:
    """Derivatives of the log evidence with respect to the log height of every message, clipped to [0, 1]."""
    derivatives, _ = adjoint(chart)
    points = len(chart.plan.positions)
    raw = np.zeros((points, points))
    for starts, ends, places in chart.plan.cells():
        raw[starts, ends] += derivatives[places]
    probability = np.clip(raw, 0.0, 1.0)
    clipped = float(np.abs(raw - probability).sum())
    complaint = ""
    if clipped > CLIPPED:
        complaint = (
            f"the quick node probabilities lie outside [0, 1] by {clipped:.3g} in total and were clipped; one Gaussian per "
            "message is too little for this series. Use sample_posterior"
        )
    return QuickProbability(SpanTable.between(chart.plan.positions, probability), clipped, complaint)
