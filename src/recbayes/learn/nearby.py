"""Steps on a function that is known only nearby: the drawn evidence, as long as its draws keep their effect.

Quasi-Newton steps (BFGS), whose picture of the curvature outlasts the function: fresh draws give another one much like it,
and what was learnt of its curvature still holds. Where a step leaves what is known, a shorter one is taken, and it is the
last.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from recbayes.learn.climb import Terrain
from recbayes.learn.here import Here

SUFFICIENT = 1e-4  # of the gain that a slope promises, which a step must make (Armijo)
SHORTER = 0.4  # times as long, after a step that was too long
TRIES = 8  # shorter steps
FIRST = 0.1  # units that a first step moves, where nothing is known of the curvature
RADIUS, FARTHER = 1.0, 2.0  # units that a first step may move at most; times as far as the last, which others may


class Reached(NamedTuple):
    """Where steps came to, the inverse of the curvature there, and how far a step may go (its length, both in units)."""

    vector: np.ndarray
    here: Here
    inverse: np.ndarray
    radius: float = RADIUS


def climb_nearby(
    function: Callable[[np.ndarray], Here],
    known: Callable[[Here], bool],
    reached: Reached,
    terrain: Terrain,
    enough: float,
    most: int,
) -> Reached:
    """As far as the function is `known`, `most` evaluations or so, or until a step gains less than is `enough`."""
    vector, here, inverse, radius = reached
    evaluations = 0
    while evaluations < most:
        direction = _uphill(inverse, vector, here, terrain)
        promised = float(direction @ (here.gradient * terrain.units))
        if promised <= enough:
            break
        length, edge = min(1.0, radius / float(np.linalg.norm(direction))), False
        for _ in range(TRIES):
            trial = terrain.inside(vector + length * terrain.units * direction)
            there = function(trial)
            evaluations += 1
            beyond = not np.isfinite(there.objective) or not known(there)
            if not beyond and there.objective >= here.objective + SUFFICIENT * length * promised:
                break
            edge = edge or beyond
            length *= SHORTER
        else:
            radius *= SHORTER**TRIES
            break
        radius = max(FARTHER * length * float(np.linalg.norm(direction)), radius if length == 1.0 else 0.0)
        inverse = updated(inverse, (trial - vector) / terrain.units, (here.gradient - there.gradient) * terrain.units)
        gain, vector, here = there.objective - here.objective, trial, there
        if edge or gain < enough:
            break
    return Reached(vector, here, inverse, radius)


def first_inverse(here: Here, units: np.ndarray) -> np.ndarray:
    """Where nothing is known of the curvature: the first step is a small one up the slope."""
    steep = float(np.linalg.norm(here.gradient * units))
    return FIRST / max(steep, 1e-300) * np.eye(len(units))


def updated(inverse: np.ndarray, step: np.ndarray, change: np.ndarray) -> np.ndarray:
    """The inverse of the curvature after a step along which slopes fell by so much (Broyden, Fletcher, Goldfarb, Shanno);
    as it was where they did not fall: curvatures are positive."""
    product = float(step @ change)
    if not product > 1e-10 * np.linalg.norm(step) * np.linalg.norm(change):
        return inverse
    left = np.eye(len(step)) - np.outer(step, change) / product
    return left @ inverse @ left.T + np.outer(step, step) / product


def _uphill(inverse: np.ndarray, vector: np.ndarray, here: Here, terrain: Terrain) -> np.ndarray:
    """The quasi-Newton direction, in units; numbers at a bound that slopes push against stay where they are."""
    slope = here.gradient * terrain.units
    free = ~(((vector <= terrain.low) & (slope < 0)) | ((vector >= terrain.high) & (slope > 0)))
    direction = np.zeros(len(slope))
    direction[free] = inverse[np.ix_(free, free)] @ slope[free]
    return direction
