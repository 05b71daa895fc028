"""The unit of every free number: how large a change matters, so that learning does not depend on the data's units."""

from typing import Any

import numpy as np

from recbayes.parameters.block import Block
from recbayes.parameters.parameters import Parameters


def free_scales(parameters: Parameters, units: Any) -> np.ndarray:
    """One for logarithms and log odds. `units` are what the family says (`Family.units`)."""
    parts = zip(parameters.blocks, parameters.parts(parameters.vector()), strict=True)
    return np.concatenate([np.zeros(0), *(_scales(block, part, units) for block, part in parts)])


def covariance_unit(block: Block, units: Any) -> np.ndarray:
    """The units of the quantity whose covariance a block describes, one for each dimension."""
    if block.unit is None:
        return np.ones(len(block.from_free(np.zeros(block.size))))
    return block.unit(units)


def _scales(block: Block, part: np.ndarray, units: Any) -> np.ndarray:
    if block.form == "factor":
        rows, columns = np.tril_indices(len(block.from_free(part)))
        deviations = np.exp(part[rows == columns])
        return np.where(rows == columns, 1.0, deviations[rows])
    if block.form != "numbers" or block.unit is None:
        return np.ones(block.size)
    return block.unit(units)
