"""Node probabilities at a glance, without draws. An approximation."""

from dataclasses import dataclass

import numpy as np

from recbayes.compiled.layout import cell_places
from recbayes.gaussian.chart.gradient import adjoint
from recbayes.gaussian.chart.inside import Chart

CLIPPED = 0.05  # more than this outside [0, 1], summed over all spans, is worth a warning


@dataclass(frozen=True, eq=False)
class QuickProbability:
    """Approximate node probabilities; `clipped` is how far they lay outside [0, 1], summed over all spans."""

    node_probability: np.ndarray  # (N + 1, N + 1), upper triangle
    clipped: float
    complaint: str = ""  # where they lay too far outside


def quick_node_probability(chart: Chart) -> QuickProbability:
    """Derivatives of the log evidence with respect to the log height of every message, clipped to [0, 1]."""
    derivatives, _ = adjoint(chart)
    points, plan = chart.length + 1, chart.plan
    raw = np.zeros((points, points))
    for v, rows in enumerate(plan.rows):
        for width in np.flatnonzero(rows["low"] <= rows["high"]):
            row = rows[width]
            starts = np.arange(row["low"], row["high"] + 1)
            places = cell_places(plan.inside_base[v], row, starts)
            raw[plan.positions[starts], plan.positions[starts + width]] += derivatives[places]
    probability = np.clip(raw, 0.0, 1.0)
    clipped = float(np.abs(raw - probability).sum())
    complaint = ""
    if clipped > CLIPPED:
        complaint = (
            f"the quick node probabilities lie outside [0, 1] by {clipped:.3g} in total and were clipped; one Gaussian per "
            "message is too little for this series. Use sample_posterior"
        )
    return QuickProbability(probability, clipped, complaint)
