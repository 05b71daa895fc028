"""What keeps parameters where a model makes sense: a light penalty, and bounds far out.

Without them a constant series has noise zero and an infinite likelihood. Every free covariance S pays -1/2 tr(s^2 S^-1), as
if one more observation had come with standard deviations s; every probability and every rate p gains c log p, as if c more
uses had been counted. With s small against the data and c = 0.01, estimates that are at all determined do not notice.
"""

from typing import NamedTuple

import numpy as np

from recbayes.gaussian.learn.blocks import Block
from recbayes.gaussian.learn.parameters import Parameters
from recbayes.gaussian.learn.units import Units, covariance_units

FAR = 1e12  # how many times larger than the data a standard deviation may become
NEAR = 1e-12  # and how many times smaller
ODDS = 30.0  # largest log odds, and logarithm of a rate


class Penalty(NamedTuple):
    """`smallest_std` is s, for every block of covariances; `pseudo_count` is c; zero switches either off."""

    smallest_std: dict[str, np.ndarray]
    pseudo_count: float


def make_penalty(
    parameters: Parameters, units: Units, smallest_std: float | None, share: float, pseudo_count: float
) -> Penalty:
    """With a given s, or else with a share of the units."""
    smallest = {}
    for block in parameters.blocks:
        if block.kind in ("deviations", "factor"):
            unit = covariance_units(block, parameters.model, units)
            smallest[block.name] = share * unit if smallest_std is None else np.full(len(unit), float(smallest_std))
    return Penalty(smallest, float(pseudo_count))


def penalise(parameters: Parameters, vector: np.ndarray, penalty: Penalty) -> tuple[float, np.ndarray]:
    """What is added to the log likelihood at a free vector, and its gradient."""
    value, slopes = 0.0, [np.zeros(0)]
    for block, part in zip(parameters.blocks, parameters.parts(vector), strict=True):
        more, slope = _of_block(block, part, penalty)
        value += more
        slopes.append(slope)
    return value, np.concatenate(slopes)


def _of_block(block: Block, part: np.ndarray, penalty: Penalty) -> tuple[float, np.ndarray]:
    quantity = block.from_free(part)
    if block.kind in ("deviations", "factor"):
        inverse = np.linalg.inv(quantity)
        strength = 0.5 * penalty.smallest_std[block.name] ** 2
        return -float(strength @ np.diag(inverse)), block.pull_back(part, (inverse * strength) @ inverse)
    if block.kind == "probabilities":
        used = np.array(quantity) > 0
        slope = np.where(used, penalty.pseudo_count, 0.0)  # with respect to the logarithms
        return penalty.pseudo_count * float(np.log(np.array(quantity)[used]).sum()), block.pull_back(part, slope)
    if block.kind == "rate":
        return penalty.pseudo_count * float(np.log(quantity)), block.pull_back(part, penalty.pseudo_count / quantity)
    return 0.0, np.zeros(block.size)


def bounds(parameters: Parameters, units: Units) -> tuple[np.ndarray, np.ndarray]:
    """The lowest and highest of all free numbers, far beyond anything the data suggest."""
    low, high = [np.zeros(0)], [np.zeros(0)]
    for block in parameters.blocks:
        nearest, furthest = np.full(block.size, -np.inf), np.full(block.size, np.inf)
        if block.kind in ("deviations", "factor"):
            unit = np.log(covariance_units(block, parameters.model, units))
            rows, columns = np.tril_indices(len(unit))
            on_diagonal = rows == columns if block.kind == "factor" else np.ones(block.size, dtype=np.bool_)
            nearest[on_diagonal] = np.log(NEAR) + (unit if block.size > 1 else unit.min())
            furthest[on_diagonal] = np.log(FAR) + (unit if block.size > 1 else unit.max())
        elif block.kind in ("probabilities", "rate"):
            nearest[:], furthest[:] = -ODDS, ODDS
        low.append(nearest)
        high.append(furthest)
    return np.concatenate(low), np.concatenate(high)
