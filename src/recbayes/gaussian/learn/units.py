"""Units: how large a change of each free number is that matters, so that learning does not depend on the data's units."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from recbayes.checks.series import Series
from recbayes.gaussian.chart.references import REFERENCE_SPREAD, references_of
from recbayes.gaussian.chart.tables import LEFT
from recbayes.gaussian.learn.blocks import Block
from recbayes.gaussian.learn.parameters import Parameters
from recbayes.gaussian.model.guess import column_scales
from recbayes.gaussian.model.rbn import Emit, GaussianRBN


class Units(NamedTuple):
    """The order of the variation of each observed column, and of each dimension of each variable."""

    columns: np.ndarray
    variables: list[np.ndarray]


def units_of(model: GaussianRBN, series: Sequence[Series]) -> Units:
    """From the data where variables are shown as they are, else from the model's own distribution of them."""
    columns = column_scales(series)
    rules = [rule for variable in model.variables for rule in variable.rules]
    shown = all(rule.map is None for rule in rules if isinstance(rule, Emit))
    kept = all(
        link.map is None for rule in rules if not isinstance(rule, Emit) for link in (rule.left_link, rule.right_link)
    )
    if shown and kept:
        return Units(columns, [columns] * len(model.variables))
    return Units(columns, [np.sqrt(np.diag(one.covariance)) / REFERENCE_SPREAD for one in references_of(model)])


def free_scales(parameters: Parameters, units: Units) -> np.ndarray:
    """The unit of every free number: one for logarithms and log odds."""
    parts = zip(parameters.blocks, parameters.parts(parameters.vector()), strict=True)
    return np.concatenate([np.zeros(0), *(_scales(block, part, parameters.model, units) for block, part in parts)])


def covariance_units(block: Block, model: GaussianRBN, units: Units) -> np.ndarray:
    """The units of the quantity whose covariance a block describes."""
    kind, *place = block.paths[0]
    if kind == "emit covariance":
        return units.columns
    return units.variables[_root(model) if kind == "prior covariance" else _child(model, *place)]


def _scales(block: Block, part: np.ndarray, model: GaussianRBN, units: Units) -> np.ndarray:
    if block.kind == "factor":
        rows, columns = np.tril_indices(len(block.from_free(part)))
        deviations = np.exp(part[rows == columns])
        return np.where(rows == columns, 1.0, deviations[rows])
    if block.kind != "numbers":
        return np.ones(block.size)
    kind, *place = block.paths[0]
    if kind == "prior mean":
        return units.variables[_root(model)]
    below = units.columns if kind.startswith("emit") else units.variables[_child(model, *place)]
    if kind in ("offset", "emit offset"):
        return below
    return (below[:, None] / units.variables[place[0]]).ravel()


def _root(model: GaussianRBN) -> int:
    return [variable.name for variable in model.variables].index(model.prior.variable)


def _child(model: GaussianRBN, v: int, r: int, side: Any) -> int:
    rule = model.variables[v].rules[r]
    return [variable.name for variable in model.variables].index(rule.left if side == LEFT else rule.right)
