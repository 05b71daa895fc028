"""Trees of Gaussian models, as the kernels draw them, made into forests."""

import numpy as np

from recbayes.gaussian.chart.tables import tables_of
from recbayes.gaussian.model.naming import rule_name
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.tree.forest import Forest


def gaussian_forest(model: GaussianRBN, positions: np.ndarray, columns: np.ndarray, first: np.ndarray) -> Forest:
    """Trees of a Gaussian model from variables, starts, ends and rules of the tables (negative: emissions)."""
    variables, starts, ends, rules = columns
    arities = np.where(rules >= 0, 2, 0)
    labels = [variable.name for variable in model.variables]
    return Forest(labels, _rule_names(model), positions, variables, starts, ends, rules, arities, first)


def _rule_names(model: GaussianRBN) -> dict[int, str]:
    _, origins = tables_of(model)
    variables = model.variables
    names = {n: rule_name(variables[v], position, shift) for n, (v, position, shift) in enumerate(origins.rules)}
    return names | {-1 - n: rule_name(variables[v], r, member=m) for n, (v, r, m) in enumerate(origins.emits)}
