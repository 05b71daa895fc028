"""What keeps parameters where a model makes sense: a light penalty, and bounds far out.

Without them a constant series has noise zero and an infinite likelihood. Every free covariance S pays -1/2 tr(s^2 S^-1), as
if one more observation had come with standard deviations s; every probability and every positive number p gains c log p, as
if c more uses had been counted. With s small against the data and c = 0.01, estimates that are at all determined do not
notice.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from recbayes.checks.arrays import is_positive_definite, not_negative
from recbayes.learn.units import covariance_unit
from recbayes.parameters.block import Block
from recbayes.parameters.parameters import Parameters

SMALLEST = 1e-4  # of the data's scale: the standard deviation of the penalty's extra observation
FAR = 1e12  # how many times larger than the data a standard deviation may become
NEAR = 1e-12  # and how many times smaller
LOST = 1e-4  # of a dimension's standard deviation: what it has left, given the others, where a covariance is nearly singular
SHARE = 0.1  # of a direction's length, with which a dimension has a part in it
ODDS = 30.0  # largest log odds, and logarithm of a positive number


@dataclass(frozen=True)
class Penalty:
    """What keeps variances and probabilities from zero; zero switches either off.

    Arguments:
        smallest_std: every covariance pays as if one more observation had come with standard deviations of this size. None
            takes 1e-4 of the data's scale.
        pseudo_count: every probability and every positive number gains as if so many more uses had been counted.
    """

    smallest_std: float | None = None
    pseudo_count: float = 0.01

    def __post_init__(self) -> None:
        not_negative(self.pseudo_count, "pseudo_count")
        if self.smallest_std is not None:
            not_negative(self.smallest_std, "smallest_std")


class Strength(NamedTuple):
    """The penalty of one fit: s for every block of covariances, and c."""

    smallest_std: dict[str, np.ndarray]
    pseudo_count: float


def strength_of(penalty: Penalty, parameters: Parameters, units: Any, share: float = SMALLEST) -> Strength:
    """With a given s, or else with a share of the units."""
    smallest = {}
    for block in parameters.blocks:
        if block.is_covariance:
            unit = covariance_unit(block, units)
            given = penalty.smallest_std
            smallest[block.name] = share * unit if given is None else np.full(len(unit), float(given))
    return Strength(smallest, float(penalty.pseudo_count))


@np.errstate(all="ignore")  # what is not finite is not positive definite
def penalise(parameters: Parameters, vector: np.ndarray, strength: Strength) -> tuple[float, np.ndarray]:
    """What is added to the log likelihood at a free vector, and its gradient."""
    value, slopes = 0.0, [np.zeros(0)]
    for block, part in zip(parameters.blocks, parameters.parts(vector), strict=True):
        more, slope = _of_block(block, part, strength)
        value += more
        slopes.append(slope)
    return value, np.concatenate(slopes)


def _of_block(block: Block, part: np.ndarray, strength: Strength) -> tuple[float, np.ndarray]:
    quantity = block.from_free(part)
    if block.is_covariance:
        if not is_positive_definite(quantity):  # singular to the last digit: a climb turns back there
            return -np.inf, np.zeros(block.size)
        inverse = np.linalg.inv(quantity)
        half_square = 0.5 * strength.smallest_std[block.name] ** 2
        return -float(half_square @ np.diag(inverse)), block.pull_back(part, (inverse * half_square) @ inverse)
    if block.form == "probabilities":
        used = np.array(quantity) > 0
        slope = np.where(used, strength.pseudo_count, 0.0)  # with respect to the logarithms
        return strength.pseudo_count * float(np.log(np.array(quantity)[used]).sum()), block.pull_back(part, slope)
    if block.form == "positive":
        logs = strength.pseudo_count * float(np.log(quantity).sum())
        return logs, block.pull_back(part, strength.pseudo_count / np.asarray(quantity))
    return 0.0, np.zeros(block.size)


def nearly_singular(parameters: Parameters, vector: np.ndarray) -> str:
    """Which covariance has all but lost a dimension, and what to do; nothing if none has.

    In correlations, as units do not matter. The dimensions are those in the direction that has lost its variance.
    """
    for block, part in zip(parameters.blocks, parameters.parts(vector), strict=True):
        if block.form == "factor":
            covariance = block.from_free(part)
            deviations = np.sqrt(np.diag(covariance))
            values, vectors = np.linalg.eigh(covariance / np.outer(deviations, deviations))
            if values[0] < LOST**2:
                together = np.flatnonzero(np.abs(vectors[:, 0]) > SHARE).tolist()
                return (
                    f"{block.shown} is nearly singular in the dimensions {together}, as if one followed from the others: "
                    'leave one out, or use covariance="diagonal"'
                )
    return ""


def bounds(parameters: Parameters, units: Any) -> tuple[np.ndarray, np.ndarray]:
    """The lowest and highest of all free numbers, far beyond anything the data suggest."""
    low, high = [np.zeros(0)], [np.zeros(0)]
    for block in parameters.blocks:
        nearest, furthest = np.full(block.size, -np.inf), np.full(block.size, np.inf)
        if block.form in ("deviations", "factor"):
            unit = np.log(covariance_unit(block, units))
            rows, columns = np.tril_indices(len(unit))
            on_diagonal = rows == columns if block.form == "factor" else np.ones(block.size, dtype=np.bool_)
            each = block.form == "factor" or block.size == len(unit)  # else deviations are not those of single dimensions
            nearest[on_diagonal] = np.log(NEAR) + (unit if each else unit.min())
            furthest[on_diagonal] = np.log(FAR) + (unit if each else unit.max())
        elif block.form in ("probabilities", "positive"):
            nearest[:], furthest[:] = -ODDS, ODDS
        low.append(nearest)
        high.append(furthest)
    return np.concatenate(low), np.concatenate(high)
