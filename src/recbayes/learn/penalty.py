"""What keeps parameters where a model makes sense: a light penalty, and bounds far out.

Without them a constant series has noise zero and an infinite likelihood. Every free covariance S pays -1/2 tr(s^2 S^-1), as
if one more observation had come with standard deviation s; every probability and every rate p gains c log p, as if c more
uses had been counted. With s small against the data and c = 0.01, estimates that are at all determined do not notice.
"""

from typing import NamedTuple

import numpy as np

from recbayes.learn.parameters import Block, Parameters

FAR = 1e6  # how many times larger than the data a standard deviation may become
NEAR = 1e-4  # how many times smaller than `smallest_std`
ODDS = 30.0  # largest log odds, and logarithm of a rate


class Penalty(NamedTuple):
    """`smallest_std` is s, `pseudo_count` is c; zero switches either off."""

    smallest_std: float
    pseudo_count: float


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
        strength = 0.5 * penalty.smallest_std**2
        return -strength * float(np.trace(inverse)), block.pull_back(part, strength * inverse @ inverse)
    if block.kind == "probabilities":
        used = np.array(quantity) > 0
        slope = np.where(used, penalty.pseudo_count, 0.0)  # with respect to the logarithms
        return penalty.pseudo_count * float(np.log(np.array(quantity)[used]).sum()), block.pull_back(part, slope)
    if block.kind == "rate":
        return penalty.pseudo_count * float(np.log(quantity)), block.pull_back(part, penalty.pseudo_count / quantity)
    return 0.0, np.zeros(block.size)


def bounds(parameters: Parameters, scale: float, smallest_std: float) -> list[tuple[float | None, float | None]]:
    """Bounds on all free numbers, far beyond anything the data suggest."""
    lowest = np.log(NEAR * smallest_std) if smallest_std > 0 else None
    deviation = (lowest, np.log(FAR * scale))
    found: list[tuple[float | None, float | None]] = []
    for block in parameters.blocks:
        if block.kind == "deviations":
            found += [deviation] * block.size
        elif block.kind == "factor":
            rows, columns = np.tril_indices(int(np.sqrt(2 * block.size)))
            found += [deviation if row == column else (None, None) for row, column in zip(rows, columns, strict=True)]
        elif block.kind in ("probabilities", "rate"):
            found += [(-ODDS, ODDS)] * block.size
        else:
            found += [(None, None)] * block.size
    return found
