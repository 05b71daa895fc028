"""Where the adjoint passes add up derivatives, and where they keep things in the room."""

from typing import NamedTuple

import numpy as np
from numba import njit

from recbayes.compiled.lanes import BORROWING, LANES
from recbayes.compiled.layout import lanes_room, message_room, square_room, triangle_room


class Gradients(NamedTuple):
    """What the adjoint pass adds up, in the layout of the tables."""

    rules: np.ndarray  # (R,) derivatives with respect to the log probabilities of rules
    links: np.ndarray  # (K, link entries) with respect to covariance, map and offset
    emissions: np.ndarray  # (E, N + 1) with respect to the log probability of emitting so many observations
    prior: np.ndarray  # like the prior's potentials


class Derivatives(NamedTuple):
    """Places in the room, after those of the inside pass."""

    into: int  # potential: derivatives with respect to the cell's message,
    push: int  # to one alternative,
    give: int  # to one child's message
    log_mass: int
    constant: int  # derivative with respect to the log mass, minus tr(dS S)
    covariance: int  # the cell's matched covariance
    dS: int  # derivatives with respect to it and to the mean
    dm: int
    t: int
    matrix: int
    free: int
    end: int


@njit(**BORROWING)
def derivative_places(size: int, begin: int) -> Derivatives:
    vector, triangle = lanes_room(size), triangle_room(size)
    potential = message_room(size)
    log_mass = begin + 3 * potential
    dS = log_mass + lanes_room(2) + triangle
    matrix = dS + triangle + 2 * vector
    free = matrix + square_room(size)
    return Derivatives(
        begin,
        begin + potential,
        begin + 2 * potential,
        log_mass,
        log_mass + LANES,
        log_mass + lanes_room(2),
        dS,
        dS + triangle,
        dS + triangle + vector,
        matrix,
        free,
        free + lanes_room(16 + 12 * size + 12 * size * size),
    )
