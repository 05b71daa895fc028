"""Filling a chart, tile by tile."""

import os

import numpy as np

from recbayes.compiled.compilation import run_kernel
from recbayes.compiled.dimension import dimension_of
from recbayes.compiled.lanes import LANES
from recbayes.gaussian.chart.plan import Plan
from recbayes.gaussian.chart.tables import Tables
from recbayes.gaussian.kernels.inside import Tile, fill_inside

BLOCK = int(os.environ.get("BLOCK", "32"))


def fill_chart(
    tables: Tables, plan: Plan, lengths: np.ndarray, messages: np.ndarray, choices: np.ndarray, evidence: np.ndarray
) -> None:
    """Fill all cells and the log evidence by each Gaussian of the prior; `messages` comes with the potentials of leaves."""
    segments = len(plan.positions) - 1
    bounds = np.empty(plan.bounds_size)
    block = BLOCK if (plan.rows["low"][plan.rows["low"] <= plan.rows["high"]] % LANES == 0).all() else segments
    for start in range((segments - 1) // block * block, -1, -block):
        tile = Tile(start, min(start + block, segments), 1, segments + 1)
        run_kernel(fill_inside, dimension_of(tables.size), tile, tables, plan, lengths, messages, bounds, choices, evidence)
