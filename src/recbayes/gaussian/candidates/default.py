"""When draws and learning look for candidates by themselves: where a full chart takes long, and some would be left out."""

import numpy as np

from recbayes.checks.series import Series
from recbayes.gaussian.chart.plan import make_plan
from recbayes.gaussian.chart.tables import tables_of
from recbayes.gaussian.emissions.emission import Emission
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.spans.constraints import Constraints

FULL = 300  # observations up to which charts are full
PAIRS = 9_000_000  # of splits and rules, up to which they are as well: those of two rules at this length


def is_worthwhile(model: GaussianRBN, series: Series, constraints: Constraints) -> bool:
    """Not for chains, whose charts grow like the series, nor where every observation is a leaf, nor where anything is known
    of trees."""
    if len(series) <= FULL or constraints.any:
        return False
    emissions = [rule for one in model.variables for rule in one.rules if isinstance(rule, Emission)]
    if all(rule.length.longest == 1 for rule in emissions if rule.probability > 0.0):
        return False
    return pairs_of_chart(model, series) > PAIRS


def pairs_of_chart(model: GaussianRBN, series: Series) -> int:
    """About how many pairs of a split and a rule the full chart has."""
    tables, _ = tables_of(model)
    rows = make_plan(tables, len(series), ticks=series.ticks).rows
    cells = np.maximum(rows["high"] - rows["low"] + 1, 0)
    rules = tables.variables["end_rule"] - tables.variables["first_rule"]
    return int((rules[:, None] * cells * np.arange(cells.shape[1])).sum())
