"""Units: how large a change of each quantity is that matters, so that learning does not depend on the data's units."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from recbayes.checks.series import Series
from recbayes.gaussian.chart.references import REFERENCE_SPREAD, references_of
from recbayes.gaussian.emissions.emission import Emission
from recbayes.gaussian.model.guess import column_scales
from recbayes.gaussian.model.rbn import GaussianRBN


class Units(NamedTuple):
    """The order of the variation of each observed column, and of each dimension of each variable."""

    columns: np.ndarray
    variables: list[np.ndarray]


def units_of(model: GaussianRBN, series: Sequence[Series]) -> Units:
    """From the data where variables are shown as they are, else from the model's own distribution of them."""
    columns = column_scales(series)
    rules = [rule for variable in model.variables for rule in variable.rules]
    shown = all(rule.shows_value for rule in rules if isinstance(rule, Emission))
    links = [link for rule in rules if not isinstance(rule, Emission) for link in (rule.left_link, rule.right_link)]
    if shown and all(link.map is None for link in links):
        return Units(columns, [columns] * len(model.variables))
    return Units(columns, [np.sqrt(np.diag(one.covariance)) / REFERENCE_SPREAD for one in references_of(model)])
