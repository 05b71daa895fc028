"""The ways up, and the usual one: quasi-Newton steps on all series."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from recbayes.checks.arrays import not_negative, whole_number
from recbayes.learn.here import Here

STEEP = 0.1  # a gradient of more, times the root of the log likelihood, is no summit


class Summit(NamedTuple):
    """Where a climb ended, and what it has learnt of the curvature there: its inverse, in units."""

    vector: np.ndarray
    objective: float
    log_likelihood: float
    converged: bool
    reason: str
    inverse: np.ndarray | None = None


class Terrain(NamedTuple):
    """Where a climb may go, and the unit of every free number."""

    low: np.ndarray
    high: np.ndarray
    units: np.ndarray

    def inside(self, vector: np.ndarray) -> np.ndarray:
        return np.clip(vector, self.low, self.high)


Enough = Callable[[np.ndarray], bool] | None  # asked after an iteration, at its vector


class Climb(ABC):
    """A way up."""

    max_evaluations: int
    tolerance: float

    explores: bool = False  # whether several starts are climbed a little first

    @abstractmethod
    def climb(
        self, run: Callable[..., Here], start: np.ndarray, terrain: Terrain, series: int, seed: int, enough: Enough = None
    ) -> Summit:
        """From a start to a summit.

        Arguments:
            run: evaluates a free vector, and gives what is known `Here`.
            start: the free vector at the beginning.
            terrain: where it may go, and the unit of every free number.
            series: how many there are.
            seed: of the order in which they are looked at.
            enough: asked after an iteration, at its vector, whether to end. None goes on.
        """


@dataclass(frozen=True)
class QuasiNewton(Climb):
    """All series in every step, by quasi-Newton steps (L-BFGS), until a step gains less than the tolerance.

    Arguments:
        tolerance: in nats.
        max_evaluations: of the evidence and its slopes, from all starts together; then the best so far is returned.
    """

    tolerance: float = 1e-5
    max_evaluations: int = 5000

    def __post_init__(self) -> None:
        not_negative(self.tolerance, "tolerance")
        whole_number(self.max_evaluations, "max_evaluations", least=1)

    explores = True

    def climb(
        self, run: Callable[..., Here], start: np.ndarray, terrain: Terrain, series: int, seed: int, enough: Enough = None
    ) -> Summit:
        return quasi_newton(run, start, terrain, self.tolerance, enough=enough)


def quasi_newton(
    run: Callable[[np.ndarray], Here],
    start: np.ndarray,
    terrain: Terrain,
    tolerance: float,
    most: int = 10**9,
    enough: Enough = None,
) -> Summit:
    """L-BFGS with bounds, from SciPy, until an iteration gains less than `tolerance` nats, for `most` evaluations or so, or
    until it is `enough` after an iteration."""
    from scipy.optimize import minimize

    start = terrain.inside(start)
    first = run(start)
    if not len(start):
        return Summit(start, first.objective, first.log_likelihood, True, "there is nothing to learn: all is fixed")
    if not np.isfinite(first.objective):
        return Summit(start, first.objective, first.log_likelihood, False, "the start cannot be evaluated")
    worst = abs(first.objective) + 1.0

    def at(steps: np.ndarray) -> np.ndarray:
        return terrain.inside(start + terrain.units * steps)

    def downhill(steps: np.ndarray) -> tuple[float, np.ndarray]:
        here = run(at(steps))
        if not np.isfinite(here.objective):  # a step into the impossible: the line search turns back
            return worst + 1e3 * (1.0 + worst), np.zeros(len(steps))
        return -here.objective, -here.gradient * terrain.units

    limits = list(zip((terrain.low - start) / terrain.units, (terrain.high - start) / terrain.units, strict=True))
    options = {"ftol": min(tolerance / worst, 1.0), "gtol": 1e-6, "maxiter": 10**9, "maxfun": most, "maxls": 40}

    def look(steps: np.ndarray) -> None:
        if enough is not None and enough(at(steps)):
            raise StopIteration

    found = minimize(
        downhill, np.zeros(len(start)), jac=True, method="L-BFGS-B", bounds=limits, options=options, callback=look
    )
    vector = at(found.x)
    here = run(vector)
    converged, reason = bool(found.success), str(found.message)
    slope = np.abs(here.gradient * terrain.units)[(vector > terrain.low) & (vector < terrain.high)].max(initial=0.0)
    steep = STEEP * np.sqrt(1.0 + abs(here.objective))
    if not converged and slope < 0.1 * steep:
        converged, reason = True, "no step gains more than rounding"  # the line search has come to the end of the digits
    elif converged and slope > steep:
        converged, reason = (
            False,
            f"no step gains more, yet the gradient is {slope:.3g}: badly scaled, or at the end of digits",
        )
    return Summit(vector, here.objective, here.log_likelihood, converged, _plain(reason), _inverse(found))


def _inverse(found: Any) -> np.ndarray | None:
    """The inverse of the curvature as the last steps have shown it; None if there were none, or it is no curvature."""
    inverse = np.asarray(found.hess_inv.todense())
    usable = found.nit > 1 and np.isfinite(inverse).all() and np.linalg.eigvalsh(inverse)[0] > 0
    return inverse if usable else None


def _plain(reason: str) -> str:
    """SciPy's message in plain words."""
    if "REDUCTION OF F" in reason or "F_RELATIVE" in reason.upper():
        return "the gain fell below the tolerance"
    if "PROJECTED GRADIENT" in reason:
        return "the gradient vanished"
    if "STOPITERATION" in reason.upper() or "STOP ITERATION" in reason.upper():
        return "the chart's evidence is not to be trusted"
    if "TOTAL NO" in reason.upper() or "EXCEEDS LIMIT" in reason.upper():
        return "cut short"
    if "ABNORMAL" in reason:
        return "no step up was found: badly scaled, at the end of digits, or on an edge of what can be computed"
    return reason.lower()
